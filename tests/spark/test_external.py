"""Runs on an external catalog, here Iceberg's SQL catalog in a database of its own: the last section of
docs/guide/run.md, on real Spark."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from forge.connection import Connection, RunReport
from forge.flows.runs.records import RunStatus
from forge.flows.upkeep.maintenance import find_problems, repair
from forge.flows.versioning.branches import create_branch
from forge.model.names import BranchName, CatalogName, TableName
from forge.wiring import Wiring

pytestmark = pytest.mark.spark

MakeProject = Callable[..., Connection]

MAIN = BranchName("main")
FILES = {
    "forge.yaml": """
        user: {name: Ada, email: ada@example.com}
        spark: {master: "local[2]", spark.driver.memory: 1g}
        catalog: {type: sql, uri: "sqlite:///theirs.db"}
    """,
    "sources/shop.yaml": """
        sources:
          - output: raw.orders
            connector: files
            format: csv
            path: data/*.csv
            options: {header: "true"}
            columns: {id: long, amount: long, day: date}
            kind: append
    """,
    "data/1.csv": "id,amount,day\n1,10,2026-11-01\n2,20,2026-11-01\n",
    "transforms/core/orders.sql": """
        /* forge
        checks: [{type: range, column: amount, min: 0, max: 1000, severity: critical}]
        */
        SELECT id, amount, day FROM raw.orders
    """,
    "transforms/core/people.sql": """
        /* forge
        kind: incremental_by_unique_key
        unique_key: [id]
        */
        SELECT id, amount AS latest FROM raw.orders
    """,
    "transforms/core/daily.sql": """
        /* forge
        kind: incremental_by_time_range
        time_column: day
        partitioned_by: [day]
        */
        SELECT id, day FROM raw.orders WHERE day >= :start AND day < :end
    """,
    "transforms/staging/double.sql": "/* forge\nkind: view\n*/\nSELECT id, amount * 2 AS twice FROM raw.orders",
    "transforms/marts/total.sql": "SELECT sum(twice) AS total FROM staging.double",
}
TABLES = ("raw.orders", "core.orders", "core.people", "core.daily", "marts.total")


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")


def theirs(root: Path) -> Any:
    from pyiceberg.catalog.sql import SqlCatalog

    return SqlCatalog("forge", uri=f"sqlite:///{root}/theirs.db", warehouse=f"{root}/.forge/warehouse")


def heads(root: Path) -> dict[str, int]:
    """What the external catalog has on main, read by PyIceberg."""
    catalog = theirs(root)
    tables = [".".join(name) for schema in catalog.list_namespaces() for name in catalog.list_tables(schema)]
    return {name: catalog.load_table(name).metadata.refs["main"].snapshot_id for name in tables}


def tree(wiring: Wiring, branch: BranchName = MAIN) -> dict[str, int | None]:
    versions = wiring.metadata.tree(wiring.branch_head(branch)).items()
    return {str(table): version.snapshot_id for table, version in versions if version.kind == "table"}


def stamps(root: Path, table: str, newest: int) -> list[str | None]:
    snapshots = theirs(root).load_table(table).metadata.snapshots[-newest:]
    return [s.summary.additional_properties.get("forge.run-id") for s in snapshots]


def statuses(report: RunReport) -> dict[str, str]:
    return {str(o.table): str(o.status) for o in report.result.run.outputs}


def rows(project: Connection, table: str, at: str | None = None) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in project.table(table, at=at).collect())


def test_the_story_of_a_project_on_an_external_catalog(make_project: MakeProject) -> None:
    project = make_project(FILES)
    root, wiring = project.wiring.root, project.wiring
    first = project.run()
    assert set(statuses(first).values()) == {"published"}, statuses(first)
    assert heads(root) == tree(wiring)
    assert set(heads(root)) == set(TABLES)
    assert rows(project, "marts.total") == [(60,)]
    assert wiring.lake.stages() == ()
    assert {stamp for table in TABLES for stamp in stamps(root, table, 1)} == {first.result.run.id}
    assert not (root / ".forge" / "warehouse" / "forge_staging").exists(), "tables have folders of their own names"

    assert project.run().status == "nothing to do"

    # every way of writing to a table that exists names its run
    write(root, "data/2.csv", "id,amount,day\n2,25,2026-11-02\n3,30,2026-11-02\n")
    write(root, "transforms/core/people.sql", FILES["transforms/core/people.sql"] + " WHERE amount > 20")
    day = datetime(2026, 11, 2, tzinfo=UTC)
    second = project.run(start=day, end=datetime(2026, 11, 3, tzinfo=UTC))
    assert second.status == "succeeded", second.result.run.error
    assert heads(root) == tree(wiring)
    assert len(rows(project, "raw.orders")) == 4
    assert [row[0] for row in rows(project, "core.daily")] == [1, 2, 2, 3]
    assert rows(project, "core.people") == [(1, 10), (2, 25), (3, 30)]
    for table in ("raw.orders", "core.orders", "core.people", "core.daily", "marts.total"):
        assert stamps(root, table, 1) == [second.result.run.id], table

    # a gate that fails leaves the table where it was
    before = heads(root)
    write(root, "data/3.csv", "id,amount,day\n4,250000,2026-11-03\n")
    blocked = project.run("raw.orders", "core.orders")
    assert statuses(blocked) == {"raw.orders": "published", "core.orders": "blocked"}
    after = heads(root)
    assert after["core.orders"] == before["core.orders"]
    assert after["raw.orders"] == tree(wiring)["raw.orders"] != before["raw.orders"]

    # a branch is a ref in their catalog, and a table new on it is not seen on main
    create_branch(wiring.metadata, "dev", "HEAD", current=MAIN, author=wiring.author, clock=wiring.clock)
    write(root, "transforms/marts/total.sql", "SELECT max(twice) AS total, 'dev' AS place FROM staging.double")
    write(root, "transforms/marts/fresh.sql", "SELECT id FROM raw.orders")
    on_dev = project.run("marts.total", "marts.fresh", branch="dev")
    assert set(statuses(on_dev).values()) == {"published"}
    assert rows(project, "marts.total", at="dev") == [(500000, "dev")]
    assert rows(project, "marts.total") == [(170,)]
    assert len(rows(project, "marts.fresh", at="dev")) == 5
    assert CatalogName("marts", "fresh") not in wiring.lake.tables()
    assert project.spark.sql("SELECT count(*) FROM marts.total VERSION AS OF 'dev'").collect()[0][0] == 1
    assert find_problems(wiring.metadata, wiring.lake, MAIN) == ()


def test_the_embedded_catalog_names_the_run_too(make_project: MakeProject) -> None:
    project = make_project({"transforms/core/a.sql": "SELECT 1 AS x"})
    report = project.run()
    snapshot = project.wiring.lake.snapshot(CatalogName("core", "a"))
    assert snapshot is not None
    assert snapshot.run_id == report.result.run.id


def test_a_run_killed_between_two_tables_is_completed_by_repair(tmp_path: Path) -> None:
    kept = ("forge.yaml", "sources/shop.yaml", "data/1.csv", "transforms/core/orders.sql")
    for name in kept:
        write(tmp_path, name, FILES[name])
    command = [sys.executable, "-m", "forge.cli.main", "run", "--no-progress"]
    environ = {**os.environ, "FORGE_FAULT": "land"}
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr
    wiring = Wiring.of(tmp_path)
    assert (set(heads_of_landed(tmp_path)), tree(wiring)) == ({"raw.orders"}, {})
    found = {(finding.kind, finding.subject) for finding in find_problems(wiring.metadata, wiring.lake, MAIN)}
    dead = wiring.metadata.runs(limit=1)[0]
    assert {("unrecorded publish", "raw.orders"), ("interrupted run", str(dead.id))} <= found

    mended = repair(wiring.metadata, wiring.lake, author=wiring.author, now=wiring.clock())
    assert mended.completed == (dead.id,)
    assert find_problems(wiring.metadata, wiring.lake, MAIN) == ()
    assert tree(wiring) == heads_of_landed(tmp_path)
    head = wiring.branch_head(MAIN)
    assert [
        file.path.rsplit("/", 1)[-1] for file in wiring.metadata.loaded_files(TableName("raw", "orders"), head)
    ] == ["1.csv"]
    ended = wiring.metadata.run(dead.id)
    assert ended is not None
    assert (ended.status, ended.commit_id) == (RunStatus.INTERRUPTED, head)
    wiring.close()


def heads_of_landed(root: Path) -> dict[str, int]:
    return {name: head for name, head in heads(root).items() if not name.startswith("forge_")}
