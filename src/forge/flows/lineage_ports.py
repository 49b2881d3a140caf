"""What questions about lineage need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from forge.flows.ports import Metadata
from forge.lineage.ask import MIN_CONFIDENCE
from forge.lineage.graph import Graph
from forge.lineage.store import LineageAnswers, LineageStore
from forge.lineage.weights import Weights
from forge.model.names import BranchName, TableName
from forge.model.schema import Schema
from forge.model.time import Clock
from forge.versioning.commit import TableVersion


@dataclass(frozen=True)
class LineagePorts:
    """`answers` walks what `store` has recorded. `scratch` gives an empty store in memory with one who walks it: the
    graph of another branch is put together there. `schema` is that of a version of a table; None: not known any more.
    `graph` is the index on the record where that answers itself; None where a server does. `kept` holds the graphs of
    other branches for who asks again."""

    metadata: Metadata
    store: LineageStore
    answers: LineageAnswers
    scratch: Callable[[], tuple[LineageStore, LineageAnswers]]
    clock: Clock
    default_branch: BranchName
    actor: str
    schema: Callable[[TableVersion], Schema | None] = lambda version: None
    owner: Callable[[TableName], str | None] = lambda table: None
    database: str = "lake"
    min_confidence: float = MIN_CONFIDENCE
    weights: Weights = field(default_factory=Weights)
    graph: Graph | None = None
    kept: dict[object, tuple[LineageStore, LineageAnswers]] = field(default_factory=dict, compare=False, repr=False)
