"""Grow a tree from rows in parts; see core/include/treewright/parts_source.hpp."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright import _core
from treewright.errors import OptionError
from treewright.growing.core_options import options_for_rows
from treewright.growing.parts.coding import ColumnCoding, RowWeights
from treewright.growing.parts.protocol import Parts, SmallNode
from treewright.growing.training_set import tree_of_arrays
from treewright.options import GrowOptions
from treewright.table.schema import Schema
from treewright.tree.data import TreeData

__all__ = ["PartsFacts", "check_options", "grow_in_parts"]

_FEW_LEVELS = 12


@dataclass(frozen=True, kw_only=True)
class PartsFacts:
    """What is known about all rows before growing.

    Attributes
    ----------
    schema : Schema
        Columns and target.
    codings : sequence of ColumnCoding
        Of the usable columns.
    n_levels : sequence of int
        Categories of each usable column that occur in rows of positive weight; 0 for
        numbers.
    weights : RowWeights
        The unit of weights.
    total_units : int
        Sum of the weights, in units.
    total : float
        The same sum, in weights.
    home_rows : int
        The rows of a node of at most so many rows are gathered, and its subtree grown
        in memory.
    most_entries : int
        Entries of a reply, about.
    least_weight : float
        Weight that a leaf must have, beside what the options demand.
    """

    schema: Schema
    codings: Sequence[ColumnCoding]
    n_levels: Sequence[int]
    weights: RowWeights
    total_units: int
    total: float
    home_rows: int
    most_entries: int = 1 << 20
    least_weight: float = 0.0

    def to_core(self, options: GrowOptions) -> dict[str, Any]:
        """Return the facts in the form that the core expects."""
        info = self.schema.target
        assert info is not None, "a tree has a target"
        guard = options.many_levels == "guard"
        columns = [
            {
                "kind": coding.kind,
                "coarse": bool(coding.coarse),
                "many_levels": guard and coding.kind == 1 and n > _FEW_LEVELS,
                "n_codes": int(coding.n_codes),
                "values": coding.values,
            }
            for coding, n in zip(self.codings, self.n_levels, strict=True)
        ]
        return {
            "task": 0 if info.kind == "class" else 1,
            "n_classes": len(info.classes),
            "n_rows": self.weights.n_rows,
            "total_weight": self.total_units,
            "weight_unit": self.weights.unit,
            "unequal_weights": not self.weights.equal,
            "columns": columns,
            "home_rows": self.home_rows,
            "most_entries": self.most_entries,
        }


def check_options(options: GrowOptions) -> None:
    """Refuse what cannot be added up over parts.

    Parameters
    ----------
    options : GrowOptions
        The options of growing.

    Raises
    ------
    OptionError
        One sentence that says what to do instead.
    """
    reasons = {
        "criterion='absolute_error' needs medians": options.criterion
        == "absolute_error",
        f"criterion={options.criterion!r} compares the columns of a node by a ratio": (
            options.criterion == "gain_ratio"
        ),
        f"method={options.method!r} charges the cuts of a node": options.method
        == "c45",
        f"missing={options.missing!r} needs the rows of a node in one place": (
            options.missing in ("surrogate", "fractional")
        ),
        f"conventions={options.conventions!r} read the table as a whole": (
            options.conventions is not None
        ),
        "competitors need the rows of a node in one place": bool(options.competitors),
    }
    for reason, holds in reasons.items():
        if holds:
            raise OptionError(
                f"{reason}, which does not add up over rows in parts. Choose another "
                "setting, or pass rows that fit into memory."
            )


def grow_in_parts(
    parts: Parts,
    facts: PartsFacts,
    options: GrowOptions,
    progress: Callable[[float], Any] | None = None,
    **for_tests: Any,
) -> TreeData:
    """Grow the tree that the same rows give in memory, to the last bit.

    Parameters
    ----------
    parts : Parts
        The rows.
    facts : PartsFacts
        What is known about all of them.
    options : GrowOptions
        The options, with every default that depends on the target filled in and the
        seed as a number.
    progress : callable, optional
        See `treewright.grow`.
    **for_tests
        Entries that replace those of `PartsFacts.to_core`.

    Returns
    -------
    TreeData
    """
    check_options(options)
    values = options_for_rows(options, facts.schema, facts.weights.n_rows, facts.total)
    values["min_weight_leaf"] = max(values["min_weight_leaf"], facts.least_weight)
    table = facts.to_core(options) | for_tests
    # A subtree is grown from the values of its rows, so it needs no values of codes.
    columns = [each | {"values": np.empty(0)} for each in table["columns"]]
    of_subtree = table | {"columns": columns}, values

    def grow(nodes: Sequence[SmallNode], request: bytes) -> Iterator[tuple[int, bytes]]:
        return parts.grow(nodes, request, of_subtree)

    grower = _core.Grower.of_parts(table, values, parts.ask, grow)
    grower.grow_all(progress)
    return tree_of_arrays(grower.take_tree(), facts.schema, options)
