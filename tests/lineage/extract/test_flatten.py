"""Steps joined into edges from table to table."""

from __future__ import annotations

import pytest

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.program import OutputKind, Program, ProgramStep
from forge.lineage.extract.relation import copy_of
from forge.lineage.extract.value import ColumnValue, SourceTrace
from forge.model.names import ColumnName


def made(
    expression: str, kind: Transformation, *sources: str, masking: bool = False, sure: float = 0.95
) -> ColumnValue:
    ends = (source.rpartition(".") for source in sources)
    return ColumnValue(
        {ColumnName(table, name): SourceTrace(kind, expression, masking, sure) for table, _, name in ends}
    )


def edges(*steps: ProgramStep) -> set[tuple[str, str, str]]:
    found = flatten([Program(file="a.sql", language="sql", steps=steps)])
    return {(str(edge.source), str(edge.target), str(edge.transformation)) for edge in found.edges}


SUM = made("sum(amount)", Transformation.AGGREGATION, "orders.amount")


def test_an_edge_runs_through_what_lies_between() -> None:
    cte = ProgramStep(target="daily@1", made=OutputKind.CTE, columns={"total": SUM}, reads=frozenset({"orders"}))
    out = ProgramStep(
        target="mart.t",
        made=OutputKind.TABLE,
        columns={"net": copy_of("daily@1", "total")},
        reads=frozenset({"daily@1"}),
    )
    assert edges(cte, out) == {("orders.amount", "mart.t.net", "aggregation")}


def test_the_stronger_step_gives_the_expression() -> None:
    cte = ProgramStep(target="c@1", made=OutputKind.CTE, columns={"total": SUM}, reads=frozenset({"orders"}))
    twice = ProgramStep(
        target="mart.t",
        made=OutputKind.TABLE,
        columns={"net": made("upper(total)", Transformation.TRANSFORMATION, "c@1.total")},
    )
    [edge] = flatten([Program(file="a.sql", language="sql", steps=(cte, twice))]).edges
    assert (edge.transformation, edge.expression) == (Transformation.AGGREGATION, "sum(amount)")


def test_what_shaped_a_relation_that_is_read_shapes_the_target() -> None:
    cte = ProgramStep(
        target="c@1",
        made=OutputKind.CTE,
        columns={"id": copy_of("orders", "id")},
        shaped=frozenset({(ColumnName("orders", "status"), IndirectType.FILTER)}),
        reads=frozenset({"orders"}),
    )
    unread = ProgramStep(
        target="d@2",
        made=OutputKind.CTE,
        columns={},
        shaped=frozenset({(ColumnName("x", "y"), IndirectType.FILTER)}),
        reads=frozenset({"x"}),
    )
    out = ProgramStep(
        target="mart.t", made=OutputKind.TABLE, columns={"id": copy_of("c@1", "id")}, reads=frozenset({"c@1"})
    )
    found = flatten([Program(file="a.sql", language="sql", steps=(cte, unread, out))])
    assert [(str(one.source), one.target, str(one.subtype)) for one in found.indirect] == [
        ("orders.status", "mart.t", "filter")
    ]
    assert [(one.source, one.target) for one in found.table_edges] == [("orders", "mart.t")]


def test_a_recursive_step_ends_at_what_it_began_with() -> None:
    again = ColumnValue(
        {
            ColumnName("nodes", "parent"): SourceTrace(Transformation.UNION, "parent"),
            ColumnName("tree@1", "id"): SourceTrace(Transformation.TRANSFORMATION, "id + 1"),
        }
    )
    tree = ProgramStep(
        target="tree@1", made=OutputKind.CTE, columns={"id": again}, reads=frozenset({"nodes", "tree@1"})
    )
    out = ProgramStep(
        target="mart.t", made=OutputKind.TABLE, columns={"id": copy_of("tree@1", "id")}, reads=frozenset({"tree@1"})
    )
    assert edges(tree, out) == {("nodes.parent", "mart.t.id", "transformation")}


