"""The benchmark of the lineage graph, at a scale that shows that it works and nothing else."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parents[2]
TINY = "--edges 3000 --columns 4 --repeats 1 --without-neo4j"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return import_module("bench.lineage_graph.bench")


def test_generated_graphs_have_diamonds_hubs_and_cycles(bench: ModuleType) -> None:
    made = bench.generate(20_000)
    arrays = made.arrays
    net = nx.DiGraph(list(zip(arrays.source.tolist(), arrays.target.tolist(), strict=True)))
    assert net.number_of_edges() == 20_000
    assert not nx.is_directed_acyclic_graph(net)
    hub = made.hubs[0]
    assert net.out_degree(hub) > 20
    assert len(nx.descendants(net, hub)) > made.columns / 4
    assert any(net.in_degree(node) > 1 for node in net.successors(next(iter(net.successors(hub)))))
    assert made.name(hub) == "d0.l0_0.c0"
    assert [entity.id for entity in made.entities()][hub - 1] == made.name(hub)


@pytest.mark.slow
def test_it_measures_everything_beside_its_peers(bench: ModuleType, tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    options = bench.parse([*TINY.split(), "--folder", str(tmp_path), "--json", str(answer)])
    assert bench.main(options) == 0
    lines = json.loads(answer.read_text())
    assert {line["beside"] for line in lines} - {""} == {"networkx", "rustworkx", "SQLite, recursive"}
    whats = {line["what"].strip() for line in lines}
    assert {"load from the store", "closure of hubs", "with the surest ways", "write 1,000 edges and follow"} <= whats
    assert all(line["forge"] > 0 for line in lines)


@pytest.mark.parametrize(("ok", "words", "status"), [(True, "--limits", 0), (False, "--limits", 1), (False, "", 0)])
def test_a_missed_bound_is_a_failure_where_it_was_asked_for(
    bench: ModuleType, capsys: pytest.CaptureFixture[str], ok: bool, words: str, status: int
) -> None:
    line = bench.Line(10, "closure", 1.0, "s", 2.0, "networkx", "≤ 1 s", ok)
    assert bench.conclude([line], bench.parse(words.split())) == status
    said = capsys.readouterr()
    assert said.out.splitlines()[-1].split()[:8] == ["10", "closure", "1", "s", "2", "s", "networkx", "0.500"]
    assert ("missed: closure at 10" in said.err) is not ok
