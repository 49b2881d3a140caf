"""Changes to branches over HTTP: names, descriptions, protection, archives; and the branches of one dataset."""

from __future__ import annotations

from typing import Any

import pytest
from version_site import API, ORDERS, VersionSite, problem


def change(site: VersionSite, branch: str, **body: object) -> dict[str, Any]:
    answer = site.client.patch(f"{API}/{branch}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.slow
def test_a_branch_gets_another_name_with_all_it_holds(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.branch("fix", description="why")
    made = versions.commit("id,name,amount\n4,d,40\n", branch="fix")
    renamed = change(versions, "fix", name="feature/a")
    assert (renamed["name"], renamed["head_commit"], renamed["description"]) == ("feature/a", made["id"], "why")
    problem(versions.client.get(f"{API}/fix"), 404, "E602")
    assert len(versions.rows("feature%2Fa")) == 4
    versions.branch("other")
    problem(versions.client.patch(f"{API}/other", json={"name": "feature/a"}), 409, "E603")
    problem(versions.client.patch(f"{API}/other", json={"name": "a..b"}), 422, "E604")
    problem(versions.client.patch(f"{API}/main", json={"name": "trunk"}), 409, "E605")
    problem(versions.client.patch(f"{API}/nosuch", json={"name": "x"}), 404, "E602")


def test_what_a_change_leaves_out_stays(versions: VersionSite) -> None:
    versions.branch("fix", description="why")
    protected = change(versions, "fix", is_protected=True, require_approval=False, allowed_mergers=["ben@example.com"])
    assert (protected["is_protected"], protected["require_approval"]) == (True, False)
    described = change(versions, "fix", description="because")
    assert described == {**protected, "description": "because", "updated_at": described["updated_at"]}
    asked = change(versions, "fix", require_approval=None)
    assert (asked["require_approval"], asked["allowed_mergers"]) == (True, ["ben@example.com"])
    free = change(versions, "fix", is_protected=False)
    assert (free["is_protected"], free["require_approval"], free["allowed_mergers"]) == (False, False, [])
    problem(versions.client.patch(f"{API}/fix", json={"allowed_mergers": ["a"]}), 422, "E105")
    problem(versions.client.patch(f"{API}/fix", json={"colour": "red"}), 422, "E105")
    assert change(versions, "fix") == versions.get("/fix")


def test_a_branch_is_archived_and_restored(versions: VersionSite) -> None:
    versions.branch("fix")
    assert change(versions, "fix", status="archived")["status"] == "archived"
    assert [branch["name"] for branch in versions.get("", status="archived")["items"]] == ["fix"]
    assert change(versions, "fix", status="active")["status"] == "active"
    problem(versions.client.patch(f"{API}/main", json={"status": "archived"}), 409, "E605")
    problem(versions.client.patch(f"{API}/fix", json={"status": "merged"}), 422, "E105")


def test_a_protected_branch_is_neither_renamed_nor_deleted(versions: VersionSite) -> None:
    versions.branch("fix")
    change(versions, "fix", is_protected=True)
    problem(versions.client.patch(f"{API}/fix", json={"name": "other"}), 409, "E608")
    problem(versions.client.delete(f"{API}/fix", params={"force": True}), 409, "E608")


# of one dataset


@pytest.mark.slow
def test_a_branch_of_a_dataset_is_deleted_unless_it_changed_another(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.commit("id,qty\n1,5\n", table="core.items")
    path = f"{API}/datasets/core.orders/branches"
    assert versions.client.post(path, json={"name": "one"}).status_code == 201
    versions.commit("id,name,amount\n4,d,40\n", branch="one")
    problem(versions.client.delete(f"{API}/one"), 409, "E607")
    assert versions.client.delete(f"{path}/one").status_code == 204
    versions.branch("two")
    versions.commit("id,qty\n2,6\n", branch="two", table="core.items")
    told = problem(versions.client.delete(f"{path}/two"), 409, "E607")
    assert "core.items" in told["detail"]
    assert versions.client.delete(f"{path}/two", params={"force": True}).status_code == 204
    problem(versions.client.post(f"{API}/datasets/core.no/branches", json={"name": "x"}), 404, "E108")
