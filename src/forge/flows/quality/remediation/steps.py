"""Executes the steps of a remediation: each action stages its result, nothing is published."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from forge.flows.catalog.personal_data import HIDDEN, PersonalData, declared_with, trees_at
from forge.flows.quality.failing_rows import measure_failing
from forge.flows.quality.judge import find_others, find_version_pin
from forge.flows.quality.measure import MeasureSubject, MeasureTools
from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.quality.remediation.quarantine import SideTable, plan_side, side_lineage, side_of
from forge.flows.quality.row_repair import CellFill, QuarantineStamp, RepairTarget, RepairWork, RowFailures, RowRepair
from forge.flows.runs.engine import Engine, Pin
from forge.flows.runs.input_pins import PinnedBranch, at_commit
from forge.flows.runs.project import Project
from forge.flows.runs.records import TableLineage
from forge.flows.versioning.data.engine import stage_by_engine
from forge.flows.versioning.data.request import CommitMode, CommitRequest
from forge.flows.versioning.merge.record import TableTally
from forge.flows.versioning.merge.tree import TableOutcome, open_stage, staged_outcome
from forge.flows.versioning.ports import Operation
from forge.flows.versioning.read import RevisionReader
from forge.flows.versioning.rollback import find_last_passed, restored
from forge.flows.versioning.tables import NeedsEngine
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, TableName
from forge.quality.check import Check
from forge.quality.plan import check_ids
from forge.quality.remediation import RemedyStep
from forge.quality.remedy import Action, ActionKind, ImputeMethod, RemedyResult
from forge.versioning.commit import TableVersion
from forge.versioning.field import Fields


@dataclass(frozen=True, slots=True)
class StepsResult:
    """The outcome of the steps: changed tables, and the result of each action."""

    outcomes: Mapping[TableName, TableOutcome] = field(default_factory=dict)
    results: tuple[RemedyResult, ...] = ()
    made_of: Mapping[TableName, TableLineage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsContext:
    """Where the steps are executed. `branch`: where the checks failed. `checks` are by id; `stamp_run` marks
    quarantined rows."""

    ports: RemedyPorts
    work: Operation
    line: PinnedBranch
    branch: BranchName
    project: Project
    table: TableName
    checks: Mapping[str, Check]
    stamp_run: str


@dataclass(slots=True)
class _State:
    """The table after the steps so far."""

    version: TableVersion
    outcome: TableOutcome | None = None
    side: TableOutcome | None = None
    made_of: dict[TableName, TableLineage] = field(default_factory=dict)
    deleted: int = 0
    changed: int = 0


def carry_out(scene: StepsContext, steps: tuple[RemedyStep, ...]) -> StepsResult:
    """A step without effect reports so and changes nothing; one that cannot be executed raises."""
    version = _table(scene)
    state = _State(version)
    results = [_STEPS[step.action.kind](scene, state, step) for step in steps]
    outcomes: dict[TableName, TableOutcome] = {}
    if state.outcome is not None:
        outcomes[scene.table] = _counted(state, version)
    if state.side is not None:
        outcomes[side_of(scene.table)] = state.side
    return StepsResult(outcomes, tuple(results), state.made_of)


def _table(scene: StepsContext) -> TableVersion:
    version = scene.line.tree.get(scene.table)
    if version is None:
        near = did_you_mean(str(scene.table), map(str, scene.line.tree))
        raise UnknownNameError(f"There is no table {scene.table} on '{scene.line.branch}'", why=near, fix="forge show")
    if version.kind == "view" or version.snapshot_id is None:
        raise ForgeError(
            "E749",
            f"{scene.table} is a view, and holds no rows of its own",
            fix="Remedy a table it reads, or change its SQL and run it.",
        )
    return version


def _counted(state: _State, before: TableVersion) -> TableOutcome:
    """With counts of changed rows, and the fingerprint of the table before: otherwise a run with the same inputs would
    rebuild the table and undo the change."""
    outcome = state.outcome
    assert outcome is not None
    assert outcome.version is not None
    if outcome.tally.how in ("restored", "custom"):
        return outcome
    statistics = replace(outcome.statistics, rows_added=0, rows_modified=state.changed, rows_deleted=state.deleted)
    return replace(outcome, version=_kept(outcome.version, before), statistics=statistics)


def _kept(version: TableVersion, before: TableVersion) -> TableVersion:
    return replace(version, fingerprint=before.fingerprint, number=before.number + 1)


# the actions


def _quarantine(scene: StepsContext, state: _State, step: RemedyStep) -> RemedyResult:
    failing = _failing(scene, state, step)
    with_rows = tuple((id_, check) for id_, check in failing.checks if _has_rows(check, failing, state, scene))
    kind = ActionKind.QUARANTINE
    if not with_rows:
        message = "No failing rows are identified by these checks, so nothing was moved."
        return RemedyResult(kind, False, message, {"rows": 0})
    repaired = _by(scene, state, lambda work, target: work.take_out(target, replace(failing, checks=with_rows)))
    try:
        if not repaired.deleted:
            return RemedyResult(kind, False, "No failing rows were found, so nothing was moved.", {"rows": 0})
        side = _plan_side(scene, state)
        _set_aside(scene, state, repaired, side)
        _write(scene, state, repaired)
    finally:
        repaired.release()
    where = side_of(scene.table)
    message = f"{_rows(repaired.deleted)} moved to {where}."
    details = {"rows": repaired.deleted, "table": str(where), "by_check": dict(repaired.counts)}
    return RemedyResult(kind, True, message, details)


def _has_rows(check: Check, failing: RowFailures, state: _State, scene: StepsContext) -> bool:
    snapshot = scene.work.ports.lake.snapshot(state.version.catalog, state.version.snapshot_id)
    return snapshot is not None and bool(check.bad(failing.readings, snapshot.schema))


def _plan_side(scene: StepsContext, state: _State) -> SideTable:
    tables, known = scene.work.ports.tables, _side_before(scene, state)
    assert state.version.snapshot_id is not None
    fields = tables.files(state.version.catalog, state.version.snapshot_id).fields
    if known is None:
        return plan_side(scene.table, fields, ())
    if known.kind == "view" or known.snapshot_id is None:
        raise ForgeError(
            "E749",
            f"{side_of(scene.table)} is a view and cannot take rows in",
            fix="Rename the view; the quarantine of a table is always called so.",
        )
    return plan_side(scene.table, fields, tables.files(known.catalog, known.snapshot_id).fields)


def _side_before(scene: StepsContext, state: _State) -> TableVersion | None:
    return state.side.version if state.side else scene.line.tree.get(side_of(scene.table))


def _set_aside(scene: StepsContext, state: _State, repaired: RowRepair, side: SideTable) -> None:
    work, name, before = scene.work, side_of(scene.table), _side_before(scene, state)
    stage = open_stage(work, name, before)
    repaired.set_aside(stage, side.fields, side.names, QuarantineStamp(scene.stamp_run, work.ports.clock()))
    outcome = staged_outcome(
        work, name, stage, before, TableTally(table=str(name), how="rows", inserted=repaired.deleted)
    )
    added = repaired.deleted + (state.side.statistics.rows_added if state.side else 0)
    statistics = replace(outcome.statistics, rows_added=added, rows_deleted=0, rows_modified=0)
    state.side = replace(outcome, statistics=statistics)
    state.made_of[name] = side_lineage(scene.table, side)


def _impute(scene: StepsContext, state: _State, step: RemedyStep) -> RemedyResult:
    action, fields = step.action, _fields(scene, state)
    columns = _known(scene, action.names("columns"), fields, "columns")
    method = ImputeMethod(str(action.option("method")))
    asking = [scene.checks[id_] for id_ in step.check_ids if id_ in scene.checks]
    bad = frozenset(name for check in asking if check.type != "not_null" for name in check.targets())
    narrow = any(check.type != "not_null" or check.where for check in asking)
    fill = CellFill(
        columns=columns,
        method=method,
        value=action.option("value"),
        key=_known(scene, action.names("key"), fields, "key", may_be_empty=True),
        order_by=_known(scene, action.names("order_by"), fields, "order_by", may_be_empty=True),
        failing=_failing(scene, state, step) if narrow else None,
        bad=bad & set(columns),
    )
    repaired = _by(scene, state, lambda work, target: work.fill(target, fill))
    kind = ActionKind.IMPUTE
    try:
        if not repaired.changed:
            message = f"No cell of {', '.join(columns)} could be filled, so nothing was changed."
            return RemedyResult(kind, False, message, {"rows": 0, "method": str(method)})
        _write(scene, state, repaired)
    finally:
        repaired.release()
    cells = ", ".join(f"{count:,} in {name}" for name, count in repaired.counts.items() if count)
    message = f"{_rows(repaired.changed)} changed: {cells} filled by {method}."
    details = {"rows": repaired.changed, "method": str(method), "cells": dict(repaired.counts)}
    if repaired.values:
        details["values"] = _shown(scene, repaired.values)
    return RemedyResult(kind, True, message, details)


def _shown(scene: StepsContext, values: Mapping[str, object]) -> dict[str, object]:
    """The filled values, unless personal."""
    ports = scene.work.ports
    declared = declared_with(scene.project.contracts.values(), ports.declared)
    main = trees_at(ports.metadata, ports.default_branch, ())
    hidden = PersonalData(ports.metadata, declared, lambda: (scene.line.tree, *main)).columns()
    return {n: HIDDEN if hidden.hides(scene.table, n) else value for n, value in values.items()}


def _deduplicate(scene: StepsContext, state: _State, step: RemedyStep) -> RemedyResult:
    action, fields = step.action, _fields(scene, state)
    key = _known(scene, action.names("key"), fields, "key")
    order_by = _known(scene, action.names("order_by"), fields, "order_by")
    repaired = _by(scene, state, lambda work, target: work.deduplicate(target, key, order_by))
    kind, named = ActionKind.DEDUPLICATE, ", ".join(key)
    try:
        if not repaired.deleted:
            message = f"No two rows have the same {named}, so nothing was changed."
            return RemedyResult(kind, False, message, {"rows": 0})
        _write(scene, state, repaired)
    finally:
        repaired.release()
    message = f"{_rows(repaired.deleted)} removed; of rows with one {named} the newest by {', '.join(order_by)} stays."
    return RemedyResult(kind, True, message, {"rows": repaired.deleted, "key": list(key), "order_by": list(order_by)})


def _rollback(scene: StepsContext, state: _State, step: RemedyStep) -> RemedyResult:
    found = find_last_passed(scene.ports, scene.line, scene.branch, scene.table, step.check_ids)
    kind = ActionKind.ROLLBACK
    if found is None:
        message = f"There is no commit at which {', '.join(step.check_ids)} passed on another content; nothing changes."
        return RemedyResult(kind, False, message)
    state.outcome = restored(scene.work.ports, scene.line, scene.table, found.version)
    state.version = found.version
    message = f"{scene.table} as it was at commit {found.commit.id[:12]}, where the check last passed."
    return RemedyResult(kind, True, message, {"commit": found.commit.id, "time": found.commit.time.isoformat()})


def _custom(scene: StepsContext, state: _State, step: RemedyStep) -> RemedyResult:
    """A SELECT, or a function of the project, that returns the table's new content."""
    action, work = step.action, scene.work
    tree = {**scene.line.tree, scene.table: state.version}
    line = replace(scene.line, tree=tree)
    sql = action.option("sql")
    frame = None if sql is not None else _called(scene, state, action)
    request = CommitRequest(
        table=scene.table,
        branch=str(line.branch),
        mode=CommitMode.OVERWRITE,
        sql=str(sql) if sql is not None else None,
        frame=frame,
        where="custom remediation",
    )
    made = stage_by_engine(work, request, line, state.version)
    version = made.outcome.version
    assert version is not None
    tally = TableTally(table=str(scene.table), how="custom")
    state.outcome = replace(made.outcome, version=_kept(version, scene.line.tree[scene.table]), tally=tally)
    state.version = version
    counted = made.outcome.statistics
    message = f"{scene.table} replaced by what {action.option('function') or 'the query'} gives."
    return RemedyResult(ActionKind.CUSTOM, True, message, {"rows": counted.record_count})


