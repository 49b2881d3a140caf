"""Ports of lineage queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forge.lineage.graph.request import MIN_CONFIDENCE
from forge.lineage.graph.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from forge.flows.ports import Metadata
    from forge.flows.versioning.keys import Reference
    from forge.lineage.graph.graph import Graph
    from forge.lineage.graph.store import LineageAnswers, LineageStore
    from forge.model.names import BranchName, TableName
    from forge.model.schema import Schema
    from forge.model.time import Clock
    from forge.versioning.commit import TableVersion

    KeyOf = Callable[[TableName, TableVersion | None], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class LineagePorts:
    """`answers` traverses the graph in `store`. `scratch` makes an empty store in memory with its traversals, for
    the graph of another branch. `schema`: of a table version; None if no longer known. `keys`: the declared key
    of a table, else its identifier fields, as of now; a new table has no version. `references`: foreign keys
    declared by checks and contracts. `graph`: the index, None where a server traverses. `kept`: cached graphs of
    other branches. `project`: the name of the pipeline of its transforms. `code`: the text of one of its files."""

    metadata: Metadata
    store: LineageStore
    answers: LineageAnswers
    scratch: Callable[[], tuple[LineageStore, LineageAnswers]]
    clock: Clock
    default_branch: BranchName
    actor: str
    schema: Callable[[TableVersion], Schema | None] = lambda version: None
    owner: Callable[[TableName], str | None] = lambda table: None
    keys: Callable[[], KeyOf] = lambda: lambda table, version: ()
    references: Callable[[], Mapping[TableName, tuple[Reference, ...]]] = dict
    database: str = "lake"
    project: str = "forge"
    min_confidence: float = MIN_CONFIDENCE
    weights: Weights = field(default_factory=Weights)
    graph: Graph | None = None
    code: Callable[[str], str | None] = lambda file: None
    kept: dict[object, tuple[LineageStore, LineageAnswers]] = field(default_factory=dict, compare=False, repr=False)
