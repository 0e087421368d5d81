"""ONNX Runtime: run an exported graph on some rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from treewright.exporting.check_rows import Value
from treewright.exporting.program import Program
from treewright.exporting.verifying.engine import Answers, package_called

__all__ = ["run_onnx"]


def run_onnx(
    program: Program, model: bytes, rows: Sequence[tuple[Value, ...]]
) -> Answers:
    """Run a model in ONNX Runtime.

    Parameters
    ----------
    program : Program
        The program that was exported.
    model : bytes
        The serialized model.
    rows : sequence of tuple
        One value per variable.

    Returns
    -------
    Answers
    """
    onnxruntime = package_called("onnxruntime", "ONNX Runtime")
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    inputs = {}
    for v in program.variables:
        cells = [row[v.place] for row in rows]
        if v.type == "text":
            column = np.array([["" if x is None else x] for x in cells], object)
        else:
            column = np.array(
                [[math.nan if x is None else x] for x in cells], np.float64
            )
        inputs[f"x{v.place}"] = column
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(None, inputs), strict=True))
    shares = found.get("probabilities")
    return Answers(
        found["leaf"].tolist(),
        found["prediction"].tolist(),
        None if shares is None else shares.tolist(),
    )
