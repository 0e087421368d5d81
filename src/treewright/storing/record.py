"""What a tree knows about how it was made, to and from the fields of the model file.

`TreeData.made_by` holds it: from growing `method`, `task`, `options` and `version`;
from a fitted estimator `estimator`, `parameters`, `data`, `pruning` and `intake`; from
the author `evaluation` and `notes`; and on request `grown`, the tree before pruning.
Other entries are not stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from treewright.errors import OptionError, TreeFormatError
from treewright.options import GrowOptions
from treewright.pruning.result import Pruning
from treewright.storing.columns import columns_of, read_all
from treewright.storing.head import MADE_BY, PRUNING, STEP
from treewright.storing.shapes import number_out, shown
from treewright.storing.values import plain
from treewright.table.intake import Finding, Intake

__all__ = [
    "WITHOUT_EFFECT",
    "intake_in",
    "made_by_in",
    "made_by_out",
    "pruning_in",
    "pruning_out",
]
__all__ += ["settings_out", "steps_in", "steps_out"]

WITHOUT_EFFECT = ("n_jobs", "progress", "memory_limit", "checkpoint")
"""Settings that never change a tree, and so must not change the file."""


def made_by_out(made_by: Mapping[str, Any]) -> dict[str, Any]:
    """Return what made a tree, as far as the file has a field for it."""
    return {name: made_by[name] for name in MADE_BY.fields if made_by.get(name)}


def settings_out(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return options or parameters without those that have no effect on the tree."""
    return {n: plain(x) for n, x in settings.items() if n not in WITHOUT_EFFECT}


def made_by_in(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a tree knows about how it was made, from the fields of the file."""
    made_by: dict[str, Any] = dict(found["made_by"])
    for name in ("options", "parameters"):
        if name in found:
            made_by[name] = found[name]
            if not isinstance(found[name], dict):
                raise TreeFormatError(f"{name} must be an object.")
    if "options" in found:
        _check_options(found["options"])
    if "pruning" in found:
        steps = found.get("pruning_steps", {})
        made_by["pruning"] = pruning_in(found["pruning"], steps)
    if "intake" in found:
        made_by["intake"] = intake_in(found)
    if "notes" in found:
        made_by["notes"] = tuple(found["notes"])
    names = ("data", "evaluation", "grown")
    return made_by | {name: found[name] for name in names if name in found}


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse options of growing that do not exist, or are out of range."""
    known = {each.name for each in fields(GrowOptions)}
    unknown = [name for name in options if name not in known]
    if unknown:
        raise TreeFormatError(f"options: {shown(unknown[0])} is not an option.")
    try:
        GrowOptions(**options)
    except OptionError as problem:
        raise TreeFormatError(f"options: {str(problem)[:300]}") from problem


def pruning_out(pruning: Pruning) -> dict[str, Any]:
    """Return the record of a pruning without its table."""
    out = {name: getattr(pruning, name) for name in PRUNING.fields}
    if pruning.held_out_error is None:
        del out["held_out_error"]
    return out | {"notes": list(pruning.notes)}


def steps_out(pruning: Pruning) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table of a pruning."""
    columns = {name: getattr(pruning, name).tolist() for name in STEP.fields}
    names = [name for name, column in columns.items() if column]
    for row in zip(*(columns[name] for name in names), strict=True):
        yield {n: number_out(x) for n, x in zip(names, row, strict=True)}


def steps_in(items: Iterable[Any]) -> dict[str, Any]:
    """Read the table of a pruning, column by column."""
    rows = list(items)
    if not rows:
        return {}
    at = "pruning_steps[{}]".format
    names = {tuple(name for name, _ in row) for row in rows if type(row) is tuple}
    if len(names) > 1:
        raise TreeFormatError("All pruning_steps must have the same fields.")
    types = {"n_leaves": np.int64}
    return {
        name: np.array(
            read_all(values, STEP.fields[name].shape, name, at),
            types.get(name, np.float64),
        )
        for name, values in columns_of(rows, STEP, at).items()
    }


def pruning_in(found: dict[str, Any], steps: dict[str, Any]) -> Pruning:
    """Put the record of a pruning together."""
    pruning = Pruning(**found | {"notes": tuple(found["notes"])}, **steps)
    for name in ("chosen", "best", "one_se"):
        if getattr(pruning, name) >= len(pruning.n_leaves):
            raise TreeFormatError(
                f"pruning, {name} must be one of the {len(pruning.n_leaves)} "
                f"pruning_steps, or -1; got {getattr(pruning, name)}."
            )
    for name in _needed(pruning):
        if not len(getattr(pruning, name)):
            raise TreeFormatError(
                f"pruning_steps lack the field {name!r}, which pruning needs: its "
                f"method is {pruning.method!r}."
            )
    return pruning


def _needed(pruning: Pruning) -> tuple[str, ...]:
    """Return the columns of steps that a record needs to be read."""
    needed = ("score_std",) if len(pruning.score) else ()
    if pruning.chosen < 0:
        return needed
    measured = {"cv": ("cv_error", "cv_std"), "validation": ("validation_error",)}
    return needed + measured.get(str(pruning.method), ())


def intake_in(found: Mapping[str, Any]) -> Intake:
    """Put the intake together, from the fields of the file."""
    intake = found["intake"]
    rejected = tuple((each["line"], each["why"]) for each in intake.get("rejected", ()))
    findings, conversions = (
        tuple(Finding(**each) for each in found.get(name, ()))
        for name in ("findings", "conversions")
    )
    intake = intake | {"rejected": rejected}
    return Intake(**intake, findings=findings, conversions=conversions)
