"""Rules: a tree as a list of "IF ... AND ... THEN ...", one per node where rows end.

Rules are disjoint and cover everything: every row, whatever values it lacks, meets
exactly one rule (in a tree that divides rows, its shares sum to 1). Rules are built
on access, so reading a hundred rules of a huge tree builds only these hundred.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, did_you_mean, pandas_for_frames
from treewright.reading.answers.answer import middle_of, number_words
from treewright.reading.conditions.condition import (
    Condition,
    columns_of,
    joined,
    shares_of,
)
from treewright.reading.conditions.evidence import (
    Evidence,
    class_of,
    column_of,
    evidence,
)
from treewright.reading.conditions.path_conditions import (
    answer_nodes,
    conditions_of,
    walked,
)
from treewright.reading.conditions.rules_table import rules_html, rules_table
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import LEAF, TreeData
from treewright.tree.new_rows import read_columns
from treewright.tree.route import divides_rows

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Rule", "Rules"]

_MOST, _LONGEST = 12, 60
_NUMBERS = (
    "node",
    "rows",
    "weight",
    "share",
    "probability",
    "confidence",
    "lift",
    "mean",
    "std",
    "length",
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One node where rows end: the conditions that lead there, and its answer.

    Attributes
    ----------
    node : int
        The node: a leaf, or an inner node for the rows that stop there.
    conditions : tuple of Condition
        One per column, in the order in which the path tests the columns.
    prediction : object
        The class, or the number.
    rows : int
        Training rows that end here.
    weight, share : float
        Weight of these rows, and its share of the total weight.
    probability : float or None
        Classes: the probability of the predicted class, as `predict_proba` gives it.
    confidence : float or None
        Classes: the share of the predicted class in the node.
    interval : tuple of float
        95% interval of the confidence (Wilson), or of the mean (normal), on the
        effective number of rows: (sum of weights)² / sum of squared weights. It
        ignores that the node was chosen by a search on the same rows. A tree that
        answers medians (``criterion="absolute_error"``) has none: both ends are NaN.
    lift : float or None
        Classes: confidence divided by the share of that class in all rows.
    mean : float or None
        Numbers: mean (or median) of the target in the node, from which the
        prediction may be drawn towards the node above.
    std : float or None
        Numbers: standard deviation of the target in the node.
    """

    node: int
    conditions: tuple[Condition, ...]
    prediction: Any
    rows: int
    weight: float
    share: float
    probability: float | None
    confidence: float | None
    interval: tuple[float, float]
    lift: float | None
    mean: float | None
    std: float | None
    _tree: TreeData

    def applies(self, X: Any, *, unseen: str | None = None) -> NDArray[Any]:
        """Return, for each row, whether it meets all conditions.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            As for `Tree.apply`; only the columns of this rule are needed.
        unseen : {'missing', 'error'} or None, default=None
            What to do with a category that was not in the training rows; None: what
            was chosen when the tree was grown.

        Returns
        -------
        bool array
            In a tree that divides rows with missing values: the share of the row
            that ends here, as numbers from 0 to 1.
        """
        tree = self._tree
        columns = read_columns(tree, X, unseen, columns_of(self.conditions))
        shares = shares_of(self.conditions, columns, columns.n_rows)
        return shares if divides_rows(tree) else shares > 0

    def text(
        self,
        *,
        missing: bool | None = None,
        most: int | None = _MOST,
        longest: int | None = _LONGEST,
    ) -> str:
        """Return "IF ... AND ... THEN ..." on one line.

        Parameters
        ----------
        missing : bool or None, default=None
            Whether to write "or missing" where it applies. None: only for columns
            that had missing values when the tree was grown.
        most, longest : int or None
            Maximum number of categories listed, and of characters of each; None: no
            limit.

        Returns
        -------
        str
        """
        conditions = [
            each.words(missing=missing, most=most, longest=longest)
            for each in self.conditions
        ]
        answer = _answer_text(self._tree, self.prediction, longest)
        return f"IF {joined(conditions, 'AND')} THEN {answer}"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as dicts, lists, strings and numbers, ready for JSON."""
        made = {
            "node": self.node,
            "conditions": [each.to_dict() for each in self.conditions],
            "prediction": _plain(self.prediction),
            "rows": self.rows,
            "weight": self.weight,
            "share": self.share,
            "interval": [_plain(end) for end in self.interval],
        }
        if self._tree.is_classifier:
            sure = {"probability": self.probability, "confidence": self.confidence}
            return made | sure | {"lift": _plain(self.lift)}
        return made | {"mean": _plain(self.mean), "std": _plain(self.std)}

    def __str__(self) -> str:
        """The text, followed by rows, share and interval in brackets."""
        share = wording.percent(self.share)
        rows = f"{self.rows:,} row{'s' * (self.rows != 1)}, {share}"
        low, high = self.interval
        if self.confidence is not None:
            sure = wording.percent(self.confidence)
            between = f"{wording.percent(low)} to {wording.percent(high)}"
            likely = ""
            if len(self._tree.answer) and self.probability is not None:
                likely = f"probability {wording.percent(self.probability)}, "
            return f"{self.text()}  ({rows}; {likely}confidence {sure}, {between})"
        if middle_of(self._tree) == "median":
            return f"{self.text()}  ({rows}; median)"
        mean = ""
        if self.mean is not None and self.mean != self.prediction:
            mean = f"{wording.figures(self.mean)}, "
        if math.isnan(low):
            return f"{self.text()}  ({rows}{mean and f'; mean {mean[:-2]}'})"
        between = f"{wording.figures(low)} to {wording.figures(high)}"
        return f"{self.text()}  ({rows}; mean {mean}{between})"

    def __repr__(self) -> str:
        """The same as the text."""
        return str(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


class Rules(Sequence[Rule]):
    """The rules of a tree, left to right, built on access.

    Index, slice and loop over them; `where` and `sorted_by` choose and order them
    without building them. ``print(rules)`` writes one rule per line.

    Parameters
    ----------
    tree : TreeData
        The tree.
    nodes : int array, optional
        The nodes of the rules. None: all nodes where a row can end.
    """

    def __init__(
        self, tree: TreeData, nodes: NDArray[np.integer[Any]] | None = None
    ) -> None:
        self._tree = tree
        self._nodes = answer_nodes(tree) if nodes is None else nodes
        self._kept: Evidence | None = None

    @property
    def _known(self) -> Evidence:
        if self._kept is None:
            self._kept = evidence(self._tree, self._nodes)
        return self._kept

    # -- as a sequence ------------------------------------------------------------

    @property
    def nodes(self) -> NDArray[np.integer[Any]]:
        """The node of each rule."""
        return self._nodes

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self._nodes)

    @overload
    def __getitem__(self, index: int) -> Rule: ...

    @overload
    def __getitem__(self, index: slice) -> Rules: ...

    def __getitem__(self, index: int | slice) -> Rule | Rules:
        """Return one rule, or for a slice another `Rules`."""
        if isinstance(index, slice):
            return Rules(self._tree, self._nodes[index])
        index = self._checked(index)
        node = int(self._nodes[index])
        stops = bool(self._tree.split_kind[node] != LEAF)
        conditions = conditions_of(self._tree, node, stops=stops)
        return self._rule(int(index), conditions)

    def _checked(self, index: Any) -> int:
        try:
            place = operator.index(index)
        except TypeError:
            raise OptionError(
                f"Rules are numbered from 0, and sliced as rules[:5]; got {index!r}. "
                "rules.where(...) selects rules by their content."
            ) from None
        if not -len(self) <= place < len(self):
            last = f", 0 to {len(self) - 1}" if len(self) else ""
            raise IndexError(
                f"There is no rule {place}; there are {len(self)}{last}. Rules are "
                "numbered by their place in this list, not by node."
            )
        return place % len(self)

    def __iter__(self) -> Iterator[Rule]:
        """Build the rules one after the other."""
        few = len(self) * 20 < self._tree.n_nodes
        if few or (np.diff(self._nodes) < 0).any():
            for place in range(len(self)):
                yield self[place]
            return
        for place, (_, conditions) in enumerate(walked(self._tree, self._nodes)):
            yield self._rule(place, conditions)

    def _rule(self, place: int, conditions: dict[int, Condition]) -> Rule:
        tree, known = self._tree, self._known
        stated = tuple(each for each in conditions.values() if not each.is_vacuous)
        is_class = tree.is_classifier
        return Rule(
            node=int(self._nodes[place]),
            conditions=stated,
            prediction=_plain_scalar(known.prediction[place]),
            rows=int(known.rows[place]),
            weight=float(known.weight[place]),
            share=float(known.share[place]),
            probability=float(known.probability[place]) if is_class else None,
            confidence=float(known.confidence[place]) if is_class else None,
            interval=(float(known.low[place]), float(known.high[place])),
            lift=float(known.lift[place]) if is_class else None,
            mean=None if is_class else float(known.mean[place]),
            std=None if is_class else float(known.std[place]),
            _tree=tree,
        )

    # -- choosing and ordering ----------------------------------------------------

    def where(
        self,
        test: Callable[[Rule], bool] | None = None,
        *,
        prediction: Any = None,
        min_rows: int = 0,
        min_share: float = 0.0,
        min_confidence: float = 0.0,
        column: str | None = None,
    ) -> Rules:
        """Return the rules that pass all tests.

        Parameters
        ----------
        test : callable, optional
            Takes a rule and returns whether to keep it.
        prediction : object, optional
            The class, or the number, that the rule must answer.
        min_rows, min_share, min_confidence : number
            Minimum values. Rules of numbers have no confidence.
        column : str, optional
            A column that the rule must have a condition on.

        Returns
        -------
        Rules
            In the same order.
        """
        if test is not None and not callable(test):
            hint = f" Did you mean column={test!r}?" * isinstance(test, str)
            raise OptionError(
                "test must be a function that takes a rule and returns whether to keep "
                f"it; got {test!r}.{hint}"
            )
        _check_least("min_rows", min_rows, math.inf)
        _check_least("min_share", min_share, 1)
        _check_least("min_confidence", min_confidence, 1)
        tree, nodes, known = self._tree, self._nodes, self._known
        kept = (known.rows >= min_rows) & (known.share >= min_share)
        if min_confidence > 0:
            kept &= known.confidence >= min_confidence
        if prediction is not None:
            kept &= _answers_are(tree, nodes, prediction)
        found = Rules(tree, nodes[kept])
        if column is None and test is None:
            return found
        number = None if column is None else column_of(tree, column)
        passed = [
            (number is None or any(c.column == number for c in rule.conditions))
            and (test is None or bool(test(rule)))
            for rule in found
        ]
        return Rules(tree, found._nodes[np.array(passed, dtype=bool)])

    def sorted_by(self, key: str = "rows", *, descending: bool = True) -> Rules:
        """Return the rules in another order.

        Parameters
        ----------
        key : str, default='rows'
            'rows', 'weight', 'share', 'probability', 'confidence', 'lift', 'mean',
            'std', 'length' (number of splits on the path), 'prediction' or 'node'.
        descending : bool, default=True
            Whether the largest come first. Ties keep the order of the tree.

        Returns
        -------
        Rules
        """
        allowed = (*_NUMBERS, "prediction")
        if key not in allowed:
            hint = did_you_mean(key, allowed)
            raise OptionError(
                f"Rules are sorted by {', '.join(allowed)}; got {key!r}.{hint}"
            )
        found = Rules(self._tree, np.sort(self._nodes))
        values = found._values(key)
        order = np.argsort(-values if descending else values, kind="stable")
        return Rules(self._tree, found._nodes[order])

    def _values(self, key: str) -> NDArray[Any]:
        tree, nodes = self._tree, self._nodes
        if key == "prediction":
            if tree.is_classifier:
                return tree.label[nodes]
            return np.asarray(node_answers(tree)[nodes, 0])
        if key in ("node", "length"):
            return nodes if key == "node" else np.asarray(tree.depth[nodes])
        values: NDArray[Any] = getattr(self._known, key)
        return values

    # -- out ----------------------------------------------------------------------

    def text(
        self,
        *,
        missing: bool | None = None,
        most: int | None = _MOST,
        longest: int | None = _LONGEST,
    ) -> str:
        """Return the rules, one per line; see `Rule.text`."""
        return "\n".join(
            each.text(missing=missing, most=most, longest=longest) for each in self
        )

    def reasons(self) -> NDArray[Any]:
        """Return the conditions of each rule as text, without the answer."""
        texts = np.empty(len(self), dtype=object)
        order = np.argsort(self._nodes, kind="stable")
        found = _condition_texts(self._tree, self._nodes[order])
        for place, text in zip(order, found, strict=True):
            texts[place] = text
        return texts

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with one row per rule.

        Returns
        -------
        pandas.DataFrame
            Indexed by node: the text of the conditions, the prediction, and the
            figures of `Rule`.
        """
        pandas = pandas_for_frames()
        tree, nodes, known = self._tree, self._nodes, self._known
        columns: dict[str, Any] = {
            "conditions": self.reasons(),
            "prediction": known.prediction,
            "rows": known.rows,
            "weight": known.weight,
            "share": known.share,
        }
        names = ("probability", "confidence", "low", "high", "lift")
        for name in names if tree.is_classifier else ("mean", "std", "low", "high"):
            columns[name] = getattr(known, name)
        columns["length"] = tree.depth[nodes]
        index = pandas.Index(nodes, name="node")
        return pandas.DataFrame(columns, index=index)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rules as a list of dicts, ready for JSON."""
        return [each.to_dict() for each in self]

    def to_json(self, indent: int | None = None) -> str:
        """Return the rules as JSON text: a list with one object per rule."""
        return json.dumps(self.to_dict(), indent=indent)

    def __str__(self) -> str:
        """A table with one rule per entry; the first hundred."""
        return rules_table(self, 100)

    def __repr__(self) -> str:
        """A table of the first five rules."""
        return rules_table(self, 5)

    def _repr_html_(self) -> str:
        """Show the rules as a table in a notebook."""
        return rules_html(self)


def _condition_texts(tree: TreeData, nodes: NDArray[np.integer[Any]]) -> Iterator[str]:
    """Yield the conditions of ascending nodes as text; shared ones are written once."""
    known: dict[int, tuple[Condition, str]] = {}
    for _, conditions in walked(tree, nodes):
        parts = []
        for column, condition in conditions.items():
            held = known.get(column)
            if held is None or held[0] is not condition:
                words = (
                    ""
                    if condition.is_vacuous
                    else condition.words(most=_MOST, longest=_LONGEST)
                )
                held = known[column] = condition, words
            if held[1]:
                parts.append(held[1])
        yield joined(parts, "AND")


# Small helpers ----------------------------------------------------------------------


def _check_least(name: str, value: Any, most: float) -> None:
    """Raise unless the value is a number from 0 to `most`."""
    is_number = isinstance(value, int | float | np.number)
    if not (is_number and 0 <= value <= most):
        limit = "a number from 0 up" if most > 1 else "a share from 0 to 1"
        hint = ""
        if is_number and 1 < value <= 100:
            hint = f" For {value}% pass {float(value) / 100:g}."
        raise OptionError(f"{name} must be {limit}; got {value!r}.{hint}")


def _answers_are(
    tree: TreeData, nodes: NDArray[np.integer[Any]], prediction: Any
) -> NDArray[np.bool_]:
    if tree.is_classifier:
        return np.asarray(tree.label[nodes] == class_of(tree, prediction))
    return np.asarray(node_answers(tree)[nodes, 0] == prediction)


def _answer_text(tree: TreeData, prediction: Any, longest: int | None) -> str:
    target = tree.schema.target
    name = wording.cut(wording.name("y" if target is None else target.name), longest)
    if tree.is_classifier:
        return f"{name} = {wording.value(prediction, longest)}"
    return f"{name} = {number_words(tree, float(prediction))}"


def _plain_scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _plain(value: Any) -> Any:
    value = _plain_scalar(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
