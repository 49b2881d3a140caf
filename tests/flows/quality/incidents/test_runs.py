"""Alerts and incidents of governed runs on memory adapters: what a run holds back, and what ends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from alert_world import NOON, AlertWorld

from forge.flows.quality.incidents.alerts import settle_run
from forge.flows.quality.incidents.deliveries import deliver_due
from forge.flows.quality.incidents.listed_incident import ListedIncident
from forge.flows.quality.incidents.listing import find_listed, find_tracked, list_incidents, opened_on
from forge.flows.quality.incidents.observer import alert_observer
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.incidents.tracker import UNRESOLVED, IncidentRequest, adopt, change_incident
from forge.flows.quality.judge import JudgedTable
from forge.flows.quality.observers import ObserverChain, after_run
from forge.flows.runs.events import RunListeners, RunSettled, on
from forge.flows.runs.project import Project
from forge.flows.runs.run import RunPorts, RunRequest, run
from forge.flows.versioning.branches import create_default_branch
from forge.model.names import BranchName, TableName
from forge.quality.alerts.alert import AlertOrigin, AlertPolicy, AlertScope
from forge.quality.alerts.incident import IncidentStatus
from forge.quality.spec import load_check
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import PythonFunction, Transform, TransformKind
from forge.versioning.commit import Author

ADA = Author("Ada", "ada@example.com")
MAIN = BranchName("main")
ORDERS, RAW, MART = (TableName.parse(text) for text in ("core.orders", "raw.orders", "marts.revenue"))
Rows = list[dict[str, object]]


@dataclass
class Shop:
    """raw.orders → core.orders → marts.revenue; amounts above 100 hold core.orders back."""

    severity: str = "error"
    rule: Mapping[str, object] = field(default_factory=lambda: {"type": "range", "column": "amount", "max": 100})
    world: AlertWorld = field(default_factory=AlertWorld)

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata = self.world.metadata = MemoryMetadata(catalog)
        self.lake = MemoryLake(catalog)
        self.transforms: dict[TableName, Transform] = {}
        create_default_branch(self.metadata, MAIN, ADA, NOON)
        self.load(5, 7)
        self.make(ORDERS, lambda raw_orders: raw_orders, RAW)
        self.make(MART, lambda core_orders: core_orders, ORDERS)

    @property
    def ports(self) -> AlertPorts:
        return replace(self.world.ports, runs=AlertPolicy(("ops",)))

    def make(self, table: TableName, function: Callable[..., Rows], *inputs: TableName, code: str = "1") -> None:
        arguments = {str(one).replace(".", "_"): one for one in inputs}
        body = PythonFunction(function, arguments, False)
        self.transforms[table] = Transform(
            output=table, body=body, file=f"{table}.py", line=1, code_hash=code, kind=TransformKind.FULL, inputs=inputs
        )

    def load(self, *amounts: int) -> None:
        rows: Rows = [{"id": number, "amount": amount} for number, amount in enumerate(amounts)]
        self.make(RAW, lambda: rows, code=repr(amounts))

    def run(self) -> str:
        self.world.clock.forward(hours=1)
        check = load_check({**self.rule, "severity": self.severity}, table=ORDERS, where="x")
        project = Project(
            root=Path(),
            transforms=self.transforms,
            contracts={},
            checks={ORDERS: (check,)},
            rules_hash={ORDERS: "1"},
            owner_of=lambda table: None,
        )
        observers = ObserverChain((alert_observer(self.ports),))

        events = RunListeners(
            (
                on(JudgedTable, lambda judged: after_run(judged, observers)),
                on(RunSettled, lambda run: settle_run(self.ports, run.branch, run.run_id, run.outputs)),
            )
        )
        ports = RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=MemoryEngine(self.lake),
            clock=self.world.clock,
            author=ADA,
            secrets=lambda reference: "",
            events=events,
        )
        return str(run(RunRequest(branch=MAIN), project, ports).run.status)

    def listed(self, *statuses: IncidentStatus) -> tuple[ListedIncident, ...]:
        return list_incidents(self.ports, opened_on(self.ports, MAIN), statuses or UNRESOLVED)

    def statuses(self) -> list[IncidentStatus]:
        return [one.status for one in self.world.store.incidents()]


@pytest.fixture
def alerting_shop() -> Shop:
    return Shop()


def test_what_a_run_holds_back_is_told_and_tracked_with_whom_it_hits(alerting_shop: Shop) -> None:
    alerting_shop.run()
    alerting_shop.load(5, 500)
    assert alerting_shop.run() == "blocked"
    (incident,) = alerting_shop.world.store.incidents()
    assert (incident.scope, incident.commit_id) == (AlertScope(AlertOrigin.RUN, "main"), None)
    assert [hit.column for hit in incident.hit] == ["marts.revenue.amount"]
    deliver_due(alerting_shop.ports)
    assert alerting_shop.world.subjects()[0].startswith("[error] core.orders: range fails: amount")
    (listed,) = list_incidents(alerting_shop.ports, opened_on(alerting_shop.ports, MAIN), UNRESOLVED)
    assert listed.opened is not None
    assert listed.record == incident


def test_good_data_resolves_it(alerting_shop: Shop) -> None:
    alerting_shop.load(5, 500)
    alerting_shop.run()
    alerting_shop.load(5, 50)
    assert alerting_shop.run() == "succeeded"
    assert alerting_shop.statuses() == [IncidentStatus.RESOLVED]
    deliver_due(alerting_shop.ports)
    assert list_incidents(alerting_shop.ports, opened_on(alerting_shop.ports, MAIN), UNRESOLVED) == ()


def test_data_that_is_as_it_was_before_the_failure_resolves_it_though_nothing_was_judged(alerting_shop: Shop) -> None:
    alerting_shop.run()
    alerting_shop.load(5, 500)
    alerting_shop.run()
    alerting_shop.load(5, 7)
    alerting_shop.run()
    alerting_shop.run()
    assert opened_on(alerting_shop.ports, MAIN) == ()
    assert alerting_shop.statuses() == [IncidentStatus.RESOLVED]


def test_a_warning_that_was_published_stays_while_the_table_is_as_it_was() -> None:
    alerting_shop = Shop(severity="warning")
    alerting_shop.load(5, 500)
    assert alerting_shop.run() == "succeeded"
    alerting_shop.run()
    assert alerting_shop.statuses() == [IncidentStatus.OPEN]


def test_one_that_was_resolved_by_hand_is_not_in_the_list_until_it_fails_again(alerting_shop: Shop) -> None:
    alerting_shop.load(5, 500)
    alerting_shop.run()
    (incident,) = alerting_shop.world.store.incidents()
    change_incident(alerting_shop.ports, incident.id, IncidentRequest(IncidentStatus.RESOLVED), "ada")
    assert list_incidents(alerting_shop.ports, opened_on(alerting_shop.ports, MAIN), UNRESOLVED) == ()
    alerting_shop.load(5, 600)
    alerting_shop.run()
    (listed,) = list_incidents(alerting_shop.ports, opened_on(alerting_shop.ports, MAIN), UNRESOLVED)
    assert listed.record is not None
    assert (listed.record.id, listed.record.reopened) == (incident.id, 1)


def test_a_failure_of_before_incidents_were_tracked_is_adopted_once(alerting_shop: Shop) -> None:
    alerting_shop.load(5, 500)
    alerting_shop.run()
    empty = replace(alerting_shop.ports, store=AlertWorld().store)
    (opened,) = opened_on(empty, MAIN)
    first = adopt(empty, opened)
    assert adopt(empty, opened).id == first.id
    assert (first.opened_at, first.run_id) == (opened.since, opened.run.id)
    assert len(empty.store.incidents()) == 1
    assert first.opened_at - NOON == timedelta(hours=1)


def test_an_incident_keeps_its_id_for_life_and_its_former_address_works(alerting_shop: Shop) -> None:
    alerting_shop.load(5, 500)
    alerting_shop.run()
    (opened,) = opened_on(alerting_shop.ports, MAIN)
    (first,) = alerting_shop.listed()
    former = opened.former_id
    assert first.id == opened.id == alerting_shop.world.store.incidents()[0].id != former
    for amount, status in ((600, IncidentStatus.OPEN), (50, IncidentStatus.RESOLVED), (700, IncidentStatus.OPEN)):
        alerting_shop.load(5, amount)
        alerting_shop.run()
        (now,) = alerting_shop.listed(*IncidentStatus)
        assert (now.id, now.status) == (first.id, status)
        assert [find_listed(alerting_shop.ports, text) for text in (first.id, former, first.id[:8])] == [now, now, now]


def test_one_that_nobody_tracked_has_the_id_under_which_it_is_tracked_later(alerting_shop: Shop) -> None:
    alerting_shop.load(5, 500)
    alerting_shop.run()
    (tracked,) = alerting_shop.listed()
    empty = replace(alerting_shop.ports, store=AlertWorld().store)
    (untracked,) = list_incidents(empty, opened_on(empty, MAIN), UNRESOLVED)
    assert untracked.record is None
    assert find_listed(empty, untracked.id) == untracked
    assert untracked.id == find_tracked(empty, untracked.id).id == tracked.id


def test_a_check_of_two_columns_is_one_incident_that_hits_what_either_does() -> None:
    alerting_shop = Shop(rule={"type": "unique", "columns": ["id", "amount"]})
    alerting_shop.run()
    alerting_shop.make(RAW, lambda: [{"id": 1, "amount": 5}] * 2, code="twice")
    assert alerting_shop.run() == "blocked"
    assert len(opened_on(alerting_shop.ports, MAIN)) == 2
    (listed,) = alerting_shop.listed()
    assert listed.opened is not None
    assert [str(one.column) for one in listed.opened.incident.spared] == ["marts.revenue.amount", "marts.revenue.id"]
