"""`forge.connect().quality` can do what HTTP can. Python measures, in place of Spark."""

from __future__ import annotations

from typing import Any

import pytest

import forge
from forge.model.errors import ForgeError

CHECK = {"type": "range", "column": "amount", "min": 0, "severity": "warning", "on_failure": ["quarantine"]}


def test_monitors_are_made_changed_run_and_deleted(checked: Any) -> None:
    with forge.connect(checked.root) as f:
        made = f.quality.create_monitor("Orders", "core.orders", checks=[CHECK], sla_target_percentage=90.0)
        assert f.quality.change_monitor("Orders", name="All orders").id == made.id
        assert f.quality.run_monitor("All orders").passed
        (run,) = f.quality.monitor_runs(made.id)
        assert (str(run.status), run.passed) == ("passed", 1)
        assert f.quality.sla(made.id).pass_rate == 100
        assert f.quality.health("core.orders").score == 100
        f.quality.delete_monitor(made.id)
        assert f.quality.monitors() == ()
        with pytest.raises(ForgeError) as caught:
            f.quality.monitor(made.id)
        assert caught.value.code == "E721"


def test_checks_are_looked_at_before_they_are_kept(checked: Any) -> None:
    with forge.connect(checked.root) as f:
        (planned,) = f.quality.validate([CHECK], "core.orders").checks
        assert planned.problem is None
        assert f.quality.validate([{"type": "rang"}]).faults
        assert f.quality.anomalies() == ()


def test_an_incident_is_acknowledged_and_a_remediation_asked_for(checked: Any) -> None:
    (checked.root / "checks" / "orders.yaml").write_text("core.orders:\n  - {type: range, column: amount, min: 15}\n")
    with forge.connect(checked.root) as f:
        assert f.quality.run("core.orders")[0].verdict == "failed"
        (incident,) = f.quality.incidents("core.orders")
        changed = f.quality.change_incident(str(incident.to_dict()["id"]), status="acknowledged", note="looking")
        assert str(changed.status) == "acknowledged"
        asked = f.quality.propose("core.orders", "rollback")
        assert str(asked.status) == "nothing", "it never passed"
        assert [one.id for one in f.quality.remediations("core.orders")] == [asked.id]
