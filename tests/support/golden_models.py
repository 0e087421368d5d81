"""Models that were saved once, with rows and answers, for every later version to load.

Run this file to save a new set, after a change of the format, under a new name; a set
that was published must never be written again:

    python tests/support/golden_models.py format-2
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import model_kinds as kinds

FOLDER = Path(__file__).parents[1] / "golden" / "models"
N_ROWS = 40


def asked(rows: pd.DataFrame) -> dict[str, Any]:
    """Return the first rows as JSON: the values of every column, and its type."""
    few = rows.head(N_ROWS)
    columns = {}
    for place, name in enumerate(few.columns):
        column = few.iloc[:, place]
        kind = str(column.dtype)
        if kind.startswith(("datetime", "timedelta")):
            values = column.astype(object).where(column.notna(), None)
            values = [None if x is None else str(x) for x in values]
        elif kind == "category":
            kind = "object"
            values = [None if pd.isna(x) else x for x in column]
        else:
            values = [_plain(x) for x in column.tolist()]
        columns[str(name)] = {"type": kind, "values": values}
    return columns


def frame(columns: dict[str, Any]) -> pd.DataFrame:
    """Return rows that `asked` stored."""
    found = {}
    for name, each in columns.items():
        values, kind = each["values"], each["type"]
        if kind.startswith("datetime"):
            series = pd.to_datetime(pd.Series(values, dtype=object), format="ISO8601")
            found[name] = series
        elif kind.startswith("timedelta"):
            found[name] = pd.to_timedelta(pd.Series(values, dtype=object))
        else:
            numeric = kind.startswith(("float", "int"))
            numbers = [float(x) if numeric and x is not None else x for x in values]
            found[name] = pd.Series(numbers, dtype=kind)
    return pd.DataFrame(found)


def answers(model: Any, rows: pd.DataFrame) -> dict[str, Any]:
    """Return what a tree answers for rows, as JSON."""
    found = {
        "predict": [_plain(x) for x in model.predict(rows).tolist()],
        "apply": model.apply(rows).tolist(),
    }
    if model.data.is_classifier:
        found["predict_proba"] = model.predict_proba(rows).tolist()
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    return None if value is None or value is pd.NA else value


def main() -> None:
    """Save a set of models with rows and answers."""
    folder = FOLDER / sys.argv[1]
    folder.mkdir(parents=True)  # fails if the set exists
    warnings.simplefilter("ignore")
    for name in kinds.MAKERS:
        fitted, rows = kinds.model(name)
        tree = fitted.tree_.with_note(f"A golden model: {name}.")
        tree.save(folder / f"{name}.tree.json")
        columns = asked(rows)
        known = json.dumps(columns, indent=None).replace('}, "', '},\n"')
        found = answers(tree, frame(json.loads(known)))
        text = f'{{"rows": {known},\n"answers": {json.dumps(found)}}}\n'
        (folder / f"{name}.answers.json").write_text(text, encoding="utf-8")
    print(f"{len(kinds.MAKERS)} models saved in {folder.name}")


if __name__ == "__main__":
    main()
