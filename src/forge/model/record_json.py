"""Records as JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any


def record_json(record: Any) -> dict[str, object]:
    """All fields of a data class in their order: times in ISO 8601, enums as their values, tuples as lists."""
    return {field.name: _json(getattr(record, field.name)) for field in fields(record)}


def _json(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case datetime():
            return value.isoformat()
        case tuple():
            return [_json(item) for item in value]
        case Mapping():
            return dict(value)
        case _:
            return record_json(value) if is_dataclass(value) else value
