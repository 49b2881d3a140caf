"""Values as JSON holds them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum

from forge.model.time import as_utc


def plain(value: object) -> object:
    """The value after a round trip through JSON: what a reader of the store gets back."""
    match value:
        case Enum():
            return plain(value.value)
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            return as_utc(value).isoformat()
        case date() | time():
            return value.isoformat()
        case Decimal():
            return str(value)
        case timedelta():
            return value.total_seconds()
        case bytes():
            return value.hex()
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in value]
        case _:
            return str(value)
