"""The parser reads a text as Spark does."""

from __future__ import annotations

import pytest
from sqlglot import exp

from forge.transforms.sql_parse import parse_query


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("'it''s'", ["it's"]),
        ("''''", ["'"]),
        ("''''''", ["''"]),
        ("'a'''", ["a'"]),
        ("'''a'", ["'a"]),
        ('"a""b"', ['a"b']),
        ("'a\\''''", ["a''"]),
        ("'a' 'b'", ["a", "b"]),
        ("'a''b' /* '' */ 'c'", ["a'b", "c"]),
        ("''", [""]),
    ],
)
def test_a_doubled_quote_is_one_of_the_text(written: str, meant: list[str]) -> None:
    tree = parse_query(f"SELECT {written} AS x", "a.sql").tree

    assert [literal.name for literal in tree.find_all(exp.Literal)] == meant


def test_a_doubled_quote_moves_no_place() -> None:
    tree = parse_query("SELECT 'it''s' AS x\nFROM core.orders", "a.sql").tree
    table = tree.find(exp.Table)

    assert table is not None
    assert table.this.meta["line"] == 2
    assert table.parts[0].meta["start"] == 25
