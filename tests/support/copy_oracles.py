"""Copy the stored answers of other programs into tests/oracles.

    python tests/support/copy_oracles.py FOLDER

FOLDER holds one JSON file per oracle. Copied are those whose data this project may
ship or scikit-learn ships, without the parts that no test reads.
"""

import json
import sys
from pathlib import Path

from oracle_files import INSIDE, INSIDE_NAMES

UNREAD = {
    "feature_importances",
    "printed",
    "same_tree_for_random_state_0_to_9",
    "text",
    "train_pred",
    "training_errors",
    "variable_importance",
    "worst_relative_shortfall_of_chosen_split",
}


def without_unread(answer):
    """Return the answer without what no test reads."""
    fits = answer.get("fits")
    if fits is None:
        return answer
    kept = [{k: v for k, v in fit.items() if k not in UNREAD} for fit in fits]
    return {**answer, "file": Path(answer["file"]).name, "fits": kept}


def main(folder):
    """Write one line of JSON per oracle."""
    for name in INSIDE_NAMES:
        answer = json.loads((Path(folder) / f"{name}.json").read_text())
        text = json.dumps(without_unread(answer), separators=(",", ":"))
        (INSIDE / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
