"""Code that was read for its lineage, over HTTP: what was understood of it, what was not, and where runs differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from code_site import keep_sources, lay_code_project, many_sources, see_runs
from fastapi.testclient import TestClient
from lineage_http import ask, post, reading_headers

from forge.api.app import create_app
from forge.flows.lineage.code.ingest import ingest
from forge.flows.upkeep.access import digest_of
from forge.lineage.extract.codebase import read_sequentially

SECRET = "forge_secret"
ADDRESS = "http://127.0.0.1:8765"
MANY = 8  # of another folder
DAILY = "jobs/daily.sql"
REVENUE = "core.orders.amount->marts.daily.revenue#aggregated"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A project whose folder `jobs` was read, and whose runs were seen."""
    wiring = lay_code_project(tmp_path_factory.mktemp("code") / "shop")
    ingest(wiring.lineage.ingest(read_sequentially), wiring.root / "jobs", root="jobs")
    keep_sources(wiring, *many_sources(MANY))
    see_runs(wiring)
    app = create_app(wiring, login_digest=digest_of(SECRET))
    with TestClient(app, base_url=ADDRESS, headers={"authorization": f"Bearer {SECRET}"}) as client:
        yield client


def paths(client: TestClient, **query: Any) -> list[str]:
    return [one["path"] for one in ask(client, "/sources", **query)["items"]]


def test_a_project_without_code_has_empty_lists_and_no_time(tmp_path: Path) -> None:
    app = create_app(lay_code_project(tmp_path / "shop"), login_digest=digest_of(SECRET))
    with TestClient(app, base_url=ADDRESS, headers={"authorization": f"Bearer {SECRET}"}) as client:
        empty = ask(client, "/sources")
        assert (empty["items"], empty["total_count"]) == ([], 0)
        assert (empty["totals"]["files"], empty["totals"]["languages"], empty["totals"]["read_at"]) == (0, [], None)
        assert ask(client, "/sources/gaps")["items"] == []
        found = ask(client, "/sources/disagreements")
        assert (found["items"], found["tables"], found["agreed"]) == ([], 0, 0)


def test_the_sums_are_those_of_all_files_whatever_is_filtered(own: TestClient) -> None:
    totals = ask(own, "/sources", query="nothing is called so")["totals"]
    assert totals == ask(own, "/sources")["totals"]
    files = ask(own, "/sources")["items"]
    assert totals["files"] == len(files) == MANY + 3
    for name in ("statements", "understood", "queries", "edges", "gaps"):
        assert totals[name] == sum(one[name] for one in files)
    languages = {one["language"]: one for one in totals["languages"]}
    assert (languages["dbt"]["files"], languages["python"]["files"], languages["sql"]["files"]) == (2, 2, MANY - 2 + 1)
    assert sum(one["edges"] for one in languages.values()) == totals["edges"]
    assert totals["read_at"] == max(one["read_at"] for one in files)


def test_files_come_in_pages_that_hold_each_once(own: TestClient) -> None:
    seen: list[str] = []
    page: dict[str, Any] = {"next_cursor": None, "has_more": True}
    while page["has_more"]:
        page = ask(own, "/sources", limit=4, **({"cursor": page["next_cursor"]} if page["next_cursor"] else {}))
        assert len(page["items"]) <= 4
        assert page["total_count"] == MANY + 3
        seen += [one["id"] for one in page["items"]]
    assert len(seen) == len(set(seen)) == MANY + 3


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"query": "TABLE_00", "sort": "path", "limit": 3}, [f"table_00{number}" for number in range(3)]),
        ({"query": "jobs/old"}, ["broken"]),  # the folder that was given counts too
        ({"language": "dbt", "sort": "path"}, ["table_000", "table_004"]),
        ({"language": "cobol"}, []),
        ({"query": "warehouse", "gaps": True, "sort": "path"}, ["table_000", "table_003", "table_006"]),
        ({"query": "warehouse", "gaps": True, "language": "dbt"}, ["table_000"]),
    ],
)
def test_files_are_filtered(own: TestClient, query: dict[str, Any], found: list[str]) -> None:
    assert [Path(path).stem for path in paths(own, **query)] == found


