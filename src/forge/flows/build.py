"""One output of a run: fingerprint → plan → contract → stage → check. Each step's result is the next one's input."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from forge.flows.check import Execution, Judgement, find_others, judge
from forge.flows.contract_gate import contract_verdicts
from forge.flows.engine import DeclaredLineage, Engine, Pin, Planned, RunContext, TimeRange
from forge.flows.failing import failing_of
from forge.flows.measure import StateStore, Subject, Tools
from forge.flows.personal import Personal, declared_with, find_private, hiding_values
from forge.flows.pins import Base, key_of, view_pin
from forge.flows.quarantine_run import SideStaged, Staged, asking_checks, is_worth_it, with_word
from forge.flows.records import LoadedFile, OutputRecord, OutputStatus
from forge.flows.run_key import RunKey, hold_key
from forge.model.errors import ForgeError
from forge.model.names import RunId
from forge.quality.measure import PREVIOUS, Measure, NotMeasured, Reading
from forge.transforms.fingerprint import Fingerprint, fingerprint
from forge.transforms.transform import FileSource, JdbcSource, Kind, SqlQuery, Transform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from forge.flows.contract_ports import Registration
    from forge.flows.key_check import KeyCheck
    from forge.flows.ports import Lake, Metadata, Seam, SnapshotState, Stage
    from forge.flows.project import Project
    from forge.flows.read import Reader
    from forge.flows.seal import Seals
    from forge.model.names import CommitId, TableName
    from forge.quality.verdict import Verdict
    from forge.versioning.commit import Signer, TableVersion

ALL_TIME = TimeRange(datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Event:
    """Something a person watching a run wants to see."""

    run_id: RunId
    table: TableName | None
    step: str
    """started, up to date, planned, staged, set aside, checked, blocked, failed, skipped, publishing or published."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Job:
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
    force: bool
    seam: Seam
    notify: Callable[[Event], None]
    secrets: Callable[[str], str]
    logger: object = None
    seals: Seals | None = None
    signer: Signer | None = None
    set_aside: Callable[[Staged], SideStaged | None] = lambda staged: None  # rows that checks want in quarantine
    history: Callable[[TableName, Measure], Reading] = lambda table, measure: NotMeasured("no history is kept here")
    reader: Reader | None = None  # of the branch, for what checks look up beside the outputs and at other versions
    states: StateStore | None = None
    personal: Personal | None = None
    register: Callable[[Sequence[TableName]], tuple[Registration, ...]] = lambda tables: ()  # contracts of these
    keys: Mapping[TableName, tuple[str, ...]] = field(default_factory=dict)  # as they are declared
    key_check: KeyCheck | None = None  # None: the catalog is someone else's


@dataclass(frozen=True, slots=True)
class Built:
    """What became of one output."""

    record: OutputRecord
    transform: Transform
    base: Base
    pin: Pin | None = None  # how the outputs after it read it: the stage, or where it stood if it is up to date
    stage: Stage | None = None
    snapshot: SnapshotState | None = None
    planned: Planned | None = None
    verdicts: tuple[Verdict, ...] = ()
    readings: Mapping[Measure, Reading] = field(default_factory=dict)
    files: tuple[LoadedFile, ...] = ()
    error: ForgeError | None = None
    side: SideStaged | None = None  # rows that were set aside, to be published with it
    executions: Mapping[str, Execution] = field(default_factory=dict)  # of its checks, by their ids
    key: RunKey = field(default_factory=RunKey)

    @property
    def status(self) -> OutputStatus:
        return self.record.status

    @property
    def table(self) -> TableName:
        return self.record.table


