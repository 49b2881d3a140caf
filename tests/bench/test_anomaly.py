"""The benchmark of anomalies, at a scale that shows that it works and what the default must reach."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("bench.anomaly.bench")


def test_a_series_is_the_same_for_a_seed_and_has_what_was_planted(bench: ModuleType) -> None:
    series = bench.make(3)
    assert series == bench.make(3)
    assert series != bench.make(4)
    first = min(series.planted)
    assert (first - series.points[0].time).days >= bench.Shape().quiet
    weekend = [p.value for p in series.points[:28] if p.time.weekday() >= 5]
    assert max(weekend) < min(p.value for p in series.points[:28] if p.time.weekday() < 5)


@pytest.mark.slow
def test_the_default_finds_all_and_is_mostly_right(bench: ModuleType) -> None:
    line = bench.measure("seasonal", bench.as_they_come("seasonal"), 2, bench.Shape())
    assert (line.recall, line.planted > 5) == (1.0, True)
    assert line.precision >= 0.8


@pytest.mark.services  # for scikit-learn takes a second to load
def test_it_measures_every_method(bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = tmp_path / "answer.json"
    options = bench.parse(["--series", "1", "--days", "60", "--json", str(answer)])
    assert bench.main(options) == 0
    names = [line["what"] for line in json.loads(answer.read_text())]
    assert names[:5] == ["seasonal", "zscore", "iqr", "mad", "isolation_forest"]
    assert "the same by scikit-learn" in capsys.readouterr().out
