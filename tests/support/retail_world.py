"""A small retail world in many places: customers and orders in PostgreSQL, suppliers and categories in SQLite, files of
countries and rates, products and stock in the lake. The values are those that systems see differently: texts that a
collation sorts or equates otherwise, decimals at their limits, times around a change of the clock, NULL, NaN, -0.0.

`TABLES` holds all the rows as Arrow: what every engine has to see."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa
import pyarrow.parquet as parquet

from forge.versioning.arrow_types import type_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POSTGRES = ("customers", "orders")
SQLITE = ("suppliers", "categories")
CSV, PARQUET = ("countries",), ("rates",)
LAKE = ("products", "stock")

# fmt: off
NAMES = (
    "ada", "Ada", "ADA", "Ädä", "adb", "zoe", "Zoë", "Zoe\u0308", "éclair", "Eclair", "straße", "strasse", "a b", "a-b",
    "a_b", "ab", "%", "100%", "_x", "", " ", "bob", "bob ", " bob", "O'Neil", 'say "hi"', "back\\slash", "日本", "ﬀ",
    "ff", "😀", "tab\there", "Ω", "ω", "İstanbul", "istanbul", "Z", "a", "10", "9", "1e1", "NULL", "true",
)
# fmt: on
CODES = ("DE", "FR", "US", "de", "JP", "  ", "X ", "GB")
STATUSES = ("open", "Open", "paid", "shipped", "SHIPPED", "returned")
WAREHOUSES = ("north", "North", "south", "östlich", "east ")
CATEGORY_NAMES = ("Tools", "tools", "Toys", "TOYS", "Food", "food ", "Ähren", "ähren", "Books", "Music")
AMOUNTS = ("0.00", "-0.01", "0.01", "99999999.99", "-99999999.99", "10.10", "10.1", "33.33", "66.67", "0.05")
MOMENTS = (
    datetime(1900, 1, 1),
    datetime(1969, 12, 31, 23, 59, 59, 999999),
    datetime(1970, 1, 1),
    datetime(2024, 2, 29, 12),
    datetime(2024, 3, 31, 1, 30),
    datetime(2024, 3, 31, 2, 30),
    datetime(2024, 10, 27, 0, 59, 59),
    datetime(2024, 10, 27, 2, 30, 0, 1),
    datetime(2024, 12, 31, 23, 30),
    datetime(2025, 1, 1, 0, 0, 0, 1),
)
DAYS = (date(1582, 10, 4), date(1582, 10, 15), date(1, 1, 1), date(2024, 2, 29), date(2024, 12, 31), date(2025, 1, 1))
DOUBLES = (0.0, -0.0, 1.5, -1.5, 1e300, -1e300, 5e-324, 0.1, 2.5, 3.5)

DECIMAL = pa.decimal128(10, 2)
SCHEMAS: Mapping[str, pa.Schema] = {
    "customers": pa.schema(
        [
            ("id", pa.int32()),
            ("name", pa.string()),
            ("email", pa.string()),
            ("country", pa.string()),
            ("segment", pa.string()),
            ("credit", DECIMAL),
            ("since", pa.date32()),
            ("active", pa.bool_()),
            ("parent_id", pa.int32()),
        ]
    ),
    "orders": pa.schema(
        [
            ("id", pa.int64()),
            ("customer_id", pa.int32()),
            ("product_id", pa.int32()),
            ("amount", DECIMAL),
            ("qty", pa.int16()),
            ("placed_at", pa.timestamp("us", "UTC")),
            ("shipped_at", pa.timestamp("us")),
            ("day", pa.date32()),
            ("status", pa.string()),
            ("note", pa.string()),
            ("paid", pa.bool_()),
            ("weight", pa.float64()),
            ("score", pa.float32()),
        ]
    ),
    "suppliers": pa.schema(
        [
            ("id", pa.int64()),
            ("name", pa.string()),
            ("country", pa.string()),
            ("rating", pa.float64()),
            ("terms", pa.string()),
        ]
    ),
    "categories": pa.schema([("id", pa.int64()), ("name", pa.string()), ("parent_id", pa.int64())]),
    "countries": pa.schema(
        [("code", pa.string()), ("name", pa.string()), ("region", pa.string()), ("population", pa.int64())]
    ),
    "rates": pa.schema(
        [
            ("country", pa.string()),
            ("day", pa.date32()),
            ("rate", pa.decimal128(12, 6)),
            ("fee", pa.float64()),
        ]
    ),
    "products": pa.schema(
        [
            ("id", pa.int32()),
            ("name", pa.string()),
            ("category_id", pa.int64()),
            ("supplier_id", pa.int64()),
            ("price", DECIMAL),
            ("weight", pa.float64()),
            ("launched", pa.date32()),
            ("discontinued", pa.bool_()),
        ]
    ),
    "stock": pa.schema(
        [
            ("product_id", pa.int32()),
            ("warehouse", pa.string()),
            ("qty", pa.int32()),
            ("counted_at", pa.timestamp("us", "UTC")),
            ("checked_at", pa.timestamp("us")),
        ]
    ),
}
# Of the text columns, how PostgreSQL and SQLite compare them. The server of the tests has no collation of a language.
_POSTGRES_TYPES = {
    "customers": {
        "id": "int PRIMARY KEY",
        "name": 'text COLLATE "pg_unicode_fast"',
        "email": "text",
        "country": "char(2)",
        "segment": "varchar(12)",
        "credit": "numeric(10,2)",
        "since": "date",
        "active": "boolean",
        "parent_id": "int",
    },
    "orders": {
        "id": "bigint PRIMARY KEY",
        "customer_id": "int",
        "product_id": "int",
        "amount": "numeric(10,2)",
        "qty": "smallint",
        "placed_at": "timestamptz",
        "shipped_at": "timestamp",
        "day": "date",
        "status": 'text COLLATE "C"',
        "note": 'text COLLATE "pg_unicode_fast"',
        "paid": "boolean",
        "weight": "double precision",
        "score": "real",
    },
}
_SQLITE_TYPES = {
    "suppliers": "id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, country TEXT, rating REAL, terms TEXT",
    "categories": "id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, parent_id INTEGER",
}
CSV_COLUMNS = {"code": "string", "name": "string", "region": "string", "population": "bigint"}


T = TypeVar("T")


@cache
def tables() -> Mapping[str, pa.Table]:
    """By name; the same in every process."""
    random = Random(20)
    made = {
        "customers": _rows(240, lambda at: _customer(at, random)),
        "orders": _rows(2400, lambda at: _order(at, random)),
        "suppliers": _rows(60, lambda at: _supplier(at, random)),
        "categories": _rows(24, lambda at: _category(at, random)),
        "countries": _countries(),
        "rates": _rows(260, lambda at: _rate(at, random)),
        "products": _rows(300, lambda at: _product(at, random)),
        "stock": _rows(700, lambda at: _stock(at, random)),
    }
    return {name: pa.Table.from_pylist(rows, SCHEMAS[name]) for name, rows in made.items()}


def _rows(number: int, make: Callable[[int], dict[str, object]]) -> list[dict[str, object]]:
    return [make(at) for at in range(1, number + 1)]


def _maybe(random: Random, value: T, share: float = 0.12) -> T | None:
    return None if random.random() < share else value


def _but(key: int, without: int) -> int:
    """Another key instead of those that nothing refers to."""
    return key + 1 if key % without == 0 else key


def _customer(at: int, random: Random) -> dict[str, object]:
    name = NAMES[at % len(NAMES)] if at % 3 else f"{random.choice(NAMES)}{at % 7}"
    return {
        "id": at,
        "name": _maybe(random, name, 0.04),
        "email": _maybe(random, f"{random.choice(('Ann', 'ann', 'bob'))}{at % 50}@example.com", 0.2),
        "country": _maybe(random, random.choice(CODES), 0.08),
        "segment": _maybe(random, random.choice(("retail", "Retail", "trade", "trade ", ""))),
        "credit": _maybe(random, Decimal(random.choice(AMOUNTS)), 0.2),
        "since": _maybe(random, random.choice(DAYS)),
        "active": _maybe(random, random.random() < 0.6),
        "parent_id": _maybe(random, random.randint(1, 260), 0.5),
    }


def _order(at: int, random: Random) -> dict[str, object]:
    amount = random.choice(AMOUNTS) if at % 9 == 0 else f"{random.randint(-5000, 90000) / 100:.2f}"
    moment = (
        random.choice(MOMENTS) if at % 4 == 0 else datetime(2024, 1, 1) + timedelta(minutes=random.randint(0, 700_000))
    )
    shipped = random.choice(MOMENTS) if at % 5 == 0 else moment + timedelta(hours=random.randint(1, 90))
    weight = float("nan") if at % 41 == 0 else float("inf") if at % 83 == 0 else random.choice(DOUBLES)
    return {
        "id": at,
        "customer_id": _maybe(random, _but(random.randint(1, 260), 17), 0.05),
        "product_id": _maybe(random, _but(random.randint(1, 320), 19), 0.05),
        "amount": _maybe(random, Decimal(amount), 0.06),
        "qty": _maybe(random, random.choice((-1, 0, 1, 2, 3, 7, 32767))),
        "placed_at": moment.replace(tzinfo=UTC),
        "shipped_at": _maybe(random, shipped, 0.3),
        "day": moment.date() if at % 7 else random.choice(DAYS),
        "status": _maybe(random, random.choice(STATUSES), 0.05),
        "note": _maybe(random, random.choice(NAMES), 0.4),
        "paid": _maybe(random, random.random() < 0.5, 0.3),
        "weight": _maybe(random, weight, 0.2),
        "score": _maybe(random, random.choice((0.0, -0.0, 0.1, 1.25, -7.5, 16777216.0)), 0.3),
    }


def _supplier(at: int, random: Random) -> dict[str, object]:
    return {
        "id": at,
        "name": random.choice(NAMES if at % 4 else CATEGORY_NAMES),
        "country": _maybe(random, random.choice(CODES)),
        "rating": _maybe(random, random.choice((0.0, 1.5, 2.5, 3.25, 4.75, 5.0)), 0.2),
        "terms": _maybe(random, random.choice(("net 30", "NET 30", "prepaid", "")), 0.3),
    }


def _category(at: int, random: Random) -> dict[str, object]:
    return {
        "id": at,
        "name": f"{CATEGORY_NAMES[at % 10]}{'' if at < 11 else at}",
        "parent_id": None if at < 6 else random.randint(1, at - 1),
    }


def _countries() -> list[dict[str, object]]:
    regions = {"DE": "Europe", "FR": "Europe", "GB": "Europe", "US": "America", "JP": "Asia", "BR": None}
    people = {"DE": 83_000_000, "FR": 68_000_000, "GB": 67_000_000, "US": 340_000_000, "JP": 124_000_000, "BR": None}
    names = {
        "DE": "Germany",
        "FR": "France",
        "GB": "Great, Britain",
        "US": 'The "States"',
        "JP": "日本",
        "BR": "Brazil",
    }
    found: list[dict[str, object]] = [
        {"code": code, "name": names[code], "region": regions[code], "population": people[code]} for code in regions
    ]
    return [*found, {"code": "de", "name": "germany", "region": "europe", "population": 9_007_199_254_740_993}]


def _rate(at: int, random: Random) -> dict[str, object]:
    return {
        "country": random.choice(("DE", "FR", "US", "JP", "GB", "de")),
        "day": date(2024, 1, 1) + timedelta(days=at),
        "rate": _maybe(random, Decimal(random.randint(1, 9_999_999)) / 1_000_000, 0.05),
        "fee": _maybe(random, random.choice((*DOUBLES, float("nan"))), 0.1),
    }


def _product(at: int, random: Random) -> dict[str, object]:
    return {
        "id": at,
        "name": random.choice(NAMES),
        "category_id": _maybe(random, random.randint(1, 26), 0.05),
        "supplier_id": _maybe(random, random.randint(1, 66), 0.1),
        "price": _maybe(random, Decimal(random.randint(1, 99_999)) / 100, 0.05),
        "weight": _maybe(random, random.choice((*DOUBLES, float("nan"))), 0.1),
        "launched": _maybe(random, random.choice(DAYS), 0.1),
        "discontinued": _maybe(random, random.random() < 0.3, 0.1),
    }


def _stock(at: int, random: Random) -> dict[str, object]:
    return {
        "product_id": random.randint(1, 320),
        "warehouse": random.choice(WAREHOUSES),
        "qty": _maybe(random, random.choice((-2_147_483_648, -5, 0, 1, 10, 400, 2_147_483_647)), 0.1),
        "counted_at": _maybe(random, random.choice(MOMENTS).replace(tzinfo=UTC), 0.1),
        "checked_at": _maybe(random, random.choice(MOMENTS), 0.1),
    }


def fill_postgres(url: str) -> None:
    """Tables of the schema public, analysed, so that their sizes are known."""
    import psycopg

    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        for name, columns in _POSTGRES_TYPES.items():
            told = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            connection.execute(f"CREATE TABLE {name} ({told})")
            with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for row in _values(name):
                    copy.write_row(row)
            connection.execute(f"ANALYZE {name}")


def fill_sqlite(file: Path) -> None:
    connection = sqlite3.connect(file)
    for name, columns in _SQLITE_TYPES.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")
        rows = list(_values(name))
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    connection.commit()
    connection.close()


def write_files(folder: Path) -> None:
    """`countries.csv` and `rates.parquet`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in CSV:
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(SCHEMAS[name].names)
            writer.writerows(("" if value is None else value for value in row) for row in _values(name))
    for name in PARQUET:
        parquet.write_table(tables()[name], folder / f"{name}.parquet")


