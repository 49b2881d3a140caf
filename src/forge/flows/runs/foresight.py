"""What a run will do with each output, as far as it can be known before anything is built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forge.flows.runs.decide import Deciding, range_missing, would_run
from forge.flows.runs.pin import Pin
from forge.flows.runs.pins import Base, Line, find_base, find_pin
from forge.flows.upkeep.unreadable import UnreadableMetadata
from forge.model.errors import ForgeError, raise_errors
from forge.model.names import TableName
from forge.transforms.transform import Kind, Transform

NEEDS_RANGE = "it needs a time range: --start … --end …"


@dataclass(frozen=True, slots=True)
class Foreseen:
    action: str  # run | up to date | blocked
    reason: str
    is_certain: bool = True  # False: it may turn out to be up to date
    error: ForgeError | None = None


def foresee(job: Deciding, order: Sequence[Transform], line: Line) -> dict[TableName, Foreseen]:
    found: dict[TableName, Foreseen] = {}
    for transform in order:
        try:
            base = find_base(transform.output, line, job.lake)
            decided = _decide(job, transform, base, line, found)
        except UnreadableMetadata as error:
            found[transform.output] = Foreseen("blocked", error.what, error=error)
            continue
        missing = range_missing(job, transform, base)
        if missing is not None and decided.action == "run" and decided.is_certain:
            decided = Foreseen("blocked", NEEDS_RANGE, error=missing)
        found[transform.output] = decided
    return found


def refuse_missing_range(job: Deciding, order: Sequence[Transform], line: Line) -> None:
    """Raises E206 where it is certain that an output would be built and could not be without a time range."""
    if job.time_range is not None or all(transform.kind is not Kind.BY_TIME_RANGE for transform in order):
        return
    try:
        found = foresee(job, order, line)
    except ForgeError:  # something else is wrong: the run itself tells, and records it
        return
    raise_errors([foreseen.error for foreseen in found.values() if foreseen.error is not None])


def _decide(
    job: Deciding, transform: Transform, base: Base, line: Line, before: Mapping[TableName, Foreseen]
) -> Foreseen:
    moving = [t for t in transform.inputs if t in before and before[t].action == "run"]
    if moving:
        # A table that is built has a new snapshot. A view that is built anew may read the same as before.
        certain = job.force or any(before[t].is_certain for t in moving)
        return Foreseen("run", f"its input {moving[0]} will change", certain)
    inputs: dict[TableName, Pin] = {}
    for table in transform.inputs:
        pin = find_pin(table, line, job.lake)
        if pin is None:
            return Foreseen("blocked", f"{table} does not exist yet; run +{transform.output}")
        inputs[table] = pin
    action, reason = would_run(job, transform, base, inputs)
    return Foreseen(action, reason, is_certain=transform.kind is not Kind.VIEW)
