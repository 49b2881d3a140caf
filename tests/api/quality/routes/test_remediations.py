"""Remediations over HTTP: proposed, looked at, approved, rejected, taken back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from remedy_world import failing_rows
from version_site import ORDERS, YAML, Engine, VersionSite, open_version_site, problem

from forge.flows.runs.records import BranchAdvance
from forge.flows.upkeep.access import TokenScope
from forge.model.names import BranchName, CommitId
from forge.stores.lake.arrow.repair import ArrowRepair
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.lake.tables import IcebergTables

API = "/api/v1/quality/remediations"
CHECKS = """
checks:
  core.orders:
    - {type: range, column: amount, max: 25, severity: warning, on_failure: [quarantine]}
    - {type: not_null, column: name, severity: warning}
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    (tmp_path / "quality").mkdir()
    (tmp_path / "quality" / "orders.yaml").write_text(CHECKS)
    with open_version_site(tmp_path, YAML) as site:
        engine, lake = cast(Engine, site.wiring.engine), cast(IcebergLake, site.wiring.lake)
        site.wiring.quality.__dict__["driver_repair"] = ArrowRepair(
            cast(IcebergTables, site.wiring.versioning.tables),
            lambda pin, failing: failing_rows(engine, lake, pin, failing),
        )
        site.commit(ORDERS)
        yield site


def propose(site: VersionSite, status: int = 201, **body: object) -> dict[str, Any]:
    answer = site.client.post(API, json={"dataset_id": "core.orders", **body})
    assert answer.status_code == status, answer.text
    found: dict[str, Any] = answer.json()
    return found


def decide(site: VersionSite, made: dict[str, Any], what: str, as_: dict[str, str] | None = None) -> dict[str, Any]:
    answer = site.client.post(f"{API}/{made['id']}/{what}", json={"comment": "so"}, headers=as_)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.slow
def test_what_the_checks_ask_for_is_proposed_and_approved(site: VersionSite) -> None:
    made = propose(site)
    assert (made["status"], made["preview_branch"]) == ("proposed", f"remedy/{made['id']}")
    assert made["steps"] == [{"action": "quarantine", "options": {}, "check_ids": ["core.orders.amount.range"]}]
    assert made["counts"][0] == {"table": "core.orders", "added": 0, "changed": 0, "deleted": 1}
    assert made["can_approve"] is True
    assert site.client.get(f"{API}/{made['id']}").json() == made
    done = decide(site, made, "approve", site.token_of("ben@example.com"))
    assert (done["status"], done["decided_by"], done["comment"]) == ("applied", "ben@example.com", "so")
    assert done["commit"] == site.head()
    assert site.rows() == [[1, "a", 10.5], [2, "b", 20.0]]
    assert [one["id"] for one in site.client.get(API, params={"status": "applied"}).json()["items"]] == [made["id"]]


@pytest.mark.slow
def test_the_preview_shows_rows_before_anything_moves(site: VersionSite) -> None:
    made = propose(site)
    found = site.client.get(f"{API}/{made['id']}/preview").json()
    tables = {one["table"]: one for one in found["tables"]}
    assert (tables["core.orders"]["deleted"], tables["core.orders"]["rows"][0]["before"]["id"]) == (1, 3)
    assert tables["core.orders_quarantine"]["rows"][0]["after"]["forge_checks"] == ["core.orders.amount.range"]
    assert len(site.rows()) == 3


@pytest.mark.slow
def test_personal_data_is_masked_in_the_table_and_in_quarantine(site: VersionSite) -> None:
    metadata, main = site.wiring.metadata, BranchName("main")
    (asset,) = (one for one in metadata.assets() if str(one.table) == "core.orders")
    flagged = replace(asset, columns=tuple({**column, "pii": column["name"] == "name"} for column in asset.columns))
    head = CommitId(site.head() or "")
    metadata.advance(
        BranchAdvance(pointers=(), branch=main, expected_head=head, head=head, assets=(flagged,)), lambda step: None
    )
    made = propose(site)
    found = site.client.get(f"{API}/{made['id']}/preview").json()
    shown = [row["before"] or row["after"] for table in found["tables"] for row in table["rows"]]
    assert [(row["id"], row["name"]) for row in shown] == [(3, None), (3, None)]


