"""What a plan says is what the run after it does: the same steps, the same actions, the same reasons. A time range that
is missing is told before a run begins, and only where the run could not do without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from forge.flows.runs.engine import TimeRange
from forge.flows.runs.id import new_run_id
from forge.flows.runs.input_pins import find_pin, pin_branch
from forge.flows.runs.plan import plan, settle
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import BranchChanges, PublishPorts
from forge.flows.runs.publish.publish import THIS_COMMIT, CommitDraft, PublishRecord, publish
from forge.flows.runs.records import OutputStatus, Publication, RunRecord, RunStatus
from forge.flows.runs.run import RunPorts, RunRequest, RunResult, run
from forge.flows.versioning.branches import create_default_branch
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, SnapshotId, TableName
from forge.quality.check import Check
from forge.quality.spec import load_check
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import PythonFunction, Transform, TransformKind
from forge.versioning.commit import Author, TableStatistics

NOW = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
DAY = TimeRange(NOW, NOW + timedelta(days=1))
MAIN = BranchName("main")
ADA = Author("Ada", "ada@example.com")
Rows = list[dict[str, object]]


@dataclass
class Shop:
    """raw.orders, and core.daily that is made of it by time range."""

    transforms: dict[TableName, Transform] = field(default_factory=dict)
    checks: dict[TableName, tuple[Check, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata, self.lake = MemoryMetadata(catalog), MemoryLake(catalog)
        engine = MemoryEngine(self.lake)
        create_default_branch(self.metadata, MAIN, ADA, NOW)
        self.ports = RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=engine,
            clock=lambda: NOW,
            author=ADA,
            secrets=lambda reference: "",
        )
        self.make("raw.orders", lambda: [{"id": 1}])
        self.make("core.daily", lambda raw: raw, "raw.orders", kind=TransformKind.BY_TIME_RANGE)

    def make(
        self,
        output: str,
        function: Callable[..., Rows],
        *inputs: str,
        code: str = "1",
        kind: TransformKind = TransformKind.FULL,
    ) -> None:
        table, reads = TableName.parse(output), tuple(TableName.parse(text) for text in inputs)
        body = PythonFunction(function, dict.fromkeys(("raw",), reads[0]) if reads else {}, False)
        self.transforms[table] = Transform(
            output=table, body=body, file=f"{table}.py", line=1, code_hash=code, kind=kind, inputs=reads
        )

    @property
    def project(self) -> Project:
        return Project(
            root=Path(),
            transforms=self.transforms,
            contracts={},
            checks=self.checks,
            rules_hash={},
            owner_of=lambda table: None,
        )

    def run(self, *selection: str, time_range: TimeRange | None = None, force: bool = False) -> RunResult:
        return run(
            RunRequest(branch=MAIN, selection=selection, time_range=time_range, force=force), self.project, self.ports
        )

    def checked(self, table: str, *checks: dict[str, object]) -> None:
        name = TableName.parse(table)
        self.checks[name] = tuple(load_check(one, table=name, where="x") for one in checks)

    def write_by_hand(self, table: str) -> None:
        """As a commit of rows leaves a table: no run made it as it is."""
        line, name = pin_branch(self.metadata, MAIN, MAIN), TableName.parse(table)
        versions = {name: replace(line.tree[name], fingerprint=None, number=line.tree[name].number + 1)}
        record = RunRecord(
            id=new_run_id(NOW),
            branch=MAIN,
            status=RunStatus.SUCCEEDED,
            started_at=NOW,
            user=ADA.email,
            host="here",
            pid=1,
            process_started="1",
            commit_id=THIS_COMMIT,
            kind="commit",
        )
        draft = CommitDraft(message="Order by phone", author=ADA, statistics={name: TableStatistics()}, metadata={})
        changes = BranchChanges(line=line, versions=versions, pointers=())
        ports = PublishPorts(self.metadata, self.lake)
        assert isinstance(publish(ports, changes, PublishRecord(time=NOW, commits=(draft,), run=record)), Publication)

    def steps(
        self, *selection: str, time_range: TimeRange | None = None, force: bool = False
    ) -> dict[str, tuple[str, str]]:
        request = RunRequest(branch=MAIN, selection=selection, time_range=time_range, force=force)
        return {str(s.table): (s.action, s.reason) for s in plan(request, self.project, self.ports).steps}


@pytest.fixture
def planned_shop() -> Shop:
    return Shop()


def refused(planned_shop: Shop, *selection: str, force: bool = False) -> None:
    before = planned_shop.metadata.runs()
    with pytest.raises(ForgeError) as caught:
        planned_shop.run(*selection, force=force)
    assert caught.value.code == "E206"
    assert "core.daily needs a time range" in str(caught.value)
    assert "`start` and `end`" in (caught.value.fix or "")
    assert planned_shop.metadata.runs() == before, "nothing had begun"
    action, reason = planned_shop.steps(*selection, force=force)["core.daily"]
    assert (action, "--start … --end …" in reason) == ("blocked", True)


def test_the_first_run_takes_all_of_time(planned_shop: Shop) -> None:
    assert planned_shop.steps()["core.daily"][0] == "run"
    assert planned_shop.run().run.status == "succeeded"


def test_what_is_up_to_date_needs_no_range(planned_shop: Shop) -> None:
    planned_shop.run()
    assert planned_shop.steps()["core.daily"][0] == "up to date"
    assert planned_shop.run().run.status == "nothing to do"


def test_a_range_is_missing_where_the_code_changed(planned_shop: Shop) -> None:
    planned_shop.run()
    planned_shop.make("core.daily", lambda raw: raw, "raw.orders", code="2", kind=TransformKind.BY_TIME_RANGE)
    refused(planned_shop)
    refused(planned_shop, "core.daily")
    assert planned_shop.steps(time_range=DAY)["core.daily"][0] == "run"
    assert planned_shop.run(time_range=DAY).run.status == "succeeded"


def test_a_range_is_missing_where_an_input_will_be_built(planned_shop: Shop) -> None:
    planned_shop.run()
    planned_shop.make("raw.orders", lambda: [{"id": 2}], code="2")
    refused(planned_shop)
    assert planned_shop.run("core.daily").run.status == "nothing to do", "its input is not built in this run"


def test_a_range_is_missing_where_it_is_forced(planned_shop: Shop) -> None:
    planned_shop.run()
    refused(planned_shop, "core.daily", force=True)


def test_a_run_of_other_tables_needs_no_range(planned_shop: Shop) -> None:
    planned_shop.run()
    planned_shop.make("raw.orders", lambda: [{"id": 2}], code="2")
    assert planned_shop.run("raw.orders").run.status == "succeeded"


def test_a_run_remembers_its_range(planned_shop: Shop) -> None:
    record = planned_shop.run(time_range=DAY).run
    known = planned_shop.metadata.run(record.id)
    assert known is not None
    assert (known.start, known.end) == (DAY.start, DAY.end)
    other = planned_shop.metadata.run(planned_shop.run("raw.orders", force=True).run.id)
    assert other is not None
    assert (other.start, other.end) == (None, None)


# what plan said is what happens

BECOMES = {
    "run": {OutputStatus.PUBLISHED, OutputStatus.PASSED, OutputStatus.BLOCKED},
    "up to date": {OutputStatus.UP_TO_DATE},
    "blocked": {OutputStatus.FAILED, OutputStatus.SKIPPED},
}


def recode(planned_shop: Shop, table: str, *inputs: str, kind: TransformKind = TransformKind.FULL) -> None:
    planned_shop.make(table, (lambda raw: raw) if inputs else (lambda: [{"id": 2}]), *inputs, code="2", kind=kind)


def chain(planned_shop: Shop) -> None:
    """raw.orders → core.orders → marts.orders, beside core.daily, all made once."""
    planned_shop.make("core.orders", lambda raw: raw, "raw.orders")
    planned_shop.make("marts.orders", lambda raw: raw, "core.orders")
    planned_shop.run()


def raw_alone(planned_shop: Shop) -> None:
    recode(planned_shop, "raw.orders")
    planned_shop.run("raw.orders")


def without_daily(planned_shop: Shop) -> None:
    del planned_shop.transforms[TableName.parse("core.daily")]


def by_hand(planned_shop: Shop) -> None:
    planned_shop.write_by_hand("core.orders")


def by_another_engine(planned_shop: Shop) -> None:
    snapshot = planned_shop.lake.append(CatalogName("core", "orders"), 1)
    planned_shop.lake.keep(snapshot, [{"id": 9}])


def failing(planned_shop: Shop) -> None:
    planned_shop.checked("core.orders", {"type": "row_count", "min": 100})
    recode(planned_shop, "core.orders", "raw.orders")


def absent(planned_shop: Shop) -> None:
    planned_shop.make("core.lost", lambda raw: raw, "raw.nowhere")
    planned_shop.make("marts.lost", lambda raw: raw, "core.lost")


CASES: dict[str, tuple[list[Callable[[Shop], object]], dict[str, Any], dict[str, tuple[str, str]]]] = {
    "nothing changed": (
        [],
        {},
        {"core.orders": ("up to date", "same code, inputs and parameters")},
    ),
    "its code changed": (
        [lambda planned_shop: recode(planned_shop, "core.orders", "raw.orders")],
        {},
        {
            "raw.orders": ("up to date", "same code, inputs and parameters"),
            "core.orders": ("run", "its code changed"),
            "marts.orders": ("run", "its input core.orders will change"),
        },
    ),
    "its input changed": (
        [without_daily, raw_alone],
        {},
        {"core.orders": ("run", "its input raw.orders changed")},
    ),
    "all made anew": (
        [],
        {"force": True, "time_range": DAY},
        {"raw.orders": ("run", "forced"), "core.orders": ("run", "its input raw.orders will change")},
    ),
    "a check fails": ([failing], {}, {"core.orders": ("run", "its code changed")}),
    "an input is nowhere": (
        [absent],
        {"selection": ("marts.orders", "core.lost", "marts.lost")},
        {
            "core.lost": ("blocked", "raw.nowhere does not exist yet; run +core.lost"),
            "marts.lost": ("blocked", "stands on core.lost, which is blocked"),
        },
    ),
    "a person's commit": ([by_hand], {}, {"marts.orders": ("run", "its input core.orders will change")}),
    "another engine's write": (
        [by_another_engine],
        {},
        {
            "core.orders": ("run", "another engine wrote it last"),
            "marts.orders": ("run", "its input core.orders will change"),
        },
    ),
    "a time range": (
        [lambda planned_shop: recode(planned_shop, "core.daily", "raw.orders", kind=TransformKind.BY_TIME_RANGE)],
        {"time_range": DAY},
        {"core.daily": ("run", "its code and its parameters changed")},
    ),
    "a selection": (
        [lambda planned_shop: recode(planned_shop, "raw.orders")],
        {"selection": ("core.orders+",)},
        {"core.orders": ("up to date", "same code, inputs and parameters")},
    ),
    "a table becomes a view": (
        [lambda planned_shop: recode(planned_shop, "marts.orders", "core.orders", kind=TransformKind.VIEW)],
        {},
        {"marts.orders": ("blocked", "marts.orders is a table and cannot become a view")},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_run_executes_the_steps_that_the_plan_showed(planned_shop: Shop, case: str) -> None:
    before, asked, expected = CASES[case]
    chain(planned_shop)
    for change in before:
        change(planned_shop)
    request = RunRequest(branch=MAIN, **asked)
    planned = plan(request, planned_shop.project, planned_shop.ports).steps
    said = {str(step.table): (str(step.action), step.reason) for step in planned}
    assert expected.items() <= said.items()
    result = run(request, planned_shop.project, planned_shop.ports)
    outputs = {output.table: output for output in result.run.outputs}
    skipped = {table for table, output in outputs.items() if output.status is OutputStatus.SKIPPED}
    executed = {str(step.table): (str(step.action), step.reason) for step in result.steps}
    assert executed == {table: step for table, step in said.items() if TableName.parse(table) not in skipped}
    for step in result.steps:
        assert outputs[step.table].status in BECOMES[step.action], step
        settled = step.fingerprint.fingerprint if step.fingerprint else None
        assert outputs[step.table].fingerprint == settled
    for step in planned:
        if not step.after and step.fingerprint is not None and step.table not in skipped:
            assert outputs[step.table].fingerprint == step.fingerprint.fingerprint, "what was planned was made"
    assert outputs.keys() == {step.table for step in planned}


def test_a_persons_commit_is_named(planned_shop: Shop) -> None:
    chain(planned_shop)
    by_hand(planned_shop)
    action, reason = planned_shop.steps()["core.orders"]
    assert action == "run"
    assert reason.endswith("of Ada changed it (Order by phone): it will be made anew without that")


def test_what_is_skipped_stands_on_something_that_fell(planned_shop: Shop) -> None:
    chain(planned_shop)
    failing(planned_shop)
    outputs = {str(o.table): (str(o.status), o.reason) for o in planned_shop.run().run.outputs}
    assert outputs["marts.orders"] == ("skipped", "stands on core.orders, which was blocked")


def test_a_step_that_comes_after_others_is_decided_once_they_are_made(planned_shop: Shop) -> None:
    chain(planned_shop)
    recode(planned_shop, "core.orders", "raw.orders")
    step = {str(s.table): s for s in plan(RunRequest(branch=MAIN), planned_shop.project, planned_shop.ports).steps}[
        "marts.orders"
    ]
    assert (step.after, step.fingerprint, step.pins) == ((TableName.parse("core.orders"),), None, {})
    assert step.to_dict()["after"] == ["core.orders"]
    line = pin_branch(planned_shop.metadata, MAIN, MAIN)
    pin = find_pin(TableName.parse("core.orders"), line, planned_shop.lake)
    assert pin is not None
    same = settle(step, {pin.table: pin})
    assert (same.action, same.reason) == ("up to date", "same code, inputs and parameters"), "it did not change"
    other = settle(step, {pin.table: replace(pin, snapshot_id=SnapshotId(7))})
    assert (other.action, other.reason) == ("run", step.reason)
