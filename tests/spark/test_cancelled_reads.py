"""Questions that would take days: cancelled, they let go of Spark's cores; beside them, a run is published."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from shop_project import SHOP, write

from forge.api.app import create_app
from forge.connection import Connection
from forge.engines.spark.session.pools import jobs_of
from forge.flows.upkeep.access import digest_of
from forge.model.errors import ForgeError
from forge.model.names import RunId

pytestmark = pytest.mark.spark

TRAVEL = "/api/v1/branches/datasets/core.orders/commits/main/data"
LOGIN = "forge_login-secret-of-the-tests"
PATIENCE = 180.0  # for a loaded machine: what is asked here would take years

ROWS = "(SELECT id, 1 AS k FROM range(30000))"
ENDLESS = {
    "cross join": f"SELECT count(*) FROM {ROWS} a, {ROWS} b, {ROWS} c, {ROWS} d",
    "cross join that finds nothing": f"SELECT a.id FROM {ROWS} a, {ROWS} b, {ROWS} c WHERE a.id + b.id + c.id < 0",
    "outer join by a range": f"""
        SELECT max(c.id) FROM {ROWS} a LEFT JOIN {ROWS} b ON a.id <> b.id LEFT JOIN {ROWS} c ON b.id <> c.id""",
    "join by one key": f"""
        SELECT count(*) FROM {ROWS} a JOIN {ROWS} b ON a.k = b.k JOIN {ROWS} c ON b.k = c.k
        WHERE a.id < -b.id - c.id - 1""",
    "explode": """
        SELECT count(*) FROM (SELECT explode(sequence(1, 100000)) AS x FROM range(1000))
        LATERAL VIEW explode(sequence(1, 100000)) t AS y""",
    "window": """
        SELECT max(z) FROM (
            SELECT max(id) OVER (ORDER BY id ROWS BETWEEN 900000 PRECEDING AND 900000 FOLLOWING) AS z
            FROM range(2000000))""",
    "lambda": """
        SELECT max(aggregate(
            transform(sequence(1, 90000), x -> aggregate(sequence(1, 90000), id, (a, y) -> a + y * x)),
            id, (a, y) -> a + y)) FROM range(1000)""",
    "subquery": f"""
        SELECT count(*) FROM {ROWS} a
        WHERE a.id > (SELECT count(*) FROM {ROWS} b, {ROWS} c, {ROWS} d WHERE b.id + c.id < d.id)""",
    "semi join": f"""
        SELECT count(*) FROM {ROWS} a
        WHERE EXISTS (SELECT 1 FROM {ROWS} b, {ROWS} c WHERE b.id + c.id + a.id < 0)""",
    "anti join": f"""
        SELECT count(*) FROM {ROWS} a, {ROWS} d
        WHERE NOT EXISTS (SELECT 1 FROM {ROWS} b WHERE a.id + d.id + b.id < 0 OR a.id - d.id = 1 - b.id - 70000)""",
    "distance": "SELECT sum(levenshtein(repeat(id, 900000), repeat('b', 900000))) FROM range(1000)",
    "constant": r"SELECT concat(repeat('a', 60), '!') RLIKE '(.*a){25}b'",
    "regular expression": "SELECT count(*) FROM range(1000) WHERE concat(repeat('a', 60), id) RLIKE '(.*a){25}b'",
}


@pytest.fixture
def busy_shop(make_project: Callable[..., Connection]) -> Connection:
    busy_shop = make_project(SHOP)
    busy_shop.run()
    return busy_shop


@pytest.fixture
def client(busy_shop: Connection) -> Iterator[TestClient]:
    app = create_app(busy_shop.wiring, login_digest=digest_of(LOGIN))
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        client.headers["authorization"] = f"Bearer {LOGIN}"
        yield client
        busy_shop.wiring.session._session = None  # Spark is the whole run's, and does not end with this server


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def tasks_at_work(busy_shop: Connection) -> int:
    context: Any = busy_shop.wiring.engine.session.get().sparkContext
    return sum(one.numRunningTasks() for one in context._jsc.sc().statusTracker().getExecutorInfos())


def active_jobs(session: Any, run_id: RunId) -> frozenset[int]:
    return jobs_of(session, str(run_id)) & frozenset(session.sparkContext.statusTracker().getActiveJobsIds())


@pytest.mark.parametrize("what", ENDLESS)
def test_what_is_cancelled_leaves_its_cores(what: str, make_project: Callable[..., Connection]) -> None:
    busy_shop = make_project()
    engine, run_id, ended = busy_shop.wiring.engine, RunId(f"q-{what.replace(' ', '-')}"), []

    def ask() -> None:
        engine.begin_read(run_id)
        try:
            engine.query(ENDLESS[what], {}, {}, None)
        except ForgeError as error:
            ended.append(error.code)
        finally:
            engine.end()

    asker = threading.Thread(target=ask, daemon=True)
    asker.start()
    session = engine.session.get()
    if what == "constant":  # worked out by the optimizer, in no job
        time.sleep(3)
    else:
        until(lambda: ended or (active_jobs(session, run_id) and tasks_at_work(busy_shop)))
    time.sleep(0.5)  # into its inner loop
    engine.cancel(run_id)
    began = time.monotonic()
    until(lambda: ended and tasks_at_work(busy_shop) == 0)
    print(what, "let go after", round(time.monotonic() - began, 2), "s")
    assert ended == ["E901"]


def test_what_looks_for_its_cancellation_answers_as_before(make_project: Callable[..., Connection]) -> None:
    """Rows of joins of every kind, of generators, windows and lambdas, beside what the session without looks says."""
    busy_shop = make_project()
    spark = busy_shop.wiring.engine.session.get()
    numbers = "(SELECT id, id % 3 AS k FROM range(12))"
    for kind in ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"):
        for on in ("a.k = b.id", "a.id < b.k", "a.k = b.k AND a.id < b.id"):
            text = f"SELECT * FROM {numbers} a {kind} {numbers} b ON {on}"
            assert asked(busy_shop, text) == sorted(map(str, (tuple(row) for row in spark.sql(text).collect()))), text
    for text in (
        f"SELECT count(*), sum(a.id * b.id) FROM {numbers} a CROSS JOIN {numbers} b",
        f"SELECT * FROM {numbers} WHERE id NOT IN (SELECT nullif(k, 1) FROM {numbers})",
        f"SELECT * FROM {numbers} WHERE id IN (SELECT k FROM {numbers}) OR id > 10",
        f"SELECT id, x FROM {numbers} LATERAL VIEW OUTER explode(sequence(1, k)) t AS x WHERE id > 3",
        f"SELECT id, sum(id) OVER (PARTITION BY k ORDER BY id) AS s FROM {numbers}",
        f"SELECT transform(sequence(0, id), x -> x * k), filter(array(1, NULL, k), x -> x > 1) FROM {numbers}",
        f"SELECT id, (SELECT max(b.id) FROM {numbers} b WHERE b.k = a.k) AS m FROM {numbers} a",
    ):
        assert asked(busy_shop, text) == sorted(map(str, (tuple(row) for row in spark.sql(text).collect()))), text


def test_a_run_is_published_beside_readers_that_have_every_core(busy_shop: Connection, client: TestClient) -> None:
    """Two tokens ask two endless questions each. What the run had to take from them says so; the rest are cancelled."""
    tokens = [client.post("/api/v1/tokens", json={"name": name, "scope": "read"}).json() for name in ("ann", "ben")]
    readers = [{"authorization": f"Bearer {token['token']}"} for token in tokens]
    answers: list[Any] = []

    def ask(headers: dict[str, str], number: int) -> None:
        sql = f"{ENDLESS['cross join']} WHERE a.id + b.id > {number}"
        answers.append(client.get(TRAVEL, params={"sql": sql}, headers=headers))

    askers = [threading.Thread(target=ask, args=(readers[n % 2], n), daemon=True) for n in range(4)]
    for asker in askers:
        asker.start()
    until(lambda: client.get("/api/v1/system").json()["reads"]["running"] == 4 and tasks_at_work(busy_shop) == 2)
    write(busy_shop, "data/orders/2.csv", "id,customer,amount,day\n3,c,30.00,2026-11-02\n")
    started = client.post("/api/v1/runs", json={})
    assert started.status_code == 202, started.text
    run_id = started.json()["run_id"]
    until(lambda: client.get(f"/api/v1/runs/{run_id}").json()["status"] not in ("queued", "running"))
    assert client.get(f"/api/v1/runs/{run_id}").json()["status"] == "succeeded"
    for one in client.get("/api/v1/runs").json()["items"]:
        if one["kind"] == "query" and one["status"] == "running":
            client.delete(f"/api/v1/runs/{one['run_id']}")
    until(lambda: tasks_at_work(busy_shop) == 0 and client.get("/api/v1/system").json()["reads"]["running"] == 0)
    for asker in askers:
        asker.join(PATIENCE)
    problems = [one.json()["code"] for one in answers if one.status_code >= 400]
    assert set(problems) <= {"FORGE-E901", "FORGE-E916"}
    assert "FORGE-E916" in problems, "it gave way"


def test_one_token_does_not_keep_another_from_its_turn(busy_shop: Connection, client: TestClient) -> None:
    tokens = [client.post("/api/v1/tokens", json={"name": name, "scope": "read"}).json() for name in ("ann", "ben")]
    ann, ben = ({"authorization": f"Bearer {token['token']}"} for token in tokens)

    def ask(number: int) -> None:
        sql = f"{ENDLESS['cross join']} WHERE a.id + b.id > {number}"
        client.get(TRAVEL, params={"sql": sql}, headers=ann)

    def queries(status: str) -> list[dict[str, Any]]:
        listed = client.get("/api/v1/runs").json()["items"]
        return [one for one in listed if (one["kind"], one["status"]) == ("query", status)]

    for number in range(2):
        threading.Thread(target=ask, args=(number,), daemon=True).start()
    until(lambda: len(queries("running")) == 2 and tasks_at_work(busy_shop) == 2)
    small = {"sql": "SELECT customer, sum(amount) AS s FROM core.orders GROUP BY customer ORDER BY 2"}
    until(lambda: client.get(TRAVEL, params=small, headers=ben).status_code == 200)
    # One is enough, unless the other was the first to take the cores that became free.
    told = {(one["error"]["code"], one["error"]["what"]) for one in queries("cancelled")}
    assert told == {("FORGE-E916", "The query gave way to one of another token")}
    for one in queries("running"):
        client.delete(f"/api/v1/runs/{one['run_id']}", headers=ann)
    until(lambda: tasks_at_work(busy_shop) == 0 and not queries("running"))


def asked(busy_shop: Connection, text: str) -> list[str]:
    return sorted(map(str, busy_shop.wiring.engine.query(text, {}, {}, None)[1]))
