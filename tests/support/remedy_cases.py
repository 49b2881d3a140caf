"""What tests of remediation share: a table with one bad row, and what is done about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kept_folder import KeptFolder
from remedy_world import RemedyWorld, make_remedy_world

from forge.flows.quality.remediation.proposal import observe_failures
from forge.model.errors import ForgeError
from forge.quality.check import Check
from forge.quality.checks import RangeCheck
from forge.quality.remediation import Remediation
from forge.quality.remedy import load_actions
from forge.quality.verdict import Outcome

ORDERS, SIDE = "core.orders", "core.orders_quarantine"
GOOD = [{"id": 1, "amount": 10, "day": "a"}, {"id": 2, "amount": 20, "day": "b"}]
BAD = [{"id": 3, "amount": -5, "day": "c"}, {"id": 4, "amount": 40, "day": "d"}]


def bad_world(folder: KeptFolder) -> RemedyWorld:
    """Four orders in two commits, one of them with an amount below 0."""

    def make(root: Path) -> None:
        world = make_remedy_world(root)
        world.commit(ORDERS, GOOD)
        world.commit(ORDERS, BAD)
        world.world.close()

    return make_remedy_world(folder.lay("bad", make), hours=1)


def in_range(actions: object = "quarantine", **options: Any) -> RangeCheck:
    return RangeCheck(column="amount", min=0, on_failure=load_actions(actions), **options)


def ids(world: RemedyWorld, at: str = "main", table: str = ORDERS) -> list[Any]:
    return sorted(row["id"] for row in world.world.rows(table, at))


def observe(world: RemedyWorld, *checks: Check) -> Remediation:
    """What comes of it where the project has these checks, one of which fails."""
    world.check(ORDERS, *checks)
    (made,) = observe_failures(world.judge(ORDERS), world.ports)
    return made


def refused(act: Callable[[], object]) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        act()
    return caught.value


def outcomes(world: RemedyWorld, at: str = "main") -> list[Outcome]:
    return [verdict.outcome for verdict in world.judge(ORDERS, at).verdicts]
