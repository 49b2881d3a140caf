"""What a run would do, and why, without starting Spark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forge.flows.build import Job, would_run
from forge.flows.engine import Pin
from forge.flows.pins import Line, find_base, find_pin, line_of
from forge.flows.project import Project
from forge.flows.run import Ports, RunRequest, job_of, plan_order
from forge.model.names import TableName
from forge.transforms.transform import Transform


@dataclass(frozen=True, slots=True)
class PlannedStep:
    table: TableName
    kind: str
    action: str  # run | up to date
    reason: str
    inputs: tuple[TableName, ...]
    checks: int
    has_contract: bool
    file: str
    owner: str | None


def plan(request: RunRequest, project: Project, ports: Ports) -> tuple[PlannedStep, ...]:
    line = line_of(ports.metadata, request.branch, ports.default_branch)
    job = job_of(request, project, ports, line)
    steps: dict[TableName, PlannedStep] = {}
    for transform in plan_order(project, request.selection):
        action, reason = _decide(job, transform, line, steps)
        steps[transform.output] = PlannedStep(
            transform.output,
            "source" if transform.is_source else str(transform.kind),
            action,
            reason,
            transform.inputs,
            len(project.checks.get(transform.output, ())),
            transform.output in project.contracts,
            transform.file,
            project.owner(transform.output),
        )
    return tuple(steps.values())


def _decide(job: Job, transform: Transform, line: Line, steps: Mapping[TableName, PlannedStep]) -> tuple[str, str]:
    moved = next((t for t in transform.inputs if t in steps and steps[t].action == "run"), None)
    if moved is not None:
        return "run", f"its input {moved} will change"
    inputs: dict[TableName, Pin] = {}
    for table in transform.inputs:
        pin = find_pin(table, line, job.lake)
        if pin is None:
            return "blocked", f"{table} does not exist yet; run +{transform.output}"
        inputs[table] = pin
    return would_run(job, transform, find_base(transform.output, line, job.lake), inputs)
