"""Names in the room of a card; two different names never look the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treewright.drawing.measure import Measure, clipped, two_lines

__all__ = ["CLASSES", "NUMBER", "CardNames"]

NUMBER, CLASSES = -1, -2
"""The keys of answers: a number has -1, class k has -2 - k; columns have theirs."""


class CardNames:
    """Fits the names of columns and classes into cards.

    Parameters
    ----------
    names : mapping of int to str
        The name of each column and class of a picture, by key.
    room : float
        Width of the widest line.
    size : float
        Size of the letters, which are bold.
    measure : callable
        Returns the width of a text.
    """

    def __init__(
        self, names: Mapping[int, str], room: float, size: float, measure: Measure
    ) -> None:
        self._size = size
        self._measure = measure
        self._written: dict[tuple[str, ...], int] = {}
        self._differ: dict[int, int] = {}
        alike: dict[tuple[str, ...], list[int]] = {}
        for key, name in names.items():
            lines = self._fitted(name, (0.6 * room, room))
            if "".join(lines) != name:
                alike.setdefault(lines, []).append(key)
        for keys in alike.values():
            shared = _shared_start([names[key] for key in keys])
            self._differ |= {key: shared for key in keys if len(keys) > 1}

    def lines(self, name: str, key: int, rooms: tuple[float, float]) -> tuple[str, ...]:
        """Return the lines of a name.

        Parameters
        ----------
        name : str
            The name.
        key : int
            What it names: a column (0 and up), `NUMBER` or a class.
        rooms : tuple of float
            Widths of the first and of the second line.

        Returns
        -------
        tuple of str
        """
        lines = self._fitted(name, rooms)
        if key in self._differ and "".join(lines) != name:
            # The ends of these names are the same: show where they differ.
            rest = "…" + name[self._differ[key] : self._differ[key] + 200]
            end = clipped(rest, rooms[1], self._size, True, self._measure)
            lines = lines[0], end
        if key != NUMBER and self._written.setdefault(lines, key) != key:
            number = key if key >= 0 else CLASSES - key
            lines = self._fitted(f"{number}: {name}", rooms)
            self._written[lines] = key
        return lines

    def _fitted(self, name: str, rooms: tuple[float, float]) -> tuple[str, ...]:
        return two_lines(name, rooms, self._size, True, self._measure)


def _shared_start(names: Sequence[str]) -> int:
    """Return how many characters at the start all names share."""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return next((at for at, (a, b) in pairs if a != b), len(first))
