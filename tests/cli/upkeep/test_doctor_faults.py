"""`forge doctor` on faults that are really there: each is named in its own words, with its way out. No JVM."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sealed_lake import local

from forge.engines.spark.session.session import PACKAGES
from forge.flows.runs.records import RunRecord, RunStatus
from forge.model.names import BranchName, CatalogName, RunId, TableName
from forge.wiring import Wiring

House = Any  # as tests/cli/conftest.py makes it
NOBODY = 65534
NO_PROCESS = 2**22 + 1  # above the greatest pid Linux gives
FILL = """
set -e
cp -a "$1" "$2"
mount -t tmpfs -o size=12m tmpfs "$1"
cp -a "$2/." "$1/"
dd if=/dev/zero of="$1/fill" bs=4k 2>/dev/null || true
cd "$1"
exec "$3" -m forge.cli.main doctor --json
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's packages are there."""
    folder = tmp_path / "home" / ".ivy2.5.2" / "jars"
    folder.mkdir(parents=True)
    for package in PACKAGES:
        (folder / ("_".join(package.split(":")[:2]) + f"-{package.split(':')[2]}.jar")).touch()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def sound(house: House, house_folder: Any) -> House:
    """core.orders in two versions, all of it on the disk."""
    house_folder.lay("sound", lambda _: house.change("order_id,amount\n1,11\n"))
    return house


def database(house: House) -> Path:
    return Path(house.root / ".forge" / "forge.db")


def edit(house: House, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(database(house))) as connection, connection:
        connection.execute(sql, values)


