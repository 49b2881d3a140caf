"""The result of ingesting code, in Python and notebooks."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

from forge.connection.tabular import Row, Tabular
from forge.flows.lineage.code.ingest import IngestReport


@dataclass(frozen=True, slots=True)
class IngestResult(IngestReport, Tabular):
    """Files read and changes of the graph; as a table, one row per file."""

    @classmethod
    def of(cls, given: IngestReport) -> Self:
        return cls(**{one.name: getattr(given, one.name) for one in fields(given)})

    def rows(self) -> list[Row]:
        return [one.to_dict() for one in self.everything]
