"""A walk in the formats of other programs."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lineage_walks import walk

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.formats import COLUMNS, FORMATS, to_csv, to_dot, to_mermaid, to_ndjson
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import EdgeKind, EdgeType, indirect_kind

SUM = Link(
    source="core.orders.amount",
    target="marts.revenue.total",
    transformation=Transformation.AGGREGATION,
    expression="sum(x)",
)
FILTER = Link(
    source="core.orders.status", target="marts.revenue", kind=indirect_kind(IndirectType.FILTER), confidence=0.8
)
BOARD = Link(source="marts.revenue.total", target="dashboard:sales", kind=EdgeKind(EdgeType.CONSUMES, None))
WALK = walk("core.orders.amount", [SUM, FILTER, BOARD], direction="downstream")


def test_csv_has_one_line_for_each_edge_in_their_order() -> None:
    rows = list(csv.DictReader(StringIO(to_csv([FILTER, SUM]))))
    assert rows[0] == {
        **dict.fromkeys(COLUMNS, ""),
        "source": "core.orders.amount",
        "target": "marts.revenue.total",
        "type": "derives_from",
        "relationship": "derived",
        "kind": "direct",
        "transformation": "aggregation",
        "expression": "sum(x)",
        "masking": "false",
        "confidence": "1.0",
        "level": "certain",
    }
    assert (rows[1]["kind"], rows[1]["subtype"]) == ("indirect", "filter")


def test_csv_holds_any_text_and_never_a_formula() -> None:
    expressions = ['a,"b"\nc', "=1+1", "-x", "@sum", "+y"]
    links = [Link(source=f"a.b.c{number}", target="d.e.f", expression=text) for number, text in enumerate(expressions)]
    shown = [row["expression"] for row in csv.DictReader(StringIO(to_csv(links)))]
    assert shown == ['a,"b"\nc', "'=1+1", "'-x", "'@sum", "'+y"]


def test_json_is_the_answer_and_json_lines_are_its_entities_and_edges() -> None:
    assert json.loads(FORMATS["json"](WALK)) == WALK.to_dict()
    rows = [json.loads(line) for line in to_ndjson(WALK).splitlines()]
    assert [next(iter(row)) for row in rows] == ["node"] * 4 + ["edge"] * 3
    assert rows[0]["node"] == WALK.items[0].to_dict()


def test_dot_puts_columns_into_a_box_for_their_table() -> None:
    assert to_dot(WALK).splitlines() == [
        "digraph lineage {",
        "  rankdir=LR;",
        '  node [shape=box, fontname="sans-serif"];',
        "  subgraph cluster_0 {",
        '    label="core.orders";',
        '    "core.orders.amount" [label="amount"];',
        '    "core.orders.status" [label="status"];',
        "  }",
        '  "dashboard:sales";',
        "  subgraph cluster_2 {",
        '    label="marts.revenue";',
        '    "marts.revenue" [label="marts.revenue"];',
        '    "marts.revenue.total" [label="total"];',
        "  }",
        '  "core.orders.amount" -> "marts.revenue.total" [label="sum(x)"];',
        '  "core.orders.status" -> "marts.revenue" [label="filter", style=dashed];',
        '  "marts.revenue.total" -> "dashboard:sales" [label="unknown"];',
        "}",
    ]


def test_mermaid_is_a_flowchart_with_a_box_for_each_table() -> None:
    assert to_mermaid(WALK).splitlines() == [
        "flowchart LR",
        '  subgraph t0["core.orders"]',
        '    n0["amount"]',
        '    n1["status"]',
        "  end",
        '  n2["dashboard:sales"]',
        '  subgraph t2["marts.revenue"]',
        '    n3["marts.revenue"]',
        '    n4["total"]',
        "  end",
        '  n0 -->|"sum(x)"| n4',
        '  n1 -.->|"filter"| n3',
        '  n4 -->|"unknown"| n2',
        "  style n0 stroke-width:3px",
    ]


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=3), st.text(max_size=8))
def test_any_name_stays_inside_its_quotes(names: list[str], expression: str) -> None:
    found = walk("a.b.c", [Link(source=f"s.{name}.c", target="a.b.c", expression=expression) for name in names])
    for line in to_mermaid(found).rstrip("\n").split("\n"):
        assert line.count('"') in (0, 2)
        inside = re.search(r'"(.*)"', line)
        assert inside is None or not set(inside[1]) & set("`\\{}[]|<>%")
    dot = re.sub(r'"(?:[^"\\]|\\.)*"', "Q", to_dot(found))
    assert re.fullmatch(r"[A-Za-z0-9_ =\[\]{};,>\n-]*", dot)


@pytest.mark.parametrize(
    ("name", "start"),
    [("json", "{"), ("csv", "source,target,"), ("dot", "digraph"), ("mermaid", "flowchart LR"), ("ndjson", "")],
)
def test_a_walk_that_reached_nothing_has_every_format(name: str, start: str) -> None:
    found = FORMATS[name](walk("a.b.c", []))
    assert found.startswith(start)
    assert bool(found) == bool(start)
