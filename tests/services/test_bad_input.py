"""Mistakes in a project that are seen without Spark: a clear message, and nothing lost. No JVM is started."""

from __future__ import annotations

import gzip
import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from broken_project import (
    COULD_NOT_RUN,
    FILES,
    MAIN,
    SMALL,
    Shop,
    assert_nothing_lost,
    assert_recorded,
    make_shop,
)

from forge.engines.spark.sources import find_files, refuse_other_columns
from forge.flows.runs.records import Pointer, Publication, PublishedCommit, RunRecord, RunStatus
from forge.model.errors import ForgeError
from forge.model.names import RunId, TableName
from forge.transforms.transform import FileSource
from forge.versioning.commit import Author, TableVersion, make_commit
from forge.wiring import Wiring

pytestmark = pytest.mark.services  # each starts the command in a process of its own


@pytest.fixture(scope="module")
def quiet_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A project with a published state, made by PyIceberg and Forge's own publish: no JVM has ever run in it."""
    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog

    shop = make_shop(tmp_path_factory.mktemp("quiet"))
    wiring = Wiring.of(shop.root)
    run_id, now = RunId("r0"), datetime(2026, 11, 13, tzinfo=UTC)
    run = RunRecord(
        id=run_id,
        branch=MAIN,
        status=RunStatus.RUNNING,
        started_at=now,
        user="ada@example.com",
        host="host",
        pid=os.getpid(),
        process_started="t0",
    )
    wiring.metadata.start_run(run)
    catalog = SqlCatalog("forge", uri=wiring.settings.database_url(), warehouse=wiring.settings.warehouse_path())
    rows = pa.table({"id": [1, 2], "amount": [10, 20], "day": pa.array([20770, 20770], pa.date32())})
    pointers, tree = [], {}
    for table in (TableName("raw", "orders"), TableName("core", "orders")):
        stage = wiring.lake.open_stage(run_id, table, None, None)
        catalog.create_namespace_if_not_exists(stage.catalog.namespace)
        made = catalog.create_table((stage.catalog.namespace, stage.catalog.name), rows.schema, stage.location)
        made.append(rows)
        snapshot = wiring.lake.snapshot(stage.catalog)
        pointer = wiring.lake.prepare(stage, MAIN, is_default=True, expected=None)
        assert isinstance(pointer, Pointer)
        assert snapshot is not None
        pointers.append(pointer)
        tree[table] = TableVersion(
            catalog=pointer.catalog,
            uuid=str(made.metadata.table_uuid),
            snapshot_id=snapshot.snapshot_id,
            schema_id=0,
            number=1,
        )
    commit = make_commit(
        tree=tree,
        parents=(),
        author=Author("Ada", ""),
        message="first",
        time=now,
        branch=MAIN,
        statistics={},
        metadata={},
    )
    done = RunRecord(
        id=run_id,
        branch=MAIN,
        status=RunStatus.SUCCEEDED,
        started_at=now,
        user="ada",
        host="host",
        pid=1,
        process_started="t0",
        commit_id=commit.id,
    )
    published = wiring.metadata.publish(
        Publication(pointers=tuple(pointers), branch=MAIN, expected_head=None, commit=commit, tree=tree, run=done),
        lambda step: None,
    )
    assert published == PublishedCommit(commit.id)
    wiring.lake.drop_stages(run_id)
    catalog.engine.dispose()
    wiring.close()
    assert [len(rows) for _, rows in shop.state()["tables"].values()] == [2, 2]
    return shop


@dataclass(frozen=True)
class Mistake:
    """A file as the user leaves it (None: removed), and what Forge must answer."""

    file: str
    text: str | None
    code: str
    where: str
    says: str  # somewhere in what, why and fix
    is_in_run: bool = False  # found by the run, which then is recorded; else before there is one


