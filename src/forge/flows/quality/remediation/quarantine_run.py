"""Quarantine inside a governed run: staged rows that fail checks with `on_failure: [quarantine]` and `auto: true` are
moved to the side table before the final gate, and both tables are published in one commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from forge.flows.ports import Lake, SnapshotState, Stage
from forge.flows.quality.remediation.quarantine import SideTable, plan_side, side_lineage, side_of
from forge.flows.quality.row_repair import QuarantineStamp, RepairTarget, RepairWork, RowFailures, RowRepair
from forge.flows.runs.engine import Pin, PlannedResult
from forge.flows.runs.input_pins import BaseVersion, PinnedBranch, find_base
from forge.flows.versioning.tables import Tables
from forge.lineage.edge import Extraction
from forge.model.errors import ForgeError
from forge.model.names import RunId, TableName
from forge.model.schema import Schema
from forge.quality.check import Check
from forge.quality.measure import Readings
from forge.quality.plan import check_ids
from forge.quality.remedy import ActionKind
from forge.quality.verdict import Outcome, Verdict
from forge.transforms.transform import Transform
from forge.versioning.field import Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedQuarantine:
    """Quarantined rows, staged with the table they come from."""

    table: TableName
    base: BaseVersion
    stage: Stage
    snapshot: SnapshotState
    planned: PlannedResult
    rows: int
    by_check: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedOutput:
    """A staged output before its gate."""

    transform: Transform
    stage: Stage
    snapshot: SnapshotState
    checks: tuple[Check, ...]
    verdicts: tuple[Verdict, ...]  # one for each check
    readings: Readings
    others: Mapping[TableName, Pin]
    parts: Mapping[str, Pin] = field(default_factory=dict)  # of checks of new rows only, by their `since`


@dataclass(frozen=True, slots=True)
class RunQuarantine:
    """`repair` is the engine's."""

    lake: Lake
    tables: Tables
    repair: Callable[[], RepairWork]
    line: PinnedBranch
    run_id: RunId
    now: datetime

    def set_aside(self, staged: StagedOutput) -> StagedQuarantine | None:
        """None, and nothing changed, where no failing rows are found. Otherwise the output's stage is at a new
        snapshot."""
        table, asking = staged.transform.output, naming_checks(staged)
        bad = tuple((i, c) for i, c in asking if c.bad(staged.readings, staged.snapshot.schema))
        if not bad:
            return None
        files = self.tables.files(staged.stage.catalog, staged.snapshot.snapshot_id)
        target = RepairTarget(table, Pin(table, staged.stage.catalog, staged.snapshot.snapshot_id), files, self.run_id)
        repaired = self.repair().take_out(target, RowFailures(bad, staged.readings, staged.others, staged.parts))
        try:
            if not repaired.deleted:
                return None
            side = self._stage_side(staged, repaired, files.fields)
            repaired.write(staged.stage)
            return side
        finally:
            repaired.release()

    def _stage_side(self, staged: StagedOutput, repaired: RowRepair, fields: Fields) -> StagedQuarantine:
        name = side_of(staged.transform.output)
        base = find_base(name, self.line, self.lake)
        if base.version is not None and base.version.kind == "view":
            raise ForgeError("E749", f"{name} is a view and cannot take rows in", fix="Rename the view.")
        known: Fields = ()
        if base.catalog is not None and base.snapshot_id is not None:
            known = self.tables.files(base.catalog, base.snapshot_id).fields
        side = plan_side(staged.transform.output, fields, known)
        stage = self.lake.open_stage(self.run_id, name, base.catalog, base.snapshot_id)
        repaired.set_aside(stage, side.fields, side.names, QuarantineStamp(str(self.run_id), self.now))
        snapshot = self.lake.snapshot(stage.catalog)
        assert snapshot is not None, "a staged table has a snapshot"
        planned = _planned(staged.transform, side, snapshot.schema)
        return StagedQuarantine(
            table=name,
            base=base,
            stage=stage,
            snapshot=snapshot,
            planned=planned,
            rows=repaired.deleted,
            by_check=repaired.counts,
        )


def _planned(transform: Transform, side: SideTable, schema: Schema) -> PlannedResult:
    """As if made by a transform: its catalog entry and column lineage."""
    made = replace(
        transform,
        output=side_of(transform.output),
        description=f"Rows of {transform.output} that failed a check.",
        inputs=(transform.output,),
    )
    found = side_lineage(transform.output, side)
    return PlannedResult(made, None, schema, Extraction(found.edges))


def asking_checks(staged: StagedOutput) -> tuple[tuple[str, Check], ...]:
    """Failed checks with `on_failure: [quarantine]` and `auto: true`."""
    ids = check_ids(staged.checks, staged.transform.output)
    return tuple(
        (check_id, check)
        for check_id, check, verdict in zip(ids, staged.checks, staged.verdicts, strict=True)
        if verdict.outcome is Outcome.FAILED
        and check.auto
        and any(action.kind is ActionKind.QUARANTINE for action in check.on_failure)
    )


def naming_checks(staged: StagedOutput) -> tuple[tuple[str, Check], ...]:
    """Of these, those that can identify rows: checks with `since` need to know the new rows."""
    return tuple((id_, check) for id_, check in asking_checks(staged) if not check.since or check.since in staged.parts)


def is_worth_it(staged: StagedOutput, gate: Sequence[Verdict]) -> bool:
    """Whether quarantine can unblock the rest: no other check may block."""
    asking = {check_id for check_id, _ in asking_checks(staged)}
    blocking = [v for v in (*gate, *staged.verdicts) if v.blocks]
    return bool(asking) and all(verdict.check_id in asking for verdict in blocking)


def with_word(verdicts: Sequence[Verdict], side: StagedQuarantine, before: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts on the remaining rows, with a note on the quarantined ones."""
    messages = {verdict.check_id: verdict.message for verdict in before}
    noted = []
    for verdict in verdicts:
        moved = side.by_check.get(verdict.check_id)
        if moved:
            note = {"rows": moved, "table": str(side.table), "before": messages.get(verdict.check_id, "")}
            verdict = replace(verdict, details={**verdict.details, "quarantined": note})
        noted.append(verdict)
    return tuple(noted)
