"""Imports Dagster assets into the graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import open_graph
from forge.flows.lineage.write import total_of
from forge.flows.runs.records import AuditRecord
from forge.lineage.errors import OlderBatchError
from forge.lineage.extract.dagster import DagsterAsset, batches_of_assets
from forge.lineage.facts.claim import WriteCounts


@dataclass(frozen=True, slots=True)
class DagsterImport:
    """`older`: assets skipped because something newer was recorded."""

    recorded: WriteCounts
    assets: int
    edges: int
    older: tuple[str, ...] = ()


def import_assets(ports: LineagePorts, assets: Iterable[DagsterAsset]) -> DagsterImport:
    """Imports what `forge.engines.dagster` has read. Each asset is complete, so removed dependencies are closed.
    Idempotent."""
    open_graph(ports)  # tables of commits that the graph has not seen yet are known, too
    branch = ports.metadata.branch(ports.default_branch)
    tree = ports.metadata.tree(branch.head) if branch and branch.head else {}
    who, now = ports.actor, ports.clock()
    known = frozenset(str(table) for table in tree)
    done, edges, older = [], 0, []
    for batch in batches_of_assets(assets, now, actor=who, database=ports.database, known=known):
        try:
            done.append(ports.store.record([batch]))
            edges += len(batch.edges)
        except OlderBatchError:
            older.append(batch.producer.partition(":")[2])
    ports.metadata.note(AuditRecord(now, who, "lineage.import", "dagster", {"assets": len(done), "edges": edges}))
    return DagsterImport(total_of(done, ports.store), len(done), edges, tuple(older))
