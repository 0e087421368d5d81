"""Which columns of a file to read, and what for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.errors import OptionError, TableError
from treewright.table.infer import find_column

__all__ = ["Selection"]


@dataclass(frozen=True)
class Selection:
    """The caller's wishes, as they were passed to `read`.

    Attributes
    ----------
    target, weight : str or None
        Columns that are no features.
    columns, drop : list of str or None
        Features to use, or to leave out.
    kinds : mapping
        Column -> kind; see `as_table`.
    """

    target: str | None
    weight: str | None
    columns: Sequence[str] | None
    drop: Sequence[str] | None
    kinds: Mapping[Any, Any]

    @classmethod
    def of(
        cls,
        target: str | None,
        weight: str | None,
        columns: Iterable[str] | None,
        drop: Iterable[str] | None,
        kinds: Mapping[Any, Any] | None,
    ) -> Selection:
        """Check the options that name columns."""
        if columns is not None and drop is not None:
            raise OptionError(
                "columns and drop exclude each other: columns lists what to use, drop "
                "what to leave out. Pass one of them."
            )
        if kinds is not None and not isinstance(kinds, Mapping):
            raise OptionError(
                "kinds must be a dict of column name to kind, such as "
                f"{{'zip': 'categorical'}}, or None; got {kinds!r}."
            )
        if target is not None and target == weight:
            raise OptionError(
                f"target and weight are both {target!r}. Name two columns."
            )
        return cls(
            target,
            weight,
            _listed(columns, "columns"),
            _listed(drop, "drop"),
            dict(kinds or {}),
        )

    def names(self, known: Sequence[str]) -> list[str]:
        """Return the columns to read, in the order of the file.

        Parameters
        ----------
        known : sequence of str
            The columns of the file.

        Returns
        -------
        list of str
            The features, with the target and the weight.

        Raises
        ------
        TableError
            When an option names a column that the file lacks, or no feature is left.
        """
        for option in ("target", "weight"):
            name = getattr(self, option)
            if name is not None:
                find_column(name, known, named=True, option=option)
        for option in ("columns", "drop", "kinds"):
            for name in getattr(self, option) or ():
                find_column(name, known, named=True, option=option)
        wanted = set(known if self.columns is None else self.columns)
        features = wanted - set(self.drop or ()) - {self.target, self.weight}
        if not features:
            has = ", ".join(map(repr, known[:5])) or "no columns"
            raise TableError(
                f"No column is left to predict from: the file has {has}. Name other "
                "columns in target, columns or drop."
            )
        kept = features | {self.target, self.weight}
        return [name for name in known if name in kept]


def _listed(names: Any, option: str) -> tuple[str, ...] | None:
    if names is None:
        return None
    if isinstance(names, str):
        return (names,)
    try:
        return tuple(str(name) for name in names)
    except TypeError as problem:
        raise OptionError(
            f"{option} must be a list of column names or None; got {names!r}."
        ) from problem
