"""What cannot be written is refused, with its place and how it is written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forge.federation.builder.compose import compose
from forge.federation.builder.query import (
    BuilderQuery,
    Filter,
    OutputTerm,
    Pair,
    Table,
    Term,
    TermCondition,
    Value,
    ValueKind,
)
from forge.model.errors import ForgeError

ORDERS = BuilderQuery(tables=(Table(("core", "orders"), "o"),))
ID = Term("id", "o")


def _where(*values: Value, operator: str = "=") -> BuilderQuery:
    return replace(ORDERS, where=Filter("and", ((TermCondition(ID, operator, values),),)))  # type: ignore[arg-type]


def test_a_query_is_written_as_a_person_would() -> None:
    query = BuilderQuery(
        tables=(
            Table(("core", "orders"), "o"),
            Table(("crm", "public", "customers"), "c", "left", (Pair(Term("customer_id", "o"), Term("id", "c")),)),
        ),
        columns=(OutputTerm(Term("city", "c")), OutputTerm(Term("amount", "o", "sum"), "total")),
        where=Filter(
            "and",
            (
                (TermCondition(Term("day", "o"), ">=", (Value("date", "2026-11-19"),)),),
                (
                    TermCondition(Term("city", "c"), "in", (Value("text", "London"), Value("text", "O'Hare"))),
                    TermCondition(Term("city", "c"), "is null"),
                ),
            ),
        ),
        group_by=(Term("city", "c"),),
        having=Filter("and", ((TermCondition(Term(aggregate="count"), ">", (Value("parameter", "least"),)),),)),
        limit=10,
    )
    assert " ".join(compose(query).split()) == (
        "SELECT c.city, SUM(o.amount) AS total FROM core.orders AS o LEFT JOIN crm.public.customers AS c"
        " ON o.customer_id = c.id WHERE o.day >= CAST('2026-11-19' AS DATE) AND ( c.city IN ('London', 'O\\'Hare')"
        " OR c.city IS NULL ) GROUP BY c.city HAVING COUNT(*) > :least LIMIT 10"
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("number", "1 OR 1=1"),
        ("number", ""),
        ("number", "0x1F"),
        ("number", "NaN"),
        ("number", "٣"),
        ("boolean", "TRUE OR 1=1"),
        ("date", "2026-02-30"),
        ("date", "20261119"),
        ("date", "2026-11-19'"),
        ("timestamp", "2026-11-19"),
        ("timestamp", "2026-11-19 25:00:00"),
        ("parameter", "x) OR (1=1"),
        ("text", "a\x00b"),
        ("text", "\x1a"),
    ],
)
def test_a_value_is_of_its_kind(kind: ValueKind, text: str) -> None:
    with pytest.raises(ForgeError) as caught:
        compose(_where(Value(kind, text)))
    assert (caught.value.code, caught.value.where) == ("E105", "body.where")


@pytest.mark.parametrize(
    ("query", "where"),
    [
        (_where(), "body.where"),
        (_where(Value("number", "1"), operator="between"), "body.where"),
        (_where(operator="in"), "body.where"),
        (_where(Value("number", "1"), operator="is null"), "body.where"),
        (replace(ORDERS, where=Filter("and", ((),))), "body.where.groups"),
        (replace(ORDERS, tables=()), "body.tables"),
        (replace(ORDERS, tables=(Table(("a", "b"), "", "inner", (Pair(ID, ID),)),)), "body.tables.0"),
        (replace(ORDERS, tables=(Table(("a", "b"), "", None, (Pair(ID, ID),)),)), "body.tables.0"),
        (replace(ORDERS, tables=(*ORDERS.tables, Table(("a", "b")))), "body.tables.1"),
        (replace(ORDERS, tables=(*ORDERS.tables, Table(("a", "b"), "", None, (Pair(ID, ID),)))), "body.tables.1"),
        (replace(ORDERS, tables=(*ORDERS.tables, Table(("a", "b"), "", "full"))), "body.tables.1"),
        (replace(ORDERS, tables=(Table(()),)), "body.tables.0.path"),
        (replace(ORDERS, columns=(OutputTerm(Term()),)), "body"),
        (replace(ORDERS, columns=(OutputTerm(Term("a\nb")),)), "body"),
        (replace(ORDERS, tables=(Table(("a", "")),)), "body"),
    ],
)
def test_a_query_has_all_its_parts(query: BuilderQuery, where: str) -> None:
    with pytest.raises(ForgeError) as caught:
        compose(query)
    assert (caught.value.code, caught.value.where) == ("E105", where)
