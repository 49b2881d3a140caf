"""Column types that behave the same on SQLite and PostgreSQL: aware UTC times, and JSON as text."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from sqlalchemy import TIMESTAMP, BigInteger, Integer, String, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from forge.model.time import as_utc
from forge.stores.json_values import plain

Id = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only for INTEGER
# Text that sorts by its code points, in whatever language a PostgreSQL database was made
Code = Text().with_variant(Text(collation="C"), "postgresql")


class Json(TypeDecorator[Any]):
    """JSON as text, read and written by Forge alone. NULL stays NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"))

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class UtcTime(TypeDecorator[datetime]):
    """An aware time in UTC. SQLite stores it as text of fixed width, so that it sorts chronologically."""

    impl = String(32)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(TIMESTAMP(timezone=True))
        return dialect.type_descriptor(String(32))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        utc = as_utc(value)
        return utc if dialect.name == "postgresql" else utc.isoformat(timespec="microseconds")

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return as_utc(value if isinstance(value, datetime) else datetime.fromisoformat(value))
