"""Measures and judges a table: the staged output of a run, or a published version. The same code for both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from forge.flows.catalog.personal_data import (
    HIDDEN,
    DeclaredColumns,
    PersonalData,
    declared_with,
    find_private,
    trees_at,
)
from forge.flows.quality.measure import (
    MeasureResult,
    MeasureSubject,
    MeasureTools,
    StateStore,
    measure,
    no_versions,
    target_of,
)
from forge.flows.runs.engine import Engine, Pin, PlannedResult
from forge.flows.runs.input_pins import at_commit, key_of
from forge.flows.runs.project import Project, referenced_tables
from forge.flows.versioning.read import RevisionReader, commit_at
from forge.flows.versioning.revisions import find_branch
from forge.model.errors import CancellationError, ForgeError
from forge.model.names import BranchName, CommitId, RunId, SnapshotId, TableName
from forge.quality.checks import FunctionCheck, QueryCheck
from forge.quality.finding import Context
from forge.quality.measure import PREVIOUS, Measure, MeasureTier, NotMeasured, Reading, Readings
from forge.quality.plan import judge_all, plan_measures, plan_second_round
from forge.quality.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from datetime import datetime

    from forge.catalog.pii import PiiType
    from forge.flows.ports import Lake, Metadata
    from forge.flows.runs.build import StepEvent
    from forge.flows.runs.records import RunStatus
    from forge.model.schema import Schema
    from forge.model.time import Clock
    from forge.quality.check import Check

_BACK = 50  # versions of a table that are looked back for one that differs


@dataclass(frozen=True, slots=True)
class Execution:
    """Cost of a check. Where checks share a scan, `ms` is the whole scan and `shared` is set."""

    ms: float = 0.0
    shared: bool = False
    tiers: tuple[MeasureTier, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTable:
    """The judgement of one table. `executions` are by check id."""

    table: TableName
    branch: BranchName
    commit_id: CommitId | None
    snapshot_id: SnapshotId | None  # None: a view
    schema: Schema
    checks: tuple[Check, ...]
    verdicts: tuple[Verdict, ...]  # one for each check, in order
    readings: Mapping[Measure, Reading]
    executed_at: datetime
    executions: Mapping[str, Execution] = field(default_factory=dict)
    run_id: RunId | None = None  # of the run that made it, where it was judged in one
    gate: tuple[Verdict, ...] = ()  # verdicts of the contract on the schema, in a run


HistoryOf = Callable[[TableName, BranchName, CommitId | None, Measure], Reading]
"""What a metric was at other versions: of a table on a branch, as of a commit, or (None) of what is being made."""


def no_history(table: TableName, branch: BranchName, commit_id: CommitId | None, measure: Measure) -> Reading:
    return NotMeasured("no history is kept here")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPorts:
    """Ports for judging published data."""

    metadata: Metadata
    lake: Lake
    engine: Callable[[], Engine]  # started when first needed
    project: Callable[[], Project]
    clock: Clock
    default_branch: BranchName
    states: StateStore | None = None
    notify: Callable[[StepEvent], None] = lambda event: None
    stopped: Callable[[], RunStatus | None] = lambda: None
    run_id: RunId | None = None  # under which Spark's jobs are marked
    history: HistoryOf = no_history
    declared: DeclaredColumns = frozenset  # what contracts call personal
    pii_types: tuple[PiiType, ...] = ()  # of the project


def personal_of(project: Project, ports: CheckPorts, commit_id: CommitId | None) -> PersonalData:
    """Personal columns at the commit, including those by the project's loaded contracts."""
    declared = declared_with(project.contracts.values(), ports.declared)
    return PersonalData(ports.metadata, declared, lambda: trees_at(ports.metadata, ports.default_branch, (commit_id,)))


