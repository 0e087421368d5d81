"""Thresholds at the beginning of a day, in columns of whole days of a time zone.

The core knows steps of equal length only, and a day on which the clocks change is an
hour shorter or longer. Growing therefore cuts such columns in the middle between two
days, and this moves the cut down to the beginning of a day. No whole day lies between
the two, so every row of the table goes where it went.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import numpy as np

from treewright.table.grain import day_below, has_local_days
from treewright.table.schema import Schema

__all__ = ["at_local_days"]


def at_local_days(arrays: MutableMapping[str, Any], schema: Schema) -> None:
    """Move thresholds on columns of local days to the beginning of a day, in place.

    Parameters
    ----------
    arrays : dict of str to ndarray
        Arrays of a tree by name; those of surrogates are optional.
    schema : Schema
        Its columns.
    """
    local = {i: f for i, f in enumerate(schema.features) if has_local_days(f)}
    for column, feature in local.items():
        for kind in ("", "surrogate_"):
            if kind + "threshold" not in arrays:
                continue
            thresholds = np.array(arrays[kind + "threshold"])
            of_column = np.asarray(arrays[kind + "feature"]) == column
            for at in np.flatnonzero(of_column & np.isfinite(thresholds)).tolist():
                thresholds[at] = day_below(float(thresholds[at]), feature.timezone)
            arrays[kind + "threshold"] = thresholds
