"""The fields of the model file besides the nodes: columns, target, how it was made."""

from __future__ import annotations

from treewright.options import METHODS
from treewright.storing.extras import EXTRA
from treewright.storing.nodes import NODE
from treewright.storing.shapes import (
    Field,
    Flag,
    Label,
    ListOf,
    Maybe,
    Number,
    OneOf,
    Record,
    Text,
    Whole,
)
from treewright.storing.values import AnyValue
from treewright.table.grain import GRAINS
from treewright.table.schema import KINDS

__all__ = [
    "DATA",
    "FEATURE",
    "FILE",
    "FINDING",
    "FORMAT",
    "INTAKE",
    "MADE_BY",
    "PRUNING",
    "REJECTED",
    "SPELLING",
    "STEP",
    "SUMMARY",
    "TARGET",
    "VERSION",
]

FORMAT = "treewright tree"
VERSION = 1
"""Version of the format that is written; all versions up to it can be read."""

_INFINITE = ("inf", "-inf")
_ANY = ("inf", "-inf", "nan")
_STORED = (
    "float",
    "int",
    "bool",
    "date",
    "datetime",
    "duration",
    "time",
    "text",
    "category",
)

SUMMARY = Record(
    {
        "n_missing": Field(Whole(), "Rows without a value."),
        **{
            name: Field(
                Number(special=_INFINITE), f"{words} of the known values.", True
            )
            for name, words in (
                ("minimum", "Least"),
                ("q1", "First quartile"),
                ("median", "Median"),
                ("q3", "Third quartile"),
                ("maximum", "Largest"),
            )
        },
        "deciles": Field(
            ListOf(Number(special=_INFINITE)),
            "The distinct deciles of the known values, ascending.",
            True,
        ),
        "shares": Field(
            ListOf(Number(0)),
            "Share of the known values in each interval between deciles, or in each "
            "category.",
            True,
        ),
    }
)
SPELLING = Record(
    {
        "what": Field(
            OneOf(
                ("number", "money", "percent", "measure", "date", "datetime", "time")
            ),
            "What the text spells.",
        ),
        "decimal": Field(OneOf((".", ",")), "The decimal mark.", True),
        "thousands": Field(Text(10), "What separates thousands.", True),
        "unit": Field(Text(1000), "The currency or unit.", True),
        "order": Field(OneOf(("ymd", "dmy", "mdy")), "The order of a date.", True),
        "zone": Field(OneOf(("UTC",)), "UTC if every text names a time zone.", True),
    }
)
FEATURE = Record(
    {
        "name": Field(Text(), "The column's name, different from all others."),
        "kind": Field(OneOf(KINDS), "How it is split."),
        "stored_as": Field(OneOf(_STORED), "Type of the values in the table."),
        "labels": Field(
            ListOf(Label()), "The categories in order; absent for numbers.", True
        ),
        "reason": Field(Text(), "Why the column has this kind.", True),
        "set_aside": Field(
            Text(), "Why the column was not used; absent if it was.", True
        ),
        "timezone": Field(Text(200), "Time zone of a datetime column.", True),
        "summary": Field(SUMMARY, "Range and quartiles.", True),
        "cuts": Field(
            ListOf(Number(special=_INFINITE)),
            "Where numbers were cut into intervals: cut i is the upper bound of "
            "interval i and belongs to it.",
            True,
        ),
        "float32": Field(
            Flag(), "Whether numbers are rounded to float32 before a comparison.", True
        ),
        "spelling": Field(SPELLING, "How text spells the column's values.", True),
        "grain": Field(
            OneOf(tuple(GRAINS)),
            "The coarsest unit in which all dates are whole.",
            True,
        ),
    }
)
TARGET = Record(
    {
        "name": Field(Text(), "The target's name."),
        "kind": Field(OneOf(("class", "number")), "What the tree predicts."),
        "classes": Field(ListOf(Label()), "The classes; empty for numbers."),
        "costs": Field(
            ListOf(ListOf(Number(0))),
            "Cost of each answer (column) for each true class (row).",
            True,
        ),
        "priors": Field(ListOf(Number(0)), "Prior share of each class.", True),
        "class_weight": Field(
            ListOf(Number(0)), "Factor of the weight of each class.", True
        ),
        "exponent": Field(
            Whole(-2000, 2000),
            "Variance, impurity, gain and risk are in units of 2^exponent (squared "
            "for squared quantities); 0 if absent.",
            True,
        ),
    }
)
PRUNING = Record(
    {
        "method": Field(
            Maybe(OneOf(("cv", "validation", "pessimistic", "ccp_alpha"))),
            "How the size was chosen; null if the tree was not pruned.",
        ),
        "words": Field(Text(), "Which tree was taken, and why."),
        "n_leaves_before": Field(Whole(), "Leaves of the grown tree."),
        "n_leaves_after": Field(Whole(), "Leaves of the tree that was taken."),
        "risk": Field(OneOf(("error", "impurity", "mixed")), "What counts as risk."),
        "chosen": Field(Whole(-1), "The step that was taken; -1 if none."),
        "best": Field(Whole(-1), "The step with the least score; -1 if none."),
        "one_se": Field(Whole(-1), "The step of the 1-SE rule; -1 if none."),
        "rule": Field(OneOf(("price", "1se", "min")), "The rule that chose."),
        "shrinkage": Field(
            Maybe(Number()), "How strongly answers are drawn; null if they are not."
        ),
        "rises_after": Field(
            Maybe(Whole()), "Leaves of the smallest tree of least validation error."
        ),
        "held_out_error": Field(
            Number(), "Error of the tree on the validation rows.", True
        ),
        "notes": Field(ListOf(Text()), "Departures from the settings."),
        "n_folds": Field(Whole(), "Number of folds."),
    }
)
STEP = Record(
    {
        "alpha": Field(
            Number(special=_ANY),
            "Price of a leaf from which the tree is the best.",
            True,
        ),
        "n_leaves": Field(Whole(), "Its leaves.", True),
        "error": Field(Number(special=_ANY), "Its error on the training rows.", True),
        "cv_error": Field(Number(special=_ANY), "Its cross-validated error.", True),
        "cv_std": Field(Number(special=_ANY), "The standard error of that.", True),
        "log_loss": Field(Number(special=_ANY), "Its cross-validated log-loss.", True),
        "score": Field(Number(special=_ANY), "What sizes are compared by.", True),
        "score_std": Field(Number(special=_ANY), "The standard error of that.", True),
        "strength": Field(
            Number(special=_ANY), "How strongly its answers are drawn.", True
        ),
        "validation_error": Field(
            Number(special=_ANY), "Its error on the validation rows.", True
        ),
    }
)
REJECTED = Record(
    {
        "line": Field(Whole(), "Line of the file, or row where it has no lines."),
        "why": Field(Text(), "Why the row was not used."),
    }
)
INTAKE = Record(
    {
        "n_rows": Field(Whole(), "Rows of the table."),
        "n_columns": Field(Whole(), "Columns of the table."),
        "n_read": Field(Whole(), "Rows of the file that it was read from.", True),
        "rejected": Field(ListOf(REJECTED), "Rows that do not fit.", True),
        "no_target": Field(Whole(), "Rows left out for want of a target.", True),
    }
)
FINDING = Record(
    {
        "kind": Field(Text(100), "The kind of finding."),
        "column": Field(Maybe(Text()), "The column; null: the target or the table."),
        "words": Field(Text(), "The evidence."),
        "advice": Field(Text(), "What to do about it."),
    }
)
MADE_BY = Record(
    {
        "method": Field(OneOf(METHODS), "How the tree was grown.", True),
        "task": Field(OneOf(("class", "number")), "What it predicts.", True),
        "version": Field(Text(100), "The treewright that grew it.", True),
        "estimator": Field(Text(200), "The class that was fitted.", True),
        "shrinkage": Field(
            Number(), "How strongly its answers are drawn, in rows.", True
        ),
    }
)
DATA = Record(
    {
        "rows": Field(Whole(), "Rows of the training table."),
        "columns": Field(Whole(), "Columns of the training table."),
        "fingerprint": Field(
            Text(64), "A hash of its values that does not depend on the order of rows."
        ),
    }
)
_ANSWERS = OneOf(("evidence", "own"))
FILE = Record(
    {
        "format": Field(OneOf((FORMAT,)), "What this file is."),
        "version": Field(Whole(1, VERSION), "Version of the format."),
        "written_by": Field(Text(100), "The program that wrote the file."),
        "target": Field(TARGET, "What the tree predicts."),
        "named": Field(
            Flag(),
            "Whether the names of the columns are the author's. If not, new data are "
            "matched by position.",
        ),
        "features": Field(ListOf(FEATURE), "The columns, in the order of the table."),
        "answers": Field(
            _ANSWERS,
            '"evidence": nodes answer the average, or the shares of the classes, of '
            'their training rows; "own": they have answers of their own.',
        ),
        "made_by": Field(MADE_BY, "What made the tree."),
        "options": Field(
            AnyValue(),
            "The options of growing, with every default filled in; without the number "
            "of threads.",
            True,
        ),
        "parameters": Field(
            AnyValue(),
            "The parameters of the estimator as they were given; without the number "
            "of threads.",
            True,
        ),
        "data": Field(DATA, "The training table.", True),
        "pruning": Field(PRUNING, "How the size was chosen.", True),
        "pruning_steps": Field(ListOf(STEP), "The table of sizes.", True),
        "intake": Field(INTAKE, "The size of the training table.", True),
        "findings": Field(
            ListOf(FINDING), "What was suspicious about the table.", True
        ),
        "conversions": Field(
            ListOf(FINDING), "What the reader of its file did to the cells.", True
        ),
        "evaluation": Field(
            AnyValue(), "Figures on new rows that the author attached.", True
        ),
        "notes": Field(ListOf(Text()), "Notes of the author.", True),
        "extras": Field(ListOf(EXTRA), "Further arrays with a value per node.", True),
        "nodes": Field(ListOf(NODE), "The nodes, in preorder."),
        "grown_answers": Field(
            _ANSWERS, "The same as `answers`, for the tree before pruning.", True
        ),
        "grown": Field(
            ListOf(NODE), "The nodes of the tree before pruning, on request.", True
        ),
    }
)
