"""Kept results as files, private to their owner, with an index in SQLite. Processes share it.

A body is written under a name of its own and renamed before the index knows it, so that nobody reads half of one; its
digest finds out what the disk did to it since. An index that is damaged is thrown away with all entries."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from forge.flows.federation.result_cache import CacheLook, CacheStats, no_answer, sealed, unsealed
from forge.flows.upkeep.private_files import FILE, private_file, private_folder
from forge.model.time import Clock, utc_now

T = TypeVar("T")
_INDEX = "index.db"
_ENDING = ".arrow"
_BUSY_SECONDS = 5.0
_LEFT_SECONDS = 60.0  # a file without an entry is another process's, on its way, before it is so old
_TABLES = """
CREATE TABLE IF NOT EXISTS entries (
  key TEXT PRIMARY KEY, file TEXT NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL, expires REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS entries_used ON entries (used);
CREATE TABLE IF NOT EXISTS tags (tag TEXT, key TEXT, PRIMARY KEY (tag, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
"""


class DiskResultCache:
    def __init__(self, folder: Path, max_bytes: int, clock: Clock = utc_now) -> None:
        self._folder, self._max_bytes, self._clock = folder, max_bytes, clock
        self._is_swept = False

    def look(self, key: str) -> CacheLook:
        def found(index: _Index) -> tuple[str | None, int]:
            row = index.one("SELECT file FROM entries WHERE key = ? AND expires > ?", key, self._now)
            if row:
                index.run("UPDATE entries SET used = ? WHERE key = ?", index.count("used"), key)
            index.count("hits" if row else "misses")
            return (str(row[0]) if row else None), index.counted("mark")

        file, mark = self._changed(found)
        body = self._read(file) if file else None
        if file and body is None:
            self._changed(lambda index: self._miss_after_all(index, key, file))
        return CacheLook(body, mark)

    def holds(self, key: str) -> bool:
        row = self._changed(lambda index: index.one(_HELD, key, self._now))
        return row is not None and (self._folder / str(row[0])).is_file()

    def put(self, key: str, body: bytes, *, tags: Collection[str], expires: datetime, mark: int) -> bool:
        stored = sealed(body)
        if len(stored) > self._max_bytes or expires <= self._clock():
            return False
        file = self._written(key, stored)

        def kept(index: _Index) -> bool:
            if mark != index.counted("mark"):
                self._remove_file(file)
                return False
            self._remove(index, [key])
            used = index.count("used")
            index.run("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", key, file, len(stored), used, expires.timestamp())
            for tag in sorted(set(tags)):
                index.run("INSERT INTO tags VALUES (?, ?)", tag, key)
            self._make_room(index)
            return True

        return self._changed(kept)

    def drop(self, key: str) -> None:
        self._changed(lambda index: self._remove(index, [key]))

    def invalidate(self, tag: str) -> int:
        def removed(index: _Index) -> int:
            index.count("mark")
            return self._remove(index, [str(key) for (key,) in index.all("SELECT key FROM tags WHERE tag = ?", tag)])

        return self._changed(removed)

    def clear(self) -> int:
        def removed(index: _Index) -> int:
            index.count("mark")
            return self._remove(index, [str(key) for (key,) in index.all("SELECT key FROM entries")])

        return self._changed(removed)

    def stats(self) -> CacheStats:
        def counted(index: _Index) -> CacheStats:
            self._drop_expired(index)
            row = index.one("SELECT count(*), coalesce(sum(bytes), 0) FROM entries") or (0, 0)
            return CacheStats(
                store="disk",
                entries=int(str(row[0])),
                bytes=int(str(row[1])),
                max_bytes=self._max_bytes,
                hits=index.counted("hits"),
                misses=index.counted("misses"),
                evictions=index.counted("evictions"),
            )

        return self._changed(counted)

    @property
    def _now(self) -> float:
        return self._clock().timestamp()

    def _changed(self, work: Callable[[_Index], T]) -> T:
        """In one transaction; once more where the index was damaged."""
        try:
            return self._once(work)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError | sqlite3.IntegrityError):
                raise self._no_answer(error) from error
            self._clear()
        except OSError as error:
            raise self._no_answer(error) from error
        try:
            return self._once(work)
        except (sqlite3.Error, OSError) as error:
            raise self._no_answer(error) from error

    def _once(self, work: Callable[[_Index], T]) -> T:
        with self._opened() as index:
            if not self._is_swept:
                self._is_swept = True
                self._sweep(index)
            return work(index)

    @contextmanager
    def _opened(self) -> Iterator[_Index]:
        file = private_file(self._folder / _INDEX)
        with closing(sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # what is lost is asked for again
            if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'counts'").fetchone():
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_TABLES)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield _Index(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _written(self, key: str, stored: bytes) -> str:
        name = f"{key[:16]}-{uuid4().hex}{_ENDING}"
        made = self._folder / f".{name}"
        try:
            private_folder(self._folder)
            with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE), "wb") as file:
                file.write(stored)
            made.rename(self._folder / name)
        except OSError as error:
            made.unlink(missing_ok=True)
            raise self._no_answer(error) from error
        return name

    def _read(self, file: str) -> bytes | None:
        try:
            return unsealed((self._folder / file).read_bytes())
        except OSError:
            return None

    def _miss_after_all(self, index: _Index, key: str, file: str) -> None:
        index.count("hits", -1)
        index.count("misses")
        if index.one("SELECT 1 FROM entries WHERE key = ? AND file = ?", key, file):  # not a newer one
            self._remove(index, [key])

    def _make_room(self, index: _Index) -> None:
        self._drop_expired(index)
        while True:
            row = index.one("SELECT sum(bytes) FROM entries")
            oldest = index.one("SELECT key FROM entries ORDER BY used LIMIT 1")
            if not oldest or not row or int(str(row[0])) <= self._max_bytes:
                return
            self._remove(index, [str(oldest[0])])
            index.count("evictions")

    def _drop_expired(self, index: _Index) -> None:
        self._remove(index, [str(key) for (key,) in index.all("SELECT key FROM entries WHERE expires <= ?", self._now)])

    def _remove(self, index: _Index, keys: list[str]) -> int:
        removed = 0
        for key in keys:
            row = index.one("SELECT file FROM entries WHERE key = ?", key)
            if row:
                self._remove_file(str(row[0]))
                removed += 1
            index.run("DELETE FROM tags WHERE key = ?", key)
            index.run("DELETE FROM entries WHERE key = ?", key)
        return removed

    def _remove_file(self, file: str) -> None:
        with suppress(OSError):
            (self._folder / file).unlink(missing_ok=True)

    def _sweep(self, index: _Index) -> None:
        """What a process left behind that ended between writing a file and telling of it."""
        known = {str(file) for (file,) in index.all("SELECT file FROM entries")}
        for path in self._folder.glob(f"*{_ENDING}"):  # also those whose name begins with a point
            with suppress(OSError):
                if path.name not in known and path.stat().st_mtime < time.time() - _LEFT_SECONDS:
                    path.unlink()

    def _clear(self) -> None:
        for path in (*self._folder.glob(f"{_INDEX}*"), *self._folder.glob(f"*{_ENDING}")):
            with suppress(OSError):
                path.unlink()

    def _no_answer(self, error: Exception) -> Exception:
        return no_answer("disk", str(error), f"See that {self._folder} can be written, or that the disk is not full.")


_HELD = "SELECT file FROM entries WHERE key = ? AND expires > ?"


class _Index:
    """The index within one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, text: str, *values: object) -> None:
        self._connection.execute(text, values)

    def one(self, text: str, *values: object) -> tuple[object, ...] | None:
        found: tuple[object, ...] | None = self._connection.execute(text, values).fetchone()
        return found

    def all(self, text: str, *values: object) -> list[tuple[object, ...]]:
        return self._connection.execute(text, values).fetchall()

    def count(self, name: str, by: int = 1) -> int:
        row = self.one(
            "INSERT INTO counts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n RETURNING n", name, by
        )
        assert row is not None
        return int(str(row[0]))

    def counted(self, name: str) -> int:
        row = self.one("SELECT n FROM counts WHERE name = ?", name)
        return int(str(row[0])) if row else 0
