"""A traversal as a tree: what hangs below what, what is told of each hop, and where it ends."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import pairwise

import pytest

from forge.cli.answer import CommandAnswer, write_answer
from forge.cli.lineage.tree import SHOWN, answer_of_walk
from forge.cli.output import OutputFormat
from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.graph.request import Direction, EdgeFilter, TraversalRequest, WalkDirection
from forge.lineage.graph.traversal import Hop, Link, Path, ReachedNode, Traversal
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import Node, NodeType


def column(name: str) -> Node:
    table, _, short = name.rpartition(".")
    return Node(id=name, type=NodeType.COLUMN, name=short, table=table, parent=table)


def other(name: str) -> Node:
    return Node(id=name, type=NodeType(name.partition(":")[0]), name=name.partition(":")[2])


def table(name: str) -> Node:
    return Node(id=name, type=NodeType.TABLE, name=name, table=name)


def reached(node: Node, via: Link, depth: int = 1, direction: Direction = "downstream") -> ReachedNode:
    return ReachedNode(node, direction, depth, via.confidence, via)


def walk(
    start: str, items: Sequence[ReachedNode], direction: WalkDirection = "downstream", **more: object
) -> Traversal:
    known: dict[str, object] = {"links": tuple(item.via for item in items), "hidden": 0, "total": len(items)}
    return Traversal(ask=TraversalRequest(start=start, direction=direction), items=tuple(items), **(known | more))  # type: ignore[arg-type]


def lines(answer: CommandAnswer) -> list[str]:
    out = io.StringIO()
    write_answer(answer, OutputFormat.TABLE, out)
    return out.getvalue().splitlines()


def drawn(traversal: Traversal) -> list[str]:
    return lines(answer_of_walk(traversal, traversal))


def test_each_entity_hangs_below_the_one_before_it() -> None:
    found = walk(
        "s.a.x",
        [
            reached(column("s.b.x"), Link(source="s.a.x", target="s.b.x")),
            reached(column("s.c.x"), Link(source="s.a.x", target="s.c.x")),
            reached(column("s.d.x"), Link(source="s.b.x", target="s.d.x"), 2),
        ],
    )
    assert drawn(found) == [
        "s.a.x goes to 3 columns of 3 tables",
        "├─ s.b.x",
        "│  └─ s.d.x",
        "└─ s.c.x",
    ]


def test_upstream_hangs_below_what_it_leads_to() -> None:
    up: Direction = "upstream"
    found = walk(
        "s.c.x",
        [
            reached(column("s.b.x"), Link(source="s.b.x", target="s.c.x"), 1, up),
            reached(column("s.a.x"), Link(source="s.a.x", target="s.b.x"), 2, up),
        ],
        up,
    )
    assert drawn(found) == ["s.c.x comes from 2 columns of 2 tables", "└─ s.b.x", "   └─ s.a.x"]


@pytest.mark.parametrize(
    ("link", "told"),
    [
        (Link(source="a.b.c", target="d.e.f", transformation=Transformation.IDENTITY), ""),
        (Link(source="a.b.c", target="d.e.f"), ""),
        (Link(source="a.b.c", target="d.e.f", transformation=Transformation.AGGREGATION), "  (aggregation)"),
        (
            Link(source="a.b.c", target="d.e.f", transformation=Transformation.AGGREGATION, expression="sum(\n  c)"),
            "  (aggregation: sum( c))",
        ),
        (
            Link(source="a.b.c", target="d.e.f", transformation=Transformation.TRANSFORMATION, expression="x" * 60),
            f"  (transformation: {'x' * 47}…)",
        ),
        (Link(source="a.b.c", target="d.e.f", kind=indirect_kind(IndirectType.FILTER)), "  (filter)"),
        (Link(source="a.b.c", target="d.e.f", kind=EdgeKind(EdgeType.CONSUMES, None)), "  (consumes)"),
        (Link(source="a.b.c", target="d.e.f", confidence=0.8), "  (0.80)"),
        (
            Link(
                source="a.b.c",
                target="d.e.f",
                kind=EdgeKind(relationship=EdgeRelationship.ANONYMIZED),
                transformation=Transformation.TRANSFORMATION,
                masking=True,
            ),
            "  (transformation, masked)",
        ),
    ],
    ids=["copied", "unknown", "no expression", "lines", "long", "indirect", "consumes", "not sure", "masked"],
)
def test_a_hop_tells_how_it_is_made_unless_it_is_a_certain_copy(link: Link, told: str) -> None:
    assert drawn(walk("a.b.c", [reached(column("d.e.f"), link)]))[1:] == [f"└─ d.e.f{told}"]


@pytest.mark.parametrize(
    ("nodes", "counted"),
    [
        ([table("s.b"), table("s.c")], "2 tables"),
        ([column("s.b.x"), table("s.b")], "1 column of 1 table"),
        ([column("s.b.x"), column("s.b.y"), table("s.c")], "2 columns of 1 table and 1 table"),
        ([column("s.b.x"), other("dashboard:a"), other("model:b@3")], "1 column of 1 table, 1 dashboard and 1 model"),
        ([other("pipeline:jobs/a.sql"), other("transform:jobs/a.sql#s.b")], "1 pipeline and 1 transform"),
    ],
    ids=["tables", "a table and its column", "and another table", "other things", "files that make tables"],
)
def test_what_was_reached_is_counted_by_kind(nodes: list[Node], counted: str) -> None:
    found = walk("s.a.x", [reached(node, Link(source="s.a.x", target=node.id)) for node in nodes])
    assert drawn(found)[0] == f"s.a.x goes to {counted}"


def test_what_shapes_the_rows_of_the_start_hangs_beside_its_sources() -> None:
    up: Direction = "upstream"
    found = walk(
        "s.c.x",
        [
            reached(
                column("s.a.f"), Link(source="s.a.f", target="s.c", kind=indirect_kind(IndirectType.FILTER)), 1, up
            ),
            reached(column("s.b.x"), Link(source="s.b.x", target="s.c.x"), 1, up),
            reached(column("s.a.j"), Link(source="s.a.j", target="s.b", kind=indirect_kind(IndirectType.JOIN)), 2, up),
        ],
        up,
    )
    assert drawn(found) == [
        "s.c.x comes from 3 columns of 2 tables",
        "├─ s.a.f  (filter)",
        "└─ s.b.x",
        "   └─ s.a.j  (join)",
    ]


def test_both_directions_are_two_trees() -> None:
    found = walk(
        "s.b.x",
        [
            reached(column("s.a.x"), Link(source="s.a.x", target="s.b.x"), 1, "upstream"),
            reached(column("s.c.x"), Link(source="s.b.x", target="s.c.x"), 1, "downstream"),
        ],
        "both",
    )
    assert drawn(found) == [
        "s.b.x comes from 1 column of 1 table",
        "└─ s.a.x",
        "s.b.x goes to 1 column of 1 table",
        "└─ s.c.x",
    ]


def test_nothing_is_said_in_words() -> None:
    assert drawn(walk("s.a.x", [])) == ["s.a.x goes to nothing that is recorded"]


def test_hidden_edges_are_told_with_the_option_that_shows_them() -> None:
    ask = TraversalRequest(start="s.a.x", direction="downstream", edges=EdgeFilter(min_confidence=0.6))
    for number, words in ((1, "1 edge below the confidence of 0.6 is"), (3, "3 edges below the confidence of 0.6 are")):
        found = Traversal(ask=ask, items=(), links=(), hidden=number, total=0)
        assert drawn(found)[-1] == f"{words} not followed. All: --min-confidence 0"


def test_a_large_tree_is_cut_and_says_how_much_is_missing() -> None:
    items = [
        reached(column(f"s.t{number:05}.x"), Link(source="s.a.x", target=f"s.t{number:05}.x")) for number in range(1234)
    ]
    answer = answer_of_walk(walk("s.a.x", items), walk("s.a.x", items))
    shown = lines(answer)
    assert len(shown) == SHOWN + 2
    assert shown[0] == "s.a.x goes to 1,234 columns of 1,234 tables"
    assert shown[-1] == f"… and {1234 - SHOWN:,} more; all of them with --format csv or --json"
    assert len(answer.items) == 1234


def test_a_chain_of_thousands_is_drawn() -> None:
    names = [f"s.t{number}.x" for number in range(5000)]
    items = [reached(column(b), Link(source=a, target=b), depth) for depth, (a, b) in enumerate(pairwise(names), 1)]
    assert drawn(walk(names[0], items))[2] == "   └─ s.t2.x"


def test_a_limit_is_told() -> None:
    found = walk("s.a.x", [reached(column("s.b.x"), Link(source="s.a.x", target="s.b.x"))], total=7)
    assert drawn(found)[-1] == "1 of 7 are listed. More: a greater --limit"


def test_paths_follow_the_tree_with_their_confidence() -> None:
    one, two = (
        Link(source="s.a.x", target="s.b.x", confidence=0.9),
        Link(source="s.b.x", target="s.c.x", confidence=0.5),
    )
    path = Path("s.a.x", (Hop(column("s.b.x"), one, 1), Hop(column("s.c.x"), two, 2)), 0.45)
    found = walk("s.a.x", [reached(column("s.b.x"), one)], paths=(path,))
    assert drawn(found)[-3:] == ["0.45  s.a.x", "      → s.b.x  (0.90)", "      → s.c.x  (0.50)"]


def test_an_entity_whose_way_was_filtered_out_stands_for_itself() -> None:
    found = walk("s.a.x", [reached(other("dashboard:d"), Link(source="s.b.x", target="dashboard:d"), 2)])
    assert drawn(found) == ["s.a.x goes to 1 dashboard", "└─ dashboard:d"]


def test_the_data_is_the_traversal_itself() -> None:
    found = walk("s.a.x", [reached(column("s.b.x"), Link(source="s.a.x", target="s.b.x"))])
    assert answer_of_walk(found, found).document() == {"schema_version": 1, **found.to_dict()}
