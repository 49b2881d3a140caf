"""A real instance of Dagster, whose assets were materialized, and the code that defines them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from migrated import lay_database
from typer.testing import CliRunner

from forge.cli.main import app
from forge.engines.dagster import read_code, read_dagster, read_instance
from forge.flows.lineage.dagster import import_assets
from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import open_graph
from forge.lineage.facts.evidence import Basis
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

pytestmark = pytest.mark.services

CODE = """
import dagster as dg

RAW = dg.AssetKey(["raw", "orders"])
SCHEMA = {"dagster/column_schema": dg.TableSchema([dg.TableColumn("id", "int"), dg.TableColumn("amount", "int")])}

@dg.asset(key=RAW, metadata=SCHEMA)
def raw_orders():
    return [1]

@dg.asset(key=["core", "orders"], deps=[RAW], owners=["ada@example.com"], description="Orders", group_name="shop")
def core_orders():
    ways = {"order_id": [dg.TableColumnDep(RAW, "id")], "cents": [dg.TableColumnDep(RAW, "amount")]}
    return dg.MaterializeResult(metadata={"dagster/column_lineage": dg.TableColumnLineage(ways)})

@dg.asset(key=["marts", "daily"], ins={"orders": dg.AssetIn(key=RAW)})
def daily(orders):
    return orders

