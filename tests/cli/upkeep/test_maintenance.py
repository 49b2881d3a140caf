"""`doctor`, `repair`, `gc` and `setup`, without a JVM."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from forge.engines.spark.session.session import PACKAGES
from forge.flows.runs.records import RunRecord, RunStatus
from forge.model.names import BranchName, RunId
from forge.wiring import Wiring

NEVER = 2**22 + 1  # above the greatest pid Linux gives


def crash(root: Path) -> None:
    """A run whose process is gone."""
    wiring = Wiring.of(root)
    when = datetime(2026, 11, 15, tzinfo=UTC)
    import socket

    run = RunRecord(
        id=RunId("r9"),
        branch=BranchName("main"),
        status=RunStatus.RUNNING,
        started_at=when,
        user="ada",
        host=socket.gethostname(),
        pid=NEVER,
        process_started="t0",
    )
    wiring.metadata.start_run(run)
    wiring.metadata.enter_step(run.id, "staged")
    wiring.close()


@pytest.fixture
def home_with_jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home" / ".ivy2.5.2" / "jars"
    folder.mkdir(parents=True)
    for package in PACKAGES:
        (folder / ("_".join(package.split(":")[:2]) + f"-{package.split(':')[2]}.jar")).touch()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("home_with_jars")
def test_doctor_finds_nothing_in_a_new_project(forge: Any, project: Path) -> None:
    ended = forge("doctor", "--json", at=project)
    assert ended.status == 0, ended.out
    facts = {fact["name"]: fact["ok"] for fact in ended.json["environment"]}
    known = ("python", "java", "files", "jars", "database", "warehouse", "catalog", "spark", "project")
    assert facts == dict.fromkeys(known, True)
    assert ended.json["findings"] == []


@pytest.mark.slow
@pytest.mark.usefixtures("home_with_jars")
def test_doctor_closes_what_was_open_to_others_and_says_so(forge: Any, project: Path) -> None:
    forge("doctor", at=project)
    folder, database = project / ".forge", project / ".forge" / "forge.db"
    folder.chmod(0o755)
    database.chmod(0o644)
    first, second = forge("doctor", "--json", at=project), forge("doctor", "--json", at=project)
    told = [next(f for f in ended.json["environment"] if f["name"] == "files") for ended in (first, second)]
    assert (first.status, second.status) == (0, 0)
    assert "was open to other users (2 files and folders)" in told[0]["detail"]
    assert told[1]["detail"] == "only you can read .forge"
    assert (folder.stat().st_mode & 0o777, database.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.slow
def test_doctor_names_a_key_file_that_others_can_read(forge: Any, project: Path) -> None:
    key = project / "tls.key"
    key.write_text("secret")
    key.chmod(0o644)
    with (project / "forge.yaml").open("a") as settings:
        settings.write("\nserver: {tls_cert: tls.pem, tls_key: tls.key}\n")
    ended = forge("doctor", at=project)
    assert ended.status == 1
    assert "tls.key can be read by other users" in ended.out
    assert "chmod go=" in ended.out
    assert key.stat().st_mode & 0o777 == 0o644


def test_doctor_looks_at_the_machine_outside_a_project_too(forge: Any) -> None:
    ended = forge("doctor", "--json")
    assert ended.status == 0
    assert {fact["name"] for fact in ended.json["environment"]} == {"python", "java", "jars", "project"}


@pytest.mark.slow
@pytest.mark.usefixtures("home_with_jars")
def test_doctor_names_a_crashed_run_and_repair_ends_it(forge: Any, project: Path) -> None:
    crash(project)
    found = forge("doctor", "--json", at=project)
    assert found.status == 1
    assert [(f["kind"], f["subject"], f["fix"]) for f in found.json["findings"]] == [
        ("interrupted run", "r9", "forge repair")
    ]
    dry = forge("repair", "--dry-run", "--json", at=project)
    assert [run["run_id"] for run in dry.json["interrupted"]] == ["r9"]
    assert forge("doctor", at=project).status == 1
    assert forge("repair", "--json", at=project).json["interrupted"] == dry.json["interrupted"]
    assert forge("doctor", at=project).status == 0
    assert forge("runs", "r9", "--json", at=project).json["run"]["status"] == "interrupted"


def test_doctor_says_that_java_is_missing(forge: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    ended = forge("doctor")
    assert ended.status == 1
    assert "FORGE-E301" in ended.out


@pytest.mark.slow
def test_doctor_shows_a_broken_project_as_a_finding(forge: Any, project: Path) -> None:
    (project / "transforms" / "marts" / "revenue.sql").write_text("SELECT FROM WHERE")
    ended = forge("doctor", at=project)
    assert ended.status == 1
    assert "✗ project" in ended.out
    assert "revenue.sql" in ended.out


def test_gc_deletes_only_old_files_that_nothing_points_at(forge: Any, project: Path) -> None:
    folder = project / ".forge" / "warehouse" / "core" / "gone"
    folder.mkdir(parents=True)
    old, young = folder / "old.parquet", folder / "young.parquet"
    for file in (old, young):
        file.write_bytes(b"x" * 10)
    before = (datetime.now(UTC) - timedelta(days=3)).timestamp()
    os.utime(old, (before, before))
    dry = forge("gc", "--dry-run", "--json", at=project).json
    assert [Path(item["path"]).name for item in dry["orphans"]] == ["old.parquet"]
    assert dry["deleted"] == 0
    assert old.exists()
    done = forge("gc", "--older-than", "24h", "--yes", "--json", at=project).json
    assert (done["deleted"], done["bytes"]) == (1, 10)
    assert not old.exists()
    assert young.exists()


def test_setup_with_all_packages_there_starts_nothing(
    forge: Any, home_with_jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://never")  # a session would be refused
    ended = forge("setup", "--json")
    assert ended.status == 0, ended.err
    assert {Path(item["path"]).parent for item in ended.json["jars"]} == {home_with_jars}
    assert len(ended.json["jars"]) == len(PACKAGES)


def test_setup_without_java_says_how_to_install_it(forge: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))
    ended = forge("setup")
    assert ended.status == 3
    assert "FORGE-E301" in ended.err
    assert "fix: Install it" in ended.err