def test_the_least_understood_come_first_and_the_order_can_be_turned(own: TestClient) -> None:
    usual = ask(own, "/sources")["items"]
    assert usual[0]["path"] == "old/broken.py"
    assert [one["coverage"] for one in usual] == sorted(one["coverage"] for one in usual)
    for word in ("path", "coverage", "gaps", "edges"):
        there = paths(own, sort=word)
        assert paths(own, sort=word, reverse=True) == there[::-1]
    gaps = [one["gaps"] for one in ask(own, "/sources", sort="gaps")["items"]]
    assert gaps == sorted(gaps, reverse=True)
    edges = [one["edges"] for one in ask(own, "/sources", sort="edges")["items"]]
    assert edges == sorted(edges, reverse=True)


def test_a_file_has_its_gaps_with_their_lines_and_its_tables(own: TestClient) -> None:
    found = ask(own, f"/sources/{DAILY}")
    assert (found["id"], found["root"], found["path"], found["language"]) == (DAILY, "jobs", "daily.sql", "sql")
    assert (found["statements"], found["understood"], found["gaps"]) == (4, 3, 1)
    (gap,) = found["gap_list"]
    assert (gap["line"], gap["code"]) == (12, "MERGE INTO marts.daily USING;")
    assert gap["reason"]
    assert {"raw.orders", "core.orders", "marts.daily"} <= set(found["tables"])
    # The slashes of its path may be written as browsers do.
    assert ask(own, f"/sources/{DAILY.replace('/', '%2F')}") == found


def test_a_file_that_was_not_read_names_the_nearest(own: TestClient) -> None:
    answer = own.get("/api/v1/lineage/sources/jobs/dayly.sql")
    told = answer.json()
    assert (answer.status_code, told["code"]) == (404, "FORGE-E816")
    assert "jobs/dayly.sql" in told["detail"]
    assert told["fix"] == f"Did you mean {DAILY}?"
    far = own.get("/api/v1/lineage/sources/x").json()
    assert far["fix"] == "Read it: forge ingest PATH"


def test_gaps_are_found_by_path_by_reason_and_by_line(own: TestClient) -> None:
    everything = ask(own, "/sources/gaps")
    assert everything["total_count"] == ask(own, "/sources")["totals"]["gaps"]
    (broken,) = ask(own, "/sources/gaps", query="old/BROKEN")["items"]
    assert (broken["source_id"], broken["code"]) == ("jobs/old/broken.py", "def nightly(:")
    assert ask(own, "/sources/gaps", query="pivot over")["total_count"] == 3
    (one,) = ask(own, "/sources/gaps", query="sum(q_3)")["items"]
    assert (one["path"], one["root"], one["line"]) == ("models/part_03/table_003.sql", "warehouse", 10)
    first = ask(own, "/sources/gaps", limit=2)
    rest = ask(own, "/sources/gaps", limit=100, cursor=first["next_cursor"])
    assert first["items"] + rest["items"] == everything["items"]


def test_a_gap_without_a_line_has_none(tmp_path: Path) -> None:
    wiring = lay_code_project(tmp_path / "shop")
    record = many_sources(1)[0]
    keep_sources(wiring, replace(record, gaps=(replace(record.gaps[0], line=0, code=""),)))
    app = create_app(wiring, login_digest=digest_of(SECRET))
    with TestClient(app, base_url=ADDRESS, headers={"authorization": f"Bearer {SECRET}"}) as client:
        (gap,) = ask(client, "/sources/gaps")["items"]
        assert (gap["line"], gap["code"]) == (None, "")


def test_edges_that_only_one_side_tells_are_listed_with_their_place(own: TestClient) -> None:
    found = ask(own, "/sources/disagreements")
    assert (found["tables"], found["agreed"], found["total_count"]) == (1, 1, 3)
    told = {(one["source"], one["target"]): one for one in found["items"]}
    assert all(one["table"] == "marts.daily" for one in told.values())
    run = told["core.rebates.discount", "marts.daily.revenue"]
    assert (run["said_by"], run["producer"]) == ("runs", "table:marts.daily")
    code = told["core.orders.ordered_at", "marts.daily.day"]
    assert (code["said_by"], code["producer"]) == ("code", f"code:{DAILY}")
    assert code["place"].endswith("daily.sql:6")
    assert ("core.orders.amount", "marts.daily.revenue") not in told
    for one in told.values():  # each is an edge that can be asked for
        edge = ask(own, "/edges", id=one["id"])
        assert (edge["source"], edge["target"]) == (one["source"], one["target"])
    assert len(ask(own, "/sources/disagreements", limit=2)["items"]) == 2


