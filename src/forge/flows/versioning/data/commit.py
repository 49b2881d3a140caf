"""Commits of data: rows, a query or a frame, appended to a table, replacing it, merged in by key, or deleted by key.
Judged like any other publication, and published in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from forge.flows.runs.input_pins import PinnedBranch, pin_branch
from forge.flows.runs.publish.changes import lineage_of_both, tree_with
from forge.flows.runs.publish.multi_table import MultiTableCommit, commit_tables
from forge.flows.runs.records import AuditRecord, PublishConflict, RunStatus, TableLineage
from forge.flows.versioning.data.engine import StagedChange, stage_by_engine
from forge.flows.versioning.data.key import is_judged, with_key
from forge.flows.versioning.data.request import CommitMode, CommitRequest, effective_key, find_key, nothing_changed
from forge.flows.versioning.file_sides import sorted_files
from forge.flows.versioning.key_check import remembered_key
from forge.flows.versioning.merge.merge import ATTEMPTS, moves_too_often
from forge.flows.versioning.merge.preview import judge_preview, outputs_of
from forge.flows.versioning.merge.record import TableTally
from forge.flows.versioning.merge.tree import TableOutcome, open_stage, staged_outcome
from forge.flows.versioning.ports import Operation, VersionPorts, adopt, run_operation
from forge.flows.versioning.tables import NeedsEngine, TableFiles
from forge.model.errors import UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, RunId, TableName
from forge.model.retry import attempts
from forge.quality.verdict import Verdict
from forge.versioning.commit import Commit, TableStatistics, TableVersion
from forge.versioning.errors import IncomparableError, NothingToDoError
from forge.versioning.field import Fields
from forge.versioning.protection import refuse_change

if TYPE_CHECKING:
    import pyarrow

__all__ = ["CommitMode", "CommitRequest", "CommitResult", "commit_data"]


@dataclass(frozen=True, slots=True)
class CommitResult:
    commit: Commit | None  # None: blocked
    run_id: RunId
    table: TableName
    statistics: TableStatistics
    verdicts: tuple[Verdict, ...] = ()
    status: Literal["published", "blocked"] = "published"

    def to_dict(self) -> dict[str, object]:
        return {
            "type": "committed" if self.commit else "blocked",
            "table": str(self.table),
            "commit": self.commit.to_dict() if self.commit else None,
            "rows_added": self.statistics.rows_added,
            "rows_modified": self.statistics.rows_modified,
            "rows_deleted": self.statistics.rows_deleted,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "run_id": self.run_id,
        }


def commit_data(request: CommitRequest, ports: VersionPorts) -> CommitResult:
    """Recomputed on the new head where the branch moves meanwhile, so that nobody's commit is lost."""
    refuse_change(ports.branch(request.branch), request.action)
    if sum(given is not None for given in (request.rows, request.sql, request.frame)) != 1:
        raise NothingToDoError("There is nothing to commit", fix="Give a file, rows, or a query.")
    words = (request.action, str(request.mode), str(request.table))
    with run_operation(ports, "commit", BranchName(request.branch), words) as work:
        for _ in attempts(ATTEMPTS):
            adopt(ports, request.branch)
            line = pin_branch(ports.metadata, BranchName(request.branch), ports.default_branch)
            result = _attempt(work, request, line)
            if not isinstance(result, PublishConflict):
                return result
            work.stages.clear()
            ports.lake.drop_stages(work.run_id)
        raise moves_too_often(request.branch)


def _attempt(work: Operation, request: CommitRequest, line: PinnedBranch) -> CommitResult | PublishConflict:
    ports, table = work.ports, request.table
    before = _find_table(request, line)
    work.report("staging", table)
    made = _staged(work, request, line, before)
    made = replace(made, outcome=with_key(work, request, before, made.outcome))
    outcome = made.outcome
    assert outcome.version is not None
    changed = {table: outcome.version}
    project = ports.project()
    verdicts = judge_preview(work, project, tree_with(line.tree, changed), changed)
    work.step("checked")
    if any(verdict.blocks for verdict in verdicts):
        return _hold(work, request, outcome, verdicts)
    work.report("publishing", table)
    landed = commit_tables(work, line, project, _multi_table_commit(work, request, line, made, verdicts))
    if isinstance(landed, PublishConflict):
        return landed
    work.report("published", table, landed.commit.id)
    return CommitResult(landed.commit, work.run_id, table, outcome.statistics, verdicts)


