"""Observers of a judged dataset: store results, record metrics, move alerts, open incidents, propose remediations, in
this order.

No observer changes the verdicts or fails its caller: errors are logged and added to the notes of the result."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from forge.flows.quality.judge import JudgedTable
from forge.model.errors import ForgeError
from forge.model.names import RunId
from forge.quality.monitors.monitor import CheckResult, Monitor

_log = logging.getLogger("forge.quality")


@dataclass(frozen=True, slots=True)
class JudgementEvent:
    """One judged table, and who asked: a monitor, a governed run (`judged.run_id`), or a person."""

    judged: JudgedTable
    results: tuple[CheckResult, ...]
    monitor: Monitor | None = None
    monitor_run_id: str | None = None
    whole: bool = True  # False: only some checks of the table were judged

    @property
    def result_ids(self) -> Mapping[str, str]:
        """By check."""
        return {result.check_id: result.id for result in self.results}


@dataclass(frozen=True, slots=True)
class JudgementObserver:
    """`name`: its action in words; `observe` returns remarks for people, usually none."""

    name: str
    observe: Callable[[JudgementEvent], Sequence[str]]


@dataclass(frozen=True, slots=True)
class ObserverChain:
    """In the order of notification."""

    all: tuple[JudgementObserver, ...] = field(default=())

    def notify(self, observed: JudgementEvent) -> tuple[str, ...]:
        """Never raises. Returns the remarks and failures of the observers."""
        notes: list[str] = []
        for observer in self.all:
            try:
                notes += observer.observe(observed)
            except ForgeError as error:
                _log.warning("%s of %s: %s", observer.name, observed.judged.table, error)
                notes.append(f"{observer.name}: {error.line}")
            except Exception as error:  # a bug of ours: the verdicts stay, the log has the trace
                _log.exception("%s of %s", observer.name, observed.judged.table)
                notes.append(f"{observer.name}: {type(error).__name__}: {error}")
        return tuple(notes)


def results_of(
    judged: JudgedTable,
    *,
    monitor_run_id: str | None = None,
    monitor_id: str | None = None,
    run_id: RunId | None = None,
) -> tuple[CheckResult, ...]:
    """One per check, numbered in order; those of a governed run are named by their check."""
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


def after_run(judged: JudgedTable, observers: ObserverChain) -> tuple[str, ...]:
    """For a governed run, whose verdicts are already in its record."""
    return observers.notify(JudgementEvent(judged, results_of(judged, run_id=judged.run_id)))