def test_a_field_that_is_taken_out_again_has_its_own_source() -> None:
    struct = ColumnValue(
        {**copy_of("t", "x").sources, **copy_of("t", "y").sources}, {"a": copy_of("t", "x"), "b": copy_of("t", "y")}
    )
    cte = ProgramStep(target="c@1", made=OutputKind.CTE, columns={"s": struct}, reads=frozenset({"t"}))
    taken = ColumnValue({ColumnName("c@1", "s", "a"): SourceTrace(Transformation.IDENTITY, "s.a", confidence=0.95)})
    out = ProgramStep(
        target="o", made=OutputKind.TABLE, columns={"z": taken, "s": copy_of("c@1", "s")}, reads=frozenset({"c@1"})
    )
    assert edges(cte, out) == {
        ("t.x", "o.z", "identity"),
        ("t.x", "o.s.a", "identity"),
        ("t.y", "o.s.b", "identity"),
    }


def test_a_field_of_a_struct_that_is_passed_on_is_that_field_of_the_table() -> None:
    cte = ProgramStep(
        target="c@1", made=OutputKind.CTE, columns={"home": copy_of("people", "address")}, reads=frozenset({"people"})
    )
    taken = ColumnValue(
        {ColumnName("c@1", "home", "city"): SourceTrace(Transformation.IDENTITY, "home.city", confidence=0.95)}
    )
    out = ProgramStep(target="o", made=OutputKind.TABLE, columns={"city": taken}, reads=frozenset({"c@1"}))
    assert edges(cte, out) == {("people.address.city", "o.city", "identity")}


def test_columns_of_an_unknown_table_pass_through_a_star() -> None:
    cte = ProgramStep(target="c@1", made=OutputKind.CTE, columns={}, reads=frozenset({"u"}), open=("u",))
    out = ProgramStep(target="o", made=OutputKind.TABLE, columns={"x": copy_of("c@1", "x")}, reads=frozenset({"c@1"}))
    assert edges(cte, out) == {("u.x", "o.x", "identity")}


def test_a_star_of_an_unknown_table_is_a_gap_with_a_table_edge_of_low_confidence() -> None:
    out = ProgramStep(
        target="o", made=OutputKind.TABLE, columns={}, reads=frozenset({"u"}), open=("u",), file="a.sql", line=7
    )
    found = flatten([Program(file="a.sql", language="sql", steps=(out,))])
    assert [(gap.place, gap.line) for gap in found.gaps] == [("a.sql", 7)]
    assert "--schema" in found.gaps[0].reason
    assert [(one.source, one.target, one.confidence) for one in found.table_edges] == [("u", "o", 0.3)]


def test_a_way_is_masked_if_one_of_its_steps_masks_and_as_sure_as_its_least_sure_one() -> None:
    cte = ProgramStep(
        target="c@1",
        made=OutputKind.CTE,
        columns={"h": made("md5(mail)", Transformation.TRANSFORMATION, "p.mail", masking=True)},
    )
    out = ProgramStep(target="o", made=OutputKind.TABLE, columns={"h": copy_of("c@1", "h", confidence=0.6)})
    [edge] = flatten([Program(file="a.sql", language="sql", steps=(cte, out))]).edges
    assert (edge.masking, edge.confidence, edge.expression) == (True, 0.6, "md5(mail)")


@pytest.mark.slow
def test_ten_thousand_steps_in_a_chain_are_joined() -> None:
    steps = [
        ProgramStep(target="c@0", made=OutputKind.DATAFRAME, columns={"a": copy_of("t", "a")}, reads=frozenset({"t"}))
    ]
    for number in range(1, 10_000):
        before = f"c@{number - 1}"
        steps.append(
            ProgramStep(
                target=f"c@{number}",
                made=OutputKind.DATAFRAME,
                columns={"a": copy_of(before, "a")},
                reads=frozenset({before}),
            )
        )
    steps.append(
        ProgramStep(
            target="o", made=OutputKind.TABLE, columns={"a": copy_of("c@9999", "a")}, reads=frozenset({"c@9999"})
        )
    )
    assert edges(*steps) == {("t.a", "o.a", "identity")}
