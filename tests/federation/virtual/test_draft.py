"""SELECTs as virtual tables: what is kept of each, what is not and why, and that the way back is the same."""

from __future__ import annotations

import pytest
from each_case import each_case

from forge.federation.relation import RelationName
from forge.federation.virtual.draft import VirtualTableDraft, draft_virtual_table
from forge.federation.virtual.expansion import select_of
from forge.federation.virtual.keys import read_virtual_table
from forge.model.errors import ForgeError, errors_of
from forge.transforms.sql_parse import parse_query

SOURCES = ("crm", "rates")
COLUMNS = {
    RelationName("lake", ("core", "orders")): ["id", "person", "amount", "day"],
    RelationName("lake", ("core", "seen")): None,  # a view
    RelationName("crm", ("people",)): ["id", "Name", "country", "the mail"],
    RelationName("crm", ("public", "people")): ["id", "Name", "country"],
    RelationName("rates", ()): ["country", "rate"],
    RelationName("virtual", ("bought",)): ["order_id", "who"],
}

JOINED = "SELECT o.id FROM core.orders o"
PEOPLE = "crm.people p ON o.person = p.id"
RATES = "rates r ON r.country = p.country"
THREE = ["o: core.orders", "p: crm.people", "r: rates"]


def draft(sql: str, **types: str) -> VirtualTableDraft:
    return draft_virtual_table(parse_query(sql, "query").tree, SOURCES, COLUMNS, types=types)


def told(sql: str, **types: str) -> list[str]:
    """In short: sources, joins, columns, filters."""
    found = draft(sql, **types)
    read_virtual_table({"name": "draft", **found.to_dict()})
    lines = [f"{one.alias}: {one.relation}" for one in found.sources]
    for join in found.joins:
        on = " and ".join(f"{one.left} {one.op} {one.right}" for one in join.conditions)
        lines.append(f"{join.join_type} {join.left_alias} {join.right_alias}: {on}")
    for one in found.columns:
        lines.append(f"{one.name} {one.data_type or '?'} = {one.source_column or f'({one.expression})'}")
    return [*lines, *(f"where {one}" for one in found.default_filters)]


@each_case(
    [
        ("SELECT id FROM crm.people", ["people: crm.people", "id ? = people.id"]),
        ("SELECT NAME, p.ID AS no FROM CRM.people p", ["p: crm.people", "NAME ? = p.Name", "no ? = p.id"]),
        ("SELECT people.id, crm.people.name FROM crm.people",
         ["people: crm.people", "id ? = people.id", "name ? = people.Name"]),
        ("SELECT * FROM rates", ["rates: rates", "country ? = rates.country", "rate ? = rates.rate"]),
        ("SELECT r.* FROM rates AS r", ["r: rates", "country ? = r.country", "rate ? = r.rate"]),
        ("SELECT id FROM crm.public.people x", ["x: crm.public.people", "id ? = x.id"]),
        ("SELECT who FROM virtual.bought", ["bought: virtual.bought", "who ? = bought.who"]),
        ("SELECT id, anything FROM core.seen", ["seen: core.seen", "id ? = seen.id", "anything ? = seen.anything"]),
        ("SELECT CAST(id AS string) AS id FROM core.orders o", ["o: core.orders", "id string = o.id"]),
        (
            "SELECT CAST(amount * 2 AS decimal(12, 2)) AS twice FROM core.orders o",
            ["o: core.orders", "twice decimal(12, 2) = (o.amount * 2)"],
        ),
        (
            "SELECT upper(name || ' it''s /* no */') /* yes */ AS n FROM crm.people p",
            ["p: crm.people", "n string = (UPPER(p.Name || ' it\\'s /* no */'))"],
        ),
        (
            "SELECT id FROM crm.people p WHERE (country = 'DE' OR country IS NULL) AND p.id > 3",
            ["p: crm.people", "id ? = p.id", "where p.country = 'DE' OR p.country IS NULL", "where p.id > 3"],
        ),
        (
            "SELECT id FROM crm.people p WHERE `the mail` LIKE '%@x'",
            ["p: crm.people", "id ? = p.id", "where p.`the mail` LIKE '%@x'"],
        ),
        (
            "SELECT o.id, name FROM core.orders o JOIN crm.people p ON o.person = p.id",
            ["o: core.orders", "p: crm.people", "inner o p: person = id", "id ? = o.id", "name ? = p.Name"],
        ),
        (
            "SELECT o.id FROM core.orders o LEFT OUTER JOIN crm.people p ON (p.id >= o.person AND o.day <=> p.country)",
            ["o: core.orders", "p: crm.people", "left o p: person <= id and day <=> country", "id ? = o.id"],
        ),
        (
            "SELECT o.id FROM core.orders o INNER JOIN crm.people p ON p.id < o.person AND p.country = 'DE'",
            ["o: core.orders", "p: crm.people", "inner o p: person > id", "id ? = o.id", "where p.country = 'DE'"],
        ),
        (
            f"{JOINED} JOIN {PEOPLE} LEFT JOIN {RATES}",
            [*THREE, "inner o p: person = id", "left p r: country = country", "id ? = o.id"],
        ),
        (
            f"{JOINED} JOIN {PEOPLE} JOIN {RATES} AND r.rate > o.amount",
            [
                *THREE, "inner o p: person = id", "inner p r: country = country",
                "id ? = o.id", "where r.rate > o.amount",
            ],
        ),
        (
            f"{JOINED} FULL JOIN {PEOPLE} RIGHT JOIN {RATES}",
            [*THREE, "full o p: person = id", "right p r: country = country", "id ? = o.id"],
        ),
    ],
    lambda case: case[0],
)  # fmt: skip
def test_what_is_kept_of_a_select(case: tuple[str, list[str]]) -> None:
    sql, expected = case
    assert told(sql, n="string") == expected


