"""Cell values as JSON, and back as the same Python values: a decimal keeps its scale, a date stays a date."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

_TAG, _VALUE = "$", "v"


def encode(value: object) -> Any:
    """Values that JSON represents exactly are unchanged; others are a tagged object. A tuple becomes a list, and an
    unknown type its text, as in the id of a conflict."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else _tagged("float", repr(value))
        case Decimal():
            return _tagged("decimal", str(value))
        case datetime():
            return _tagged("datetime", value.isoformat())
        case date():
            return _tagged("date", value.isoformat())
        case time():
            return _tagged("time", value.isoformat())
        case timedelta():
            return _tagged("timedelta", [value.days, value.seconds, value.microseconds])
        case bytes():
            return _tagged("bytes", value.hex())
        case UUID():
            return _tagged("uuid", str(value))
        case Mapping():
            return _encoded(value)
        case list() | tuple():
            return [encode(item) for item in value]
        case _:
            return str(value)


def decode(value: Any) -> object:
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if _TAG in value:
        return _READ[value[_TAG]](value[_VALUE])
    return {key: decode(item) for key, item in value.items()}


def _tagged(tag: str, value: object) -> dict[str, object]:
    return {_TAG: tag, _VALUE: value}


def _encoded(value: Mapping[Any, object]) -> dict[str, object]:
    """JSON's keys are text, and one of them could be the tag: such a mapping is written as pairs."""
    if all(isinstance(key, str) and key != _TAG for key in value):
        return {key: encode(item) for key, item in value.items()}
    return _tagged("map", [[encode(key), encode(item)] for key, item in value.items()])


_READ: Mapping[str, Callable[[Any], object]] = {
    "float": float,
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda parts: timedelta(*parts),
    "bytes": bytes.fromhex,
    "uuid": UUID,
    "map": lambda pairs: {decode(key): decode(item) for key, item in pairs},
}


class TypedValue(TypeDecorator[Any]):
    """A column of such values. None is NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(encode(value), separators=(",", ":"))

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return None if value is None else decode(json.loads(value))
