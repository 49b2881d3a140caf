"""Assets over HTTP: crawled by a job, registered, documented, undone, approved; what may not be changed is not."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from version_site import ORDERS, VersionSite, open_version_site, problem

from forge.flows.upkeep.access import TokenScope

API = "/api/v1/catalog"
ASSET = f"{API}/assets/core.orders"
YAML = """
project: shop
user: {name: Ada, email: ada@example.com}
versioning: {keys: {core.orders: [id]}}
catalog: {domains: {finance: {required: [owner], approval: true, approvers: [grace@example.com]}}}
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VersionSite]:
    with open_version_site(tmp_path / "shop") as opened:
        opened.commit(ORDERS)
        scan(opened)
        yield opened


def scan(site: VersionSite, **body: object) -> dict[str, Any]:
    answer = site.client.post(f"{API}/scan", json=body)
    assert answer.status_code == 202, answer.text
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        run: dict[str, Any] = site.client.get(answer.headers["location"]).json()
        if run["status"] not in ("queued", "running"):
            return run
        time.sleep(0.02)
    raise AssertionError("the scan did not end")


def answer_of(response: httpx.Response, status: int = 200) -> Any:
    assert response.status_code == status, response.text
    return response.json()


def edit(site: VersionSite, **fields: object) -> Any:
    return answer_of(site.client.patch(ASSET, json=fields))


def test_a_scan_is_a_job_and_brings_what_the_lake_has(site: VersionSite) -> None:
    assert scan(site, sources=["lake"])["status"] == "succeeded"
    assert scan(site, sources=["nowhere"])["status"] == "failed"
    found = answer_of(site.client.get(ASSET))
    assert (found["source"], found["source_system"], found["catalog_state"]) == ("lake", "iceberg", "active")
    assert (found["version"], found["documentation_version"], found["commit"]) == (1, 0, site.head())


def test_all_faces_say_what_a_person_said(site: VersionSite) -> None:
    outcome = edit(
        site,
        description="# All orders",
        owner="grace",
        team="sales",
        stewards=["eve"],
        tags=["gold"],
        classification="confidential",
        domain="sales",
        deprecated="use core.sales",
        terms=["order"],
        primary_key=["id"],
        columns={"AMOUNT": {"description": "in euros", "tags": ["money"], "term": "net"}},
        expected_version=0,
    )
    assert (outcome["edit"]["by"], outcome["asset"]["documentation_version"]) == ("ada@example.com", 1)
    found = answer_of(site.client.get(ASSET))
    said = ("description", "owner", "team", "stewards", "tags", "classification", "domain", "terms", "primary_key")
    assert [found[key] for key in said] == [
        "# All orders",
        "grace",
        "sales",
        ["eve"],
        ["gold"],
        "confidential",
        "sales",
        ["order"],
        ["id"],
    ]
    amount = next(column for column in found["schema"] if column["name"] == "amount")
    assert (amount["description"], amount["tags"], amount["term"]) == ("in euros", ["money"], "net")
    assert found["origins"]["owner"] == "edit"
    domains = {"items": [{"name": "sales", "assets": 1}], "next_cursor": None, "has_more": False, "total_count": 1}
    assert answer_of(site.client.get(f"{API}/domains")) == domains
    tags = answer_of(site.client.get(f"{API}/tags", params={"prefix": "g"}))["items"]
    assert {one["name"] for one in tags} == {"gold"}
    first, rest = {"limit": 1}, {"offset": 1}
    page = answer_of(site.client.get(f"{API}/tags", params=first))
    every = answer_of(site.client.get(f"{API}/tags"))["items"]
    assert (page["items"], page["has_more"]) == (every[:1], True)
    for following in (rest, {"cursor": page["next_cursor"]}):
        assert answer_of(site.client.get(f"{API}/tags", params=following))["items"] == every[1:]


def test_an_edit_is_in_the_history_and_can_be_undone(site: VersionSite) -> None:
    edit(site, owner="grace")
    edit(site, owner="eve", team="x")
    undone = answer_of(site.client.post(f"{ASSET}/undo", json={"expected_version": 2}))
    assert (undone["asset"]["owner"], undone["edit"]["undoes"]) == ("grace", 2)
    history = answer_of(site.client.get(f"{ASSET}/history"))["items"]
    assert [one["documentation_version"] for one in history] == [3, 2, 1]
    assert (history[1]["before"], history[1]["after"]) == (
        {"owner": "grace", "team": None},
        {"owner": "eve", "team": "x"},
    )
    assert answer_of(site.client.get(f"{ASSET}/history", params={"limit": 1}))["has_more"]
    problem(site.client.post(f"{ASSET}/undo", json={"documentation_version": 9}), 404, "E856")


