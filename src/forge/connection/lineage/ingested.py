"""What reading code into the graph answers in Python and notebooks."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

from forge.connection.tabular import Row, Tabular
from forge.flows.lineage.code.ingest import Ingested


@dataclass(frozen=True, slots=True)
class IngestedCode(Ingested, Tabular):
    """What was read and what the graph gained; as a table, a row for each file."""

    @classmethod
    def of(cls, given: Ingested) -> Self:
        return cls(**{one.name: getattr(given, one.name) for one in fields(given)})

    def rows(self) -> list[Row]:
        return [one.to_dict() for one in self.everything]
