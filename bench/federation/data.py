"""The data of the benchmark: five million line items in PostgreSQL, their twenty categories in a Parquet file, and in
PostgreSQL too, for the source's own time."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as parquet

CATEGORIES = 20
ONE = "category 07"
_LINES = """
CREATE TABLE lines (id bigint PRIMARY KEY, category_id int NOT NULL, customer_id int NOT NULL, quantity int NOT NULL,
  amount numeric(10,2) NOT NULL, day date NOT NULL, note text);
INSERT INTO lines SELECT n, n * 7 % {categories}, n * 31 % 100000, n % 9 + 1, (n * 13 % 100003)::numeric / 100,
  date '2020-01-01' + (n * 17 % 2000)::int, 'delivered by carrier ' || n % 1000 FROM generate_series(1, {rows}) n;
CREATE TABLE categories (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO categories SELECT n, 'category ' || lpad(n::text, 2, '0') FROM generate_series(0, {categories} - 1) n;
"""
# Names of the tables are those of each tool.
QUERIES = {
    "sums": (
        "SELECT c.name, count(*) AS n, sum(l.amount) AS total, max(l.day) AS last FROM {lines} l "
        f"JOIN {{categories}} c ON l.category_id = c.id WHERE c.name = '{ONE}' GROUP BY c.name"
    ),
    "rows": (
        "SELECT l.id, l.amount, l.day, c.name FROM {lines} l "
        f"JOIN {{categories}} c ON l.category_id = c.id WHERE c.name = '{ONE}'"
    ),
}


def make_tables(url: str, rows: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_LINES.format(rows=rows, categories=CATEGORIES))
        connection.execute("VACUUM (ANALYZE) lines")
        connection.execute("VACUUM (ANALYZE) categories")


def make_file(file: Path) -> None:
    numbers = range(CATEGORIES)
    names = [f"category {number:02}" for number in numbers]
    parquet.write_table(pa.table({"id": pa.array(numbers, pa.int32()), "name": names}), file)


def make_project(folder: Path, url: str) -> None:
    """Of Forge: two sources, no lake."""
    address = url.replace("postgres@", "")
    for name, text in {
        "user": "postgres",
        "forge.yaml": "user: {name: Ada, email: ada@example.com}\n",
        "sources/bench.yaml": f"""sources:
  - {{name: shop, connector: postgresql, url: "jdbc:{address}", user: "file:{folder}/user"}}
  - {{name: categories, connector: files, path: categories.parquet}}
""",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    make_file(folder / "categories.parquet")