def judge_dataset(
    dataset: str,
    ports: CheckPorts,
    *,
    checks: Sequence[Check] | None = None,
    at: str | None = None,
    since: str | None = None,
    promises: bool = False,
) -> JudgedTable:
    """Judges a published table or view: `core.orders`, or `core.orders@dev` for its branch. `checks`: None for the
    project's. `since`: only rows of files added since that revision. `promises`: include the clock-dependent service
    levels of its contract, in the same scan; not for past versions."""
    name, _, branch_name = dataset.partition("@")
    table = TableName.parse(name)
    branch = find_branch(ports.metadata, BranchName(branch_name or ports.default_branch))
    reader = RevisionReader(ports.metadata, ports.lake, branch.name, ports.default_branch)
    project = ports.project()
    chosen = tuple(project.checks_of(table) if checks is None else checks)
    if promises and checks is None and at is None and since is None:
        chosen += project.promises.get(table, ())
    if since is not None:
        chosen = tuple(check if check.since else replace(check, since=since) for check in chosen)
    pin = reader.pin(table, at)
    commit_id = branch.head if at is None else commit_at(ports.metadata, at, branch.name, table).id
    schema = schema_of(ports.lake, ports.engine, pin)
    subject = MeasureSubject(
        table,
        schema,
        pin,
        find_others(chosen, lambda other: reader.pin(other, at)),
        partial(find_version_pin, reader, pin, commit_id),
        partial(ports.history, table, branch.name, commit_id),
    )
    tools = MeasureTools(ports.lake, _begun(ports, table), ports.clock(), ports.states)
    personal = personal_of(project, ports, commit_id)
    judgement = judge(subject, chosen, personal.of(table, schema.names), tools, find_private(personal, table, chosen))
    return JudgedTable(
        table=table,
        branch=branch.name,
        commit_id=commit_id,
        snapshot_id=pin.snapshot_id,
        schema=schema,
        checks=chosen,
        verdicts=judgement.verdicts,
        readings=judgement.readings,
        executed_at=tools.now,
        executions=judgement.executions,
    )


def _begun(ports: CheckPorts, table: TableName) -> Callable[[], Engine]:
    """The engine, with its jobs labelled, started on use."""

    def engine() -> Engine:
        found = ports.engine()
        if ports.run_id is not None:
            found.begin(ports.run_id, table)
        return found

    return engine


def find_others(checks: Sequence[Check], pin: Callable[[TableName], Pin | None]) -> dict[TableName, Pin]:
    """Pins of the other tables that the checks read. A missing one is reported by its check."""
    others: dict[TableName, Pin] = {}
    for table in sorted({t for check in checks for t in referenced_tables(check)}):
        try:
            found = pin(table)
        except ForgeError:
            continue
        if found is not None:
            others[table] = found
    return others


def find_version_pin(reader: RevisionReader, pin: Pin, commit_id: CommitId | None, revision: str) -> Pin | None:
    """The table at another revision; PREVIOUS is the version before the judged one."""
    if revision != PREVIOUS:
        return reader.pin(pin.table, revision)
    return _previous(reader, pin, commit_id)


def _previous(reader: RevisionReader, pin: Pin, commit_id: CommitId | None) -> Pin | None:
    if commit_id is None:
        return None
    for commit in reader.metadata.log(commit_id, table=pin.table, limit=_BACK):
        found = at_commit(pin.table, reader.metadata.tree(commit.id), reader.lake)
        if found is not None and key_of(found) != key_of(pin):
            return found
    return None


def judge_table(
    table: TableName,
    schema: Schema,
    target: Pin | PlannedResult,
    others: Mapping[TableName, Pin],
    project: Project,
    personal: PersonalData,
    lake: Lake,
    engine: Engine,
    now: datetime,
    *,
    history: Callable[[Measure], Reading] = lambda measure: NotMeasured("no history is kept here"),
    versions: Callable[[str], Pin | None] = no_versions,
    states: StateStore | None = None,
) -> tuple[tuple[Verdict, ...], Mapping[Measure, Reading]]:
    """The project's checks of the table."""
    subject = MeasureSubject(table, schema, target, others, versions, history)
    tools = MeasureTools(lake, lambda: engine, now, states)
    checks = project.checks.get(table, ())
    judgement = judge(subject, checks, personal.of(table, schema.names), tools, find_private(personal, table, checks))
    return judgement.verdicts, judgement.readings


@dataclass(frozen=True, slots=True)
class Judgement:
    verdicts: tuple[Verdict, ...] = ()
    readings: Mapping[Measure, Reading] = field(default_factory=dict)
    executions: Mapping[str, Execution] = field(default_factory=dict)


def judge(
    subject: MeasureSubject,
    checks: Sequence[Check],
    masked: frozenset[str],
    tools: MeasureTools,
    private: frozenset[TableName] = frozenset(),
) -> Judgement:
    """Measures in as few passes as possible, with a second round where a check needs it (bounds of outliers come from a
    mean), and one more pass for samples of failing rows. `masked`: personal columns; `private`: tables with personal
    columns, of those that queries and functions read."""
    if not checks:
        return Judgement()
    found = measure(subject, plan_measures(checks, subject.schema), tools)
    later = [m for m in plan_second_round(checks, found.readings, subject.schema) if m not in found.readings]
    if later:
        more = measure(subject, later, tools)
        found.readings |= more.readings
        found.batches += more.batches
    verdicts = judge_all(checks, found.readings, Context(subject.table, subject.schema, tools.now, masked))
    executions = {
        verdict.check_id: execution_of(check, found, subject.schema)
        for check, verdict in zip(checks, verdicts, strict=True)
    }
    verdicts = _sampled(subject, checks, verdicts, found.readings, masked, tools, private)
    return Judgement(verdicts, found.readings, executions)


