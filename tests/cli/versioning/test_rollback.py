"""Rolling back to the commit that a monitor or a person's `quality run` judged good. Python measures."""

from __future__ import annotations

from typing import Any

import pytest

CHECK = "{type: range, column: amount, min: 0, severity: warning, on_failure: [rollback]}"


@pytest.fixture
def fallen(checked: Any, request: pytest.FixtureRequest) -> Any:
    """core.orders was judged good by hand or by a monitor, another table was written, and then a bad row came."""
    by = request.param
    checks = checked.root / "checks" / "orders.yaml"
    checks.write_text("{}\n")
    if by == "monitor":
        assert checked("quality", "monitor", "create", "Orders", "core.orders", "--check", CHECK).status == 0
        judge = ["quality", "run", "--monitor", "Orders"]
    else:
        checks.write_text(f"core.orders:\n  - {CHECK}\n")
        judge = ["quality", "run", "core.orders"]
    ended = checked(*judge)
    assert ended.status == 0, ended.err
    checked.commit("id\n1\n", table="core.other", name="other.csv")
    checked.commit("order_id,customer,amount,status\n9,di,-1,new\n", "--mode", "append")
    assert checked(*judge, "--fail-on", "warning").status == 1
    return checked


@pytest.mark.slow
@pytest.mark.parametrize("fallen", ["monitor", "quality run"], indirect=True)
def test_the_commit_that_was_judged_good_is_found_and_taken(fallen: Any) -> None:
    (proposed,) = fallen("quality", "remediate", "list", "--json").json["remediations"]
    assert proposed["status"] == "proposed", proposed
    ended = fallen("quality", "remediate", "approve", proposed["id"], "--json")
    assert ended.status == 0, ended.err
    assert [row["order_id"] for row in fallen.rows("main")] == [1, 2, 3]
