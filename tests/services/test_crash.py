"""kill -9 at every named step of a run, on both databases: old state or new, never between. Then doctor and repair."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyiceberg.catalog import Catalog

from forge.flows.runs.records import RunStatus
from forge.flows.runs.run import STEPS
from forge.flows.upkeep.maintenance import find_problems, repair
from forge.model.names import BranchName
from forge.wiring import Wiring

pytestmark = pytest.mark.spark

NEW_STATE = ("published", "recorded")  # the transaction has committed; before these, nothing has happened
FILES = {
    "forge.yaml": "user: {name: Ada, email: ada@example.com}\nspark: {master: 'local[2]', spark.driver.memory: 1g}\n",
    "sources/shop.yaml": (
        "sources:\n  - {output: raw.orders, connector: files, format: csv, path: 'data/*.csv', kind: append,\n"
        "     options: {header: 'true'}, columns: {id: long, amount: long}}\n"
    ),
    "transforms/core/orders.sql": (
        "/* forge\nchecks: [{type: unique, columns: [id]}]\n*/\nSELECT id, amount FROM raw.orders"
    ),
    "transforms/marts/total.sql": "SELECT sum(amount) AS total, count(*) AS orders FROM core.orders",
}
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.{number}.0
status: active
schema:
  - name: core.orders
    properties: [{{name: id, logicalType: integer}}, {{name: amount, logicalType: integer}}]
"""


@dataclass
class Shop:
    """A project that `forge run` works on in a process of its own."""

    root: Path
    url: str
    files: int = 0
    heads: list[str] = field(default_factory=list)

    def deliver(self) -> None:
        self.files += 1
        path = self.root / "data" / f"{self.files}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"id,amount\n{self.files},{self.files}\n")
        contract = self.root / "contracts" / "orders.odcs.yaml"
        contract.parent.mkdir(exist_ok=True)
        contract.write_text(CONTRACT.format(number=self.files))

    def run(self, fault: str | None = None) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "FORGE_DATABASE_URL": self.url}
        environ |= {"FORGE_FAULT": fault} if fault else {}
        command = [sys.executable, "-m", "forge.cli.main", "run", "--no-progress"]
        return subprocess.run(command, cwd=self.root, env=environ, capture_output=True, text=True, timeout=300)

    def wiring(self) -> Wiring:
        return Wiring.of(self.root, overrides={"database": self.url})


def state_of(wiring: Wiring) -> tuple[object, ...]:
    """The head of main, what each table holds there, read by PyIceberg from main's own ref, and the newest contract as
    the registry and the catalog's namespace have it."""
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("forge", uri=wiring.settings.database_url(), warehouse=wiring.settings.warehouse_path())
    found: list[object] = [wiring.branch_head(BranchName("main"))]
    for name in ("raw.orders", "core.orders", "marts.total"):
        if not catalog.table_exists(name):
            found.append(None)
            continue
        table = catalog.load_table(name)
        rows = table.scan().to_arrow().to_pylist()
        found.append((table.metadata.refs["main"].snapshot_id, sorted(tuple(row.values()) for row in rows)))
    return (*found, _contract(wiring, catalog))


def _contract(wiring: Wiring, catalog: Catalog) -> object:
    head = wiring.contracts.registry.head("orders")
    listed = catalog.load_namespace_properties("core").get("forge.contracts") if head else None
    entry = json.loads(listed)[0] if listed else None
    assert (entry["version"] if entry else None) == (head.newest.version if head else None)
    return head.newest.version if head else None


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def crash_shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    root = tmp_path_factory.mktemp("shop")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    if request.param == "sqlite":
        url = f"sqlite:///{root}/forge.db"
    else:
        make: Callable[[], str] = request.getfixturevalue("new_postgres")
        url = make()
    return Shop(root, url)


@pytest.mark.parametrize("step", STEPS)
def test_a_run_killed_at_a_step_leaves_old_or_new_state(crash_shop: Shop, step: str) -> None:
    crash_shop.deliver()
    before = state_of(crash_shop.wiring())
    done = crash_shop.run(fault=step)
    assert done.returncode == -signal.SIGKILL, done.stderr
    wiring = crash_shop.wiring()
    after = state_of(wiring)
    if step in NEW_STATE:
        assert after[0] != before[0]
        assert all(new != old for new, old in zip(after, before, strict=True))
        newest = wiring.metadata.runs(limit=1)[0]
        assert (newest.status, newest.commit_id) == (RunStatus.SUCCEEDED, after[0])
    else:
        assert after == before
    assert consistent(after)

    kinds = {finding.kind for finding in find_problems(wiring.metadata, wiring.lake, BranchName("main"))}
    assert ("interrupted run" in kinds) == (step not in NEW_STATE)
    mended = repair(wiring.metadata, wiring.lake, author=wiring.author, now=wiring.clock())
    assert len(mended.interrupted) == (0 if step in NEW_STATE else 1)
    assert find_problems(wiring.metadata, wiring.lake, BranchName("main")) == ()
    assert wiring.lake.stages() == ()
    assert state_of(wiring) == after


def test_after_all_crashes_a_run_brings_everything_up_to_date(crash_shop: Shop) -> None:
    crash_shop.deliver()
    done = crash_shop.run()
    assert done.returncode == 0, done.stderr
    wiring = crash_shop.wiring()
    _, raw, core, mart, contract = state_of(wiring)
    expected = [(number, number) for number in range(1, crash_shop.files + 1)]
    assert isinstance(raw, tuple)
    assert isinstance(core, tuple)
    assert isinstance(mart, tuple)
    assert raw[1] == expected
    assert core[1] == expected
    assert mart[1] == [(sum(range(crash_shop.files + 1)), crash_shop.files)]
    assert contract == f"1.{crash_shop.files}.0"


def consistent(state: tuple[object, ...]) -> bool:
    """The tables of one commit agree with each other."""
    _, raw, core, mart, contract = state
    if raw is None or core is None or mart is None:
        return raw == core == mart == contract
    assert isinstance(raw, tuple)
    assert isinstance(core, tuple)
    assert isinstance(mart, tuple)
    ((total, count),) = mart[1]
    return bool(raw[1] == core[1] and count == len(core[1]) and total == sum(row[1] for row in core[1]))
