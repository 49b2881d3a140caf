"""The web app is built when something changed, and only then."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
NPM = """echo "$*" >>calls
case "$*" in
  *" ci "*) [ ! -e no-network ] || { echo "cannot reach the packages"; exit 1; }
            rm -rf ui/node_modules; mkdir -p ui/node_modules/vite ;;
  *"run build"*) [ ! -e broken ] || { echo "TS2322 in home.tsx"; exit 2; }
                 mkdir -p src/forge/web; cp ui/src/home.tsx src/forge/web/index.html ;;
esac"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with a tiny web app and an npm that only notes what it is asked for."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("ui/package.json", "ui/package-lock.json", "ui/src/home.tsx"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}\n")
    for name, script in (("node", "echo v20.19.0"), ("npm", NPM)):
        (tmp_path / "bin" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(f"#!{shutil.which('bash')}\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


Build = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def build(clone: Path) -> Build:
    def call(*words: str) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "PATH": f"{clone / 'bin'}:{os.environ['PATH']}"}
        command = [str(clone / "scripts" / "web.sh"), *words]
        return subprocess.run(command, cwd=clone, env=environ, capture_output=True, text=True, timeout=60)

    return call


def asked(clone: Path) -> list[str]:
    """What npm was asked for since the last look."""
    calls = clone / "calls"
    found = [line.split()[2] if " ci " in line else line.split()[3] for line in calls.read_text().splitlines()]
    calls.write_text("")
    return found


def test_the_first_time_packages_are_installed_and_the_app_is_built(clone: Path, build: Build) -> None:
    done = build()
    assert done.returncode == 0, done.stderr
    assert asked(clone) == ["ci", "build"]
    assert (clone / "src" / "forge" / "web" / "index.html").exists()
    steps = [line.split("  ")[1] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert steps[:2] == ["packages of ui/package-lock.json", "built into src/forge/web"]


def test_the_second_time_nothing_is_done_and_nothing_said(clone: Path, build: Build) -> None:
    build()
    asked(clone)
    os.utime(clone / "ui" / "src" / "home.tsx", (2_000_000_000, 2_000_000_000))  # as after a checkout
    done = build()
    assert (done.returncode, done.stdout, asked(clone)) == (0, "", [])


@pytest.mark.parametrize(
    ("changed", "done"),
    [("ui/src/home.tsx", ["build"]), ("ui/src/new.tsx", ["build"]), ("ui/package-lock.json", ["ci", "build"])],
)
def test_a_change_is_followed_by_what_it_needs(clone: Path, build: Build, changed: str, done: list[str]) -> None:
    build()
    asked(clone)
    (clone / changed).write_text("changed\n")
    assert build().returncode == 0
    assert asked(clone) == done
    build()
    assert asked(clone) == []


def test_a_built_app_that_was_removed_is_built_again(clone: Path, build: Build) -> None:
    build()
    asked(clone)
    shutil.rmtree(clone / "src" / "forge" / "web")
    build()
    assert asked(clone) == ["build"]


def test_packages_alone_build_nothing(clone: Path, build: Build) -> None:
    build("packages")
    assert asked(clone) == ["ci"]
    build()
    assert asked(clone) == ["build"]


@pytest.mark.parametrize(
    ("fault", "said", "again"),
    [("broken", "TS2322 in home.tsx", ["build"]), ("no-network", "cannot reach the packages", ["ci", "build"])],
)
def test_a_failure_is_shown_and_tried_again_the_next_time(
    clone: Path, build: Build, fault: str, said: str, again: list[str]
) -> None:
    (clone / fault).touch()
    done = build()
    assert done.returncode == 3
    assert said in done.stderr
    asked(clone)
    (clone / fault).unlink()
    assert build().returncode == 0
    assert asked(clone) == again
