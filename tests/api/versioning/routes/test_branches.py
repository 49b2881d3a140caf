"""Branches and commits over HTTP."""

from __future__ import annotations

import random
import subprocess
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event

from forge.flows.runs.records import AuditRecord, Publication, PublishedCommit, RunRecord, RunStatus
from forge.flows.versioning.branches import create_default_branch
from forge.model.names import BranchName, CatalogName, CommitId, RunId, SnapshotId, TableName
from forge.stores.sql.database import migrate, open_database
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.branch import Branch
from forge.versioning.commit import Author, Commit, TableStatistics, TableVersion, make_commit
from forge.wiring import Wiring

API = "/api/v1/branches"
START = datetime(2026, 11, 1, tzinfo=UTC)
ADA = Author("Ada", "ada@example.com")
MAIN = BranchName("main")
ORDERS, PEOPLE = TableName("core", "orders"), TableName("core", "people")


def problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    found: dict[str, Any] = response.json()
    assert (response.status_code, found["code"]) == (status, f"FORGE-{code}"), response.text
    return found


@pytest.fixture
def own_client(
    make_site_project: Callable[[], Path], make_app: Callable[..., FastAPI], login: str
) -> Iterator[TestClient]:
    """Signed in to a project that the test may change."""
    app = make_app(make_site_project())
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        client.headers["authorization"] = f"Bearer {login}"
        yield client


def wiring_of(client: TestClient) -> Wiring:
    found: Wiring = client.app.state.wiring  # type: ignore[attr-defined]
    return found


class Line:
    """Commits without data, on any branch."""

    def __init__(self, metadata: SqlMetadata) -> None:
        self.metadata = metadata
        self.number = 0

    def branch(self, name: str, head: CommitId | None) -> None:
        branch = Branch(
            name=BranchName(name),
            head=head,
            created_at=START,
            created_by="ada",
            updated_at=START,
            parent=MAIN,
            fork_commit=head,
        )
        self.metadata.create_branch(branch, AuditRecord(START, "ada", "branch.create", name))

    def head(self, branch: str) -> CommitId | None:
        found = self.metadata.branch(BranchName(branch))
        assert found is not None
        return found.head

    def commit(
        self,
        branch: str,
        *tables: TableName,
        merges: str | None = None,
        author: Author = ADA,
        time: datetime | None = None,
    ) -> Commit:
        self.number += 1
        head = self.head(branch)
        other = self.head(merges) if merges else None
        parents = tuple(parent for parent in (head, other) if parent is not None)
        version = TableVersion(
            catalog=CatalogName("core", "orders"),
            uuid="u",
            snapshot_id=SnapshotId(self.number),
            schema_id=0,
            number=self.number,
        )
        tree = {**(self.metadata.tree(head) if head else {}), **dict.fromkeys(tables, version)}
        commit = make_commit(
            tree=tree,
            parents=parents,
            author=author,
            message=f"c{self.number}",
            time=time or START + timedelta(minutes=self.number),
            branch=BranchName(branch),
            statistics=dict.fromkeys(tables, TableStatistics(rows_added=1)),
            metadata={"run_id": f"line-{self.number}"},
        )
        run = RunRecord(
            id=RunId(f"line-{self.number}"),
            branch=BranchName(branch),
            status=RunStatus.SUCCEEDED,
            started_at=START,
            user="a",
            host="h",
            pid=1,
            process_started="",
        )
        publication = Publication(
            pointers=(), branch=BranchName(branch), expected_head=head, commit=commit, tree=tree, run=run
        )
        assert isinstance(self.metadata.publish(publication, lambda step: None), PublishedCommit)
        return commit


# branches


def test_branches_are_listed_with_the_default_one_first(client: TestClient) -> None:
    found = client.get(API).json()
    assert [branch["name"] for branch in found["items"]] == ["main", "dev"]
    assert (found["total_count"], found["has_more"], found["next_cursor"]) == (2, False, None)
    main, dev = found["items"]
    assert (main["is_default"], main["ahead"], main["behind"], main["status"]) == (True, 0, 0, "active")
    assert (dev["is_default"], dev["ahead"], dev["behind"], dev["parent"]) == (False, 0, 1, "main")
    assert dev["fork_commit"] == dev["head_commit"] != main["head_commit"]
    assert client.get(f"{API}/dev").json() == dev