def _called(scene: StepsContext, state: _State, action: Action) -> object:
    name = str(action.option("function"))
    if scene.ports.function is None:
        raise ForgeError("E749", f"{name} cannot be called here", fix="Use sql in place of function.")
    return scene.ports.function(name, _pin(scene, state))


def _notified(scene: StepsContext, state: _State, step: RemedyStep) -> RemedyResult:
    return RemedyResult(ActionKind.NOTIFY, True, "Told when it was found.")


_STEPS: Mapping[ActionKind, Callable[[StepsContext, _State, RemedyStep], RemedyResult]] = {
    ActionKind.QUARANTINE: _quarantine,
    ActionKind.IMPUTE: _impute,
    ActionKind.DEDUPLICATE: _deduplicate,
    ActionKind.ROLLBACK: _rollback,
    ActionKind.CUSTOM: _custom,
    ActionKind.NOTIFY: _notified,
}


# what they share


def _by(scene: StepsContext, state: _State, act: Callable[[RepairWork, RepairTarget], RowRepair]) -> RowRepair:
    """On the driver for small tables where possible, else on Spark."""
    ports, version = scene.work.ports, state.version
    assert version.snapshot_id is not None
    files = ports.tables.files(version.catalog, version.snapshot_id)
    target = RepairTarget(scene.table, _pin(scene, state), files, scene.work.run_id)
    size = sum(file.size for file in files.files)
    if scene.ports.small is not None and not files.needs_engine and size <= ports.small_bytes:
        try:
            return act(scene.ports.small, target)
        except NeedsEngine:
            pass  # found out only when it looked closer
    ports.engine().begin(scene.work.run_id, scene.table)
    return act(scene.ports.large(), target)


