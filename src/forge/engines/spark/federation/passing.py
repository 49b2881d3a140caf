"""Rows that nobody computes anything of: they come as their source gives them, in its order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from forge.engines.spark.spill import read_type
from forge.flows.federation.ports import FragmentReader, QueryResult
from forge.model.schema import Column, Schema

if TYPE_CHECKING:
    import pyarrow as pa

    from forge.federation.plan import Fragment, QueryPlan


def pass_on(plan: QueryPlan, read: FragmentReader, limit: int | None, proceed: Callable[[], None]) -> QueryResult:
    """Of a plan whose one fragment is the whole query. No JVM is needed for it."""
    import pyarrow as pa

    (fragment,) = plan.fragments
    names = [one.alias_or_name for one in plan.rest.selects]
    batches: list[pa.RecordBatch] = []
    rows = 0
    with read(fragment, {}) as reader:
        for batch in reader if limit != 0 else ():
            proceed()
            batches.append(batch if limit is None else batch.slice(0, limit - rows))
            rows += batches[-1].num_rows
            if rows == limit:
                break
        table = pa.Table.from_batches(batches, reader.schema).rename_columns(names)
    columns = zip(names, fragment.columns, strict=True)
    schema = Schema(tuple(Column(name, str(read_type(each.type)), each.nullable) for name, each in columns))
    return QueryResult(schema, table, {fragment.name: rows})


def no_rows(fragment: Fragment) -> pa.RecordBatchReader:
    import pyarrow as pa

    from forge.versioning.arrow_types import arrow_type

    schema = pa.schema([(each.name, arrow_type(each.type)) for each in fragment.columns])
    return pa.RecordBatchReader.from_batches(schema, [])
