"""One step of a run's plan, executed: transform → contract → stage → check. Each result is the next one's input."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from forge.flows.catalog.personal_data import PersonalData, declared_with, find_private, hiding_values
from forge.flows.contracts.gate import contract_verdicts
from forge.flows.quality.failing_rows import failing_of
from forge.flows.quality.judge import Execution, Judgement, find_others, judge
from forge.flows.quality.measure import MeasureSubject, MeasureTools, StateStore
from forge.flows.quality.remediation.quarantine_run import (
    StagedOutput,
    StagedQuarantine,
    asking_checks,
    is_worth_it,
    with_word,
)
from forge.flows.runs.decision import StepAction, loaded_state
from forge.flows.runs.engine import Engine, LineageRecorder, Pin, PlannedResult, RunContext, TimeRange
from forge.flows.runs.input_pins import BaseVersion, view_pin
from forge.flows.runs.key import RunKey, enforce_key
from forge.flows.runs.records import LoadedFile, OutputRecord, OutputStatus
from forge.model.errors import ForgeError
from forge.model.names import CommitId, RunId, TableName
from forge.quality.measure import PREVIOUS, Measure, NotMeasured, Reading
from forge.transforms.transform import ConnectorSource, SqlQuery, Transform, TransformKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from forge.flows.contracts.ports import Registration
    from forge.flows.ports import FaultPoint, Lake, Metadata, SnapshotState, Stage
    from forge.flows.runs.plan import PlannedStep
    from forge.flows.runs.project import Project
    from forge.flows.runs.source_rows import SourceLoads, SourceRows
    from forge.flows.versioning.content_hash import FileHasher
    from forge.flows.versioning.key_check import KeyCheck
    from forge.flows.versioning.read import RevisionReader
    from forge.quality.verdict import Verdict
    from forge.versioning.commit import Signer

ALL_TIME = TimeRange(datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class StepEvent:
    """Progress of a run, for those who watch it."""

    run_id: RunId
    table: TableName | None
    step: str
    """started, up to date, planned, staged, set aside, checked, blocked, failed, skipped, publishing or published."""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildContext:
    """What all outputs of one run share."""

    run_id: RunId
    project: Project
    metadata: Metadata
    lake: Lake
    engine: Engine
    now: datetime
    head: CommitId | None
    params: Mapping[str, object]
    time_range: TimeRange | None
    fault_point: FaultPoint
    notify: Callable[[StepEvent], None]
    secrets: Callable[[str], str]
    logger: object = None
    hasher: FileHasher | None = None
    signer: Signer | None = None
    set_aside: Callable[[StagedOutput], StagedQuarantine | None] = lambda staged: (
        None
    )  # rows that checks want in quarantine
    history: Callable[[TableName, Measure], Reading] = lambda table, measure: NotMeasured("no history is kept here")
    reader: RevisionReader | None = None  # of the branch, for other tables and versions that checks refer to
    states: StateStore | None = None
    loads: SourceLoads | None = None
    personal: PersonalData | None = None
    register: Callable[[Sequence[TableName]], tuple[Registration, ...]] = lambda tables: ()  # contracts of these
    keys: Mapping[TableName, tuple[str, ...]] = field(default_factory=dict)  # as they are declared
    key_check: KeyCheck | None = None  # None: the catalog is someone else's


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltOutput:
    """The result of building one output."""

    record: OutputRecord
    transform: Transform
    base: BaseVersion
    pin: Pin | None = None  # how later outputs read it: the stage, or its current version if it is up to date
    stage: Stage | None = None
    snapshot: SnapshotState | None = None
    planned: PlannedResult | None = None
    verdicts: tuple[Verdict, ...] = ()
    readings: Mapping[Measure, Reading] = field(default_factory=dict)
    files: tuple[LoadedFile, ...] = ()
    error: ForgeError | None = None
    side: StagedQuarantine | None = None  # rows that were set aside, to be published with it
    executions: Mapping[str, Execution] = field(default_factory=dict)  # of its checks, by their ids
    key: RunKey = field(default_factory=RunKey)

    @property
    def status(self) -> OutputStatus:
        return self.record.status

    @property
    def table(self) -> TableName:
        return self.record.table


def build(job: BuildContext, step: PlannedStep, others: Mapping[TableName, Pin]) -> BuiltOutput:
    """One step of the plan, as it was decided; `others` are what its foreign keys look up. Bad data is a result; what
    could not run is a result too, with its error."""
    started = time.monotonic()
    transform = job.project.transforms[step.table]
    made_from = step.fingerprint
    record = OutputRecord(
        table=step.table,
        status=OutputStatus.FAILED,
        kind=str(transform.kind),
        inputs={str(table): pin.snapshot_id for table, pin in step.pins.items()},
        fingerprint=made_from.fingerprint if made_from else None,
        parts=made_from.parts if made_from else None,
    )
    try:
        with hiding_values(lambda: _personal(job).in_errors(step.table)), ExitStack() as until:
            built = _build(job, step, transform, others, record, _rows_to_load(job, step, transform, until))
    except ForgeError as error:
        failed = replace(record, reason=error.line, error=error.to_dict())
        built = BuiltOutput(record=failed, transform=transform, base=step.base, error=error)
    jobs = job.engine.progress(job.run_id, transform.output).jobs
    done = replace(built.record, seconds=round(time.monotonic() - started, 3), spark_jobs=jobs)
    built = replace(built, record=done)
    job.notify(StepEvent(job.run_id, built.table, str(built.status), built.record.reason))
    return built


def _rows_to_load(job: BuildContext, step: PlannedStep, transform: Transform, until: ExitStack) -> SourceRows | None:
    """What a connector reads; `until` ends with the step."""
    if not isinstance(transform.body, ConnectorSource) or step.action is not StepAction.RUN:
        return None
    facts, made_from = step.facts, step.fingerprint
    assert job.loads is not None, "it was planned with them"
    assert facts is not None, "a step that is run was decided"
    assert made_from is not None, "a step that is run was decided"
    rows = job.loads.open(transform, facts.source_state, loaded_state(facts, made_from))
    until.enter_context(rows.until)
    return rows


def _build(
    job: BuildContext,
    step: PlannedStep,
    transform: Transform,
    others: Mapping[TableName, Pin],
    record: OutputRecord,
    rows: SourceRows | None,
) -> BuiltOutput:
    table, base, inputs = step.table, step.base, step.pins
    if step.error is not None:
        raise step.error
    if step.action is StepAction.UP_TO_DATE:
        return _up_to_date(record, transform, base, step.reason)
    assert step.facts is not None, "a step that is run was decided"
    files = job.engine.with_digests(step.facts.files)
    job.notify(StepEvent(job.run_id, table, "started"))
    planned = _plan(job, transform, inputs, files, rows)
    job.fault_point("transformed")
    violations = contract_verdicts(job.project, table, planned.schema)
    if any(verdict.blocks for verdict in violations):
        return BuiltOutput(
            record=_blocked(record, violations), transform=transform, base=base, planned=planned, verdicts=violations
        )
    if transform.kind is TransformKind.VIEW:
        stage, snapshot, key = None, None, RunKey()
        assert isinstance(transform.body, SqlQuery)
        pin = view_pin(table, transform.body.text, inputs)
    else:
        stage, snapshot = _stage(job, planned, base)
        key = enforce_key(job, transform, base, stage, snapshot)
        pin = Pin(table, stage.catalog, snapshot.snapshot_id)
    job.fault_point("staged")
    subject = _subject(job, planned, pin, base, others)
    found = _CheckedOutput(pin, snapshot, _judge(job, subject))
    if stage is not None and snapshot is not None:
        checks = job.project.checks.get(table, ())
        judged = found.judged
        staged = StagedOutput(
            transform=transform,
            stage=stage,
            snapshot=snapshot,
            checks=checks,
            verdicts=judged.verdicts,
            readings=judged.readings,
            others=others,
        )
        if is_worth_it(staged, violations):
            found = _without_bad_rows(job, subject, staged, found)
    verdicts = violations + found.judged.verdicts
    job.fault_point("checked")
    return BuiltOutput(
        record=_judged_record(record, verdicts, found),
        transform=transform,
        base=base,
        pin=found.pin,
        stage=stage,
        snapshot=found.snapshot,
        planned=planned,
        verdicts=verdicts,
        readings=found.judged.readings,
        files=files,
        side=found.side,
        executions=found.judged.executions,
        key=key,
    )


@dataclass(frozen=True, slots=True)
class _CheckedOutput:
    """The staged output with its last verdicts."""

    pin: Pin
    snapshot: SnapshotState | None
    judged: Judgement
    side: StagedQuarantine | None = None  # bad rows that were set aside before


def _plan(
    job: BuildContext,
    transform: Transform,
    inputs: Mapping[TableName, Pin],
    files: Sequence[LoadedFile],
    rows: SourceRows | None,
) -> PlannedResult:
    job.engine.begin(job.run_id, transform.output)
    declared = LineageRecorder(transform.output)
    params = _with_range(job, transform)
    context = RunContext(
        run_id=job.run_id, params=params, secrets=job.secrets, logger=job.logger, lineage=declared, rows=rows
    )
    planned = job.engine.plan(transform, inputs, params, context, files)
    if job.personal is not None:
        job.personal.made[transform.output] = planned.lineage.edges
    return planned


def _without_bad_rows(
    job: BuildContext, subject: MeasureSubject, staged: StagedOutput, found: _CheckedOutput
) -> _CheckedOutput:
    """The output without quarantined rows, judged again; unchanged where none could be quarantined."""
    side = job.set_aside(_parted(job, subject, staged))
    if side is None:
        return found
    snapshot = job.lake.snapshot(staged.stage.catalog)
    assert snapshot is not None, "a staged table has a snapshot"
    pin = replace(found.pin, snapshot_id=snapshot.snapshot_id)
    judged = _judge(job, replace(subject, target=pin))
    judged = replace(judged, verdicts=with_word(judged.verdicts, side, found.judged.verdicts))
    job.notify(StepEvent(job.run_id, subject.table, "set aside", f"{_rows(side.rows)} in {side.table}"))
    return _CheckedOutput(pin, snapshot, judged, side)


def _judged_record(record: OutputRecord, verdicts: Sequence[Verdict], found: _CheckedOutput) -> OutputRecord:
    if any(verdict.blocks for verdict in verdicts):
        record = _blocked(record, verdicts)
    else:
        aside = f"{_rows(found.side.rows)} set aside in {found.side.table}" if found.side else record.reason
        record = replace(record, status=OutputStatus.PASSED, reason=aside)
    if found.snapshot is None:
        return record
    counted = found.snapshot.statistics
    return replace(
        record, rows=counted.record_count, rows_added=counted.rows_added, snapshot_id=found.snapshot.snapshot_id
    )


def _subject(
    job: BuildContext, planned: PlannedResult, pin: Pin, base: BaseVersion, others: Mapping[TableName, Pin]
) -> MeasureSubject:
    """The staged output, to be judged. The previous version is the one that the run builds on."""
    table = planned.transform.output
    bound = isinstance(planned.transform.body, SqlQuery) and planned.transform.body.parameters
    target = planned if pin.view_sql is not None and bound else pin  # a view's text has no parameters bound
    checks = job.project.checks.get(table, ())
    found = {**find_others(checks, partial(_pin_other, job)), **others}
    return MeasureSubject(
        table, planned.schema, target, found, partial(_version, job, table, base), partial(job.history, table)
    )


def _pin_other(job: BuildContext, table: TableName) -> Pin | None:
    return job.reader.pin(table, None) if job.reader else None


def _version(job: BuildContext, table: TableName, base: BaseVersion, revision: str) -> Pin | None:
    if revision == PREVIOUS and (base.catalog is None or base.snapshot_id is not None):
        return None if base.catalog is None else Pin(table, base.catalog, base.snapshot_id)
    return job.reader.pin(table, None if revision == PREVIOUS else revision) if job.reader else None


def _judge(job: BuildContext, subject: MeasureSubject) -> Judgement:
    checks = job.project.checks.get(subject.table, ())
    tools = MeasureTools(job.lake, lambda: job.engine, job.now, job.states)
    if not checks:
        return Judgement()
    personal = _personal(job)
    masked = personal.of(subject.table, subject.schema.names)
    return judge(subject, checks, masked, tools, find_private(personal, subject.table, checks))


def _personal(job: BuildContext) -> PersonalData:
    return job.personal or PersonalData(
        job.metadata,
        declared_with(job.project.contracts.values(), frozenset),
        lambda: (job.metadata.tree(job.head),),
    )


def _parted(job: BuildContext, subject: MeasureSubject, staged: StagedOutput) -> StagedOutput:
    """With the part of the table that checks of new rows are about."""
    tools = MeasureTools(job.lake, lambda: job.engine, job.now)
    return replace(staged, parts=failing_of(subject, asking_checks(staged), staged.readings, tools).parts)


def with_quarantine(built: Mapping[TableName, BuiltOutput]) -> dict[TableName, BuiltOutput]:
    """With the quarantine tables of published outputs as outputs of their own: all are published together."""
    sides = {b.side.table: _side(b, b.side) for b in built.values() if b.side and b.status is OutputStatus.PASSED}
    return {**built, **sides}


def _side(built: BuiltOutput, side: StagedQuarantine) -> BuiltOutput:
    counted = side.snapshot.statistics
    record = OutputRecord(
        table=side.table,
        status=OutputStatus.PASSED,
        reason=f"{_rows(side.rows)} of {built.table} that failed a check",
        kind="quarantine",
        rows=counted.record_count,
        rows_added=side.rows,
        snapshot_id=side.snapshot.snapshot_id,
        inputs={str(built.table): built.record.snapshot_id},
    )
    pin = Pin(side.table, side.stage.catalog, side.snapshot.snapshot_id)
    return BuiltOutput(
        record=record,
        transform=side.planned.transform,
        base=side.base,
        pin=pin,
        stage=side.stage,
        snapshot=side.snapshot,
        planned=side.planned,
    )


def _with_range(job: BuildContext, transform: Transform) -> Mapping[str, object]:
    """:start and :end. Without a range the first run takes all of time; a later one that has none is not planned."""
    if transform.kind is not TransformKind.BY_TIME_RANGE:
        return job.params
    chosen = job.time_range or ALL_TIME
    return {**job.params, "start": chosen.start, "end": chosen.end}


def _up_to_date(record: OutputRecord, transform: Transform, base: BaseVersion, reason: str) -> BuiltOutput:
    assert base.catalog is not None
    version = base.version
    record = replace(record, status=OutputStatus.UP_TO_DATE, reason=reason, snapshot_id=base.snapshot_id)
    pin = None  # the caller pins its current version
    if version is not None and version.kind == "table":
        pin = Pin(record.table, base.catalog, base.snapshot_id)
    return BuiltOutput(record=record, transform=transform, base=base, pin=pin)


def _stage(job: BuildContext, planned: PlannedResult, base: BaseVersion) -> tuple[Stage, SnapshotState]:
    table = planned.transform.output
    stage = job.lake.open_stage(job.run_id, table, base.catalog, base.snapshot_id)
    job.fault_point("opened")
    job.engine.stage(planned, stage, job.time_range)
    snapshot = job.lake.snapshot(stage.catalog)
    assert snapshot is not None, "a staged table has a snapshot"
    job.notify(StepEvent(job.run_id, table, "staged", _rows(snapshot.statistics.rows_added)))
    return stage, snapshot


def _rows(number: int) -> str:
    return f"{number:,} {'row' if number == 1 else 'rows'}"


def _blocked(record: OutputRecord, verdicts: Sequence[Verdict]) -> OutputRecord:
    blocking = [verdict for verdict in verdicts if verdict.blocks]
    more = f" (and {len(blocking) - 1} more)" if len(blocking) > 1 else ""
    return replace(record, status=OutputStatus.BLOCKED, reason=blocking[0].message + more)
