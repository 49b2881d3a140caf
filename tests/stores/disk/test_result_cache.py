"""Kept results on the disk: several processes, one that is killed while it writes, and an index that is damaged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from forge.stores.disk.result_cache import DiskResultCache

WORKER = """
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from forge.stores.disk.result_cache import DiskResultCache

cache, turns = DiskResultCache(Path(sys.argv[1]), 300_000), int(sys.argv[2])
print("begun", flush=True)
turn = 0
while turn < turns or turns == 0:
    key = f"k{turn % 40}"
    look = cache.look(key)
    assert look.body in (None, key.encode() * 5000), key
    cache.put(key, key.encode() * 5000, tags=("s:x",), expires=datetime.now(UTC) + timedelta(hours=1), mark=look.mark)
    turn += 1
"""


def worker(folder: Path, turns: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, str(folder), str(turns)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def put(cache: DiskResultCache, key: str) -> bool:
    return cache.put(key, b"rows", tags=("s:crm",), expires=datetime.now(UTC) + timedelta(hours=1), mark=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".forge" / "results"


@pytest.mark.slow
def test_processes_share_it_and_one_that_is_killed_harms_nobody(folder: Path) -> None:
    killed, others = worker(folder, 0), [worker(folder, 60) for _ in range(2)]
    assert killed.stdout is not None
    assert killed.stdout.readline() == "begun\n"
    time.sleep(0.3)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    for one in others:
        _, said = one.communicate(timeout=120)
        assert one.returncode == 0, said
    stats = DiskResultCache(folder, 300_000).stats()
    assert 0 < stats.bytes <= 300_000
    assert stats.hits > 0
    files = {file.name: file.stat().st_size for file in folder.glob("*.arrow") if not file.name.startswith(".")}
    # One more may be there, of the killed process, and is swept when it is old enough.
    assert sum(files.values()) <= stats.bytes + max(files.values())


def test_what_a_killed_process_left_is_swept_when_it_is_old(folder: Path) -> None:
    cache = DiskResultCache(folder, 10_000)
    put(cache, "a")
    old, new, half = folder / "old.arrow", folder / "new.arrow", folder / ".half.arrow"
    for file in (old, new, half):
        file.write_bytes(b"left")
    for file in (old, half):
        os.utime(file, (time.time() - 3600, time.time() - 3600))
    assert DiskResultCache(folder, 10_000).look("a").body == b"rows"
    assert (old.exists(), new.exists(), half.exists()) == (False, True, False)


def test_a_damaged_index_is_thrown_away_with_its_entries(folder: Path) -> None:
    cache = DiskResultCache(folder, 10_000)
    put(cache, "a")
    for file in folder.glob("index.db*"):
        file.write_bytes(b"not an index " * 500)
    assert cache.look("a").body is None
    assert not list(folder.glob("*.arrow"))
    assert put(cache, "b")
    assert DiskResultCache(folder, 10_000).look("b").body == b"rows"


def test_a_file_that_is_gone_is_a_miss(folder: Path) -> None:
    cache = DiskResultCache(folder, 10_000)
    put(cache, "a")
    for file in folder.glob("*.arrow"):
        file.unlink()
    assert not cache.holds("a")
    assert cache.look("a").body is None
    assert cache.stats().entries == 0
