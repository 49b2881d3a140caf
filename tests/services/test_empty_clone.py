"""`make demo` from an empty clone, as the README says it: an environment of its own, the packages, the web app, the
story; and the second time, when all of that is there."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.services("clone")

ROOT = Path(__file__).resolve().parents[2]


def make_demo(clone: Path, what: str, capsys: pytest.CaptureFixture[str]) -> str:
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS", "VIRTUAL_ENV"))}
    began = time.monotonic()
    done = subprocess.run(
        ["make", "demo", "ARGS=--no-serve"], cwd=clone, env=environ, capture_output=True, text=True, timeout=1800
    )
    with capsys.disabled():
        print(f"\nmake demo {what}: {time.monotonic() - began:.0f} s")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def test_make_demo_tells_its_story_from_an_empty_clone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clone = tmp_path / "forge"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    told = make_demo(clone, "from an empty clone", capsys)
    assert told.count("✓") >= 9, "nine good days"
    assert "core.orders.amount" in told
    assert "raw.orders.amount" in told
    for column in ("average_order", "country_performance.revenue", "lifetime_value", "daily_revenue.revenue"):
        assert column in told
    for owner in ("sven", "maria", "fiona"):
        assert f"{owner}@shop.example" in told
    assert not (clone / ".venv" / "bin" / "ruff").exists(), "the demo installs what it needs and no more"
    assert (clone / "src" / "forge" / "web" / "index.html").exists()
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)
    assert changed.stdout == "", "all that is made is ignored by git"

    again = make_demo(clone, "the second time", capsys)
    for step in ("Environment", "Web app", "Packages of Spark", "Spark started"):
        assert step not in again, "nothing is made twice"
    assert told[told.index("blocked on main") :] == again[again.index("blocked on main") :]
