"""The rooms keep their doors: each rule of pyproject.toml is green on the tree and red on a forbidden import."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
LAYERS = "A layer imports only below itself, siblings never each other"
SETTINGS = "Settings are read by wiring and the faces, and handed down as values"
PYSPARK = "Only forge.engines.spark imports pyspark"
FACES = "Faces reach adapters through the wiring alone"


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--config", "pyproject.toml", "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture
def copied_tree(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_tree_keeps_every_import_rule() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    for rule in (LAYERS, SETTINGS, PYSPARK, FACES):
        assert f"{rule} KEPT" in result.stdout


@pytest.mark.parametrize(
    ("room", "forbidden", "rule"),
    [
        pytest.param("quality", "forge.lineage.edge", LAYERS, id="a domain imports another domain"),
        pytest.param("model", "forge.quality.measure", LAYERS, id="model imports a domain"),
        pytest.param("flows", "forge.stores.sql", LAYERS, id="a flow imports an adapter"),
        pytest.param("api", "forge.cli.terminal", LAYERS, id="the server imports the terminal"),
        pytest.param("stores/sql", "forge.engines.spark", LAYERS, id="a store imports an engine"),
        pytest.param("versioning", "forge.settings", SETTINGS, id="a domain reads the settings"),
        pytest.param("stores/lake", "pyspark.sql", PYSPARK, id="a store touches pyspark"),
        pytest.param("cli", "pyspark", PYSPARK, id="a command touches pyspark"),
        pytest.param("cli/upkeep", "forge.engines.spark.session.session", FACES, id="a command imports an engine"),
        pytest.param("api", "forge.stores.sql.metadata", FACES, id="the server imports a store"),
        pytest.param("connection", "forge.tools.git", FACES, id="Python's face imports a tool"),
    ],
)
def test_a_forbidden_import_turns_its_rule_red(copied_tree: Path, room: str, forbidden: str, rule: str) -> None:
    intruder = copied_tree / "src" / "forge" / room / "intruder.py"
    intruder.write_text(f"def later() -> None:\n    import {forbidden}\n")

    result = lint_imports(copied_tree)

    assert result.returncode == 1, result.stdout + result.stderr
    assert f"{rule} BROKEN" in result.stdout
    assert f"{intruder.relative_to(copied_tree / 'src').with_suffix('')}".replace("/", ".") in result.stdout


def test_a_room_nobody_listed_turns_the_layers_red(copied_tree: Path) -> None:
    (copied_tree / "src" / "forge" / "attic.py").write_text("")
    result = lint_imports(copied_tree)
    assert result.returncode == 1
    assert "attic" in result.stdout + result.stderr
