"""What a run would do, and why, without starting Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.flows.foresight import foresee
from forge.flows.order import RunSelection, find_order
from forge.flows.pins import line_of
from forge.flows.run import Ports, RunRequest, job_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forge.flows.project import Project
    from forge.model.fault import FileFault
    from forge.model.names import TableName


@dataclass(frozen=True, slots=True)
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


def plan(request: RunRequest, project: Project, ports: Ports) -> Plan:
    """What is wrong with a file takes its own tables out of the plan, and no others."""
    line = line_of(ports.metadata, request.branch, ports.default_branch)
    job = job_of(request, project, ports, line)
    selected = find_order(project, request.selection)
    order = selected.order
    ports.readers(order, line.tree)
    found = foresee(job, order, line)
    steps = tuple(
        PlannedStep(
            transform.output,
            "source" if transform.is_source else str(transform.kind),
            found[transform.output].action,
            found[transform.output].reason,
            transform.inputs,
            len(project.checks.get(transform.output, ())),
            transform.output in project.contracts,
            transform.file,
            project.owner(transform.output),
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
            table,
            "unknown" if transform is None else "source" if transform.is_source else str(transform.kind),
            "broken",
            "; ".join(fault.error.line for fault in faults),
            transform.inputs if transform else (),
            len(project.checks.get(table, ())),
            table in project.contracts,
            transform.file if transform else faults[0].file,
            project.owner(table),
        )
