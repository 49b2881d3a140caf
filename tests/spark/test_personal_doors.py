"""One personal column, called so by a contract alone: no door of the server shows its values, from that moment on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from forge.api.app import create_app
from forge.connection import Connection
from forge.flows.upkeep.access import Access, TokenScope, digest_of
from forge.flows.versioning.data.commit import CommitMode, CommitRequest, commit_data
from forge.model.names import TableName
from forge.stores.sql.upkeep.tokens import SqlTokens

pytestmark = pytest.mark.spark

API = "/api/v1"
SECRETS = ("lovelace", "31415926", "27182818", "16180339")
ROWS = [
    {"id": 1, "mail": "ada@lovelace.example", "salary": -31415926},
    {"id": 2, "mail": "Bob@Lovelace.example", "salary": -27182818},
    {"id": 3, "mail": None, "salary": 5},
]
SETTINGS = """\
user: {name: Ada, email: ada@example.com}
versioning: {keys: {core.people: [id], raw.people: [id], marts.contacts: [contact]}}
catalog: {follow: false}  # a scan would know before the contract does
"""
FILES = {
    "transforms/core/people.sql": "SELECT id, mail, salary FROM raw.people\n",
    "transforms/marts/contacts.sql": "SELECT id, lower(mail) AS contact, salary AS pay FROM core.people\n",
    # A mart that its check holds back: the verdict with its sample is kept, and nothing is published.
    "transforms/marts/wages.sql": "SELECT id, mail, salary FROM core.people\n",
    "checks/marts.yaml": "marts.wages:\n  - {type: range, column: salary, min: 0}\n",
}
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: people
name: People
version: 1.0.0
status: active
schema:
  - name: people
    physicalName: core.people
    physicalType: table
    logicalType: object
    properties:
      - {name: id, logicalType: integer, physicalType: bigint}
      - {name: Mail, logicalType: string, physicalType: string, classification: pii}
      - {name: salary, logicalType: integer, physicalType: bigint, tags: ["pii:salary"]}
"""
MONITOR = {
    "name": "Wages",
    "dataset": "core.people",
    "checks": [
        {"type": "range", "column": "salary", "min": 0, "name": "paid", "severity": "error"},
        {"type": "mean", "column": "salary", "min": 0, "name": "mean", "severity": "error"},
        {"type": "query", "query": "SELECT mail AS x, salary AS y FROM core.people WHERE salary < 0", "name": "free"},
    ],
}