defs = dg.Definitions(
    assets=[raw_orders, core_orders, daily],
    jobs=[dg.define_asset_job("nightly", selection=["raw/orders", "core/orders"])],
)
"""
# Materialized by a process of its own, as it is in life.
RUN = """
import sys, dagster as dg, code_location
with dg.DagsterInstance.from_config(sys.argv[1]) as instance:
    ended = code_location.defs.resolve_job_def("nightly").execute_in_process(instance=instance)
    print(ended.run_id)
    dg.materialize([code_location.raw_orders, code_location.daily], instance=instance)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """The folder of the instance, the file of the code, and the id of the run of the job."""
    folder = tmp_path_factory.mktemp("dagster")
    (folder / "home").mkdir()
    (folder / "home" / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    (folder / "code_location.py").write_text(CODE)
    words = [sys.executable, "-c", RUN, str(folder / "home")]
    ended = subprocess.run(words, cwd=folder, env=dict(os.environ), capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    return folder / "home", folder / "code_location.py", ended.stdout.split()[0]


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[LineagePorts]:
    (tmp_path / "forge.yaml").write_text("project: shop\nuser: {name: Ada}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    wiring = Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))
    yield wiring.lineage.graph
    wiring.close()


def edges(ports: LineagePorts) -> set[str]:
    return {fact.key.id for fact in ports.store.edge_facts() if fact.valid_to is None}


COLUMNS = {"raw.orders.id->core.orders.order_id#derived", "raw.orders.amount->core.orders.cents#derived"}


def test_what_runs_materialized_becomes_edges(home: tuple[Path, Path, str], ports: LineagePorts) -> None:
    done = import_assets(ports, read_instance(home[0]))
    assert (done.assets, done.edges, done.older) == (3, 4, ())
    assert edges(ports) == COLUMNS | {"raw.orders->core.orders#derived", "raw.orders->marts.daily#derived"}
    facts = list(ports.store.edge_facts(producer="dagster:core/orders"))
    assert {fact.evidence[0].run_id for fact in facts} == {home[2]}
    assert [item.node.id for item in open_graph(ports).walk("core.orders.cents").items] == ["raw.orders.amount"]


def test_importing_again_changes_nothing(home: tuple[Path, Path, str], ports: LineagePorts) -> None:
    import_assets(ports, read_instance(home[0]))
    before = ports.store.revision()
    assert import_assets(ports, read_instance(home[0])).recorded.revision == before


def test_a_job_or_a_run_may_be_chosen(home: tuple[Path, Path, str], ports: LineagePorts) -> None:
    chosen = [read_instance(home[0], job="nightly"), read_instance(home[0], run_id=home[2])]
    for assets in chosen:
        assert {asset.key for asset in assets} == {("raw", "orders"), ("core", "orders")}
    import_assets(ports, read_instance(home[0]))
    older = import_assets(ports, chosen[1])
    assert older.older == ("raw/orders",)  # a later run has materialized it


def test_the_code_declares_its_assets(home: tuple[Path, Path, str], ports: LineagePorts) -> None:
    assets = {asset.key: asset for asset in read_code(str(home[1]))}
    assert assets["core", "orders"].owners == ("ada@example.com",)
    import_assets(ports, assets.values())
    assert edges(ports) == {"raw.orders->core.orders#derived", "raw.orders->marts.daily#derived"}
    (number,) = ports.store.numbers(["raw.orders.amount"]).values()
    assert ports.store.nodes([number])[number].details == {"data_type": "int"}
    assert {asset.key for asset in read_code(str(home[1]), job="nightly")} == {("raw", "orders"), ("core", "orders")}


def test_a_folder_is_an_instance_and_anything_else_is_code(home: tuple[Path, Path, str]) -> None:
    assert {asset.at is None for asset in read_dagster(str(home[0]))} == {False}
    assert {asset.at is None for asset in read_dagster(str(home[1]))} == {True}


def test_an_edge_that_is_declared_and_seen_has_both_as_evidence(
    home: tuple[Path, Path, str], ports: LineagePorts
) -> None:
    import_assets(ports, [*read_code(str(home[1])), *read_instance(home[0])])
    facts = [fact for fact in ports.store.edge_facts() if fact.key.id == "raw.orders->core.orders#derived"]
    assert {fact.evidence[0].basis for fact in facts} == {Basis.DECLARED, Basis.OBSERVED}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import nowhere_to_be_found", "nowhere_to_be_found"),
        ("x = 1", "defines no assets"),
        ("import dagster as dg\na = dg.Definitions()\nb = dg.Definitions()", "2 Definitions"),
        ("def", "SyntaxError"),
    ],
)
def test_code_that_cannot_be_read_is_told(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "broken.py").write_text(text)
    with pytest.raises(ForgeError) as caught:
        read_code(str(tmp_path / "broken.py"))
    assert caught.value.code == "E819"
    assert why in f"{caught.value.what} {caught.value.why}"


def test_what_is_no_instance_is_told(tmp_path: Path, home: tuple[Path, Path, str]) -> None:
    for broken in (tmp_path, tmp_path / "none"):
        with pytest.raises(ForgeError, match="no instance"):
            read_instance(broken)
    (tmp_path / "dagster.yaml").write_text("storage: 7\n")
    with pytest.raises(ForgeError, match="cannot read"):
        read_instance(tmp_path)
    with pytest.raises(ForgeError, match="materialized no asset"):
        read_instance(home[0], run_id="none")
    with pytest.raises(ForgeError, match="has no runs"):
        read_dagster(str(home[1]), run_id=home[2])
    with pytest.raises(ForgeError, match="no file"):
        read_code(str(tmp_path / "none.py"))


def test_the_terminal_imports_an_instance_a_job_a_run_and_code(
    home: tuple[Path, Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "forge.yaml").write_text("project: shop\nuser: {name: Ada}\n")

    def imported(target: str, *words: str) -> dict[str, Any]:
        asked = ["lineage", "import", "--dagster", target, *words, "--project", str(tmp_path), "--json"]
        ended = CliRunner().invoke(app, asked)
        assert ended.exit_code == 0, ended.output
        return dict(json.loads(ended.stdout)["imported"][0])

    first = imported(str(home[0]), "--job", "nightly")
    assert (first["assets"], first["edges"], first["added"], first["older"]) == (2, 3, 3, [])
    assert imported(str(home[0]))["added"] == 1  # that of the other asset
    again = imported(str(home[0]), "--run-id", home[2])
    assert (again["added"], again["older"]) == (0, ["raw/orders"])
    assert imported(str(home[1]))["assets"] == 3
    monkeypatch.chdir(home[1].parent)
    assert imported("code_location")["added"] == 0  # the same by its name
    asked = ["upstream", "core.orders.cents", "--project", str(tmp_path)]
    assert "raw.orders.amount" in CliRunner().invoke(app, asked).stdout


def test_without_dagster_it_is_said_how_to_get_it() -> None:
    script = (
        "import sys; sys.modules['dagster'] = None\n"
        "from pathlib import Path; from forge.engines.dagster import read_instance\n"
        "try:\n    read_instance(Path('.'))\nexcept Exception as error:\n    print(error, error.fix)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "FORGE-E819" in ended.stdout
    assert "forge[dagster]" in ended.stdout
