"""The worked example of docs/guide/add-a-check.md is carried out: its three files, as they stand there."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import forge.quality.checks
import forge.quality.spec

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "docs" / "guide" / "add-a-check.md"
_FILE = re.compile(r"^`(?P<path>[\w/.]+)`\n\n(?P<blocks>(?:```\w+\n.*?^```\n+)+)", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files_of_the_guide() -> dict[str, list[str]]:
    return {match["path"]: _BLOCK.findall(match["blocks"]) for match in _FILE.finditer(GUIDE.read_text("utf-8"))}


def apply(diff: str, text: str) -> str:
    lines = diff.splitlines()
    before = "\n".join(line[1:] for line in lines if not line.startswith("+"))
    after = "\n".join(line[1:] for line in lines)
    assert text.count(before) == 1, before
    return text.replace(before, after)


def module_of(name: str, text: str) -> ModuleType:
    module = ModuleType(name)
    module.__package__ = name.rpartition(".")[0]
    sys.modules[name] = module
    exec(compile(text, name, "exec"), module.__dict__)  # the text of our own guide
    return module


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The class and the line are in place; the files of the repository are untouched."""
    files = files_of_the_guide()
    (code,) = files["src/forge/quality/checks/distinct_count.py"]
    name = "forge.quality.checks.distinct_count"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))  # taken away again after the test
    module_of(name, code)
    registry = Path(forge.quality.checks.__file__ or "").read_text("utf-8")
    for diff in files["src/forge/quality/checks/__init__.py"]:
        registry = apply(diff, registry)
    monkeypatch.setitem(sys.modules, "forge.quality.checks.with_one_more", ModuleType("x"))
    changed = module_of("forge.quality.checks.with_one_more", registry)
    monkeypatch.setattr(forge.quality.spec, "class_of", changed.class_of)
    return files


def test_the_guide_has_three_files_and_no_more() -> None:
    assert list(files_of_the_guide()) == [
        "src/forge/quality/checks/distinct_count.py",
        "src/forge/quality/checks/__init__.py",
        "tests/quality/test_distinct_count.py",
    ]


def test_the_tests_of_the_guide_pass_when_it_was_followed(followed: dict[str, list[str]]) -> None:
    (text,) = followed["tests/quality/test_distinct_count.py"]
    module = module_of("test_distinct_count", text)
    del sys.modules["test_distinct_count"]
    tests = [value for name, value in vars(module).items() if name.startswith("test_")]
    assert len(tests) == 3
    for test in tests:
        test()


def test_without_the_line_in_the_list_the_new_type_is_unknown() -> None:
    problems = forge.quality.spec.validate_checks([{"type": "distinct_count", "column": "a", "max": 1}])
    assert "there is no check of type 'distinct_count'" in problems[0].message