def _write(scene: StepsContext, state: _State, repaired: RowRepair) -> None:
    stage = open_stage(scene.work, scene.table, state.version)
    repaired.write(stage)
    tally = TableTally(
        table=str(scene.table), how="rows", inserted=0, updated=repaired.changed, deleted=repaired.deleted
    )
    outcome = staged_outcome(scene.work, scene.table, stage, state.version, tally)
    assert outcome.version is not None
    state.version, state.outcome = outcome.version, outcome
    state.deleted += repaired.deleted
    state.changed += repaired.changed


def _pin(scene: StepsContext, state: _State) -> Pin:
    return Pin(scene.table, state.version.catalog, state.version.snapshot_id)


def _fields(scene: StepsContext, state: _State) -> Fields:
    assert state.version.snapshot_id is not None
    return scene.work.ports.tables.files(state.version.catalog, state.version.snapshot_id).fields


def _known(
    scene: StepsContext, asked: tuple[str, ...], fields: Fields, what: str, *, may_be_empty: bool = False
) -> tuple[str, ...]:
    """The columns in the table's spelling."""
    if not asked and not may_be_empty:
        raise ForgeError(
            "E749", f"It is not said which {what} of {scene.table} are meant", fix=f"Give {what}: [a, b] in the action."
        )
    names = {field.name.lower(): field.name for field in fields}
    for name in asked:
        if name.lower() not in names:
            near = did_you_mean(name, names.values())
            raise ForgeError(
                "E749",
                f"{scene.table} has no column {name}, which the action names in {what}",
                why=near,
                fix=f"Its columns are {', '.join(names.values())}.",
            )
    return tuple(names[name.lower()] for name in asked)


