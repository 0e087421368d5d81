"""The table of all criteria, by name."""

from __future__ import annotations

from treewright.criteria.base import Criterion
from treewright.errors import OptionError, nearest_name

__all__ = ["find", "hint", "names", "register", "unregister"]

_BY_NAME: dict[str, Criterion] = {}


def register(criterion: Criterion) -> None:
    """Add a criterion to the table.

    Parameters
    ----------
    criterion : Criterion
        An instance of a subclass of `ClassCriterion` or `NumberCriterion`.

    Raises
    ------
    OptionError
        When another criterion already has this name.
    """
    known = _BY_NAME.get(criterion.name)
    if known is not None and type(known) is not type(criterion):
        raise OptionError(
            f"A criterion called {criterion.name!r} is already registered: "
            f"{type(known).__name__}. Give yours another name."
        )
    _BY_NAME[criterion.name] = criterion


def unregister(name: str) -> None:
    """Remove a registered criterion."""
    del _BY_NAME[name]


def names(task: str | None = None) -> tuple[str, ...]:
    """Return the names of all criteria, or of those for one kind of target.

    Parameters
    ----------
    task : {'class', 'number'}, optional
        The kind of target.

    Returns
    -------
    tuple of str
        In order of registration.
    """
    return tuple(n for n, c in _BY_NAME.items() if task in (None, c.task))


def find(name: str) -> Criterion:
    """Return the criterion with this name or alias.

    Parameters
    ----------
    name : str
        Such as 'gini'.

    Returns
    -------
    Criterion

    Raises
    ------
    OptionError
        When there is none; the message suggests the nearest name.
    """
    if isinstance(name, str):
        if name in _BY_NAME:
            return _BY_NAME[name]
        for criterion in _BY_NAME.values():
            if name in criterion.aliases:
                return criterion
    listed = ", ".join(repr(each) for each in _BY_NAME)
    raise OptionError(f"criterion must be one of {listed}; got {name!r}.{hint(name)}")


def hint(name: object, task: str | None = None) -> str:
    """Return a sentence that suggests a criterion for an unknown name.

    Parameters
    ----------
    name : object
        The value that was passed as a criterion.
    task : {'class', 'number'}, optional
        The kind of target the criterion must suit.

    Returns
    -------
    str
        A sentence with a leading blank, or ''.
    """
    if not isinstance(name, str):
        return ""
    suited = [c for c in _BY_NAME.values() if task in (None, c.task)]
    near = next((c.name for c in suited if name in c.other_names), None)
    near = near or nearest_name(name, [n for c in suited for n in (c.name, *c.aliases)])
    return f" Did you mean {near!r}?" if near else ""