def settle(house: House) -> None:
    """All of the database in its one file."""
    with closing(sqlite3.connect(database(house))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def files_of_orders(house: House) -> tuple[Path, Path, Path]:
    """A data file, its manifest, and the metadata file."""
    wiring = Wiring.of(house.root)
    assert wiring.versioning.hasher is not None
    version = wiring.metadata.tree(wiring.branch_head(wiring.default_branch))[TableName("core", "orders")]
    facts = wiring.versioning.hasher.facts(version.catalog, version.snapshot_id, version.schema_id)
    state = wiring.lake.state(version.catalog)
    assert facts is not None
    assert facts.manifest_list is not None
    assert state is not None
    manifest = wiring.versioning.hasher.manifests(facts.manifest_list)[0]
    data = wiring.versioning.hasher.listed(manifest)[0].path
    wiring.close()
    return local(data), local(manifest), local(state.location)


def told(ended: Any) -> str:
    """All that it says, its ways out among it."""
    found = ended.json
    wrong = [fact for fact in found["environment"] if not fact["ok"]] + found["findings"]
    assert all(one["fix"] for one in wrong), wrong
    return json.dumps(wrong, ensure_ascii=False)


# The faults: each plants one, and says the words that name it and the words of its way out.


def data_file_gone(house: House) -> tuple[str, str]:
    file = files_of_orders(house)[0]
    file.unlink()
    return f"1 of its 1 files are not there: {file}", "forge run core.orders --force"


def data_file_cut(house: House) -> tuple[str, str]:
    file = files_of_orders(house)[0]
    file.write_bytes(file.read_bytes()[:-7])
    return "have another size than was written", "Bring it back from a copy"


def manifest_gone(house: House) -> tuple[str, str]:
    file = files_of_orders(house)[1]
    file.unlink()
    return "unreadable manifest", "Bring it back from a copy"


def manifest_damaged(house: House) -> tuple[str, str]:
    files_of_orders(house)[1].write_bytes(b"garbage, and some more of it")
    return "unreadable manifest", "Bring it back from a copy"


def manifest_list_damaged(house: House) -> tuple[str, str]:
    for file in files_of_orders(house)[1].parent.glob("snap-*.avro"):
        file.write_bytes(b"garbage\n")
    return "unreadable manifest", "Bring it back from a copy"


def metadata_gone(house: House) -> tuple[str, str]:
    files_of_orders(house)[2].unlink()
    return "missing metadata file", "forge repair"


def metadata_cut(house: House) -> tuple[str, str]:
    file = files_of_orders(house)[2]
    file.write_bytes(file.read_bytes()[:99])
    return "unreadable metadata file", "forge repair"


def database_gone(house: House) -> tuple[str, str]:
    settle(house)
    for file in database(house).parent.glob("forge.db*"):
        file.unlink()
    return "The database is gone, and the warehouse is full", "Bring the database back from a backup"


def database_emptied(house: House) -> tuple[str, str]:
    settle(house)
    for file in database(house).parent.glob("forge.db-*"):
        file.unlink()
    database(house).write_bytes(b"")
    return "The database is gone, and the warehouse is full", "move the warehouse away"


def database_anew(house: House) -> tuple[str, str]:
    settle(house)
    for table in ("iceberg_tables", "forge_commit_parents", "forge_commit_tables"):
        edit(house, f"DELETE FROM {table}")
    edit(house, "UPDATE forge_branches SET head = NULL")
    return "the database knows none", "Bring the database back from a backup"


def page_damaged(house: House) -> tuple[str, str]:
    settle(house)
    with closing(sqlite3.connect(database(house))) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'forge_audit'").fetchone()
    with database(house).open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xa5" * size)
    return "The database is damaged", ".recover"


def no_database(house: House) -> tuple[str, str]:
    settle(house)
    database(house).write_text("this is not a database, it is a text that is long enough" * 20)
    return "The file of the database is no database", "bring it back from a backup"


def newer_schema(house: House) -> tuple[str, str]:
    edit(house, "UPDATE forge_migrations SET version_num = '9999'")
    return "was written by a newer version of Forge", "pip install --upgrade forge"


def dead_run(house: House) -> tuple[str, str]:
    wiring = Wiring.of(house.root)
    when = datetime(2026, 11, 15, tzinfo=UTC)
    main, host = BranchName("main"), socket.gethostname()
    wiring.metadata.start_run(
        RunRecord(
            id=RunId("r9"),
            branch=main,
            status=RunStatus.RUNNING,
            started_at=when,
            user="ada",
            host=host,
            pid=NO_PROCESS,
            process_started="t0",
        )
    )
    wiring.close()
    return "interrupted run", "forge repair"


def orphaned_stage(house: House) -> tuple[str, str]:
    wiring = Wiring.of(house.root)
    wiring.lake.open_stage(RunId("r8"), TableName("core", "orders"), CatalogName("core", "orders"), None)
    wiring.close()
    return "leftover stage", "forge repair"


def row_gone(house: House) -> tuple[str, str]:
    house.commit("item_id\n1\n", table="core.items", name="items.csv")
    edit(house, "DELETE FROM iceberg_tables WHERE table_name = 'orders'")
    return "missing table", "forge run"


FAULTS: dict[str, Callable[[House], tuple[str, str]]] = {
    "a data file is gone": data_file_gone,
    "a data file is cut off": data_file_cut,
    "a manifest is gone": manifest_gone,
    "a manifest is damaged": manifest_damaged,
    "a manifest list is damaged": manifest_list_damaged,
    "a metadata file is gone": metadata_gone,
    "a metadata file is cut off": metadata_cut,
    "the database is gone": database_gone,
    "the database is empty": database_emptied,
    "the database was made anew": database_anew,
    "a page is damaged": page_damaged,
    "the file is no database": no_database,
    "the schema is of another version": newer_schema,
    "a run died": dead_run,
    "a stage is orphaned": orphaned_stage,
    "a table is not in the catalog": row_gone,
}


@pytest.mark.slow
def test_a_sound_project_has_nothing_said_of_it(sound: House) -> None:
    ended = sound("doctor", "--json")
    assert ended.status == 0, ended.out
    assert told(ended) == "[]"
    assert sound("doctor").err.startswith("All is well, as far as the heads of all branches go.")


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named_with_its_way_out(sound: House, fault: str) -> None:
    words, way_out = FAULTS[fault](sound)
    ended = sound("doctor", "--json")
    assert ended.status == 1
    assert words in told(ended)
    assert way_out in told(ended)
    assert "All is well" not in sound("doctor").err


def test_a_file_of_settings_that_cannot_be_read_is_named(sound: House) -> None:
    (sound.root / "forge.yaml").write_text("project: [house\n")
    ended = sound("doctor")
    assert ended.status == 1
    assert "forge.yaml" in ended.out


@pytest.mark.parametrize(("version", "words"), [(None, "E301"), ("11.0.2", "11")])
def test_java_that_is_missing_or_too_old_is_named(
    sound: House, version: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "java" / "bin" / "java"
    if version is not None:
        java.parent.mkdir(parents=True)
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    ended = sound("doctor", "--json")
    assert ended.status == 1
    assert words in told(ended)
    assert "17" in told(ended)


@pytest.mark.slow
def test_a_locked_database_is_named_with_who_holds_it(sound: House) -> None:
    script = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", script, str(database(sound))]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        ended = sound("doctor", "--json")
        holder.stdin.close()
    assert ended.status == 1
    assert "The database is locked" in told(ended)
    assert str(holder.pid) in told(ended)


@pytest.fixture
def own(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A project of a user who is not root, whom rights hold back; where any user can reach it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        made = type(house)(house.forge, Path(folder) / "project")
        made.root.mkdir()
        (made.root / "forge.yaml").write_text("project: house\nuser: {name: Ada, email: ada@example.com}\n")
        made.commit("order_id,amount\n1,11\n")
        settle(made)
        for name in ("HOME", "XDG_CONFIG_HOME"):
            monkeypatch.setenv(name, "/nonexistent")
        if os.geteuid() == 0:
            for path in (made.root, *made.root.rglob("*")):
                os.chown(path, NOBODY, -1)
        yield made


@contextmanager
def as_its_owner() -> Iterator[None]:
    """Root may write anything, so for a while this process is not root."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.mark.slow
def test_a_warehouse_that_may_not_be_written_is_named(own: House) -> None:
    warehouse = own.root / ".forge" / "warehouse"
    warehouse.chmod(0o555)
    with as_its_owner():
        ended = own("doctor", "--json")
    warehouse.chmod(0o755)
    assert ended.status == 1, ended.out
    assert "The warehouse cannot be written" in told(ended)
    assert "Check the rights of the folder" in told(ended)


@pytest.mark.slow
def test_a_database_that_may_not_be_read_is_named_and_not_called_unreachable(own: House) -> None:
    database(own).chmod(0)
    with as_its_owner():
        ended, other = own("doctor", "--json"), own("log")
    database(own).chmod(0o600)
    assert ended.status == 1
    assert "may not be read or written by this user" in told(ended)
    assert "chmod" in told(ended)
    assert "FORGE-E411" in other.err


@pytest.mark.slow
def test_a_full_disk_is_named(sound: House, tmp_path: Path) -> None:
    """A file system of 12 MB, in a mount namespace of its own, filled to the last block."""
    user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    script = [
        "unshare",
        *user,
        "--mount",
        "sh",
        "-c",
        FILL,
        "sh",
        str(sound.root),
        str(tmp_path / "copy"),
        sys.executable,
    ]
    settle(sound)
    done = subprocess.run(script, capture_output=True, text=True, check=False, env=dict(os.environ), timeout=120)
    assert done.returncode == 1, (done.stdout, done.stderr)
    wrong = [fact for fact in json.loads(done.stdout)["environment"] if not fact["ok"]]
    assert any("full" in fact["detail"] or "no space left" in fact["detail"].lower() for fact in wrong), wrong
    assert all("ree space" in fact["fix"] for fact in wrong), wrong
    assert "could not be opened" not in done.stdout


def test_commands_call_a_damaged_page_by_its_name(sound: House) -> None:
    page_damaged(sound)
    (sound.root / "rows.csv").write_text("order_id,amount\n1,12\n")
    ended = sound("commit", "core.orders", "--file", "rows.csv", "--mode", "merge")
    assert ended.status == 5
    assert "FORGE-E409" in ended.err
    assert "could not be opened" not in ended.err


@pytest.mark.slow
def test_no_command_makes_a_new_database_beside_tables(sound: House) -> None:
    database_gone(sound)
    for words in (("log",), ("runs",), ("plan",), ("branch", "list")):
        ended = sound(*words)
        assert "FORGE-E412" in ended.err, words
        assert not database(sound).exists()
    shutil.rmtree(sound.root / ".forge" / "warehouse")
    assert sound("branch", "list").status == 0, "nothing is lost where nothing was"
