"""The benchmark of versioning, at a scale that shows that it works and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
TINY = (
    "--large 8000 --medium 2000 --rows 4000 --edits 100 --per-file 1000 --dolt 2000 --mib 2 --turns 2 --repeats 1 "
    "--master local[2] --memory 1g --partitions 2"
)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("bench.versioning.bench")


def test_a_line_shows_the_ratio_to_its_peer_and_whether_the_bound_holds(bench: ModuleType) -> None:
    lines = [
        bench.Line("merge", 0.5, "s", 10.0, "full join", "≤ 1/10", True),
        bench.Line("diff", 2.0, "s", 10.0, "full join", "≤ 1/10", False),
        bench.Line("seen only", 1.0, "s"),
    ]
    _, first, second, third = bench.table_of(lines).splitlines()
    assert first.split("  ")[0] == "merge"
    assert first.split()[-4:] == ["0.050", "≤", "1/10", "ok"]
    assert second.split()[-4:] == ["0.200", "≤", "1/10", "MISSED"]
    assert third.split() == ["seen", "only", "1", "s"]


@pytest.mark.parametrize(
    ("ok", "words", "status"), [(True, "--limits", 0), (False, "--limits", 1), (False, "", 0), (None, "--limits", 0)]
)
def test_a_missed_bound_is_a_failure_where_it_was_asked_for(
    bench: ModuleType, capsys: pytest.CaptureFixture[str], ok: bool | None, words: str, status: int
) -> None:
    assert bench.conclude([bench.Line("merge", 1.0, "s", 2.0, ok=ok)], bench.parse(words.split())) == status
    assert ("missed: merge" in capsys.readouterr().err) is (ok is False)


@pytest.mark.spark
def test_it_measures_everything_beside_its_peers(tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    command = [sys.executable, "-m", "bench.versioning.bench", *TINY.split(), "--folder", str(tmp_path)]
    done = subprocess.run([*command, "--json", str(answer)], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    lines = json.loads(answer.read_text())
    assert {line["beside"] for line in lines} - {""} == {
        "1k rows",
        "Iceberg",
        "Iceberg, ten calls",
        "full join on Spark",
        "in 2,000",
        "changed files",
        "DoltLite, 2,000 rows",
        "plain read",
    }
    assert all(line["ratio"] > 0 for line in lines if line["beside"])
    held = {line["what"].strip(): line["ok"] for line in lines}
    assert held["files written by it"]  # what does not depend on how fast the machine is
    assert [line["what"] for line in lines if line["what"] in done.stdout] == [line["what"] for line in lines]
