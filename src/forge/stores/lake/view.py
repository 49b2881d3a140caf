"""Views by Iceberg's view spec: a query in Spark's dialect, in a metadata file of its own."""

from __future__ import annotations

import uuid

from pyiceberg.view.metadata import (
    SQLViewRepresentation,
    ViewHistoryEntry,
    ViewMetadata,
    ViewRepresentation,
    ViewVersion,
)

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.stores.lake.files import Files
from forge.stores.lake.spark_types import iceberg_schema, spark_schema
from forge.stores.sql.tables import CATALOG


def next_view(
    old: ViewMetadata | None, table: TableName, sql: str, schema: Schema, folder: str, now_ms: int
) -> ViewMetadata:
    """A new view in `folder`, or the next version of an existing one in its place."""
    schemas = list(old.schemas) if old else []
    wanted = iceberg_schema(schema, max((s.schema_id for s in schemas), default=-1) + 1)
    same = next((known for known in schemas if known == wanted), None)
    if same is None:
        schemas.append(wanted)
    number = max((v.version_id for v in old.versions), default=0) + 1 if old else 1
    version = ViewVersion.model_validate(
        {
            "version-id": number,
            "schema-id": (same or wanted).schema_id,
            "timestamp-ms": now_ms,
            "summary": {"engine-name": "forge"},
            "representations": [ViewRepresentation(SQLViewRepresentation(type="sql", sql=sql, dialect="spark"))],
            "default-catalog": CATALOG,
            "default-namespace": [table.schema],
        }
    )
    entry = ViewHistoryEntry.model_validate({"timestamp-ms": now_ms, "version-id": number})
    return ViewMetadata.model_validate(
        {
            "view-uuid": old.view_uuid if old else str(uuid.uuid4()),
            "format-version": 1,
            "location": old.location if old else folder,
            "schemas": schemas,
            "current-version-id": number,
            "versions": [*(old.versions if old else []), version],
            "version-log": [*(old.version_log if old else []), entry],
            "properties": old.properties if old else {},
        }
    )


def sql_of(view: ViewMetadata) -> str:
    """The query of the current version."""
    version = next(version for version in view.versions if version.version_id == view.current_version_id)
    return next(representation.root.sql for representation in version.representations)


def schema_of(view: ViewMetadata) -> Schema:
    """The columns of the current version."""
    version = next(version for version in view.versions if version.version_id == view.current_version_id)
    return spark_schema(next(schema for schema in view.schemas if schema.schema_id == version.schema_id))


def write_next(
    files: Files, warehouse: str, table: TableName, sql: str, schema: Schema, previous: str | None, now_ms: int
) -> str:
    """The file of the version after `previous`, or of the first one in a folder of its own."""
    old = files.read_view(previous) if previous else None
    folder = f"{warehouse}/{table.schema}/{table.name}-{uuid.uuid4().hex[:8]}"
    return files.write_view(next_view(old, table, sql, schema, folder, now_ms), after=previous)
