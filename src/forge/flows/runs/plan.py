"""What a run does, as data: one step for each output. `forge plan` shows the steps, a run executes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from forge.flows.runs.decision import NEEDS_RANGE, OutputFacts, RunRequest, StepAction, decide, range_missing
from forge.flows.runs.facts import PlanContext, PlanDependencies, facts_of
from forge.flows.runs.input_pins import BaseVersion, PinnedBranch, find_base, find_pin, pin_branch
from forge.flows.runs.order import RunSelection, find_order
from forge.flows.runs.pin import Pin
from forge.flows.runs.project import Project
from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata
from forge.model.errors import ForgeError
from forge.model.fault import FileFault
from forge.model.names import TableName
from forge.transforms.fingerprint import Fingerprint
from forge.transforms.transform import Transform, TransformKind


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    """What becomes of one output. `after`: inputs that this plan makes before it; what they are by then decides, so the
    fingerprint is not known yet, and the step may turn out to be up to date unless it is certain."""

    table: TableName
    kind: str
    action: StepAction
    reason: str
    inputs: tuple[TableName, ...] = ()
    checks: int = 0
    has_contract: bool = False
    file: str = ""
    owner: str | None = None
    after: tuple[TableName, ...] = ()
    is_certain: bool = True
    pins: Mapping[TableName, Pin] = field(default_factory=dict)  # of the inputs, as far as they are known
    fingerprint: Fingerprint | None = None
    facts: OutputFacts | None = None
    base: BaseVersion = BaseVersion(None, None, None, None)  # noqa: RUF009  frozen
    error: ForgeError | None = None  # blocked: what a run says of it

    def to_dict(self) -> dict[str, object]:
        return {
            "table": str(self.table),
            "kind": self.kind,
            "action": str(self.action),
            "reason": self.reason,
            "inputs": [str(table) for table in self.inputs],
            "checks": self.checks,
            "has_contract": self.has_contract,
            "file": self.file,
            "owner": self.owner,
            "after": [str(table) for table in self.after],
        }


@dataclass(frozen=True, slots=True)
class RunPlan:
    """`steps`: what can run, each after what it reads, then what is broken. `line`: the branch it was made for."""

    steps: tuple[PlannedStep, ...]
    selection: RunSelection
    line: PinnedBranch

    @property
    def unloadable(self) -> tuple[ForgeError, ...]:
        """Of sources whose files are not there, or not what was loaded before."""
        found = (
            s.error for s in self.steps if s.kind == "source" and s.facts is None and s.action is StepAction.BLOCKED
        )
        return tuple(error for error in found if error is not None and not isinstance(error, UnreadableMetadata))

    @property
    def missing_ranges(self) -> tuple[ForgeError, ...]:
        """Of outputs that are certain to be built, and could not be without a time range."""
        return tuple(s.error for s in self.steps if s.error is not None and s.action is StepAction.BLOCKED and s.facts)


def plan(request: RunRequest, project: Project, ports: PlanDependencies) -> RunPlan:
    """What is wrong with a file or a table takes its own step out, and those that depend on it."""
    selected = find_order(project, request.selection)
    line = pin_branch(ports.metadata, request.branch, ports.default_branch)
    ports.readers(selected.order, line.tree)
    known = PlanContext(request, project, ports, line, cache(ports.metadata.run))
    steps: dict[TableName, PlannedStep] = {}
    for transform in selected.order:
        steps[transform.output] = _plan_step(known, transform, steps)
    return RunPlan((*steps.values(), *_broken(selected, project)), selected, line)


def _plan_step(known: PlanContext, transform: Transform, before: Mapping[TableName, PlannedStep]) -> PlannedStep:
    line, lake = known.line, known.ports.lake
    step = _shown(known.project, transform.output, transform, StepAction.RUN, "")
    try:
        base = find_base(transform.output, line, lake)
        step = replace(step, base=base)
        after = tuple(t for t in transform.inputs if t in before and before[t].action is StepAction.RUN)
        pins = {t: pin for t in transform.inputs if t not in after and (pin := find_pin(t, line, lake))}
        step = replace(step, after=after, pins=pins)
        blocked = _why_blocked(transform, step, before)
        if blocked is not None:
            return blocked
        step = replace(step, facts=facts_of(known, transform, base))
    except ForgeError as error:
        return replace(step, action=StepAction.BLOCKED, reason=error.what, error=error)
    if not after:
        return replace(_decided(step), is_certain=transform.kind is not TransformKind.VIEW)
    # A table that is built has a new snapshot. A view that is rebuilt may read the same as before.
    certain = known.request.force or any(before[t].is_certain for t in after)
    assert step.facts is not None
    missing = range_missing(step.facts) if certain else None
    if missing is not None:
        return replace(step, action=StepAction.BLOCKED, reason=NEEDS_RANGE, error=missing)
    return replace(step, reason=f"its input {after[0]} will change", is_certain=certain)


def _why_blocked(
    transform: Transform, step: PlannedStep, before: Mapping[TableName, PlannedStep]
) -> PlannedStep | None:
    held = [t for t in transform.inputs if t in before and before[t].action is StepAction.BLOCKED]
    if held:
        return replace(step, action=StepAction.BLOCKED, reason=f"stands on {held[0]}, which is blocked")
    absent = [t for t in transform.inputs if t not in step.pins and t not in step.after]
    if not absent:
        return None
    error = ForgeError(
        "E202",
        f"{absent[0]} does not exist yet",
        where=transform.where,
        why=f"{transform.output} reads it, and it is not among what this run makes.",
        fix=f"Run it too: forge run +{transform.output}",
    )
    reason = f"{absent[0]} does not exist yet; run +{transform.output}"
    return replace(step, action=StepAction.BLOCKED, reason=reason, error=error)


def settle(step: PlannedStep, pins: Mapping[TableName, Pin]) -> PlannedStep:
    """The step once the inputs that it comes after are made, `pins` being how it reads them. It is run for the reason
    that was planned, unless they turned out to be what they were."""
    return _decided(replace(step, pins={**step.pins, **pins}), step.reason)


def _decided(step: PlannedStep, why: str = "") -> PlannedStep:
    assert step.facts is not None, "what is blocked is not decided"
    pins = {table: step.pins[table] for table in step.inputs}
    found = decide(step.facts, pins, why)
    return replace(
        step,
        action=found.action,
        reason=found.reason,
        pins=pins,
        fingerprint=found.fingerprint,
        error=found.error,
    )


def _broken(selected: RunSelection, project: Project) -> Iterator[PlannedStep]:
    """One for each selected table that cannot be built because of its files."""
    reasons: dict[TableName, list[FileFault]] = {}
    for fault in selected.faults:
        for table in fault.tables:
            reasons.setdefault(table, []).append(fault)
    for table, faults in sorted(reasons.items()):
        reason = "; ".join(fault.error.line for fault in faults)
        step = _shown(project, table, project.transforms.get(table), StepAction.BROKEN, reason)
        yield step if step.file else replace(step, file=faults[0].file)


def _shown(
    project: Project, table: TableName, transform: Transform | None, action: StepAction, reason: str
) -> PlannedStep:
    return PlannedStep(
        table=table,
        kind="unknown" if transform is None else "source" if transform.is_source else str(transform.kind),
        action=action,
        reason=reason,
        inputs=transform.inputs if transform else (),
        checks=len(project.checks.get(table, ())),
        has_contract=table in project.contracts,
        file=transform.file if transform else "",
        owner=project.owner(table),
    )
