"""Rows as Dask and Spark hold them, in Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from treewright.files.in_parts import Batches

__all__ = ["batches_of_frame", "row_of_bytes", "table_of_bytes"]


def batches_of_frame(frame: Any) -> Batches:
    """Return a pandas DataFrame as record batches, without its index."""
    import pyarrow as pa

    batches: Batches = pa.Table.from_pandas(frame, preserve_index=False).to_batches()
    return batches


def row_of_bytes(part: str, **values: bytes) -> pa.RecordBatch:
    """Return one row: the name of a part, and binary columns."""
    import pyarrow as pa

    schema = [("part", pa.string()), *((name, pa.binary()) for name in values)]
    return pa.RecordBatch.from_pydict(
        {"part": [part]} | {name: [value] for name, value in values.items()},
        pa.schema(schema),
    )


def table_of_bytes(part: str, **values: bytes) -> pa.Table:
    """Return a table of one row; see `row_of_bytes`."""
    import pyarrow as pa

    return pa.Table.from_batches([row_of_bytes(part, **values)])