def reasons(sql: str) -> list[str]:
    with pytest.raises(ForgeError) as raised:
        read_virtual_table({"name": "draft", **draft(sql).to_dict()})
    errors = errors_of(raised.value)
    assert {one.code for one in errors} <= {"E889", "E894"}
    assert all(one.fix for one in errors), [one.what for one in errors]
    return [f"{one.what}. {one.why or ''} {one.fix}" for one in errors]


@each_case(
    [
        ("SELECT id FROM crm.people UNION SELECT id FROM core.orders", "more than one SELECT"),
        ("WITH x AS (SELECT 1) SELECT id FROM crm.people", "WITH"),
        ("SELECT DISTINCT id FROM crm.people", "DISTINCT"),
        ("SELECT country FROM crm.people GROUP BY country", "GROUP BY"),
        ("SELECT id FROM crm.people HAVING id > 1", "HAVING"),
        ("SELECT id FROM crm.people ORDER BY id", "ORDER BY"),
        ("SELECT id FROM crm.people LIMIT 10", "LIMIT"),
        ("SELECT 1 AS one", "reads no table"),
        ("SELECT id FROM (SELECT id FROM crm.people) x", "is no table"),
        ("SELECT id FROM range(10)", "is no table"),
        ("SELECT id FROM crm.people TABLESAMPLE (10 PERCENT)", "more than a table"),
        ("SELECT a FROM crm.people AS p(a, b, c, d)", "more than a table"),
        ("SELECT id FROM crm.people WHERE id = :id", "`:id` is a parameter"),
        ("SELECT id FROM crm.people WHERE id = ?", "is a parameter"),
        ("SELECT count(*) AS n FROM crm.people", "the type of n"),
        ("SELECT CAST(max(id) AS int) AS n FROM crm.people", "max is not possible here"),
        ("SELECT CAST(id + rand() AS double) AS n FROM crm.people", "rand is not possible here"),
        ("SELECT CAST(row_number() OVER (ORDER BY id) AS int) AS n FROM crm.people", "not possible here"),
        ("SELECT CAST((SELECT max(id) FROM core.orders) AS int) AS n FROM crm.people", "a query in it"),
        ("SELECT id FROM crm.people WHERE EXISTS (SELECT 1 FROM core.orders)", "a query in it"),
        ("SELECT id FROM crm.people WHERE id IN (SELECT person FROM core.orders)", "a query in it"),
        ("SELECT CAST(reflect('java.lang.System', 'x') AS int) AS n FROM crm.people", "reflect is not possible here"),
        ("SELECT upper(name) FROM crm.people", "has no name"),
        ("SELECT upper(name) AS n FROM crm.people", "CAST(UPPER(name) AS string) AS n"),
        ("SELECT nme FROM crm.people", "Did you mean Name?"),
        ("SELECT x.id FROM crm.people p", "'x' is no table of FROM"),
        ("SELECT p.a.b FROM crm.people p", "'p.a' is no table of FROM"),
        ("SELECT people.id FROM crm.people p", "'people' is no table of FROM"),
        ("SELECT * FROM core.seen", "only the engine knows"),
        ("SELECT * EXCEPT (id) FROM crm.people", "leaves columns out"),
        ("SELECT id, name AS ID FROM crm.people", "two columns are called ID"),
        ("SELECT * FROM crm.people", "not a name of a column"),
        (f"{JOINED}, crm.people p WHERE o.person = p.id", "p is not joined by ON"),
        (f"{JOINED} CROSS JOIN crm.people p", "p is not joined by ON"),
        (f"{JOINED} JOIN crm.people p USING (id)", "p is not joined by ON"),
        (f"{JOINED} NATURAL JOIN crm.people p", "p is not joined by ON"),
        (f"{JOINED} LEFT SEMI JOIN crm.people p ON o.person = p.id", "p is not joined by ON"),
        (f"{JOINED} LEFT ANTI JOIN crm.people p ON o.person = p.id", "p is not joined by ON"),
        (f"{JOINED} JOIN crm.people p ON o.id > 3", "ON compares no column of p"),
        (f"{JOINED} JOIN crm.people p ON upper(p.name) = o.person", "ON compares no column of p"),
        (f"{JOINED} LEFT JOIN crm.people p ON o.person = p.id AND p.country = 'DE'", "ON of an outer join"),
        (
            f"{JOINED} JOIN {PEOPLE} AND p.country = 'DE' RIGHT JOIN {RATES}",
            "ON of an outer join",
        ),
        ("SELECT id FROM core.orders o JOIN crm.people p ON o.person = p.id", "which table has id is not said"),
        ("SELECT o.id, p.id FROM core.orders o JOIN crm.people p ON o.person = p.id", "two columns are called id"),
        ("SELECT o.id FROM core.orders o JOIN core.orders o ON o.id = o.id", "two tables of FROM are called o"),
        ("SELECT id FROM crm.people LATERAL VIEW explode(array(1)) t AS x", "no virtual table"),
        ("SELECT id, x FROM crm.people p, LATERAL (SELECT p.id AS x) t", "no table"),
    ],
    lambda case: case[0],
)  # fmt: skip
def test_what_cannot_be_kept_is_told_with_what_to_do(case: tuple[str, str]) -> None:
    sql, reason = case
    found = reasons(sql)
    assert any(reason in one for one in found), found


