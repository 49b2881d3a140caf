"""What a run would do, and why, without starting Spark."""

from __future__ import annotations

from dataclasses import dataclass

from forge.flows.foresight import foresee
from forge.flows.pins import line_of
from forge.flows.project import Project
from forge.flows.run import Ports, RunRequest, job_of, plan_order
from forge.model.names import TableName


@dataclass(frozen=True, slots=True)
class PlannedStep:
    table: TableName
    kind: str
    action: str  # run | up to date | blocked
    reason: str
    inputs: tuple[TableName, ...]
    checks: int
    has_contract: bool
    file: str
    owner: str | None


def plan(request: RunRequest, project: Project, ports: Ports) -> tuple[PlannedStep, ...]:
    line = line_of(ports.metadata, request.branch, ports.default_branch)
    job = job_of(request, project, ports, line)
    order = plan_order(project, request.selection)
    ports.readers(order, line.tree)
    found = foresee(job, order, line)
    return tuple(
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
