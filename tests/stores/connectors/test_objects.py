"""Files and Delta tables in a store that speaks S3, read from a real server."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from deltalake import write_deltalake
from s3_server import KEY, SECRET, S3Server, running_s3

from forge.federation.plan import Scan, ScanFilter
from forge.federation.source_keys import read_source
from forge.flows.federation.ports import SourceConnector
from forge.model.errors import ForgeError
from forge.stores.connectors.connector import open_connector
from forge.versioning.arrow_types import arrow_type

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with running_s3("data") as found:
        yield found


def opened(server: S3Server, root: Path, **keys: object) -> SourceConnector:
    options = {"endpoint": server.endpoint, **keys.pop("options", {})}  # type: ignore[dict-item]
    login = {"user": "env:KEY", "password": "env:SECRET"}
    source = read_source({"name": "events", "connector": "files", "options": options, **login, **keys})
    return open_connector(source, root, {"env:KEY": KEY, "env:SECRET": SECRET}.__getitem__)


def rows(connector: SourceConnector, path: tuple[str, ...] = (), **asked: Any) -> list[dict[str, Any]]:
    found = connector.describe(path)
    assert found is not None
    columns = [(one.name, arrow_type(one.type)) for one in found.columns]
    scan = Scan(found.name, tuple(name for name, _ in columns), **asked)
    return sorted(connector.read(scan, pa.schema(columns)).read_all().to_pylist(), key=str)


def put_parquet(server: S3Server, path: str, ids: list[int], column: str = "id") -> None:
    parquet.write_table(pa.table({column: pa.array(ids, pa.int64())}), path, filesystem=server.filesystem)


def test_parquet_is_read_by_pattern_and_by_folder(server: S3Server, tmp_path: Path) -> None:
    for path, ids in (
        ("a/1.parquet", [1, 2]),
        ("b/2.parquet", [3]),
        ("b/.hidden.parquet", [9]),
        ("b/c/3.parquet", [4]),
    ):
        put_parquet(server, f"data/p/{path}", ids)
    found = {
        path: [row["id"] for row in rows(opened(server, tmp_path, path=f"s3a://data/p/{path}"))]
        for path in ("*/*.parquet", "**/*.parquet", "a/1.parquet")
    }
    assert found == {"*/*.parquet": [1, 2, 3], "**/*.parquet": [1, 2, 3, 4], "a/1.parquet": [1, 2]}
    folder = opened(server, tmp_path, path="s3a://data/p", format="parquet")
    assert [row["id"] for row in rows(folder, filters=(ScanFilter("id", ">", (2,)),))] == [3, 4]
    described = folder.describe(())
    assert described is not None
    assert (described.rows, described.version) == (4, "")  # objects that are so young may change unseen
    assert folder.test() == "3 files of parquet"


def test_csv_and_json_are_read_packed_or_not(server: S3Server, tmp_path: Path) -> None:
    server.put("data/c/1.csv", b"day,n\n2026-01-31,1\n")
    server.put("data/c/2.csv.gz", gzip.compress(b"day,n\n2026-02-01,2\n"))
    server.put("data/j/1.json", b'{"n": 3}\n')
    columns = {"day": "date", "n": "bigint"}
    csv = opened(server, tmp_path, path="s3a://data/c/*", format="csv", columns=columns, options={"header": "true"})
    assert [row["n"] for row in rows(csv)] == [1, 2]
    assert rows(opened(server, tmp_path, path="s3a://data/j/*.json", columns={"n": "int"})) == [{"n": 3}]


def test_objects_with_other_columns_are_refused(server: S3Server, tmp_path: Path) -> None:
    server.put("data/odd/1.csv", b"day,m\n2026-01-31,1\n")
    odd = opened(server, tmp_path, path="s3a://data/odd/*.csv", columns={"n": "int"}, options={"header": "true"})
    with pytest.raises(ForgeError, match="E209"):
        odd.test()
    put_parquet(server, "data/odd/1.parquet", [1], "m")
    with pytest.raises(ForgeError, match="E209"):
        opened(server, tmp_path, path="s3a://data/odd/*.parquet", columns={"n": "int"}).test()


def test_a_delta_table_is_read_at_a_version(server: S3Server, tmp_path: Path) -> None:
    storage = {"aws_endpoint": server.endpoint, "allow_http": "true", "aws_region": "us-east-1"}
    storage |= {"aws_access_key_id": KEY, "aws_secret_access_key": SECRET}
    for mode in ("error", "append"):
        table = pa.table({"id": pa.array([1], pa.int64())})
        write_deltalake("s3://data/delta/orders", table, mode=mode, storage_options=storage)
    folder = opened(server, tmp_path, connector="delta", path="s3a://data/delta")
    assert [one.path for one in folder.relations()] == [("orders",)]
    assert rows(folder, ("orders",)) == [{"id": 1}, {"id": 1}]
    first = opened(server, tmp_path, connector="delta", path="s3a://data/delta/orders", options={"versionAsOf": 0})
    assert rows(first) == [{"id": 1}]


def test_what_is_not_there_or_cannot_be_reached_is_told_without_the_key(server: S3Server, tmp_path: Path) -> None:
    for nowhere in ("s3a://data/none/*.parquet", "s3a://nobody/*.parquet"):
        with pytest.raises(ForgeError, match="E208"):
            opened(server, tmp_path, path=nowhere).test()
    gone = {"endpoint": "http://127.0.0.1:1"}
    for keys in ({"path": "s3a://data/x.parquet"}, {"path": "s3a://data/x", "connector": "delta"}):
        with pytest.raises(ForgeError, match="E308") as raised:
            opened(server, tmp_path, options=gone, **keys).test()
        assert SECRET not in str(raised.value)
