"""The record of lineage in SQL: what a write costs, several processes, and a large graph at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from lineage_claims import CORE, MART, RAW, T0, batch, claim, day, graph, nodes_of, rows_of
from migrated import open_migrated
from sqlalchemy import Engine, event, select

from bench.lineage_graph.bulk import bulk_load
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.moment import OPEN
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import column_of, table_of
from forge.stores.sql.lineage.facts import SqlLineage
from forge.stores.sql.tables import lineage_facts, lineage_nodes

SUPPORT = Path(__file__).parents[3] / "support"


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = open_migrated(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def store(engine: Engine) -> SqlLineage:
    return SqlLineage(engine)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Engine]:
    engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
    yield engine
    engine.dispose()


def plans_of(engine: Engine, work: Any) -> list[str]:
    """How SQLite goes about each statement of a piece of work."""
    asked: list[tuple[str, Any]] = []

    def note(connection: object, cursor: object, statement: str, values: Any, context: object, many: bool) -> None:
        asked.append((statement, values[0] if many else values))

    event.listen(engine, "before_cursor_execute", note)
    work()
    event.remove(engine, "before_cursor_execute", note)
    with engine.connect() as connection:
        told = (s for s in asked if s[0].split()[0] in ("SELECT", "UPDATE", "DELETE", "WITH"))
        plans = [connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {s}", values).all() for s, values in told]
    return [str(row[-1]) for plan in plans for row in plan]


def scans(plans: list[str]) -> list[str]:
    return [step for step in plans if step.startswith("SCAN") and "forge_lineage" in step and "state" not in step]


def test_a_write_looks_at_what_it_speaks_of_and_reads_no_table_through(sqlite: Engine) -> None:
    store = SqlLineage(sqlite)
    nodes = [NodeClaim(CORE, {"data_type": "int"})]
    store.record([batch("file:a", 1, claim(), claim(CORE, MART), nodes=nodes)])

    def write() -> None:
        store.record([batch("file:a", 2, claim(expression="b"))])
        store.record([batch("file:a", 2)])
        store.record([batch("manual", 3, claim(), nodes=nodes, complete=False, strict=True)])

    plans = plans_of(sqlite, write)
    assert any("forge_lineage_facts_by_edge" in step for step in plans)
    assert any("forge_lineage_facts_by_producer" in step for step in plans)
    assert scans(plans) == []


def test_answers_and_changes_go_by_indexes(sqlite: Engine) -> None:
    store = SqlLineage(sqlite)
    store.record([batch("file:a", 1, claim(), claim(CORE, MART), nodes=[NodeClaim(CORE)])])
    numbers = store.numbers([RAW.id, CORE.id])

    def ask() -> None:
        store.revision()
        store.nodes(list(numbers.values()))
        store.versions([(numbers[RAW.id], numbers[CORE.id])])
        store.ending("orders.amount")
        store.touched(1)
        list(store.edge_facts(producer="file:a"))

    assert scans(plans_of(sqlite, ask)) == []


@pytest.mark.slow
def test_a_second_process_adds_to_what_the_first_wrote(store: SqlLineage, database_url: str) -> None:
    store.record([batch("file:0", 1, claim())])
    code = (
        "import sys; from lineage_claims import *; from migrated import open_migrated\n"
        "store = SqlLineage(open_migrated(sys.argv[1]))\n"
        "for at in range(1, 6):\n"
        "    mine = claim(column_of('raw.t', 'c' + sys.argv[2]), CORE)\n"
        "    store.record([batch('file:' + sys.argv[2], at, claim(), mine)])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT)}
    command = [sys.executable, "-c", code, database_url]
    starts = [subprocess.Popen([*command, str(number)], env=environment, stderr=subprocess.PIPE) for number in (1, 2)]
    for start in starts:
        _, errors = start.communicate(timeout=120)
        assert start.returncode == 0, errors.decode()
    assert store.revision() == 11
    assert store.producers() == ("file:0", "file:1", "file:2")
    facts = list(store.edge_facts())
    assert sorted(fact.evidence[0].times for fact in facts) == [1, 5, 5, 5, 5]
    arrays = store.arrays()
    assert sorted(arrays.node.tolist()) == list(range(1, len(arrays.node) + 1))


def test_a_process_that_dies_in_the_middle_has_written_nothing(store: SqlLineage, engine: Engine) -> None:
    store.record([batch("file:a", 1, claim())])
    before = graph(store), nodes_of(store), store.revision()

    def die(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if statement.startswith("UPDATE forge_lineage_state"):
            raise KeyboardInterrupt

    event.listen(engine, "before_cursor_execute", die)
    with pytest.raises(KeyboardInterrupt):
        store.record([batch("file:a", 2, claim(CORE, MART))])
    event.remove(engine, "before_cursor_execute", die)
    assert (graph(store), nodes_of(store), store.revision()) == before
    assert store.record([batch("file:a", 2, claim(CORE, MART))]).revision == 2


KIND = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)


def test_a_large_graph_at_once_has_the_rows_that_a_write_makes(engine: Engine, tmp_path: Path) -> None:
    columns = [column_of("core.orders", f"c{number}") for number in range(6)]
    pairs = [(a, b) for a in range(6) for b in range(6)]
    micros = int(T0.timestamp() * 1_000_000)
    one, other = SqlLineage(engine), SqlLineage(open_migrated(f"sqlite:///{tmp_path}/other.db"))
    edges = ((a + 2, b + 2, KIND.code, 0.8, micros, OPEN) for a, b in pairs)
    done = bulk_load(engine, [table_of("core.orders"), *columns], edges, producer="file:a", at=T0)
    assert (done.added, done.nodes) == (36, 7)
    nodes = (NodeClaim(column) for column in columns)
    claims = (EdgeClaim(source=columns[a], target=columns[b], kind=KIND, confidence=0.8) for a, b in pairs)
    other.record(
        [ClaimBatch(producer="file:b", at=T0, edges=(), nodes=tuple(nodes))]
    )  # so that the numbers are the same
    other.record([ClaimBatch(producer="file:b", at=T0)])
    other.record([ClaimBatch(producer="file:a", at=T0, edges=tuple(claims))])
    assert _rows(one) == _rows(other)
    assert rows_of(one.arrays()) == rows_of(other.arrays())
    assert graph(one) == graph(other)
    assert nodes_of(one) == nodes_of(other)
    assert one.ending("orders.c3") == ("core.orders.c3",)


def _rows(store: SqlLineage) -> list[list[tuple[Any, ...]]]:
    """All that is stored, but numbers that tell when and by whom."""
    found = []
    with store._engine.connect() as connection:
        for table, order in ((lineage_nodes, "number"), (lineage_facts, "source")):
            columns = [column for column in table.c if column.name not in ("revision", "producer")]
            columns = [column for column in columns if column is not lineage_facts.c.id]
            rows = connection.execute(select(*columns).order_by(table.c[order], columns[1]))
            found.append([tuple(map(repr, row)) for row in rows])
    return found


def test_a_graph_at_once_goes_on_as_any_other(store: SqlLineage) -> None:
    at = day(1) - timedelta(days=1)
    micros = int(at.timestamp() * 1_000_000)
    nodes = [table_of("raw.orders"), RAW, table_of("core.orders"), CORE]
    bulk_load(store._engine, nodes, [(2, 4, KIND.code, 0.95, micros, OPEN)], producer="file:a", at=at)
    first = store.revision()
    done = store.record([batch("file:a", 3, claim(CORE, MART))])
    assert (done.added, done.closed, done.revision) == (1, 1, first + 1)
    assert len(store.touched(0).edges) == 2


def test_only_an_empty_store_is_filled_at_once(store: SqlLineage) -> None:
    store.record([batch("file:a", 1, claim())])
    with pytest.raises(ValueError, match="empty"):
        bulk_load(store._engine, [], [], producer="file:b", at=T0)
    assert store.record([batch("file:a", 2, claim())]).extended == 1
