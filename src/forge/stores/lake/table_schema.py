"""The schema of a merged or rewritten table: columns by field id, on top of the table's existing schemas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata, TableMetadataV2, new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER, SortOrder
from pyiceberg.types import DoubleType, FloatType, NestedField, PrimitiveType

from forge.model.schema import Column
from forge.model.schema import Schema as Columns
from forge.stores.lake.spark_types import iceberg_schema, iceberg_type, spark_type
from forge.versioning.field import Fields, TableField

if TYPE_CHECKING:
    import pyarrow


def fields_of(schema: Schema) -> Fields:
    return tuple(TableField(f.field_id, f.name, spark_type(f.field_type), f.required, f.doc) for f in schema.fields)


def snapshot_schema(metadata: TableMetadata, schema_id: int | None) -> Schema:
    """The schema a snapshot was written with; older writers did not record it."""
    return (metadata.schema_by_id(schema_id) if schema_id is not None else None) or metadata.schema()


def with_fields(metadata: TableMetadataV2, fields: Fields, table: TableMetadataV2 | None) -> TableMetadataV2:
    """The stage with these columns as its current ones. `table` is the current state of what it was staged from: a
    schema that has an id there keeps it, and a new one gets an id that is free in both."""
    if fields == fields_of(metadata.schema()):
        return metadata
    known = {schema.schema_id: schema for schema in [*(table.schemas if table else ()), *metadata.schemas]}
    newest_first = [metadata.schema(), *(known[number] for number in sorted(known, reverse=True))]
    last = max(metadata.last_column_id, table.last_column_id if table else 0, *_int_ids(fields))
    columns = _columns(fields, newest_first, last)
    names = {column.field_id for column in columns if column.required}
    identifier = [number for number in metadata.schema().identifier_field_ids if number in names]
    wanted = Schema(*columns, schema_id=max(known) + 1, identifier_field_ids=identifier)
    schema = next((one for one in newest_first if one == wanted), wanted)  # equality leaves the number out
    changed = metadata.model_copy(
        update={
            "schemas": _with_schema(metadata.schemas, schema),
            "current_schema_id": schema.schema_id,
            "last_column_id": max(last, schema.highest_field_id),
        }
    )
    return fitted(changed, preferred=None)


def _with_schema(schemas: Sequence[Schema], schema: Schema) -> list[Schema]:
    return [*schemas] if any(one.schema_id == schema.schema_id for one in schemas) else [*schemas, schema]


def _int_ids(fields: Fields) -> list[int]:
    return [0, *(field.id for field in fields if isinstance(field.id, int))]


def _columns(fields: Fields, schemas: Sequence[Schema], last: int) -> list[NestedField]:
    numbers = count(last + 1)
    by_name = {field.name: field.field_id for field in schemas[0].fields}
    columns = []
    for field in fields:
        number = field.id if isinstance(field.id, int) else by_name.get(field.name)
        known = [f for schema in schemas for f in schema.fields if f.field_id == number]
        same = next((f.field_type for f in known if spark_type(f.field_type) == field.type), None)
        number = next(numbers) if number is None else number
        kind = same or iceberg_type(field.type, numbers)
        columns.append(NestedField(number, field.name, kind, required=field.required, doc=field.doc))
    return columns


def fitted(metadata: TableMetadataV2, preferred: int | None) -> TableMetadataV2:
    """Partition spec and sort order valid for the current schema: the preferred spec, else the existing one, else
    none. Iceberg cannot load a table whose default spec refers to a dropped column."""
    known = {field.field_id for field in metadata.schema().fields} | set(metadata.schema().field_ids)
    specs = metadata.specs()
    wanted = [specs[number] for number in (preferred, metadata.default_spec_id) if number in specs]
    wanted += [specs[number] for number in sorted(specs, reverse=True)]
    spec = next((spec for spec in wanted if all(f.source_id in known for f in spec.fields)), None)
    changes: dict[str, Any] = {}
    if spec is None:
        spec = PartitionSpec(spec_id=max(specs) + 1)
        changes["partition_specs"] = [*metadata.partition_specs, spec]
    changes["default_spec_id"] = spec.spec_id
    order = metadata.sort_order_by_id(metadata.default_sort_order_id)
    if order is not None and any(field.source_id not in known for field in order.fields):
        changes["sort_orders"] = _with_unsorted(metadata.sort_orders)
        changes["default_sort_order_id"] = UNSORTED_SORT_ORDER.order_id
    return metadata.model_copy(update=changes)


def _with_unsorted(orders: Iterable[SortOrder]) -> list[SortOrder]:
    kept = list(orders)
    known = any(order.order_id == UNSORTED_SORT_ORDER.order_id for order in kept)
    return kept if known else [*kept, UNSORTED_SORT_ORDER]


def new_table(fields: Fields, key: Sequence[str], rows: pyarrow.Table | None, location: str) -> TableMetadataV2:
    """A new table. `key` becomes Iceberg's identifier where its columns can be required."""
    columns = {field.name: Column(field.name, field.type, not field.required, field.doc) for field in fields}
    schema = iceberg_schema(Columns(tuple(columns.values())))
    identifier = [schema.find_field(name) for name in key]
    if all(_can_identify(field, rows) for field in identifier):
        numbers = [field.field_id for field in identifier]
        changed = [f.model_copy(update={"required": True}) if f.field_id in numbers else f for f in schema.fields]
        schema = Schema(*changed, schema_id=0, identifier_field_ids=numbers)
    made = new_table_metadata(
        schema, UNPARTITIONED_PARTITION_SPEC, UNSORTED_SORT_ORDER, location, {"format-version": "2"}
    )
    assert isinstance(made, TableMetadataV2)
    return made


def _can_identify(field: NestedField, rows: pyarrow.Table | None) -> bool:
    kind = field.field_type
    if not isinstance(kind, PrimitiveType) or isinstance(kind, FloatType | DoubleType):
        return False
    return field.required or (rows is not None and rows.column(field.name).null_count == 0)
