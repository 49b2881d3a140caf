"""Row filters and masks, by what they mean: a reader with a filter gets of every query what he would get if the source
held his rows alone, and masked values instead of the others. `mine.db` is such a source."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from asked_plan import explain
from migrated import lay_database

from forge.flows.federation.query import QueryAnswer, QueryRequest, ask
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

READER, OWNER = "eve@example.com", "ada@example.com"
SOURCES = """
sources:
  - name: crm
    connector: sqlite
    path: data/crm.db
    rows:
      - {table: people, filter: "region = 'EU' AND x <> 5", except: [owners]}
      - {table: firm, filter: "region = 'EU' AND x <> 5", except: [owners]}
    masks:
      - {column: people.mail, as: hash, except: [owners]}
      - {column: people.phone, as: partial, for: [guests]}
      - {column: people.born, as: year, except: [ada@example.com]}
      - {column: people.pay, as: "null", except: [owners]}
  - name: soft        # the same, by a filter that SQLite computes only in part
    connector: sqlite
    path: data/crm.db
    rows: [{table: people, filter: "region LIKE 'EU' AND NOT x = 5", except: [owners]}]
  - {name: mine, connector: sqlite, path: data/mine.db}
  - name: wrong
    connector: sqlite
    path: data/crm.db
    rows: [{table: people, filter: "x = 'five'"}, {table: sales, filter: "nothing = 1"}]
  - name: odd
    connector: sqlite
    path: data/crm.db
    rows: [{table: people, filter: "x = 1", for: [gests]}]
