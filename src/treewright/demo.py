"""The main job on a real table: grow a tree, prune it, print it, score it.

Run it with ``python -m treewright.demo`` (or ``make demo``). The penguins table has
numbers, categories and missing values, none of which need preparation.
"""

import csv
from collections.abc import Iterable
from importlib import resources

import treewright as tw
from treewright.table.schema import Feature

MISSING = ("", "NA")
TARGET = "species"


def read_columns(name: str) -> dict[str, list[object]]:
    """Read a bundled CSV file into one list per column, missing cells as None."""
    source = resources.files("treewright") / "data" / name
    header, *rows = csv.reader(source.read_text(encoding="utf-8").splitlines())
    return {column: _parse([row[i] for row in rows]) for i, column in enumerate(header)}


def main() -> None:
    """Grow, prune, print and score a tree on the penguins."""
    columns = read_columns("penguins.csv")
    target = columns.pop(TARGET)
    # Every fourth row is held out: a fixed split, spread over the whole file.
    n_rows = len(target)
    held_out = list(range(0, n_rows, 4))
    training = sorted(set(range(n_rows)) - set(held_out))

    classifier = tw.TreeClassifier()
    classifier.fit(_rows(columns, training), _pick(target, training))

    print(f"penguins.csv: {n_rows} rows, target {TARGET!r}\n")
    _print_columns(columns, classifier.tree_.schema.features)
    print(f"\n{classifier.pruning_}\n")
    classifier.tree_.show()
    for name, rows in (("training", training), ("held-out", held_out)):
        score = classifier.score(_rows(columns, rows), _pick(target, rows))
        print(f"accuracy on {len(rows)} {name} rows: {score:.1%}")


def _print_columns(
    columns: dict[str, list[object]], features: Iterable[Feature]
) -> None:
    print(f"{'column':<19}{'kind':<13}{'missing':>7}  why")
    for feature in features:
        n_missing = sum(value is None for value in columns[feature.name])
        print(f"{feature.name:<19}{feature.kind:<13}{n_missing:>7}  {feature.reason}")


def _parse(cells: list[str]) -> list[object]:
    """Read a column as whole numbers, or as numbers, or leave it as text."""
    for convert in (int, float):
        try:
            return [None if cell in MISSING else convert(cell) for cell in cells]
        except ValueError:
            continue
    return [None if cell in MISSING else cell for cell in cells]


def _pick(values: list[object], rows: list[int]) -> list[object]:
    return [values[row] for row in rows]


def _rows(columns: dict[str, list[object]], rows: list[int]) -> dict[str, list[object]]:
    return {name: _pick(values, rows) for name, values in columns.items()}


if __name__ == "__main__":
    main()
