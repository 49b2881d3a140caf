"""Measures in tiers: manifests, stored readings, new files only, then the table. Cheap tiers come first; an engine is
started only for what is left."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Protocol

from forge.flows.ports import Lake, SnapshotGrowth
from forge.flows.runs.engine import Engine, MeasureBatch, Pin, PlannedResult
from forge.model.errors import ForgeError
from forge.model.names import SnapshotId, TableName
from forge.model.schema import Schema
from forge.quality.kinds import MeasureSource, has_sql, kind_of, reading_of_no_rows
from forge.quality.measure import Measure, MeasureTier, NotMeasured, Reading
from forge.quality.paths import UnknownField, find_field
from forge.quality.state import add, adds_up, dump, is_kept, key_of, load

_log = logging.getLogger("forge.quality")
MANIFESTS: Final = "manifests"
KEPT: Final = "kept"
NEW_FILES: Final = "new files"
HISTORY: Final = "history"
_BACK = 20  # ancestors searched for stored readings


class StateStore(Protocol):
    """Stored readings of snapshots. A state is the serialized form of a mergeable reading."""

    def kept(
        self, table: TableName, snapshots: Sequence[SnapshotId], keys: Sequence[str]
    ) -> Mapping[tuple[SnapshotId, str], str]:
        """Those that exist."""

    def keep(self, table: TableName, snapshot: SnapshotId, states: Mapping[str, str], at: datetime) -> None:
        """Retains only the newest snapshots of a table."""


def no_versions(revision: str) -> Pin | None:
    return None


@dataclass(frozen=True, slots=True)
class MeasureSubject:
    """The judged version of a table. `versions` resolves another by revision, or PREVIOUS: None where there is none
    yet; errors in the revision are raised."""

    table: TableName
    schema: Schema
    target: Pin | PlannedResult
    others: Mapping[TableName, Pin] = field(default_factory=dict)
    versions: Callable[[str], Pin | None] = no_versions
    history: Callable[[Measure], Reading] = lambda measure: NotMeasured("no history is kept here")


@dataclass(frozen=True, slots=True)
class MeasureTools:
    lake: Lake
    engine: Callable[[], Engine]
    now: datetime
    states: StateStore | None = None


@dataclass(slots=True)
class MeasureResult:
    """Readings, and the batches in which they were computed."""

    readings: dict[Measure, Reading] = field(default_factory=dict)
    batches: list[MeasureBatch] = field(default_factory=list)

    def add(self, tier: MeasureTier, readings: Mapping[Measure, Reading], started: float) -> None:
        if readings:
            self.readings.update(readings)
            self.batches.append(MeasureBatch(tier, tuple(readings), round((time.monotonic() - started) * 1000, 1)))


def measure(subject: MeasureSubject, measures: Iterable[Measure], tools: MeasureTools) -> MeasureResult:
    """A reading for each measure. Measures of other versions and of new rows are computed on another target."""
    found = MeasureResult()
    by_target: dict[tuple[str | None, str | None], list[Measure]] = {}
    for one in dict.fromkeys(measures):
        if kind_of(one).source is MeasureSource.HISTORY:
            started = time.monotonic()
            found.add(HISTORY, {one: _guarded(subject.history, one)}, started)
        else:
            by_target.setdefault((one.at, one.since), []).append(one)
    for (at, since), some in sorted(by_target.items(), key=lambda item: [part or "" for part in item[0]]):
        _of_target(subject, at, since, some, tools, found)
    return found


def _guarded(read: Callable[[Measure], Reading], one: Measure) -> Reading:
    try:
        return read(one)
    except ForgeError as error:
        return NotMeasured(error.line)


def _of_target(
    subject: MeasureSubject,
    at: str | None,
    since: str | None,
    measures: Sequence[Measure],
    tools: MeasureTools,
    found: MeasureResult,
) -> None:
    started = time.monotonic()
    try:
        target = target_of(subject, at, since, tools.lake)
    except ForgeError as error:
        found.add(MANIFESTS, dict.fromkeys(measures, NotMeasured(_error_text(error))), started)
        return
    match target:
        case NotMeasured():
            found.add(MANIFESTS, dict.fromkeys(measures, target), started)
        case None:  # that version is not there: there is nothing to compare with
            found.add(MANIFESTS, dict.fromkeys(measures), started)
        case "nothing new":
            of_rows = [m for m in measures if kind_of(m).source is MeasureSource.ROWS]
            none = {m: {} if m.by else reading_of_no_rows(m) for m in of_rows}
            found.add(MANIFESTS, none, started)
            rest = [m for m in measures if m not in none]
            _in_tiers(subject, subject.target, rest, tools, found)
        case Pin() | PlannedResult():
            _in_tiers(subject, target, measures, tools, found)


def _error_text(error: ForgeError) -> str:
    return " ".join(part for part in (error.what, error.why) if part)


def target_of(
    subject: MeasureSubject, at: str | None, since: str | None, lake: Lake
) -> Pin | PlannedResult | NotMeasured | str | None:
    if at is not None:
        return subject.versions(at)
    if since is None:
        return subject.target
    before = subject.versions(since)
    if before is None:
        return subject.target  # all files are new
    target = subject.target
    if isinstance(target, PlannedResult) or target.snapshot_id is None:
        return NotMeasured(f"{subject.table} is a view, and has no files of its own")
    if before.snapshot_id is None:
        return NotMeasured(f"{subject.table} was a view at {since}")
    growth = lake.growth(target.catalog, before.snapshot_id, target.snapshot_id)
    match growth.kind if growth else None:
        case "none":
            return "nothing new"
        case "appended":
            return replace(target, since=before.snapshot_id)
        case "replaced":
            return target
    return NotMeasured(f"files were rewritten since {since}, so that new rows cannot be told from old ones")


def _in_tiers(
    subject: MeasureSubject,
    target: Pin | PlannedResult,
    measures: Sequence[Measure],
    tools: MeasureTools,
    found: MeasureResult,
) -> None:
    """Engine and manifests know no versions: they get plain measures of the target."""
    asked = {replace(one, at=None, since=None): one for one in measures}
    left = list(asked)
    if isinstance(target, Pin) and target.snapshot_id is not None and target.since is None:
        left = _from_manifests(target, asked, left, tools, found)
        left = _from_kept(subject, target, asked, left, tools, found)
    if left:
        taken = _by_engine(subject, target, asked, left, tools, found)
        _keep(subject, target, taken, tools)


def _from_manifests(
    target: Pin, asked: Mapping[Measure, Measure], left: Sequence[Measure], tools: MeasureTools, found: MeasureResult
) -> list[Measure]:
    assert target.snapshot_id is not None
    started = time.monotonic()
    proven = tools.lake.measure(target.catalog, target.snapshot_id, left)
    found.add(MANIFESTS, {asked[one]: reading for one, reading in proven.items()}, started)
    return [one for one in left if one not in proven]


def _by_engine(
    subject: MeasureSubject,
    target: Pin | PlannedResult,
    asked: Mapping[Measure, Measure],
    left: Sequence[Measure],
    tools: MeasureTools,
    found: MeasureResult,
    tier: MeasureTier | None = None,
) -> Mapping[Measure, Reading]:
    """`tier` overrides the engine's label; None keeps it."""

    def report(batch: MeasureBatch) -> None:
        found.batches.append(MeasureBatch(tier or batch.tier, tuple(asked[one] for one in batch.measures), batch.ms))

    readings = tools.engine().measure(target, tuple(left), subject.others, report)
    found.readings.update({asked[one]: reading for one, reading in readings.items()})
    return readings


