"""Lineage from code beside that of Spark."""

from __future__ import annotations

from forge.lineage.agreement import ComparedEdge, LineageSide, SparkAgreement, StatementComparison, compare
from forge.lineage.edge import Edge, Extraction, IndirectEdge, IndirectType, Transformation
from forge.model.names import ColumnName


def edge(source: str, target: str, how: Transformation = Transformation.IDENTITY) -> Edge:
    return Edge(source=ColumnName("s.a", source), target=ColumnName("s.b", target), transformation=how)


def filtered(source: str) -> IndirectEdge:
    return IndirectEdge(ColumnName("s.a", source), "s.b", IndirectType.FILTER)


STATIC = Extraction((edge("x", "x"), edge("only", "x")), (filtered("k"),))
RUN = Extraction((edge("X", "x", Transformation.UNION),), (filtered("k"), filtered("more")))


def test_what_both_say_is_agreed_whatever_the_case() -> None:
    found = compare("a.sql", 3, STATIC, RUN)
    assert found.agreed == {ComparedEdge("s.a.x", "s.b.x"), ComparedEdge("s.a.k", "s.b", "filter")}


def test_what_only_one_says_is_told_with_who_says_it() -> None:
    found = compare("a.sql", 3, STATIC, RUN)
    assert [(str(one.link), one.side, one.line) for one in found.disagreements] == [
        ("s.a.only → s.b.x", LineageSide.STATIC, 3),
        ("s.a.more → s.b (filter)", LineageSide.RUN_TIME, 3),
    ]


def test_another_word_for_the_same_edge_is_no_disagreement() -> None:
    found = compare("a.sql", 3, Extraction((edge("x", "x"),)), RUN)
    assert found.otherwise == ((ComparedEdge("s.a.x", "s.b.x"), "identity", "union"),)
    assert ComparedEdge("s.a.x", "s.b.x") not in found.only_static | found.only_run


def test_scores_keep_direct_and_indirect_apart() -> None:
    found = SparkAgreement(
        (compare("a.sql", 3, STATIC, RUN), StatementComparison(file="a.sql", line=9, reason="no such table"))
    )
    direct, indirect = found.score(), found.score(direct=False)
    assert (direct.agreed, direct.only_static, direct.only_run) == (1, 1, 0)
    assert (direct.precision, direct.recall, direct.equal) == (0.5, 1.0, 0.5)
    assert (indirect.agreed, indirect.only_run, indirect.recall) == (1, 1, 0.5)


def test_a_statement_that_cannot_be_compared_says_why() -> None:
    found = SparkAgreement((StatementComparison(file="a.sql", line=9, reason="no such table"),))
    assert found.compared == ()
    assert found.disagreements == ()
    assert found.to_dict()["not_comparable"] == [{"file": "a.sql", "line": 9, "reason": "no such table"}]


def test_nothing_at_all_is_equal() -> None:
    assert SparkAgreement().score().equal == 1.0
    assert compare("a.sql", 1, Extraction(), Extraction()).disagreements == ()