class House:
    """The server on the project, and what a reader may ask it."""

    def __init__(self, project: Connection, client: TestClient) -> None:
        self.project, self.client = project, client
        access = Access(SqlTokens(project.wiring.database), project.wiring.clock)
        self.reader = {"authorization": f"Bearer {access.create('reader', TokenScope.READ, None, 'r@example.com')[1]}"}
        self.writer = {"authorization": f"Bearer {access.create('writer', TokenScope.WRITE, None, 'w@example.com')[1]}"}
        self.ids: dict[str, str] = {}

    def get(self, path: str, **params: Any) -> str:
        found = self.client.get(API + path, params=params, headers=self.reader)
        assert found.status_code == 200, (path, params, found.text)
        return str(found.text)

    def send(self, path: str, body: Any) -> Any:
        found = self.client.post(API + path, json=body, headers=self.writer)
        assert found.status_code < 300, (path, found.text)
        return found.json()

    def commit(self, rows: list[dict[str, object]], branch: str = "main", table: str = "core.people") -> str:
        request = CommitRequest(
            table=TableName.parse(table), branch=branch, mode=CommitMode.MERGE, rows=pa.Table.from_pylist(rows)
        )
        done = commit_data(request, self.project.wiring.versioning.ports())
        assert done.commit is not None
        return done.commit.id

    def fill(self) -> None:
        """Everything that leaves a cell somewhere: commits, runs, verdicts, conflicts, monitors, incidents."""
        wiring = self.project.wiring
        rows = pa.Table.from_pylist(ROWS)
        commit_data(
            CommitRequest(table=TableName.parse("raw.people"), branch="main", rows=rows), wiring.versioning.ports()
        )
        for name, text in FILES.items():
            (wiring.root / name).parent.mkdir(parents=True, exist_ok=True)
            (wiring.root / name).write_text(text)
        self.ids["first"] = str(wiring.branch_head(wiring.default_branch))
        run = self.project.run()
        self.ids["run"] = run.result.run.id
        self.send("/branches", {"name": "fix"})
        self.commit([{"id": 1, "mail": "ada@lovelace.example", "salary": -16180339}], "fix")
        self.commit([{"id": 1, "mail": "ada2@lovelace.example", "salary": -27182818}])
        merged = self.send("/branches/merge", {"source_branch": "fix"})
        self.ids["merge"] = merged["merge_id"]
        self.ids["monitor"] = self.send("/quality/monitors", MONITOR)["id"]
        self.judge()

    def judge(self) -> None:
        from run_site import until

        ticket = self.send(f"/quality/monitors/{self.ids['monitor']}/run", {})
        self.ids["judged"] = ticket["run_id"]
        until(lambda: json.loads(self.get(f"/runs/{ticket['run_id']}"))["finished_at"] is not None)

    def doors(self) -> dict[str, str]:
        """By door, what it answers to a reader."""
        people, at = "/branches/datasets/core.people", "main"
        sql = "SELECT concat('x', mail) AS x, salary * 1 AS y FROM data"
        join = "SELECT c.contact FROM data JOIN marts.contacts c USING (id)"
        asked: dict[str, tuple[str, dict[str, str | int]]] = {
            "sample": (f"{people}/commits/{at}/data", {}),
            "filter": (f"{people}/commits/{at}/data", {"filter": "id=1"}),
            "sql": (f"{people}/commits/{at}/data", {"sql": sql}),
            "origin": ("/branches/datasets/raw.people/commits/main/data", {}),
            "origin, long ago": (f"/branches/datasets/raw.people/commits/{self.ids['first']}/data", {}),
            "copy": ("/branches/datasets/marts.contacts/commits/main/data", {}),
            "join": (
                f"{people}/commits/main/data",
                {"sql": join},
            ),
            "diff": ("/branches/diff", {"base_commit": self.ids["first"], "compare_commit": "main"}),
            "dataset diff": (f"{people}/diff", {"base_commit": "HEAD~1", "compare_commit": "HEAD"}),
            "blame": ("/branches/blame", {"table": "marts.contacts"}),
            "compare": ("/branches/compare", {"base": "main", "compare": "fix"}),
            "dataset compare": (f"{people}/compare", {"base": "main", "compare": "fix"}),
            "merge": (f"/branches/merges/{self.ids['merge']}", {}),
            "dataset merge": (f"{people}/merges/{self.ids['merge']}", {}),
            "run": (f"/runs/{self.ids['run']}", {}),
            "judged": (f"/runs/{self.ids['judged']}", {}),
            "results": ("/quality/results", {"limit": 500}),
            "monitor results": (f"/quality/monitors/{self.ids['monitor']}/results", {}),
            "health": ("/quality/datasets/core.people/health", {}),
            "held back": ("/quality/datasets/marts.wages/health", {}),
            "incidents": ("/quality/incidents", {}),
            "overview": ("/overview", {}),
            "records": ("/lineage/records", {"dataset_id": "marts.contacts", "filter": "id=1"}),
            "metrics": ("/quality/datasets/core.people/metrics", {}),
            "anomalies": ("/quality/anomalies", {}),
            "remediations": ("/quality/remediations", {}),
        }
        found = {name: self.get(path, **params) for name, (path, params) in asked.items()}
        found |= self._each("result", "/quality/results", "/quality/results/{}")
        found |= self._each("incident", "/quality/incidents", "/quality/incidents/{}")
        found["series"] = self._series()
        return found | self._plain()

    def _plain(self) -> dict[str, str]:
        """All that answers without being asked for anything: lists, home, alerts."""
        routes = self.client.get("/openapi.json", headers=self.reader).json()["paths"]
        plain = [path for path, known in routes.items() if "get" in known and "{" not in path and "event" not in path]
        answers = {path: self.client.get(path, headers=self.reader) for path in plain}
        return {path: answer.text for path, answer in answers.items() if answer.status_code == 200}

    def _each(self, name: str, listed: str, one: str) -> dict[str, str]:
        ids = [item["id"] for item in json.loads(self.get(listed))["items"]]
        return {f"{name} {id_}": self.get(one.format(id_)) for id_ in ids}

    def _series(self) -> str:
        path = "/quality/datasets/core.people"
        names = [one["metric"] for one in json.loads(self.get(f"{path}/metrics"))]
        return "\n".join(self.get(f"{path}/series", metric=name) for name in names)


