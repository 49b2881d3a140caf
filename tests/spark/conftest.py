"""A project in a temporary folder on the shared Spark session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from forge.connection import Connection
from forge.wiring import Wiring

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MakeProject = Callable[..., Connection]


@pytest.fixture
def make_project(tmp_path: Path, spark: SparkSession) -> Iterator[MakeProject]:
    """`make({"transforms/core/a.sql": "SELECT 1 AS x"}, parallel=1)`: files and settings in, an open project out.

    Each project has a session of its own on the one context, and with it a catalog of its own."""
    opened: list[Connection] = []

    def make(files: dict[str, str] | None = None, **overrides: object) -> Connection:
        root = tmp_path / f"project{len(opened)}"
        for name, text in {"forge.yaml": "user: {name: Ada, email: ada@example.com}\n", **(files or {})}.items():
            write(root, name, text)
        wiring = Wiring.of(root, overrides=overrides)
        session = spark.newSession()
        for key, value in wiring.session.settings.catalog.items():
            session.conf.set(f"spark.sql.catalog.forge.{key}", value)
        wiring.session._session = session
        connection = Connection(wiring, wiring.default_branch)
        opened.append(connection)
        return connection

    yield make
    for connection in opened:
        connection.wiring.database.dispose()


def write(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return path
