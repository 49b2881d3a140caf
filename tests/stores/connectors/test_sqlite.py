"""A file of SQLite whose owner wants the memory of whoever reads it."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pyarrow as pa
import pytest
from sqlite_source import alter

from forge.federation.plan import SourceQuery
from forge.federation.source import ConnectorKind, Source, sqlite_url
from forge.model.errors import ForgeError
from forge.stores.connectors import open_connector

ROWS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"


@pytest.mark.parametrize(
    "view",
    [
        f"{ROWS} SELECT printf('%.*c', 8000000, 'x') AS x FROM n",
        f"{ROWS} SELECT CASE WHEN i < 3000 THEN 'x' ELSE zeroblob(8000000) END AS x FROM n",
        "SELECT hex(zeroblob(400000000)) AS x",
    ],
    ids=["texts", "blobs after small ones", "one text"],
)
def test_a_view_of_endless_texts_is_refused_before_the_memory_is_full(tmp_path: Path, view: str) -> None:
    alter(tmp_path / "evil.db", "CREATE TABLE t (x TEXT)", f"CREATE VIEW v AS {view}")
    source = Source(name="evil", connector=ConnectorKind.SQLITE, path="evil.db", url=sqlite_url("evil.db"))
    connector = open_connector(source, tmp_path, str)
    asked, schema = SourceQuery('SELECT v."x" FROM "v" AS v', ()), pa.schema([("x", pa.binary())])
    if "printf" in view or "hex" in view:
        schema = pa.schema([("x", pa.string())])
    tracemalloc.start()
    try:
        with pytest.raises(ForgeError) as caught:
            for _ in connector.read(asked, schema):
                pass
        assert tracemalloc.get_traced_memory()[1] < 600_000_000
    finally:
        tracemalloc.stop()
        connector.close()
    assert caught.value.code in ("E309", "E310")