# --- what was kept -----------------------------------------------------------------------------------------------


def _from_kept(
    subject: MeasureSubject,
    target: Pin,
    asked: Mapping[Measure, Measure],
    left: Sequence[Measure],
    tools: MeasureTools,
    found: MeasureResult,
) -> list[Measure]:
    """Stored readings of this snapshot; else those of an ancestor merged with readings of the new files."""
    keys = {one: key_of(one) for one in left if is_kept(one)}
    if tools.states is None or not keys or target.snapshot_id is None:
        return list(left)
    started = time.monotonic()
    line = _ancestors(target, tools.lake)
    try:
        states = tools.states.kept(subject.table, line, tuple(keys.values()))
    except ForgeError as error:  # what cannot be looked up is measured
        _log.warning("what was measured of %s cannot be read: %s", subject.table, error)
        return list(left)
    known = _read({one: states.get((target.snapshot_id, key)) for one, key in keys.items()})
    found.add(KEPT, {asked[one]: reading for one, reading in known.items()}, started)
    for ancestor in line[1:]:
        before = {one: text for one, key in keys.items() if one not in known and (text := states.get((ancestor, key)))}
        if before:
            known |= _grown(subject, target, ancestor, before, asked, tools, found)
    return [one for one in left if one not in known]


def _read(states: Mapping[Measure, str | None]) -> dict[Measure, Reading]:
    """Those that exist and parse: another version of Forge may have written them."""
    readings: dict[Measure, Reading] = {}
    for one, text in states.items():
        try:
            readings |= {} if text is None else {one: load(text)}
        except ValueError as error:
            _log.warning("a kept reading of %s cannot be read: %s", one.kind, error)
    return readings


