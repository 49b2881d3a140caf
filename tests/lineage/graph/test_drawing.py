"""The notebook's picture shows what a walk reached, loads nothing and runs nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lineage_walks import walk

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.graph.drawing import MOST_COLUMNS, MOST_TABLES, draw
from forge.lineage.graph.request import TraversalRequest
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import EdgeKind, EdgeType, indirect_kind
from forge.lineage.svg import fit

SVG = "{http://www.w3.org/2000/svg}"
SUM = Link(
    source="core.orders.amount",
    target="marts.revenue.total",
    transformation=Transformation.AGGREGATION,
    expression="sum(x)",
)


def read(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture[: picture.index("</svg>") + 6])


def words(picture: str) -> list[str]:
    return [element.text or "" for element in read(picture).iter(f"{SVG}text")]


def curves(picture: str) -> list[ElementTree.Element]:
    return [one for one in read(picture).iter(f"{SVG}path") if one.get("class") == "curve"]


def test_tables_are_cards_with_the_columns_that_are_touched() -> None:
    picture = draw(walk("marts.revenue.total", [SUM, Link(source="raw.orders.amount", target="core.orders.amount")]))
    assert words(picture) == ["raw.orders", "amount", "core.orders", "amount", "marts.revenue", "total", "sum(x)"]
    assert len(curves(picture)) == 2


def test_cards_stand_from_left_to_right_as_the_data_flows() -> None:
    picture = draw(walk("marts.revenue.total", [SUM, Link(source="raw.orders.amount", target="core.orders.amount")]))
    places = {
        (one.text or ""): float(one.get("x", "0"))
        for one in read(picture).iter(f"{SVG}text")
        if "." in (one.text or "")
    }
    assert places["raw.orders"] < places["core.orders"] < places["marts.revenue"]


def test_the_focus_is_marked() -> None:
    picture = read(draw(walk("marts.revenue.total", [SUM])))
    focus = [group for group in picture.iter(f"{SVG}g") if group.get("class") == "focus"]
    assert [[text.text for text in group.iter(f"{SVG}text")] for group in focus] == [["marts.revenue", "total"]]
    assert sum(one.get("class") == "mark" for one in picture.iter(f"{SVG}rect")) == 1


def test_seen_by_tables_the_table_of_the_start_is_the_focus() -> None:
    lifted = replace(
        walk("marts.revenue", [Link(source="core.orders", target="marts.revenue")]),
        ask=TraversalRequest(start="marts.revenue.total"),
    )
    picture = read(draw(lifted))
    focus = [group for group in picture.iter(f"{SVG}g") if group.get("class") == "focus"]
    assert [[text.text for text in group.iter(f"{SVG}text")] for group in focus] == [["marts.revenue"]]
    assert words(draw(lifted)) == ["core.orders", "marts.revenue"]


def test_what_only_shapes_rows_is_dashed_and_ends_at_the_table() -> None:
    picture = draw(
        walk(
            "marts.revenue",
            [Link(source="core.orders.status", target="marts.revenue", kind=indirect_kind(IndirectType.FILTER))],
        )
    )
    assert "filter" in words(picture)
    assert "dashed: shapes the rows only" in words(picture)
    assert next(group.get("class") for group in read(picture).iter(f"{SVG}g")) == "dashed"


def test_masked_and_unsure_edges_are_told_apart_and_explained() -> None:
    links = [Link(source="a.b.c", target="d.e.f", masking=True), Link(source="a.b.x", target="d.e.f", confidence=0.5)]
    picture = draw(walk("d.e.f", links))
    assert "violet: masked · thin: confidence below 0.8" in words(picture)


def test_a_dashboard_is_a_card_that_says_so() -> None:
    consumed = Link(source="marts.revenue.total", target="dashboard:sales", kind=EdgeKind(EdgeType.CONSUMES, None))
    picture = draw(walk("marts.revenue.total", [consumed], direction="downstream"))
    assert words(picture) == ["marts.revenue", "total", "sales", "dashboard"]


def test_cycles_and_edges_within_a_table_are_drawn() -> None:
    links = [
        Link(source="a.b.c", target="d.e.f"),
        Link(source="d.e.f", target="a.b.c"),
        Link(source="d.e.f", target="d.e.g"),
        Link(source="d.e.f", target="d.e.f"),
    ]
    assert len(curves(draw(walk("a.b.c", links, direction="both")))) == 4


def test_of_a_wide_table_some_columns_are_drawn_and_the_rest_is_one_row() -> None:
    links = [Link(source=f"a.wide.c{number:02}", target="d.e.f") for number in range(MOST_COLUMNS + 5)]
    picture = draw(walk("d.e.f", links))
    assert "+5 more" in words(picture)
    assert len(curves(picture)) == MOST_COLUMNS + 1
    focus = draw(walk("a.wide.c16", links, direction="downstream"))
    assert "c16" in words(focus)


def test_of_too_many_tables_the_nearest_are_drawn_and_the_rest_is_counted_and_listed() -> None:
    links = [Link(source=f"s.t{number:03}.c", target=f"s.t{number + 1:03}.c") for number in range(100)]
    depths = {f"s.t{number:03}.c": 100 - number for number in range(100)}
    picture = draw(walk("s.t100.c", links, depths=depths))
    assert sum(word.startswith("s.t") for word in words(picture)) == MOST_TABLES
    assert f"{101 - MOST_TABLES} more tables are not drawn." in words(picture)
    assert "s.t100" in words(picture)
    assert "s.t000" not in words(picture)
    table = picture[picture.index("</svg>") :]
    assert "<table>" in table
    assert "s.t000.c" in table


def test_what_is_hidden_or_left_out_is_said() -> None:
    told = words(draw(walk("marts.revenue.total", [SUM], hidden=4, total=9)))
    assert "4 edges below the confidence 0.5 were not followed." in told
    assert "1 of the 9 reached are shown." in told


def test_nothing_reached_is_still_a_picture_of_the_start() -> None:
    assert words(draw(walk("marts.revenue.total", []))) == ["marts.revenue", "total"]


@pytest.mark.slow
@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8)), min_size=1, max_size=4))
def test_any_name_and_any_expression_is_drawn_as_text(names: list[tuple[str, str]]) -> None:
    links = [Link(source=f"a.{table}.c", target=f"b.{other}.d", expression=other) for table, other in names]
    picture = draw(walk(links[0].source, links, direction="downstream"))
    assert {element.tag for element in read(picture).iter()} <= {
        f"{SVG}{tag}" for tag in ("svg", "style", "rect", "g", "title", "path", "text")
    }


@pytest.mark.parametrize("evil", ["<script>alert(1)</script>", '" onload="alert(1)', "</style><img src=x>", "]]>"])
def test_a_name_never_becomes_markup(evil: str) -> None:
    picture = draw(walk("a.b.c", [Link(source=f"x.{evil}.y", target="a.b.c", expression=evil, masking=True)]))
    for element in read(picture).iter():
        assert element.tag.removeprefix(SVG) in {"svg", "style", "rect", "g", "title", "path", "text"}
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]


def test_the_picture_needs_nothing_and_fits_both_themes() -> None:
    picture = draw(walk("marts.revenue.total", [SUM]))
    assert re.findall(r"https?://[^\"\s]+", picture) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in picture
    assert "@import" not in picture
    assert "prefers-color-scheme:dark" in picture
    assert 'role="img"' in picture
    style = read(picture).find(f"{SVG}style")
    assert style is not None
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", (style.text or "").replace("@media(prefers-color-scheme:dark){", ""))
    assert all(".forge-svg" in one for selector in selectors for one in selector.strip("}").split(","))


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("short", 100, "short"), ("a" * 30, 69, "a" * 9 + "…"), ("表" * 30, 69, "表" * 4 + "…")],
)
def test_a_text_is_cut_where_its_room_ends(text: str, width: float, shown: str) -> None:
    assert fit(text, width) == shown


def test_a_walk_shows_itself_in_a_notebook() -> None:
    assert walk("marts.revenue.total", [SUM])._repr_html_().startswith("<svg")