@pytest.mark.parametrize(("status", "names"), [("active", ["main", "dev"]), ("merged", []), ("nonsense", [])])
def test_branches_are_filtered_by_status(client: TestClient, status: str, names: list[str]) -> None:
    found = client.get(API, params={"status": status}).json()
    assert ([branch["name"] for branch in found["items"]], found["total_count"]) == (names, len(names))


def test_a_branch_is_created_from_any_revision_and_deleted(own_client: TestClient) -> None:
    log = own_client.get(f"{API}/main/commits").json()["items"]
    made = own_client.post(API, json={"name": "feature/a", "from_commit": "HEAD~1", "description": "why"})
    assert made.status_code == 201
    branch = made.json()
    assert (branch["name"], branch["description"], branch["behind"]) == ("feature/a", "why", 1)
    assert branch["head_commit"] == branch["fork_commit"] == log[1]["id"]
    assert branch["created_by"] == "ada@example.com"
    for spelling in ("feature%2Fa", "feature/a", "feature%2fa"):
        assert own_client.get(f"{API}/{spelling}").json() == branch
        assert len(own_client.get(f"{API}/{spelling}/commits").json()["items"]) == 1
        assert own_client.get(f"{API}/commits/{spelling}").json()["id"] == log[1]["id"]
        assert own_client.get(f"{API}/datasets/raw.orders/branches/{spelling}").json() == branch
        assert own_client.get(f"{API}/datasets/raw.orders/commits/{spelling}/data").json()["commit"] == log[1]["id"]
    assert own_client.delete(f"{API}/feature%2Fa").status_code == 204
    problem(own_client.get(f"{API}/feature%2Fa"), 404, "E602")


def test_a_branch_that_cannot_be_is_refused_with_the_reason(own_client: TestClient) -> None:
    problem(own_client.post(API, json={"name": "dev"}), 409, "E603")
    bad = problem(own_client.post(API, json={"name": "a..b"}), 422, "E604")
    assert "it contains '..'" in bad["detail"]
    problem(own_client.post(API, json={"name": "x", "from_commit": "nosuch"}), 404, "E601")
    problem(own_client.post(API, json={"name": "x", "colour": "red"}), 422, "E105")
    assert own_client.get(f"{API}/x").status_code == 404


def test_an_unknown_branch_is_answered_with_the_nearest(client: TestClient) -> None:
    for response in (client.get(f"{API}/dve"), client.get(f"{API}/dve/commits"), client.delete(f"{API}/dve")):
        assert problem(response, 404, "E602")["why"] == "Did you mean dev?"


def test_commits_that_only_one_branch_has_are_not_lost_by_accident(own_client: TestClient) -> None:
    line = Line(wiring_of(own_client).metadata)
    line.commit("dev", ORDERS)
    refused = problem(own_client.delete(f"{API}/dev"), 409, "E607")
    assert "1 commit" in refused["detail"]
    line.branch("copy", line.head("dev"))
    assert own_client.delete(f"{API}/dev").status_code == 204
    problem(own_client.delete(f"{API}/copy"), 409, "E607")
    assert own_client.delete(f"{API}/copy", params={"force": True}).status_code == 204
    problem(own_client.delete(f"{API}/main", params={"force": True}), 409, "E605")


# names that look like parts of other paths


@pytest.mark.parametrize(
    "name", ["commits", "datasets", "a/commits", "commits/x", "datasets/core.orders/branches", "a%b", "ä/ö", "x#y&z"]
)
def test_every_name_works_percent_encoded(own_client: TestClient, name: str) -> None:
    assert own_client.post(API, json={"name": name, "from_commit": "HEAD~1"}).status_code == 201
    path = quote(name, safe="")
    assert own_client.get(f"{API}/{path}").json()["name"] == name
    log = own_client.get(f"{API}/{path}/commits").json()
    assert [commit["message"] for commit in log["items"]] == ["First load"]
    assert own_client.get(f"{API}/datasets/raw.orders/branches/{path}").json()["name"] == name
    assert own_client.delete(f"{API}/{path}").status_code == 204
    problem(own_client.get(f"{API}/{path}"), 404, "E602")


