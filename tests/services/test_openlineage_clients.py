"""The real clients of OpenLineage against a real server: its Python client, and dbt-ol with a dbt project."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_forge import Live, start_forge
from openlineage_events import PG, columns, dataset, dataset_event, event, field, job_event, schema
from openlineage_told import RUN
from peer_programs import ask_client, programs_of

from forge.lineage.openlineage_events import events_of

pytestmark = pytest.mark.services

ORDERS = "shop.public.orders"
P = "postgres@db.example:"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    root = tmp_path_factory.mktemp("openlineage")
    (root / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    server = start_forge(root, root / "stderr")
    yield server
    server.stop()


def send(live: Live, *events: dict[str, Any], key: str | None = None, **more: str) -> list[int | None]:
    """How the server answered the client; None is well."""
    server: dict[str, object] = {"url": live.address, "key": key or live.token, **more}
    answers: list[int | None] = ask_client({"send": server, "events": events})
    return answers


def edges_into(live: Live, table: str) -> set[str]:
    with live.api() as api:
        answer = api.get(f"/lineage/tables/{table}/lineage", params={"column_level": True, "indirect": True})
        assert answer.status_code == 200, answer.text
        return {edge["id"] for edge in answer.json()["edges"]}


def is_recorded(live: Live, edge: str) -> bool:
    with live.api() as api:
        return api.get("/lineage/edges", params={"id": edge}).status_code == 200


def a_run(state: str, run: str, target: str, at: str) -> dict[str, Any]:
    facet = columns(
        [field(ORDERS, "day", "INDIRECT/GROUP_BY")],
        total=[field(ORDERS, "amount", "DIRECT/AGGREGATION", text="sum(amount)")],
    )
    return event(
        state,
        at=at,
        run=run,
        job=target,
        inputs=[dataset(ORDERS, schema=schema(amount="decimal(12,2)"))],
        outputs=[dataset(target, "forge", columnLineage=facet)],
        sql={"query": "SELECT sum(amount) FROM orders GROUP BY day"},
    )


@pytest.mark.parametrize("packed", [{}, {"compression": "gzip"}], ids=["plain", "gzip"])
def test_the_python_client_sends_a_run(live: Live, packed: dict[str, str]) -> None:
    target, run = f"marts.daily{len(packed)}", str(uuid.uuid4())
    assert send(live, a_run("START", run, target, "2026-11-16T08:00:00Z"), **packed) == [None]
    with live.api() as api:
        assert api.get(f"/lineage/tables/{target}/lineage").status_code == 404  # it has not ended yet
    assert send(live, a_run("COMPLETE", run, target, "2026-11-16T08:01:00Z"), **packed) == [None]
    expected = {f"{P}{ORDERS}.amount->{target}.total#aggregated", f"{P}{ORDERS}.day->{target}#group_by"}
    assert edges_into(live, target) >= expected
    assert is_recorded(live, f"{P}{ORDERS}->{target}#derived")


def test_the_python_client_tells_of_jobs_and_datasets_with_the_lineage_facet(live: Live) -> None:
    way = {"type": "DIRECT", "subtype": "IDENTITY"}
    source = {"namespace": PG, "name": ORDERS, "type": "DATASET", "field": "id", "transformations": [way]}
    told = dataset("core.told", "forge", lineage={"fields": {"order_id": {"inputs": [source]}}})
    people = dataset("shop.public.people", schema=schema(id="int"))
    assert send(live, job_event(outputs=[told]), dataset_event(people)) == [None, None]
    assert edges_into(live, "core.told") >= {f"{P}{ORDERS}.id->core.told.order_id#copied"}
    with live.api() as api:
        found = api.get("/lineage/search", params={"query": "public.people.id"}).json()["items"]
    assert [node["attributes"]["data_type"] for node in found] == ["int"]


def test_the_python_client_is_refused_without_a_key_that_may_write(live: Live) -> None:
    with live.api() as api:
        reader = api.post("/tokens", json={"name": "reader", "scope": "read"}).json()["token"]
    told = a_run("COMPLETE", str(uuid.uuid4()), "core.no", "2026-11-16T08:00:00Z")
    assert [send(live, told, key=key) for key in ("wrong", reader)] == [[401], [403]]


def _without_empty(value: Any) -> Any:
    """The client leaves out what is empty."""
    if isinstance(value, dict):
        kept = {key: _without_empty(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one not in ({}, [], None)}
    return [_without_empty(one) for one in value] if isinstance(value, list) else value


def test_the_python_client_writes_the_events_of_a_run_of_forge_as_forge_does() -> None:
    told = list(events_of(RUN, "forge", "0.1.0"))
    assert [_without_empty(one) for one in ask_client({"write": told})] == [_without_empty(one) for one in told]
    assert len(told) == 8


MODELS = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodels: {shop: {+materialized: table}}\n",
    "profiles.yml": "shop: {target: dev, outputs: {dev: {type: duckdb, path: shop.duckdb, threads: 1}}}\n",
    "seeds/raw_orders.csv": "id,amount,day\n1,5,2026-11-15\n2,7,2026-11-15\n",
    "models/orders.sql": "select id as order_id, amount * 100 as cents, day from {{ ref('raw_orders') }}\n",
    "models/daily.sql": "select day, sum(cents) as total from {{ ref('orders') }} group by day\n",
    "models/schema.yml": "models: [{name: daily, columns: [{name: day, data_tests: [unique]}]}]\n",
}


def test_dbt_tells_of_its_models(live: Live, tmp_path: Path) -> None:
    programs = programs_of("dbt")
    for name, text in MODELS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "OPENLINEAGE_URL": live.address,
        "OPENLINEAGE_API_KEY": live.token,
        "OPENLINEAGE_NAMESPACE": "dbt",
    }
    command = [str(programs / "dbt-ol"), "build", "--profiles-dir", ".", "--no-use-colors"]
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    with live.api() as api:
        found = {node["id"] for node in api.get("/lineage/search", params={"query": "duckdb"}).json()["items"]}
    daily = next(node for node in found if node.endswith("main.daily"))
    system = daily.removesuffix("main.daily")
    assert is_recorded(live, f"{system}main.orders->{daily}#derived")
    assert is_recorded(live, f"{system}main.raw_orders->{system}main.orders#derived")
    edges = edges_into(live, daily)
    columns = (("orders.cents", "daily.total"), ("orders.day", "daily.day"), ("raw_orders.amount", "orders.cents"))
    assert edges >= {f"{system}main.{source}->{system}main.{target}#derived" for source, target in columns}
