"""A tree as an ONNX graph with one TreeEnsemble operator in double precision.

The operator compares numbers only and gives a float32, so the graph does the rest:

- A question about categories, intervals or surrogates becomes a column of its own,
  computed in front of the operator: the branch that it gives, or NaN.
- The operator answers the place of the leaf. Labels, probabilities and numbers are
  looked up behind it, in full precision.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.exporting.embedded_rows import embedded_lines
from treewright.exporting.heading import describe, heading
from treewright.exporting.program import (
    STOP_HERE,
    AtMost,
    Intervals,
    IsMissing,
    OneOf,
    Program,
    ProgramNode,
    Question,
    Variable,
    program_of,
)
from treewright.tree.data import TreeData

__all__ = ["to_onnx"]

_OPSET, _ML_OPSET, _IR = 18, 3, 9
_HOW = (
    "The inputs x0, x1, ... are these columns in this order, each of shape (rows, 1). "
    "NaN and the text '' are missing; an unknown category counts as missing."
)


def to_onnx(tree: TreeData, *, check_rows: bool | int = False) -> bytes:
    """Return a tree as an ONNX model.

    Its inputs are the columns that the tree reads, each of shape (rows, 1): doubles
    with NaN for missing, or texts, of which '' is missing unless it is a category.
    Its outputs are `prediction`, `leaf` and, for classes, `probabilities`.

    Parameters
    ----------
    tree : TreeData
        A tree that does not divide rows.
    check_rows : bool or int, default=False
        Whether to add rows with expected answers to the metadata of the model, or how
        many at most.

    Returns
    -------
    bytes
        A serialized model, which the checker of ONNX accepts.
    """
    onnx = _onnx()
    program = program_of(tree)
    program.refuse_divided_rows("ONNX")
    program.refuse_invalid_text("ONNX")
    program.refuse_empty_category("ONNX", "a missing text")
    graph = _Graph(onnx, program)
    model = onnx.helper.make_model(
        graph.finished(),
        opset_imports=[
            onnx.helper.make_opsetid("", _OPSET),
            onnx.helper.make_opsetid("ai.onnx.ml", _ML_OPSET),
        ],
        ir_version=_IR,
        producer_name="treewright",
        doc_string="\n".join([*heading(program, format="onnx"), _HOW]),
    )
    columns = {_input(v): v.name for v in program.variables}
    facts = {"treewright": program.mark(format="onnx"), "columns": json.dumps(columns)}
    lines = embedded_lines(program, check_rows)
    more = {"check_rows": "\n".join(lines)} if lines else {}
    onnx.helper.set_model_props(model, facts | more)
    onnx.checker.check_model(model)
    serialized: bytes = model.SerializeToString(deterministic=True)
    return serialized


def _onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise OptionError(
            "The format 'onnx' needs the package onnx: pip install 'treewright[onnx]'."
        ) from None
    return onnx


def _input(variable: Variable) -> str:
    """Return the name of an input, which ONNX restricts to C identifiers."""
    return f"x{variable.place}"


class _Graph:
    """Builds the graph of one program."""

    def __init__(self, onnx: Any, program: Program) -> None:
        self._onnx = onnx
        self._program = program
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._n_names = 0
        # The columns of the operator; plain numbers are used as they come.
        self._columns: list[str] = []
        self._column_of: dict[Any, int] = {}

    # -- small tools ----------------------------------------------------------------

    def _named(self) -> str:
        self._n_names += 1
        return f"t{self._n_names}"

    def _apply(self, operator: str, *inputs: str, **attributes: Any) -> str:
        out = self._named()
        domain = attributes.pop("domain", "")
        node = self._onnx.helper.make_node(
            operator, list(inputs), [out], domain=domain, **attributes
        )
        self._nodes.append(node)
        return out

    def _constant(self, values: Any, dtype: Any = np.float64) -> str:
        name = self._named()
        array = np.array(values, dtype)
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    # -- columns in front of the operator -------------------------------------------

    def _column(self, node: ProgramNode) -> int:
        """Return the column that a node tests."""
        question = node.questions[0]
        variable = question.variable
        # "Is missing" places every row, so that no surrogate is asked after it.
        single = len(node.questions) == 1 or isinstance(question, IsMissing)
        plain = variable.is_number and isinstance(question, AtMost | IsMissing)
        if single and plain:
            return self._add(variable.place, lambda: _input(variable))
        if isinstance(question, IsMissing):
            return self._add(("known", variable.place), lambda: self._code(variable))
        return self._add(node.questions, lambda: self._branch(node.questions))

    def _add(self, key: Any, make: Any) -> int:
        if key not in self._column_of:
            self._column_of[key] = len(self._columns)
            self._columns.append(make())
        return self._column_of[key]

    def _code(self, variable: Variable) -> str:
        labels = {label: 0.0 for label in variable.labels}
        return self._looked_up(variable, labels)

    def _looked_up(self, variable: Variable, values: dict[Any, float]) -> str:
        """Return the value of each category; NaN for all others."""
        if variable.type == "text":
            keys = {"keys_strings": [label.encode() for label in values]}
            found = self._apply(
                "LabelEncoder",
                _input(variable),
                domain="ai.onnx.ml",
                values_floats=list(values.values()),
                default_float=math.nan,
                **keys,
            )
            return self._cast(found, np.float64)
        out = self._constant([[math.nan]])
        for label, value in values.items():
            same = self._apply(
                "Equal", _input(variable), self._constant([[float(label)]])
            )
            out = self._apply("Where", same, self._constant([[value]]), out)
        return out

    def _cast(self, name: str, dtype: Any) -> str:
        to = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self._apply("Cast", name, to=to)

    def _branch(self, questions: Sequence[Question]) -> str:
        """Return the branch by the first question that gives one, else NaN."""
        *earlier, last = [self._placed(question) for question in questions]
        out = last
        for placed in reversed(earlier):
            out = self._apply("Where", self._apply("IsNaN", placed), out, placed)
        return out

    def _placed(self, question: Question) -> str:
        """Return the branch that one question gives, or NaN."""
        variable = question.variable
        if isinstance(question, OneOf):
            groups = enumerate(question.groups)
            branches = {label: float(b) for b, group in groups for label in group}
            return self._looked_up(variable, branches)
        assert not isinstance(question, IsMissing)
        bounds, branches_ = _steps(question)
        x = _input(variable)
        out = self._number_or_nan(branches_[-1])
        for bound, branch in zip(
            reversed(bounds), reversed(branches_[:-1]), strict=True
        ):
            below = self._apply("LessOrEqual", x, self._constant([[bound]]))
            out = self._apply("Where", below, self._number_or_nan(branch), out)
        return self._apply(
            "Where", self._apply("IsNaN", x), self._number_or_nan(-1), out
        )

    def _number_or_nan(self, branch: int) -> str:
        return self._constant([[math.nan if branch < 0 else float(branch)]])

    # -- the operator ---------------------------------------------------------------

    def finished(self) -> Any:
        """Return the graph."""
        program = self._program
        place = self._place_of_leaf()
        outputs = [self._output("leaf", program.ends, np.int64, place)]
        if program.is_classifier:
            answers = [program.answers[node] for node in program.ends]
            kind = object if isinstance(answers[0], str) else np.array(answers).dtype
            outputs.append(self._output("prediction", answers, kind, place))
            shares = program.probabilities[program.ends]
            outputs.append(self._output("probabilities", shares, np.float64, place))
        else:
            numbers = [program.answers[node] for node in program.ends]
            outputs.append(self._output("prediction", numbers, np.float64, place))
        helper = self._onnx.helper
        inputs = [
            helper.make_tensor_value_info(
                _input(v),
                self._onnx.TensorProto.STRING
                if v.type == "text"
                else self._onnx.TensorProto.DOUBLE,
                ["rows", 1],
                describe(v),
            )
            for v in program.variables
        ]
        return helper.make_graph(
            self._nodes, "treewright", inputs, outputs, self._constants
        )

    def _output(self, name: str, values: Any, dtype: Any, place: str) -> Any:
        """Look values up by the place of the leaf; return the description."""
        array = np.array(values, dtype)
        table = self._named()
        self._constants.append(self._onnx.numpy_helper.from_array(array, table))
        self._nodes.append(
            self._onnx.helper.make_node("Gather", [table, place], [name], axis=0)
        )
        kind = self._onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        shape = ["rows", *array.shape[1:]]
        return self._onnx.helper.make_tensor_value_info(name, kind, shape)

    def _place_of_leaf(self) -> str:
        rows = _Rows()
        self._fill(rows)
        if not self._columns:
            raise OptionError(
                "ONNX needs at least one input, and this tree is a single leaf that "
                "reads no column."
            )
        columns = [
            self._apply("Identity", name) if name.startswith("x") else name
            for name in self._columns
        ]
        matrix = self._apply("Concat", *columns, axis=1)
        tensor = self._onnx.helper.make_tensor
        values = tensor(
            "values", self._onnx.TensorProto.DOUBLE, [len(rows.values)], rows.values
        )
        weights = tensor(
            "weights", self._onnx.TensorProto.DOUBLE, [len(rows.weights)], rows.weights
        )
        n = len(rows.modes)
        score = self._apply(
            "TreeEnsembleRegressor",
            matrix,
            domain="ai.onnx.ml",
            n_targets=1,
            nodes_treeids=[0] * n,
            nodes_nodeids=list(range(n)),
            nodes_modes=rows.modes,
            nodes_featureids=rows.features,
            nodes_values_as_tensor=values,
            nodes_truenodeids=rows.yes,
            nodes_falsenodeids=rows.no,
            nodes_missing_value_tracks_true=rows.missing_true,
            target_treeids=[0] * len(rows.weights),
            target_nodeids=rows.leaves,
            target_ids=[0] * len(rows.weights),
            target_weights_as_tensor=weights,
        )
        flat = self._apply("Reshape", score, self._constant([-1], np.int64))
        return self._cast(flat, np.int64)

    def _fill(self, rows: _Rows) -> None:
        """Fill the table of the operator, depth first and without recursion."""
        place = {number: i for i, number in enumerate(self._program.ends)}
        waiting = [(self._program.nodes[0], rows.new())]
        while waiting:
            node, row = waiting.pop()
            if node.is_leaf:
                rows.leaf(row, place[node.number])
                continue
            column = self._column(node)
            if node.otherwise == STOP_HERE:
                known, stopped = rows.new(), rows.new()
                rows.test(row, column, math.inf, known, stopped, missing=False)
                rows.leaf(stopped, place[node.number])
                row = known
            waiting += self._tests(rows, row, node, column)

    def _tests(
        self, rows: _Rows, row: int, node: ProgramNode, column: int
    ) -> list[tuple[ProgramNode, int]]:
        """Add the tests of a node, one for each branch but the last."""
        children = [(self._program.nodes[child], rows.new()) for child in node.children]
        question = node.questions[0]
        if isinstance(question, IsMissing):
            missing, known = children[0][1], children[1][1]
            rows.test(row, column, math.inf, known, missing, missing=False)
            return children
        if len(node.questions) == 1 and isinstance(question, AtMost):
            below, above = children[question.below][1], children[question.above][1]
            goes_below = node.otherwise == question.below
            rows.test(row, column, question.bound, below, above, missing=goes_below)
            return children
        for branch, (_, child) in enumerate(children[:-1]):
            last = branch == len(children) - 2
            other = children[-1][1] if last else rows.new()
            here = node.otherwise == branch
            rows.test(row, column, branch + 0.5, child, other, missing=here)
            row = other
        return children


def _steps(question: AtMost | Intervals) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the bounds of a question and the branch of each interval."""
    if isinstance(question, AtMost):
        return (question.bound,), (question.below, question.above)
    return question.bounds, question.branches


class _Rows:
    """The table of the operator: one entry per test or leaf."""

    def __init__(self) -> None:
        self.modes: list[str] = []
        self.features: list[int] = []
        self.values: list[float] = []
        self.yes: list[int] = []
        self.no: list[int] = []
        self.missing_true: list[int] = []
        self.leaves: list[int] = []
        self.weights: list[float] = []

    def new(self) -> int:
        """Add an entry that is filled later."""
        self.modes.append("LEAF")
        self.features.append(0)
        self.values.append(0.0)
        self.yes.append(0)
        self.no.append(0)
        self.missing_true.append(0)
        return len(self.modes) - 1

    def test(
        self, row: int, column: int, bound: float, yes: int, no: int, *, missing: bool
    ) -> None:
        """Make an entry the test ``x <= bound``; `missing`: NaN counts as true."""
        self.modes[row], self.features[row] = "BRANCH_LEQ", column
        self.values[row], self.yes[row], self.no[row] = bound, yes, no
        self.missing_true[row] = int(missing)

    def leaf(self, row: int, place: int) -> None:
        """Make an entry a leaf that gives its place."""
        self.leaves.append(row)
        self.weights.append(float(place))
