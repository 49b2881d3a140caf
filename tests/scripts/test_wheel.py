"""A wheel without the web app is not built, and one that lacks something is not handed out."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """As little as can be built."""
    texts = ("scripts/wheel.py", "pyproject.toml", "README.md", "LICENSE", ".gitignore")
    for name in (*texts, "src/datalineage.py", "src/forge/py.typed"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "examples" / "shop", tmp_path / "examples" / "shop")
    return tmp_path


def build(clone: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(clone / "scripts" / "wheel.py")]
    return subprocess.run(command, cwd=clone, capture_output=True, text=True, timeout=120)


def write_page(clone: Path) -> None:
    (clone / "src" / "forge" / "web").mkdir()
    (clone / "src" / "forge" / "web" / "index.html").write_text("<!doctype html>")


def test_without_the_web_app_there_is_no_wheel(clone: Path) -> None:
    done = build(clone)
    assert done.returncode == 3
    assert "missing: src/forge/web/index.html" in done.stderr
    assert "fix:  make ui" in done.stderr
    assert not (clone / "dist").exists()


def test_an_older_wheel_makes_way(clone: Path) -> None:
    write_page(clone)
    (clone / "dist").mkdir()
    (clone / "dist" / "forge-0.0.1-py3-none-any.whl").touch()
    done = build(clone)
    assert done.returncode == 0, done.stderr
    (wheel,) = (clone / "dist").iterdir()
    assert wheel.stat().st_size > 0
    assert str(wheel) in done.stdout


def test_a_wheel_that_lacks_the_shop_is_named_as_such(clone: Path) -> None:
    write_page(clone)
    (clone / "examples" / "shop" / "forge.yaml").unlink()
    done = build(clone)
    assert done.returncode == 3
    assert "lacks forge/examples/shop/forge.yaml" in done.stderr