def build(
    job: Job, transform: Transform, base: Base, inputs: Mapping[TableName, Pin], others: Mapping[TableName, Pin]
) -> Built:
    """`inputs` are what it reads, `others` what its foreign keys look up. Bad data is a result; what could not run is
    a result too, with its error."""
    started = time.monotonic()
    record = OutputRecord(
        transform.output,
        OutputStatus.FAILED,
        kind=str(transform.kind),
        inputs={str(table): pin.snapshot_id for table, pin in inputs.items()},
    )
    try:
        with hiding_values(lambda: _personal(job).of(transform.output)):
            built = _build(job, transform, base, inputs, others, record)
    except ForgeError as error:
        failed = replace(record, reason=error.line, error=error.to_dict())
        built = Built(failed, transform, base, error=error)
    jobs = job.engine.progress(job.run_id, transform.output).jobs
    done = replace(built.record, seconds=round(time.monotonic() - started, 3), spark_jobs=jobs)
    built = replace(built, record=done)
    job.notify(Event(job.run_id, built.table, str(built.status), built.record.reason))
    return built


def _build(
    job: Job,
    transform: Transform,
    base: Base,
    inputs: Mapping[TableName, Pin],
    others: Mapping[TableName, Pin],
    record: OutputRecord,
) -> Built:
    table = transform.output
    _refuse_other_nature(transform, base)
    files = _files_to_load(job, transform, base)
    made_from = _made_from(job, transform, inputs, files)
    record = replace(record, fingerprint=made_from.fingerprint, parts=made_from.parts)
    unchanged = _unchanged(job, transform, base, made_from.fingerprint, files)
    if unchanged:
        return _up_to_date(job, record, transform, base, unchanged)
    files = job.engine.with_digests(files)
    job.notify(Event(job.run_id, table, "started"))
    planned = _plan(job, transform, base, inputs, files)
    job.seam("transformed")
    violations = contract_verdicts(job.project, table, planned.schema)
    if any(verdict.blocks for verdict in violations):
        return Built(_blocked(record, violations), transform, base, planned=planned, verdicts=violations)
    if transform.kind is Kind.VIEW:
        stage, snapshot, key = None, None, RunKey()
        assert isinstance(transform.body, SqlQuery)
        pin = view_pin(table, transform.body.text, inputs)
    else:
        stage, snapshot = _stage(job, planned, base)
        key = hold_key(job, transform, base, stage, snapshot)
        pin = Pin(table, stage.catalog, snapshot.snapshot_id)
    job.seam("staged")
    subject = _subject(job, planned, pin, base, others)
    found = _Checked(pin, snapshot, _judge(job, subject))
    if stage is not None and snapshot is not None:
        checks = job.project.checks.get(table, ())
        said = found.judged
        staged = Staged(transform, stage, snapshot, checks, said.verdicts, said.readings, others)
        if is_worth_it(staged, violations):
            found = _without_bad_rows(job, subject, staged, found)
    verdicts = violations + found.judged.verdicts
    job.seam("checked")
    return Built(
        _judged_record(record, verdicts, found),
        transform,
        base,
        found.pin,
        stage,
        found.snapshot,
        planned,
        verdicts,
        found.judged.readings,
        files,
        side=found.side,
        executions=found.judged.executions,
        key=key,
    )


@dataclass(frozen=True, slots=True)
class _Checked:
    """What was made, as it was judged last."""

    pin: Pin
    snapshot: SnapshotState | None
    judged: Judgement
    side: SideStaged | None = None  # bad rows that were set aside before


def _plan(
    job: Job, transform: Transform, base: Base, inputs: Mapping[TableName, Pin], files: Sequence[LoadedFile]
) -> Planned:
    job.engine.begin(job.run_id, transform.output)
    declared = DeclaredLineage(transform.output)
    params = _with_range(job, transform, base)
    context = RunContext(job.run_id, params, job.secrets, job.logger, declared)
    planned = job.engine.plan(transform, inputs, params, context, files)
    if job.personal is not None:
        job.personal.made[transform.output] = planned.lineage.edges
    return planned


