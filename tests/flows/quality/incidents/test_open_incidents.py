"""What is wrong on a branch now: found in the records of runs on memory adapters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from forge.connection import RunReport
from forge.flows.quality.health import Day, failing_columns, find_health, find_trend, find_verdicts, newest_attempts
from forge.flows.quality.incidents.impact import edges_at, find_incidents
from forge.flows.quality.incidents.open_incidents import OpenIncident, find_open_incidents, result_of
from forge.flows.runs.project import Project
from forge.flows.runs.run import RunPorts, RunRequest, RunResult, run
from forge.flows.versioning.branches import create_branch, create_default_branch
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.quality.spec import load_check
from forge.quality.verdict import Outcome
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import PythonFunction, Transform, TransformKind
from forge.versioning.commit import Author

START = datetime(2026, 11, 10, 6, 10, tzinfo=UTC)
MAIN = BranchName("main")
ADA = Author("Ada", "ada@example.com")
Rows = list[dict[str, object]]


def name(text: str) -> TableName:
    return TableName.parse(text)


@dataclass
class Shop:
    """raw.orders → core.orders → marts.revenue, and raw.rates beside them. Every run is a day after the last one."""

    transforms: dict[TableName, Transform] = field(default_factory=dict)
    checks: dict[TableName, list[dict[str, object]]] = field(default_factory=dict)
    now: datetime = START - timedelta(days=1)

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata = MemoryMetadata(catalog)
        self.lake = MemoryLake(catalog)
        self.engine = MemoryEngine(self.lake)
        create_default_branch(self.metadata, MAIN, ADA, START)
        self.load(5, 7)
        self.make("raw.rates", lambda: [{"rate": 1}])
        self.make("core.orders", lambda raw_orders: raw_orders, ("raw.orders",))
        self.make("marts.revenue", lambda core_orders: core_orders, ("core.orders",))
        self.checks[name("core.orders")] = [{"type": "range", "column": "amount", "max": 100, "severity": "critical"}]

    def make(self, output: str, function: Callable[..., Rows], inputs: tuple[str, ...] = (), code: str = "1") -> None:
        arguments = {text.replace(".", "_"): name(text) for text in inputs}
        body, table = PythonFunction(function, arguments, False), name(output)
        self.transforms[table] = Transform(
            output=table,
            body=body,
            file=f"{table}.py",
            line=1,
            code_hash=code,
            kind=TransformKind.FULL,
            inputs=tuple(map(name, inputs)),
        )

    def load(self, *amounts: int) -> None:
        """New data in the source."""
        rows: Rows = [{"id": number, "amount": amount} for number, amount in enumerate(amounts)]
        self.make("raw.orders", lambda: rows, code=repr(amounts))

    def project(self) -> Project:
        checks = {t: tuple(load_check(c, table=t, where="x") for c in cs) for t, cs in self.checks.items()}
        return Project(
            root=Path(),
            transforms=self.transforms,
            contracts={},
            checks=checks,
            rules_hash={t: repr(c) for t, c in self.checks.items()},
            owner_of=self.owner,
        )

    def owner(self, table: TableName) -> str:
        return f"{table.schema}@example.com"

    def run(self, *selection: str, branch: str = "main", publish_all: bool = False) -> RunResult:
        self.now += timedelta(days=1)
        ports = RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=self.engine,
            clock=lambda: self.now,
            author=ADA,
            secrets=lambda reference: "",
            publish_all=publish_all,
        )
        return run(RunRequest(branch=BranchName(branch), selection=selection), self.project(), ports)

    def open(self, branch: str = "main") -> tuple[OpenIncident, ...]:
        found = self.metadata.branch(BranchName(branch))
        assert found is not None
        tree = self.metadata.tree(found.head)
        return find_open_incidents(self.metadata, found.name, found.head, tree, self.owner)


@pytest.fixture
def held_shop() -> Shop:
    return Shop()


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def test_where_all_passed_nothing_is_wrong(held_shop: Shop) -> None:
    assert held_shop.open() == ()
    held_shop.run()
    assert held_shop.open() == ()


def test_a_failed_gate_is_an_incident_with_its_cause_and_its_reach(held_shop: Shop) -> None:
    good = held_shop.run()
    held_shop.load(5, 500)
    bad = held_shop.run()
    (found,) = held_shop.open()
    incident = found.incident
    assert (str(incident.column), incident.verdict.severity, found.run.id) == (
        "core.orders.amount",
        "critical",
        bad.run.id,
    )
    assert found.since == day(1)
    assert found.previous == next(v.message for v in good.verdicts if v.check_id == incident.verdict.check_id)
    assert str(incident.origin) == "raw.orders.amount"
    assert incident.commit == bad.commit  # this run published raw.orders
    assert [(str(s.column), s.owner) for s in incident.spared] == [("marts.revenue.amount", "marts@example.com")]
    assert [str(table) for table in found.held_back] == ["core.orders", "marts.revenue"]
    assert [(str(kept.table), kept.version, kept.commit) for kept in found.kept] == [
        ("core.orders", 1, good.commit),
        ("marts.revenue", 1, good.commit),
    ]


def test_it_is_over_when_a_later_run_passes(held_shop: Shop) -> None:
    held_shop.load(500)
    held_shop.run()
    assert len(held_shop.open()) == 1
    held_shop.load(5)
    held_shop.run()
    assert held_shop.open() == ()


def test_a_run_that_did_not_judge_the_table_ends_nothing(held_shop: Shop) -> None:
    held_shop.run()
    held_shop.load(500)
    blocked = held_shop.run()
    held_shop.run("raw.rates")  # another table
    assert [found.run.id for found in held_shop.open()] == [blocked.run.id]
    held_shop.load(5, 7)
    held_shop.run("raw.orders")
    assert [str(o.status) for o in held_shop.run("core.orders").run.outputs] == ["published"]
    assert held_shop.open() == ()


def test_a_run_that_finds_the_table_up_to_date_ends_it(held_shop: Shop) -> None:
    """What was wrong has been taken back: readers have what the code and its inputs say."""
    held_shop.run()
    usual = held_shop.checks[name("core.orders")]
    held_shop.checks[name("core.orders")] = [{"type": "range", "column": "amount", "max": 1}]
    held_shop.run()
    assert len(held_shop.open()) == 1
    held_shop.checks[name("core.orders")] = usual
    again = held_shop.run()
    assert {str(o.table): str(o.status) for o in again.run.outputs}["core.orders"] == "up to date"
    assert held_shop.open() == ()


def test_a_run_that_skips_the_table_ends_nothing(held_shop: Shop) -> None:
    held_shop.run()
    held_shop.load(500)
    blocked = held_shop.run()
    held_shop.load(5, 7)
    held_shop.checks[name("raw.orders")] = [{"type": "row_count", "min": 10}]
    again = held_shop.run()
    assert {str(o.table): str(o.status) for o in again.run.outputs}["core.orders"] == "skipped"
    runs = {(found.incident.column.table, found.incident.column.column): found.run.id for found in held_shop.open()}
    assert runs == {("core.orders", "amount"): blocked.run.id, ("raw.orders", ""): again.run.id}


def test_it_is_as_old_as_the_row_of_failures_and_keeps_the_commit_that_began_it(held_shop: Shop) -> None:
    held_shop.load(500)
    held_shop.run()
    held_shop.load(5)
    good = held_shop.run()
    held_shop.load(600)
    first = held_shop.run()
    held_shop.load(700)
    last = held_shop.run()
    (found,) = held_shop.open()
    assert (found.since, found.run.id) == (day(2), last.run.id)
    assert found.incident.commit == first.commit != last.commit
    assert found.previous == good.verdicts[0].message
    assert "700" in found.incident.verdict.message


def test_the_id_stays_while_it_is_open(held_shop: Shop) -> None:
    held_shop.load(500)
    held_shop.run()
    before = held_shop.open()[0].id
    held_shop.load(700)
    held_shop.run()
    assert held_shop.open()[0].id == before


def test_a_table_that_was_never_published_has_its_origin_and_its_reach_nowhere(held_shop: Shop) -> None:
    held_shop.load(500)
    bad = held_shop.run()
    (found,) = held_shop.open()
    assert str(found.incident.origin) == "raw.orders.amount"
    assert found.incident.commit == bad.commit
    assert (found.kept, found.previous) == ((), None)


@pytest.mark.parametrize("publish_all", [False, True])
def test_the_lineage_of_what_was_held_back_is_recorded_and_is_not_the_tree_s(
    held_shop: Shop, publish_all: bool
) -> None:
    first = held_shop.run()
    held_shop.make("core.orders", lambda raw_orders, raw_rates: raw_orders, ("raw.orders", "raw.rates"), code="2")
    held_shop.make("raw.rates", lambda: [{"amount": 2}], code="2")
    held_shop.load(500)
    bad = held_shop.run(publish_all=publish_all)
    recorded = {one.table: one for _, one in held_shop.metadata.lineage([bad.run.id])}
    assert {str(edge.source) for edge in recorded[name("core.orders")].edges} == {
        "raw.orders.id",
        "raw.orders.amount",
        "raw.rates.amount",
    }
    head = held_shop.metadata.branch(MAIN)
    assert head is not None
    tree = held_shop.metadata.tree(head.head)
    assert tree[name("core.orders")].run_id == first.run.id
    assert "raw.rates" not in {edge.source.table for edge in edges_at(held_shop.metadata, tree)}
    (found,) = held_shop.open()
    assert found.incident.origin is not None
    assert found.incident.origin.table in ("raw.orders", "raw.rates")


def test_a_branch_has_its_own_incidents(held_shop: Shop) -> None:
    held_shop.run()
    create_branch(held_shop.metadata, "dev", "HEAD", current=MAIN, author=ADA, clock=lambda: held_shop.now)
    held_shop.load(500)
    held_shop.run(branch="dev")
    assert held_shop.open() == ()
    (found,) = held_shop.open("dev")
    assert (found.run.branch, [kept.version for kept in found.kept]) == ("dev", [1, 1])


def test_the_worst_comes_first_by_severity_then_reach_then_age(held_shop: Shop) -> None:
    held_shop.make("marts.other", lambda raw_rates: raw_rates, ("raw.rates",))
    held_shop.run()
    held_shop.checks |= {
        name("core.orders"): [{"type": "range", "column": "amount", "max": 1}],
        name("raw.rates"): [{"type": "range", "column": "rate", "max": 0, "severity": "critical"}],
        name("marts.revenue"): [{"type": "range", "column": "id", "max": -1}],
    }
    held_shop.run("marts.revenue")
    held_shop.run("core.orders", "raw.rates")
    assert [str(found.incident.column) for found in held_shop.open()] == [
        "raw.rates.rate",  # critical
        "core.orders.amount",  # one column stands on it
        "marts.revenue.id",  # none does
    ]


def test_a_check_of_the_whole_table_reaches_all_that_stands_on_it(held_shop: Shop) -> None:
    held_shop.run()
    held_shop.checks[name("core.orders")] = [{"type": "row_count", "min": 10}]
    bad = held_shop.run()
    (found,) = held_shop.open()
    assert (found.incident.column.table, found.incident.column.column) == ("core.orders", "")
    assert [str(s.column) for s in found.incident.spared] == ["marts.revenue.amount", "marts.revenue.id"]
    assert (found.incident.origin, found.incident.origin_table) == (None, "raw.orders")
    assert bad.commit is None
    assert found.incident.commit is not None
    assert found.incident.commit.time == day(0)


def test_one_that_could_not_be_measured_is_an_incident_too(held_shop: Shop) -> None:
    held_shop.checks[name("core.orders")] = [{"type": "not_null", "column": "nosuch"}]
    held_shop.run()
    (found,) = held_shop.open()
    assert found.incident.verdict.outcome is Outcome.NOT_MEASURED


def test_records_tell_what_the_run_told(held_shop: Shop) -> None:
    """The terminal's panel is the same from the records as it was after the run."""
    held_shop.run()
    held_shop.load(500)
    result = held_shop.run()
    head = held_shop.metadata.branch(MAIN)
    assert head is not None
    told = RunReport(
        result,
        find_incidents(result, held_shop.project(), held_shop.metadata, held_shop.metadata.tree(head.head), head.head),
    )
    opened = held_shop.open()
    recorded = RunReport(result_of(held_shop.metadata, opened[0].run), tuple(one.incident for one in opened))
    assert recorded.incidents == told.incidents
    assert recorded.result.verdicts == told.result.verdicts
    assert recorded.commit == told.commit


