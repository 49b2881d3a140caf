"""Every type of every database: its Spark type, the values that it holds at its ends, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from mariadb_server import MariadbServer
from source_worlds import SourceWorld, mariadb_world, postgres_world, sqlite_world

from forge.model.errors import ForgeError

# native, Spark, same_equality, same_order, then literals of SQL and what is read
Case = tuple[str, str, bool, bool, list[tuple[str, Any]]]
UTC = ZoneInfo("UTC")
UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
LOWEST = -1.7976931348623157e308
NINES = Decimal("9" * 20 + "." + "9" * 18)

POSTGRES: list[Case] = [
    ("boolean", "boolean", True, True, [("true", True), ("false", False)]),
    ("smallint", "smallint", True, True, [("-32768", -32768), ("32767", 32767)]),
    ("integer", "int", True, True, [("-2147483648", -(2**31)), ("2147483647", 2**31 - 1)]),
    ("bigint", "bigint", True, True, [("-9223372036854775808", -(2**63)), ("9223372036854775807", 2**63 - 1)]),
    ("oid", "bigint", True, True, [("4294967295", 2**32 - 1)]),
    ("real", "float", True, True, [("'3.4028235e38'", 3.4028234663852886e38), ("'-Infinity'", float("-inf"))]),
    ("double precision", "double", True, True, [("'5e-324'", 5e-324), ("0.1", 0.1), ("'Infinity'", float("inf"))]),
    (
        "numeric(38,18)",
        "decimal(38,18)",
        True,
        True,
        [(str(NINES), NINES), ("-0.5", Decimal("-0." + "5".ljust(18, "0")))],
    ),
    ("numeric(10,2)", "decimal(10,2)", True, True, [("99999999.99", Decimal("99999999.99"))]),
    ("numeric(3,-2)", "decimal(5,0)", True, True, [("99900", Decimal(99900))]),
    ("numeric", "decimal(38,18)", True, True, [("0.000000000000000001", Decimal("1E-18"))]),
    ("text", "string", True, True, [("'ä🦆''\\'", "ä🦆'\\"), ("''", "")]),
    ("varchar(5)", "string", True, True, [("'a  '", "a  ")]),
    ("char(3)", "string", False, False, [("'a'", "a  ")]),
    ('text COLLATE "C"', "string", True, True, [("'a'", "a")]),
    ("bytea", "binary", True, True, [("'\\x00ff27'", b"\x00\xff'"), ("''", b"")]),
    ("date", "date", True, True, [("'0001-01-01'", date.min), ("'9999-12-31'", date.max)]),
    (
        "timestamp",
        "timestamp_ntz",
        True,
        True,
        [("'0001-01-01 00:00:00'", datetime.min), ("'9999-12-31 23:59:59.999999'", datetime.max)],
    ),
    (
        "timestamptz",
        "timestamp",
        True,
        True,
        [("'2026-03-29 02:30:00.5+02'", datetime(2026, 3, 29, 0, 30, 0, 500000, UTC))],
    ),
    ("time", "string", False, False, [("'23:59:59.5'", "23:59:59.5")]),
    ("interval", "string", False, False, [("'1 year 2 days'", "1 year 2 days")]),
    (
        "uuid",
        "string",
        False,
        False,
        [(f"'{UUID.upper()}'", UUID)],
    ),
    ("json", "string", False, False, [("'{\"a\": 1}'", '{"a": 1}')]),
    ("jsonb", "string", False, False, [("'{\"a\":1}'", '{"a": 1}')]),
    ("inet", "string", False, False, [("'10.0.0.1'", "10.0.0.1")]),
    ("bit(1)", "boolean", False, False, [("B'1'", True)]),
    ("bit(4)", "string", False, False, [("B'0110'", "0110")]),
    ("mood", "string", False, False, [("'sad'", "sad")]),
    ("int4range", "string", False, False, [("'[1,3)'", "[1,3)")]),
    ("point", "string", False, False, [("'(1,2)'", "(1,2)")]),
    ("price", "decimal(8,3)", True, True, [("1.5", Decimal("1.500"))]),
    ("integer[]", "array<int>", False, False, [("'{1,NULL,3}'", [1, None, 3]), ("'{}'", [])]),
    ("numeric(5,1)[]", "array<decimal(5,1)>", False, False, [("'{1.5}'", [Decimal("1.5")])]),
    ("text[]", "array<string>", False, False, [('\'{"a,\\"b",""}\'', ['a,"b', ""])]),
    ("uuid[]", "array<string>", False, False, [("'{}'", [])]),
    ("boolean[]", "array<boolean>", False, False, [("'{t,f}'", [True, False])]),
    ("timestamp[]", "array<timestamp_ntz>", False, False, [("'{2026-01-01}'", [datetime(2026, 1, 1)])]),
    ("mood[]", "string", False, False, [("'{sad,ok}'", "{sad,ok}")]),
    ("int4range[]", "string", False, False, [("'{}'", "{}")]),
]

MYSQL: list[Case] = [
    ("boolean", "boolean", True, True, [("true", True), ("0", False)]),
    ("bit(1)", "boolean", True, True, [("b'1'", True), ("b'0'", False)]),
    ("bit(63)", "bigint", True, True, [("9223372036854775807", 2**63 - 1)]),
    ("tinyint", "tinyint", True, True, [("-128", -128), ("127", 127)]),
    ("tinyint unsigned", "smallint", True, True, [("255", 255)]),
    ("smallint unsigned", "int", True, True, [("65535", 65535)]),
    ("mediumint unsigned", "int", True, True, [("16777215", 2**24 - 1)]),
    ("int", "int", True, True, [("-2147483648", -(2**31))]),
    ("int unsigned", "bigint", True, True, [("4294967295", 2**32 - 1)]),
    ("bigint", "bigint", True, True, [("-9223372036854775808", -(2**63))]),
    ("bigint unsigned", "decimal(20,0)", True, True, [("18446744073709551615", Decimal(2**64 - 1))]),
    ("decimal(38,18)", "decimal(38,18)", True, True, [(str(NINES), NINES)]),
    (
        "double",
        "double",
        True,
        True,
        [("5e-324", 5e-324), ("0.1", 0.1), (repr(LOWEST), LOWEST)],
    ),
    ("year", "int", True, True, [("2155", 2155)]),
    ("date", "date", True, True, [("'0001-01-01'", date.min), ("'9999-12-31'", date.max)]),
    ("datetime(6)", "timestamp_ntz", True, True, [("'9999-12-31 23:59:59.999999'", datetime.max)]),
    (
        "timestamp(3) NULL",
        "timestamp",
        True,
        True,
        [("'2026-01-01 00:00:00.125'", datetime(2026, 1, 1, 0, 0, 0, 125000, UTC))],
    ),
    ("time(3)", "string", False, False, [("'-838:59:59'", "-838:59:59.000")]),
    ("varchar(9)", "string", False, False, [("'ä🦆  '", "ä🦆  ")]),
    ("varchar(9) COLLATE utf8mb4_bin", "string", False, False, [("'a'", "a")]),
    ("varchar(9) COLLATE utf8mb4_nopad_bin", "string", True, True, [("'A'", "A")]),
    ("varchar(9) CHARACTER SET latin1 COLLATE latin1_nopad_bin", "string", True, False, [("'ä'", "ä")]),
    ("text", "string", False, False, [("''", "")]),
    ("enum('sad','ok')", "string", False, False, [("'ok'", "ok")]),
    ("set('a','b')", "string", False, False, [("'a,b'", "a,b")]),
    ("json", "string", False, False, [("'{\"a\": 1}'", '{"a": 1}')]),
    (
        "uuid",
        "string",
        False,
        False,
        [(f"'{UUID.upper()}'", UUID)],
    ),
    ("varbinary(9)", "binary", True, True, [("X'00ff27'", b"\x00\xff'")]),
    ("blob", "binary", True, True, [("''", b"")]),
]

SQLITE: list[Case] = [
    ("INTEGER", "bigint", True, True, [("-9223372036854775808", -(2**63)), ("9223372036854775807", 2**63 - 1)]),
    ("TINYINT", "bigint", True, True, [("300", 300)]),
    ("BOOLEAN", "boolean", True, True, [("1", True), ("false", False)]),
    ("REAL", "double", True, True, [("0.1", 0.1), ("1", 1.0), ("9e999", float("inf"))]),
    ("TEXT", "string", True, True, [("'ä🦆'", "ä🦆"), ("''", ""), ("12", "12")]),
    ("VARCHAR(3) COLLATE NOCASE", "string", False, False, [("'abcd'", "abcd")]),
    ("TEXT COLLATE RTRIM", "string", False, False, [("'a '", "a ")]),
    ("BLOB", "binary", True, True, [("X'00ff'", b"\x00\xff")]),
    ("DECIMAL(10,2)", "decimal(10,2)", False, False, [("0.1", Decimal("0.10")), ("7", Decimal("7.00"))]),
    ("NUMERIC", "double", False, False, [("7", 7.0), ("0.5", 0.5)]),
    ("DATE", "date", False, False, [("'2026-01-31'", date(2026, 1, 31))]),
    (
        "DATETIME",
        "timestamp_ntz",
        False,
        False,
        [("'2026-01-31T01:00:00.5'", datetime(2026, 1, 31, 1, 0, 0, 500000))],
    ),
    ("STRING", "string", False, False, [("'007a'", "007a"), ("7", "7")]),
    ("", "string", False, False, [("'x'", "x"), ("7", "7")]),
]

Misfit = tuple[str, str]
UNFIT: dict[str, list[Misfit]] = {
    "postgresql": [
        ("date", "'infinity'"),
        ("date", "'0044-03-15 BC'"),
        ("timestamp", "'-infinity'"),
        ("timestamptz", "'10000-01-01 00:00:00+00'"),
        ("numeric", "'NaN'"),
        ("numeric", "0.0000000000000000001"),
        ("numeric(50,0)", "1e40"),
        ("numeric", "1e100 + 1"),
        ("numeric(60,20)", "1e39 - 1e-20"),
        ("integer[]", "'{{1},{2}}'"),
    ],
    "mysql": [
        ("boolean", "2"),
        ("bit(64)", "18446744073709551615"),
        ("decimal(65,0)", "1" + "0" * 60),
        ("date", "'0000-00-00'"),
        ("date", "'2026-02-00'"),
        ("datetime", "'0000-00-00 00:00:00'"),
    ],
    "sqlite": [
        ("INTEGER", "'many'"),
        ("INTEGER", "1.5"),
        ("BOOLEAN", "2"),
        ("REAL", "'x'"),
        ("NUMERIC", "9007199254740993"),
        ("TEXT", "X'ff'"),
        ("TEXT", "CAST(X'ff' AS TEXT)"),
        ("BLOB", "'text'"),
        ("DECIMAL(10,2)", "0.125"),
        ("DECIMAL(10,2)", "'x'"),
        ("DATE", "'31.1.2026'"),
        ("DATE", "1767225600"),
        ("DATETIME", "'2026-01-31 10:00:00+02:00'"),
    ],
}


def check(world: SourceWorld, cases: list[Case]) -> None:
    columns = ", ".join(f"c{place} {native}" for place, (native, *_) in enumerate(cases))
    world.execute(f"CREATE TABLE kinds ({columns})")
    world.execute(f"INSERT INTO kinds VALUES ({', '.join('NULL' for _ in cases)})")
    for place, (*_, values) in enumerate(cases):
        for literal, _ in values:
            world.execute(f"INSERT INTO kinds (c{place}) VALUES ({literal})")
    connector = world.open()
    found = connector.describe(("kinds",))
    assert found is not None
    seen = [(str(one.type), one.same_equality, one.same_order) for one in found.columns]
    told = [(native, *what) for (native, *_), what in zip(cases, seen, strict=True)]
    assert told == [case[:4] for case in cases]
    table = world.select(connector, "kinds")
    for place, (*_, values) in enumerate(cases):
        read = [value for value in table[f"c{place}"].to_pylist() if value is not None]
        assert sorted(map(repr, read)) == sorted(repr(value) for _, value in values)
        assert table[f"c{place}"].null_count == table.num_rows - len(values)


@pytest.mark.services("postgres")
def test_types_of_postgresql(new_postgres: Callable[[], str], tmp_path: Path) -> None:
    world = postgres_world(new_postgres(), tmp_path)
    world.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')")
    world.execute("CREATE DOMAIN price AS numeric(8,3)")
    check(world, POSTGRES)


@pytest.mark.services("mariadb")
def test_types_of_mariadb(mariadb_server: MariadbServer, tmp_path: Path) -> None:
    check(mariadb_world(mariadb_server, "types", tmp_path), MYSQL)


def test_types_of_sqlite(tmp_path: Path) -> None:
    check(sqlite_world(tmp_path), SQLITE)


def refuses(world: SourceWorld) -> None:
    for place, (native, literal) in enumerate(UNFIT[world.kind]):
        world.execute(f"CREATE TABLE t{place} (fine int, odd {native})")
        world.execute(f"INSERT INTO t{place} VALUES (1, NULL)")
        world.execute(f"INSERT INTO t{place} VALUES (1, {literal})")
        with pytest.raises(ForgeError, match="column odd of shop") as caught:
            world.select(world.open(), f"t{place}")
        assert caught.value.code == "E310"


@pytest.mark.services("postgres")
def test_what_does_not_fit_in_postgresql(new_postgres: Callable[[], str], tmp_path: Path) -> None:
    refuses(postgres_world(new_postgres(), tmp_path))


@pytest.mark.services("mariadb")
def test_what_does_not_fit_in_mariadb(mariadb_server: MariadbServer, tmp_path: Path) -> None:
    with mariadb_server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET GLOBAL sql_mode = ''")
    refuses(mariadb_world(mariadb_server, "unfit", tmp_path))


def test_what_does_not_fit_in_sqlite(tmp_path: Path) -> None:
    refuses(sqlite_world(tmp_path))


@pytest.mark.services("mariadb")
def test_a_float_of_mariadb_is_asked_for_as_a_double(mariadb_server: MariadbServer, tmp_path: Path) -> None:
    """16777216 would be read as 16777200."""
    import pyarrow as pa

    from forge.federation.plan import SourceQuery

    world = mariadb_world(mariadb_server, "floats", tmp_path)
    world.execute("CREATE TABLE kinds (f float);\nINSERT INTO kinds VALUES (16777216)")
    connector = world.open()
    found = connector.describe(("kinds",))
    assert found is not None
    assert str(found.columns[0].type) == "float"
    with pytest.raises(ForgeError) as caught:
        world.select(connector, "kinds")
    assert (caught.value.code, caught.value.fix) == ("E309", "Ask for it as a double: `col + 0e0`.")
    query = SourceQuery(f"SELECT k.f + 0e0 AS f FROM {world.named('kinds')} AS k")
    assert connector.read(query, pa.schema([("f", pa.float32())])).read_all().to_pylist() == [{"f": 16777216.0}]
