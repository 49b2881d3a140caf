"""Assets: the tables and views of a commit, with descriptions, status and neighbours."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

from forge.flows.catalog.personal_data import PersonalAt
from forge.flows.catalog.ports import Assets
from forge.flows.catalog.sample import version_at
from forge.flows.ports import Lake, Metadata, SnapshotState
from forge.flows.quality.health import CurrentChecksOf, all_count, find_verdicts, newest_attempts
from forge.flows.quality.incidents.impact import lineage_at
from forge.flows.quality.incidents.open_incidents import HeldTables, find_commits_of
from forge.flows.quality.ports import Verdicts
from forge.flows.runs.records import AssetRecord, TableLineage
from forge.flows.versioning.record_ports import CommitHistory, Commits
from forge.flows.versioning.revisions import find_commit
from forge.lineage.edge import Edge
from forge.model.names import BranchName, TableName, find_table_names
from forge.model.schema import Column
from forge.quality.monitors.monitor import CheckResult
from forge.quality.verdict import Outcome, Verdict
from forge.versioning.commit import Commit, TableVersion, Tree

OK, FAILING, UNCHECKED = "ok", "failing", "unchecked"
_LIFE = 5.0  # seconds: two writers on PostgreSQL can leave one mark between them
Since = Callable[[Tree], Iterable[CheckResult]]  # what monitors and people found out about these versions
NEVER = datetime.min.replace(tzinfo=UTC)  # when a table changed for which the catalog has no words


class _Records(CommitHistory, Verdicts, Protocol): ...


@dataclass(frozen=True, slots=True)
class AssetStatus:
    """Verdicts of the newest attempt to write a table, or of the run that wrote a version of it."""

    verdicts: tuple[Verdict, ...] = ()
    held_back: bool = False

    def count(self, outcome: Outcome) -> int:
        return sum(verdict.outcome is outcome for verdict in self.verdicts)

    @property
    def state(self) -> str:
        if self.held_back or self.count(Outcome.FAILED):
            return FAILING
        return OK if self.verdicts else UNCHECKED

    @property
    def failing_columns(self) -> frozenset[str]:
        """In lower case."""
        failed = (verdict for verdict in self.verdicts if verdict.outcome is Outcome.FAILED)
        return frozenset(column.lower() for verdict in failed for column in verdict.columns)


@dataclass(frozen=True, slots=True)
class Asset:
    record: AssetRecord
    standing: AssetStatus


@dataclass(frozen=True, slots=True)
class ColumnState:
    column: Column
    description: str
    personal: bool
    upstream: tuple[str, ...]  # the nearest columns it comes from
    failing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetVersion:
    """One asset at a commit."""

    asset: Asset
    commit: Commit
    version: TableVersion
    columns: tuple[ColumnState, ...]
    last_commit: Commit | None  # the newest one that changed it
    upstream_tables: tuple[str, ...]
    downstream_tables: tuple[str, ...]
    reached: frozenset[str] = frozenset()  # downstream over any number of steps


@dataclass(slots=True, kw_only=True)
class _BranchRecords:
    """What was read since the last change of the records. `found`: by name, None for what is no table of the branch."""

    mark: str
    at: float
    tree: Tree
    held: HeldTables
    current: CurrentChecksOf
    found: dict[str, Asset | None] = field(default_factory=dict)


class AssetCatalog:
    """The assets of a branch's head, with the verdicts of their newest attempts. Only those that are asked for are
    read, and again when something is recorded."""

    def __init__(
        self,
        metadata: Metadata,
        branch: BranchName,
        since: Since = lambda tree: (),
        current: Callable[[], CurrentChecksOf] = lambda: all_count,
    ) -> None:
        self._metadata, self._branch, self._since, self._current = metadata, branch, since, current
        self._kept: _BranchRecords | None = None

    def assets(self) -> Mapping[str, Asset]:
        """All of the branch, by name."""
        kept = self._records()
        return self._named(kept, [str(table) for table in kept.tree])

    def named(self, names: Iterable[str]) -> Mapping[str, Asset]:
        """Those of these names that are tables of the branch."""
        return self._named(self._records(), list(dict.fromkeys(names)))

    def _records(self) -> _BranchRecords:
        mark, now = self._metadata.mark(), time.monotonic()
        kept = self._kept
        if kept is None or kept.mark != mark or now - kept.at > _LIFE:
            branch = self._metadata.branch(self._branch)
            kept = self._kept = _BranchRecords(
                mark=mark,
                at=now,
                tree=self._metadata.tree(branch.head if branch else None),
                held=self._metadata.blocked(self._branch),
                current=self._current(),
            )
        return kept

    def _named(self, kept: _BranchRecords, names: Sequence[str]) -> dict[str, Asset]:
        new = [name for name in names if name not in kept.found]
        if new:
            part = tree_of(kept.tree, new)
            held = tuple(pair for pair in kept.held if pair[1] in part)
            records = records_of(self._metadata, part)
            found = _assets_with_status(self._metadata, held, part, records, self._since, kept.current)
            kept.found.update({name: found.get(name) for name in new})
        return {name: one for name in names if (one := kept.found[name]) is not None}


def tree_of(tree: Tree, names: Collection[str]) -> Tree:
    """What these name of a tree."""
    wanted = set(names)
    return {table: tree[table] for table in find_table_names(names) if table in tree and str(table) in wanted}


def records_of(metadata: Assets, tree: Tree) -> tuple[AssetRecord, ...]:
    known = {record.table: record for record in metadata.assets(tree)} if tree else {}
    return tuple(_record(known, table, tree[table]) for table in sorted(tree))


def asset_at(
    metadata: Metadata,
    lake: Lake,
    personal_at: PersonalAt,
    table: TableName,
    at: str,
    default: BranchName,
    since: Since = lambda tree: (),
    current: CurrentChecksOf = all_count,
) -> AssetVersion:
    commit = find_commit(metadata, at, default)
    tree = metadata.tree(commit.id)
    version = version_at(tree, table, at)
    known = {record.table: record for record in metadata.assets()}
    lineage = lineage_at(metadata, tree)
    edges = tuple(edge for one in lineage for edge in one.edges)
    state = lake.snapshot(version.catalog, version.snapshot_id) if version.snapshot_id is not None else None
    changed = find_commits_of(metadata, {table: version}).get(table) or _last_change(metadata, commit, table)
    record = _as_of(_record(known, table, version), state, changed.time if changed else None)
    standing = _status_at(metadata, default, table, version, since, current)
    personal = personal_at(commit.id).of(table)
    pairs = _table_pairs(lineage)
    before, after = _neighbours(pairs, str(table))
    return AssetVersion(
        asset=Asset(record, standing),
        commit=commit,
        version=version,
        columns=_columns(record, state, edges, personal, standing.failing_columns),
        last_commit=changed,
        upstream_tables=before,
        downstream_tables=after,
        reached=_reached(pairs, str(table)),
    )


def _last_change(metadata: Commits, commit: Commit, table: TableName) -> Commit | None:
    """By walking the history, for a version that no run of Forge wrote."""
    found = metadata.log(commit.id, limit=1, table=table)
    return found[0] if found else None


def _assets_with_status(
    metadata: Verdicts,
    held: HeldTables,
    tree: Tree,
    records: Iterable[AssetRecord],
    since: Since,
    current: CurrentChecksOf = all_count,
) -> dict[str, Asset]:
    stopped = {table for _, table in held}
    verdicts: dict[str, list[Verdict]] = {}
    found = find_verdicts(metadata, newest_attempts(tree, held), since=since(tree), held=held, current=current)
    for _, verdict in found:
        verdicts.setdefault(verdict.table, []).append(verdict)
    return {
        str(record.table): Asset(
            record, AssetStatus(tuple(verdicts.get(str(record.table), ())), held_back=record.table in stopped)
        )
        for record in records
    }


def _status_at(
    metadata: _Records,
    default: BranchName,
    table: TableName,
    version: TableVersion,
    since: Since,
    current: CurrentChecksOf,
) -> AssetStatus:
    """Of the current version, the newest attempt and the checks in force count; of an older one, the run that wrote
    it."""
    main = metadata.branch(default)
    is_now = main is not None and metadata.tree(main.head).get(table) == version
    held = tuple(pair for pair in metadata.blocked(default) if pair[1] == table) if is_now else ()
    mine = {table: version}
    now = current if is_now else all_count
    verdicts = find_verdicts(metadata, newest_attempts(mine, held), since=since(mine), held=held, current=now)
    return AssetStatus(tuple(verdict for _, verdict in verdicts), held_back=bool(held))


def _record(known: Mapping[TableName, AssetRecord], table: TableName, version: TableVersion) -> AssetRecord:
    record = known.get(table)
    return record or AssetRecord(
        table=table, kind=version.kind, description="", owner=None, tags=(), columns=(), updated_at=NEVER
    )


def _as_of(record: AssetRecord, state: SnapshotState | None, changed: datetime | None) -> AssetRecord:
    counted = state.statistics if state else None
    return replace(
        record,
        updated_at=changed or record.updated_at,
        row_count=counted.record_count if counted else None,
        size_bytes=counted.total_size if counted else None,
    )


def _columns(
    record: AssetRecord,
    state: SnapshotState | None,
    edges: Iterable[Edge],
    personal: Iterable[str],
    failing: frozenset[str],
) -> tuple[ColumnState, ...]:
    """From the snapshot; of a view, and of an expired snapshot, as the catalog last recorded them."""
    words = {str(column["name"]).lower(): column for column in record.columns}
    columns = state.schema.columns if state else tuple(Column(str(c["name"]), str(c["type"])) for c in record.columns)
    sources: dict[str, list[str]] = {}
    for edge in edges:
        if edge.target.table == str(record.table):
            sources.setdefault(edge.target.column.lower(), []).append(str(edge.source))
    hidden = frozenset(personal)
    return tuple(
        ColumnState(
            column,
            str(words.get(column.name.lower(), {}).get("description") or column.doc or ""),
            column.name.lower() in hidden,
            tuple(sorted(set(sources.get(column.name.lower(), ())))),
            column.name.lower() in failing,
        )
        for column in columns
    )


def _table_pairs(lineage: Iterable[TableLineage]) -> frozenset[tuple[str, str]]:
    """Source and target of each edge."""
    found = tuple(lineage)
    pairs = {(e.source.table, e.target.table) for one in found for e in one.edges}
    pairs |= {(e.source, e.target) for one in found for e in one.table_edges}
    pairs |= {(e.source.table, e.target) for one in found for e in one.indirect}
    return frozenset((source, target) for source, target in pairs if source != target)


def _neighbours(pairs: Iterable[tuple[str, str]], table: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Direct upstream and downstream tables."""
    found = tuple(pairs)
    before = {source for source, target in found if target == table}
    after = {target for source, target in found if source == table}
    return tuple(sorted(before)), tuple(sorted(after))


def _reached(pairs: Iterable[tuple[str, str]], table: str) -> frozenset[str]:
    targets: dict[str, list[str]] = {}
    for source, target in pairs:
        targets.setdefault(source, []).append(target)
    seen, waiting = {table}, [table]
    while waiting:
        new = [target for target in targets.get(waiting.pop(), ()) if target not in seen]
        seen.update(new)
        waiting += new
    return frozenset(seen - {table})