def test_an_edge_of_code_and_runs_is_confirmed_and_one_of_code_is_not(own: TestClient) -> None:
    assert ask(own, "/edges", id=REVENUE)["confirmed"] is True
    assert ask(own, "/edges", id="raw.orders.amount->core.orders.amount#copied")["confirmed"] is False


def test_what_is_inside_a_program_is_in_the_graph_on_request_with_the_name_it_has_there(own: TestClient) -> None:
    def inside(**query: Any) -> dict[str, Any]:
        found = ask(own, "/graph", root_id="marts.daily.revenue", direction="upstream", **query)
        return {one["name"]: one for one in found["nodes"] if one["attributes"].get("intermediate")}

    assert inside() == {}
    (paid,) = inside(intermediate=True).values()
    assert (paid["name"], paid["type"]) == ("paid", "table")
    known = paid["attributes"]
    assert (known["kind"], known["label"], known["source_line"]) == ("cte", "paid", 7)
    assert known["source_file"].endswith("daily.sql")
    assert not known["external"]


def test_code_that_did_not_change_is_not_read_again(own: TestClient) -> None:
    done = post(own, "/ingest", {"path": "jobs"}, 200)
    assert (done["root"], done["files"], done["read"], done["unchanged"]) == ("jobs", 3, 0, 3)
    assert done["recorded"] == {"added": 0, "changed": 0, "closed": 0, "seen_again": 0}
    assert done["edges"] == sum(one["edges"] for one in ask(own, "/sources", query="jobs/")["items"])


@pytest.mark.parametrize("path", ["..", "../other", "/etc", "jobs/../..", "/"])
def test_a_path_outside_the_project_is_refused(own: TestClient, path: str) -> None:
    told = post(own, "/ingest", {"path": path}, 404)
    assert told["code"] == "FORGE-E816"
    assert "not in the project" in told["detail"]


def test_a_link_that_leads_out_of_the_project_is_refused(tmp_path: Path) -> None:
    wiring = lay_code_project(tmp_path / "shop")
    (tmp_path / "secrets").mkdir()
    (wiring.root / "away").symlink_to(tmp_path / "secrets")
    app = create_app(wiring, login_digest=digest_of(SECRET))
    with TestClient(app, base_url=ADDRESS, headers={"authorization": f"Bearer {SECRET}"}) as client:
        assert "not in the project" in post(client, "/ingest", {"path": "away"}, 404)["detail"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"path": "nowhere"}, 404, "FORGE-E816"),
        ({"path": "jobs", "dialect": "cobol"}, 422, "FORGE-E822"),
        ({"path": ""}, 422, "FORGE-E105"),
        ({}, 422, "FORGE-E105"),
        ({"path": "jobs", "every": 1}, 422, "FORGE-E105"),
    ],
)
def test_a_wrong_wish_to_read_is_told(own: TestClient, body: dict[str, Any], status: int, code: str) -> None:
    assert post(own, "/ingest", body, status)["code"] == code


@pytest.mark.parametrize("query", ["?sort=size", "?limit=0", "?cursor=zzz", "?gaps=perhaps"])
def test_a_wrong_question_is_told(own: TestClient, query: str) -> None:
    answer = own.get(f"/api/v1/lineage/sources{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "FORGE-E105")


READS = ("/sources", "/sources/gaps", "/sources/disagreements", f"/sources/{DAILY}")


def test_reading_needs_a_token_and_having_code_read_one_that_may_write(own: TestClient) -> None:
    reader, nobody = reading_headers(own), {"authorization": "Bearer forge_wrong"}
    for path in READS:
        assert own.get(f"/api/v1/lineage{path}", headers=nobody).status_code == 401
        assert own.get(f"/api/v1/lineage{path}", headers=reader).status_code == 200
    for headers, status in ((nobody, 401), (reader, 403)):
        assert own.post("/api/v1/lineage/ingest", json={"path": "jobs"}, headers=headers).status_code == status


@pytest.mark.parametrize("path", ["nowhere", "0" * 1000, "a/" * 400])
def test_a_path_that_no_file_can_have_is_not_found(client: TestClient, path: str) -> None:
    answer = client.post("/api/v1/lineage/ingest", json={"path": path})
    assert (answer.status_code, answer.json()["code"]) == (404, "FORGE-E816")