@pytest.mark.slow
def test_a_rejected_one_and_one_taken_back(site: VersionSite) -> None:
    made = propose(site)
    assert decide(site, made, "reject")["status"] == "rejected"
    problem(site.client.post(f"{API}/{made['id']}/approve"), 409, "E746")
    again = propose(site, auto=True)
    assert again["status"] == "applied"
    assert decide(site, again, "revert")["status"] == "reverted"
    assert len(site.rows()) == 3


def test_actions_are_read_with_all_their_errors(site: VersionSite) -> None:
    found = problem(
        site.client.post(
            API,
            json={"dataset_id": "core.orders", "actions": [{"action": "impute"}, {"action": "deduplicate"}]},
        ),
        422,
        "E748",
    )
    assert "'method' is missing" in found["why"]
    assert "'order_by' is missing" in found["why"]


@pytest.mark.slow
def test_an_action_by_hand(site: VersionSite) -> None:
    site.commit("id,name,amount\n4,d,\n")
    action = {"action": "impute", "method": "constant", "columns": ["amount"], "value": 4.5}
    made = propose(site, actions=[action])
    assert made["counts"] == [{"table": "core.orders", "added": 0, "changed": 1, "deleted": 0}]
    decide(site, made, "approve")
    assert [4, "d", 4.5] in site.rows()


@pytest.mark.slow
def test_what_would_not_help_is_proposed_and_says_why(site: VersionSite) -> None:
    action = {"action": "impute", "method": "constant", "columns": ["amount"], "value": 99}
    made = propose(site, actions=[action], check_ids=["core.orders.amount.range"], auto=True)
    assert made["status"] == "proposed"
    assert "not done by itself" in made["note"]
    assert len(site.rows()) == 3


def test_code_is_taken_from_files_only(site: VersionSite) -> None:
    for action in ({"action": "custom", "sql": "SELECT 1"}, {"action": "custom", "function": "a.py:b"}):
        problem(site.client.post(API, json={"dataset_id": "core.orders", "actions": [action]}), 422, "E749")


def test_unknown_things_are_told(site: VersionSite) -> None:
    problem(site.client.get(f"{API}/nope"), 404, "E745")
    problem(site.client.post(f"{API}/nope/approve"), 404, "E745")
    problem(site.client.post(API, json={"dataset_id": "core.nope", "actions": ["quarantine"]}), 404, "E108")
    problem(site.client.post(API, json={"dataset_id": "core.orders", "branch": "nope"}), 404, "E602")
    body = {"dataset_id": "core.orders", "check_ids": ["core.orders.amount.rang"], "actions": ["quarantine"]}
    found = problem(site.client.post(API, json=body), 422, "E749")
    assert "core.orders.amount.range" in found["why"]


def test_where_nothing_fails_there_is_nothing_to_remedy(site: VersionSite) -> None:
    body = {"dataset_id": "core.orders", "check_ids": ["core.orders.name.not_null"]}
    problem(site.client.post(API, json=body), 422, "E749")


@pytest.mark.slow
def test_a_token_that_reads_may_look_and_not_decide(site: VersionSite) -> None:
    made = propose(site)
    reader = site.token_of("eve@example.com", TokenScope.READ)
    assert site.client.get(f"{API}/{made['id']}", headers=reader).status_code == 200
    problem(site.client.post(f"{API}/{made['id']}/approve", headers=reader), 403, "E904")


@pytest.mark.slow
def test_who_may_approve_is_shown_and_held(tmp_path: Path) -> None:
    yaml = YAML + "quality: {scheduler: false, remediation: {approvers: [ben@example.com], own: false}}\n"
    with open_version_site(tmp_path, yaml) as site:
        site.commit(ORDERS + "4,d,\n")
        action = {"action": "impute", "method": "mode", "columns": ["amount"]}
        made = propose(site, actions=[action])
        assert made["can_approve"] is False
        assert "ben@example.com" in made["why_not"]
        problem(site.client.post(f"{API}/{made['id']}/approve"), 403, "E747")
        assert decide(site, made, "approve", site.token_of("ben@example.com"))["status"] == "applied"
