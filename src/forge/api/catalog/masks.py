"""Rows and cells with the values of personal columns masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from forge.api.rows import plain
from forge.flows.catalog.personal_data import PersonalColumns


@dataclass(frozen=True, slots=True)
class Masks:
    personal: PersonalColumns = PersonalColumns()  # noqa: RUF009  frozen

    def hides(self, table: str | None, column: str) -> bool:
        return self.personal.hides(table, column)

    def touches(self, table: str | None, columns: Iterable[str]) -> bool:
        return any(self.hides(table, column) for column in columns)

    def row(self, table: str | None, row: Mapping[str, object]) -> dict[str, Any]:
        return {str(name): None if self.hides(table, str(name)) else plain(value) for name, value in row.items()}

    def value(self, table: str | None, column: str | None, value: object) -> Any:
        """Of a cell; or, where there is no column, of a row or a count."""
        if column is not None and self.hides(table, column):
            return None
        if column is None and isinstance(value, Mapping):
            return self.row(table, value)
        return plain(value)
