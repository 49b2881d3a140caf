"""JSON of row-level lineage."""

from __future__ import annotations

from typing import Any

from forge.api.wire import Wire


class OriginView(Wire):
    """`match`: how rows of this source were found: one, several, none, unknown (nothing was copied) or outside (a file
    or database). `by`: the columns and values by which they were; `fields`: columns of the record below which this
    stands, each with the columns here that its value is made of."""

    table: str
    match: str
    by: dict[str, Any]
    fields: dict[str, list[str]]
    rows: list[dict[str, Any]]
    more: bool
    version: int | None
    commit: str | None
    message: str | None
    origins: list[OriginView]