def test_a_plain_slash_before_commits_asks_for_the_log(own_client: TestClient) -> None:
    own_client.post(API, json={"name": "a"})
    own_client.post(API, json={"name": "a/commits", "from_commit": "HEAD~1"})
    assert len(own_client.get(f"{API}/a/commits").json()["items"]) == 2, "the log of a"
    assert own_client.get(f"{API}/a%2Fcommits").json()["name"] == "a/commits"
    assert len(own_client.get(f"{API}/a/commits/commits").json()["items"]) == 1, "the log of a/commits"
    assert own_client.delete(f"{API}/a").status_code == 204
    missing = problem(own_client.get(f"{API}/a/commits"), 404, "E602")
    assert "a" in missing["detail"]


# commits


def test_the_log_is_newest_first_with_what_each_commit_did(client: TestClient) -> None:
    second, first = client.get(f"{API}/main/commits").json()["items"]
    assert [second["message"], first["message"]] == ["Orders of the 15th", "First load"]
    assert (second["parents"], first["parents"], second["is_merge"]) == ([first["id"]], [], False)
    assert second["author"] == {"name": "Grace", "email": "grace@example.com", "user_id": ""}
    assert [change["table"] for change in first["tables"]] == ["marts.revenue", "raw.orders"]
    assert (first["rows_added"], second["rows_added"], second["run_id"]) == (9, 2, "r2")


@pytest.mark.parametrize(
    ("filters", "messages"),
    [
        ({"table": "marts.revenue"}, ["First load"]),
        ({"table": "core.nothing"}, []),
        ({"author": "GRACE@"}, ["Orders of the 15th"]),
        ({"author": "%"}, []),
        ({"since": "2026-11-15T00:00:00Z"}, ["Orders of the 15th"]),
        ({"since": "2026-11-15T08:00:00+02:00"}, ["Orders of the 15th"]),
        ({"until": "2026-11-15T00:00:00"}, ["First load"]),
        ({"since": "2026-11-14", "until": "2026-11-16"}, ["Orders of the 15th", "First load"]),
        ({"author": "ada", "since": "2026-11-15"}, []),
    ],
)
def test_the_log_is_filtered(client: TestClient, filters: dict[str, str], messages: list[str]) -> None:
    found = client.get(f"{API}/main/commits", params=filters).json()
    assert [commit["message"] for commit in found["items"]] == messages


@pytest.mark.parametrize(
    ("filters", "code"),
    [
        ({"table": "no table"}, "E101"),
        ({"since": "yesterday"}, "E105"),
        ({"since": "0001-01-01T00:00:00+14:00"}, "E105"),
        ({"limit": "0"}, "E105"),
        ({"cursor": "nonsense"}, "E105"),
    ],
)
def test_a_filter_that_means_nothing_is_refused(client: TestClient, filters: dict[str, str], code: str) -> None:
    problem(client.get(f"{API}/main/commits", params=filters), 422, code)


@pytest.mark.slow
def test_pages_put_together_are_the_whole_log(own_client: TestClient) -> None:
    line = Line(wiring_of(own_client).metadata)
    chance = random.Random(5)
    for _ in range(21):
        line.commit("dev", *chance.choice([(ORDERS,), (PEOPLE,), (ORDERS, PEOPLE)]))
    whole = [commit["id"] for commit in own_client.get(f"{API}/dev/commits?limit=500").json()["items"]]
    assert len(whole) == 22
    orders = [c.id for c in line.metadata.log(CommitId(whole[0])) if ORDERS in c.statistics]
    for limit in (1, 4, 11, 22, 23):
        for table, expected in ((None, whole), ("core.orders", orders)):
            assert _collect(own_client, f"{API}/dev/commits", limit, table) == expected
        assert _collect(own_client, f"{API}/datasets/core.orders/branches/dev/commits", limit, None) == orders
        page = own_client.get(f"{API}/dev/commits", params={"limit": limit, "offset": 3}).json()
        assert [commit["id"] for commit in page["items"]] == whole[3 : 3 + limit]
        assert page["has_more"] == (3 + limit < len(whole))


def _collect(client: TestClient, path: str, limit: int, table: str | None) -> list[str]:
    found: list[str] = []
    params: dict[str, Any] = {"limit": limit, **({"table": table} if table else {})}
    while True:
        page = client.get(path, params=params).json()
        assert len(page["items"]) <= limit
        found += [commit["id"] for commit in page["items"]]
        assert page["has_more"] == (page["next_cursor"] is not None)
        if not page["has_more"]:
            return found
        params["cursor"] = page["next_cursor"]


