"""Words of a data case to values and types: columns by Spark's type names, cells as YAML can write them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

PLAIN = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}


@dataclass(frozen=True, slots=True)
class Column:
    id: int | None
    name: str
    type: str
    required: bool = False

    def arrow(self) -> pa.Field:
        metadata = None if self.id is None else {b"PARQUET:field_id": str(self.id).encode()}
        return pa.field(self.name, arrow_type(self.type), nullable=not self.required, metadata=metadata)


def parse_column(words: str) -> Column:
    """`3 amount decimal(12,2) not null`; the field id and the last two words may be missing."""
    parts = re.fullmatch(r"(?:(\d+) )?(\S+) (\S+)( not null)?", words)
    assert parts is not None, f"not a column: {words}"
    return Column(int(parts[1]) if parts[1] else None, parts[2], parts[3], parts[4] is not None)


def arrow_type(words: str) -> pa.DataType:
    if words in PLAIN:
        return PLAIN[words]
    if decimal := re.fullmatch(r"decimal\((\d+),(\d+)\)", words):
        return pa.decimal128(int(decimal[1]), int(decimal[2]))
    nested = re.fullmatch(r"(struct|array|map)<(.+)>", words)
    assert nested is not None, f"not a type: {words}"
    inner = _split(nested[2])
    if nested[1] == "array":
        return pa.list_(arrow_type(inner[0]))
    if nested[1] == "map":
        return pa.map_(arrow_type(inner[0]), arrow_type(inner[1]))
    return pa.struct([(name, arrow_type(rest)) for name, _, rest in (part.partition(":") for part in inner)])


def _split(words: str) -> list[str]:
    """At the commas that are in no brackets."""
    parts, depth = [""], 0
    for letter in words:
        depth += letter in "<("
        depth -= letter in ">)"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def convert(value: Any, of: pa.DataType) -> Any:
    """A cell as YAML writes it to the Python value that Arrow takes and gives back. Decimals, times and bytes (in hex)
    are written as text."""
    if value is None:
        return None
    if pa.types.is_list(of):
        return [convert(item, of.value_type) for item in value]
    if pa.types.is_struct(of):
        return {
            of.field(place).name: convert(value[of.field(place).name], of.field(place).type)
            for place in range(of.num_fields)
        }
    if pa.types.is_map(of):
        return [(convert(name, of.key_type), convert(item, of.item_type)) for name, item in value.items()]
    if pa.types.is_decimal(of):
        return Decimal(value)
    if pa.types.is_binary(of):
        return bytes.fromhex(value)
    if pa.types.is_timestamp(of):
        return datetime.fromisoformat(value).replace(tzinfo=UTC if of.tz else None)
    if pa.types.is_date(of):
        return value if isinstance(value, date) else date.fromisoformat(value)
    return float(value) if pa.types.is_floating(of) else value


def normal(value: Any) -> Any:
    """A value that compares as the specification says: NaN is NaN, -0.0 is 0.0, and no two types are mixed up."""
    if isinstance(value, float):
        return ("float", "NaN" if math.isnan(value) else value + 0.0)
    if isinstance(value, Mapping):
        return {name: normal(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [normal(item) for item in value]
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    return (type(value).__name__, value) if isinstance(value, (bool, int, bytes)) else value
