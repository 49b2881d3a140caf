"""An export reads the same whichever store wrote it, and comes back the same in each."""

from __future__ import annotations

from lineage_claims import NewStore
from lineage_history import BOARD, COLUMNS, DAY, START, TABLES

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.exchange import import_export, write_export
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.graph.store import LineageStore, Snapshot
from forge.lineage.kind import EdgeKind, EdgeType, indirect_kind
from forge.stores.memory.lineage import MemoryLineage

SEEN = Evidence(basis=Basis.RESOLVED, extractor="sql", file="jobs/c.sql", line=12, statement='select "é"\n')
PLAIN = EdgeClaim(source=COLUMNS[0], target=COLUMNS[2], transformation=Transformation.IDENTITY, evidence=(SEEN,))
DEEP = EdgeClaim(
    source=COLUMNS[1], target=COLUMNS[3], masking=True, confidence=0.0, metadata={"b": {"y": 1, "x": [2]}, "a": None}
)
HISTORY = (
    ClaimBatch(
        producer="file:jobs/c.sql",
        at=START,
        edges=(PLAIN, DEEP),
        nodes=(NodeClaim(COLUMNS[2], {"data_type": "int"}), NodeClaim(TABLES[1])),
    ),
    ClaimBatch(
        producer="manual",
        at=START,
        edges=(EdgeClaim(source=COLUMNS[2], target=BOARD, kind=EdgeKind(EdgeType.CONSUMES, None)),),
        complete=False,
        actor="ada",
    ),
    ClaimBatch(
        producer="file:jobs/c.sql",
        at=START + DAY,
        edges=(DEEP,),
        nodes=(NodeClaim(COLUMNS[2], {"data_type": "bigint"}),),
    ),
    ClaimBatch(
        producer="file:jobs/c.sql",
        at=START + 2 * DAY,
        edges=(PLAIN, EdgeClaim(source=COLUMNS[1], target=TABLES[2], kind=indirect_kind(IndirectType.FILTER))),
        nodes=(NodeClaim(TABLES[1]),),
    ),
)


def filled(store: LineageStore) -> LineageStore:
    for batch in HISTORY:
        store.record([batch])
    store.save_snapshot(
        Snapshot(
            name="first",
            at=START,
            description="é",
            created_by="ada",
            created_at=START,
            nodes={"column": 4},
            edges={"derived": 2},
        )
    )
    return store


def test_a_record_goes_out_and_comes_back_the_same(new_lineage: NewStore) -> None:
    lines = list(write_export(filled(new_lineage())))
    assert lines == list(write_export(filled(MemoryLineage())))
    other = new_lineage()
    found = import_export(other, lines)
    assert (found.written, found.same, found.left, found.snapshots) == (len(lines) - 3, 0, 0, 1)
    assert list(write_export(other)) == lines


def test_reading_an_export_again_changes_nothing(new_lineage: NewStore) -> None:
    store = filled(new_lineage())
    lines, revision = list(write_export(store)), store.revision()
    found = import_export(store, lines)
    assert (found.written, found.same, found.left, found.snapshots) == (0, len(lines) - 3, 0, 0)
    assert (list(write_export(store)), store.revision()) == (lines, revision)
