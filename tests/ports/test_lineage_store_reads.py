"""What every record of lineage gives back: nodes, what changed, names that are meant, snapshots, to many at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from lineage_claims import (
    COPIED,
    CORE,
    MART,
    RAW,
    batch,
    claim,
    day,
    lives,
    nodes_of,
    refused,
    rows_of,
)

from forge.lineage.facts.claim import NodeClaim
from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.facts.moment import OPEN, to_micros
from forge.lineage.graph.store import LineageStore, Snapshot
from forge.lineage.node import Entity, NodeType, column_of
from forge.model.errors import ForgeError

# nodes


def test_what_is_said_of_a_node_counts_from_then_on(lineage: LineageStore) -> None:
    number, narrow = NodeClaim(CORE, {"data_type": "int", "nullable": True}), NodeClaim(CORE, {"data_type": "bigint"})
    lineage.record([batch("file:a", 1, claim())])
    lineage.record([batch("table:core.orders", 3, nodes=[number])])
    lineage.record([batch("table:core.orders", 5, nodes=[narrow])])
    lineage.record([batch("table:core.orders", 8)])
    told = [nodes_of(lineage, day(at))[CORE.id] for at in (1, 3, 4, 5, 7, 8)]
    first, second = {"data_type": "int", "nullable": True}, {"data_type": "bigint"}
    assert [one[1] for one in told] == [{}, first, first, second, second, {}]
    assert [one[2] for one in told] == [True, False, False, False, False, True]
    assert [one[4] for one in told] == [day(1), day(3), day(3), day(5), day(5), day(8)]
    assert nodes_of(lineage)[CORE.id][1:5] == ({}, True, day(1), day(8))


def test_producers_add_to_each_other_and_the_newest_word_counts(lineage: LineageStore) -> None:
    lineage.record([batch("b", 2, nodes=[NodeClaim(CORE, {"data_type": "int", "owner": "b"})])])
    lineage.record([batch("a", 1, nodes=[NodeClaim(CORE, {"data_type": "string", "tag": "a"})])])
    assert nodes_of(lineage)[CORE.id][1] == {"data_type": "int", "owner": "b", "tag": "a"}
    assert nodes_of(lineage)[CORE.id][3] == day(1)


def test_those_that_a_producer_tells_of_at_a_time(lineage: LineageStore) -> None:
    node = NodeClaim(CORE, {"data_type": "int"})
    lineage.record([batch("file:a", 1, claim())])
    lineage.record([batch("table:core.orders", 3, nodes=[node]), batch("file:b", 3, nodes=[node])])
    lineage.record([batch("table:core.orders", 6)])
    number = lineage.numbers([CORE.id])[CORE.id]
    told = [lineage.declared(day(at)).tolist() for at in (2, 3, 7)]
    assert told == [[], [number], [number]]
    assert lineage.declared(None).tolist() == [number]
    lineage.record([batch("file:b", 8)])
    assert lineage.declared(None).tolist() == []
    assert lineage.declared(day(7)).tolist() == [number]


def test_nodes_of_which_something_else_is_told_are_found_by_the_time(lineage: LineageStore) -> None:
    lineage.record([batch("a", 3, nodes=[NodeClaim(CORE, {"data_type": "int"})])])
    lineage.record([batch("a", 6, nodes=[NodeClaim(CORE, {"data_type": "long"})])])
    number = lineage.numbers([CORE.id])[CORE.id]
    for after, until, found in ((1, 2, []), (2, 3, [number]), (3, 5, []), (5, 6, [number]), (6, 9, [])):
        assert lineage.redeclared(to_micros(day(after)), to_micros(day(until))).tolist() == found


def test_a_write_that_changes_a_node_counts_it(lineage: LineageStore) -> None:
    assert lineage.record([batch("a", 1, nodes=[NodeClaim(CORE, {"data_type": "int"})])]).nodes == 2
    assert lineage.record([batch("a", 2, nodes=[NodeClaim(CORE, {"data_type": "int"})])]).nodes == 0
    done = lineage.record([batch("a", 3, nodes=[NodeClaim(CORE, {"data_type": "long"})])])
    assert (done.nodes, done.revision) == (1, 2)


def test_fields_belong_to_columns_and_columns_to_tables(lineage: LineageStore) -> None:
    city = Entity(NodeType.FIELD, "city", "core.orders.address")
    lineage.record([batch("file:a", 1, claim(city, MART))])
    numbers = lineage.numbers(["core.orders.address.city", "core.orders.address", "core.orders"])
    nodes = lineage.nodes(list(numbers.values()))
    field = nodes[numbers["core.orders.address.city"]]
    assert (field.type, field.name, field.table, field.parent) == (
        "field",
        "city",
        "core.orders",
        "core.orders.address",
    )
    assert field.column == "address.city"
    arrays = lineage.arrays()
    parents = dict(zip(arrays.node.tolist(), arrays.parent.tolist(), strict=True))
    assert parents[numbers["core.orders.address.city"]] == numbers["core.orders.address"]
    assert parents[numbers["core.orders.address"]] == numbers["core.orders"]
    assert parents[numbers["core.orders"]] == 0


def test_numbers_go_from_one_up_and_are_given_once(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim())])
    first = lineage.numbers([RAW.id, CORE.id])
    refused(lineage, batch("file:a", 0, claim(CORE, MART)))
    lineage.record([batch("file:a", 2, claim(CORE, MART))])
    assert lineage.numbers([RAW.id, CORE.id]) == first
    assert sorted(lineage.arrays().node.tolist()) == [1, 2, 3, 4, 5, 6]


def test_numbers_that_nobody_has_are_left_out(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim())])
    assert list(lineage.nodes([3, 99, 1, 3, 0])) == [3, 1]
    assert lineage.versions([(1, 99), (2, 1)]) == {}


# what others keep in step by


def test_the_revision_goes_up_by_one_with_each_write_that_changes_something(lineage: LineageStore) -> None:
    assert lineage.record([batch("file:a", 1, claim()), batch("file:b", 1, claim(CORE, MART))]).revision == 1
    assert lineage.record([]).revision == 1
    assert lineage.record([batch("file:a", 2, claim())]).revision == 2  # evidence grew
    assert lineage.revision() == 2


def test_the_cursor_is_kept_with_the_write(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim())], cursor="commit 1")
    assert lineage.cursor() == "commit 1"
    lineage.record([batch("file:b", 1)])
    assert lineage.cursor() == "commit 1"
    assert lineage.record([], cursor="commit 2").revision == 1
    assert lineage.cursor() == "commit 2"


def test_arrays_have_a_row_for_each_fact(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim()), batch("file:b", 1, claim(confidence=0.5))])
    lineage.record([batch("file:a", 3)])
    numbers = lineage.numbers([RAW.id, CORE.id])
    arrays = lineage.arrays()
    ends = numbers[RAW.id], numbers[CORE.id], COPIED.code
    micros = [int(day(at).timestamp()) * 1_000_000 for at in (1, 3)]
    assert rows_of(arrays) == [(*ends, 0.5, micros[0], OPEN), (*ends, 0.95, micros[0], micros[1])]
    assert arrays.revision == 2
    dtypes = [str(getattr(arrays, name).dtype) for name in ("node", "node_type", "parent", "source", "target", "kind")]
    assert dtypes == ["int32", "uint8", "int32", "int32", "int32", "uint16"]
    assert [str(a.dtype) for a in (arrays.confidence, arrays.valid_from, arrays.valid_to)] == [
        "float64",
        "int64",
        "int64",
    ]


def test_changes_bring_all_facts_of_an_edge_that_was_touched_and_no_other(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim(), claim(CORE, MART)), batch("file:b", 1, claim())])
    lineage.record([batch("file:b", 2)])
    changes = lineage.changes(1)
    assert changes.revision == 2
    assert len(rows_of(changes)) == 2  # of both producers
    assert set(changes.source.tolist()) == {lineage.numbers([RAW.id])[RAW.id]}
    assert changes.node.size == 0
    assert rows_of(lineage.changes(2)) == []


def test_those_who_keep_a_copy_get_it_in_steps(lineage: LineageStore) -> None:
    for number in range(7):
        lineage.record([batch(f"file:{number}", number, claim(column_of("raw.t", f"c{number}"), CORE))])
    lineage.record([batch("file:3", 9)])
    since, steps = 0, 0
    edges: dict[str, EdgeVersion] = {}
    nodes: set[str] = set()
    while True:
        step = lineage.touched(since, limit=2)
        assert step.revision > since or not step.more
        edges |= {version.id: version for version in step.edges}
        nodes |= {node.id for node in step.nodes}
        since, steps = step.revision, steps + 1
        if not step.more:
            break
    assert since == lineage.revision()
    assert steps > 2
    assert nodes == {"raw.t", "core.orders", CORE.id, *(f"raw.t.c{number}" for number in range(7))}
    assert {edge_id: v.valid_to for edge_id, v in edges.items()} == {
        f"raw.t.c{number}->core.orders.amount#copied": day(9) if number == 3 else None for number in range(7)
    }
    assert lineage.touched(since).edges == ()


def test_a_touched_edge_comes_with_all_its_versions(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim(expression="a"))])
    lineage.record([batch("file:a", 2, claim(expression="b"))])
    step = lineage.touched(1)
    assert [v.expression for v in step.edges] == ["a", "b"]
    assert step.nodes == ()


# finding


ODD = (
    "core.orders.100%",
    "core.orders.a_b",
    "core.orders.aXb",
    "core.orders.o'brien",
    'core.orders."quoted"',
    "core.orders.Straße",
    "core.orders.back\\slash",
    "core.orders.sla/sh",
    "Core.Customers.EMAIL",
)


@pytest.fixture
def odd(lineage: LineageStore) -> LineageStore:
    columns = (column_of(*name.rsplit(".", 1)) for name in ODD)
    lineage.record([batch("file:a", 1, nodes=[NodeClaim(column) for column in columns])])
    return lineage


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("100%", {"core.orders.100%"}, id="percent"),
        pytest.param("%", {"core.orders.100%"}, id="percent alone"),
        pytest.param("a_b", {"core.orders.a_b"}, id="underscore"),
        pytest.param("o'brien", {"core.orders.o'brien"}, id="quote"),
        pytest.param('"', {'core.orders."quoted"'}, id="double quote"),
        pytest.param("\\", {"core.orders.back\\slash"}, id="backslash"),
        pytest.param("a/s", {"core.orders.sla/sh"}, id="slash"),
        pytest.param("STRAßE", {"core.orders.Straße"}, id="letters beyond ASCII"),
        pytest.param("email CORE", {"Core.Customers.EMAIL"}, id="all words in any order and case"),
        pytest.param("customers", {"Core.Customers", "Core.Customers.EMAIL"}, id="one word"),
        pytest.param("nothing", set(), id="nothing"),
    ],
)
def test_search_takes_every_character_for_what_it_is(odd: LineageStore, text: str, found: set[str]) -> None:
    assert {node.id for node in odd.search(text)} == found


def test_search_goes_by_id_and_on_after_one(odd: LineageStore) -> None:
    everything = sorted([*ODD, "core.orders", "Core.Customers"])
    assert [node.id for node in odd.search("", limit=100)] == everything
    pages, after = [], ""
    while page := odd.search("core", limit=3, after=after):
        pages += [node.id for node in page]
        after = page[-1].id
    assert pages == everything


def test_search_by_type(odd: LineageStore) -> None:
    tables = odd.search("core", [NodeType.TABLE, NodeType.VIEW])
    assert [node.id for node in tables] == ["Core.Customers", "core.orders"]
    assert odd.search("core", [NodeType.DASHBOARD]) == ()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        pytest.param("customers.email", ("Core.Customers.EMAIL",), id="the last parts"),
        pytest.param("core.customers.email", ("Core.Customers.EMAIL",), id="all of it"),
        pytest.param("mail", (), id="half a part"),
        pytest.param("%", (), id="percent"),
        pytest.param("100%", ("core.orders.100%",), id="with a percent"),
        pytest.param("A_B", ("core.orders.a_b",), id="underscore"),
        pytest.param("straße", ("core.orders.Straße",), id="letters beyond ASCII"),
        pytest.param("orders", ("core.orders",), id="a table"),
        pytest.param("", (), id="nothing"),
    ],
)
def test_ending_finds_whole_parts_at_the_end(odd: LineageStore, name: str, found: tuple[str, ...]) -> None:
    assert odd.ending(name) == found


def test_near_has_what_may_be_meant(odd: LineageStore) -> None:
    assert "Core.Customers.EMAIL" in odd.near("customers.email")
    assert "Core.Customers.EMAIL" in odd.near("custmers.email")
    assert "core.orders.a_b" in odd.near("core.orders.ab")
    assert "core.orders" in odd.near("orderz")
    assert "core.orders.a_b" in odd.near("orders.ab")
    assert len(odd.near("core.orders.x", limit=3)) == 3
    assert odd.near("") == ()


# snapshots


def test_snapshots_are_named_once_and_listed_newest_first(lineage: LineageStore) -> None:
    march = Snapshot(
        name="march",
        at=day(3),
        description="before the move",
        created_by="Ada",
        created_at=day(9),
        nodes={"table": 2},
        edges={"copied": 1},
    )
    june = Snapshot(name="june — ü", at=day(6))
    lineage.save_snapshot(march)
    lineage.save_snapshot(june)
    assert lineage.snapshots() == (june, march)
    assert lineage.snapshot("march") == march
    assert lineage.snapshot("april") is None
    with pytest.raises(ForgeError) as caught:
        lineage.save_snapshot(replace(june, name="march"))
    assert caught.value.code == "E808"
    assert lineage.snapshot("march") == march


def test_a_snapshot_is_dropped_once(lineage: LineageStore) -> None:
    lineage.save_snapshot(Snapshot(name="march", at=day(3)))
    assert lineage.drop_snapshot("march")
    assert not lineage.drop_snapshot("march")
    assert lineage.snapshots() == ()


# many at once


@pytest.mark.slow
def test_threads_that_record_at_once_lose_nothing(lineage: LineageStore) -> None:
    def write(worker: int) -> list[int]:
        mine = claim(column_of("raw.t", f"c{worker}"), CORE)
        done = [lineage.record([batch(f"file:{worker}", at, mine, claim(confidence=0.5))]) for at in range(8)]
        return [one.revision for one in done]

    with ThreadPoolExecutor(4) as pool:
        revisions = [number for found in pool.map(write, range(4)) for number in found]
    assert sorted(revisions) == list(range(1, 33))  # each write has one of its own
    assert lineage.revision() == 32
    (shared,) = {version.id: version for version in lives(lineage)}.values()
    assert {fact.producer for fact in shared.facts} == {f"file:{worker}" for worker in range(4)}
    assert all(fact.evidence[0].times == 8 for fact in shared.facts)
    arrays = lineage.arrays()
    assert sorted(arrays.node.tolist()) == list(range(1, len(arrays.node) + 1))


def test_readers_see_whole_writes(lineage: LineageStore) -> None:
    """Each write has as many edges as it has nodes to join to one; a reader never sees some of them."""
    hub = column_of("mart.hub", "all")

    def write(at: int) -> None:
        edges = (claim(column_of(f"raw.t{at}", f"c{number}"), hub) for number in range(20))
        lineage.record([batch(f"file:{at}", at, *edges)])

    with ThreadPoolExecutor(2) as pool:
        writes = [pool.submit(write, at) for at in range(10)]
        while not all(future.done() for future in writes):
            arrays = lineage.arrays()
            assert arrays.source.size == 20 * arrays.revision
            assert arrays.node.size == (21 * arrays.revision + 2 if arrays.revision else 0)
        for future in writes:
            future.result()
    assert lineage.arrays().source.size == 200
