"""Merges tables in DoltLite. Reads JSON from standard input and writes JSON to standard output.

It is a program of its own because DoltLite takes the place of SQLite in the whole process, and starts the interpreter
anew where SQLite was loaded before.

In:  databases, each a list of tables: {"name", "key": [name], "columns": {side: [[name, type]]}, side: rows}, where a
     side is base, ours or theirs and rows are lists in the order of that side's columns.
Out: as many databases: {name: {"rows", "conflicts"}}, a conflict being {side: row or null, "kinds"}; rows are by column
     name, kinds what ours and theirs did: added, modified, removed.
"""

from __future__ import annotations

import doltlite  # type: ignore[import-untyped] # before sqlite3, in whose place it puts itself

import json  # isort: skip
import sqlite3  # isort: skip
import sys  # isort: skip
import tempfile  # isort: skip
from pathlib import Path  # isort: skip
from typing import Any  # isort: skip

Table = dict[str, Any]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def create(connection: sqlite3.Connection, table: Table) -> None:
    columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in table["columns"]["base"])
    key = ", ".join(quoted(name) for name in table["key"])
    connection.execute(f"CREATE TABLE {quoted(table['name'])} ({columns}, PRIMARY KEY ({key})) WITHOUT ROWID")


def add_columns(connection: sqlite3.Connection, table: Table, side: str) -> None:
    before, after = (dict(table["columns"][each]) for each in ("base", side))
    for name in sorted(after.keys() - before.keys()):
        connection.execute(f"ALTER TABLE {quoted(table['name'])} ADD COLUMN {quoted(name)} {after[name]}")


def store(connection: sqlite3.Connection, table: Table, side: str) -> None:
    """Makes the table hold the rows of a side; DoltLite compares contents, not how they came about."""
    connection.execute(f"DELETE FROM {quoted(table['name'])}")
    columns = table["columns"][side]
    names, marks = ", ".join(quoted(name) for name, _ in columns), ", ".join("?" for _ in columns)
    connection.executemany(f"INSERT INTO {quoted(table['name'])} ({names}) VALUES ({marks})", table[side])


def commit(connection: sqlite3.Connection, tables: list[Table], side: str) -> None:
    for table in tables:
        add_columns(connection, table, side)
    connection.execute("BEGIN")
    for table in tables:
        store(connection, table, side)
    connection.execute("COMMIT")
    connection.execute("SELECT dolt_commit('-A', '--allow-empty', '-m', ?)", (side,))


def rows_of(connection: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    cursor = connection.execute(f"SELECT * FROM {quoted(table)}")
    return [dict(zip([column[0] for column in cursor.description], row, strict=True)) for row in cursor]


def conflicts_of(connection: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    found = []
    for row in rows_of(connection, f"dolt_conflicts_{table}"):
        kinds = [row.pop("our_diff_type"), row.pop("their_diff_type")]
        there = {"base": kinds[0] != "added", "our": kinds[0] != "removed", "their": kinds[1] != "removed"}
        base, ours, theirs = (
            {name.removeprefix(f"{side}_"): row[name] for name in row if name.startswith(f"{side}_")}
            if is_there
            else None
            for side, is_there in there.items()
        )
        found.append({"base": base, "ours": ours, "theirs": theirs, "kinds": kinds})
    return found


def merge(tables: list[Table], path: Path) -> dict[str, Any]:
    connection = sqlite3.connect(path, isolation_level=None)
    for table in tables:
        create(connection, table)
    commit(connection, tables, "base")
    connection.execute("SELECT dolt_branch('theirs')")
    commit(connection, tables, "ours")
    connection.execute("SELECT dolt_checkout('theirs')")
    commit(connection, tables, "theirs")
    connection.execute("SELECT dolt_checkout('main')")
    connection.execute("BEGIN")  # conflicts are only to be seen within a transaction
    try:
        connection.execute("SELECT dolt_merge('theirs')").fetchall()
    except sqlite3.OperationalError as error:
        if not str(error).startswith("Merge has"):
            raise
    conflicted = {name for name, _ in connection.execute('SELECT "table", num_conflicts FROM dolt_conflicts')}
    merged = {
        name: {
            "rows": rows_of(connection, name),
            "conflicts": conflicts_of(connection, name) if name in conflicted else [],
        }
        for name in (table["name"] for table in tables)
    }
    connection.close()
    return merged


if __name__ == "__main__":
    assert doltlite.libdoltlite_path(), "the library that comes with DoltLite was not found"
    with tempfile.TemporaryDirectory() as folder:
        databases = enumerate(json.load(sys.stdin))
        json.dump([merge(tables, Path(folder, f"{number}.db")) for number, tables in databases], sys.stdout)
