"""The governed run: pin → transform → contract → stage → check → publish → record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from forge.flows.catalog.personal_data import DeclaredColumns, PersonalData, declared_with, trees_at
from forge.flows.quality.judge import HistoryOf, JudgedTable, no_history
from forge.flows.quality.remediation.quarantine_run import RunQuarantine, StagedOutput, StagedQuarantine
from forge.flows.runs.build import BuildContext, BuiltOutput, StepEvent, build, with_quarantine
from forge.flows.runs.decision import RunRequest as RunRequest
from forge.flows.runs.events import RunEnded, RunEvents, RunListeners, RunSettled
from forge.flows.runs.id import new_run_id
from forge.flows.runs.input_pins import PinnedBranch, find_pin
from forge.flows.runs.order import plan_order
from forge.flows.runs.plan import PlannedStep, RunPlan, plan, settle
from forge.flows.runs.processes import begin_run
from forge.flows.runs.publish.external import publish_by_table
from forge.flows.runs.publish.outputs import PublishedOutputs, lineage_of, publish_outputs
from forge.flows.runs.records import (
    AuditRecord,
    OutputRecord,
    OutputStatus,
    PublishConflict,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.flows.upkeep.recovery import refuse_unsettled
from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata
from forge.flows.versioning.adopt import adopt_foreign
from forge.flows.versioning.key_check import KeyCheck
from forge.flows.versioning.read import RevisionReader
from forge.flows.versioning.revisions import find_branch
from forge.model.errors import CancellationError, ForgeError, raise_errors
from forge.model.names import BranchName, RunId, TableName
from forge.quality.anomaly import MetricHistory
from forge.transforms.dag import needs_of
from forge.versioning.protection import effective, refuse_change

if TYPE_CHECKING:
    from datetime import datetime

    from forge.flows.contracts.ports import Registration
    from forge.flows.ports import FaultPoint, Lake, Metadata
    from forge.flows.quality.measure import StateStore
    from forge.flows.quality.row_repair import RepairWork
    from forge.flows.runs.engine import Engine, Pin, TimeRange
    from forge.flows.runs.project import Project
    from forge.flows.runs.source_rows import SourceLoads
    from forge.flows.versioning.content_hash import FileHasher
    from forge.flows.versioning.tables import Tables
    from forge.model.time import Clock
    from forge.quality.measure import Measure, Reading
    from forge.quality.verdict import Verdict
    from forge.transforms.transform import Transform
    from forge.versioning.commit import Author, Commit, Signer, Tree

STEPS = (
    "started",
    "pinned",
    "transformed",
    "opened",
    "staged",
    "checked",
    "prepared",
    "publish.pointers",
    "publish.records",
    "published",
    "recorded",
)
"""The named steps of a run, in order: where the fault point can stop it. On an external catalog there is "land" too,
after each table."""

STOPPABLE = STEPS[: STEPS.index("prepared") + 1]  # a publication is final
FALLEN = (OutputStatus.BLOCKED, OutputStatus.FAILED, OutputStatus.SKIPPED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPorts:
    """The ports of a run."""

    metadata: Metadata
    lake: Lake
    engine: Engine
    clock: Clock
    author: Author
    secrets: Callable[[str], str]
    fault_point: FaultPoint = lambda step: None
    events: RunEvents = RunListeners()  # noqa: RUF009  frozen
    logger: object = None
    default_branch: BranchName = BranchName("main")  # noqa: RUF009
    parallel: int = 2
    publish_all: bool = False  # run.publish: all
    stopped: Callable[[], RunStatus | None] = lambda: None  # cancelled or interrupted: asked at every step
    protected: frozenset[str] = frozenset()  # branches that change by merges alone, by name or pattern
    review: bool = True
    hasher: FileHasher | None = None  # None: what is published is not hashed
    signer: Signer | None = None
    history: HistoryOf = no_history
    tables: Tables | None = None  # None, or no `repair`: no rows are set aside
    repair: Callable[[], RepairWork] | None = None
    states: StateStore | None = None  # what was measured, kept
    register: Callable[[Sequence[TableName], RunId], tuple[Registration, ...]] = lambda tables, run_id: ()
    """The contracts of what is about to be published; it never raises."""
    declared: DeclaredColumns = frozenset  # declared personal by contracts outside the project
    keys: Mapping[TableName, tuple[str, ...]] = field(default_factory=dict)  # as they are declared
    key_check: KeyCheck | None = None  # None: the catalog is someone else's
    loads: SourceLoads | None = None  # None: no connector loads anything
    readers: Callable[[Sequence[Transform], Tree], None] = lambda order, tree: None
    """E506 where one of these would begin to read what is retired."""


@dataclass(frozen=True, slots=True)
class RunResult:
    run: RunRecord
    commit: Commit | None
    verdicts: tuple[Verdict, ...]
    conflicts: tuple[TableName, ...] = ()
    lineage: tuple[TableLineage, ...] = ()  # of what was made, published or not
    steps: tuple[PlannedStep, ...] = ()  # of the plan, as they were executed


def run(request: RunRequest, project: Project, ports: RunPorts) -> RunResult:
    """One run. Raises ForgeError only for errors before it begins; from then on its end is always recorded."""
    plan_order(project, request.selection)
    refuse_change(effective(find_branch(ports.metadata, request.branch), ports.protected, ports.review), "run")
    adopt_foreign(
        ports.metadata,
        ports.lake,
        request.branch,
        ports.default_branch,
        author=ports.author,
        now=ports.clock(),
        hasher=ports.hasher,
    )
    made = plan(request, project, ports)
    raise_errors(made.missing_ranges)
    line, now = made.line, ports.clock()
    record = replace(
        begin_run(request.run_id or new_run_id(now), request.branch, ports.author.email, now),
        selection=request.selection,
        params={key: str(value) for key, value in request.params.items()},
        start=request.time_range.start if request.time_range else None,
        end=request.time_range.end if request.time_range else None,
    )
    ports.metadata.start_run(record)
    job = _job_of(request, project, ports, line, record.id, now)
    built: dict[TableName, BuiltOutput] = {}
    try:
        ports.fault_point("started")
        built, steps = _execute(job, made, ports)
        result = replace(_finish(job, line, record, built, ports, request), steps=tuple(steps.values()))
    except _RunStopped as stop:
        return _stopped_short(ports, record, built, stop)
    except KeyboardInterrupt:
        ports.engine.cancel(record.id)
        error = CancellationError("The run was cancelled", fix="Nothing was published; run it again when you like.")
        if not _record_end(ports, record, RunStatus.CANCELLED, error, ()):
            error = CancellationError("The run was published before it could be cancelled", fix="`forge log` shows it.")
        raise error from None
    except BaseException as failure:
        _record_end(ports, record, RunStatus.FAILED, failure, ())
        raise
    finally:
        ports.lake.drop_stages(record.id)
        ports.events(RunEnded(record.id, project))
    for one in built.values():
        if one.verdicts:
            ports.events(_judged(job, one, request.branch, result))
    ports.events(RunSettled(request.branch, record.id, _settled(built, result)))
    return result


def _settled(built: Mapping[TableName, BuiltOutput], result: RunResult) -> dict[TableName, bool]:
    """Tables without verdicts: whether they were built, or found up to date."""
    made = {OutputStatus.PUBLISHED: True, OutputStatus.PASSED: True, OutputStatus.UP_TO_DATE: False}
    return {
        output.table: made[output.status]
        for output in result.run.outputs
        if output.status in made and not (output.table in built and built[output.table].verdicts)
    }


def _judged(job: BuildContext, built: BuiltOutput, branch: BranchName, result: RunResult) -> JudgedTable:
    """The verdicts of one output. They belong to a commit if it was published."""
    assert built.planned is not None, "what was judged was planned"
    checks = job.project.checks.get(built.table, ())
    by_checks = len(checks) if len(built.verdicts) >= len(checks) and built.pin is not None else 0
    split = len(built.verdicts) - by_checks
    outputs = {output.table: output.status for output in result.run.outputs}
    published = outputs.get(built.table) is OutputStatus.PUBLISHED
    return JudgedTable(
        table=built.table,
        branch=branch,
        commit_id=result.commit.id if published and result.commit else None,
        snapshot_id=built.snapshot.snapshot_id if built.snapshot else None,
        schema=built.planned.schema,
        checks=checks[:by_checks],
        verdicts=built.verdicts[split:],
        readings=built.readings,
        executed_at=job.now,
        executions=built.executions,
        run_id=job.run_id,
        gate=built.verdicts[:split],
    )


class _RunStopped(CancellationError):
    """The run was asked to stop before it published."""

    def __init__(self, status: RunStatus) -> None:
        what = "The run was cancelled" if status is RunStatus.CANCELLED else "The server was stopped while it ran"
        super().__init__(what, why="Nothing of it was published.", fix="Run it again when you like.")
        self.status = status


def _stopped_short(
    ports: RunPorts, record: RunRecord, built: Mapping[TableName, BuiltOutput], stop: _RunStopped
) -> RunResult:
    """Ends a stopped run: the state of each table is recorded, and nothing is published."""
    outputs = tuple(
        replace(b.record, status=OutputStatus.SKIPPED, reason="the run was stopped", error=None)
        if isinstance(b.error, CancellationError)
        else b.record
        for b in built.values()
    )
    verdicts = tuple(verdict for b in built.values() for verdict in b.verdicts)
    known = ports.metadata.run(record.id) or record
    ended = replace(known, status=stop.status, outputs=outputs, finished_at=ports.clock(), error=stop.to_dict())
    ports.metadata.finish_run(ended, verdicts, (_ended(ended, ports),))
    return RunResult(ended, None, verdicts)


def _job_of(
    request: RunRequest,
    project: Project,
    ports: RunPorts,
    line: PinnedBranch,
    run_id: RunId,
    now: datetime,
) -> BuildContext:
    return BuildContext(
        run_id=run_id,
        project=project,
        metadata=ports.metadata,
        lake=ports.lake,
        engine=ports.engine,
        now=now,
        head=line.head,
        params=request.params,
        time_range=request.time_range,
        fault_point=_stepping(ports, run_id),
        notify=ports.events,
        secrets=ports.secrets,
        logger=ports.logger,
        hasher=ports.hasher,
        signer=ports.signer,
        set_aside=_quarantine(ports, line, run_id, now),
        history=_history(ports, line, request.time_range),
        reader=RevisionReader(ports.metadata, ports.lake, line.branch, ports.default_branch),
        states=ports.states,
        loads=ports.loads,
        personal=PersonalData(
            ports.metadata,
            declared_with(project.contracts.values(), ports.declared),
            lambda: (line.tree, *trees_at(ports.metadata, ports.default_branch, ())),
        ),
        register=lambda tables: ports.register(tables, run_id),
        keys=ports.keys,
        key_check=ports.key_check,
    )


def _history(ports: RunPorts, line: PinnedBranch, range_: TimeRange | None) -> Callable[[TableName, Measure], Reading]:
    """Metric values before this run, which counts at the start of its range."""

    def read(table: TableName, measure: Measure) -> Reading:
        found = ports.history(table, line.branch, None, measure)
        return replace(found, at=range_.start) if range_ and isinstance(found, MetricHistory) else found

    return read


def _quarantine(
    ports: RunPorts, line: PinnedBranch, run_id: RunId, now: datetime
) -> Callable[[StagedOutput], StagedQuarantine | None]:
    if ports.tables is None or ports.repair is None:
        return lambda staged: None
    return RunQuarantine(ports.lake, ports.tables, ports.repair, line, run_id, now).set_aside


def _stepping(ports: RunPorts, run_id: RunId) -> FaultPoint:
    """The fault point, recording each run-wide step once, so that after a crash the record says how far it came."""
    noted: set[str] = set()

    def step(name: str) -> None:
        if name in STOPPABLE:
            _refuse_stopped(ports)
        if name not in noted and not name.startswith("publish"):
            noted.add(name)
            ports.metadata.enter_step(run_id, name)
        ports.fault_point(name)

    return step


def _refuse_stopped(ports: RunPorts) -> None:
    status = ports.stopped()
    if status is not None:
        raise _RunStopped(status)


def _execute(
    job: BuildContext, made: RunPlan, ports: RunPorts
) -> tuple[dict[TableName, BuiltOutput], dict[TableName, PlannedStep]]:
    """All steps of the plan, independent ones at once, and each as it was executed. Control stays here: workers get
    their step and give back a result."""
    steps = {step.table: step for step in made.steps}
    _refuse_unreadable(made)
    refuse_unsettled(job.metadata, job.lake, {step.table: step.base for step in made.steps})
    others = {table: job.project.references(table) for table in steps}
    needs = needs_of({table: job.project.transforms[table] for table in steps}, extra=others)
    outside = {t: find_pin(t, made.line, job.lake) for found in others.values() for t in found}
    job.fault_point("pinned")
    built: dict[TableName, BuiltOutput] = {}
    waiting = list(steps)
    running: dict[Future[BuiltOutput], TableName] = {}
    with ThreadPoolExecutor(ports.parallel, thread_name_prefix="forge") as pool:
        try:
            while waiting or running:
                for table in [t for t in waiting if needs[t] <= built.keys()]:
                    waiting.remove(table)
                    reason = _why_skipped(steps[table], built)
                    if reason:
                        built[table] = _skipped(job, steps[table], reason)
                        continue
                    steps[table] = step = _settled_step(steps[table], built, made.line, job.lake)
                    looked_up = {t: pin for t in others[table] if (pin := _pin_of(t, built) or outside[t])}
                    running[pool.submit(build, job, step, looked_up)] = table
                done, _ = wait(running, return_when=FIRST_COMPLETED) if running else (set(), set())
                for future in done:
                    built[running.pop(future)] = future.result()
                if any(b.status is OutputStatus.FAILED for b in built.values()):
                    # What has not begun will not begin, and nothing of this run will be published.
                    built |= {table: _skipped(job, steps[table], "the run stopped before it") for table in waiting}
                    waiting.clear()
        except BaseException:
            job.engine.cancel(job.run_id)
            raise
    return built, {table: step for table, step in steps.items() if built[table].status is not OutputStatus.SKIPPED}


def _refuse_unreadable(made: RunPlan) -> None:
    """A table out of order stops the whole run: `forge repair` comes first."""
    for step in made.steps:
        if isinstance(step.error, UnreadableMetadata):
            raise step.error


def _why_skipped(step: PlannedStep, built: Mapping[TableName, BuiltOutput]) -> str:
    fallen = next((t for t in step.inputs if t in built and built[t].status in FALLEN), None)
    return f"stands on {fallen}, which was {built[fallen].status}" if fallen is not None else ""


def _skipped(job: BuildContext, step: PlannedStep, reason: str) -> BuiltOutput:
    transform = job.project.transforms[step.table]
    job.notify(StepEvent(job.run_id, step.table, "skipped", reason))
    return BuiltOutput(
        record=OutputRecord(table=step.table, status=OutputStatus.SKIPPED, reason=reason, kind=str(transform.kind)),
        transform=transform,
        base=step.base,
    )


def _settled_step(
    step: PlannedStep, built: Mapping[TableName, BuiltOutput], line: PinnedBranch, lake: Lake
) -> PlannedStep:
    """A step that comes after others, decided now that they are made."""
    if not step.after or step.error is not None:
        return step
    found = {t: _pin_of(t, built) or find_pin(t, line, lake) for t in step.after}
    return settle(step, {table: pin for table, pin in found.items() if pin is not None})


def _pin_of(table: TableName, built: Mapping[TableName, BuiltOutput]) -> Pin | None:
    """How others read what this run made."""
    return built[table].pin if table in built and built[table].status not in FALLEN else None


def _finish(
    job: BuildContext,
    line: PinnedBranch,
    record: RunRecord,
    built: Mapping[TableName, BuiltOutput],
    ports: RunPorts,
    request: RunRequest,
) -> RunResult:
    if any(b.status is OutputStatus.FAILED for b in built.values()):
        _refuse_stopped(ports)  # it failed because it was cancelled
    built = with_quarantine(built)
    verdicts = tuple(verdict for b in built.values() for verdict in b.verdicts)
    traced = tuple(lineage_of(b) for b in built.values() if b.planned is not None)
    status = _status(built)
    outputs = tuple(b.record for b in built.values())
    done = replace(record, status=status, outputs=outputs, finished_at=ports.clock(), step="finished")
    passed = [b for b in built.values() if b.status is OutputStatus.PASSED]
    held = status is RunStatus.FAILED or (ports.publish_all and status is RunStatus.BLOCKED)
    if not passed or held:
        error = next((b.error for b in built.values() if b.error), None)
        done = replace(done, error=error.to_dict() if error else None)
        ports.metadata.finish_run(done, verdicts, (_ended(done, ports),), traced)
        return RunResult(done, None, verdicts, lineage=traced)
    job.notify(StepEvent(job.run_id, None, "publishing", f"{len(passed)} tables"))
    message = request.message or _message(request, passed)
    go = publish_outputs if ports.lake.by_table is None else partial(publish_by_table, ports.lake.by_table)
    outcome = go(job, line, done, tuple(built.values()), verdicts, author=ports.author, message=message)
    match outcome:
        case PublishedOutputs(commit=commit, run=landed, left=left):
            job.notify(StepEvent(job.run_id, None, "published", commit.id))
            ports.lake.drop_stages(record.id)
            ports.fault_point("recorded")
            return RunResult(landed, commit, verdicts, left, traced)
        case PublishConflict(tables=tables):
            return _conflicted(ports, done, verdicts, tables, traced)


def _conflicted(
    ports: RunPorts,
    done: RunRecord,
    verdicts: tuple[Verdict, ...],
    tables: tuple[TableName, ...],
    traced: tuple[TableLineage, ...],
) -> RunResult:
    names = ", ".join(map(str, tables))
    error = ForgeError(
        "E403",
        f"Someone else published {names} while this run worked",
        why="The run had pinned an older version. Nothing of it was published.",
        fix="Run it again: it will start from what is there now.",
    )
    done = replace(done, status=RunStatus.CONFLICT, error=error.to_dict())
    ports.metadata.finish_run(done, verdicts, (_ended(done, ports),), traced)
    return RunResult(done, None, verdicts, tables, traced)


def _status(built: Mapping[TableName, BuiltOutput]) -> RunStatus:
    statuses = {b.status for b in built.values()}
    if OutputStatus.FAILED in statuses:
        return RunStatus.FAILED
    if OutputStatus.BLOCKED in statuses:
        return RunStatus.BLOCKED
    return RunStatus.SUCCEEDED if OutputStatus.PASSED in statuses else RunStatus.NOTHING_TO_DO


def _message(request: RunRequest, passed: Sequence[BuiltOutput]) -> str:
    names = ", ".join(str(b.table) for b in passed[:3])
    more = f" and {len(passed) - 3} more" if len(passed) > 3 else ""
    return f"Run {' '.join(request.selection) + ': ' if request.selection else ''}{names}{more}"


def _ended(run: RunRecord, ports: RunPorts) -> AuditRecord:
    return AuditRecord(ports.clock(), run.user, f"run.{run.status.replace(' ', '_')}", run.id)


def _record_end(
    ports: RunPorts, record: RunRecord, status: RunStatus, failure: BaseException, verdicts: tuple[Verdict, ...]
) -> bool:
    """Records the end of a stopped run; False where it had been published already, which is final."""
    known = ports.metadata.run(record.id)
    if known is not None and known.commit_id is not None:
        return False
    shown = failure.to_dict() if isinstance(failure, ForgeError) else {"what": f"{type(failure).__name__}: {failure}"}
    done = replace(record, status=status, finished_at=ports.clock(), error=shown)
    ports.metadata.finish_run(done, verdicts, (_ended(done, ports),))
    return True
