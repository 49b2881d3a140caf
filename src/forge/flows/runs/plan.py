"""What a run would do, and why, without starting Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from forge.flows.runs.foresight import foresee
from forge.flows.runs.order import RunSelection, find_order
from forge.flows.runs.pins import line_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from forge.flows.ports import Lake, Metadata
    from forge.flows.runs.decide import RunRequest, SourceFiles
    from forge.flows.runs.engine import TimeRange
    from forge.flows.runs.project import Project
    from forge.model.fault import FileFault
    from forge.model.names import BranchName, CommitId, TableName
    from forge.transforms.transform import Transform
    from forge.versioning.commit import Tree


class Planning(Protocol):
    """What a plan needs of the world; a run needs more."""

    @property
    def metadata(self) -> Metadata: ...
    @property
    def lake(self) -> Lake: ...
    @property
    def engine(self) -> SourceFiles: ...
    @property
    def default_branch(self) -> BranchName: ...
    @property
    def readers(self) -> Callable[[Sequence[Transform], Tree], None]: ...


@dataclass(frozen=True, slots=True)
class PlanPorts:
    """Just that."""

    metadata: Metadata
    lake: Lake
    engine: SourceFiles
    default_branch: BranchName
    readers: Callable[[Sequence[Transform], Tree], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    project: Project
    metadata: Metadata
    lake: Lake
    engine: SourceFiles
    head: CommitId | None
    params: Mapping[str, object]
    time_range: TimeRange | None
    force: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    table: TableName
    kind: str
    action: str  # run | up to date | blocked | broken: its files are not right
    reason: str
    inputs: tuple[TableName, ...]
    checks: int
    has_contract: bool
    file: str
    owner: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """`steps`: what can run, each after what it reads, then what is broken."""

    steps: tuple[PlannedStep, ...]
    selection: RunSelection


def plan(request: RunRequest, project: Project, ports: Planning) -> Plan:
    """What is wrong with a file takes its own tables out of the plan, and no others."""
    line = line_of(ports.metadata, request.branch, ports.default_branch)
    job = _Planned(
        project=project,
        metadata=ports.metadata,
        lake=ports.lake,
        engine=ports.engine,
        head=line.head,
        params=request.params,
        time_range=request.time_range,
        force=request.force,
    )
    selected = find_order(project, request.selection)
    order = selected.order
    ports.readers(order, line.tree)
    found = foresee(job, order, line)
    steps = tuple(
        PlannedStep(
            table=transform.output,
            kind="source" if transform.is_source else str(transform.kind),
            action=found[transform.output].action,
            reason=found[transform.output].reason,
            inputs=transform.inputs,
            checks=len(project.checks.get(transform.output, ())),
            has_contract=transform.output in project.contracts,
            file=transform.file,
            owner=project.owner(transform.output),
        )
        for transform in order
    )
    return Plan((*steps, *_broken(selected, project)), selected)


def _broken(selected: RunSelection, project: Project) -> Iterator[PlannedStep]:
    """One for each table of the selection that its files do not let be made."""
    reasons: dict[TableName, list[FileFault]] = {}
    for fault in selected.faults:
        for table in fault.tables:
            reasons.setdefault(table, []).append(fault)
    for table, faults in sorted(reasons.items()):
        transform = project.transforms.get(table)
        yield PlannedStep(
            table=table,
            kind="unknown" if transform is None else "source" if transform.is_source else str(transform.kind),
            action="broken",
            reason="; ".join(fault.error.line for fault in faults),
            inputs=transform.inputs if transform else (),
            checks=len(project.checks.get(table, ())),
            has_contract=table in project.contracts,
            file=transform.file if transform else faults[0].file,
            owner=project.owner(table),
        )
