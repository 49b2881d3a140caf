"""`forge lineage import`: edges that people wrote, events of OpenLineage, Dagster. Exports are tested with `export`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from openlineage_events import columns, dataset, event, field

EDGES = """\
author: ada@example.com
reason: Billing is elsewhere.
nodes:
  - {id: "dashboard:board"}
edges:
  - {source: core.orders.amount, target: "dashboard:board", type: consumes}
  - {source: core.orders.amuont, target: "dashboard:board", type: consumes}
"""


def imported(house: Any, *words: str) -> Any:
    ended = house("lineage", "import", *words, "--json")
    assert ended.status == 0, ended.err
    return ended.json["imported"][0]


def test_a_file_of_edges_counts_until_it_says_something_else(house: Any) -> None:
    (house.root / "by_hand.yaml").write_text(EDGES)
    ended = house("lineage", "import", "by_hand.yaml")
    assert (ended.status, ended.out.split()[:2]) == (0, ["edges", "added"])
    assert ended.err.startswith("by_hand.yaml:7  core.orders.amuont is known from declared:by_hand.yaml alone")
    assert "Did you mean core.orders.amount or" in ended.err
    assert "dashboard:board" in house("downstream", "core.orders.amount").out
    again = imported(house, "by_hand.yaml")
    assert (again["edges"], again["added"], again["closed"]) == (2, 0, 0)
    (house.root / "by_hand.yaml").write_text("\n".join(EDGES.splitlines()[:-1]))
    assert imported(house, "by_hand.yaml")["closed"] == 1


def test_the_same_file_is_one_producer_from_wherever_it_is_named(house: Any, forge: Any) -> None:
    (house.root / "lineage").mkdir()
    (house.root / "lineage" / "by_hand.yaml").write_text(EDGES)
    first = imported(house, "lineage/by_hand.yaml")
    ended = forge("lineage", "import", "by_hand.yaml", "--json", at=house.root / "lineage")
    assert (first["added"], ended.json["imported"][0]["added"]) == (2, 0)


def test_all_faults_of_a_file_of_edges_are_told_at_once(house: Any) -> None:
    (house.root / "bad.yaml").write_text("author: ada\nedges:\n  - {source: core.orders.amount, transformation: sum}\n")
    before = house("lineage", "export").out
    ended = house("lineage", "import", "bad.yaml")
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.count("FORGE-E820 bad.yaml:3") == 3
    assert house("lineage", "export").out == before


def a_run(target: str, state: str = "COMPLETE", run: str = "0192f3a4-0000-7000-8000-000000000001") -> dict[str, Any]:
    facet = columns(total=[field("core.orders", "amount", "DIRECT/AGGREGATION", namespace="forge")])
    outputs = [dataset(target, "forge", columnLineage=facet)]
    return event(state, run=run, job=target, inputs=[dataset("core.orders", "forge")], outputs=outputs)


def test_events_in_lines_are_taken_and_a_malformed_one_keeps_back_no_other(house: Any) -> None:
    bad = a_run("marts.bad")
    del bad["run"]["runId"]
    held = a_run("marts.later", "START", "0192f3a4-0000-7000-8000-000000000002")
    lines = [json.dumps(a_run("marts.daily")), "", json.dumps(bad), "{", json.dumps(held)]
    (house.root / "events.ndjson").write_text("\n".join(lines))
    ended = house("lineage", "import", "events.ndjson", "--json")
    assert ended.status == 2
    found = ended.json["imported"][0]
    counts = {name: value for name, value in found.items() if name != "faults"}
    assert counts == {"events": 4, "recorded": 1, "unchanged": 0, "held": 1, "left_out": 0, "malformed": 2}
    assert {fault["where"] for fault in found["faults"]} == {"events.ndjson:3 /run/runId", "events.ndjson:4"}
    assert "FORGE-E818 events.ndjson:3 /run/runId" in ended.err
    assert "marts.daily.total" in house("downstream", "core.orders.amount").out


def test_events_may_be_one_or_a_list_and_come_twice(house: Any) -> None:
    (house.root / "one.json").write_text(json.dumps(a_run("marts.one"), indent=2))
    (house.root / "list.json").write_text(json.dumps([a_run("marts.one"), a_run("marts.two")]))
    assert imported(house, "one.json")["recorded"] == 1
    found = imported(house, "list.json")
    assert (found["events"], found["recorded"], found["unchanged"]) == (2, 1, 1)
    (house.root / "list.json").write_text(json.dumps([a_run("marts.one"), {"eventTime": "now"}]))
    assert "FORGE-E818 list.json /1/" in house("lineage", "import", "list.json").err


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((), "E105", "What is to be imported?"),
        (("a.yaml", "--dagster", "."), "E105", "exclude each other"),
        (("a.yaml", "--job", "nightly"), "E105", "belong to --dagster"),
        (("jobs.sql",), "E813", "forge ingest jobs.sql"),
        (("forge.yaml",), "E820", "forge.yaml"),
        (("nowhere.json",), "E813", "No such file"),
        (("nowhere.yaml",), "E813", "No such file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_imported_is_told(house: Any, words: tuple[str, ...], code: str, told: str) -> None:
    ended = house("lineage", "import", *words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(f"FORGE-{code} ")
    assert told in ended.err


def test_without_dagster_it_is_said_how_to_get_it(house: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "dagster", None)
    ended = house("lineage", "import", "--dagster", str(tmp_path))
    assert (ended.status, ended.out) == (3, "")
    assert ended.err.startswith("FORGE-E819 Dagster is not installed")
    assert "pip install 'forge[dagster]'" in ended.err


def test_in_python_the_same_can_be_called(house: Any) -> None:
    from forge.connection import connect

    (house.root / "by_hand.yaml").write_text(EDGES)
    (house.root / "one.json").write_text(json.dumps(a_run("marts.one")))
    with connect(house.root) as forge:
        declared = forge.lineage.import_declared(house.root / "by_hand.yaml")
        events = forge.lineage.import_events(house.root / "one.json")
    assert (declared.edges, declared.written.added, [gap.line for gap in declared.unknown]) == (2, 2, [7])
    assert (events.events, events.statuses, events.faults) == (1, {"recorded": 1}, ())
