"""Commits of data on the engine: queries, frames, and rows or files too large for the driver."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from forge.flows.runs.engine import ChangeFile, ChangeMode, Engine, LineageRecorder, Pin, PlannedResult, RunContext
from forge.flows.runs.input_pins import PinnedBranch, find_pin, inputs_of
from forge.flows.runs.records import TableLineage
from forge.flows.upkeep.query_audit import audited
from forge.flows.versioning.data.request import CommitMode, CommitRequest, effective_key, find_key, nothing_changed
from forge.flows.versioning.diff import NO_PAGE, diff_trees
from forge.flows.versioning.key_check import remembered_key
from forge.flows.versioning.merge.record import TableTally
from forge.flows.versioning.merge.tree import TableOutcome, open_stage, staged_outcome
from forge.flows.versioning.ports import Operation
from forge.model.errors import MissingSecretError, UnknownNameError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.transforms.transform import Body, PythonFunction, SqlQuery, Transform
from forge.versioning.commit import TableStatistics, TableVersion
from forge.versioning.field import Fields


@dataclass(frozen=True, slots=True)
class StagedChange:
    """What was staged. `lineage` where the change has edges of its own."""

    outcome: TableOutcome
    lineage: TableLineage | None = None


def stage_by_engine(
    work: Operation, request: CommitRequest, line: PinnedBranch, before: TableVersion | None
) -> StagedChange:
    """Untrusted SQL is audited, whatever its outcome."""
    sql, ports = request.sql, work.ports
    if sql is None:
        return _stage(work, request, line, before)
    return audited(
        ports.metadata,
        ports.clock,
        ports.author.email or ports.author.name,
        request.where or "commit",
        sql,
        lambda: inputs_of(sql, "query"),
        lambda: _stage(work, request, line, before),
        lambda made: {"rows": made.outcome.statistics.record_count},
    )


def _stage(work: Operation, request: CommitRequest, line: PinnedBranch, before: TableVersion | None) -> StagedChange:
    ports, table = work.ports, request.table
    fields, remembered = _known(work, before)
    key = _key(work, request, fields, remembered)
    engine = ports.engine()
    engine.begin(work.run_id, table)
    planned = _planned(work, request, line, engine)
    stage = open_stage(work, table, before)
    mode: ChangeMode = request.mode.value
    with _source(request, planned, fields) as source:
        engine.change(source, stage, mode, key, evolve=request.mode is CommitMode.OVERWRITE)
    snapshot = ports.lake.snapshot(stage.catalog)
    if snapshot is None or (before is not None and snapshot.snapshot_id == before.snapshot_id):
        raise nothing_changed(request, "No row came of it.")
    outcome = staged_outcome(work, table, stage, before, TableTally(table=str(table), how="rows", engine="spark"))
    if request.mode.is_keyed and before is not None:
        outcome = replace(outcome, statistics=_counted(work, request, before, outcome, key))
    return StagedChange(outcome, _lineage(table, planned))


def _known(work: Operation, before: TableVersion | None) -> tuple[Fields, tuple[str, ...]]:
    if before is None or before.snapshot_id is None:
        return (), ()
    files = work.ports.tables.files(before.catalog, before.snapshot_id)
    return files.fields, remembered_key(before, files)


def _key(work: Operation, request: CommitRequest, fields: Fields, remembered: tuple[str, ...]) -> tuple[str, ...]:
    """To match rows by, and never NULL; of a new table, to be declared."""
    if request.mode.is_keyed:
        return find_key(request, work.ports, fields, remembered)
    key = effective_key(request, work.ports, remembered)
    known = {field.name for field in fields}
    return key if not fields or known.issuperset(key) else ()


def _planned(work: Operation, request: CommitRequest, line: PinnedBranch, engine: Engine) -> PlannedResult | None:
    """A query or a frame, analysed: its inputs become the lineage of the table. No job has run."""
    if request.rows is not None:
        return None
    body: Body
    if request.sql is not None:
        wanted = inputs_of(request.sql, "query", line.tree)
        body = SqlQuery(request.sql, of_project=False)
        inputs = {table: _pin(work, line, table) for table in wanted}
    else:
        body = PythonFunction(lambda: request.frame, {}, wants_context=False)
        tables = [table for table, version in line.tree.items() if version.kind == "table"]
        inputs = {table: _pin(work, line, table) for table in tables}  # they show which tables the frame reads
    digest = hashlib.sha256((request.sql or "").encode()).hexdigest()
    transform = Transform(output=request.table, body=body, file="query", line=1, code_hash=digest, inputs=tuple(inputs))
    context = RunContext(
        run_id=work.run_id,
        params={},
        secrets=_no_secrets,
        logger=logging.getLogger("forge.commit"),
        lineage=LineageRecorder(request.table),
    )
    return engine.plan(transform, inputs, {}, context)


def _no_secrets(reference: str) -> str:
    raise MissingSecretError(f"A commit has no secrets, and {reference} is one")


def _pin(work: Operation, line: PinnedBranch, table: TableName) -> Pin:
    pin = find_pin(table, line, work.ports.lake)
    if pin is None:
        near = did_you_mean(str(table), map(str, line.tree))
        raise UnknownNameError(f"There is no table {table} on '{line.branch}'", why=near, fix="forge show")
    return pin


def _lineage(table: TableName, planned: PlannedResult | None) -> TableLineage | None:
    if planned is None:
        return None
    found = planned.lineage
    return TableLineage(table, found.edges, found.indirect, found.table_edges)


@contextmanager
def _source(request: CommitRequest, planned: PlannedResult | None, fields: Fields) -> Iterator[object]:
    if planned is not None:
        yield planned.frame
        return
    from pyarrow import parquet

    from forge.flows.versioning.fit_rows import fit_rows

    rows = request.rows
    assert rows is not None, "it is one of rows, SQL and frame"
    if fields and request.mode is not CommitMode.OVERWRITE:
        rows = fit_rows(rows, fields, request.where or str(request.table), partial=request.mode.is_keyed)
    with TemporaryDirectory(prefix="forge-commit-") as folder:
        path = Path(folder, "rows.parquet")
        parquet.write_table(rows, path)
        yield ChangeFile(path)


def _counted(
    work: Operation, request: CommitRequest, before: TableVersion, outcome: TableOutcome, key: tuple[str, ...]
) -> TableStatistics:
    """Changed rows, from the files that changed: the engine writes whole files."""
    table = request.table
    assert outcome.version is not None
    found = diff_trees(work.ports, {table: before}, {table: outcome.version}, page=NO_PAGE, keys={table: key})
    rows = found[0].rows if found else None
    if rows is None or rows.is_empty:
        raise nothing_changed(request, "Every row is in the table as it is given, or none of the keys is.")
    return replace(outcome.statistics, rows_added=rows.inserted, rows_modified=rows.updated, rows_deleted=rows.deleted)
