"""The options of reading the training table."""

from dataclasses import dataclass

from treewright.options.rules import Rule, check_all, one_of

__all__ = ["IntakeOptions"]

_RULES = {
    "findings": Rule(
        (one_of("warn", "error", "ignore"),), "'warn', 'error' or 'ignore'"
    )
}


@dataclass(frozen=True, kw_only=True)
class IntakeOptions:
    """What to do about a suspicious table. The names are parameters of the estimators.

    Parameters
    ----------
    findings : {'warn', 'error', 'ignore'}, default='warn'
        Warn of what is suspicious about the training table, refuse the table, or say
        nothing.

    Raises
    ------
    OptionError
        When the value is unknown.
    """

    findings: str = "warn"

    def __post_init__(self) -> None:
        """Check the option."""
        check_all(self, _RULES)
