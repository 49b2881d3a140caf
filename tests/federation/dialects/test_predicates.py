"""Predicates beside columns that a source treats in ways of its own."""

from __future__ import annotations

import pytest
import sqlglot

from forge.federation.dialects.predicates import PredicateProver, ProvedPredicate
from forge.federation.dialects.rules import rules_of
from forge.federation.relation import SourceColumn
from forge.federation.source import ConnectorKind
from forge.model.types import DataType

COLUMNS = {
    "word": SourceColumn("word", DataType("string"), native="text", counts_bytes=True),
    "n": SourceColumn("n", DataType("bigint"), holds_others=True),
    "m": SourceColumn("m", DataType("bigint"), holds_others=True),
    "id": SourceColumn("id", DataType("bigint")),
}


def prove(text: str, kind: ConnectorKind = ConnectorKind.SQLITE) -> ProvedPredicate | str:
    prover = PredicateProver(rules_of(kind), lambda column: COLUMNS.get(column.name), {})
    return prover.prove(sqlglot.parse_one(text, read="spark"))


def test_one_letter_of_like_is_left_to_the_engine_where_the_source_counts_bytes() -> None:
    for text in ("word LIKE 'a_c'", "word NOT LIKE '_%'"):
        assert "one byte" in str(prove(text, ConnectorKind.POSTGRESQL))
    proved = prove("word LIKE 'a%c'", ConnectorKind.POSTGRESQL)
    assert isinstance(proved, ProvedPredicate)
    assert proved.exact


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("n = 5", True),
        ("n IN (5, 6)", True),
        ("n IS NULL", True),
        ("id > 5", True),
        ("id = n", True),
        ("n > 5", False),
        ("n <> 5", False),
        ("NOT n = 5", False),
        ("n BETWEEN 5 AND 6", False),
        ("id > 5 OR n <= 5", False),
    ],
)
def test_the_engine_looks_again_where_a_source_may_hold_values_of_other_types(text: str, exact: bool) -> None:
    proved = prove(text)
    assert isinstance(proved, ProvedPredicate)
    assert (proved.exact, bool(proved.why)) == (exact, not exact)


def test_two_columns_that_may_hold_anything_are_compared_by_the_engine() -> None:
    for text in ("n = m", "n < id"):
        assert "may hold values" in str(prove(text))
