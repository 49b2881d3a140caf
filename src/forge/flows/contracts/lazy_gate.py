"""When what contracts themselves violate is worked out: not before a gate asks."""

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
    """What the contracts of a project themselves violate, by table, worked out when a gate asks first: E500, the
    linter, E510 and E511, E520 against what is registered. Tables are built by several threads: the first one works
    it out for all."""
    lock = Lock()

    @cache
    def judge() -> Findings:
        from forge.flows.contracts.judge import find_gated

        return find_gated(project, versions())

    def judge_once() -> Findings:
        with lock:
            return judge()

    return judge_once