def _failing(scene: StepsContext, state: _State, step: RemedyStep) -> RowFailures:
    """The checks of the step, measured on the current table."""
    ports = scene.work.ports
    known = [(id_, scene.checks[id_]) for id_ in step.check_ids if id_ in scene.checks]
    if not known:
        raise ForgeError(
            "E749",
            f"{scene.table} has no check {', '.join(step.check_ids) or 'of that name'}",
            why="Which rows are meant is said by checks.",
            fix="Name checks of the table: forge quality run lists them.",
        )
    checks = tuple(check for _, check in known)
    snapshot = ports.lake.snapshot(state.version.catalog, state.version.snapshot_id)
    assert snapshot is not None, "the version stands"
    pin = _pin(scene, state)
    subject = MeasureSubject(
        scene.table,
        snapshot.schema,
        pin,
        find_others(checks, lambda table: at_commit(table, scene.line.tree, ports.lake)),
        _versions(scene),
        partial(ports.history, scene.table, scene.line.branch, scene.line.head),
    )
    return measure_failing(subject, tuple(known), MeasureTools(ports.lake, _begun(scene), ports.clock()))


def _versions(scene: StepsContext) -> Callable[[str], Pin | None]:
    """Other versions of the table on the branch."""
    ports, line = scene.work.ports, scene.line
    reader = RevisionReader(ports.metadata, ports.lake, line.branch, ports.default_branch)
    now = at_commit(scene.table, line.tree, ports.lake)
    assert now is not None, "the table is there"
    return partial(find_version_pin, reader, now, line.head)


def _begun(scene: StepsContext) -> Callable[[], Engine]:
    def engine() -> Engine:
        found = scene.work.ports.engine()
        found.begin(scene.work.run_id, scene.table)
        return found

    return engine


def checks_by_id(table: TableName, checks: tuple[Check, ...]) -> dict[str, Check]:
    return dict(zip(check_ids(checks, table), checks, strict=True))


def _rows(number: int) -> str:
    return f"{number:,} {'row' if number == 1 else 'rows'}"
