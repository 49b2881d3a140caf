"""What a failure came from and whom it hits, out of the lineage of runs on memory adapters."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from alert_world import HOURLY, NOON, PASSED, AlertWorld, Recorder, verdict

from forge.flows.quality.incidents.deliveries import deliver_due
from forge.flows.quality.incidents.root_cause import cause_now, pick_cause
from forge.flows.quality.incidents.tracker import find_incident
from forge.flows.runs.project import Project
from forge.flows.runs.run import RunPorts, RunRequest, run
from forge.flows.versioning.branches import create_default_branch
from forge.model.names import BranchName, TableName
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope, AlertState, AlertStatus
from forge.quality.alerts.delivery import ChannelTiming
from forge.quality.alerts.notice import AffectedColumn
from forge.quality.verdict import Severity
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import PythonFunction, Transform, TransformKind
from forge.versioning.commit import Author

ADA = Author("Ada", "ada@example.com")
MAIN = BranchName("main")
RAW, CORE, MART = (AlertScope(AlertOrigin.MONITOR, name) for name in ("raw", "core", "mart"))
Rows = list[dict[str, object]]


@pytest.fixture
def published_alert_world() -> AlertWorld:
    """raw.orders → core.orders → marts.revenue, published once."""
    catalog = MemoryCatalog()
    metadata, lake = MemoryMetadata(catalog), MemoryLake(catalog)
    create_default_branch(metadata, MAIN, ADA, NOON)
    transforms: dict[TableName, Transform] = {}

    def make(output: str, function: Callable[..., Rows], *inputs: str) -> None:
        names = {text.replace(".", "_"): TableName.parse(text) for text in inputs}
        body, table = PythonFunction(function, names, False), TableName.parse(output)
        transforms[table] = Transform(
            output=table,
            body=body,
            file=f"{table}.py",
            line=1,
            code_hash="1",
            kind=TransformKind.FULL,
            inputs=tuple(names.values()),
        )

    make("raw.orders", lambda: [{"id": 1, "amount": 5}])
    make("core.orders", lambda raw_orders: raw_orders, "raw.orders")
    make("marts.revenue", lambda core_orders: core_orders, "core.orders")
    ports = RunPorts(
        metadata=metadata,
        lake=lake,
        engine=MemoryEngine(lake),
        clock=lambda: NOON,
        author=ADA,
        secrets=lambda reference: "",
    )
    run(
        RunRequest(branch=MAIN),
        Project(
            root=Path(), transforms=transforms, contracts={}, checks={}, rules_hash={}, owner_of=lambda table: None
        ),
        ports,
    )
    return AlertWorld(metadata=metadata)


def test_who_is_hit_downstream_is_named_with_who_answers_for_it(published_alert_world: AlertWorld) -> None:
    (opened,) = published_alert_world.judge(verdict()).opened
    found = find_incident(published_alert_world.ports, opened)
    assert found.hit == (AffectedColumn("marts.revenue.amount", "fin@example.com"),)
    assert found.upstream == ("raw.orders",)
    assert found.cause is None
    deliver_due(published_alert_world.ports)
    text = str(published_alert_world.ops.got[0].document["text"])
    assert "hits downstream: 1 columns: marts.revenue.amount (fin@example.com)" in text
    assert "owners hit: fin@example.com" in text


def test_the_cause_is_the_first_dataset_upstream_that_fails_however_late_that_was_found(
    published_alert_world: AlertWorld,
) -> None:
    published_alert_world.judge(verdict(), scope=CORE)
    published_alert_world.clock.forward(minutes=5)
    raw = verdict(check="amount.not_null", table="raw.orders", message="amount: 14% NULL")
    (source,) = published_alert_world.judge(raw, scope=RAW, table="raw.orders").opened
    published_alert_world.clock.forward(minutes=5)
    (opened,) = published_alert_world.judge(verdict(table="marts.revenue"), scope=MART, table="marts.revenue").opened
    cause = find_incident(published_alert_world.ports, opened).cause
    assert cause is not None
    assert (cause.table, cause.check_id, cause.incident_id) == ("raw.orders", "raw.orders.amount.not_null", source)
    assert (cause.commit_id, cause.monitor_run_id, cause.column) == ("3f2a91bcd0001111", "run-1", "amount")
    now = cause_now(published_alert_world.ports, "main", ("raw.orders",))
    assert now is not None
    assert now.table == "raw.orders"


def test_a_storm_down_the_lineage_is_one_message_that_names_its_cause_first(published_alert_world: AlertWorld) -> None:
    published_alert_world.timing = ChannelTiming(timedelta(seconds=30))
    for scope, table in ((MART, "marts.revenue"), (CORE, "core.orders"), (RAW, "raw.orders")):
        published_alert_world.judge(verdict(table=table), scope=scope, table=table)
        published_alert_world.clock.forward(seconds=5)
    published_alert_world.clock.forward(seconds=30)
    assert deliver_due(published_alert_world.ports).sent == 1
    (message,) = published_alert_world.ops.got
    assert message.rendered.subject == "[error] 3 checks of 3 datasets fail, first raw.orders"
    assert [section.title for section in message.rendered.sections] == [
        "raw.orders fails",
        "core.orders fails",
        "marts.revenue fails",
    ]
    lines = {line.label: line.text for line in message.rendered.sections[2].lines}
    assert lines["root cause"].startswith("raw.orders failed first")


def test_a_storm_pages_once_and_is_resolved_when_all_of_it_passes(published_alert_world: AlertWorld) -> None:
    pager = Recorder("pagerduty")
    published_alert_world.channels, published_alert_world.policy = {"pager": pager}, AlertPolicy(("pager",))
    tables = ((CORE, "core.orders"), (RAW, "raw.orders"))
    for scope, table in tables:
        published_alert_world.judge(verdict(table=table), scope=scope, table=table)
    deliver_due(published_alert_world.ports)
    for scope, table in tables:
        published_alert_world.clock.forward(hours=1)
        published_alert_world.judge(verdict(PASSED, table=table), scope=scope, table=table)
        deliver_due(published_alert_world.ports)
    sent = [(event.action, event.key) for message in pager.got for event in message.events]
    assert [action for action, _ in sent] == ["trigger", "resolve"]
    assert len({key for _, key in sent}) == 1


def state(table: str, minutes: int, check: str = "amount.range", columns: tuple[str, ...] = ("amount",)) -> AlertState:
    at = NOON + timedelta(minutes=minutes)
    name = f"{table}.{check}"
    return AlertState(
        scope=HOURLY,
        table=table,
        branch="main",
        check_id=name,
        check_type="range",
        status=AlertStatus.FAILING,
        severity=Severity.ERROR,
        message="off",
        since=at,
        seen_at=at,
        columns=columns,
    )


ABOVE = {"d": ("c", "b", "a", "x"), "c": ("a",), "b": (), "a": (), "x": ()}


def test_of_failing_datasets_upstream_the_one_on_which_no_other_stands_comes_first() -> None:
    failing = [state("c", 0), state("a", 9)]
    cause = pick_cause(ABOVE["d"], failing, lambda table: ABOVE[table])
    assert cause is not None
    assert cause.table == "a"


def test_of_two_sources_the_one_that_failed_first_and_of_its_checks_the_one_on_the_way() -> None:
    failing = [state("a", 5), state("x", 1, "id.unique", ("id",)), state("x", 3)]
    cause = pick_cause(ABOVE["d"], failing, lambda table: ABOVE[table], {"x": frozenset({"amount"})})
    assert cause is not None
    assert (cause.table, cause.check_id, cause.column) == ("x", "x.amount.range", "amount")


def test_where_nothing_upstream_fails_there_is_no_cause() -> None:
    assert pick_cause(("a",), [state("z", 0)]) is None
    assert pick_cause((), [state("z", 0)]) is None
