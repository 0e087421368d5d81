"""Exact decision trees: fast to grow, easy to read, the same on every machine.

Every public name is loaded when it is first used, so that importing treewright
costs next to nothing. Type checkers find the names in ``__init__.pyi``.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "ClusterError": "errors",
    "ColumnError": "errors",
    "ColumnKindWarning": "errors",
    "ColumnSetAsideWarning": "errors",
    "GrowOptions": "options",
    "IntakeWarning": "errors",
    "OptionError": "errors",
    "ResourceLimitError": "errors",
    "TableError": "errors",
    "Tree": "model",
    "TreeClassifier": "estimators.classifier",
    "TreeFormatError": "errors",
    "TreeRegressor": "estimators.regressor",
    "TreewrightError": "errors",
    "UnseenCategoryWarning": "errors",
    "__version__": "_version",
    "as_table": "table.as_table",
    "check": "api",
    "evaluate": "api",
    "explain": "api",
    "from_rpart": "api",
    "from_sklearn": "api",
    "gain": "growing.impurity",
    "gain_ratio": "growing.impurity",
    "grow": "api",
    "hold_out": "pruning.hold_out",
    "impurity": "growing.impurity",
    "inspect": "table.inspect",
    "load": "model",
    "plot_confusion": "plots",
    "plot_importance": "plots",
    "plot_pruning": "plots",
    "plot_regions": "plots",
    "plot_reliability": "plots",
    "plot_split": "plots",
    "plot_tree": "plots",
    "pruning_path": "api",
    "read": "files.read",
    "report": "reporting",
    "rows_in_parts": "files.in_parts",
    "simplify": "api",
    "split_information": "growing.impurity",
    "why": "api",
}
"""The module that defines each public name."""

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    value = getattr(import_module(f"treewright.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted({*globals(), *__all__})