def _find_table(request: CommitRequest, line: PinnedBranch) -> TableVersion | None:
    before = line.tree.get(request.table)
    if before is not None and before.kind == "view":
        raise NothingToDoError(
            f"{request.table} is a view, and holds no rows of its own",
            fix="Commit to a table it reads, or change its SQL and run it.",
        )
    if before is None and request.mode is CommitMode.DELETE:
        near = did_you_mean(str(request.table), map(str, line.tree))
        raise UnknownNameError(f"There is no table {request.table} on '{line.branch}'", why=near)
    return before


def _staged(work: Operation, request: CommitRequest, line: PinnedBranch, before: TableVersion | None) -> StagedChange:
    if request.rows is not None:
        try:
            return StagedChange(_stage_rows(work, request, request.rows, before))
        except NeedsEngine:
            work.stages.clear()
            work.ports.lake.drop_stages(work.run_id)
    return stage_by_engine(work, request, line, before)


def _stage_rows(
    work: Operation, request: CommitRequest, rows: pyarrow.Table, before: TableVersion | None
) -> TableOutcome:
    """On the driver: no engine is started."""
    ports, where = work.ports, request.where or str(request.table)
    if before is None or before.snapshot_id is None:
        return _stage_new(work, request, rows, where)
    files = ports.tables.files(before.catalog, before.snapshot_id)
    if request.mode.is_keyed:
        return _stage_keyed(work, request, rows, before, files, where)
    from forge.flows.versioning.fit_rows import fit_rows

    fields = files.fields
    if request.mode is CommitMode.OVERWRITE:
        fields = _fields_after(rows, fields)
    fitted = fit_rows(rows, fields, where)
    _refuse_bad_keys(work, request, rows, fitted, remembered_key(before, files), where)
    removed = sorted_files(files.files) if request.mode is CommitMode.OVERWRITE else ()
    if not fitted.num_rows and not removed and fields == files.fields:
        raise nothing_changed(request, "There are no rows.")
    stage = open_stage(work, request.table, before)
    ports.tables.rewrite(stage, removed, fitted, fields)
    return staged_outcome(work, request.table, stage, before, TableTally(table=str(request.table), how="rows"))


def _stage_new(work: Operation, request: CommitRequest, rows: pyarrow.Table, where: str) -> TableOutcome:
    from forge.versioning.arrow_types import fields_of

    fields = fields_of(rows)[0]
    if request.mode is CommitMode.MERGE:
        find_key(request, work.ports, fields, ())
    key = _refuse_bad_keys(work, request, rows, rows, (), where)
    stage = open_stage(work, request.table, None)
    work.ports.tables.rewrite(stage, (), rows, fields, key)
    return staged_outcome(work, request.table, stage, None, TableTally(table=str(request.table), how="new"))


def _refuse_bad_keys(
    work: Operation,
    request: CommitRequest,
    rows: pyarrow.Table,
    fitted: pyarrow.Table,
    remembered: tuple[str, ...],
    where: str,
) -> tuple[str, ...]:
    """The key of the rows, unique among them. A recorded key of columns that the table no longer has is ignored."""
    from forge.flows.versioning.data.keyed_change import refuse_duplicate_keys, refuse_null_keys

    key = effective_key(request, work.ports, remembered)
    if not key or (not request.key and not set(fitted.column_names).issuperset(key)):
        return ()
    _refuse_missing_key(rows, key, where)
    refuse_null_keys(fitted, key, where)
    if request.mode is CommitMode.MERGE or not is_judged(work, request, key):
        refuse_duplicate_keys(fitted, key, where)
    return key


