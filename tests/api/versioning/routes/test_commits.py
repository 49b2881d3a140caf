"""Uploads, the log as a graph, and rows at a commit over HTTP."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from version_site import API, ORDERS, YAML, VersionSite, open_version_site, problem

from forge.api.versioning import uploads


def parquet(**columns: list[Any]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


# uploads


def test_the_rows_of_a_file_become_a_commit(versions: VersionSite) -> None:
    made = versions.upload(ORDERS, message="First orders")
    assert made.status_code == 201
    done = made.json()
    assert (done["type"], done["table"], done["branch"], done["mode"]) == (
        "committed",
        "core.orders",
        "main",
        "append",
    )
    assert (done["rows_added"], done["commit"]["message"], done["commit"]["id"]) == (
        3,
        "First orders",
        versions.head(),
    )
    assert done["commit"]["author"]["email"] == "ada@example.com"
    run = versions.client.get(f"/api/v1/runs/{done['run_id']}").json()
    assert (run["kind"], run["status"], run["commit"], run["can_rerun"]) == (
        "commit",
        "succeeded",
        done["commit"]["id"],
        False,
    )
    assert versions.rows() == [[1, "a", 10.5], [2, "b", 20.0], [3, "c", 30.0]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("more.csv", b"amount,id,name\n40,4,d\n"),
        ("more.jsonl", json.dumps({"id": 4, "name": "d", "amount": 40.0}).encode()),
        ("more.parquet", parquet(id=[4], name=["d"], amount=[40.0])),
    ],
    ids=["csv", "jsonl", "parquet"],
)
def test_a_file_is_csv_json_lines_or_parquet(versions: VersionSite, file: str, content: bytes) -> None:
    versions.commit(ORDERS)
    assert versions.upload(content, file=file).status_code == 201
    assert versions.rows()[-1] == [4, "d", 40.0]


@pytest.mark.slow
def test_a_dataset_has_commits_of_its_own_route(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.branch("feature/a")
    path = f"{API}/datasets/core.orders/branches/feature%2Fa/commits"
    made = versions.client.post(
        path, data={"mode": "merge", "key": "id"}, files={"file": ("r.csv", b"id,amount\n1,9\n")}
    )
    assert made.status_code == 201
    assert made.json()["rows_modified"] == 1
    assert versions.rows("feature%2Fa")[0] == [1, "a", 9.0]
    assert versions.rows()[0] == [1, "a", 10.5]
    other = versions.client.post(path, data={"table": "core.items"}, files={"file": ("r.csv", b"id\n1\n")})
    problem(other, 422, "E105")


@pytest.mark.parametrize(
    ("mode", "text", "expected"),
    [
        ("append", "id,name,amount\n4,d,40\n", [1, 2, 3, 4]),
        ("overwrite", "id,name,amount\n9,i,90\n", [9]),
        ("merge", "id,name,amount\n3,cc,30\n5,e,50\n", [1, 2, 3, 5]),
        ("delete", "id,name\n1,whatever\n3,whatever\n", [2]),
    ],
)
def test_a_mode_says_what_becomes_of_the_rows(versions: VersionSite, mode: str, text: str, expected: list[int]) -> None:
    versions.commit(ORDERS)
    versions.commit(text, mode=mode)
    assert [row[0] for row in versions.rows()] == expected


def test_a_bad_file_is_refused_whole_with_line_and_reason(versions: VersionSite) -> None:
    head = versions.commit(ORDERS)["id"]
    told = problem(versions.upload("id,name,amount\n4,d,40\n5,e,many\n", file="bad.csv"), 422, "E621")
    assert told["where"] == "bad.csv:3"
    assert "many" in told["detail"]
    problem(versions.upload("id,colour\n4,red\n"), 422, "E621")
    problem(versions.upload("anything", file="rows.xlsx"), 422, "E621")
    assert versions.head() == head


@pytest.mark.parametrize(
    ("form", "files", "code"),
    [
        ({"table": "core.orders"}, {}, "E105"),
        ({"table": "core.orders", "mode": "replace"}, {"file": ("r.csv", b"id\n1\n")}, "E105"),
        ({"table": "core.orders", "colour": "red"}, {"file": ("r.csv", b"id\n1\n")}, "E105"),
        ({}, {"file": ("r.csv", b"id\n1\n")}, "E105"),
        ({"table": "core.orders"}, {"picture": ("r.csv", b"id\n1\n")}, "E105"),
        ({"table": "core.orders", "message": "a\x00b"}, {"file": ("r.csv", b"id\n1\n")}, "E105"),
    ],
    ids=["no file", "bad mode", "unknown part", "no table", "another part", "NUL"],
)
def test_a_form_that_is_not_right_is_refused(
    versions: VersionSite, form: dict[str, str], files: dict[str, Any], code: str
) -> None:
    problem(versions.client.post(f"{API}/main/commits", data=form, files=files), 422, code)
    assert versions.head() is None


def test_a_body_that_is_no_form_is_refused(versions: VersionSite) -> None:
    problem(versions.client.post(f"{API}/main/commits", json={"table": "core.orders"}), 422, "E105")
    for content_type in ("multipart/form-data", "multipart/form-data; boundary=x"):
        headers = {"content-type": content_type}
        problem(versions.client.post(f"{API}/main/commits", content=b"--y\r\nnothing", headers=headers), 422, "E105")


def test_a_file_that_is_too_large_is_refused_before_it_is_read(
    versions: VersionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = {"table": "core.orders"}
    announced = {"content-length": "100100000", "content-type": "multipart/form-data; boundary=x"}
    path = f"{API}/main/commits"
    problem(versions.client.post(path, content=b"", headers=announced), 413, "E622")

    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="r.csv"\r\n\r\n'
        for _ in range(200):
            sent += 1
            yield b"1" * 10_000

    monkeypatch.setattr(uploads.receive, "__kwdefaults__", {"limit": 100_000})
    headers = {"content-type": "multipart/form-data; boundary=x"}
    problem(versions.client.post(path, content=endless(), headers=headers), 413, "E622")
    ok = versions.client.post(path, data=form, files={"file": ("r.csv", ORDERS.encode())})
    assert ok.status_code == 201


def test_an_upload_to_an_unknown_branch_is_not_found(versions: VersionSite) -> None:
    problem(versions.upload(ORDERS, branch="nosuch"), 404, "E602")


def test_rows_that_fail_a_check_are_held_back(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "checks").mkdir(parents=True)
    (root / "checks" / "orders.yaml").write_text("core.orders:\n  - {type: unique, columns: [id]}\n")
    with open_version_site(root, YAML) as site:
        site.commit(ORDERS)
        head = site.head()
        held = site.upload("id,name,amount\n1,again,1\n")
        assert held.status_code == 200, held.text
        found = held.json()
        assert (found["type"], found["commit"], site.head()) == ("blocked", None, head)
        assert [verdict["outcome"] for verdict in found["verdicts"]] == ["failed"]


@pytest.mark.slow
def test_rows_of_a_commit_come_in_pages_that_fit_together(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.commit("id,name,amount\n4,d,40\n5,e,50\n")
    path = "/datasets/core.orders/commits/main/data"
    whole = versions.get(path)
    assert (whole["has_more"], whole["next_cursor"], len(whole["items"])) == (False, None, 5)
    seen, cursor, commits = [], None, set()
    while True:
        page = versions.get(path, limit=2, **({"cursor": cursor} if cursor else {}))
        seen += page["items"]
        commits.add(page["commit"])
        assert [list(item.values()) for item in page["items"]] == page["rows"]
        if not page["has_more"]:
            break
        cursor = page["next_cursor"]
        versions.commit(f"id,name,amount\n{100 + len(seen)},late,1\n")  # main moves on between the pages
    assert seen == whole["items"]
    assert commits == {whole["commit"]}
    assert versions.get(path, limit=2, offset=1)["rows"] != whole["rows"][:2]
    for wrong in ("nonsense", cursor[:-3] if cursor else "", "cjE6MQ"):
        assert versions.client.get(f"{API}{path}", params={"cursor": wrong}).status_code in (400, 404, 422)


# the log


@pytest.mark.slow
def test_the_log_as_a_graph_has_lanes_and_lines(versions: VersionSite) -> None:
    versions.commit(ORDERS)
    versions.branch("fix")
    theirs = versions.commit("id,amount\n1,11\n", branch="fix", mode="merge", message="theirs")
    ours = versions.commit("id,name\n2,bb\n", mode="merge", message="ours")
    merge = versions.post("/merge", source_branch="fix")["merge_commit"]
    items = versions.get("/main/commits", graph=True)["items"]
    assert items[0]["id"] == merge
    assert {edge["to"] for edge in items[0]["edges"]} == {ours["id"], theirs["id"]}
    assert {item["lane"] for item in items} == {0, 1}
    assert items[-1]["edges"] == []
    pages = [versions.get("/main/commits", graph=True, limit=1, offset=n)["items"][0] for n in range(len(items))]
    assert pages == items
    plain = versions.get("/main/commits")["items"]
    assert [(item["lane"], item["edges"]) for item in plain] == [(None, [])] * 4


@pytest.mark.slow
def test_the_graph_of_a_part_of_the_log_leads_to_the_nearest_of_that_part(versions: VersionSite) -> None:
    first = versions.commit(ORDERS)
    versions.commit("id,qty\n1,5\n", table="core.items")
    last = versions.commit("id,name,amount\n4,d,40\n")
    for query in ({"table": "core.orders"}, {"path": "core.orders"}):
        items = versions.get("/main/commits", graph=True, **query)["items"]
        assert [item["id"] for item in items] == [last["id"], first["id"]]
        assert [edge["to"] for edge in items[0]["edges"]] == [first["id"]]
    assert len(versions.get("/main/commits", path="core")["items"]) == 3


# time travel


@pytest.mark.slow
def test_rows_are_those_of_the_commit(versions: VersionSite) -> None:
    first = versions.commit(ORDERS)
    versions.commit("id,name,amount\n1,a,99\n", mode="merge")
    path = f"/datasets/core.orders/commits/{first['id']}/data"
    assert versions.get(path, filter="id=1")["rows"] == [[1, "a", 10.5]]
    assert versions.get(path, filter=["id=1", "name=b"])["rows"] == []
    found = versions.get(path, sql="SELECT name, amount FROM data WHERE id < 3 ORDER BY id", limit=1)
    assert (found["rows"], found["truncated"], found["commit"]) == ([["a", 10.5]], True, first["id"])
    named = versions.get("/datasets/core.orders/commits/main/data", sql="SELECT sum(amount) AS s FROM core.orders")
    assert named["rows"] == [[149.0]]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"filter": "id"}, 422, "E105"),
        ({"filter": "nosuch=1"}, 404, "E108"),
        ({"filter": "id=one"}, 422, "E105"),
        ({"filter": "id=1", "sql": "SELECT 1"}, 422, "E105"),
        ({"sql": "SELECT * FROM core.no"}, 404, "E108"),
        ({"sql": "DELETE FROM data"}, 422, None),
        ({"sql": "this is no SQL"}, 422, None),
        ({"limit": "0"}, 422, "E105"),
    ],
    ids=str,
)
def test_a_question_about_rows_that_cannot_be_answered_is_refused(
    versions: VersionSite, query: dict[str, str], status: int, code: str | None
) -> None:
    head = versions.commit(ORDERS)["id"]
    answer = versions.client.get(f"{API}/datasets/core.orders/commits/main/data", params=query)
    assert answer.status_code == status, answer.text
    if code is not None:
        problem(answer, status, code)
    assert versions.head() == head
