"""The first page: one answer that tells what is wrong, how far it reaches, and what changed."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from recorded_history import MORNING, REVENUE, verdict
from sqlalchemy import event

from forge.api.app import create_app
from forge.api.record_cache import RecordCache
from forge.flows.runs.records import AuditRecord, OutputRecord, OutputStatus, RunKind, RunStatus
from forge.flows.upkeep.access import digest_of
from forge.model.names import BranchName, RunId
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.settings import load_settings
from forge.wiring import Wiring

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
SECRET = "forge_secret"


@pytest.fixture
def wiring(make_site_project: Callable[[], Path]) -> Wiring:
    return Wiring(load_settings(make_site_project(), {"HOME": "/nowhere"}), lambda: NOON)


@pytest.fixture
def client(wiring: Wiring) -> Iterator[TestClient]:
    app = create_app(wiring, login_digest=digest_of(SECRET))
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        client.headers["authorization"] = f"Bearer {SECRET}"
        yield client


def overview(client: TestClient, **query: str) -> Any:
    answer = client.get("/api/v1/overview", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def end_run(
    wiring: Wiring,
    name: str,
    status: OutputStatus,
    said: tuple[Verdict, ...],
    branch: str = "main",
    kind: RunKind = "run",
) -> None:
    """Another attempt at marts.revenue, at noon."""
    run = replace(
        wiring.metadata.runs()[0],
        id=RunId(name),
        branch=BranchName(branch),
        started_at=NOON,
        finished_at=NOON,
        status=RunStatus.BLOCKED if status is OutputStatus.BLOCKED else RunStatus.SUCCEEDED,
        outputs=(OutputRecord(table=REVENUE, status=status),),
        kind=kind,
    )
    wiring.metadata.finish_run(run, said, (AuditRecord(NOON, "ada", "run.end", name),))


def test_it_tells_the_worst_problem_since_when_and_what_readers_have(client: TestClient) -> None:
    found = overview(client)
    (incident,) = found["incidents"]
    assert incident["message"] == "1 row outside 0 … 10000"
    assert (incident["table"], incident["column"], incident["severity"]) == ("marts.revenue", "revenue", "critical")
    assert (incident["since"], incident["previous"]) == ("2026-11-16T06:10:00Z", "3 rows, none outside")
    assert (incident["origin"], incident["origin_commit"]["message"]) == ("raw.orders.amount", "Orders of the 15th")
    assert incident["held_back"] == ["marts.revenue"]
    (kept,) = incident["kept"]
    assert (kept["table"], kept["version"], kept["time"]) == ("marts.revenue", 1, "2026-11-14T06:10:00Z")


def test_its_picture_leads_from_the_source_to_the_failing_column(client: TestClient) -> None:
    picture = overview(client)["picture"]
    nodes = {node["id"]: node for node in picture["nodes"]}
    assert {name: node["type"] for name, node in nodes.items()} == {
        "files:data/*.csv": "external",
        "files:data/*.csv.amount": "column",
        "raw.orders": "table",
        "raw.orders.amount": "column",
        "marts.revenue": "table",
        "marts.revenue.revenue": "column",
    }
    assert [name for name, node in nodes.items() if node["attributes"].get("failing")] == [
        "marts.revenue",
        "marts.revenue.revenue",
    ]
    layers = {name: node["attributes"]["layer"] for name, node in nodes.items() if node["type"] != "column"}
    assert layers == {"files:data/*.csv": 0, "raw.orders": 1, "marts.revenue": 2}
    attributes = nodes["marts.revenue"]["attributes"]
    assert (attributes["owner"], attributes["columns"], attributes["external"]) == ("finance@example.com", 1, False)


def test_counters_recent_changes_and_the_last_run(client: TestClient) -> None:
    found = overview(client)
    assert found["counters"] == {"assets": 2, "checks_failing": 1, "contracts_broken": 0, "branches_ahead": 0}
    assert [(change["table"], change["message"], change["author"]) for change in found["recent"]] == [
        ("raw.orders", "Orders of the 15th", "Grace"),
        ("marts.revenue", "First load", "Ada"),
    ]
    assert (found["last_run"]["run_id"], found["last_run"]["status"]) == ("r3", "blocked")
    assert (found["project"], found["branch"], found["pass_rate"]) == ("shop", "main", 50.0)


def test_the_trend_has_thirty_days_and_ends_today(client: TestClient) -> None:
    trend = overview(client)["trend"]
    assert (len(trend), trend[0]["day"], trend[-1]["day"]) == (30, "2026-10-18", "2026-11-16")
    assert [(day["passed"], day["failed"], day["runs"]) for day in trend[-4:]] == [
        (0, 0, 0),
        (1, 0, 1),
        (0, 0, 1),
        (0, 1, 1),
    ]


def test_what_is_put_right_is_gone_at_once(client: TestClient, wiring: Wiring) -> None:
    assert len(overview(client)["incidents"]) == 1
    end_run(wiring, "r4", OutputStatus.PASSED, (verdict(Outcome.PASSED, "all well"),))
    found = overview(client)
    assert (found["incidents"], found["picture"]) == ([], None)
    assert found["counters"]["checks_failing"] == 0


@pytest.mark.parametrize("kind", ["merge", "commit"])
def test_what_is_held_back_is_told_whatever_merges_and_commits_touch_the_table(
    kind: RunKind, client: TestClient, wiring: Wiring
) -> None:
    before = overview(client)
    end_run(wiring, "r4", OutputStatus.PUBLISHED, (verdict(Outcome.PASSED, "what readers have is well"),), kind=kind)
    after = overview(client)
    assert after["incidents"] == before["incidents"]
    assert (after["counters"], after["picture"]) == (before["counters"], before["picture"])
    listed = client.get("/api/v1/quality/incidents").json()["items"]
    assert [one["id"] for one in listed] == [one["id"] for one in after["incidents"]]


@pytest.mark.slow
def test_a_broken_contract_is_counted_by_table(client: TestClient, wiring: Wiring) -> None:
    gate = Verdict(
        check_id="marts.revenue.revenue.schema",
        check_type="schema",
        table="marts.revenue",
        columns=("revenue",),
        outcome=Outcome.FAILED,
        severity=Severity.ERROR,
        message="no such column",
        blocks=True,
    )
    end_run(wiring, "r4", OutputStatus.BLOCKED, (gate, replace(gate, check_id="marts.revenue.other.schema")))
    counters = overview(client)["counters"]
    assert (counters["contracts_broken"], counters["checks_failing"]) == (1, 2)


def test_a_contract_that_is_not_right_itself_is_counted_and_a_note_is_not(client: TestClient, wiring: Wiring) -> None:
    note = Verdict(
        check_id="marts.revenue.contract.E530",
        check_type="contract",
        table="marts.revenue",
        columns=(),
        outcome=Outcome.FAILED,
        severity=Severity.INFO,
        message="no tags",
        blocks=False,
    )
    end_run(wiring, "r4", OutputStatus.PUBLISHED, (note,))
    assert overview(client)["counters"]["contracts_broken"] == 0
    end_run(
        wiring, "r5", OutputStatus.BLOCKED, (replace(note, severity=Severity.ERROR, message="no owner", blocks=True),)
    )
    assert overview(client)["counters"]["contracts_broken"] == 1


def test_another_branch_has_its_own_page(client: TestClient, wiring: Wiring) -> None:
    assert overview(client, branch="dev")["incidents"] == []
    end_run(wiring, "r4", OutputStatus.BLOCKED, (verdict(Outcome.FAILED, "worse on dev"),), branch="dev")
    (incident,) = overview(client, branch="dev")["incidents"]
    assert (incident["branch"], incident["message"]) == ("dev", "worse on dev")
    assert [one["message"] for one in overview(client)["incidents"]] == ["1 row outside 0 … 10000"]
    unknown = client.get("/api/v1/overview", params={"branch": "mian"})
    assert (unknown.status_code, unknown.json()["why"]) == (404, "Did you mean main?")


def test_an_empty_project_has_an_empty_page(tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("project: new\n")
    app = create_app(Wiring(load_settings(tmp_path, {"HOME": "/nowhere"})), login_digest=digest_of(SECRET))
    with TestClient(app, base_url="http://127.0.0.1:8765", headers={"authorization": f"Bearer {SECRET}"}) as client:
        found = overview(client)
    assert (found["head"], found["incidents"], found["recent"], found["last_run"]) == (None, [], [], None)
    assert (found["counters"]["assets"], found["pass_rate"], len(found["trend"])) == (0, None, 30)


@pytest.mark.slow
def test_its_cost_does_not_grow_with_the_history(client: TestClient, wiring: Wiring) -> None:
    client.app.state.site.memo = RecordCache(life=math.inf)  # type: ignore[attr-defined]
    wiring.catalog.follower.stop()  # what it writes makes the next answer a new one
    statements: list[str] = []

    @event.listens_for(wiring.database, "before_cursor_execute")
    def count(connection: object, cursor: object, statement: str, *more: object) -> None:
        if not threading.current_thread().name.startswith("forge-"):  # which look after jobs, also meanwhile
            statements.append(statement)

    def cost() -> int:
        statements.clear()
        overview(client)
        return len([one for one in statements if one.startswith(("SELECT", "WITH"))])

    cost()
    again = cost()  # nothing has changed
    last = wiring.metadata.runs()[0]
    counts = []
    for number in range(4):
        run = replace(last, id=RunId(f"more{number}"), started_at=MORNING.replace(day=1, hour=number))
        wiring.metadata.finish_run(run, (verdict(Outcome.FAILED, "bad"),), (AuditRecord(NOON, "a", "x", "y"),))
        counts.append(cost())
    assert len(set(counts)) == 1
    assert again < 5 < counts[0] < 60
