"""What a dbt project consists of, whichever way it was read: from what dbt compiled, or from its files alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from forge.lineage.edge import Gap
from forge.lineage.extract.definition import ColumnDefinition
from forge.lineage.extract.program import Made
from forge.lineage.extract.template import Sql

Columns = Callable[[str], tuple[ColumnDefinition, ...] | None]
"""The columns of a relation by its name, where they are known by now."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """`texts`: mostly one; two where what is run depends on conditions that are not known (`is_incremental()`).
    `needs`: ids of what it reads, as it says itself."""

    texts: tuple[Sql, ...] = ()
    needs: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class History:
    """How a snapshot keeps time: columns of its query."""

    unique_key: tuple[str, ...] = ()
    updated_at: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Node:
    """`id` as dbt has it (model.shop.orders). `name`: of the relation it becomes, `database.schema.alias`. `columns`
    are what is declared; `complete`: all there are. `compiled` is asked when all it needs has been read."""

    id: str
    kind: str  # model, snapshot, seed, source
    name: str
    file: str
    line: int = 1
    made: Made = Made.TABLE
    ephemeral: bool = False
    needs: tuple[str, ...] = ()
    columns: tuple[ColumnDefinition, ...] = ()
    complete: bool = False
    history: History | None = None
    compiled: Callable[[Columns], Compiled] = field(default=lambda columns: Compiled())


@dataclass(frozen=True, slots=True)
class Exposure:
    """Who uses what the project makes. `uses`: names of relations."""

    name: str
    type: str  # dashboard, notebook, analysis, ml, application
    uses: tuple[str, ...]
    file: str
    line: int = 1
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    nodes: Mapping[str, Node]
    exposures: tuple[Exposure, ...] = ()
    gaps: tuple[Gap, ...] = ()


def made_of(materialized: str) -> Made:
    return Made.VIEW if materialized in ("view", "materialized_view") else Made.TABLE
