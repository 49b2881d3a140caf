"""The same edits, diff and merge in DoltLite: one table of ten columns, times in seconds as JSON.

It is a program of its own because DoltLite takes the place of SQLite in the whole process.

    dolt.py ROWS EDITS"""

from __future__ import annotations

import doltlite  # type: ignore[import-untyped] # noqa: F401  before sqlite3, in whose place it puts itself

import json  # isort: skip
import sqlite3  # isort: skip
import sys  # isort: skip
import tempfile  # isort: skip
import time  # isort: skip
from collections.abc import Iterator  # isort: skip

COLUMNS = (
    "id INTEGER PRIMARY KEY, customer INTEGER, status TEXT, amount REAL, quantity INTEGER, price REAL, day TEXT, "
    "flag INTEGER, note TEXT, updated INTEGER"
)


def rows(count: int) -> Iterator[tuple[object, ...]]:
    for key in range(count):
        h = key * 2654435761 % 2**32
        status = ("new", "paid", "sent", "returned", "lost")[h % 5]
        yield key, h % 100000, status, h / 100, h % 50, h / 7, f"2026-01-{h % 28 + 1:02}", h % 2, f"{h:x}", h


def timed(connection: sqlite3.Connection, sql: str, *values: object) -> tuple[float, list[tuple[int, ...]]]:
    began = time.perf_counter()
    found = connection.execute(sql, values).fetchall()
    return time.perf_counter() - began, found


def edit(connection: sqlite3.Connection, column: str, first: int, count: int, step: int, name: str) -> None:
    keys = [(key,) for key in range(first, first + count * step, step)]
    connection.execute("BEGIN")
    connection.executemany(f"UPDATE t SET {column} = {column} + 1 WHERE id = ?", keys)
    connection.execute("COMMIT")
    connection.execute("SELECT dolt_commit('-A', '-m', ?)", (name,)).fetchall()


def main(count: int, edits: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(f"{folder}/dolt.db", isolation_level=None)
        connection.execute(f"CREATE TABLE t ({COLUMNS}) WITHOUT ROWID")
        connection.execute("BEGIN")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 10)})", rows(count))
        connection.execute("COMMIT")
        connection.execute("SELECT dolt_commit('-A', '-m', 'base')").fetchall()
        branch, _ = timed(connection, "SELECT dolt_branch('theirs')")
        edit(connection, "quantity", count // 2, edits // 20, 55, "ours")
        connection.execute("SELECT dolt_checkout('theirs')").fetchall()
        edit(connection, "amount", count // 2, edits, 10, "theirs")
        query = "SELECT sum(rows_modified) FROM dolt_diff_stat('main~1', 'theirs', 't')"
        diff, ((changed,),) = timed(connection, query)
        connection.execute("SELECT dolt_checkout('main')").fetchall()
        merge, _ = timed(connection, "SELECT dolt_merge('theirs')")
        answer = {"rows": count, "changed": changed, "branch": branch, "diff": diff, "merge": merge}
        connection.close()
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