def test_health_is_of_the_version_and_tells_what_was_held_back(held_shop: Shop) -> None:
    held_shop.checks[name("core.orders")].append({"type": "range", "column": "id", "max": 0, "severity": "warning"})
    good = held_shop.run()
    held_shop.load(500, 600)
    bad = held_shop.run()
    head = held_shop.metadata.branch(MAIN)
    assert head is not None
    tree, held = held_shop.metadata.tree(head.head), held_shop.metadata.blocked(MAIN)
    health = find_health(held_shop.metadata, name("core.orders"), tree, held)
    assert health.run is not None
    assert health.attempt is not None
    assert (health.run.id, health.attempt.id) == (good.run.id, bad.run.id)
    assert (health.score, health.count(Outcome.FAILED), len(health.held_back)) == (50.0, 1, 2)
    then = find_health(held_shop.metadata, name("core.orders"), tree, ())
    assert (then.checks, then.held_back) == (health.checks, ())
    with pytest.raises(ForgeError, match=r"core\.orderz") as unknown:
        find_health(held_shop.metadata, name("core.orderz"), tree, held)
    assert (unknown.value.code, unknown.value.why) == ("E108", "Did you mean core.orders or raw.orders?")


def test_what_fails_now_is_of_the_newest_attempt_of_each_table(held_shop: Shop) -> None:
    held_shop.checks[name("marts.revenue")] = [{"type": "range", "column": "id", "max": 0, "severity": "info"}]
    held_shop.run()
    held_shop.load(500)
    held_shop.run()
    head = held_shop.metadata.branch(MAIN)
    assert head is not None
    attempts = newest_attempts(held_shop.metadata.tree(head.head), held_shop.metadata.blocked(MAIN))
    failed = find_verdicts(held_shop.metadata, attempts, Outcome.FAILED)
    assert failing_columns(failed) == {"core.orders.amount", "marts.revenue.id"}
    assert [verdict.check_id for run_id, verdict in failed if run_id == attempts[name("core.orders")]] != []