def fill_catalog(spark: SparkSession, folder: Path, schema: str = "retail") -> None:
    """Iceberg tables of Spark's own catalog."""
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS forge.{schema}")
    for name in LAKE:
        parquet.write_table(tables()[name], folder / f"{name}.parquet")
        rows = spark.read.parquet(str(folder / f"{name}.parquet"))
        rows.writeTo(f"forge.{schema}.{name}").using("iceberg").createOrReplace()


def load_spark(
    spark: SparkSession,
    prefix: str = "whole_",
    hidden: Mapping[str, Collection[str]] = MappingProxyType({}),
    rows: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Every table as a view of one session: by name, what to call it in a text. The rows are in memory: of a file,
    Spark would leave out rows with NaN, which no statistics of it tell. What is hidden is NULL; of `rows` only
    those are there of which the condition is true."""
    found = {}
    for name, table in tables().items():
        for column in hidden.get(name, ()):
            place = table.schema.get_field_index(column)
            field = table.schema.field(place)
            table = table.set_column(place, field, pa.nulls(table.num_rows, field.type))
        types = ", ".join(f"{each.name} {type_name(each.type)}" for each in table.schema)
        frame = spark.createDataFrame(table, schema=types)
        if name in rows:
            frame = spark.createDataFrame(frame.where(rows[name]).toArrow(), schema=types)
        frame.createOrReplaceTempView(f"{prefix}{name}")
        found[name] = f"{prefix}{name}"
    return found


def _values(name: str) -> Iterator[Sequence[object]]:
    yield from zip(*(column.to_pylist() for column in tables()[name].columns), strict=True)
