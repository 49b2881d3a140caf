"""The index holds what the facts say, at any time, however they came into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lineage_arrays import COPIED, KINDS, Row, arrays_of, histories, rows

from forge.lineage.facts.fact import EdgeFact, versions_of
from forge.lineage.facts.moment import OPEN
from forge.lineage.graph.index import Adjacency, GraphIndex
from forge.lineage.graph.intervals import VersionArrays, versions_from
from forge.lineage.graph.packed_rows import pack
from forge.lineage.node import NodeType, column_of

Version = tuple[int, int, int, float, int, int]


def versions(side: Adjacency, *, by_source: bool = True) -> set[Version]:
    """Every row of a side, with intervals that say the same and meet made one."""
    found: set[Version] = set()
    for node in range(side.packed.owners):
        for place in range(side.bounds[node, 0], side.bounds[node, 3]):
            ends = (node, int(side.other[place])) if by_source else (int(side.other[place]), node)
            sure, start, end = side.confidence[place], side.valid_from[place], side.valid_to[place]
            found.add((*ends, int(side.kind[place]), float(sure), int(start), int(end)))
    return merged(found)


def merged(found: Iterable[Version]) -> set[Version]:
    whole: list[Version] = []
    for one in sorted(found, key=lambda version: (version[:3], version[4])):
        last = whole[-1] if whole else None
        if last and last[:4] == one[:4] and last[5] == one[4]:
            whole[-1] = (*last[:5], one[5])
        else:
            whole.append(one)
    return set(whole)


def moment(micros: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)


def expected(facts: Iterable[Row]) -> set[Version]:
    """By the rule for single edges."""
    by_edge: dict[tuple[int, int, int], list[EdgeFact]] = defaultdict(list)
    for number, row in enumerate(facts):
        by_edge[row.key].append(
            EdgeFact(
                source=column_of("t", str(row.source)),
                target=column_of("t", str(row.target)),
                kind=row.kind,
                producer=str(number),
                confidence=row.confidence,
                valid_from=moment(row.start),
                valid_to=None if row.end == OPEN else moment(row.end),
            )
        )
    found = set()
    for key, some in by_edge.items():
        for version in versions_of(some):
            start = (version.valid_from - moment(0)) // timedelta(microseconds=1)
            end = OPEN if version.valid_to is None else (version.valid_to - moment(0)) // timedelta(microseconds=1)
            found.add((*key, version.confidence, start, end))
    return merged(found)


@given(facts=histories())
def test_versions_are_those_of_the_rule_on_both_sides(facts: list[Row]) -> None:
    index = GraphIndex.build(arrays_of(facts, nodes=6))
    assert versions(index.after) == expected(facts)
    assert versions(index.before, by_source=False) == expected(facts)


@given(facts=histories())
def test_the_usual_edges_of_a_node_come_first_and_the_unsure_ones_next(facts: list[Row]) -> None:
    index = GraphIndex.build(arrays_of(facts, nodes=6))
    usual = {kind.code for kind in KINDS[:3]}
    for side in (index.after, index.before):
        for first, unsure, rest, end in side.bounds.tolist():
            for place in range(first, end):
                open_and_usual = side.valid_to[place] == OPEN and int(side.kind[place]) in usual
                sure = side.confidence[place] >= 0.5
                assert (place < unsure) == (open_and_usual and sure)
                assert (unsure <= place < rest) == (open_and_usual and not sure)


@pytest.mark.slow
@given(st.data())
def test_an_index_that_followed_changes_equals_one_built_anew(data: st.DataObject) -> None:
    record = data.draw(histories(nodes=5, most=15), "at first")
    index = GraphIndex.build(arrays_of(record, nodes=5))
    nodes = 5
    for number in range(data.draw(st.integers(1, 4), "batches")):
        batch = data.draw(histories(nodes=nodes + 2, most=8), f"batch {number}")
        dropped = data.draw(st.lists(st.sampled_from(record), max_size=3), "dropped") if record else []
        touched = {row.key for row in (*batch, *dropped)}
        gone = {row.key for row in dropped} - {row.key for row in batch}
        record = [row for row in record if row.key not in gone] + batch
        rows_now = [row for row in record if row.key in touched]
        rows_now += [Row(row.source, row.target, 1.0, row.kind, 3, 3) for row in dropped if row.key in gone]
        top = max([nodes, *(end for row in rows_now for end in (row.source, row.target))])
        index = index.changed(arrays_of(rows_now, new_nodes=range(nodes + 1, top + 1), revision=number + 2))
        nodes = top
        anew = GraphIndex.build(arrays_of(record, nodes=nodes))
        assert versions(index.after) == versions(anew.after) == versions(index.before, by_source=False)
        assert index.revision == number + 2
        assert index.edges == int((index.after.bounds[:, 3] - index.after.bounds[:, 0]).sum())


@given(before=rows(), batch=rows())
def test_readers_of_the_older_index_see_what_they_saw(before: list[Row], batch: list[Row]) -> None:
    old = GraphIndex.build(arrays_of(before, nodes=9))
    seen = versions(old.after)
    one = old.changed(arrays_of(batch, new_nodes=()))
    other = old.changed(arrays_of([Row(1, 2, 0.7)], new_nodes=()))
    assert versions(old.after) == seen
    touched = {row.key for row in batch}
    assert versions(one.after) == expected([*(row for row in before if row.key not in touched), *batch])
    assert versions(other.after) == expected(
        [*(row for row in before if row.key != (1, 2, COPIED.code)), Row(1, 2, 0.7)]
    )


def test_many_changes_of_one_node_are_merged_into_new_arrays() -> None:
    index = GraphIndex.build(arrays_of([Row(1, 2)], nodes=3000))
    for number in range(40):
        index = index.changed(arrays_of([Row(1, 3 + number * 50 + at) for at in range(50)], new_nodes=()))
    assert index.edges == 2001
    assert versions(index.after) == {(1, other, COPIED.code, 1.0, 0, OPEN) for other in range(2, 2003)}
    assert len(index.after.other) < 3 * 2001  # without the rows that were left behind


def test_a_new_column_stands_in_its_table() -> None:
    types = {1: NodeType.TABLE, 2: NodeType.COLUMN, 3: NodeType.FIELD, 4: NodeType.DASHBOARD}
    index = GraphIndex.build(arrays_of([Row(2, 4)], types, {2: 1, 3: 2}))
    assert index.table.tolist() == [0, 1, 1, 1, 0]
    more = {5: NodeType.COLUMN, 6: NodeType.VIEW, 7: NodeType.COLUMN, 8: NodeType.FIELD}
    later = index.changed(arrays_of([], more, {5: 1, 7: 6, 8: 3}, new_nodes=(5, 6, 7, 8)))
    assert sorted(later.columns_of(np.array([1]))[1].tolist()) == [2, 3, 5, 8]
    assert later.columns_of(np.array([6]))[1].tolist() == [7]
    assert sorted(index.columns_of(np.array([1]))[1].tolist()) == [2, 3]


def test_a_column_that_was_known_without_its_table_gets_it() -> None:
    index = GraphIndex.build(arrays_of([], {1: NodeType.COLUMN}))
    later = index.changed(arrays_of([], {1: NodeType.COLUMN, 2: NodeType.TABLE}, {1: 2}))
    assert later.columns_of(np.array([2]))[1].tolist() == [1]


@pytest.mark.slow
def test_an_edge_takes_less_than_a_hundred_bytes() -> None:
    numbers = np.random.default_rng(1)
    ends = numbers.integers(1, 30_000, (100_000, 2))
    index = GraphIndex.build(arrays_of([Row(int(a), int(b)) for a, b in ends], nodes=30_000))
    assert index.nbytes / index.edges < 100


@pytest.mark.parametrize("size", [0, 1], ids=["no_node", "one_node"])
def test_an_empty_graph_has_an_index(size: int) -> None:
    index = GraphIndex.build(arrays_of([], nodes=size))
    assert (index.size, index.edges) == (size + 1, 0)


def test_numbers_too_large_for_one_key_are_sorted_by_columns() -> None:
    far = 1 << 27
    facts = arrays_of([Row(2, 1), Row(1, 2, 0.5), Row(1, 2, 0.5)], nodes=2)
    shifted = VersionArrays(
        facts.source + far, facts.target + far, facts.kind, facts.confidence, facts.valid_from, facts.valid_to
    )
    found = versions_from(shifted)
    assert found.source.tolist() == [far + 2, far + 1]
    assert found.confidence.tolist() == [1.0, 0.75]


def test_rows_are_packed_by_owner_and_class() -> None:
    packed = pack(3, np.array([2, 0, 2, 2]), np.array([1, 0, 0, 1]), (np.array([5, 6, 7, 8]),), 2)
    assert packed.bounds.tolist() == [[0, 1, 1], [1, 1, 1], [1, 2, 4]]
    assert packed.columns[0][:4].tolist() == [6, 7, 5, 8]