def execution_of(check: Check, found: MeasureResult, schema: Schema) -> Execution:
    try:
        own = check.measures(schema) | check.then(found.readings, schema)
    except Exception:  # a check that cannot be planned measured nothing; see its verdict
        return Execution()
    batches = [batch for batch in found.batches if not own.isdisjoint(batch.measures)]
    shared = any(not own.issuperset(batch.measures) for batch in batches)
    tiers = tuple(dict.fromkeys(batch.tier for batch in batches))
    return Execution(round(sum(batch.ms for batch in batches), 1), shared, tiers)


def _sampled(
    subject: MeasureSubject,
    checks: Sequence[Check],
    verdicts: Sequence[Verdict],
    readings: Readings,
    masked: frozenset[str],
    tools: MeasureTools,
    private: frozenset[TableName],
) -> tuple[Verdict, ...]:
    """Failed checks with a sample of failing rows. One pass for all checks on the same rows."""
    by_rows: dict[str | None, list[int]] = {}
    for number, (check, verdict) in enumerate(zip(checks, verdicts, strict=True)):
        if verdict.outcome is Outcome.FAILED and _has_bad_rows(check, readings, subject.schema):
            by_rows.setdefault(check.since, []).append(number)
    shown = list(verdicts)
    for since, numbers in by_rows.items():
        target = target_of(subject, None, since, tools.lake)
        if not isinstance(target, Pin | PlannedResult):
            continue
        failed = [checks[number] for number in numbers]
        try:
            samples = tools.engine().sample(target, failed, readings, masked, subject.others)
        except CancellationError:
            raise
        except ForgeError as error:
            shown[numbers[0]] = _without_sample(shown[numbers[0]], error)
            continue
        for number, rows in zip(numbers, samples, strict=True):
            closed = _is_closed(checks[number], subject.table, private)
            sample = [dict.fromkeys(row, HIDDEN) if closed else dict(row) for row in rows]
            details = {**shown[number].details, "sample": sample, **_reads(checks[number])}
            shown[number] = replace(shown[number], details=details)
    return tuple(shown)


def _is_closed(check: Check, table: TableName, private: frozenset[TableName]) -> bool:
    """Whether its own result rows could show personal data under any name: a query may alias columns, a function may
    return those of other tables."""
    if isinstance(check, QueryCheck):
        return not private.isdisjoint({table, *referenced_tables(check)})
    return isinstance(check, FunctionCheck) and not private.isdisjoint(referenced_tables(check) - {table})


def _reads(check: Check) -> dict[str, object]:
    """The tables whose rows a free query or function may return, for masking at display time."""
    others = sorted(map(str, referenced_tables(check))) if isinstance(check, QueryCheck | FunctionCheck) else []
    return {"reads": others} if others else {}


def _without_sample(verdict: Verdict, error: ForgeError) -> Verdict:
    """A failed sample does not change the verdict."""
    return replace(verdict, details={**verdict.details, "sample": [], "sample_missing": error.line})


def _has_bad_rows(check: Check, readings: Readings, schema: Schema) -> bool:
    """A failed table-level check (volume, freshness, a mean) has no failing rows."""
    return bool(check.bad(readings, schema))


def schema_of(lake: Lake, engine: Callable[[], Engine], pin: Pin) -> Schema:
    if pin.snapshot_id is not None:
        snapshot = lake.snapshot(pin.catalog, pin.snapshot_id)
        if snapshot is None:
            raise ForgeError("E406", f"Snapshot {pin.snapshot_id} of {pin.table} is gone", fix="Run `forge doctor`.")
        return snapshot.schema
    schema, _ = engine().query(f"TABLE {pin.table}", {pin.table: pin}, {}, 0)
    return schema


def tables_with_checks(project: Project, *, promises: bool = False) -> tuple[TableName, ...]:
    """Tables whose checks are all readable. `promises`: include those with service levels only."""
    faulty = frozenset(table for fault in project.faults if not fault.only_runs for table in fault.tables)
    known = (project.checks, project.promises) if promises else (project.checks,)
    return tuple(sorted({t for each in known for t, checks in each.items() if checks and t not in faulty}))


def find_unjudged(project: Project) -> tuple[ForgeError, ...]:
    """Errors in check files: the tables they are about cannot be judged."""
    return tuple(fault.error for fault in project.faults if not fault.only_runs)