MISTAKES = {
    "missing file": Mistake("data/1.csv", None, "E208", "sources/shop.yaml:2", r"data/\*\.csv", is_in_run=True),
    "CSV with wrong columns": Mistake(
        "data/2.csv",
        "id,price,day\n3,5,2026-11-14\n",
        "E209",
        "sources/shop.yaml:2",
        r"data/2\.csv .*missing amount; unexpected price",
        is_in_run=True,
    ),
    "malformed forge.yaml": Mistake(
        "forge.yaml", "user: {name: Ada\n" + SMALL, "E103", r"forge.yaml:2:\d+", "malformed YAML"
    ),
    "malformed source": Mistake(
        "sources/shop.yaml",
        "sources:\n  - output: raw.orders\n   connector: files\n",
        "E103",
        r"sources/shop.yaml:3:\d+",
        "malformed YAML",
    ),
    "malformed checks": Mistake(
        "checks/core.yaml",
        "core.orders:\n\t- {type: unique, columns: [id]}\n",
        "E103",
        r"checks/core.yaml:2:\d+",
        "a tab stands in the indentation",
    ),
    "malformed contract": Mistake(
        "contracts/orders.odcs.yaml",
        "apiVersion: v3.0.0\nkind: DataContract\nid: orders\n  version: 1.0.0\n",
        "E502",
        r"contracts/orders.odcs.yaml:4:\d+",
        "malformed YAML",
    ),
    "malformed header": Mistake(
        "transforms/core/orders.sql",
        "/* forge\nchecks: [{type: unique, columns: [id]}\n*/\nSELECT id FROM raw.orders\n",
        "E103",
        r"transforms/core/orders.sql:\d+(:\d+)?",
        "malformed YAML",
    ),
    "misspelt setting": Mistake("forge.yaml", "sprak: {master: local}\n", "E104", "forge.yaml:1", "Did you mean spark"),
    "SQL syntax error": Mistake(
        "transforms/core/orders.sql",
        "SELECT id, amount\nFROM raw.orders WHERE\n",
        "E201",
        r"transforms/core/orders.sql:2:\d+",
        "SQL syntax error",
    ),
    "unknown table": Mistake(
        "transforms/core/orders.sql",
        "SELECT id, amount, day\nFROM raw.ordres\n",
        "E202",
        "transforms/core/orders.sql:2",
        "raw.ordres.*Did you mean raw.orders",
    ),
    "Python syntax error": Mistake(
        "transforms/marts/total.py",
        FILES["transforms/marts/total.py"].replace("return", "retrun"),
        "E207",
        "transforms/marts/total.py:6",
        "SyntaxError",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_that_needs_no_spark_to_be_seen_starts_none_and_loses_nothing(quiet_shop: Shop, name: str) -> None:
    mistake = MISTAKES[name]
    before, files = quiet_shop.state(), quiet_shop.warehouse()
    quiet_shop.write(mistake.file, mistake.text)
    try:
        forge = quiet_shop.forge if mistake.is_in_run else quiet_shop.forge_here
        done = forge("run", "--json").without_trace()
    finally:
        quiet_shop.write(mistake.file, FILES.get(mistake.file))

    assert done.status == COULD_NOT_RUN, done.err
    error = done.error
    assert error["code"] == f"FORGE-{mistake.code}"
    assert re.fullmatch(mistake.where, error["where"] or ""), error
    assert re.search(mistake.says, " ".join(str(error[word]) for word in ("what", "why", "fix"))), error

    after = quiet_shop.state()
    assert_nothing_lost(before, after)
    assert quiet_shop.warehouse() == files
    assert quiet_shop.jvm_words == ""
    if mistake.is_in_run:
        assert_recorded(before, after, error)
    else:
        assert after["runs"] == before["runs"]


def test_without_java_a_run_says_how_to_install_it(quiet_shop: Shop, tmp_path: Path) -> None:
    before, files = quiet_shop.state(), quiet_shop.warehouse()
    done = quiet_shop.forge("run", "--json", PATH=str(tmp_path), JAVA_HOME="").without_trace()
    assert done.status == COULD_NOT_RUN, done.err
    error = done.error
    assert error["code"] == "FORGE-E301"
    assert "openjdk-17" in str(error["fix"])
    after = quiet_shop.state()
    assert_nothing_lost(before, after)
    assert_recorded(before, after, error)
    assert quiet_shop.warehouse() == files
    assert quiet_shop.jvm_words == ""


def test_once_every_mistake_is_corrected_the_project_can_be_planned(quiet_shop: Shop) -> None:
    done = quiet_shop.forge_here("plan", "--json")
    assert done.status == 0, done.err
    steps = {step["table"]: step["action"] for step in json.loads(done.out)["steps"]}
    assert steps == {"raw.orders": "run", "core.orders": "run", "marts.total": "run"}


HEADER = {"header": "true"}
ODD_FILES = {
    "empty": ("a.csv", b"", HEADER, "E209", "missing id, amount"),
    "columns in another order": ("a.csv", b"amount,id\n", HEADER, "E209", "another order"),
    "control characters": ("a.csv", b"id,\x1b[31mamount\n", HEADER, "E209", r"unexpected \\x1b\[31mamount"),
    "a hundred columns": ("a.csv", b",".join(b"c%d" % n for n in range(100)), HEADER, "E209", "c19 and 80 more"),
    "no text": ("a.csv", bytes(range(128, 256)) * 2000, HEADER, "E210", "field larger"),
    "not packed": ("a.csv.gz", b"id,amount\n", HEADER, "E210", "[Nn]ot a gzip"),
    "half a packed file": (
        "a.csv.gz",
        gzip.compress(b"id,amount\n" * 100, mtime=0)[:14],
        HEADER,
        "E210",
        "ended before",
    ),
    "unknown encoding": ("a.csv", b"id,amount\n", {**HEADER, "encoding": "latin-99"}, "E206", "latin-99"),
    "JSON that is no UTF-8": ("a.json", b'{"id": 1, "amount": 2}\n\xff\n', {}, "E210", "utf-8"),
    "JSON in one piece": ("a.json", b'[\n{"id": 1, "amount": 2}\n]', {}, "E210", "not JSON lines"),
    "no Parquet": ("a.parquet", b"id,amount\n", {}, "E210", "not a Parquet file"),
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_an_odd_file_is_refused_in_words_before_spark_is_needed(tmp_path: Path, name: str) -> None:
    file, content, options, code, says = ODD_FILES[name]
    with pytest.raises(ForgeError) as raised:
        look_at(tmp_path, file, content, options)
    error = raised.value
    assert (error.code, file in str(error) or code == "E206") == (code, True)
    assert re.search(says, f"{error} {error.why}")
    assert all(line.isprintable() for line in str(error).splitlines())
    assert error.fix


@pytest.mark.parametrize(
    ("file", "content", "options"),
    [
        ("a.csv", b"\xef\xbb\xbfid,amount\n1,2\n", HEADER),  # a byte order mark
        ("a.csv.gz", gzip.compress(b"id,amount\n", mtime=0), HEADER),
        ("a.csv.zst", b"(\xb5/\xfd", HEADER),  # Spark unpacks it, Python cannot
        ("a.csv", b"id\tamount\n", {**HEADER, "sep": "\\t"}),
        ("a.csv", b"id||amount\n", {**HEADER, "sep": "||"}),
        ("a.csv", b"1,2\n", {}),
        ("a.json", b'[\n{"id": 1, "amount": 2}\n]', {"multiLine": "true"}),
    ],
    ids=["byte order mark", "gzip", "zstd", "tab", "two bars", "no header", "one JSON list"],
)
def test_a_file_spark_can_read_is_not_refused(
    tmp_path: Path, file: str, content: bytes, options: dict[str, str]
) -> None:
    look_at(tmp_path, file, content, options)


def look_at(root: Path, file: str, content: bytes, options: dict[str, str]) -> None:
    (root / file).write_bytes(content)
    kind: Any = Path(file).suffixes[0][1:]
    source = FileSource(kind, file, {"id": "long", "amount": "long"}, options)
    refuse_other_columns(source, find_files(source, root, "s.yaml:2"), root, "s.yaml:2")


# What only Spark can find
