"""The governed run on memory adapters: what is published, what is not, and in which order things happen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from forge.flows.runs.build import StepEvent
from forge.flows.runs.events import on
from forge.flows.runs.plan import plan
from forge.flows.runs.project import Project
from forge.flows.runs.records import OutputStatus, RunRecord, RunStatus
from forge.flows.runs.run import STEPS, RunPorts, RunRequest, RunResult, run
from forge.flows.upkeep.maintenance import collect_garbage, find_problems, repair
from forge.flows.versioning.branches import create_branch, create_default_branch, delete_branch, list_branches
from forge.model.errors import ForgeError
from forge.model.names import BranchName, RunId, TableName
from forge.quality.spec import load_check
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import PythonFunction, Transform, TransformKind
from forge.versioning.commit import Author

NOW = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
MAIN = BranchName("main")
ADA = Author("Ada", "ada@example.com")
CORE = ("core.orders",)
Rows = list[dict[str, object]]


def name(text: str) -> TableName:
    return TableName.parse(text)


@dataclass
class World:
    """A project in memory. `make` adds a transform; `run` runs it."""

    transforms: dict[TableName, Transform] = field(default_factory=dict)
    checks: dict[TableName, list[dict[str, object]]] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    events: list[StepEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata = MemoryMetadata(catalog)
        self.lake = MemoryLake(catalog)
        self.engine = MemoryEngine(self.lake)
        create_default_branch(self.metadata, MAIN, ADA, NOW)

    def make(
        self,
        output: str,
        function: Callable[..., Rows],
        inputs: tuple[str, ...] = (),
        code: str = "1",
        kind: TransformKind = TransformKind.FULL,
        checks: tuple[dict[str, object], ...] = (),
    ) -> None:
        arguments = {text.replace(".", "_"): name(text) for text in inputs}
        body = PythonFunction(function, arguments, False)
        table = name(output)
        self.transforms[table] = Transform(
            output=table,
            body=body,
            file=f"{table}.py",
            line=1,
            code_hash=code,
            kind=kind,
            inputs=tuple(map(name, inputs)),
        )
        self.checks[table] = list(checks)

    def project(self) -> Project:
        checks = {t: tuple(load_check(c, table=t, where="x") for c in cs) for t, cs in self.checks.items()}
        hashes = {t: repr(cs) for t, cs in self.checks.items()}
        return Project(
            root=Path(),
            transforms=self.transforms,
            contracts={},
            checks=checks,
            rules_hash=hashes,
            owner_of=lambda table: f"{table.schema}@example.com",
        )

    def ports(self, **changes: Any) -> RunPorts:
        ports = RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=self.engine,
            clock=lambda: NOW,
            author=ADA,
            secrets=lambda reference: "",
            fault_point=self.seen.append,
            events=on(StepEvent, self.events.append),
        )
        return replace(ports, **changes)

    def run(self, *selection: str, branch: str = "main", force: bool = False, **changes: Any) -> RunResult:
        request = RunRequest(branch=BranchName(branch), selection=selection, force=force)
        return run(request, self.project(), self.ports(**changes))

    def rows(self, table: str, branch: str = "main") -> int | None:
        found = self.metadata.branch(BranchName(branch))
        assert found is not None
        version = self.metadata.tree(found.head).get(name(table))
        if version is None:
            return None
        snapshot = self.lake.snapshot(version.catalog, version.snapshot_id)
        return snapshot.statistics.record_count if snapshot else None


@pytest.fixture
def run_world() -> World:
    made = World()
    made.make("raw.orders", lambda: [{"id": 1, "amount": 5}, {"id": 2, "amount": 7}])
    made.make("core.orders", lambda raw_orders: raw_orders, ("raw.orders",))
    made.make(
        "marts.revenue", lambda core_orders: [{"amount": sum(r["amount"] for r in core_orders)}], ("core.orders",)
    )
    made.make("marts.other", lambda raw_orders: raw_orders[:1], ("raw.orders",))
    return made


def statuses(result: RunResult) -> dict[str, str]:
    return {str(o.table): str(o.status) for o in result.run.outputs}


def test_the_steps_come_in_their_order(run_world: World) -> None:
    run_world.run("raw.orders")
    assert tuple(run_world.seen) == STEPS


def test_all_tables_of_a_run_land_in_one_commit(run_world: World) -> None:
    result = run_world.run()
    assert result.run.status is RunStatus.SUCCEEDED
    assert set(statuses(result).values()) == {"published"}
    head = run_world.metadata.branch(MAIN)
    assert head is not None
    assert result.commit is not None
    assert head.head == result.commit.id
    assert len(run_world.metadata.log(result.commit.id)) == 1
    assert run_world.rows("marts.revenue") == 1


def test_the_record_of_a_run_is_what_the_run_returned(run_world: World) -> None:
    result = run_world.run()
    recorded = run_world.metadata.run(result.run.id)
    assert recorded is not None
    assert {o.table: o.status for o in recorded.outputs} == {o.table: o.status for o in result.run.outputs}
    assert recorded.commit_id == result.run.commit_id
    assert run_world.metadata.audit()[0].action == "run.publish"


def test_a_second_run_has_nothing_to_do(run_world: World) -> None:
    first, second = run_world.run(), run_world.run()
    assert second.run.status is RunStatus.NOTHING_TO_DO
    assert second.commit is None
    head = run_world.metadata.branch(MAIN)
    assert head is not None
    assert first.commit is not None
    assert head.head == first.commit.id


def test_force_runs_all_the_same(run_world: World) -> None:
    run_world.run()
    assert set(statuses(run_world.run(force=True)).values()) == {"published"}


def test_a_new_check_is_a_reason_to_run_again(run_world: World) -> None:
    run_world.run()
    run_world.checks[name("marts.other")] = [{"type": "row_count", "min": 1}]
    assert statuses(run_world.run())["marts.other"] == "published"


@pytest.mark.parametrize(
    ("severity", "status"),
    [("info", "succeeded"), ("warning", "succeeded"), ("error", "blocked"), ("critical", "blocked")],
)
def test_error_and_critical_block_and_the_others_do_not(run_world: World, severity: str, status: str) -> None:
    run_world.checks[name("core.orders")] = [{"type": "range", "column": "amount", "max": 6, "severity": severity}]
    assert run_world.run().run.status == status


def test_what_could_not_be_measured_blocks_unless_it_may_not(run_world: World) -> None:
    check: dict[str, object] = {"type": "not_null", "column": "nosuch"}
    run_world.checks[name("core.orders")] = [check]
    assert statuses(run_world.run())["core.orders"] == "blocked"
    run_world.checks[name("core.orders")] = [{**check, "on_not_measured": "warn"}]
    assert statuses(run_world.run())["core.orders"] == "published"


def test_a_blocked_table_and_what_stands_on_it_stay_and_the_rest_is_published(run_world: World) -> None:
    run_world.run()
    run_world.make("raw.orders", lambda: [{"id": 1, "amount": 500}], code="2")
    run_world.checks[name("core.orders")] = [{"type": "range", "column": "amount", "max": 100}]
    result = run_world.run()
    assert statuses(result) == {
        "raw.orders": "published",
        "core.orders": "blocked",
        "marts.revenue": "skipped",
        "marts.other": "published",
    }
    assert (run_world.rows("raw.orders"), run_world.rows("core.orders")) == (1, 2)
    assert run_world.lake.stages() == ()


def test_publish_all_holds_everything_back(run_world: World) -> None:
    run_world.checks[name("core.orders")] = [{"type": "row_count", "min": 100}]
    result = run_world.run(publish_all=True)
    assert result.run.status is RunStatus.BLOCKED
    assert statuses(result)["marts.other"] == "passed"
    assert run_world.lake.tables() == ()


def test_an_exception_publishes_nothing_and_is_recorded(run_world: World) -> None:
    def broken(core_orders: Rows) -> Rows:
        raise ValueError("no")

    run_world.make("marts.revenue", broken, ("core.orders",))
    result = run_world.run(parallel=1)
    assert result.run.status is RunStatus.FAILED
    assert result.run.error is not None
    assert result.run.error["code"] == "FORGE-E207"
    assert run_world.lake.tables() == ()
    assert run_world.lake.stages() == ()
    assert OutputStatus.PUBLISHED not in {o.status for o in result.run.outputs}


def test_a_cancelled_run_is_recorded_and_leaves_nothing(run_world: World) -> None:
    def stop(step: str) -> None:
        if step == "prepared":
            raise KeyboardInterrupt

    with pytest.raises(ForgeError) as caught:
        run_world.run(fault_point=stop)
    assert caught.value.code == "E901"
    assert len(run_world.engine.cancelled) == 1
    assert run_world.metadata.runs()[0].status is RunStatus.CANCELLED
    assert (run_world.lake.stages(), run_world.lake.tables()) == ((), ())


def test_a_cancel_that_comes_too_late_says_so(run_world: World) -> None:
    def stop(step: str) -> None:
        if step == "published":
            raise KeyboardInterrupt

    with pytest.raises(ForgeError, match="published before it could be cancelled"):
        run_world.run(fault_point=stop)
    assert run_world.metadata.runs()[0].status is RunStatus.SUCCEEDED
    assert run_world.rows("core.orders") == 2


def test_a_table_of_ours_that_moved_is_a_conflict(run_world: World) -> None:
    run_world.run()

    def meddle(step: str) -> None:
        if step == "checked" and not meddled:
            meddled.append(step)
            run_world.run("core.orders", force=True, fault_point=lambda step: None)

    meddled: list[str] = []
    result = run_world.run("core.orders", force=True, fault_point=meddle)
    assert result.run.status is RunStatus.CONFLICT
    assert result.conflicts == (name("core.orders"),)
    assert len(run_world.metadata.runs()) == 3


def test_another_table_that_moved_is_no_conflict(run_world: World) -> None:
    run_world.run()

    def meddle(step: str) -> None:
        if step == "prepared" and not meddled:
            meddled.append(step)
            run_world.run("marts.other", force=True, fault_point=lambda step: None)

    meddled: list[str] = []
    result = run_world.run("core.orders", force=True, fault_point=meddle)
    assert result.run.status is RunStatus.SUCCEEDED
    assert result.commit is not None
    assert len(run_world.metadata.log(result.commit.id)) == 3


def test_an_input_that_nobody_made_is_told_with_what_to_run(run_world: World) -> None:
    result = run_world.run("marts.revenue")
    assert result.run.status is RunStatus.FAILED
    assert result.run.error is not None
    assert result.run.error["code"] == "FORGE-E202"
    assert "+marts.revenue" in str(result.run.error["fix"])


def test_a_branch_falls_back_to_the_fork_point_and_leaves_main(run_world: World) -> None:
    run_world.run()
    create_branch(run_world.metadata, "dev", "HEAD", current=MAIN, author=ADA, clock=lambda: NOW)
    run_world.make("core.orders", lambda raw_orders: raw_orders[:1], ("raw.orders",), code="2")
    assert statuses(run_world.run("core.orders", branch="dev")) == {"core.orders": "published"}
    assert (run_world.rows("core.orders"), run_world.rows("core.orders", "dev")) == (2, 1)
    (main, dev) = list_branches(run_world.metadata, MAIN)
    assert (main.branch.name, dev.branch.name, dev.ahead, dev.behind) == ("main", "dev", 1, 0)


def test_a_branch_with_commits_of_its_own_is_not_deleted_by_mistake(run_world: World) -> None:
    run_world.run()
    create_branch(run_world.metadata, "dev", "HEAD", current=MAIN, author=ADA, clock=lambda: NOW)
    run_world.run("core.orders", branch="dev", force=True)

    def delete(branch: str, force: bool = False) -> None:
        delete_branch(
            run_world.metadata, run_world.lake, branch, default=MAIN, author=ADA, clock=lambda: NOW, force=force
        )

    for branch, code in (("dev", "E607"), ("main", "E605"), ("nosuch", "E602")):
        with pytest.raises(ForgeError) as caught:
            delete(branch)
        assert caught.value.code == code
    delete("dev", force=True)
    assert [b.name for b in run_world.metadata.branches()] == ["main"]
    version = run_world.metadata.tree(run_world.metadata.branches()[0].head)[name("core.orders")]
    state = run_world.lake.state(version.catalog)
    assert state is not None
    assert set(state.refs) == {"main"}


def test_a_plan_says_what_would_run_and_why(run_world: World) -> None:
    run_world.run()
    run_world.make("core.orders", lambda raw_orders: raw_orders, ("raw.orders",), code="2")
    steps = {
        str(s.table): (s.action, s.reason)
        for s in plan(RunRequest(branch=MAIN), run_world.project(), run_world.ports()).steps
    }
    assert steps["raw.orders"] == ("up to date", "same code, inputs and parameters")
    assert steps["core.orders"] == ("run", "its code changed")
    assert steps["marts.revenue"] == ("run", "its input core.orders will change")
    assert steps["marts.other"][0] == "up to date"


def test_doctor_finds_a_dead_run_and_repair_ends_it(run_world: World) -> None:
    run_world.run()
    dead = RunRecord(
        id=RunId("r_dead"),
        branch=MAIN,
        status=RunStatus.RUNNING,
        started_at=NOW,
        user="ada@example.com",
        host=_host(),
        pid=2**22 - 7,
        process_started="1",
        step="staged",
    )
    run_world.metadata.start_run(dead)
    run_world.lake.open_stage(dead.id, name("core.orders"), run_world.lake.tables()[0], None)
    kinds = [f.kind for f in find_problems(run_world.metadata, run_world.lake, MAIN)]
    assert kinds == ["interrupted run", "leftover stage"]
    mended = repair(run_world.metadata, run_world.lake, author=ADA, now=NOW)
    assert (len(mended.interrupted), mended.stages_dropped) == (1, 1)
    assert find_problems(run_world.metadata, run_world.lake, MAIN) == ()
    ended = run_world.metadata.run(dead.id)
    assert ended is not None
    assert ended.status is RunStatus.INTERRUPTED


def test_garbage_of_a_failed_run_is_collected_and_nothing_else(run_world: World) -> None:
    from datetime import timedelta

    run_world.run()
    run_world.checks[name("core.orders")] = [{"type": "row_count", "min": 100}]
    run_world.run()
    later = datetime.now(UTC) + timedelta(days=2)
    found = collect_garbage(
        run_world.metadata, run_world.lake, author=ADA, now=later, older_than=timedelta(hours=1), dry_run=False
    )
    assert found.deleted > 0
    assert run_world.rows("core.orders") == 2
    again = collect_garbage(
        run_world.metadata, run_world.lake, author=ADA, now=later, older_than=timedelta(hours=1), dry_run=False
    )
    assert again.deleted == 0


def _host() -> str:
    import socket

    return socket.gethostname()