def test_all_reasons_are_told_at_once() -> None:
    assert len(reasons("SELECT DISTINCT id FROM crm.people ORDER BY id LIMIT 1")) == 3
    assert len(reasons("SELECT nme, x.id, upper(name) FROM crm.people p WHERE cntry = 1")) == 4


@each_case(
    [
        "SELECT id, upper(name) AS n FROM crm.people p WHERE id BETWEEN 1 AND 3 AND country IN ('DE', 'FR')",
        f"SELECT o.id, p.name FROM core.orders o LEFT JOIN {PEOPLE} WHERE o.day < DATE '2026-01-01'",
        f"SELECT o.id FROM crm.people o JOIN crm.people p ON o.id = p.id AND o.name <> p.name FULL JOIN {RATES}",
    ]
)  # fmt: skip
def test_the_select_of_a_draft_has_the_same_draft(sql: str) -> None:
    once = draft(sql, n="string")
    table = read_virtual_table({"name": "draft", **once.to_dict()})
    again = draft(select_of(table).sql("spark"))
    assert read_virtual_table({"name": "draft", **again.to_dict()}) == table


def test_a_type_of_the_result_is_that_of_a_computed_column() -> None:
    (column,) = draft("SELECT amount * 2 AS twice FROM core.orders o", Twice="decimal(13,2)").columns
    assert (column.data_type, column.expression) == ("decimal(13,2)", "o.amount * 2")
