"""The benchmark of lineage out of code: that it counts rightly, and that what it makes up is what it says. The peers
have packages of their own and are not asked here, but for the one that Forge itself stands on."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from forge.flows.lineage.code.extract import extract
from forge.flows.lineage.code.ports import IngestOptions
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.codebase import read_sequentially
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.sql.program import read_sql

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
WORKERS = ROOT / "bench" / "lineage_extract" / "workers"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("bench.lineage_extract.bench")


def test_a_tool_is_met_halfway_over_names(bench: ModuleType) -> None:
    truth = [("lake.sales.orders.id", "mart.t.id"), ("sales.orders.address.city", "mart.t.city"), ("s.a", "mart.t.n")]
    found = [
        ("`sales`.Orders.ID", "mart.t.id"),
        ("sales.orders.address", "t.city"),
        ("s.b", "mart.t.n"),
        ("s.*", "t.n"),
    ]
    score = bench.score_of(found, truth)
    assert (score.right, score.found, score.hit, score.true) == (2, 3, 2, 3)
    assert score.f1 == pytest.approx(2 / 3)
    assert bench.score_of([], []).f1 == 1
    assert bench.score_of([], truth).f1 == 0


def test_temporary_views_are_looked_through_as_they_were_when_they_were_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(WORKERS))
    views = import_module("worker").Views()
    make = "-- once more\nCREATE OR REPLACE TEMPORARY VIEW v AS SELECT 1"
    assert views.through(make, [("s.a", "v.x")]) == []
    assert views.through("INSERT INTO t", [("v.x", "t.y"), ("s.b", "t.z")]) == [("s.a", "t.y"), ("s.b", "t.z")]
    assert views.through(make, [("s.c", "v.x")]) == []
    assert views.through("INSERT INTO t", [("v.X", "t.y")]) == [("s.c", "t.y")]


def test_the_chain_and_the_codebase_are_what_they_say(bench: ModuleType, tmp_path: Path) -> None:
    asked = bench.chained(6, 30)
    (question,) = asked.questions
    found = flatten([read_sql(question.script, TableCatalog(definitions_of(asked.schemas["wide"])))])
    assert {(str(edge.source), str(edge.target)) for edge in found.edges} == question.truth
    bench.write_codebase(tmp_path, 60)
    endings = [path.suffix for path in tmp_path.rglob("*") if path.is_file()]
    assert [endings.count(one) for one in (".sql", ".py", ".ipynb")] == [36, 21, 3]
    code, programs = extract([tmp_path], IngestOptions(), read_sequentially)
    assert code.gaps == ()
    assert len(programs) == 60
    assert {str(edge.target).partition(".")[0] for edge in code.edges} >= {"staging", "core", "history", "marts", "lab"}


def test_all_are_asked_the_same_and_answer_for_themselves(bench: ModuleType) -> None:
    some = bench.together(bench.written(), bench.composed(4, 0))
    common = [one for one in some.questions if one.common][:3] + list(some.questions[-4:])
    asked = type(some)(common, some.schemas)
    answers = {tool.name: bench.ask(tool, asked, 10.0) for tool in (bench.FORGE, bench.PEERS[0])}
    assert [answer.error for answer in answers["Forge"]] == [""] * len(common)
    lines = bench.lines_of(asked, answers)
    assert {(line.set, line.tool) for line in lines} == {(s, t) for s in ("written", "random") for t in answers}
    ours = [line for line in lines if line.tool == "Forge"]
    assert [(line.f1, line.unread) for line in ours] == [(1, 0), (1, 0)]
    assert "sqlglot.lineage" in bench.table_of(lines)
    assert all(0 < line.median <= line.p95 for line in lines)


@pytest.mark.parametrize(("f1", "seconds", "ok"), [(0.98, 0.4, True), (0.9, 0.4, False), (0.98, 1.4, False)])
def test_a_bound_is_missed_or_not(bench: ModuleType, f1: float, seconds: float, ok: bool) -> None:
    line = bench.Line("written", "Forge", 9, f1, f1, f1, 0.0, 1.0, 2.0)
    peer = bench.Line("written", "other", 9, 0.1, 0.1, 0.1, 0.0, 90.0, 90.0)
    bounds = bench.bounds_of([line, peer], [("Forge", seconds, 1.0, ""), ("other", 99.0, 0.0, "")], None)
    assert len(bounds) == 3
    assert all(one.ok for one in bounds) is ok
    assert ("MISSED" in bench.bounds_table(bounds)) is not ok
