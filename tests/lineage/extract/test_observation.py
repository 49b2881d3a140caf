"""What was seen while a program ran: put together, and sent from one process to another."""

from __future__ import annotations

from forge.lineage.edge import Edge, Extraction, Gap, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.lineage.extract.observation import ObservedWrite, from_lines, join_writes, renamed, to_line
from forge.lineage.extract.program import OutputKind
from forge.model.names import ColumnName

COPY, CHANGED = Transformation.IDENTITY, Transformation.TRANSFORMATION


def edge(source: str, target: str, how: Transformation = COPY, field: str = "") -> Edge:
    table, _, column = source.rpartition(".")
    into, _, name = target.rpartition(".")
    return Edge(
        source=ColumnName(table, column), target=ColumnName(into, name, field), transformation=how, expression=column
    )


def seen(
    target: str, *edges: Edge, made: OutputKind = OutputKind.TABLE, shaped: str = "", location: str = ""
) -> ObservedWrite:
    tables = {one.source.table for one in edges}
    indirect = (IndirectEdge(ColumnName("in.t", shaped), target, IndirectType.FILTER),) if shaped else ()
    tabled = tuple(TableEdge(table, target) for table in sorted(tables))
    return ObservedWrite(target, made, Extraction(edges, indirect, tabled), location)


def test_what_was_seen_survives_the_way_to_another_process() -> None:
    one = ObservedWrite(
        "out.t",
        OutputKind.VIEW,
        Extraction(
            (
                Edge(
                    source=ColumnName("a.b", "c", "d.e"),
                    target=ColumnName("out.t", "x", "y"),
                    transformation=CHANGED,
                    expression="c + 1",
                    masking=True,
                    confidence=0.3,
                ),
            ),
            (IndirectEdge(ColumnName("a.b", "k"), "out.t", IndirectType.WINDOW),),
            (TableEdge("a.b", "out.t"),),
            (Gap("out.t", 0, "not understood"),),
        ),
        "/lake/out",
    )
    assert tuple(from_lines(to_line(one) + "\n")) == (one,)


def test_a_line_that_was_cut_off_does_not_take_the_others_with_it() -> None:
    one = seen("out.t", edge("in.t.a", "out.t.a"))
    text = to_line(one) + "\n" + to_line(one)[:20]
    assert tuple(from_lines(text)) == (one,)


def test_a_batch_of_a_stream_leads_back_to_what_the_stream_reads() -> None:
    stream = seen("stream@1", edge("in.t.a", "stream@1.b", CHANGED), made=OutputKind.TEMPORARY, shaped="k")
    batch = seen("out.t", edge("stream@1.b", "out.t.c"))
    (found,) = join_writes([stream, batch])
    assert [(str(e.source), str(e.target), e.transformation) for e in found.extraction.edges] == [
        ("in.t.a", "out.t.c", CHANGED)
    ]
    assert [str(e.source) for e in found.extraction.indirect] == ["in.t.k"]
    assert [e.source for e in found.extraction.table_edges] == ["in.t"]


def test_the_files_of_a_table_are_the_table() -> None:
    files = seen("/lake/t", edge("in.t.a", "/lake/t.a"), made=OutputKind.FILE)
    table = seen("out.t", edge("in.t.a", "out.t.a"), location="/lake/t")
    assert [one.target for one in join_writes([files, table])] == ["out.t"]


def test_two_writes_into_one_table_are_one() -> None:
    first, second = seen("out.t", edge("in.t.a", "out.t.x")), seen("out.t", edge("in.u.b", "out.t.x"))
    (found,) = join_writes([first, second, first])
    assert [str(e.source) for e in found.extraction.edges] == ["in.t.a", "in.u.b"]


def test_the_fields_of_a_struct_stay_apart() -> None:
    (found,) = join_writes(
        [seen("out.t", edge("in.t.a", "out.t.s", field="x"), edge("in.t.b", "out.t.s", field="y.z"))]
    )
    assert [(str(e.source), str(e.target)) for e in found.extraction.edges] == [
        ("in.t.a", "out.t.s.x"),
        ("in.t.b", "out.t.s.y.z"),
    ]


def test_tables_get_the_names_of_the_catalog_everywhere() -> None:
    found = renamed(seen("out.t", edge("in.t.a", "out.t.a"), shaped="k"), {"in.t": "db.in.t", "out.t": "db.out.t"})
    assert found.target == "db.out.t"
    assert [(str(e.source), str(e.target)) for e in found.extraction.edges] == [("db.in.t.a", "db.out.t.a")]
    assert [(str(e.source), e.target) for e in found.extraction.indirect] == [("db.in.t.k", "db.out.t")]
    assert found.extraction.table_edges == (TableEdge("db.in.t", "db.out.t"),)
