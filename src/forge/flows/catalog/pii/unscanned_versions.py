"""Versions of tables that the newest scans do not stand for: old commits, branches, and what was just published.

Of an older version, what was found in its table counts, also where it was closed since. A version that no scan looked
at is judged when it is about to be shown, by its names and its first rows, and once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forge.catalog.pii import PiiFinding, PiiType, find_pii
from forge.catalog.pii.review import THRESHOLD, PiiRecord, is_hiding
from forge.flows.catalog.personal_data import Key, ReviewedColumns, carries_values
from forge.flows.catalog.pii.scan import version_of
from forge.flows.catalog.pii.values import sample_of
from forge.flows.quality.incidents.impact import edges_at
from forge.flows.runs.input_pins import at_commit
from forge.flows.runs.pin import Pin
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.time import as_utc

if TYPE_CHECKING:
    from datetime import datetime

    from forge.flows.ports import Lake
    from forge.flows.runs.ports import Runs
    from forge.versioning.commit import TableVersion, Tree

_MOST_ROWS, _MOST_CELLS = 5_000, 200_000  # that are read
_JUDGED_ROWS, _JUDGED_CELLS = 1_000, 20_000  # of these, spread over them: a reader waits for it
_FEWEST_ROWS = 100
_MOST = 4_096  # versions that are kept


class UnscannedVersions:
    def __init__(self, lake: Lake, runs: Runs, threshold: float = THRESHOLD, types: tuple[PiiType, ...] = ()) -> None:
        self._lake, self._runs, self._threshold, self._types = lake, runs, threshold, types
        self._judged: dict[str, tuple[PiiFinding, ...]] = {}  # replaced when full: versions never change

    def find_past(self, tree: Tree, head: Tree, reviewed: ReviewedColumns) -> frozenset[Key]:
        """Columns that findings hide in this tree and not, or under another name, in that of the default branch."""
        records = defaultdict[str, list[PiiRecord]](list)
        for record in reviewed.past:
            records[record.table].append(record)
            if record.table_key:
                records[record.table_key].append(record)
        found: set[Key] = set()
        for table, version in tree.items() if records else ():
            if _is_same(head.get(table), version):
                continue
            for record in (*records.get(str(table), ()), *records.get(version.uuid, ())):
                if record.closed_at is None or self._is_older(version, record.closed_at):
                    found |= {(str(table), record.key), (str(table), record.key.partition(".")[0])}
        return frozenset(found)

    def over(self, trees: Callable[[], tuple[Tree, ...]], reviewed: ReviewedColumns, mark: Hashable) -> VersionsOfTrees:
        """`mark` stands for all of it."""
        return VersionsOfTrees(mark, self, trees, reviewed)

    def _is_older(self, version: TableVersion, closed_at: datetime) -> bool:
        if version.snapshot_id is None:
            return True
        try:
            state = self._lake.snapshot(version.catalog, version.snapshot_id)
        except ForgeError:
            return True
        return state is None or as_utc(state.time) <= as_utc(closed_at)

    def judge(self, pin: Pin) -> tuple[PiiFinding, ...]:
        """What hides columns of this snapshot."""
        key = f"{pin.catalog} {pin.snapshot_id}"
        found = self._judged.get(key)
        if found is None:
            self._keep(key, found := self._of_rows(pin))
        return found

    def judge_view(self, location: str) -> tuple[PiiFinding, ...]:
        """By names: only an engine could read its rows."""
        found = self._judged.get(location)
        if found is None:
            try:
                names = self._lake.view_schema(location).names
            except (ForgeError, OSError):  # nobody can read its rows either
                names = ()
            self._keep(location, found := self._of_names(names))
        return found

    def _of_names(self, names: Sequence[str]) -> tuple[PiiFinding, ...]:
        return tuple(one for one in find_pii(names, self._types) if one.type is not None)

    def _of_rows(self, pin: Pin) -> tuple[PiiFinding, ...]:
        assert pin.snapshot_id is not None
        state = self._lake.snapshot(pin.catalog, pin.snapshot_id)
        names = state.schema.names if state is not None else ()
        if not names:
            return ()
        most = max(_FEWEST_ROWS, min(_MOST_ROWS, _MOST_CELLS // len(names)))
        rows = self._lake.rows(pin.catalog, pin.snapshot_id, names, most)
        if rows is None:  # an engine alone can read it
            return self._of_names(names)
        judged = max(_FEWEST_ROWS, min(_JUDGED_ROWS, _JUDGED_CELLS // len(names)))
        sample = sample_of(names, rows[:: max(1, -(-len(rows) // judged))], complete=False)
        found = find_pii({name: values[:judged] for name, values in sample.values.items()}, self._types)
        return tuple(one for one in found if is_hiding(one.type, one.score, one.evidence, self._threshold))

    def _keep(self, key: str, found: tuple[PiiFinding, ...]) -> None:
        kept = self._judged if len(self._judged) < _MOST else {}
        self._judged = {**kept, key: found}

    def version_of(self, table: TableName, tree: Tree) -> str | None:
        """Of a view."""
        try:
            pin = at_commit(table, tree, self._lake)
        except (ForgeError, OSError):
            return None
        return version_of(pin) if pin is not None else None

    def sources_of(self, table: TableName, tree: Tree) -> frozenset[tuple[str, str, str]]:
        """Columns whose values a view shows: its own, then table and column of the source."""
        return frozenset(
            (edge.target.column.lower(), edge.source.table, edge.source.column.lower())
            for edge in edges_at(self._runs, {table: tree[table]})
            if edge.target.table == str(table) and carries_values(edge)
        )


@dataclass(frozen=True, slots=True)
class VersionsOfTrees:
    """Those of some commits. Two of the same mark say the same."""

    mark: Hashable
    _versions: UnscannedVersions = field(compare=False, repr=False)
    _trees: Callable[[], tuple[Tree, ...]] = field(compare=False, repr=False)
    _reviewed: ReviewedColumns = field(compare=False, repr=False)
    _known: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    def of(self, table: str) -> frozenset[str]:
        """Columns, in lower case, of a table or view in one of the commits."""
        known = self._known.get(table)
        if known is None:
            self._known[table] = known = self._find(table)
        return known

    def of_pin(self, pin: Pin) -> frozenset[str]:
        """The same of any snapshot: one that no commit has."""
        if pin.snapshot_id is None or self._is_scanned(pin.table, str(pin.snapshot_id)):
            return frozenset()
        return self._shown(self._versions.judge(pin), str(pin.table))

    def _find(self, name: str) -> frozenset[str]:
        try:
            table = TableName.parse(name)
        except ForgeError:  # a file or a source
            return frozenset()
        return frozenset[str]().union(*(self._in_tree(table, tree) for tree in self._trees() if table in tree))

    def _in_tree(self, table: TableName, tree: Tree) -> frozenset[str]:
        version = tree[table]
        if version.kind == "view":
            return self._of_view(table, version, tree)
        if version.snapshot_id is None or self._is_scanned(table, str(version.snapshot_id)):
            return frozenset()
        found = self._versions.judge(Pin(table, version.catalog, version.snapshot_id))
        return self._shown(found, str(table), version.uuid)

    def _of_view(self, table: TableName, version: TableVersion, tree: Tree) -> frozenset[str]:
        if self._is_scanned(table, self._versions.version_of(table, tree)):
            return frozenset()
        found = self._shown(self._versions.judge_view(version.metadata_location or ""), str(table))
        sources = self._versions.sources_of(table, tree)
        hidden: dict[str, frozenset[str]] = {
            name: self._in_tree(source, tree)
            for source in {TableName.parse(one) for _, one, _ in sources if _is_in(one, tree)} - {table}
            for name in (str(source),)
        }
        return found | {column for column, source, of in sources if of in hidden.get(source, ())}

    def _is_scanned(self, table: TableName, version: str | None) -> bool:
        return version is not None and self._reviewed.scanned.get(str(table)) == version

    def _shown(self, found: tuple[PiiFinding, ...], *names: str) -> frozenset[str]:
        """Without what a person rejected; a personal field hides the whole struct."""
        rejected = self._reviewed.rejected
        kept = ((one.column.lower(), one.type) for one in found)
        keys = {key for key, kind in kept if not any((name, key, kind) in rejected for name in names)}
        return frozenset(part for key in keys for part in (key, key.partition(".")[0]))


def _is_same(one: TableVersion | None, other: TableVersion) -> bool:
    if one is None:
        return False
    return (one.uuid, one.snapshot_id, one.metadata_location) == (
        other.uuid,
        other.snapshot_id,
        other.metadata_location,
    )


def _is_in(name: str, tree: Mapping[TableName, object]) -> bool:
    try:
        return TableName.parse(name) in tree
    except ForgeError:
        return False