def _without_bad_rows(job: Job, subject: Subject, staged: Staged, found: _Checked) -> _Checked:
    """What is left once the rows that failed are set aside, judged again; as it was where none could be."""
    side = job.set_aside(_parted(job, subject, staged))
    if side is None:
        return found
    snapshot = job.lake.snapshot(staged.stage.catalog)
    assert snapshot is not None, "a staged table has a snapshot"
    pin = replace(found.pin, snapshot_id=snapshot.snapshot_id)
    judged = _judge(job, replace(subject, target=pin))
    judged = replace(judged, verdicts=with_word(judged.verdicts, side, found.judged.verdicts))
    job.notify(Event(job.run_id, subject.table, "set aside", f"{_rows(side.rows)} in {side.table}"))
    return _Checked(pin, snapshot, judged, side)


def _judged_record(record: OutputRecord, verdicts: Sequence[Verdict], found: _Checked) -> OutputRecord:
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


def _subject(job: Job, planned: Planned, pin: Pin, base: Base, others: Mapping[TableName, Pin]) -> Subject:
    """What was made, to be judged. The version before is the one that the run builds on."""
    table = planned.transform.output
    bound = isinstance(planned.transform.body, SqlQuery) and planned.transform.body.parameters
    target = planned if pin.view_sql is not None and bound else pin  # a view's text has no parameters bound
    checks = job.project.checks.get(table, ())
    found = {**find_others(checks, partial(_beside, job)), **others}
    return Subject(
        table, planned.schema, target, found, partial(_version, job, table, base), partial(job.history, table)
    )


def _beside(job: Job, table: TableName) -> Pin | None:
    return job.reader.pin(table, None) if job.reader else None


def _version(job: Job, table: TableName, base: Base, revision: str) -> Pin | None:
    if revision == PREVIOUS and (base.catalog is None or base.snapshot_id is not None):
        return None if base.catalog is None else Pin(table, base.catalog, base.snapshot_id)
    return job.reader.pin(table, None if revision == PREVIOUS else revision) if job.reader else None


def _judge(job: Job, subject: Subject) -> Judgement:
    checks = job.project.checks.get(subject.table, ())
    tools = Tools(job.lake, lambda: job.engine, job.now, job.states)
    if not checks:
        return Judgement()
    personal = _personal(job)
    return judge(subject, checks, personal.of(subject.table), tools, find_private(personal, subject.table, checks))


def _personal(job: Job) -> Personal:
    return job.personal or Personal(
        job.metadata,
        declared_with(job.project.contracts.values(), frozenset),
        lambda: (job.metadata.tree(job.head),),
    )


def _parted(job: Job, subject: Subject, staged: Staged) -> Staged:
    """With the part of the table that checks of new rows are about."""
    tools = Tools(job.lake, lambda: job.engine, job.now)
    return replace(staged, parts=failing_of(subject, asking_checks(staged), staged.readings, tools).parts)


def with_sides(built: Mapping[TableName, Built]) -> dict[TableName, Built]:
    """With what was set aside of outputs that are published, as outputs of their own: all land together."""
    sides = {b.side.table: _side(b, b.side) for b in built.values() if b.side and b.status is OutputStatus.PASSED}
    return {**built, **sides}


def _side(built: Built, side: SideStaged) -> Built:
    counted = side.snapshot.statistics
    record = OutputRecord(
        side.table,
        OutputStatus.PASSED,
        f"{_rows(side.rows)} of {built.table} that failed a check",
        "quarantine",
        rows=counted.record_count,
        rows_added=side.rows,
        snapshot_id=side.snapshot.snapshot_id,
        inputs={str(built.table): built.record.snapshot_id},
    )
    pin = Pin(side.table, side.stage.catalog, side.snapshot.snapshot_id)
    return Built(record, side.planned.transform, side.base, pin, side.stage, side.snapshot, side.planned)


def _refuse_other_nature(transform: Transform, base: Base) -> None:
    """A table never turns into a view under its readers, nor a view into a table."""
    new = "view" if transform.kind is Kind.VIEW else "table"
    if base.version is not None and base.version.kind != new:
        raise ForgeError(
            "E206",
            f"{transform.output} is a {base.version.kind} and cannot become a {new}",
            where=transform.where,
            why="Its history holds it as what it was.",
            fix="Give the output another name.",
        )