def test_a_branch_without_commits_has_an_empty_log(own_client: TestClient) -> None:
    Line(wiring_of(own_client).metadata).branch("empty", None)
    page = own_client.get(f"{API}/empty/commits").json()
    assert (page["items"], page["has_more"]) == ([], False)
    problem(own_client.get(f"{API}/commits/empty"), 404, "E606")
    assert own_client.get(f"{API}/empty").json()["behind"] == 2


@pytest.mark.parametrize("revision", ["HEAD", "main", "HEAD~0", "2026-11-15", "main@2026-11-20T00:00"])
def test_a_commit_is_found_by_any_revision(client: TestClient, revision: str) -> None:
    newest = client.get(f"{API}/main/commits").json()["items"][0]
    found = client.get(f"{API}/commits/{quote(revision, safe='')}").json()
    assert found["id"] == newest["id"]
    assert client.get(f"{API}/commits/{newest['id'][:10]}").json() == found
    versions = {version["table"]: version for version in found["versions"]}
    assert sorted(versions) == ["marts.revenue", "raw.orders"]
    orders, revenue = versions["raw.orders"], versions["marts.revenue"]
    assert (orders["version"], orders["changed"], orders["run_id"]) == (2, True, "r2")
    assert (revenue["version"], revenue["changed"], revenue["run_id"]) == (1, False, "r1")
    assert int(orders["snapshot_id"]) > 2**31
    assert isinstance(orders["snapshot_id"], str)


@pytest.mark.parametrize("revision", ["nosuch", "HEAD~9", "0000", "1999-01-01", "~", "%2F", "mainn"])
def test_an_unknown_revision_is_not_found(client: TestClient, revision: str) -> None:
    problem(client.get(f"{API}/commits/{revision}"), 404, "E601")


# datasets


def test_a_dataset_shows_the_branches_that_touch_it_and_the_default_one(own_client: TestClient) -> None:
    line = Line(wiring_of(own_client).metadata)
    line.commit("main", PEOPLE, ORDERS)
    for name in ("same", "changed", "elsewhere"):
        line.branch(name, line.head("main"))
    line.commit("changed", ORDERS)
    line.commit("elsewhere", PEOPLE)

    def names(dataset: str) -> list[str]:
        return [b["name"] for b in own_client.get(f"{API}/datasets/{dataset}/branches").json()["items"]]

    assert names("core.orders") == ["main", "changed", "dev"], "dev has no such table yet"
    assert names("core.people") == ["main", "dev", "elsewhere"]
    assert names("raw.orders") == ["main", "dev"], "dev has an older version"
    line.commit("main", merges="changed")
    assert "changed" in names("core.orders"), "it changed the table since it forked, though main has that too"
    unknown = problem(own_client.get(f"{API}/datasets/raw.ordrs/branches"), 404, "E108")
    assert "raw.orders" in unknown["why"]
    problem(own_client.get(f"{API}/datasets/nonsense/branches"), 422, "E101")
    problem(own_client.get(f"{API}/datasets/raw.nothing/branches/main/commits"), 404, "E108")
    problem(own_client.get(f"{API}/datasets/raw.nothing/branches/main"), 404, "E108")
    problem(own_client.get(f"{API}/datasets/raw.orders/branches/nosuch"), 404, "E602")


def test_rows_of_a_table_are_shown_at_a_commit_without_spark(client: TestClient) -> None:
    found = client.get(f"{API}/datasets/raw.orders/commits/HEAD/data").json()
    assert found["columns"] == [{"name": "amount", "type": "bigint", "masked": False}]
    assert sorted(row[0] for row in found["rows"]) == [0, 0, 1, 1, 2, 3, 4, 5]
    assert not found["truncated"]
    older = client.get(f"{API}/datasets/raw.orders/commits/HEAD~1/data", params={"limit": 4}).json()
    assert (len(older["rows"]), older["truncated"]) == (4, True)
    assert not wiring_of(client).session.started


