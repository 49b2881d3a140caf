"""A project whose lake is joined with a file of SQLite, served for a browser. No JVM: small queries are computed in the
server's own process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from quality_site import QualitySite, csv_of, serve_quality

SOURCES = """\
sources:
  - name: till
    connector: sqlite
    path: data/till.db
    description: Customers as the tills know them
    hidden: [customers.email]
"""
CITIES = ("London", "Paris", "Berlin", None)
CUSTOMERS, VISITS = 3000, 120_000
# What may be added over HTTP, and as many rows as a request may ask for.
SETTINGS = "\nfederation: {folders: [data/shared]}\nserver: {reads: {rows: 100000}}\n"


@contextmanager
def serve_federation(root: Path) -> Iterator[QualitySite]:
    """A hundred orders in the lake, three thousand customers and all of their visits beside it."""
    shared = root / "data" / "shared"
    shared.mkdir(parents=True)
    lay_till(root / "data" / "till.db")
    lay_till(shared / "shop.db")
    (root / "sources").mkdir()
    (root / "sources" / "till.yaml").write_text(SOURCES)
    with serve_quality(root, SETTINGS) as site:
        site.upload(csv_of(range(100), 10), "orders of 13 November")
        yield site


def lay_till(file: Path) -> None:
    people = [(number, f"c{number}@shop.example", CITIES[number % 4]) for number in range(CUSTOMERS)]
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE customers (id INTEGER NOT NULL PRIMARY KEY, email TEXT, city TEXT)")
        connection.executemany("INSERT INTO customers VALUES (?, ?, ?)", people)
        connection.execute("CREATE TABLE visits (id INTEGER NOT NULL PRIMARY KEY, city TEXT)")
        visits = ((number, CITIES[number % 4]) for number in range(VISITS))
        connection.executemany("INSERT INTO visits VALUES (?, ?)", visits)


def alter_till(site: QualitySite, statement: str) -> None:
    with closing(sqlite3.connect(site.wiring.root / "data" / "till.db")) as connection, connection:
        connection.execute(statement)
