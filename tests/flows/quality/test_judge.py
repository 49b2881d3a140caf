"""Judging in tiers, on a memory engine: which are asked, in which order, and what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from forge.flows.ports import SnapshotGrowth
from forge.flows.quality.judge import judge
from forge.flows.quality.measure import MeasureSubject, MeasureTools, measure
from forge.flows.runs.engine import MeasureBatch, Pin
from forge.model.errors import DatabaseBusyError
from forge.model.names import CatalogName, SnapshotId, TableName
from forge.model.schema import Column, Schema
from forge.quality.checks import NotNullCheck, QueryCheck, RangeCheck, RowCountCheck, UniqueCheck, ZScoreCheck
from forge.quality.measure import PREVIOUS, Measure, NotMeasured, Reading
from forge.quality.readings import Moments
from forge.quality.state import key_of
from forge.quality.verdict import Outcome
from forge.stores.memory.measure import MemoryMeasurer
from forge.stores.memory.quality.states import MemoryStates
from forge.versioning.errors import UnknownRevisionError

NOW = datetime(2026, 11, 15, tzinfo=UTC)
ORDERS = TableName("core", "orders")
ROW = CatalogName("core", "orders")
SCHEMA = Schema((Column("id", "bigint"), Column("amount", "double")))
ROWS, NULLS = Measure(kind="rows"), Measure(kind="nulls", columns=("amount",))


@dataclass
class World:
    """Snapshots 1, 2, … of so many rows each, every one appended to the one before. Manifests prove the rows alone."""

    sizes: list[int]
    growth_kind: str = "appended"
    same_columns: frozenset[str] = frozenset({"id", "amount"})
    asked: list[tuple[Pin, tuple[Measure, ...]]] = field(default_factory=list)
    sampled: list[int] = field(default_factory=list)
    states: MemoryStates = field(default_factory=MemoryStates)

    # of the lake
    def measure_manifests(
        self, catalog: CatalogName, snapshot: SnapshotId, measures: Sequence[Measure]
    ) -> dict[Measure, Reading]:
        return {one: self.sizes[snapshot - 1] for one in measures if one == ROWS}

    def growth(self, catalog: CatalogName, since: SnapshotId, until: SnapshotId) -> SnapshotGrowth:
        if since == until:
            return SnapshotGrowth("none", self.same_columns, True)
        whole = self.same_columns == {"id", "amount"}
        return SnapshotGrowth(self.growth_kind, self.same_columns, whole)  # type: ignore[arg-type]

    def snapshot(self, catalog: CatalogName, snapshot: SnapshotId) -> object:
        return Parent(SnapshotId(snapshot - 1) if snapshot > 1 else None)

    # of the engine
    def rows(self, pin: Pin) -> list[dict[str, object]]:
        assert pin.snapshot_id is not None
        first = self.sizes[pin.since - 1] if pin.since else 0
        return [
            {"id": n, "amount": float(n) if n % 10 else None} for n in range(first, self.sizes[pin.snapshot_id - 1])
        ]

    def tools(self, *, kept: bool = True) -> MeasureTools:
        engine, lake = Engine(self), Lake(self)
        return MeasureTools(lake, lambda: engine, NOW, self.states if kept else None)  # type: ignore[arg-type, return-value]

    def subject(self, snapshot: int | None = None) -> MeasureSubject:
        at = SnapshotId(snapshot or len(self.sizes))
        return MeasureSubject(ORDERS, SCHEMA, Pin(ORDERS, ROW, at), {}, lambda revision: self.version(revision, at))

    def version(self, revision: str, at: SnapshotId) -> Pin | None:
        if revision != PREVIOUS:
            raise UnknownRevisionError(f"No branch, tag, commit or time matches '{revision}'")
        return Pin(ORDERS, ROW, SnapshotId(at - 1)) if at > 1 else None


@dataclass
class Parent:
    parent_id: SnapshotId | None


@dataclass
class Lake:
    world: World

    def measure(
        self, catalog: CatalogName, snapshot: SnapshotId, measures: Sequence[Measure]
    ) -> dict[Measure, Reading]:
        return self.world.measure_manifests(catalog, snapshot, measures)

    def growth(self, catalog: CatalogName, since: SnapshotId, until: SnapshotId) -> SnapshotGrowth:
        return self.world.growth(catalog, since, until)

    def snapshot(self, catalog: CatalogName, snapshot: SnapshotId) -> object:
        return self.world.snapshot(catalog, snapshot)


@dataclass
class Engine:
    world: World

    def measure(
        self, target: Pin, measures: Sequence[Measure], others: object, report: object = None
    ) -> Mapping[Measure, Reading]:
        assert callable(report)
        self.world.asked.append((target, tuple(measures)))
        report(MeasureBatch("scan", tuple(measures), 2.0))
        return MemoryMeasurer(self.world.rows(target), columns=("id", "amount")).measure(measures)

    def sample(
        self, target: Pin, checks: Sequence[object], *rest: object
    ) -> tuple[tuple[Mapping[str, object], ...], ...]:
        self.world.sampled.append(len(checks))
        return tuple(({"id": 1},) for _ in checks)


class QueryEngine(Engine):
    """Every query gives two rows."""

    def measure(
        self, target: Pin, measures: Sequence[Measure], others: object, report: object = None
    ) -> Mapping[Measure, Reading]:
        return dict.fromkeys(measures, 2)


def test_what_manifests_prove_asks_no_engine() -> None:
    world = World([10])
    found = measure(world.subject(), [ROWS], world.tools())
    assert found.readings == {ROWS: 10}
    assert world.asked == []


def test_of_a_table_that_grew_the_engine_is_asked_for_the_new_files_only() -> None:
    world = World([10])
    measures = [
        NULLS,
        Measure(kind="moments", columns=("amount",)),
        Measure(kind="max", columns=("amount",)),
        Measure(kind="duplicates", columns=("id",)),
    ]
    measure(world.subject(), measures, world.tools())
    world.sizes.append(30)
    found = measure(world.subject(), measures, world.tools())
    anew = World([10, 30])
    whole = measure(anew.subject(), measures, anew.tools(kept=False))
    assert found.readings[NULLS] == 3
    moments, anew_moments = (one.readings[measures[1]] for one in (found, whole))
    assert isinstance(moments, Moments)
    assert isinstance(anew_moments, Moments)
    assert (moments.count, moments.mean) == pytest.approx((anew_moments.count, anew_moments.mean))
    assert moments.m2 == pytest.approx(anew_moments.m2)
    assert [found.readings[m] for m in measures if m.kind != "moments"] == [3, 29.0, 0]
    new, rest = world.asked[1:]
    assert (new[0].since, set(new[1])) == (1, set(measures[:3]))
    assert (rest[0].since, rest[1]) == (None, (measures[3],))  # keys of old files may come again in new ones
    assert {b.tier for b in found.batches} == {"new files", "scan"}


def test_the_same_snapshot_is_not_measured_twice() -> None:
    world = World([10])
    measures = [NULLS, Measure(kind="duplicates", columns=("id",))]
    first = measure(world.subject(), measures, world.tools())
    again = measure(world.subject(), measures, world.tools())
    assert again.readings == first.readings
    assert len(world.asked) == 1
    assert [b.tier for b in again.batches] == ["kept"]


@pytest.mark.parametrize("kind", ["rewritten", "replaced"])
def test_a_table_that_was_rewritten_is_read_anew(kind: str) -> None:
    world = World([10])
    measure(world.subject(), [NULLS], world.tools())
    world.sizes.append(30)
    world.growth_kind = kind
    measure(world.subject(), [NULLS], world.tools())
    assert world.asked[1][0].since is None


def test_a_column_that_was_made_anew_under_its_name_is_read_anew() -> None:
    world = World([10])
    of_id, by_sql = Measure(kind="nulls", columns=("id",)), Measure(kind="nulls", columns=("id",), where="id > 0")
    tools = replace(world.tools())
    measure(world.subject(), [NULLS, of_id], tools)
    world.sizes.append(30)
    world.same_columns = frozenset({"id"})
    measure(world.subject(), [NULLS, of_id, by_sql], tools)
    assert [(pin.since, set(asked)) for pin, asked in world.asked[1:]] == [(1, {of_id}), (None, {NULLS, by_sql})]


def test_a_predicate_of_the_time_of_day_is_never_kept() -> None:
    world = World([10])
    moving = Measure(kind="false", columns=(), arguments=("at < current_timestamp()",))
    for _ in range(2):
        measure(world.subject(), [moving], world.tools())
    assert len(world.asked) == 2


def test_another_version_that_is_not_there_reads_none_and_an_unknown_one_says_why() -> None:
    world = World([10])
    before, lost = (
        Measure(kind="nulls", columns=("amount",), at=PREVIOUS),
        Measure(kind="nulls", columns=("amount",), at="nowhere"),
    )
    readings = measure(world.subject(), [before, lost, NULLS], world.tools()).readings
    assert readings[before] is None
    reading = readings[lost]
    assert isinstance(reading, NotMeasured)
    assert "nowhere" in reading.reason
    assert readings[NULLS] == 1
    world.sizes.append(25)
    assert measure(world.subject(), [before], world.tools()).readings == {before: 1}


def test_since_is_the_rows_of_new_files() -> None:
    new = replace(NULLS, since=PREVIOUS)
    world = World([10])
    assert measure(world.subject(), [new], world.tools()).readings == {new: 1}  # all files of the first are new
    world.sizes.append(40)
    assert measure(world.subject(), [new], world.tools()).readings == {new: 3}
    world.growth_kind = "none"
    nothing = measure(world.subject(), [new, replace(new, by=("id",))], world.tools()).readings
    assert list(nothing.values()) == [0, {}]
    world.growth_kind = "rewritten"
    reading = measure(world.subject(), [new], world.tools()).readings[new]
    assert isinstance(reading, NotMeasured)
    assert "rewritten since previous" in reading.reason


def test_a_second_round_counts_what_the_first_made_bounds_of() -> None:
    world = World([1000])
    found = judge(world.subject(), (ZScoreCheck("amount"),), frozenset(), world.tools())
    assert found.verdicts[0].outcome is Outcome.PASSED
    assert len(world.asked) == 2
    assert any(m.kind == "outside_range" for m in world.asked[1][1])
    assert "none outside" in found.verdicts[0].message


def test_one_more_pass_takes_the_samples_of_all_failed_checks() -> None:
    world = World([100])
    checks = (NotNullCheck(("amount",)), RangeCheck("id", 0, 5), RowCountCheck(1, 5), UniqueCheck(("id",)))
    found = judge(world.subject(), checks, frozenset(), world.tools())
    assert [v.outcome.value for v in found.verdicts] == ["failed", "failed", "failed", "passed"]
    assert world.sampled == [2]  # a number of rows has no row to show
    assert found.verdicts[0].details["sample"] == [{"id": 1}]
    assert "sample" not in found.verdicts[2].details


def test_rows_of_a_query_over_personal_data_show_no_value_under_any_name() -> None:
    people = TableName("core", "people")
    query, other = QueryCheck("SELECT email AS id FROM core.people"), QueryCheck("SELECT id FROM core.orders")
    world = World([100])
    tools = replace(world.tools(), engine=lambda: QueryEngine(world))  # type: ignore[arg-type, return-value]
    found = judge(world.subject(), (query, other), frozenset(), tools, frozenset({people}))
    assert [v.details["sample"] for v in found.verdicts] == [[{"id": "***"}], [{"id": 1}]]


def test_executions_say_what_was_shared_and_where_it_came_from() -> None:
    world = World([100])
    checks = (RowCountCheck(1, 500), NotNullCheck(("amount",), 50.0), UniqueCheck(("id",)))
    found = judge(world.subject(), checks, frozenset(), world.tools())
    by_check = [found.executions[v.check_id] for v in found.verdicts]
    assert [e.tiers for e in by_check] == [("manifests",), ("manifests", "scan"), ("manifests", "scan")]
    assert [e.shared for e in by_check] == [False, True, True]
    assert by_check[1].ms >= 2.0


class BusyStates:
    """A store whose database does not answer."""

    def kept(self, *_: object) -> Mapping[tuple[SnapshotId, str], str]:
        raise DatabaseBusyError("The database is busy")

    def keep(self, *_: object) -> None:
        raise DatabaseBusyError("The database is busy")


def test_a_store_that_does_not_answer_costs_no_reading() -> None:
    world = World([10])
    found = measure(world.subject(), [NULLS], replace(world.tools(), states=BusyStates()))
    assert found.readings == {NULLS: 1}


def test_a_kept_reading_of_another_form_is_measured_anew() -> None:
    world = World([10])
    world.states.keep(ORDERS, SnapshotId(1), {key_of(NULLS): '["riddle", 1]'}, NOW)
    assert measure(world.subject(), [NULLS], world.tools()).readings == {NULLS: 1}
