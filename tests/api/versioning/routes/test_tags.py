"""Tags over HTTP."""

from __future__ import annotations

import pytest
from version_site import API, ORDERS, VersionSite, problem


@pytest.mark.slow
def test_a_tag_stays_at_its_commit(versions: VersionSite) -> None:
    first = versions.commit(ORDERS)
    made = versions.client.post(f"{API}/tags", json={"name": "release/v1", "message": "The first"})
    assert made.status_code == 201
    tag = made.json()
    assert (tag["name"], tag["target"], tag["target_type"], tag["message"]) == (
        "release/v1",
        first["id"],
        "commit",
        "The first",
    )
    assert tag["tagger"]["email"] == "ada@example.com"
    versions.commit("id,name,amount\n4,d,40\n")
    for spelling in ("release%2Fv1", "release/v1"):
        assert versions.get(f"/tags/{spelling}") == tag
        assert len(versions.get(f"/datasets/core.orders/commits/{spelling}/data")["rows"]) == 3
    listed = versions.get("/tags")
    assert (listed["items"], listed["total_count"]) == ([tag], 1)
    assert versions.client.delete(f"{API}/tags/release%2Fv1").status_code == 204
    problem(versions.client.get(f"{API}/tags/release%2Fv1"), 404, "E614")


@pytest.mark.slow
def test_a_tag_is_moved_only_by_force(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.post("/tags", name="v1")
    second = versions.commit("id,name,amount\n4,d,40\n")
    problem(versions.client.post(f"{API}/tags", json={"name": "v1"}), 409, "E615")
    assert versions.post("/tags", name="v1", force=True)["target"] == second["id"]


def test_what_a_protected_branch_holds_keeps_its_tags(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.post("/tags", name="v1")
    assert versions.client.patch(f"{API}/main", json={"is_protected": True}).status_code == 200
    problem(versions.client.post(f"{API}/tags", json={"name": "v1", "force": True}), 409, "E608")
    problem(versions.client.delete(f"{API}/tags/v1"), 409, "E608")


def test_a_tag_that_cannot_be_is_refused_with_the_reason(versions: VersionSite) -> None:
    problem(versions.client.post(f"{API}/tags", json={"name": "v1"}), 404, "E606")
    versions.commit(ORDERS)
    problem(versions.client.post(f"{API}/tags", json={"name": "a..b"}), 422, "E604")
    problem(versions.client.post(f"{API}/tags", json={"name": "v1", "target": "nosuch"}), 404, "E601")
    problem(versions.client.post(f"{API}/tags", json={"name": "a\x00b"}), 422, "E105")


@pytest.mark.slow
def test_a_branch_called_like_a_route_is_reached_by_its_full_name(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.branch("tags")
    assert versions.get("/refs%2Fheads%2Ftags")["name"] == "tags"
    assert len(versions.get("/refs%2Fheads%2Ftags/commits")["items"]) == 1
    assert versions.client.delete(f"{API}/refs%2Fheads%2Ftags").status_code == 204
    problem(versions.client.get(f"{API}/refs%2Fheads%2Ftags"), 404, "E602")