def _files_to_load(job: Job, transform: Transform, base: Base) -> tuple[LoadedFile, ...]:
    if not isinstance(transform.body, FileSource):
        return ()
    files = job.engine.files_of(transform)
    if base.catalog is None:
        return files
    loaded = job.metadata.loaded_files(transform.output, job.head)
    files = tuple(_as_loaded(job, file, loaded) for file in files)
    if transform.kind is not Kind.APPEND:
        return files
    new = tuple(file for file in files if file not in loaded)
    _refuse_changed(transform, new, {file.path for file in loaded})
    return new


def _as_loaded(job: Job, file: LoadedFile, loaded: frozenset[LoadedFile]) -> LoadedFile:
    """A file that was only touched or copied anew, with the same content, is the file that was loaded. Its content is
    read only where its time alone tells them apart."""
    if file in loaded:
        return file
    like = [one for one in loaded if (one.path, one.size) == (file.path, file.size) and one.digest is not None]
    if not like:
        return file
    (hashed,) = job.engine.with_digests((file,))
    return next((one for one in like if one.digest == hashed.digest), hashed)


def _refuse_changed(transform: Transform, new: Sequence[LoadedFile], loaded: set[str]) -> None:
    """Loading a changed file again would add its rows to those it gave before."""
    changed = [file.path for file in new if file.path in loaded]
    if changed:
        raise ForgeError(
            "E215",
            f"{changed[0]} was loaded before and has changed since",
            where=transform.where,
            why=f"{transform.output} is kind: append, so its rows would be there twice.",
            fix="Deliver corrections as a new file, or make the source `kind: full` for one run, which loads all anew.",
        )


def _made_from(
    job: Job, transform: Transform, inputs: Mapping[TableName, Pin], files: Sequence[LoadedFile]
) -> Fingerprint:
    pinned: dict[TableName, object] = {table: key_of(pin) for table, pin in inputs.items()}
    params = dict(job.params)
    if job.time_range and transform.kind is Kind.BY_TIME_RANGE:
        params |= {"start": job.time_range.start, "end": job.time_range.end}
    seen = [{"path": file.path, "size": file.size, "modified_ns": file.modified_ns} for file in files]
    return fingerprint(transform, pinned, params, seen, job.project.rules_hash.get(transform.output, ""))


def _with_range(job: Job, transform: Transform, base: Base) -> Mapping[str, object]:
    """:start and :end. Without a range the first run takes all of time; a later one must be told."""
    if transform.kind is not Kind.BY_TIME_RANGE:
        return job.params
    missing = range_missing(job, transform, base)
    if missing is not None:
        raise missing
    chosen = job.time_range or ALL_TIME
    return {**job.params, "start": chosen.start, "end": chosen.end}


def range_missing(job: Job, transform: Transform, base: Base) -> ForgeError | None:
    """What is wrong if the output is built as the run was asked for."""
    if transform.kind is not Kind.BY_TIME_RANGE or job.time_range is not None or base.catalog is None:
        return None
    return ForgeError(
        "E206",
        f"{transform.output} needs a time range",
        where=transform.where,
        why="It is incremental_by_time_range and the table exists already.",
        fix="Give `start` and `end`: forge run … --start 2026-11-14 --end 2026-11-15",
    )


def _unchanged(job: Job, transform: Transform, base: Base, mark: str, files: Sequence[LoadedFile]) -> str | None:
    """Why nothing need be done, or None."""
    if job.force or base.version is None or base.is_foreign or isinstance(transform.body, JdbcSource):
        return None
    if isinstance(transform.body, FileSource) and transform.kind is Kind.APPEND and not files:
        return "no new files"
    return "same code, inputs and parameters" if base.version.fingerprint == mark else None


