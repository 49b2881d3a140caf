"""Many queries over five million line items in PostgreSQL, categories in a Parquet file, customers in SQLite, days and
regions in Iceberg tables: Forge's rows beside those of one PostgreSQL that holds all of it, in both engines, with
pushdown on and off. Prints how many were equal."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pyarrow as pa

from bench.federation.data import make_project, make_tables
from bench.federation.questions import BenchQuestion, questions
from bench.table import aligned

if TYPE_CHECKING:
    from forge.flows.federation.query import ExecutorChoice
    from forge.wiring import Wiring

CUSTOMERS = 100_000
COUNTRIES = ("DE", "FR", "US", "us", "JP", None)
_PEOPLE = {"DE": 83_000_000, "FR": 68_000_000, "US": 340_000_000, "JP": 124_000_000}
_REGIONS = {"DE": "Europe", "FR": "Europe", "US": "America", "JP": "Asia"}
_TABLES = """
CREATE TABLE customers (id int PRIMARY KEY, name text, country text, segment text, credit int);
CREATE TABLE days (day date, quarter text, weight numeric(6,2));
CREATE TABLE regions (country text, region text, population bigint);
"""
# The names of the tables in queries of Forge.
NAMES = {
    "lines": "shop.lines",
    "categories": "categories",
    "customers": "till.customers",
    "days": "core.days",
    "regions": "core.regions",
}
Row = Sequence[object]


@dataclass
class Leg:
    executor: ExecutorChoice
    pushdown: bool
    equal: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.executor}, {'pushed down' if self.pushdown else 'not pushed down'}"


def customers() -> list[tuple[int, str, str | None, str | None, int]]:
    segments = ("retail", "trade", None)
    return [(at, f"Customer {at}", COUNTRIES[at % 6], segments[at * 7 % 3], at * 13 % 1000) for at in range(CUSTOMERS)]


def days() -> list[tuple[date, str, Decimal]]:
    first = date(2020, 1, 1)
    found = [first + timedelta(days=at) for at in range(1_990)]  # some line items have none
    return [(one, f"Q{(one.month + 2) // 3}", Decimal(at % 1000) / 100) for at, one in enumerate(found)]


def regions() -> list[tuple[str, str, int]]:
    return [(country, _REGIONS[country], _PEOPLE[country]) for country in _REGIONS]


def make_world(folder: Path, url: str, rows: int) -> None:
    """Everything in PostgreSQL, and the dimensions where Forge is to find them."""
    make_tables(url, rows)
    made: dict[str, Sequence[Sequence[Any]]] = {"customers": customers(), "days": days(), "regions": regions()}
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_TABLES)
        for name, values in made.items():
            with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for row in values:
                    copy.write_row(row)
            connection.execute(f"ANALYZE {name}")
    make_project(folder, url)
    with (folder / "sources" / "bench.yaml").open("a", encoding="utf-8") as file:
        file.write("  - {name: till, connector: sqlite, path: till.db}\n")
    with closing(sqlite3.connect(folder / "till.db")) as till, till:
        till.execute(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT, segment TEXT, credit INT)"
        )
        till.executemany("INSERT INTO customers VALUES (?, ?, ?, ?, ?)", made["customers"])


def fill_lake(wiring: Wiring) -> None:
    """As another engine would."""
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("forge", uri=str(wiring.database.url), warehouse=str(wiring.settings.warehouse_path()))
    catalog.create_namespace("core")
    types = {"days": [pa.date32(), pa.string(), pa.decimal128(6, 2)], "regions": [pa.string(), pa.string(), pa.int64()]}
    names = {"days": ["day", "quarter", "weight"], "regions": ["country", "region", "population"]}
    made: dict[str, Sequence[Sequence[Any]]] = {"days": days(), "regions": regions()}
    for name, rows in made.items():
        columns = [pa.array(column, of) for column, of in zip(zip(*rows, strict=True), types[name], strict=True)]
        table = pa.table(columns, names=names[name])
        catalog.create_table(("core", name), table.schema).append(table)


def compare(wiring: Wiring, url: str, asked: Iterable[BenchQuestion], legs: Sequence[Leg]) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for at, one in enumerate(asked, start=1):
            own = connection.execute(one.text.format(**{name: name for name in NAMES}).encode()).fetchall()
            expected = canonical(own, one.ordered)
            for leg in legs:
                _ask(wiring, one, leg, expected)
            shown = " | ".join(f"{leg.name} {leg.equal}/{at}" for leg in legs)
            print(f"{at}: {shown}", file=sys.stderr, flush=True)


def _ask(wiring: Wiring, one: BenchQuestion, leg: Leg, expected: list[str]) -> None:
    from forge.flows.federation.query import QueryRequest, ask
    from forge.flows.versioning.read import QueryCaller
    from forge.model.errors import ForgeError

    request = QueryRequest(one.text.format(**NAMES), executor=leg.executor, pushdown=leg.pushdown, cache=False)
    began = time.monotonic()
    try:
        answer = ask(wiring.federation.query_ports(), request, QueryCaller("bench", "bench", wiring.clock))
    except ForgeError as error:
        leg.wrong.append(f"{error.code} {error.what}: {request.sql}")
        return
    leg.seconds += time.monotonic() - began
    if canonical(answer.rows, one.ordered) == expected:
        leg.equal += 1
    else:
        leg.wrong.append(f"other rows: {request.sql}")


def canonical(rows: Iterable[Row], ordered: bool) -> list[str]:
    """The same text for the same value, whatever class of number an engine has for it; averages to twelve digits."""
    texts = ["|".join(map(_text, row)) for row in rows]
    return texts if ordered else sorted(texts)


def _text(value: object) -> str:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return f"{float(value):.12g}"
    return "NULL" if value is None else str(value)


def run_corpus(folder: Path, running: str, rows: int, number: int, executors: Sequence[ExecutorChoice]) -> list[Leg]:
    from forge.wiring import Wiring

    make_world(folder, running, rows)
    legs = [Leg(executor, pushdown) for executor in executors for pushdown in (True, False)]
    with closing(Wiring.of(folder)) as wiring:
        fill_lake(wiring)
        compare(wiring, running, questions(number), legs)
    return legs


def told(legs: Sequence[Leg], number: int) -> str:
    rows: list[Sequence[str]] = [("engine", "asked", "equal", "seconds")]
    rows += [(leg.name, str(number), str(leg.equal), f"{leg.seconds:.0f}") for leg in legs]
    wrong = [f"{leg.name}: {one}" for leg in legs for one in leg.wrong]
    return "\n".join([aligned(rows, right={1, 2, 3}), *wrong])
