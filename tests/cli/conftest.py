"""Projects on real SQLite stores: a fresh one of `forge init`, and one with a recorded history. No JVM."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
import typer.testing
from kept_folder import KeptFolder
from lineage_world import declare_lineage
from migrated import lay_database
from recorded_history import MORNING, History, write_history
from typer.testing import CliRunner
from version_world import ArrowEngine

from forge.cli.main import app
from forge.wiring import Wiring


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Forge = Callable[..., Ended]


@pytest.fixture(scope="session", autouse=True)
def _commands_are_built_once() -> Iterator[None]:
    """Typer's runner builds all commands anew for each call, which takes longer than most of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def forge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Forge:
    """`forge(*words, at=folder)` in this process."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.setenv("NO_COLOR", "")

    def call(*words: str, at: Path | None = None, stdin: str | None = None) -> Ended:
        monkeypatch.chdir(at or tmp_path)
        result = CliRunner().invoke(app, list(words), input=stdin, prog_name="forge")
        return Ended(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def forge_process(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """The same in a process of its own, for what only a process shows: signals, pipes, imports, a JVM."""

    def start(*words: str, at: Path | None = None, **environ: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "forge.cli.main", *words],
            cwd=at or tmp_path,
            env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "no-config"), **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture
def project(forge: Forge, tmp_path: Path) -> Path:
    """What `forge init` makes."""
    assert forge("init", "shop").status == 0
    return tmp_path / "shop"


ORDERS = """\
order_id,customer,amount,status
1,ada,10.0,new
2,bob,20.0,new
3,cy,30.0,paid
"""


# The catalog follows publications only where a test is about that: a fifth of the time of all others.
HOUSE_YAML = "project: house\nuser: {name: Ada, email: ada@example.com}\ncatalog: {follow: false}\n"


@dataclass(frozen=True)
class House:
    """An empty project of Ada's, in which tables are written by hand. No JVM."""

    forge: Forge
    root: Path

    def __call__(self, *words: str) -> Ended:
        return self.forge(*words, at=self.root)

    def commit(self, text: str, *words: str, table: str = "core.orders", name: str = "rows.csv") -> Ended:
        """`forge commit`, with these lines as the file; it went well."""
        (self.root / name).write_text(text)
        ended = self("commit", table, "--file", name, *words)
        assert ended.status == 0, ended.err
        return ended

    def change(self, text: str, *words: str) -> Ended:
        """Rows of core.orders changed or inserted by key."""
        return self.commit(text, "--mode", "merge", *words)

    def rows(self, revision: str, table: str = "core.orders") -> list[dict[str, Any]]:
        """All rows at a revision, by Arrow."""
        from forge.flows.versioning.revisions import find_commit
        from forge.flows.versioning.tables import FileSlice
        from forge.model.names import TableName

        wiring = Wiring.of(self.root)
        commit = find_commit(wiring.metadata, revision, wiring.default_branch)
        version = wiring.metadata.tree(commit.id)[TableName.parse(table)]
        assert version.snapshot_id is not None
        tables = wiring.versioning.ports().tables
        files = tables.files(version.catalog, version.snapshot_id)
        found = tables.read(FileSlice(version.catalog, version.snapshot_id, tuple(files.files))).to_pylist()
        wiring.close()
        first = next(iter(found[0])) if found else ""
        return sorted(found, key=lambda row: str(row[first]))

    def values(self, revision: str, column: str) -> dict[int, Any]:
        """One column of core.orders by key."""
        return {row["order_id"]: row[column] for row in self.rows(revision)}


@pytest.fixture(scope="session")
def house_folder(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder:
    return KeptFolder(tmp_path_factory.mktemp("house"))


def _build(house: House) -> None:
    lay_database(house.root / ".forge" / "forge.db")
    (house.root / "forge.yaml").write_text(HOUSE_YAML)
    house.commit(ORDERS, "--key", "order_id", "-m", "First load")


def _tear(house: House) -> None:
    assert house("branch", "create", "fix").status == 0
    house.change("order_id,amount\n1,11\n", "-m", "Ours")
    house.change("order_id,status\n2,paid\n", "-m", "Ours, too")
    house.change("order_id,amount\n1,12\n", "--branch", "fix", "-m", "Theirs")
    house.change("order_id,customer,amount,status\n3,cy,33,paid\n4,di,40,new\n", "--branch", "fix", "-m", "More")


@pytest.fixture
def house(forge: Forge, house_folder: KeptFolder) -> House:
    """core.orders with three rows on main, by Ada."""
    return House(forge, house_folder.lay("house", lambda root: _build(House(forge, root))))


@pytest.fixture
def torn(forge: Forge, house: House, house_folder: KeptFolder) -> House:
    """main and `fix` changed the same cell of row 1 (11, 12), other rows apart: main 2, fix 3 and a new 4."""
    return House(forge, house_folder.lay("torn", lambda root: _tear(house)))


@pytest.fixture
def checked(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Every row of core.orders must have a customer; Python measures that, in place of Spark."""
    (house.root / "checks").mkdir()
    (house.root / "checks" / "orders.yaml").write_text("core.orders:\n  - {type: not_null, column: customer}\n")
    monkeypatch.setattr(Wiring, "engine", property(lambda self: ArrowEngine(self.versioning.tables)))
    return house


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    root = tmp_path_factory.mktemp("history") / "shop"
    result = CliRunner().invoke(app, ["init", str(root)])
    assert result.exit_code == 0, result.output
    wiring = Wiring.of(root, clock=lambda: MORNING + timedelta(days=2))
    yield write_history(wiring)
    wiring.close()


@pytest.fixture(scope="session")
def _traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("traced") / "shop"
    assert CliRunner().invoke(app, ["init", str(root)]).exit_code == 0
    wiring = Wiring.of(root, clock=lambda: MORNING + timedelta(days=1, hours=1))
    write_history(wiring)
    declare_lineage(wiring)
    wiring.close()
    return root


@pytest.fixture
def traced(forge: Forge, _traced: Path) -> House:
    """The recorded history and what people declared of its lineage. For looking only."""
    return House(forge, _traced)


@pytest.fixture
def traced_copy(forge: Forge, _traced: Path, tmp_path: Path) -> House:
    """The same, to write to."""
    return House(forge, Path(shutil.copytree(_traced, tmp_path / "copy")))