def test_rows_of_nothing_are_not_found(client: TestClient) -> None:
    unknown = problem(client.get(f"{API}/datasets/raw.order/commits/HEAD/data"), 404, "E108")
    assert unknown["why"] == "Did you mean raw.orders?"
    problem(client.get(f"{API}/datasets/raw.orders/commits/nosuch/data"), 404, "E601")
    for sql in ("SELECT * FROM raw.order", "SELECT * FROM ordrs"):
        path = f"{API}/datasets/raw.orders/commits/HEAD/data"
        asked = client.get(path, params={"sql": sql}).json()
        assert "Did you mean raw.orders" in f"{asked.get('why')} {asked.get('fix')}"
    assert not wiring_of(client).session.started
    for limit in (0, 1001):
        problem(client.get(f"{API}/datasets/raw.orders/commits/HEAD/data", params={"limit": limit}), 422, "E105")


# ahead and behind, against git


def _random_history(line: Line, seed: int) -> list[tuple[str, CommitId, tuple[CommitId, ...]]]:
    """Commits, forks and merges; every commit with its branch, in order."""
    chance = random.Random(seed)
    names = ["main"]
    made: list[tuple[str, CommitId, tuple[CommitId, ...]]] = []
    for number in range(60):
        act = chance.random()
        if made and act < 0.15 and len(names) < 8:
            names.append(f"b{number}")
            line.branch(names[-1], line.head(chance.choice(names[:-1])))
        branch = chance.choice(names)
        other = chance.choice(names)
        merges = other if act > 0.75 and line.head(other) not in (None, line.head(branch)) else None
        commit = line.commit(branch, ORDERS, merges=merges)
        made.append((branch, commit.id, commit.parents))
    return made


def _in_git(folder: Path, made: list[tuple[str, CommitId, tuple[CommitId, ...]]], heads: dict[str, CommitId]) -> None:
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    marks = {commit: number for number, (_, commit, _) in enumerate(made, 1)}
    lines = []
    for number, (_, _, parents) in enumerate(made, 1):
        lines += [f"commit refs/heads/c{number}", f"mark :{number}", f"committer A <a@x> {number} +0000", "data 0"]
        words = ["from", "merge"]
        lines += [f"{words[min(place, 1)]} :{marks[parent]}" for place, parent in enumerate(parents)]
        lines += [""]
    for name, head in heads.items():
        lines += [f"reset refs/heads/{name}", f"from :{marks[head]}", ""]
    text = "\n".join(lines) + "\n"
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet", "--force"], input=text, text=True, check=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_ahead_and_behind_are_what_git_says(tmp_path: Path, seed: int) -> None:
    from forge.flows.versioning.branches import list_branches, view_branch

    database = open_database(f"sqlite:///{tmp_path}/forge.db")
    migrate(database)
    metadata = SqlMetadata(database)
    create_default_branch(metadata, MAIN, ADA, START)
    made = _random_history(Line(metadata), seed)
    heads = {str(branch.name): branch.head for branch in metadata.branches() if branch.head}
    _in_git(tmp_path / "git", made, heads)
    views = {view.branch.name: view for view in list_branches(metadata, MAIN)}
    assert len(views) > 3
    for name in heads:
        count = ["git", "-C", str(tmp_path / "git"), "rev-list", "--left-right", "--count", f"main...{name}"]
        said = subprocess.run(count, capture_output=True, text=True, check=True).stdout.split()
        view = views[BranchName(name)]
        assert [view.behind, view.ahead] == [int(number) for number in said], name
        assert view_branch(metadata, view.branch, MAIN) == view
    database.dispose()


def test_the_list_of_branches_costs_the_same_whatever_their_number(own_client: TestClient) -> None:
    wiring = wiring_of(own_client)
    line = Line(wiring.metadata)
    asked: list[str] = []

    @event.listens_for(wiring.database, "before_cursor_execute")
    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        # Threads of the server look after jobs and the catalog, also meanwhile.
        if statement.startswith(("SELECT", "WITH")) and not threading.current_thread().name.startswith("forge-"):
            asked.append(statement)

    costs = []
    for number in range(1, 13):
        line.branch(f"b{number}", line.head("main"))
        line.commit(f"b{number}", ORDERS)
        if number in (1, 12):
            asked.clear()
            assert own_client.get(API).json()["total_count"] == number + 2
            costs.append(len(asked))
    assert costs[0] == costs[1] <= 4
