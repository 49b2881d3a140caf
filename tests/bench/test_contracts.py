"""The benchmark of contracts, at a scale that shows that it works."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("--models", "2", "--columns", "3", "--many", "3", "--many-columns", "2", "--times", "1", "--without-peer")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("bench.contracts.bench")


@pytest.mark.slow
def test_it_measures_and_keeps_its_bounds(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The real bound is for a quiet machine: what a busy one takes decides nothing here.
    monkeypatch.setattr(bench, "POLICIES_SECONDS", 60.0)
    answer = tmp_path / "answer.json"
    assert bench.run(bench.parse([*SMALL, "--limits", "--json", str(answer)])) == 0
    lines = json.loads(answer.read_text("utf-8"))
    assert [(line["what"], line["contracts"]) for line in lines] == [
        (bench.IN_ONE, 1),
        ("forge: lint", 2),
        (bench.POLICIES, 2),
        (bench.WITH_SQL, 2),
        ("forge: lint", 3),
    ]
    assert all(line["seconds"] > 0 for line in lines)
    assert "lint and policies" in capsys.readouterr().out


@pytest.mark.slow
def test_a_missed_bound_fails_it(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "MANY_SECONDS", 0.0)
    assert bench.run(bench.parse([*SMALL, "--limits"])) == 1
    assert bench.run(bench.parse(SMALL)) == 0


def test_a_contract_that_is_not_right_throws_the_times_away(bench: ModuleType, tmp_path: Path) -> None:
    broken = tmp_path / "a.odcs.yaml"
    broken.write_text("apiVersion: v3.1.0", "utf-8")
    with pytest.raises(SystemExit, match="not right"):
        bench.lint_all([broken])


@pytest.mark.parametrize(
    ("transforms", "words"), [("none", "0 tables were judged, not 2"), ("functions", None), ("sql", None)]
)
def test_policies_are_measured_on_tables_that_are_judged(
    bench: ModuleType, tmp_path: Path, transforms: str, words: str | None
) -> None:
    bench.write_project(tmp_path, 2, 3, transforms=transforms)
    if words is None:
        bench.compile_all(tmp_path, 2)
        (tmp_path / "contracts" / "core.model_0.odcs.yaml").unlink()
        words = "1 contract|judged|not right"
    with pytest.raises(SystemExit, match=words):
        bench.compile_all(tmp_path, 2)
