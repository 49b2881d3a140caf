"""An ERD shows the tables of a schema with their keys, in formats that other programs can read whatever the names."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.erd.diagram import Erd, erd_of
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import EdgeKind, EdgeType
from forge.lineage.node import Node, NodeType
from forge.model.errors import ForgeError

SVG = "{http://www.w3.org/2000/svg}"


def table(name: str, type_: NodeType = NodeType.TABLE, **details: object) -> Node:
    return Node(id=name, type=type_, name=name.rpartition(".")[2], table=name, parent="", details=details)


def column(name: str, data_type: str = "bigint", **details: object) -> Node:
    owner, _, own = name.rpartition(".")
    return Node(
        id=name, type=NodeType.COLUMN, name=own, table=owner, parent=owner, details={"data_type": data_type, **details}
    )


SHOP = (
    table("core.orders", primary_key=["id"]),
    column("core.orders.id", nullable=False),
    column("core.orders.customer", foreign_key="core.customers.id"),
    column("core.orders.amount", "decimal(18,2)", nullable=True),
    table("core.customers"),
    column("core.customers.id", primary_key=True),
    column("core.customers.country", "string", foreign_key={"table": "geo.countries", "column": "code"}),
    table("core.details", foreign_keys=[{"columns": ["order_id"], "table": "core.orders", "references": ["id"]}]),
    column("core.details.order_id", primary_key=True),
    table("core.daily", NodeType.VIEW),
    column("core.daily.total", "decimal(38,2)"),
    table("geo.countries"),
    column("geo.countries.code", "string"),
    column("geo.countries.name", "string"),
    table("core.step", kind="cte"),
)
LINKS = (
    Link(source="core.orders.amount", target="core.daily.total", confidence=0.9),
    Link(source="core.orders.id", target="core.daily.total", confidence=0.6),
    Link(source="core.orders.id", target="core.orders.amount"),
    Link(source="geo.countries.name", target="core.daily.total"),
    Link(source="core.customers", target="core.orders", kind=EdgeKind(EdgeType.CONTAINS, None)),
)


def test_an_erd_has_the_tables_of_a_schema_with_columns_and_keys() -> None:
    erd = erd_of(SHOP, LINKS, "core")
    assert [(one.name, one.type, one.outside) for one in erd.tables] == [
        ("core.customers", "table", False),
        ("core.daily", "view", False),
        ("core.details", "table", False),
        ("core.orders", "table", False),
        ("geo.countries", "table", True),
    ]
    orders = erd.tables[3]
    assert [(one.name, one.data_type, one.nullable, one.primary_key, one.foreign_key) for one in orders.columns] == [
        ("id", "bigint", False, True, False),
        ("amount", "decimal(18,2)", True, False, False),
        ("customer", "bigint", None, False, True),
    ]
    assert [one.name for one in erd.tables[4].columns] == ["code"]


def test_relations_are_the_declared_keys_and_the_lineage_between_tables() -> None:
    assert erd_of(SHOP, LINKS, "core").to_dict()["relations"] == [
        {
            "type": "foreign_key",
            "inferred": False,
            "source": "core.customers",
            "source_columns": ["country"],
            "target": "geo.countries",
            "target_columns": ["code"],
            "cardinality": "many_to_one",
            "evidence": [],
        },
        {
            "type": "foreign_key",
            "inferred": False,
            "source": "core.details",
            "source_columns": ["order_id"],
            "target": "core.orders",
            "target_columns": ["id"],
            "cardinality": "one_to_one",
            "evidence": [],
        },
        {
            "type": "foreign_key",
            "inferred": False,
            "source": "core.orders",
            "source_columns": ["customer"],
            "target": "core.customers",
            "target_columns": ["id"],
            "cardinality": "many_to_one",
            "evidence": [],
        },
        {"type": "lineage", "source": "core.orders", "target": "core.daily", "edges": 2, "confidence": 0.9},
    ]


def test_without_a_schema_all_tables_are_drawn_and_intermediate_ones_never() -> None:
    erd = erd_of(SHOP, LINKS, None)
    assert [one.name for one in erd.tables if one.outside] == []
    assert ("geo.countries", "core.daily") in {(flow.source, flow.target) for flow in erd.flows}
    assert "core.step" not in {one.name for one in erd.tables}


def test_a_schema_may_be_named_with_its_database() -> None:
    assert len(erd_of([table("shop.core.a"), table("other.core.b")], [], "shop.core").tables) == 1
    assert len(erd_of([table("shop.core.a"), table("other.core.b")], [], "core").tables) == 2
    assert len(erd_of([table("core.a")], [], "lake.core").tables) == 1


def test_an_unknown_schema_answers_with_the_nearest() -> None:
    with pytest.raises(ForgeError) as caught:
        erd_of(SHOP, LINKS, "cor")
    assert (caught.value.code, caught.value.fix) == ("E801", "Did you mean core?")
    with pytest.raises(ForgeError):
        erd_of([], [], "core")
    assert erd_of([], [], None).tables == ()


@pytest.mark.parametrize("told", ["id", 7, {"table": 7}, {"column": "x"}, [], True], ids=str)
def test_what_is_not_a_key_is_left_out(told: object) -> None:
    erd = erd_of([table("a.b", foreign_keys=[told]), column("a.b.c", foreign_key=told)], [], "a")
    assert erd.foreign_keys == ()


def test_a_key_of_several_columns_and_one_on_the_own_table_are_relations() -> None:
    own = [{"columns": ["up"], "table": "a.t", "references": ["id"]}]
    many = [{"columns": ["x", "y"], "table": "a.t", "references": ["p", "q"]}]
    erd = erd_of([table("a.t", foreign_keys=own), table("a.u", foreign_keys=many)], [], "a")
    assert [(key.table, key.columns, key.to_table) for key in erd.foreign_keys] == [
        ("a.t", ("up",), "a.t"),
        ("a.u", ("x", "y"), "a.t"),
    ]
    assert [one.name for one in erd.tables[1].columns if one.foreign_key] == ["x", "y"]


def test_a_declared_key_says_where_it_is_declared_in_every_form() -> None:
    key = {"columns": ["customer"], "table": "core.customers", "references": ["id"]}
    told = [{**key, "places": ["ddl/a.sql:7"]}, {**key, "places": ["contracts/b.yaml:3"]}, {**key, "places": ["c.sql"]}]
    erd = erd_of([table("core.orders", foreign_keys=told), table("core.customers")], [], "core")
    (relation,) = erd.foreign_keys
    assert relation.to_dict()["inferred"] is False
    evidence = relation.to_dict()["evidence"]
    assert isinstance(evidence, list)
    assert [(one["file"], one["line"]) for one in evidence] == [
        ("c.sql", None),
        ("contracts/b.yaml", 3),
        ("ddl/a.sql", 7),
    ]
    assert_mermaid(erd.to_mermaid())
    assert_dot(erd.to_dot())
    assert "    %% contracts/b.yaml:3\n" in erd.to_mermaid()
    assert 'tooltip="c.sql | contracts/b.yaml:3 | ddl/a.sql:7"' in erd.to_dot()
    titles = [one.text or "" for one in ElementTree.fromstring(erd.to_svg()).iter(f"{SVG}title")]
    assert any("ddl/a.sql:7" in title for title in titles)


# The grammar of Mermaid's ER diagrams, as its documentation gives it: names in quotes without quotes, percent signs and
# backslashes; types and attributes are words; PK, FK and UK are keys wherever a word could begin.
NAME = r'"[^"%\r\n\v\x08\\]+"'
WORD = r"(?!(?:PK|FK|UK)(?![A-Za-z0-9_]))[A-Za-z_\u00C0-\uFFFF][A-Za-z0-9\-_\[\]()\u00C0-\uFFFF]*"
MERMAID = (
    re.compile(rf" +{NAME}(?: \{{)?"),
    re.compile(rf' +{WORD} {WORD}(?: (?:PK|FK)(?:, FK)?)?(?: "[^"\n]*")?', re.IGNORECASE),
    re.compile(r" +\}"),
    re.compile(r"    %% [^{}%\r\n\v\x08\\]+"),  # a comment; with a brace it would be an instruction
    re.compile(rf' +{NAME} (?:\}}o--\|\||\|o--\|\||\|\|\.\.o\{{) {NAME} : "[^"\n]*"'),
)


def assert_mermaid(text: str) -> None:
    first, *lines = text.rstrip("\n").split("\n")
    assert first == "erDiagram"
    for line in lines:
        assert any(rule.fullmatch(line) for rule in MERMAID), line
        assert not re.search(r"direction\s+(TB|BT|RL|LR)", line, re.IGNORECASE), line
        assert "%%" not in line.removeprefix("    %% ")


def assert_dot(text: str) -> None:
    """Quoted texts are closed, what is in angle brackets is XML, and the rest is plain words."""
    plain = re.sub(r'"(?:[^"\\]|\\.)*"', "Q", re.sub(r"label=<.*>\];", "L;", text))
    assert re.fullmatch(r"[A-Za-z0-9_ =\[\]{};,>\n-]*", plain), plain
    for label in re.findall(r"label=<(.*)>\];", text):
        ElementTree.fromstring(label)


def test_mermaid_and_dot_are_what_their_programs_read() -> None:
    erd = erd_of(SHOP, LINKS, "core")
    assert_mermaid(erd.to_mermaid())
    assert_dot(erd.to_dot())
    lines = erd.to_mermaid().splitlines()
    assert '    "core.orders" {' in lines
    assert "        bigint id PK" in lines
    assert '        decimal(18-2) amount "decimal(18,2)"' in lines
    assert '    "core.orders" }o--|| "core.customers" : "customer → id"' in lines
    assert '    "core.details" |o--|| "core.orders" : "order_id → id"' in lines
    assert '    "core.orders" ||..o{ "core.daily" : "lineage, 2 edges"' in lines


NASTY = [
    'a"b',
    "pk",
    "PK-id",
    "fk ü",
    "1st",
    "x y",
    "%%{init}%%",
    "direction  lr",
    "a\\",
    "a\nb",
    "<b>",
    "日本",
    "😀",
    "-",
]


def odd(names: list[str], types: list[str]) -> Erd:
    nodes: list[Node] = []
    for number, name in enumerate(names):
        owner = f"s.{name}"
        key = {"columns": [name], "table": "s.other", "references": [name], "places": [f"{name}:1"]}
        nodes += [table(owner, foreign_keys=[key]), column(f"{owner}.plain", types[number % len(types)])]
        nodes.append(
            Node(
                id=f"{owner}.c", type=NodeType.COLUMN, name=name, table=owner, parent=owner, details={"data_type": name}
            )
        )
    return erd_of(nodes, [], None)


def test_awkward_names_parse_and_stay_apart() -> None:
    erd = odd(NASTY, ["struct<a:int>", "decimal(18, 2)", "pk", "array<string>", "timestamp with time zone", ""])
    assert_mermaid(erd.to_mermaid())
    assert_dot(erd.to_dot())
    alike = odd(["a%b", "a\\b", 'a"b'], ["int"]).to_mermaid()
    assert re.findall(r'^    ("[^"]*") \{', alike, re.MULTILINE) == [
        '"s.a_b"',
        '"s.a_b_2"',
        '"s.a_b_3"',
        '"s.other"',
    ]


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4), st.lists(st.text(max_size=12), min_size=1))
def test_any_name_parses_in_every_format(names: list[str], types: list[str]) -> None:
    erd = odd(names, types)
    assert_mermaid(erd.to_mermaid())
    assert_dot(erd.to_dot())
    picture = ElementTree.fromstring(erd.to_svg())
    assert {one.tag.removeprefix(SVG) for one in picture.iter()} <= {
        "svg",
        "style",
        "rect",
        "g",
        "title",
        "path",
        "text",
    }


def test_the_picture_shows_tables_types_keys_and_relations() -> None:
    picture = ElementTree.fromstring(erd_of(SHOP, LINKS, "core").to_svg())
    words = [one.text for one in picture.iter(f"{SVG}text")]
    for word in ("core.orders", "PK id", "FK customer", "decimal(18,2)?", "view", "n : 1", "1 : 1"):
        assert word in words
    assert sum(one.get("class") == "curve" for one in picture.iter(f"{SVG}path")) == 4
    assert [group.get("class") for group in picture.iter(f"{SVG}g")].count("outside") == 1


def test_tables_without_relations_stand_beside_each_other_and_of_very_many_some_are_counted() -> None:
    erd = erd_of([table(f"s.t{number:03}") for number in range(310)], [], "s")
    picture = ElementTree.fromstring(erd.to_svg())
    words = [one.text for one in picture.iter(f"{SVG}text")]
    assert "10 more tables are not drawn." in words
    assert len({one.get("x") for one in picture.iter(f"{SVG}rect") if one.get("class") == "card"}) >= 5


def test_columns_stand_as_the_table_has_them_where_that_is_known() -> None:
    nodes = [Node(id="core.t", type=NodeType.TABLE, name="t", table="core.t", details={"primary_key": ["b"]})]
    for place, name in enumerate(("z", "b", "a")):
        nodes.append(
            Node(id=f"core.t.{name}", type=NodeType.COLUMN, name=name, table="core.t", details={"position": place})
        )
    (drawn,) = erd_of(nodes, (), "core").tables
    assert [(column.name, column.primary_key) for column in drawn.columns] == [("z", False), ("b", True), ("a", False)]
