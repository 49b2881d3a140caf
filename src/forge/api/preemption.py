"""Which read to stop so that others get cores. Spark never takes a core from a running task: where reads hold every
core, publishing work and reads of other tokens would wait until these end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from forge.flows.runs.engine import StarvedJobs
from forge.model.names import RunId

FAIR_SECONDS = 5.0  # how long a question waits for those of another token, which were at work as long


@dataclass(frozen=True, slots=True)
class RunningRead:
    id: RunId
    owner: str
    began: float  # on a clock that only goes forward


@dataclass(frozen=True, slots=True)
class PreemptedRead:
    id: RunId
    by: Literal["write", "read"]


class Preemption:
    """Samples repeatedly; starvation for a moment only is no reason to stop a read."""

    def __init__(self) -> None:
        self._writes: frozenset[int] = frozenset()
        self._reads: dict[RunId, float] = {}  # since when each waits

    def choose(self, running: Iterable[RunningRead], starved: StarvedJobs, now: float) -> PreemptedRead | None:
        """`running`: reads that have started and were not stopped yet."""
        reads = tuple(running)
        lasting = starved.writes & self._writes
        self._writes = starved.writes
        self._reads = {id_: self._reads.get(id_, now) for id_ in starved.reads}
        if lasting:
            oldest = min(reads, key=lambda one: one.began, default=None)
            return PreemptedRead(oldest.id, "write") if oldest else None
        waiting = {one.owner for one in reads if now - self._reads.get(one.id, now) >= FAIR_SECONDS}
        at_work = [one for one in reads if one.id not in starved.reads]
        if not waiting.difference(one.owner for one in at_work):
            return None  # nobody waits, or only who has a core already
        long = [one for one in at_work if now - one.began >= FAIR_SECONDS]
        busiest = min(long, key=lambda one: (-sum(one.owner == other.owner for other in long), one.began), default=None)
        return PreemptedRead(busiest.id, "read") if busiest else None
