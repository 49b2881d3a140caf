"""The benchmark of starting measures what it says it measures."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from migrated import lay_database

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("bench.startup")


def test_commands_stand_beside_the_floors_and_their_bounds(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "COMMANDS", bench.COMMANDS[:1])
    answer = tmp_path / "answer.json"
    assert bench.run(bench.parse(["--project", str(tmp_path), "--times", "1", "--json", str(answer)])) == 0
    bare, records, helped = json.loads(answer.read_text())
    assert (bare["what"], records["what"], helped["what"]) == (bench.BARE, bench.RECORDS, "forge --help")
    assert 0 < bare["modules"] < helped["modules"]
    assert 0 < bare["seconds"] < records["seconds"]
    assert 0 < bare["wall"] < helped["wall"]
    assert f"{helped['limit']:.2f}" in capsys.readouterr().out


def test_a_missed_bound_is_told_and_ends_with_one(bench: ModuleType) -> None:
    lines = [bench.Line(bench.BARE, 0.01), bench.Line(bench.RECORDS, 0.2), bench.Line("forge log", 0.6, 0.5, 500)]
    assert lines[-1].is_missed
    assert bench.Line("forge query", 1.5, 2.0, 500, 2.1, 2.0).is_missed
    assert not bench.Line("forge query", 1.5, 2.0, 500, 1.9, 2.0).is_missed
    assert bench.shown(lines).splitlines()[-1].endswith("missed")


def test_a_command_that_fails_throws_the_times_away(bench: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="ended with"):
        bench.times_of((*bench.FORGE, "log"), tmp_path)


def test_a_demo_is_made_once(bench: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[Path] = []
    monkeypatch.setattr(bench, "DEMO", tmp_path / "demo")
    assert bench.demo_folder(None, made.append) == tmp_path / "demo"
    (tmp_path / "demo" / ".forge").mkdir(parents=True)
    bench.demo_folder(None, made.append)
    assert made == [tmp_path / "demo"]


def test_a_query_that_a_server_is_asked_has_a_bound_of_its_own(bench: ModuleType) -> None:
    assert bench.shown_served([0.02, 0.03, 0.5]).endswith("best 20 ms, median 30 ms of 3, bound 100")
    assert bench.shown_served([0.2, 0.3, 0.5]).endswith("missed")


def test_a_server_is_asked_again_and_again(bench: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    monkeypatch.setattr(bench, "JOIN", "SELECT 1 AS one")
    monkeypatch.setattr(bench, "REQUESTS", 2)
    found = bench.served(tmp_path)
    assert len(found) == 2
    assert all(0 < one < 30 for one in found)
