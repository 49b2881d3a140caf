"""Random histories of a lineage graph: batches of a few producers over a few days."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import Entity, NodeType, column_of, table_of

DAY = timedelta(days=1)
START = datetime(2026, 11, 1, tzinfo=UTC)
COLUMNS = tuple(column_of(table, name) for table in ("raw.a", "core.b", "marts.c") for name in ("x", "y"))
TABLES = (table_of("raw.a"), table_of("core.b", NodeType.VIEW), table_of("marts.c"))
BOARD = Entity(NodeType.DASHBOARD, "revenue")
PRODUCERS = ("table:core.b", "file:jobs/c.sql", "manual")

_evidence = st.builds(
    Evidence,
    basis=st.sampled_from(Basis),
    extractor=st.sampled_from(["", "sql"]),
    file=st.sampled_from(["", "jobs/c.sql"]),
    line=st.sampled_from([0, 12]),
)


@st.composite
def _claims(draw: st.DrawFn) -> EdgeClaim:
    kind = draw(
        st.sampled_from(
            [
                EdgeKind(),
                EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED),
                indirect_kind(IndirectType.FILTER),
                EdgeKind(EdgeType.CONSUMES, None),
            ]
        )
    )
    target = draw(st.sampled_from(COLUMNS))
    end = BOARD if kind.type is EdgeType.CONSUMES else table_of(target.owner) if kind.indirect else target
    return EdgeClaim(
        source=draw(st.sampled_from(COLUMNS)),
        target=end,
        kind=kind,
        transformation=draw(
            st.sampled_from([Transformation.IDENTITY, Transformation.AGGREGATION, Transformation.UNKNOWN])
        ),
        expression=draw(st.sampled_from(["", "sum(x)"])),
        masking=draw(st.booleans()),
        confidence=draw(st.sampled_from([None, 0.0, 0.4, 0.8, 1.0])),
        evidence=tuple(draw(st.lists(_evidence, max_size=2))),
        metadata=draw(st.sampled_from([{}, {"note": "é", "deep": {"b": 1, "a": [2]}}])),
    )


_node_claims = st.builds(
    NodeClaim,
    st.sampled_from([*COLUMNS, *TABLES]),
    st.sampled_from([{}, {"data_type": "int"}, {"data_type": "bigint", "nullable": False}]),
)


@st.composite
def histories(draw: st.DrawFn) -> list[ClaimBatch]:
    """In the order of time."""
    days = sorted(draw(st.lists(st.integers(0, 9), min_size=1, max_size=8)))
    return [
        ClaimBatch(
            producer=draw(st.sampled_from(PRODUCERS)),
            at=START + day * DAY,
            edges=tuple(draw(st.lists(_claims(), max_size=6))),
            nodes=tuple(draw(st.lists(_node_claims, max_size=4))),
            complete=draw(st.booleans()),
            actor=draw(st.sampled_from(["", "ada"])),
        )
        for day in days
    ]