def _ancestors(target: Pin, lake: Lake) -> list[SnapshotId]:
    """The snapshot itself and its ancestors, newest first."""
    line: list[SnapshotId] = []
    at = target.snapshot_id
    while at is not None and len(line) < _BACK:
        line.append(at)
        snapshot = lake.snapshot(target.catalog, at)
        at = snapshot.parent_id if snapshot else None
    return line


def _grown(
    subject: MeasureSubject,
    target: Pin,
    ancestor: SnapshotId,
    before: Mapping[Measure, str],
    asked: Mapping[Measure, Measure],
    tools: MeasureTools,
    found: MeasureResult,
) -> dict[Measure, Reading]:
    """Stored readings of an ancestor merged with those of files appended since; none where there were other
    operations."""
    assert target.snapshot_id is not None
    growth = tools.lake.growth(target.catalog, ancestor, target.snapshot_id)
    if growth is None or growth.kind not in ("none", "appended"):
        return {}
    usable = _read({one: text for one, text in before.items() if _still_means(one, growth, subject.schema)})
    if growth.kind == "none":
        found.add(KEPT, {asked[one]: reading for one, reading in usable.items()}, time.monotonic())
        _keep(subject, target, usable, tools)
        return usable
    addable = {one: reading for one, reading in usable.items() if adds_up(one)}
    if not addable:
        return {}
    added = _by_engine(subject, replace(target, since=ancestor), asked, tuple(addable), tools, found, NEW_FILES)
    merged: dict[Measure, Reading] = {}
    for one, reading in addable.items():
        new = added.get(one)
        merged[one] = new if isinstance(new, NotMeasured) else add(one, reading, new)
    found.readings.update({asked[one]: reading for one, reading in merged.items()})
    _keep(subject, target, merged, tools)
    return merged


def _still_means(one: Measure, growth: SnapshotGrowth, schema: Schema) -> bool:
    """Whether its columns are unchanged: a column may have been dropped and recreated under the same name."""
    if growth.all_the_same:
        return True
    if has_sql(one):  # which may read any column
        return False
    try:
        return all(find_field(schema, name).parts[0].lower() in growth.same_columns for name in one.columns)
    except UnknownField:
        return False


def _keep(
    subject: MeasureSubject, target: Pin | PlannedResult, readings: Mapping[Measure, Reading], tools: MeasureTools
) -> None:
    if (
        tools.states is None
        or isinstance(target, PlannedResult)
        or target.snapshot_id is None
        or target.since is not None
    ):
        return
    states = {
        key_of(one): text for one, reading in readings.items() if is_kept(one) and (text := dump(reading)) is not None
    }
    try:
        if states:
            tools.states.keep(subject.table, target.snapshot_id, states, tools.now)
    except ForgeError as error:  # the readings are good without
        _log.warning("what was measured of %s cannot be kept: %s", subject.table, error)