def test_a_stale_edit_is_409_with_the_current_version(site: VersionSite) -> None:
    edit(site, owner="grace", expected_version=0)
    stale = problem(site.client.patch(ASSET, json={"owner": "eve", "expected_version": 0}), 409, "E853")
    assert stale["current_version"] == 1
    assert answer_of(site.client.get(ASSET))["owner"] == "grace"


def test_edits_at_once_lose_nothing(site: VersionSite) -> None:
    def work(number: int) -> int:
        conflicts = 0
        while True:
            found = answer_of(site.client.get(ASSET))
            body = {"tags": [*found["tags"], f"t{number}"], "expected_version": found["documentation_version"]}
            response = site.client.patch(ASSET, json=body)
            if response.status_code == 200:
                return conflicts
            problem(response, 409, "E853")
            conflicts += 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))
    found = answer_of(site.client.get(ASSET))
    assert (set(found["tags"]), found["documentation_version"]) == ({f"t{number}" for number in range(8)}, 8)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"row_count": 7}, 409, "E852"),
        ({"schema": []}, 409, "E852"),
        ({"type": "view"}, 409, "E852"),
        ({"columns": {"amount": {"type": "int"}}}, 422, "E105"),
        ({"columns": {"nothing": {"description": "x"}}}, 422, "E851"),
        ({"ownr": "x"}, 422, "E851"),
        ({"classification": "secret"}, 422, "E105"),
        ({"tags": ["x" * 1001]}, 422, "E851"),
        ({"description": "x" * 1_000_001}, 422, "E851"),
        ({"expected_version": -1}, 422, "E105"),
        ({"owner": 7}, 422, "E105"),
    ],
    ids=str,
)
def test_what_cannot_be_edited_is_refused(site: VersionSite, body: dict[str, Any], status: int, code: str) -> None:
    problem(site.client.patch(ASSET, json=body), status, code)
    assert answer_of(site.client.get(ASSET))["documentation_version"] == 0


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "a\u202eb\u2066c", "a\x1b[31mb\x07", "x" * 1_000_000, "'; DROP TABLE x; --"]
)
def test_a_hostile_description_comes_back_as_text(site: VersionSite, text: str) -> None:
    edit(site, description=text, tags=[text[:20]])
    response = site.client.get(ASSET)
    assert response.headers["content-type"] == "application/json"
    found = answer_of(response)
    assert (found["description"], found["tags"]) == (text, [text[:20]])


def test_a_field_of_a_file_is_shown_and_refused(site: VersionSite) -> None:
    folder = site.root / "catalog"
    folder.mkdir()
    (folder / "core.yaml").write_text("assets:\n  core.orders:\n    owner: of the file\n")
    found = answer_of(site.client.get(ASSET))
    assert (found["owner"], found["origins"]["owner"]) == ("of the file", "file catalog/core.yaml:3")
    refused = problem(site.client.patch(ASSET, json={"owner": "x"}), 409, "E854")
    assert refused["where"] == "catalog/core.yaml:3"


def test_an_edit_of_a_domain_waits_for_somebody_else(tmp_path: Path) -> None:
    with open_version_site(tmp_path / "shop", YAML) as site:
        site.commit(ORDERS)
        scan(site)
        problem(site.client.patch(ASSET, json={"domain": "finance"}), 422, "E851")
        outcome = edit(site, domain="finance", owner="ada")
        assert outcome["edit"] is None
        proposal = outcome["proposal"]["id"]
        problem(site.client.post(f"{API}/proposals/{proposal}/approve"), 403, "E855")
        grace = site.token_of("grace@example.com")
        reader = site.token_of("grace@example.com", TokenScope.READ)
        assert [one["id"] for one in answer_of(site.client.get(f"{API}/proposals"))["items"]] == [proposal]
        problem(site.client.post(f"{API}/proposals/{proposal}/approve", headers=reader), 403, "E904")
        done = answer_of(site.client.post(f"{API}/proposals/{proposal}/approve", headers=grace))
        assert (done["asset"]["domain"], done["edit"]["approved_by"]) == ("finance", "grace@example.com")
        problem(site.client.post(f"{API}/proposals/{proposal}/reject", headers=grace), 409, "E857")
        problem(site.client.post(f"{API}/proposals/none/reject", headers=grace), 404, "E856")
        assert answer_of(site.client.get(f"{API}/proposals"))["items"] == []


