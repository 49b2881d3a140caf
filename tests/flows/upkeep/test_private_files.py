"""What Forge keeps is for its owner alone, whatever the umask says and whoever made it."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from forge.api.logs import PrivateLog
from forge.flows.upkeep.private_files import close_to_others, find_open, private_file, private_folder
from forge.settings import load_settings
from forge.wiring import Wiring


@pytest.fixture(autouse=True, params=[0o022, 0o000], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_within_forges_own_are_closed_and_those_above_stay(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    open_to_all = mode(project)
    private_folder(project / ".forge" / "logs" / "old")
    assert [mode(project / ".forge" / part) for part in ("", "logs", "logs/old")] == [0o700] * 3
    assert mode(project) == open_to_all


def test_a_file_is_made_closed_and_an_open_one_is_closed_with_its_content(tmp_path: Path) -> None:
    file = tmp_path / ".forge" / "forge.db"
    assert mode(private_file(file)) == 0o600
    file.write_text("kept")
    beside = file.with_name("forge.db-wal")
    beside.write_text("")
    for one in (file, beside):
        one.chmod(0o644)
    assert mode(private_file(file)) == mode(beside) == 0o600
    assert file.read_text() == "kept"


def test_the_database_and_what_sqlite_keeps_beside_it_are_closed(tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("project: shop\n")
    wiring = Wiring(load_settings(tmp_path, {"PATH": ""}))
    wiring.metadata.branches()
    files = sorted((tmp_path / ".forge").glob("forge.db*"))
    assert {file.name for file in files} >= {"forge.db", "forge.db-wal", "forge.db-shm"}
    assert {file.name: mode(file) for file in files} == {file.name: 0o600 for file in files}
    assert mode(tmp_path / ".forge") == 0o700
    wiring.close()


def test_a_log_that_is_begun_anew_is_closed_too(tmp_path: Path) -> None:
    file = private_file(tmp_path / ".forge" / "logs" / "server.log")
    log = PrivateLog(file, maxBytes=50, backupCount=2, encoding="utf-8", delay=True)
    for number in range(10):
        log.emit(logging.makeLogRecord({"msg": f"a line with the number {number}"}))
    log.close()
    files = sorted(file.parent.iterdir())
    assert [one.name for one in files] == ["server.log", "server.log.1", "server.log.2"]
    assert {mode(one) for one in files} == {0o600}


def test_what_an_earlier_version_left_open_is_closed_and_told(tmp_path: Path) -> None:
    logs = tmp_path / ".forge" / "logs"
    logs.mkdir(parents=True)
    (logs / "spark.log").write_text("")
    for path in (tmp_path / ".forge", logs):
        path.chmod(0o755)
    (logs / "spark.log").chmod(0o640)
    assert set(close_to_others(tmp_path)) == {tmp_path / ".forge", logs, logs / "spark.log"}
    assert tuple(find_open(tmp_path / ".forge")) == ()
    assert (mode(logs), mode(logs / "spark.log")) == (0o700, 0o600)
    assert close_to_others(tmp_path) == ()


def test_what_a_link_points_at_is_not_changed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("")
    outside.chmod(0o644)
    (tmp_path / ".forge").mkdir(mode=0o700)
    (tmp_path / ".forge" / "link").symlink_to(outside)
    close_to_others(tmp_path)
    private_file(tmp_path / ".forge" / "link")
    assert mode(outside) == 0o644
