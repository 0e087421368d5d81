"""scikit-learn's callbacks, which version 1.9 introduced."""

from __future__ import annotations

from typing import Any

__all__ = ["CallbackSupportMixin", "with_callbacks"]

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ModuleNotFoundError:  # before 1.9: nobody can set a callback

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Adds nothing."""

    def with_callbacks(method: Any) -> Any:
        """Return the method as it is."""
        return method
