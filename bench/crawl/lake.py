"""An Iceberg catalog with as many rows as asked for, each with a metadata file as PyIceberg writes it."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    NestedField,
    StringType,
    TimestamptzType,
)

from forge.stores.sql.database import writing
from forge.stores.sql.tables import CATALOG, iceberg_tables

_TYPES = (
    LongType(),
    LongType(),
    DecimalType(12, 2),
    StringType(),
    StringType(),
    StringType(),
    TimestamptzType(),
    DateType(),
    BooleanType(),
    DoubleType(),
)


def make_lake(engine: Any, folder: Path, number: int) -> None:
    """One table by PyIceberg; the others are copies of its metadata under names and ids of their own."""
    catalog = SqlCatalog("forge", uri=str(engine.url), warehouse=str(folder / "warehouse"))
    catalog.create_namespace_if_not_exists("model")
    fields = [NestedField(n + 1, f"column_{n}", kind, doc="What it is") for n, kind in enumerate(_TYPES)]
    table = catalog.create_table(("model", "model"), Schema(*fields))
    text = Path(table.metadata_location.removeprefix("file://")).read_text("utf-8")
    catalog.drop_table(("model", "model"))
    catalog.engine.dispose()
    home = folder / "metadata"
    home.mkdir()
    rows = []
    for table_number in range(number):
        path = home / f"{table_number}-1.metadata.json"
        path.write_text(text.replace(json.loads(text)["table-uuid"], str(uuid.uuid4())), "utf-8")
        rows.append(_row(table_number, path))
    with writing(engine) as connection:
        connection.execute(iceberg_tables.insert(), rows)


def change_lake(engine: Any, folder: Path, number: int) -> None:
    """Another column, in a new metadata file that the row points at."""
    for table_number in range(number):
        old = folder / "metadata" / f"{table_number}-1.metadata.json"
        data = json.loads(old.read_text("utf-8"))
        data["schemas"][0]["fields"].append({"id": 99, "name": "added", "type": "string", "required": False})
        new = folder / "metadata" / f"{table_number}-2.metadata.json"
        new.write_text(json.dumps(data), "utf-8")
        c = iceberg_tables.c
        mine = (c.table_namespace == _namespace(table_number), c.table_name == f"t{table_number}")
        with writing(engine) as connection:
            connection.execute(iceberg_tables.update().where(*mine).values(metadata_location=str(new)))


def _row(number: int, path: Path) -> dict[str, str]:
    return {
        "catalog_name": CATALOG,
        "table_namespace": _namespace(number),
        "table_name": f"t{number}",
        "metadata_location": str(path),
        "iceberg_type": "TABLE",
    }


def _namespace(number: int) -> str:
    return f"s{number // 500}"
