"""Say what is suspicious about a training table: one warning, or one error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treewright.errors import (
    ColumnKindWarning,
    ColumnSetAsideWarning,
    IntakeWarning,
    TableError,
)
from treewright.table.intake import Finding, Intake
from treewright.table.warn import warn

__all__ = ["announce", "listed", "refuse"]

_MOST_LINES = 5
_OF_KINDS = frozenset({"spelled", "ambiguous", "nearly_numbers"})


class _BothWarning(ColumnSetAsideWarning, ColumnKindWarning):
    """Columns were set aside, and others look like badly read numbers."""


def announce(intake: Intake) -> None:
    """Warn once of everything that is suspicious, the most serious first.

    Parameters
    ----------
    intake : Intake
        What was found; nothing is said without findings.
    """
    if intake.findings:
        warn(_message(intake), _category(intake))


def refuse(intake: Intake) -> None:
    """Raise an error if anything is suspicious.

    Parameters
    ----------
    intake : Intake
        What was found.

    Raises
    ------
    TableError
        It lists the findings.
    """
    if intake.findings:
        raise TableError(
            f"{_message(intake)}\nMend the table, or pass findings='warn' to go on."
        )


def _category(intake: Intake) -> type[IntakeWarning]:
    kinds = {each.kind for each in intake.findings}
    aside, of_kinds = _is_aside(intake.findings), not kinds.isdisjoint(_OF_KINDS)
    if aside and of_kinds:
        return _BothWarning
    if aside:
        return ColumnSetAsideWarning
    return ColumnKindWarning if of_kinds else IntakeWarning


def _is_aside(findings: Sequence[Finding]) -> bool:
    return any(each.set_aside for each in findings)


def _message(intake: Intake) -> str:
    lines = list(_lines(intake.findings))
    if len(lines) == 1:
        return lines[0]
    n = len(lines) - _MOST_LINES
    more = [f"and {n} more; intake_ lists all"] if n > 0 else []
    heading = "The training table is suspicious, in order of weight:"
    return "\n- ".join([heading, *lines[:_MOST_LINES], *more])


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield one line a finding; columns set aside for the same reason share one."""
    said = set()
    for each in findings:
        if not each.set_aside:
            yield str(each)
        elif each.words not in said:
            said.add(each.words)
            alike = [f for f in findings if f.set_aside and f.words == each.words]
            names = [repr(f.column) for f in alike]
            were = "was" if len(names) == 1 else "were"
            way_out = each.advice.removeprefix("It is not used; ")
            if len(names) > 1:
                way_out = way_out.replace("uses it", f"uses {names[0]}")
            yield f"{listed(names)} {were} set aside: {each.words}. {way_out}"


def listed(names: Sequence[str]) -> str:
    """Return 'a', 'b' and 'c'."""
    return ", ".join(names[:-1]) + " and " + names[-1] if names[1:] else names[0]
