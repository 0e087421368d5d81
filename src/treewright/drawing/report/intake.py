"""The section of the report that lists what is suspicious about the training table."""

from __future__ import annotations

from treewright.drawing.escape import xml
from treewright.table.intake import Finding, Intake
from treewright.tree import wording

__all__ = ["intake_section"]

_LONGEST = 300


def intake_section(intake: Intake | None) -> str:
    """Return a section of HTML; '' if nothing was found, or nobody looked.

    Parameters
    ----------
    intake : Intake or None
        What was found when the training table was read.

    Returns
    -------
    str
    """
    if intake is None or not intake.findings:
        return ""
    rows = "".join(_row(each) for each in intake.findings)
    return (
        '<section id="intake" class="panel" aria-labelledby="intake-title">'
        '<h2 id="intake-title">What to know about the training table</h2>'
        '<div class="scroll" tabindex="0" role="group" aria-label="Table of findings">'
        '<table class="columns"><thead><tr><th scope="col">Column</th>'
        '<th scope="col">Finding</th><th scope="col">What to do</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _row(finding: Finding) -> str:
    cells = (finding.place, finding.words, finding.advice)
    texts = (xml(wording.cut(wording.name(each), _LONGEST)) for each in cells)
    return "<tr>" + "".join(f"<td>{text}</td>" for text in texts) + "</tr>"