def test_assets_that_no_crawler_sees_are_registered_and_upserted(site: VersionSite) -> None:
    item = {
        "qualified_name": "files:bi/weekly.pbix",
        "type": "dashboard",
        "location": "https://bi.example/1",
        "schema": [{"name": "total", "type": "int"}],
        "owner": "grace",
    }
    made = site.client.post(f"{API}/assets", json=item)
    assert answer_of(made, 201)["asset"]["owner"] == "grace"
    found = answer_of(site.client.get(made.headers["location"]))  # a name with a slash
    assert (found["type"], found["commit"], found["version"]) == ("dashboard", "", 0)
    assert [column["name"] for column in found["schema"]] == ["total"]
    answer_of(site.client.post(f"{API}/assets", json={**item, "team": "bi"}), 200)
    batch = {"assets": [{"qualified_name": "core.orders", "owner": "x"}, {"qualified_name": "bi:daily"}]}
    done = answer_of(site.client.post(f"{API}/assets/batch", json=batch))
    assert [one["asset"]["qualified_name"] for one in done] == ["core.orders", "bi:daily"]
    wrong = {"assets": [{"qualified_name": "bi:new"}, {"qualified_name": "core.orders", "row_count": 7}]}
    problem(site.client.post(f"{API}/assets/batch", json=wrong), 409, "E852")
    problem(site.client.get(f"{API}/assets/bi:new"), 404, "E850")


@pytest.mark.parametrize(
    "name", ["x:\u202eabc", "bi/../../weekly", "<img src=x>", "r\u00e9sum\u00e9 100%?a=b#c", "a//b"]
)
def test_any_name_of_one_line_is_registered_and_found_where_its_location_says(site: VersionSite, name: str) -> None:
    made = site.client.post(f"{API}/assets", json={"qualified_name": name})
    assert answer_of(made, 201)["asset"]["id"] == name
    assert answer_of(site.client.get(made.headers["location"]))["id"] == name


@pytest.mark.parametrize("name", ["a\nb: c", "a\rb", "a\tb", "a\x00b", "\n", "a\x85b"])
def test_a_name_of_more_than_one_line_is_refused_and_nothing_is_kept(site: VersionSite, name: str) -> None:
    problem(site.client.post(f"{API}/assets", json={"qualified_name": name}), 422, "E851")
    assert site.wiring.catalog.assets.marks("api") == ()


WRITES = [
    ("POST", "/assets", {"qualified_name": "x:y"}),
    ("POST", "/assets/batch", {"assets": [{"qualified_name": "x:y"}]}),
    ("PATCH", "/assets/core.orders", {"owner": "eve"}),
    ("POST", "/assets/core.orders/undo", {}),
    ("POST", "/proposals/p/approve", {}),
    ("POST", "/proposals/p/reject", {}),
    ("POST", "/scan", {}),
]


def test_who_may_only_read_changes_nothing(site: VersionSite) -> None:
    reader = site.token_of("eve@example.com", TokenScope.READ)
    for method, path, body in WRITES:
        problem(site.client.request(method, f"{API}{path}", json=body, headers=reader), 403, "E904")
        nobody = site.client.request(method, f"{API}{path}", json=body, headers={"authorization": "Bearer nonsense"})
        assert nobody.status_code == 401
    for path in ("/assets/core.orders", "/assets/core.orders/history", "/domains", "/tags", "/proposals"):
        assert site.client.get(f"{API}{path}", headers=reader).status_code == 200
    assert answer_of(site.client.get(ASSET))["documentation_version"] == 0


@pytest.mark.parametrize("name", ["core.nothing", "x" * 1001, "core.orders;x", "pg:db.public.t", "a//b", "%00"])
def test_a_name_that_is_no_asset_is_not_found(site: VersionSite, name: str) -> None:
    for response in (
        site.client.get(f"{API}/assets/{name}"),
        site.client.get(f"{API}/assets/{name}/history"),
        site.client.patch(f"{API}/assets/{name}", json={"owner": "x"}),
    ):
        assert response.status_code in (404, 422), response.text


@pytest.mark.parametrize(
    "body", [[], {"assets": []}, {"assets": [{"qualified_name": f"x:{n}"} for n in range(1001)]}, {"assets": [{}]}]
)
def test_a_bad_batch_is_refused(site: VersionSite, body: object) -> None:
    headers = {"content-type": "application/json"}
    response = site.client.post(f"{API}/assets/batch", content=json.dumps(body), headers=headers)
    assert response.status_code == 422, response.text