def _stage_keyed(
    work: Operation, request: CommitRequest, rows: pyarrow.Table, before: TableVersion, files: TableFiles, where: str
) -> TableOutcome:
    from forge.flows.versioning.data.keyed_change import change_by_key, refuse_duplicate_keys, refuse_null_keys
    from forge.flows.versioning.fit_rows import fit_rows
    from forge.flows.versioning.key_bounds import find_candidates

    ports, is_delete = work.ports, request.mode is CommitMode.DELETE
    key = find_key(request, ports, files.fields, remembered_key(before, files))
    _refuse_missing_key(rows, key, where)
    refuse_null_keys(rows, key, where)
    given = fit_rows(rows.select(list(key)) if is_delete else rows, files.fields, where, partial=True)
    refuse_duplicate_keys(given, key, where)
    candidates = find_candidates(files, given, key)
    if sum(file.size for file in candidates) > ports.small_bytes:
        raise NeedsEngine("the files that may hold the keys are large")
    change = change_by_key(ports.tables, files, candidates, given, key, delete=is_delete, where=where)
    if change.is_empty:
        reason = "None of the keys is in the table." if is_delete else "Every row is in the table as it is given."
        raise nothing_changed(request, reason)
    stage = open_stage(work, request.table, before)
    ports.tables.rewrite(stage, change.removed, change.rows, files.fields)
    tally = TableTally(
        table=str(request.table), how="rows", inserted=change.inserted, updated=change.updated, deleted=change.deleted
    )
    outcome = staged_outcome(work, request.table, stage, before, tally)
    counted = replace(
        outcome.statistics,
        rows_added=change.inserted,
        rows_deleted=change.deleted,
        rows_modified=change.updated,
    )
    return replace(outcome, statistics=counted)


def _refuse_missing_key(rows: pyarrow.Table, key: tuple[str, ...], where: str) -> None:
    for name in key:
        if name not in rows.column_names:
            raise IncomparableError(
                "E613",
                f"The given rows have no column {name}",
                where=where,
                why="It is part of the key by which rows are found.",
                fix=f"Add the column {name}, or give another --key.",
            )


def _fields_after(rows: pyarrow.Table, fields: Fields) -> Fields:
    """The columns of an overwritten table: its own, and those that only the rows have."""
    from forge.versioning.arrow_types import fields_of

    known = {field.name for field in fields}
    added = (field for field in fields_of(rows)[0] if field.name not in known)
    return (*fields, *(replace(field, id=field.name, required=False) for field in added))


def _hold(
    work: Operation, request: CommitRequest, outcome: TableOutcome, verdicts: tuple[Verdict, ...]
) -> CommitResult:
    """Nothing is published; the run records the verdicts."""
    ports = work.ports
    outputs = outputs_of({}, (request.table,), verdicts, "commit")
    ended = replace(work.record, status=RunStatus.BLOCKED, finished_at=ports.clock(), step="finished", outputs=outputs)
    audit = AuditRecord(ports.clock(), work.record.user, f"commit.{RunStatus.BLOCKED}", work.run_id)
    ports.metadata.finish_run(ended, verdicts, (audit,))
    return CommitResult(None, work.run_id, request.table, outcome.statistics, verdicts, "blocked")


def _multi_table_commit(
    work: Operation, request: CommitRequest, line: PinnedBranch, made: StagedChange, verdicts: tuple[Verdict, ...]
) -> MultiTableCommit:
    table, outcome = request.table, made.outcome
    lineage = made.lineage or TableLineage(table)
    if request.mode is not CommitMode.OVERWRITE:  # what was there before is still in it
        lineage = both_lineages(lineage_of_both(work.ports, table, line.tree.get(table)), lineage)
    return MultiTableCommit(
        outcomes={table: outcome},
        message=request.message or default_message(request, outcome.statistics),
        action=request.action,
        verdicts=verdicts,
        metadata={"commit": str(request.mode)},
        made_of={table: lineage},
        detail={"mode": str(request.mode)},
        kind="commit",
    )


def both_lineages(old: TableLineage, new: TableLineage) -> TableLineage:
    return TableLineage(
        new.table,
        tuple(dict.fromkeys((*old.edges, *new.edges))),
        tuple(dict.fromkeys((*old.indirect, *new.indirect))),
        tuple(dict.fromkeys((*old.table_edges, *new.table_edges))),
    )


def default_message(request: CommitRequest, counted: TableStatistics) -> str:
    added, modified = counted.rows_added, counted.rows_modified
    match request.mode:
        case CommitMode.APPEND:
            words = f"Append {_rows(added)} to"
        case CommitMode.OVERWRITE:
            words = "Replace the rows of"
        case CommitMode.DELETE:
            words = f"Delete {_rows(counted.rows_deleted)} from"
        case CommitMode.MERGE:
            parts = [f"add {_rows(added)}"] if added else []
            parts += [f"change {_rows(modified)}"] if modified else []
            words = f"{' and '.join(parts).capitalize()} of"
    return f"{words} {request.table}"


def _rows(number: int) -> str:
    return f"{number} {'row' if number == 1 else 'rows'}"
