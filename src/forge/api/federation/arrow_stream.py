"""The answer of a query as an Arrow stream: exact types, and what is told of it in the metadata of its schema."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from starlette.responses import Response, StreamingResponse

from forge.api.accept import VARY

if TYPE_CHECKING:
    import pyarrow as pa

    from forge.api.federation.wire.query import QueryResultView
    from forge.flows.federation.query import QueryAnswer

ARROW = "application/vnd.apache.arrow.stream"
METADATA = b"forge"
_BATCH = 8192  # rows


def arrow_response(answer: QueryAnswer, told: QueryResultView, limit: int) -> Response:
    """`told`: the same answer, without its rows."""
    columns = [one.name for one in told.columns]
    table = _table(answer).slice(0, limit).rename_columns(columns)
    about = told.model_dump_json(exclude={"rows", "items"}).encode()
    schema = table.schema.with_metadata({METADATA: about})
    return StreamingResponse(_chunks(table.replace_schema_metadata(schema.metadata)), media_type=ARROW, headers=VARY)


def _table(answer: QueryAnswer) -> pa.Table:
    if answer.table is not None:
        return answer.table
    from forge.connection.runs.arrow_rows import table_of_rows

    return table_of_rows(answer.schema, answer.rows)


def _chunks(table: pa.Table) -> Iterator[bytes]:
    """One for each batch, so that a second copy of all rows is never there."""
    import pyarrow as pa

    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=_BATCH):
            writer.write_batch(batch)
            yield _taken(sink)
    yield _taken(sink)


def _taken(sink: io.BytesIO) -> bytes:
    found = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return found
