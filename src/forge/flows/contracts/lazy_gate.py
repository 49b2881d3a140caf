"""Contract violations computed on first use by a gate."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forge.flows.contracts.facts import Versions
    from forge.flows.contracts.judge import Findings
    from forge.flows.runs.project import Project


def gated(project: Project, versions: Callable[[], Versions]) -> Callable[[], Findings]:
    """Violations of a project's contracts, by table, computed when a gate first asks: E500, lint, E510 and E511, E520
    against the registry. Tables are built by parallel threads: the first computes them for all."""
    lock = Lock()

    @cache
    def judge() -> Findings:
        from forge.flows.contracts.judge import find_gated

        return find_gated(project, versions())

    def judge_once() -> Findings:
        with lock:
            return judge()

    return judge_once
