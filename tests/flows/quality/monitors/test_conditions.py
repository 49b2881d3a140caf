"""What a monitor that is in no file of the project may ask for: conditions of the row alone, and no code."""

from __future__ import annotations

import pytest
from monitor_world import MonitorWorld

from forge.flows.quality.monitors.store import change_monitor, draft_monitor
from forge.model.errors import ForgeError


@pytest.mark.parametrize(
    "condition",
    [
        "id in (SELECT value FROM text.`/etc/passwd`)",
        "id > (TABLE text.`/etc/passwd`)",
        "id > ( -- so\n table core.others)",
        "id > (/* /* x */ y */ table core.others)",
    ],
)
def test_a_condition_that_holds_a_query_is_refused(condition: str) -> None:
    world = MonitorWorld()
    checks = [{"type": "not_null", "column": "id", "where": condition}, {"type": "expression", "sql": condition}]
    _, faults = draft_monitor({"name": "A", "dataset": "core.orders", "checks": checks}, world.ports)
    assert [fault.path for fault in faults] == ["checks[0].where", "checks[1].sql"]
    monitor = world.monitor()
    with pytest.raises(ForgeError) as error:
        change_monitor(monitor.id, {"checks": checks[:1]}, world.ports)
    assert error.value.code == "E720"


@pytest.mark.parametrize("condition", ["extract(year from at) > 2020", "a is distinct from b", "status <> 'selected'"])
def test_a_condition_of_the_row_is_taken(condition: str) -> None:
    world = MonitorWorld()
    checks = [{"type": "expression", "sql": condition}, {"type": "query", "query": "SELECT id FROM core.orders"}]
    _, faults = draft_monitor({"name": "A", "dataset": "core.orders", "checks": checks}, world.ports)
    assert faults == ()