"""
SETTINGS = """
project: x
user: {name: Ada, email: ada@example.com}
roles: {owners: [ada@example.com], guests: [eve@example.com]}
"""
PEOPLE = (
    (1, "Ada", "EU", 1, "ada@x.example", "+49 151 2345678", "1990-05-06", 100),
    (2, "Bob", "eu", 2, "bob@x.example", "+49 151 2345679", "1991-05-06", 200),
    (3, "Cy", "EU", 5, "cy@x.example", "+49 151 2345670", "1992-05-06", 300),
    (4, "Di", "US", 5, "di@x.example", None, "1993-05-06", 400),
    (5, "Ed", None, 4, None, "12", None, 500),
    (6, "Flo", "EU", 6, "ada@x.example", "+49 151 2345671", "1995-05-06", 600),
)
SALES = ((1, 1, 10), (2, 2, 20), (3, 3, 30), (4, 4, 40), (5, 6, 50), (6, 6, 60))

# What a reader could try: {p} are the people, {s} the sales of a source, whichever it is.
TRIES = (
    "SELECT * FROM {p} ORDER BY id",
    "SELECT count(*) FROM {p}",
    "SELECT count(*), min(id), max(id), sum(x) FROM {p} AS a WHERE a.id > 0",
    "SELECT ID, NAME FROM {P} ORDER BY ID",
    "SELECT `id` FROM {p} `p` WHERE `p`.`region` = 'US' ORDER BY 1",
    "SELECT id FROM {p} WHERE region <> 'EU' OR region IS NULL OR true ORDER BY id",
    "SELECT id FROM {p} WHERE region = 'EU' OR 1 = 1 ORDER BY id",
    "SELECT id FROM {p} WHERE NOT (region = 'EU') ORDER BY id",
    "SELECT id FROM (SELECT * FROM {p}) t ORDER BY id",
    "SELECT id FROM (SELECT * FROM {p} LIMIT 100) t WHERE x = 5 ORDER BY id",
    "WITH t AS (SELECT * FROM {p}) SELECT id FROM t ORDER BY id",
    "WITH people AS (SELECT * FROM {p}) SELECT id FROM people ORDER BY id",
    "WITH people AS (SELECT 1 AS id) SELECT p.id FROM people p JOIN {p} q ON q.id = p.id",
    "SELECT a.id, b.id FROM {p} a JOIN {p} b ON a.region = b.region ORDER BY 1, 2",
    "SELECT a.id, b.id FROM {p} a LEFT JOIN {p} b ON a.x = b.x + 1 ORDER BY 1, 2",
    "SELECT s.id, p.name FROM {s} s LEFT JOIN {p} p ON p.id = s.person ORDER BY 1",
    "SELECT s.id, p.name FROM {s} s LEFT JOIN {p} p ON p.id = s.person WHERE p.id IS NULL ORDER BY 1",
    "SELECT s.id, p.name FROM {p} p RIGHT JOIN {s} s ON p.id = s.person ORDER BY 1",
    "SELECT s.id, p.id FROM {p} p FULL JOIN {s} s ON p.id = s.person ORDER BY 1, 2",
    "SELECT p.name, sum(s.amount) FROM {p} p JOIN {s} s ON p.id = s.person GROUP BY p.name ORDER BY 1",
    "SELECT id FROM {p} JOIN {s} USING (id) ORDER BY id",
    "SELECT count(*) FROM {p} NATURAL JOIN {s}",
    "SELECT s.id FROM {s} s SEMI JOIN {p} p ON p.id = s.person ORDER BY 1",
    "SELECT s.id FROM {s} s ANTI JOIN {p} p ON p.id = s.person ORDER BY 1",
    "SELECT id FROM {s} WHERE person IN (SELECT id FROM {p}) ORDER BY id",
    "SELECT id FROM {s} WHERE person NOT IN (SELECT id FROM {p}) ORDER BY id",
    "SELECT id FROM {s} s WHERE EXISTS (SELECT 1 FROM {p} p WHERE p.id = s.person) ORDER BY id",
    "SELECT (SELECT max(id) FROM {p} WHERE region = 'US') AS m",
    "SELECT region, count(*) FROM {p} GROUP BY region ORDER BY 1",
    "SELECT region, count(*) FROM {p} GROUP BY region HAVING count(*) >= 1 ORDER BY 1",
    "SELECT DISTINCT region FROM {p} ORDER BY 1",
    "SELECT count(DISTINCT region) FROM {p}",
    "SELECT id FROM {p} ORDER BY x DESC, id LIMIT 1",
    "SELECT id FROM {p} ORDER BY id LIMIT 2 OFFSET 1",
    "SELECT id FROM {p} LIMIT 1",
    "SELECT id, row_number() OVER (ORDER BY id) AS n, sum(x) OVER () AS t FROM {p} ORDER BY id",
    "SELECT id FROM {p} UNION ALL SELECT id FROM {p} ORDER BY 1",
    "SELECT id FROM {s} EXCEPT SELECT id FROM {p} ORDER BY 1",
    "SELECT id FROM {p} WHERE id IN (3, 4) OR id = 2 ORDER BY id",
    "SELECT id FROM {p} WHERE 1 / (x - 5) < 2 ORDER BY id",
    "SELECT sum(1 / (x - 5)) FROM {p}",
    "SELECT id FROM {p} WHERE CAST(name AS INT) IS NULL AND id < 0",
    "SELECT a.id FROM {p} a JOIN {s} b ON a.id = b.person AND 1 / (a.x - 5) < 2 ORDER BY 1",
    "SELECT p.id FROM {p} p, LATERAL (SELECT p.x + 1 AS y) l ORDER BY 1",
    "SELECT t.c1 FROM {p} AS t(c1, c2, c3, c4, c5, c6, c7, c8) ORDER BY 1",
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM {p} WHERE region = 'US') THEN 1 ELSE 0 END AS there",
)
NAMES = "id, name, region, x"


@pytest.fixture
def wiring(tmp_path: Path) -> Iterator[Wiring]:
    (tmp_path / "forge.yaml").write_text(SETTINGS)
    (tmp_path / "data").mkdir()
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "all.yaml").write_text(SOURCES)
    lay_people(tmp_path / "data" / "crm.db", PEOPLE)
    lay_people(tmp_path / "data" / "mine.db", [one for one in PEOPLE if one[2] == "EU" and one[3] != 5])
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as made:
        yield made


def lay_people(file: Path, people: Any) -> None:
    with closing(sqlite3.connect(file)) as crm, crm:
        crm.execute(
            "CREATE TABLE people (id INTEGER NOT NULL PRIMARY KEY, name TEXT, region TEXT, x INTEGER, mail TEXT, "
            "phone TEXT, born DATE, pay INTEGER)"
        )
        crm.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?, ?)", people)
        crm.execute("CREATE TABLE firm (id INTEGER NOT NULL PRIMARY KEY, region TEXT, x INTEGER) STRICT")
        crm.executemany("INSERT INTO firm VALUES (?, ?, ?)", [(one[0], *one[2:4]) for one in people])
        crm.execute("CREATE TABLE sales (id INTEGER NOT NULL PRIMARY KEY, person INTEGER, amount INTEGER)")
        crm.executemany("INSERT INTO sales VALUES (?, ?, ?)", SALES)


def answer(wiring: Wiring, sql: str, user: str = READER, **more: Any) -> QueryAnswer:
    ports = wiring.federation.query_ports(user=user)
    caller = QueryCaller(user, "test", wiring.clock)
    return ask(ports, QueryRequest(sql, executor="in-process", **more), caller)


def outcome(wiring: Wiring, sql: str, **more: Any) -> object:
    """The rows, or the words of the error: both tell."""
    try:
        return sorted(answer(wiring, sql, **more).rows, key=repr)
    except ForgeError as error:
        return error.code, error.what, error.why


def of(sql: str, source: str) -> str:
    """Stars are of the columns that have no mask."""
    people = f"(SELECT {NAMES} FROM {source}.people)" if sql in TRIES[:1] else f"{source}.people"
    return sql.format(p=people, P=f"{source.upper()}.PEOPLE", s=f"{source}.sales")


@pytest.mark.slow
@pytest.mark.parametrize("source", ["crm", "soft"])
@pytest.mark.parametrize("pushdown", [True, False])
def test_a_reader_gets_what_he_would_get_of_his_rows_alone(wiring: Wiring, source: str, pushdown: bool) -> None:
    for sql in TRIES:
        found = outcome(wiring, of(sql, source), pushdown=pushdown)
        expected = outcome(wiring, of(sql, "mine"), pushdown=pushdown)
        assert found == expected, sql


def test_there_is_something_to_keep_back(wiring: Wiring) -> None:
    for source in ("crm", "soft"):
        assert answer(wiring, f"SELECT id FROM {source}.people ORDER BY id").rows == ((1,), (6,))
        assert len(answer(wiring, f"SELECT id FROM {source}.people", user=OWNER).rows) == 6


def test_a_role_is_its_users_and_a_name_is_a_user(wiring: Wiring) -> None:
    sql = "SELECT mail, phone, born, pay FROM crm.people WHERE id = 1"
    ada = answer(wiring, sql, user=OWNER).rows[0]
    assert (ada[0], ada[1], str(ada[2]), ada[3]) == ("ada@x.example", "+49 151 2345678", "1990-05-06", 100)
    zoe = answer(wiring, sql, user="zoe@example.com").rows[0]
    assert zoe[1] == "+49 151 2345678"  # only guests have this mask
    assert zoe[0] != "ada@x.example"
    assert answer(wiring, "SELECT count(*) FROM crm.people", user="owners").rows == ((2,),)  # no user is a role


def test_masked_values(wiring: Wiring) -> None:
    first, sixth = answer(wiring, "SELECT mail, phone, born, pay FROM crm.people ORDER BY id").rows
    assert first[0] == sixth[0]  # equal values have equal hashes
    assert isinstance(first[0], str)
    assert len(first[0]) == 32
    assert (first[1], str(first[2]), first[3]) == ("***5678", "1990-01-01", None)
    assert answer(wiring, "SELECT 1 AS n FROM crm.people WHERE mail IS NULL").rows == ()


def test_a_hash_joins_and_groups_and_nothing_tells_what_it_was_made_of(wiring: Wiring) -> None:
    joined = "SELECT a.id, b.id FROM crm.people a JOIN crm.people b ON a.mail = b.mail ORDER BY 1, 2"
    assert answer(wiring, joined).rows == ((1, 1), (1, 6), (6, 1), (6, 6))
    assert answer(wiring, "SELECT count(*) FROM crm.people GROUP BY mail").rows == ((2,),)
    for probe in (
        "mail = 'ada@x.example'",
        "mail LIKE 'ada%'",
        "phone LIKE '+49%'",
        "born = '1990-05-06'",
        "pay = 100",
    ):
        assert answer(wiring, f"SELECT id FROM crm.people WHERE {probe}").rows == (), probe
        assert outcome(wiring, f"SELECT id FROM crm.people WHERE {probe}", pushdown=False) == [], probe
    sql = "SELECT m.id FROM mine.people m JOIN crm.people c ON c.mail = m.mail"
    assert answer(wiring, sql).rows == ()


def test_ordering_and_extremes_are_of_masked_values(wiring: Wiring) -> None:
    assert answer(wiring, "SELECT min(born) AS b FROM crm.people").rows[0][0].isoformat() == "1990-01-01"  # type: ignore[attr-defined]
    assert answer(wiring, "SELECT max(phone) AS p, max(pay) AS y FROM crm.people").rows == (("***5678", None),)


def test_a_key_is_made_once_and_is_private(wiring: Wiring) -> None:
    answer(wiring, "SELECT mail FROM crm.people")
    file = wiring.root / ".forge" / "mask.key"
    kept = file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    answer(wiring, "SELECT mail FROM crm.people")
    assert file.read_bytes() == kept
    assert [one.name for one in file.parent.glob("mask.key*")] == ["mask.key"]


def test_a_rule_that_does_not_fit_lets_nothing_through(wiring: Wiring) -> None:
    for sql in ("SELECT id FROM wrong.people", "SELECT id FROM wrong.sales", "SELECT id FROM odd.people"):
        with pytest.raises(ForgeError) as refused:
            answer(wiring, sql)
        assert refused.value.code == "E892"
        assert "five" not in str(refused.value.to_dict())
        assert "nothing" not in str(refused.value.to_dict())


def test_a_plan_tells_nothing_of_a_row_filter(wiring: Wiring) -> None:
    ports = wiring.federation.query_ports(user=READER)
    for source in ("crm", "soft"):
        for sql in (
            f"SELECT name FROM {source}.people WHERE name > 'B'",
            f"SELECT count(*) FROM {source}.people",
            f"SELECT s.id FROM {source}.people p JOIN {source}.sales s ON s.person = p.id",
            f"SELECT l.y FROM {source}.people p, LATERAL (SELECT p.id + 1 AS y) l",
        ):
            for pushdown in (True, False):
                found = explain(ports, QueryRequest(sql, pushdown=pushdown))
                told = repr(found.to_dict()) + found.text()
                assert "region" not in told, told
                assert "EU" not in told, told
                assert "only what is yours" in told, told
                fragments = [one for one in found.to_dict()["sources"] if one["guarded"]]  # type: ignore[attr-defined]
                assert fragments
                assert all(one["rows"] is None for one in fragments)


def test_what_of_a_plan_is_pushed_with_a_filter_of_the_source(wiring: Wiring) -> None:
    """Of a table that is STRICT; another may hold a text in x, which is no 5."""
    for table, is_whole in (("firm", True), ("people", False)):
        found = answer(wiring, f"SELECT count(*) AS n FROM crm.{table}")
        assert found.plan is not None
        assert found.plan.whole is is_whole
        assert found.rows == ((2,),)
        assert found.rows_read == {"f1": 1 if is_whole else 2}


def test_rights_are_one_value_for_the_same_rows(wiring: Wiring) -> None:
    from contextlib import ExitStack

    from forge.flows.federation.opened_query import OpenedQuery
    from forge.transforms.sql_parse import parse_query

    def digest(user: str, sql: str) -> str:
        with ExitStack() as closing_:
            ports = wiring.federation.query_ports(user=user)
            query = OpenedQuery(
                ports=ports, request=QueryRequest(sql), parsed=parse_query(sql, "query"), closing=closing_
            )
            assert query.rights is not None
            return query.rights.digest

    people, sales = "SELECT id FROM crm.people", "SELECT id FROM crm.sales"
    assert digest(READER, people) != digest(OWNER, people)
    assert digest("zoe@example.com", people) != digest(READER, people)  # who is a guest
    assert digest("zoe@example.com", people) == digest("max@example.com", people)
    assert digest(READER, sales) == digest(OWNER, sales)


STEPS = (1, 10, 300, 650, 750, 1_500, 1_900, 2_100, 3_000)


@pytest.mark.parametrize("pushdown", [True, False])
def test_no_plan_tells_how_many_rows_are_kept_back_or_where_values_lie(tmp_path: Path, pushdown: bool) -> None:
    """Beside tables of known sizes, which of two is read first tells which is larger, step by step."""
    (tmp_path / "forge.yaml").write_text(SETTINGS)
    (tmp_path / "sources").mkdir()
    lay_database(tmp_path / ".forge" / "forge.db")
    names = {"shop_a": 700, "shop_b": 2_000}
    sources = ["- {name: steps, connector: sqlite, path: steps.db}"]
    for name, hidden in names.items():
        people = [
            (i, "N", "EU" if i < 3 else "US", i, f"{i}", None, f"{1950 + i % 50}-05-06", i) for i in range(hidden)
        ]
        lay_people(tmp_path / f"{name}.db", people)
        rules = "rows: [{table: people, filter: \"region = 'EU'\"}], masks: [{column: people.born, as: year}]"
        sources.append(f"- {{name: {name}, connector: sqlite, path: {name}.db, {rules}}}")
    with closing(sqlite3.connect(tmp_path / "steps.db")) as steps, steps:
        for step in STEPS:
            steps.execute(f"CREATE TABLE s{step} (id INTEGER NOT NULL PRIMARY KEY)")
            steps.executemany(f"INSERT INTO s{step} VALUES (?)", [(number,) for number in range(step)])
    (tmp_path / "sources" / "all.yaml").write_text("\n".join(["sources:", *sources]))
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        ports = wiring.federation.query_ports(user=READER)

        def told(name: str, sql: str) -> str:
            found = explain(ports, QueryRequest(sql.format(name=name), pushdown=pushdown, cache=False))
            return (repr(found.to_dict()) + found.text()).replace(name, "shop")

        for step in STEPS:
            for sql in (
                f"SELECT p.id FROM {{name}}.people p JOIN steps.s{step} s ON s.id = p.id",
                f"SELECT p.x, count(*) FROM {{name}}.people p JOIN steps.s{step} s ON s.id = p.x GROUP BY p.x",
                f"SELECT p.id FROM {{name}}.people p JOIN steps.s{step} s ON s.id = p.id JOIN steps.s10 t USING (id)",
            ):
                assert told("shop_a", sql) == told("shop_b", sql), sql