def test_the_trend_counts_each_day_in_utc(held_shop: Shop) -> None:
    held_shop.run()
    held_shop.load(500)
    held_shop.run()
    held_shop.run("raw.rates")
    days = find_trend(held_shop.metadata, MAIN, day(3), 4)
    assert days == (
        Day(day(0).date(), passed=1, runs=1),
        Day(day(1).date(), failed=1, runs=1),
        Day(day(2).date(), runs=1),
        Day(day(3).date()),
    )


@pytest.mark.parametrize(
    ("now", "last"),
    [
        pytest.param(0, 0, id="today"),
        pytest.param(29, 29, id="the run is at the very beginning of the days"),
        pytest.param(30, 0, id="the run is older than the days"),
        pytest.param(-1, 0, id="the run is in the future"),
    ],
)
def test_the_days_end_now_unless_the_newest_run_is_not_among_them(held_shop: Shop, now: int, last: int) -> None:
    held_shop.run()
    days = find_trend(held_shop.metadata, MAIN, day(now), 30)
    assert (len(days), days[-1].day) == (30, day(last).date())
    assert sum(one.runs for one in days) == 1


def test_without_a_run_the_days_are_empty(held_shop: Shop) -> None:
    assert find_trend(held_shop.metadata, MAIN, day(0), 2) == (Day(day(-1).date()), Day(day(0).date()))