def shown(doors: dict[str, str]) -> set[str]:
    """Also numbers that stand in a sentence, as -31,415,926."""
    plain = {name: text.lower().replace(",", "") for name, text in doors.items()}
    return {name for name, text in plain.items() if any(secret in text for secret in SECRETS)}


@pytest.fixture
def personal_house(make_project: Callable[..., Connection], monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    project = make_project({"forge.yaml": SETTINGS})
    monkeypatch.setattr(project.wiring, "close", lambda: None)  # the session is that of all tests
    app = create_app(project.wiring, login_digest=digest_of("forge_x"))
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        made = House(project, client)
        made.fill()
        yield made


def write_contract(root: Path) -> None:
    (root / "contracts").mkdir()
    (root / "contracts" / "people.odcs.yaml").write_text(CONTRACT)


def test_what_a_contract_calls_personal_is_shown_by_no_door_from_that_moment(personal_house: House) -> None:
    before = personal_house.doors()
    open_doors = shown(before)
    known = {"sample", "filter", "sql", "origin", "origin, long ago", "copy", "join", "diff", "dataset diff", "blame"}
    known |= {"compare", "dataset compare", "merge", "dataset merge", "run", "judged", "results", "monitor results"}
    known |= {"health", "held back", "incidents", "overview", "records", "metrics", "series"}
    known |= {f"{API}{path}" for path in ("/runs", "/overview", "/quality/datasets", "/quality/alerts")}
    assert known <= open_doors, "each of these shows cells, so that what follows can fail"
    write_contract(personal_house.project.wiring.root)
    assert shown(personal_house.doors()) == set()
    personal_house.judge()  # what is found from now on, too
    assert shown(personal_house.doors()) == set()


def test_a_contract_of_the_registry_is_enough(personal_house: House) -> None:
    put = personal_house.client.put(
        f"{API}/contracts/people",
        content=CONTRACT,
        headers={**personal_house.writer, "content-type": "application/yaml"},
    )
    assert put.status_code < 300, put.text
    assert shown(personal_house.doors()) == set()


def test_a_file_of_the_project_that_is_broken_uncovers_nothing(personal_house: House) -> None:
    write_contract(personal_house.project.wiring.root)
    (personal_house.project.wiring.root / "transforms" / "core" / "broken.sql").write_text("SELECT FROM WHERE\n")
    (personal_house.project.wiring.root / "contracts" / "broken.odcs.yaml").write_text("version: 1.0\nschema: 5\n")
    assert shown(personal_house.doors()) == set()


def test_rows_are_not_found_by_what_is_personal(personal_house: House) -> None:
    write_contract(personal_house.project.wiring.root)
    for path, params in (
        ("/branches/datasets/core.people/commits/main/data", {"filter": "mail=ada2@lovelace.example"}),
        ("/lineage/records", {"dataset_id": "core.people", "filter": "salary=-27182818"}),
        ("/branches/blame", {"table": "marts.contacts", "key": "contact:ada@lovelace.example"}),
    ):
        found = personal_house.client.get(API + path, params=params, headers=personal_house.reader)
        assert (found.status_code, found.json()["code"]) == (403, "FORGE-E631")
    sql = {"sql": "SELECT count(*) AS n FROM data WHERE mail LIKE '%lovelace%' OR salary < 0"}
    assert json.loads(personal_house.get("/branches/datasets/core.people/commits/main/data", **sql))["rows"] == [[0]]