def would_run(job: Job, transform: Transform, base: Base, inputs: Mapping[TableName, Pin]) -> tuple[str, str]:
    """For `forge plan`: the decision of `build`, in words, with nothing started."""
    files = _files_to_load(job, transform, base)
    made_from = _made_from(job, transform, inputs, files)
    unchanged = _unchanged(job, transform, base, made_from.fingerprint, files)
    if unchanged:
        return "up to date", unchanged
    if job.force:
        return "run", "forced"
    if base.catalog is None:
        return "run", "it does not exist yet"
    if base.is_foreign:
        return "run", "another engine wrote it last"
    if isinstance(transform.body, JdbcSource):
        return "run", "a database is read anew each time"
    assert base.version is not None, "a table that is not foreign has a version"
    if base.version.fingerprint is None:
        return "run", _written_by_hand(job, transform)
    if files and transform.kind is Kind.APPEND:
        return "run", f"{len(files)} new {'file' if len(files) == 1 else 'files'}"
    return "run", _what_changed(job, base.version, transform.output, inputs, made_from)


def _written_by_hand(job: Job, transform: Transform) -> str:
    """A commit of rows, a merge or a revert wrote it last: whoever plans a run should know what happens to that."""
    from forge.flows.log import find_log  # asked for in plans alone

    assert job.head is not None, "a version has a commit"
    found = find_log(job.metadata, job.head, limit=1, paths=(str(transform.output),))
    if not found:
        return "no run made it as it is"
    last = found[0]
    then = "it will be made anew without that" if transform.kind is Kind.FULL else "the run goes on from there"
    return f"commit {last.id[:8]} of {last.author.name} changed it ({last.message.splitlines()[0]}): {then}"


def _what_changed(
    job: Job, version: TableVersion, table: TableName, inputs: Mapping[TableName, Pin], now: Fingerprint
) -> str:
    run = job.metadata.run(RunId(version.run_id)) if version.run_id else None
    before = next((output for output in run.outputs if output.table == table), None) if run else None
    if before is None or before.parts is None:
        return "it was made from something else"
    changed = [name for name, value in now.parts.items() if before.parts.get(name) != value]
    if changed == ["inputs"]:
        moved = [str(t) for t, pin in inputs.items() if before.inputs.get(str(t)) != pin.snapshot_id]
        return f"its input {moved[0]} changed" if len(moved) == 1 else f"its inputs {', '.join(moved)} changed"
    words = [
        {"files": "the files it loads", "parameters": "its parameters"}.get(name, f"its {name}") for name in changed
    ]
    return f"{' and '.join(words)} changed"


def _up_to_date(job: Job, record: OutputRecord, transform: Transform, base: Base, reason: str) -> Built:
    assert base.catalog is not None
    version = base.version
    record = replace(record, status=OutputStatus.UP_TO_DATE, reason=reason, snapshot_id=base.snapshot_id)
    pin = None  # the caller pins it where it stands
    if version is not None and version.kind == "table":
        pin = Pin(record.table, base.catalog, base.snapshot_id)
    return Built(record, transform, base, pin)


def _stage(job: Job, planned: Planned, base: Base) -> tuple[Stage, SnapshotState]:
    table = planned.transform.output
    stage = job.lake.open_stage(job.run_id, table, base.catalog, base.snapshot_id)
    job.seam("opened")
    job.engine.stage(planned, stage, job.time_range)
    snapshot = job.lake.snapshot(stage.catalog)
    assert snapshot is not None, "a staged table has a snapshot"
    job.notify(Event(job.run_id, table, "staged", _rows(snapshot.statistics.rows_added)))
    return stage, snapshot


def _rows(number: int) -> str:
    return f"{number:,} {'row' if number == 1 else 'rows'}"


def _blocked(record: OutputRecord, verdicts: Sequence[Verdict]) -> OutputRecord:
    blocking = [verdict for verdict in verdicts if verdict.blocks]
    more = f" (and {len(blocking) - 1} more)" if len(blocking) > 1 else ""
    return replace(record, status=OutputStatus.BLOCKED, reason=blocking[0].message + more)
