"""What happens after a dataset was judged, whoever asked for it: results are kept, metrics recorded, alerts moved,
incidents opened and remediations proposed, in this order.

None of these undoes the verdicts or breaks what asked for them: what goes wrong is logged and told in the result."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from forge.flows.quality.judge import Judged
from forge.model.errors import ForgeError
from forge.model.names import RunId
from forge.quality.monitors.monitor import CheckResult, Monitor

_log = logging.getLogger("forge.quality")


@dataclass(frozen=True, slots=True)
class Observed:
    """One table judged once, and who asked: a monitor, a governed run (`judged.run_id`), or a person."""

    judged: Judged
    results: tuple[CheckResult, ...]
    monitor: Monitor | None = None
    monitor_run_id: str | None = None
    whole: bool = True  # False: only some checks of the table were judged

    @property
    def result_ids(self) -> Mapping[str, str]:
        """By check."""
        return {result.check_id: result.id for result in self.results}


@dataclass(frozen=True, slots=True)
class Observer:
    """`name` is what it does, in words; `observe` gives remarks for people, mostly none."""

    name: str
    observe: Callable[[Observed], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Observers:
    """In the order in which they are told."""

    all: tuple[Observer, ...] = field(default=())

    def tell(self, observed: Observed) -> tuple[str, ...]:
        """Never raises. What the observers remarked, and what they could not do."""
        notes: list[str] = []
        for observer in self.all:
            try:
                notes += observer.observe(observed)
            except ForgeError as error:
                _log.warning("%s of %s: %s", observer.name, observed.judged.table, error)
                notes.append(f"{observer.name}: {error.line}")
            except Exception as error:  # a fault of ours: the verdicts stand, the log has the trace
                _log.exception("%s of %s", observer.name, observed.judged.table)
                notes.append(f"{observer.name}: {type(error).__name__}: {error}")
        return tuple(notes)


def results_of(
    judged: Judged,
    *,
    monitor_run_id: str | None = None,
    monitor_id: str | None = None,
    run_id: RunId | None = None,
) -> tuple[CheckResult, ...]:
    """One for each check, numbered in their order; those of a governed run are named by their check."""
    found: list[CheckResult] = []
    for number, verdict in enumerate(judged.verdicts, start=1):
        execution = judged.executions.get(verdict.check_id)
        tiers = {"tiers": list(execution.tiers)} if execution and execution.tiers else {}
        found.append(
            CheckResult(
                id=f"{monitor_run_id}.{number}" if monitor_run_id else f"{run_id}.{verdict.check_id}",
                check_id=verdict.check_id,
                type=verdict.check_type,
                dataset=str(judged.table),
                branch=judged.branch,
                commit_id=judged.commit_id,
                snapshot_id=judged.snapshot_id,
                verdict=verdict.outcome,
                severity=verdict.severity,
                message=verdict.message,
                executed_at=judged.executed_at,
                columns=verdict.columns,
                blocks=verdict.blocks,
                details={**verdict.details, **tiers},
                execution_ms=execution.ms if execution else None,
                shared=execution.shared if execution else False,
                monitor_id=monitor_id,
                monitor_run_id=monitor_run_id,
                run_id=run_id,
            )
        )
    return tuple(found)


def after_run(judged: Judged, observers: Observers) -> tuple[str, ...]:
    """Of a governed run, whose verdicts are in its own record already."""
    return observers.tell(Observed(judged, results_of(judged, run_id=judged.run_id)))
