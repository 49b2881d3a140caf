"""The real clients of OpenLineage against a real server: its Python client, and dbt-ol with a dbt project."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_forge import Live, start_forge
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import (
    DatasetEvent,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
    StaticDataset,
)
from openlineage.client.event_v2 import InputDataset as Input
from openlineage.client.facet_v2 import column_lineage_dataset, lineage, schema_dataset, sql_job
from openlineage.client.transport.http import HttpConfig, HttpTransport
from openlineage.client.uuid import generate_new_uuid
from requests import HTTPError

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
PG = "postgres://db.example:5432"
ORDERS = "shop.public.orders"
P = "postgres@db.example:"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    root = tmp_path_factory.mktemp("openlineage")
    (root / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    server = start_forge(root, root / "stderr")
    yield server
    server.stop()


def client_of(live: Live, key: str | None = None, **more: Any) -> OpenLineageClient:
    auth = {"type": "api_key", "api_key": key or live.token}
    config = HttpConfig.from_dict({"url": live.address, "auth": auth, **more})
    return OpenLineageClient(transport=HttpTransport(config))


def edges_into(live: Live, table: str) -> set[str]:
    with live.api() as api:
        answer = api.get(f"/lineage/tables/{table}/lineage", params={"column_level": True, "indirect": True})
        assert answer.status_code == 200, answer.text
        return {edge["id"] for edge in answer.json()["edges"]}


def is_recorded(live: Live, edge: str) -> bool:
    with live.api() as api:
        return api.get("/lineage/edges", params={"id": edge}).status_code == 200


def a_run(state: RunState, run: Run, job: str, target: str, at: str) -> RunEvent:
    way = column_lineage_dataset.Transformation("DIRECT", "AGGREGATION", "sum(amount)", False)
    total = column_lineage_dataset.Fields([column_lineage_dataset.InputField(PG, ORDERS, "amount", [way])])
    day = column_lineage_dataset.Transformation("INDIRECT", "GROUP_BY")
    facet = column_lineage_dataset.ColumnLineageDatasetFacet(
        {"total": total}, [column_lineage_dataset.InputField(PG, ORDERS, "day", [day])]
    )
    fields = [schema_dataset.SchemaDatasetFacetFields("amount", "decimal(12,2)")]
    return RunEvent(
        eventTime=at,
        eventType=state,
        run=run,
        job=Job("etl", job, facets={"sql": sql_job.SQLJobFacet("SELECT sum(amount) FROM orders GROUP BY day")}),
        inputs=[Input(PG, ORDERS, facets={"schema": schema_dataset.SchemaDatasetFacet(fields)})],
        outputs=[OutputDataset("forge", target, facets={"columnLineage": facet})],
    )


@pytest.mark.parametrize("packed", [{}, {"compression": "gzip"}], ids=["plain", "gzip"])
def test_the_python_client_sends_a_run(live: Live, packed: dict[str, str]) -> None:
    target = f"marts.daily{len(packed)}"
    run = Run(str(generate_new_uuid()))
    client = client_of(live, **packed)
    client.emit(a_run(RunState.START, run, target, target, "2026-11-16T08:00:00Z"))
    with live.api() as api:
        assert api.get(f"/lineage/tables/{target}/lineage").status_code == 404  # it has not ended yet
    client.emit(a_run(RunState.COMPLETE, run, target, target, "2026-11-16T08:01:00Z"))
    expected = {f"{P}{ORDERS}.amount->{target}.total#aggregated", f"{P}{ORDERS}.day->{target}#group_by"}
    assert edges_into(live, target) >= expected
    assert is_recorded(live, f"{P}{ORDERS}->{target}#derived")


def test_the_python_client_tells_of_jobs_and_datasets_with_the_lineage_facet(live: Live) -> None:
    way = lineage.LineageTransformation("DIRECT", "IDENTITY")
    source = lineage.LineageDatasetInput(PG, ORDERS, "DATASET", "id", [way])
    facet = lineage.LineageDatasetFacet(fields={"order_id": lineage.LineageFieldEntry([source])})
    outputs = [OutputDataset("forge", "core.told", facets={"lineage": facet})]
    client = client_of(live)
    client.emit(JobEvent(eventTime="2026-11-16T08:00:00Z", job=Job("etl", "told"), outputs=outputs))
    assert edges_into(live, "core.told") >= {f"{P}{ORDERS}.id->core.told.order_id#copied"}
    fields = [schema_dataset.SchemaDatasetFacetFields("id", "int")]
    told = StaticDataset(PG, "shop.public.people", facets={"schema": schema_dataset.SchemaDatasetFacet(fields)})
    client.emit(DatasetEvent(eventTime="2026-11-16T08:00:00Z", dataset=told))
    with live.api() as api:
        found = api.get("/lineage/search", params={"query": "public.people.id"}).json()["items"]
    assert [node["attributes"]["data_type"] for node in found] == ["int"]


def test_the_python_client_is_refused_without_a_key_that_may_write(live: Live) -> None:
    with live.api() as api:
        reader = api.post("/tokens", json={"name": "reader", "scope": "read"}).json()["token"]
    told = a_run(RunState.COMPLETE, Run(str(generate_new_uuid())), "no", "core.no", "2026-11-16T08:00:00Z")
    for key, status in (("wrong", 401), (reader, 403)):
        with pytest.raises(HTTPError) as caught:
            client_of(live, key).emit(told)
        assert caught.value.response is not None
        assert caught.value.response.status_code == status


MODELS = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodels: {shop: {+materialized: table}}\n",
    "profiles.yml": "shop: {target: dev, outputs: {dev: {type: duckdb, path: shop.duckdb, threads: 1}}}\n",
    "seeds/raw_orders.csv": "id,amount,day\n1,5,2026-11-15\n2,7,2026-11-15\n",
    "models/orders.sql": "select id as order_id, amount * 100 as cents, day from {{ ref('raw_orders') }}\n",
    "models/daily.sql": "select day, sum(cents) as total from {{ ref('orders') }} group by day\n",
    "models/schema.yml": "models: [{name: daily, columns: [{name: day, data_tests: [unique]}]}]\n",
}


def test_dbt_tells_of_its_models(live: Live, tmp_path: Path) -> None:
    made = subprocess.run([ROOT / "scripts" / "peers.sh", "dbt"], capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stderr
    programs = Path(made.stdout.strip()) / "bin"
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
