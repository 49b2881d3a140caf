"""A guide that is followed to the letter: its files, as they stand there, in a copy of the package and its tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FILE = re.compile(r"^`(?P<path>[\w/.]+)`\n\n(?P<blocks>(?:```\w+\n.*?^```\n+)+)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "web", "node_modules")


def files_of(guide: str) -> dict[str, list[tuple[str, str]]]:
    """Path → its blocks, each with its language."""
    text = (ROOT / "docs" / "guide" / guide).read_text("utf-8")
    return {
        match["path"]: [(block["language"], block["text"]) for block in _BLOCK.finditer(match["blocks"])]
        for match in _FILE.finditer(text)
    }


def apply_diff(diff: str, text: str) -> str:
    lines = diff.splitlines()
    before = "\n".join(line[1:] for line in lines if not line.startswith("+"))
    after = "\n".join(line[1:] for line in lines if not line.startswith("-"))
    assert text.count(before) == 1, before
    return text.replace(before, after)


@dataclass(frozen=True)
class Followed:
    root: Path

    def run(self, *words: str) -> str:
        """Python with these words, in the copy; what it printed. It went well."""
        ended = subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(self.root / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    def test(self, *words: str) -> str:
        """The last line that pytest printed."""
        return self.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *words).strip().splitlines()[-1]


def follow(guide: str, root: Path) -> Followed:
    for name in ("src", "tests", "docs", "scripts"):
        shutil.copytree(ROOT / name, root / name, ignore=_LEFT_OUT)
    shutil.copy(ROOT / "pyproject.toml", root)
    for path, blocks in files_of(guide).items():
        place = root / path
        for language, text in blocks:
            if language == "diff":
                place.write_text(apply_diff(text, place.read_text("utf-8")), "utf-8")
            else:
                assert not place.exists(), path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, "utf-8")
    return Followed(root)
