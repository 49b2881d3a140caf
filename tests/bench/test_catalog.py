"""The benchmark of the catalog runs in small, and its bounds are held as written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.catalog.bench import FTS5, TANTIVY, Measurements, missed, shown
from bench.catalog.flow import FlowMeasurements, measure_flow
from bench.catalog.generate import CatalogMaker
from bench.catalog.queries import asked_queries


def measured(query: float = 1.0, flow: float = 2.0, edited: float = 9.0) -> Measurements:
    built = {"seconds": 1.0, "megabytes": 2.0}
    return Measurements(
        assets=10,
        kinds=["name", "browse"],
        built={TANTIVY: built, FTS5: built},
        asked={TANTIVY: [query, query], FTS5: [10.0, 10.0]},
        typed={TANTIVY: [0.5], FTS5: [5.0]},
        flow=FlowMeasurements(assets=10, stored=1.0, indexed=1.0, asked=[flow, flow], edited=[edited], used=[3.0]),
    )


def test_a_missed_bound_is_named() -> None:
    assert missed(measured()) == []
    assert missed(measured(query=21.0)) == ["p95 of questions is 21.0 ms, 20 is the bound"]
    assert missed(measured(flow=31.0)) == ["p95 of questions by the flow is 31.0 ms, 30 is the bound"]
    assert missed(measured(edited=501.0)) == ["p95 of the search after an edit is 501.0 ms, 500 is the bound"]
    assert missed(replace(measured(flow=31.0), flow=None)) == []


def test_the_table_has_a_line_for_each_kind_and_each_leg_of_the_flow() -> None:
    lines = [line.split() for line in shown(measured()).splitlines()]
    assert [line[-1] for line in lines if line[:1] in (["name"], ["browse"], ["all"], ["suggestions"])] == ["10.0"] * 4
    assert [line[:2] for line in lines[-5:-2]] == [["questions", "2"], ["after", "an"], ["after", "use"]]


@pytest.mark.slow
def test_it_runs_in_small_by_the_flow_and_again_from_a_kept_folder(tmp_path: Path) -> None:
    queries = asked_queries(tuple(CatalogMaker(60).documents()), ("a", "b") * 40, ("c",) * 40)[:3]
    found = measure_flow(60, tmp_path, queries, changes=2)
    assert (found.assets, len(found.asked), len(found.edited), len(found.used)) == (60, 3, 2, 2)
    again = measure_flow(60, tmp_path, (), changes=1)
    assert (again.stored, again.indexed) == (found.stored, found.indexed)
