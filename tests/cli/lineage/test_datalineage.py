"""`datalineage`, as its own program, in a folder that is no Forge project. No JVM."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CODE = """\
CREATE TABLE core.orders (id INT, amount DECIMAL(10,2));
CREATE TABLE marts.daily AS SELECT SUM(amount) AS net FROM core.orders;
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "none")}
    command = [sys.executable, "-m", "forge.cli.lineage.datalineage", *words]
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("code")
    (folder / "jobs").mkdir()
    (folder / "jobs" / "daily.sql").write_text(CODE)
    ended = run(folder, "ingest", "jobs")
    assert ended.returncode == 0, ended.stderr
    assert "Next: datalineage upstream" in ended.stderr
    return folder


def test_the_graph_is_in_a_folder_of_its_own(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {"jobs", ".datalineage"}
    assert (folder / ".datalineage").stat().st_mode & 0o077 == 0
    assert (folder / ".datalineage" / ".gitignore").read_text() == "*\n"


def test_it_answers_upstream_and_downstream(folder: Path) -> None:
    document = json.loads(run(folder, "upstream", "marts.daily.net", "--json").stdout)
    assert [item["id"] for item in document["items"]] == ["core.orders.amount"]
    document = json.loads(run(folder, "--json", "downstream", "core.orders", "--level", "table").stdout)
    assert [item["id"] for item in document["items"]] == ["marts.daily"]


def test_it_answers_from_a_folder_below(folder: Path) -> None:
    ended = run(folder / "jobs", "upstream", "marts.daily.net")
    assert "core.orders.amount" in ended.stdout, ended.stderr
    assert not (folder / "jobs" / ".datalineage").exists()


def test_it_draws_an_erd(folder: Path) -> None:
    text = run(folder, "erd", "--schema", "core", "--format", "mermaid").stdout
    assert text.startswith("erDiagram")
    assert "amount" in text


def test_code_that_did_not_change_is_not_read_again(folder: Path) -> None:
    document = json.loads(run(folder, "ingest", "jobs", "--json").stdout)
    assert (document["read"], document["unchanged"]) == (0, 1)


def test_before_anything_is_read_it_says_what_to_do(tmp_path: Path) -> None:
    ended = run(tmp_path, "upstream", "marts.daily")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("FORGE-E102 ")
    assert "there is no lineage of this folder yet" in ended.stderr
    assert "datalineage ingest PATH" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_project_has_its_own_graph(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("project: shop\n")
    assert run(tmp_path, "ingest", str(folder / "jobs")).returncode == 0
    assert not (tmp_path / ".datalineage").exists()
    assert (tmp_path / ".forge").is_dir()


def test_python_reads_and_asks_without_a_project(tmp_path: Path) -> None:
    (tmp_path / "daily.sql").write_text(CODE)
    code = (
        "import datalineage; print(datalineage.ingest('daily.sql').gaps);"
        "print([i.name for i in datalineage.query.upstream('marts.daily', 'net').items])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.stdout.splitlines() == ["0", "['core.orders.amount']"], ended.stderr
    assert (tmp_path / ".datalineage").is_dir()


def test_it_is_installed_as_a_command() -> None:
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert tomllib.loads(text)["project"]["scripts"]["datalineage"] == "forge.cli.lineage.datalineage:main"
    assert "ingest" in run(Path.cwd(), "--help").stdout
