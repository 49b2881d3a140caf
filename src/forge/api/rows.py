"""Rows as JSON: values that JSON or JavaScript numbers cannot hold exactly become text, and so do values that are
too long."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from forge.api.paging import FARTHEST, decode_cursor, encode_cursor, unknown_cursor
from forge.api.versioning.wire.refs import RowsView, SampleColumn
from forge.flows.catalog.sample import Sample
from forge.flows.versioning.cell_limits import LONGEST, MARK, cell_limit, cut_mark, cut_text
from forge.flows.versioning.time_travel import HistoricalRows
from forge.model.errors import ForgeError
from forge.model.names import CommitId

_WIDE = ("string", "binary", "array", "map", "struct", "variant")
_EXACT = 2**53 - 1  # the greatest whole number that JavaScript holds exactly


@dataclass(frozen=True, slots=True)
class RowWindow:
    """The requested rows of a commit. A commit never changes and its rows have the order of its files, so pages are
    consistent; those of a SELECT are if it has ORDER BY."""

    limit: int
    offset: int = 0
    commit: CommitId | None = None  # that of the page before, even if the branch has moved

    @property
    def needed(self) -> int:
        return min(self.offset + self.limit, FARTHEST)

    def cursor(self, commit: CommitId) -> str | None:
        end = self.offset + self.limit
        return encode_cursor("r", f"{commit}:{end}") if end < FARTHEST else None


def row_window(limit: int, cursor: str | None, offset: int) -> RowWindow:
    if cursor is None:
        return RowWindow(limit, offset)
    commit, _, place = decode_cursor("r", cursor).partition(":")
    if not (place.isascii() and place.isdigit() and int(place) < FARTHEST):
        raise unknown_cursor()
    return RowWindow(limit, int(place), CommitId(commit))


def plain_rows(rows: Iterable[Sequence[object]], asked: int, kinds: Iterable[str]) -> list[list[Any]]:
    """`asked`: so many rows there could be. `kinds`: types of the columns, whose long values share the room of an
    answer as where Spark cuts them."""
    most = cell_limit(asked, max(1, sum(kind.startswith(_WIDE) for kind in kinds)))
    values = ((plain(value) for value in row) for row in rows)
    return [[cut_text(one, most) if isinstance(one, str) else one for one in row] for row in values]


def is_ordered(sql: str) -> bool:
    """Whether a SELECT has an ORDER BY."""
    from forge.transforms.sql_parse import parse_query

    try:
        return parse_query(sql, "query").tree.args.get("order") is not None
    except ForgeError:  # the engine reads more than this does: then there is one page
        return False


def rows_view(
    dataset_id: str, window: RowWindow, sample: Sample | HistoricalRows, *, has_order: bool = True
) -> RowsView:
    columns = [SampleColumn(name=c.name, type=c.type, masked=c.name in sample.masked) for c in sample.schema.columns]
    rows = [[plain(value) for value in row] for row in sample.rows[window.offset :]]
    names = [column.name for column in columns]
    return RowsView(
        dataset_id=dataset_id,
        commit=sample.commit_id,
        columns=columns,
        rows=rows,
        truncated=sample.truncated,
        items=[dict(zip(names, row, strict=True)) for row in rows],
        has_more=sample.truncated,
        next_cursor=window.cursor(sample.commit_id) if sample.truncated and has_order else None,
    )


def plain(value: object) -> Any:
    """Lists stay lists, maps and structs become objects."""
    match value:
        case None | bool():
            return value
        case str():
            return cut_text(value).encode("utf-8", "replace").decode()  # a lone surrogate is in no JSON text
        case int():
            return value if abs(value) <= _EXACT else str(value)
        case float():
            return value if math.isfinite(value) else _not_finite(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return _moment(value)
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case bytes() | bytearray() | memoryview():
            if len(value) <= LONGEST + MARK:
                return bytes(value).hex()
            return f"{bytes(value[:LONGEST]).hex()}{cut_mark(len(value))}"
    return _nested(value)


def _nested(value: object) -> Any:
    if hasattr(value, "asDict"):  # Spark's rows of a struct are tuples too
        value = value.asDict()
    match value:
        case Mapping():
            return {_word(key): plain(item) for key, item in value.items()}
        case list() if value and all(isinstance(item, tuple) for item in value):  # Arrow's form of a map
            return {_word(key): plain(item) for key, item in value}
        case list() | tuple():
            return [plain(item) for item in value]
    return str(value)


def _word(key: object) -> str:
    text = plain(key)
    return text if isinstance(text, str) else str(text)


def _moment(value: datetime) -> str:
    """A time with a zone is shown in UTC, one without as it is."""
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
