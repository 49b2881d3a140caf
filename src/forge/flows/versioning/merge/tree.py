"""The three-way merge of all tables of two commits: the outcome of each, staged but not published.

How one table is merged, and why most of it reads no row, is described in docs/decisions/0005-merging-tables.md."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from forge.flows.catalog.personal_data import PersonalData, hiding_values
from forge.flows.ports import Stage
from forge.flows.versioning.file_sides import FileSides, are_disjoint, is_swappable, slice_of, sorted_files
from forge.flows.versioning.merge.key import TableSides, choose_key, is_known_unique, lacks_key
from forge.flows.versioning.merge.record import TableMergeKind, TableTally
from forge.flows.versioning.ports import Operation, row_engine
from forge.flows.versioning.tables import MergedRows, NeedsEngine, RowEngine, RowOperations, TableFiles, TableMerge
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.versioning.commit import TableStatistics, TableVersion, Tree, same
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice
from forge.versioning.field import AlignedColumn, Fields, Layout

CONFLICTS_KEPT = 1000  # of each table; rules by column or table answer the rest


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """The outcome of one table. `version` is ours where nothing changes, None where the table is removed."""

    version: TableVersion | None
    tally: TableTally
    conflicts: tuple[Conflict, ...] = ()
    statistics: TableStatistics = field(default_factory=TableStatistics)


@dataclass(frozen=True, slots=True)
class TreeMerge:
    changed: Mapping[TableName, TableVersion | None]  # versions of staged tables are in their hidden rows
    outcomes: Mapping[TableName, TableOutcome] = field(default_factory=dict)  # of every table theirs changed

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(conflict for outcome in self.outcomes.values() for conflict in outcome.conflicts)

    @property
    def conflict_count(self) -> int:
        return sum(outcome.tally.conflicts for outcome in self.outcomes.values())

    @property
    def resolved_count(self) -> int:
        return sum(outcome.tally.resolved for outcome in self.outcomes.values())

    @property
    def tallies(self) -> tuple[TableTally, ...]:
        return tuple(outcome.tally for outcome in self.outcomes.values())


def merge_trees(
    work: Operation,
    base: Tree,
    ours: Tree,
    theirs: Tree,
    answers: Answers,
    keys: Mapping[TableName, tuple[str, ...]],
) -> TreeMerge:
    """Writes nothing but stages of the operation. Conflicts are a result: then nothing of the table is staged."""
    outcomes: dict[TableName, TableOutcome] = {}
    for table in sorted({*base, *ours, *theirs}):
        sides = TableSides(table, base.get(table), ours.get(table), theirs.get(table), answers, keys.get(table))
        if same(sides.base, sides.theirs) or same(sides.ours, sides.theirs):
            continue
        work.report("merging", table)
        with hiding_values(partial(_personal, work, (base, ours, theirs), table)):
            outcomes[table] = _merge_one(work, sides)
        work.report("merged", table, outcomes[table].tally.how)
    changed = {t: o.version for t, o in outcomes.items() if not o.conflicts and not same(o.version, ours.get(t))}
    return TreeMerge(changed, outcomes)


def _personal(work: Operation, trees: tuple[Tree, ...], table: TableName) -> frozenset[str] | None:
    """On one of the sides, or now on the default branch."""
    ports = work.ports
    known = PersonalData(ports.metadata, ports.declared, lambda: trees).in_errors(table)
    return None if known is None else known | ports.personal().of(table)


def _merge_one(work: Operation, sides: TableSides) -> TableOutcome:
    base, ours, theirs = sides.base, sides.ours, sides.theirs
    if same(base, ours) and not lacks_key(work.ports, sides.table, ours, theirs, sides.key):
        how: TableMergeKind = "removed" if theirs is None else ("new" if ours is None else "fast_forward")
        return _take_theirs(work, sides, how)
    if ours is None or theirs is None or "view" in (ours.kind, theirs.kind):
        return _whole(work, sides)
    return _merge_files(work, sides)


def _take_theirs(work: Operation, sides: TableSides, how: TableMergeKind) -> TableOutcome:
    """Unchanged: the files and the snapshot of theirs become ours."""
    theirs = sides.theirs
    if theirs is None:
        return TableOutcome(None, TableTally(table=str(sides.table), how=how))
    if theirs.kind == "view":
        how = "view"
    number = sides.ours.number + 1 if sides.ours else 1
    statistics = _between(work, sides.ours, theirs)
    tally = TableTally(
        table=str(sides.table),
        how=how,
        inserted=statistics.rows_added,
        updated=statistics.rows_modified,
        deleted=statistics.rows_deleted,
    )
    key = theirs.key or (sides.ours.key if sides.ours else ())
    return TableOutcome(replace(theirs, number=number, key=key), tally, statistics=statistics)


def _between(work: Operation, old: TableVersion | None, new: TableVersion) -> TableStatistics:
    """The difference of two versions, from metadata: net rows and bytes."""
    after = _counted(work, new)
    before = _counted(work, old) if old is not None else TableStatistics()
    rows, size = after.record_count - before.record_count, after.total_size - before.total_size
    return TableStatistics(
        rows_added=max(rows, 0),
        rows_deleted=max(-rows, 0),
        bytes_added=max(size, 0),
        bytes_deleted=max(-size, 0),
        record_count=after.record_count,
        total_size=after.total_size,
    )


def _counted(work: Operation, version: TableVersion) -> TableStatistics:
    if version.snapshot_id is None:
        return TableStatistics()
    found = work.ports.lake.snapshot(version.catalog, version.snapshot_id)
    return found.statistics if found else TableStatistics()


def _whole(work: Operation, sides: TableSides) -> TableOutcome:
    """Objects without rows to merge: views, and tables that one side removed."""
    ours, theirs = sides.ours, sides.theirs
    kind = ConflictKind.SCHEMA_CHANGE
    if ours is None or theirs is None:
        kind = ConflictKind.DELETE_MODIFY if ours is None else ConflictKind.MODIFY_DELETE
    conflict = Conflict(
        kind=kind,
        base=_shown(work, sides.base),
        ours=_shown(work, ours),
        theirs=_shown(work, theirs),
        table=str(sides.table),
        location="the whole view" if "view" in (v.kind for v in (ours, theirs) if v) else "the whole table",
    )
    answer = sides.answers.find(conflict)
    match answer.take if answer else None:
        case ResolutionChoice.OURS:
            return TableOutcome(ours, TableTally(table=str(sides.table), how="unchanged", resolved=1))
        case ResolutionChoice.THEIRS:
            _refuse_loss(work, sides)
            taken = _take_theirs(work, sides, "removed" if theirs is None else "new" if ours is None else "view")
            return replace(taken, tally=replace(taken.tally, resolved=1))
        case _:
            tally = TableTally(
                table=str(sides.table), how="view" if "whole view" in (conflict.location or "") else "rows"
            )
            return TableOutcome(ours, replace(tally, conflicts=1), (conflict,))


def _refuse_loss(work: Operation, sides: TableSides) -> None:
    """A commit of the same rebase is based on what was staged: it cannot be removed any more."""
    if sides.ours is not None and _is_staged(work, sides.ours):
        raise ForgeError(
            "E619",
            f"A rebase that has changed {sides.table} cannot take theirs for the whole table later",
            where=str(sides.table),
            why="The commits before would lose their rows.",
            fix="Take ours, or abort and merge with --strategy three-way.",
        )


def _is_staged(work: Operation, version: TableVersion) -> bool:
    return any(version.catalog == stage.catalog for stage in work.stages.values())


def _shown(work: Operation, version: TableVersion | None) -> str | None:
    if version is None:
        return None
    if version.kind == "view":
        return work.ports.lake.read_view(version.metadata_location or "").strip()
    return f"version {version.number}"


def _merge_files(work: Operation, sides: TableSides) -> TableOutcome:
    from forge.versioning.schema.key import drops_key, refuse_rows_without_key
    from forge.versioning.schema.merge import merge_schemas  # with Arrow, which most commands never need

    base, ours, theirs = sides.base, sides.ours, sides.theirs
    assert ours is not None
    assert theirs is not None
    files = FileSides(_files(work, base), _must(work, ours), _must(work, theirs))
    is_one = len({v.uuid for v in (base, ours, theirs) if v is not None}) == 1
    of_base = _ids(files.base.fields, is_one) if files.base else None
    of_ours, of_theirs = _ids(files.ours.fields, is_one), _ids(files.theirs.fields, is_one)
    key = choose_key(work, sides, files)
    if isinstance(key, Conflict):
        return TableOutcome(ours, TableTally(table=str(sides.table), how="rows", conflicts=1), (key,))
    if is_one and of_base is not None and not drops_key(key, of_base, of_ours, of_theirs):
        if of_theirs == of_base and not (files.theirs_gone or files.theirs_new):
            return TableOutcome(ours, TableTally(table=str(sides.table), how="unchanged"))
        # of a rebase: earlier commits are based on what was staged
        if of_ours == of_base and not (files.ours_gone or files.ours_new or _is_staged(work, ours)):
            return _take_theirs(work, sides, "fast_forward")
    layout, found = merge_schemas(
        of_base, of_ours, of_theirs, key, answers=sides.answers, table=str(sides.table), has_unique_ids=is_one
    )
    if found:
        named = tuple(replace(conflict, table=str(sides.table)) for conflict in found)
        return TableOutcome(ours, TableTally(table=str(sides.table), how="rows", conflicts=len(named)), named)
    refuse_rows_without_key(layout, files.changed_sides, str(sides.table))
    _refuse_duplicate_keys(work, sides, files, layout)
    can_swap = is_one and is_swappable(files, layout, of_ours, of_theirs)
    if can_swap and are_disjoint(files, layout, layout.key):
        with suppress(NeedsEngine):  # the files are in other partitions: their rows have to be written
            return _with_key(_swap(work, sides, files, layout, "zero_copy"), sides, layout)
        can_swap = False
    return _with_key(_merge_rows(work, sides, files, layout, can_swap=can_swap), sides, layout)


def _refuse_duplicate_keys(work: Operation, sides: TableSides, files: FileSides, layout: Layout) -> None:
    """E611 where a side itself has a duplicate key, in any file: rows that are merged by key, and files that are
    taken over as they are, get the same answer. Versions that are known to be unique are not read."""
    for name, version, of, new in (
        ("ours", sides.ours, files.ours, files.ours_new),
        ("theirs", sides.theirs, files.theirs, files.theirs_new),
    ):
        columns = [str(getattr(column, name)) for column in layout.columns if column.field.name in layout.key]
        if columns and version is not None and not is_known_unique(version, columns):
            work.ports.key_check.refuse_twins(str(sides.table), of, new, columns, whose=name)


def _with_key(outcome: TableOutcome, sides: TableSides, layout: Layout) -> TableOutcome:
    """The outcome with its merge key, unique if it is unique on both sides."""
    if outcome.version is None or outcome.version is sides.ours:
        return outcome
    is_unique = bool(layout.key) and all(side is not None and side.is_unique for side in (sides.ours, sides.theirs))
    return replace(outcome, version=replace(outcome.version, key=layout.key, is_unique=is_unique))


def _files(work: Operation, version: TableVersion | None) -> TableFiles | None:
    if version is None or version.kind == "view":
        return None
    return _must(work, version)


def _must(work: Operation, version: TableVersion) -> TableFiles:
    if version.snapshot_id is None:
        raise ForgeError("E406", f"{version.catalog} has no snapshot", fix="forge doctor")
    return work.ports.tables.files(version.catalog, version.snapshot_id)


def _ids(fields: Fields, is_one: bool) -> Fields:
    """Field ids are unique within one table only; columns of another table are matched by name."""
    return fields if is_one else tuple(replace(f, id=f.name) for f in fields)


def _swap(work: Operation, sides: TableSides, files: FileSides, layout: Layout, how: TableMergeKind) -> TableOutcome:
    stage = open_stage(work, sides.table, sides.ours)
    added = slice_of(files.theirs, files.theirs_new)
    work.ports.tables.swap(stage, sorted_files(files.theirs_gone), added, layout.fields)
    new, old = sum(f.rows for f in files.theirs_new), sum(f.rows for f in files.theirs_gone)
    tally = TableTally(
        table=str(sides.table), how=how, inserted=max(new - old, 0), updated=0, deleted=max(old - new, 0)
    )
    return staged_outcome(work, sides.table, stage, sides.ours, tally)


def _merge_rows(
    work: Operation, sides: TableSides, files: FileSides, layout: Layout, *, can_swap: bool
) -> TableOutcome:
    rewritten = files.ours_new | (files.theirs_gone - files.ours_gone)
    job = TableMerge(
        table=sides.table,
        layout=layout,
        base_ours=slice_of(files.base, files.ours_gone),
        ours=slice_of(files.ours, files.ours_new),
        base_theirs=slice_of(files.base, files.theirs_gone),
        theirs=slice_of(files.theirs, files.theirs_new),
        rewritten=slice_of(files.ours, rewritten),
        answers=sides.answers,
        limit=CONFLICTS_KEPT,
        is_whole=any(_is_old(column, files.ours) for column in layout.columns),
    )
    rows, engine = _engine_for(work, files, job)
    if engine == "driver":
        # else found only when the files were opened, or about to be written
        with suppress(NeedsEngine):
            return _merge_by(work, sides, files, job, rows, engine, can_swap=can_swap)
    job = replace(job, layout=_with_new_ids(layout, files.ours), is_whole=False)
    return _merge_by(work, sides, files, job, work.ports.large(), "spark", can_swap=can_swap)


def _is_old(column: AlignedColumn, ours: TableFiles) -> bool:
    """Whether theirs restores a column that ours had and dropped: files of ours still hold values of it."""
    return column.ours is None and column.base is None and column.field.id in ours.past_columns


def _with_new_ids(layout: Layout, ours: TableFiles) -> Layout:
    """The same columns, restored ones under new ids, so that files need not be rewritten."""
    columns = (
        replace(column, field=replace(column.field, id=column.field.name)) if _is_old(column, ours) else column
        for column in layout.columns
    )
    return replace(layout, columns=tuple(columns))


def _merge_by(
    work: Operation,
    sides: TableSides,
    files: FileSides,
    job: TableMerge,
    rows: RowOperations,
    engine: RowEngine,
    *,
    can_swap: bool,
) -> TableOutcome:
    merged = rows.merge(job, work.run_id)
    size = sum(part.size for part in (job.base_ours, job.ours, job.base_theirs, job.theirs) if part)
    tally = TableTally(
        table=str(sides.table),
        how="rows",
        inserted=merged.inserted,
        updated=merged.updated,
        deleted=merged.deleted,
        conflicts=merged.conflict_count,
        resolved=merged.resolved_count,
        bytes_read=size,
        engine=engine,
        key=job.layout.key,
        warning=_warning(job),
    )
    if merged.conflict_count:
        return TableOutcome(sides.ours, tally, merged.conflicts)
    if merged.is_separate and can_swap:
        swapped = _swap(work, sides, files, job.layout, "rows")
        return replace(swapped, tally=tally, statistics=_with_rows(swapped.statistics, merged))
    stage = open_stage(work, sides.table, sides.ours)
    merged.write(stage)
    outcome = staged_outcome(work, sides.table, stage, sides.ours, tally)
    return replace(outcome, statistics=_with_rows(outcome.statistics, merged))


def _warning(job: TableMerge) -> str:
    """Without a key, a row that both sides changed differently becomes two rows."""
    if job.layout.key or not (job.base_ours or job.ours) or not (job.base_theirs or job.theirs):
        return ""
    return (
        f"{job.table} has no key, and both sides changed it: rows were counted, not matched. "
        f"If a column tells them apart, merge with --key {job.table}=COLUMN."
    )


def _with_rows(statistics: TableStatistics, merged: MergedRows) -> TableStatistics:
    return replace(statistics, rows_added=merged.inserted, rows_deleted=merged.deleted, rows_modified=merged.updated)


def _engine_for(work: Operation, files: FileSides, job: TableMerge) -> tuple[RowOperations, RowEngine]:
    parts = (job.base_ours, job.ours, job.base_theirs, job.theirs, job.rewritten)
    needs = any(side.needs_engine for side in (files.base, files.ours, files.theirs) if side)
    return row_engine(work.ports, parts, needs)


def open_stage(work: Operation, table: TableName, at: TableVersion | None) -> Stage:
    """The stage of this operation for the table: on top of what it staged before, else of that version."""
    stage = work.stages.get(table)
    if stage is not None and at is not None and at.catalog == stage.catalog:
        return stage
    ports = work.ports
    stage = ports.lake.open_stage(work.run_id, table, at.catalog if at else None, at.snapshot_id if at else None)
    work.stages[table] = stage
    return stage


def staged_outcome(
    work: Operation, table: TableName, stage: Stage, before: TableVersion | None, tally: TableTally
) -> TableOutcome:
    lake = work.ports.lake
    state, snapshot = lake.state(stage.catalog), lake.snapshot(stage.catalog)
    assert state is not None, "the stage stands until it is published"
    assert snapshot is not None, "a staged table has a snapshot"
    version = TableVersion(
        catalog=stage.catalog,
        uuid=state.uuid,
        snapshot_id=snapshot.snapshot_id,
        schema_id=snapshot.schema_id,
        number=before.number + 1 if before else 1,
        run_id=str(work.run_id),
        key=before.key if before else (),
    )
    work.step("staged")
    return TableOutcome(version, tally, statistics=snapshot.statistics)
