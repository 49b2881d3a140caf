"""Nodes and exposures of a dbt project, whether read from the manifest or from its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from forge.lineage.edge import Gap
from forge.lineage.extract.definition import ColumnDefinition
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.template import RenderedSql

DbtKind = Literal["model", "snapshot", "seed", "source"]
Columns = Callable[[str], tuple[ColumnDefinition, ...] | None]
"""The columns of a relation by its name, where they are known by now."""


@dataclass(frozen=True, slots=True)
class CompiledModel:
    """`texts`: usually one; two where they depend on an unknown condition (`is_incremental()`). `needs`: ids of its
    dependencies."""

    texts: tuple[RenderedSql, ...] = ()
    needs: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotColumns:
    """Columns that identify and date the rows of a snapshot."""

    unique_key: tuple[str, ...] = ()
    updated_at: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DbtNode:
    """`id` as in dbt (model.shop.orders). `name`: of its relation, `database.schema.alias`. `columns`: declared ones;
    `complete`: all of them. `compiled` is called once its dependencies have been read."""

    id: str
    kind: DbtKind
    name: str
    file: str
    line: int = 1
    made: OutputKind = OutputKind.TABLE
    ephemeral: bool = False
    needs: tuple[str, ...] = ()
    columns: tuple[ColumnDefinition, ...] = ()
    complete: bool = False
    history: SnapshotColumns | None = None
    compiled: Callable[[Columns], CompiledModel] = field(default=lambda columns: CompiledModel())


@dataclass(frozen=True, slots=True)
class DbtExposure:
    """A consumer of the project. `uses`: names of relations."""

    name: str
    type: str  # dashboard, notebook, analysis, ml, application
    uses: tuple[str, ...]
    file: str
    line: int = 1
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class DbtProject:
    nodes: Mapping[str, DbtNode]
    exposures: tuple[DbtExposure, ...] = ()
    gaps: tuple[Gap, ...] = ()


def made_of(materialized: str) -> OutputKind:
    return OutputKind.VIEW if materialized in ("view", "materialized_view") else OutputKind.TABLE
