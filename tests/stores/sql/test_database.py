"""The database: opened, migrated once however many start at once, and its failures in words."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from uuid import uuid4

import pytest
from sqlalchemy import Engine, inspect, text

from forge.catalog.asset import AssetType, CrawledAsset
from forge.catalog.crawl import SeenAsset, plan_crawl
from forge.flows.catalog.asset_store import AssetFilter
from forge.model.errors import ForgeError
from forge.stores.sql import database, tables
from forge.stores.sql.catalog import __path__ as catalog
from forge.stores.sql.catalog.asset_store import SqlAssetStore
from forge.stores.sql.database import is_migrated, migrate, open_database, reading, safe_url, writing
from forge.stores.sql.federation import __path__ as federation
from forge.stores.sql.migrations import REVISIONS, VERSION_TABLE
from forge.stores.sql.quality import __path__ as quality


@pytest.fixture
def engine(database_url: str) -> Engine:
    engine = open_database(database_url)
    migrate(engine)
    return engine


@pytest.mark.slow
def test_the_migrations_build_exactly_the_tables_the_code_uses(engine: Engine) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    import_module("forge.stores.sql.contracts.tables")
    rooms = (("quality", quality), ("catalog", catalog), ("federation", federation))
    for room, path in rooms:  # whose tables stand beside their stores
        for module in iter_modules(path):
            import_module(f"forge.stores.sql.{room}.{module.name}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        assert compare_metadata(context, tables.metadata) == []


def test_the_list_of_revisions_is_that_of_the_files() -> None:
    from alembic.script import ScriptDirectory

    folder = Path(database.__file__).parent / "migrations"
    scripts = ScriptDirectory(str(folder))
    assert tuple(reversed([script.revision for script in scripts.walk_revisions()])) == REVISIONS


def test_the_iceberg_tables_are_those_of_its_catalog_schema_v1(engine: Engine) -> None:
    """The names, lengths and keys that Iceberg's JDBC catalog creates itself."""
    found = inspect(engine)
    columns = {c["name"]: str(c["type"]) for c in found.get_columns("iceberg_tables")}
    assert columns == {
        "catalog_name": "VARCHAR(255)",
        "table_namespace": "VARCHAR(255)",
        "table_name": "VARCHAR(255)",
        "metadata_location": "VARCHAR(1000)",
        "previous_metadata_location": "VARCHAR(1000)",
        "iceberg_type": "VARCHAR(5)",
    }
    key = found.get_pk_constraint("iceberg_tables")["constrained_columns"]
    assert key == ["catalog_name", "table_namespace", "table_name"]
    key = found.get_pk_constraint("iceberg_namespace_properties")["constrained_columns"]
    assert key == ["catalog_name", "namespace", "property_key"]


@pytest.mark.slow
def test_a_database_at_the_newest_migration_costs_one_select_and_no_alembic(database_url: str) -> None:
    migrate(open_database(database_url))
    code = (
        "import sys; from sqlalchemy import event; from forge.stores.sql.database import open_database, migrate\n"
        "engine = open_database(sys.argv[1]); seen = []\n"
        "event.listen(engine, 'before_cursor_execute', lambda *a: seen.append(a[2]))\n"
        "migrate(engine); selects = [s for s in seen if not s.startswith('BEGIN')]\n"
        "print(len(selects), 'alembic' in sys.modules, 'pyiceberg' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, database_url], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False", "False"]


@pytest.mark.slow
def test_processes_that_start_at_once_migrate_once(database_url: str) -> None:
    code = "import sys; from forge.stores.sql.database import *; migrate(open_database(sys.argv[1]))"
    starts = [subprocess.Popen([sys.executable, "-c", code, database_url], stderr=subprocess.PIPE) for _ in range(3)]
    for start in starts:
        _, errors = start.communicate(timeout=120)
        assert start.returncode == 0, errors.decode()
    with reading(open_database(database_url)) as connection:
        assert connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars().all() == [REVISIONS[-1]]


def test_catalog_tables_that_pyiceberg_made_first_are_kept(database_url: str, tmp_path: Path) -> None:
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("forge", uri=database_url, warehouse=str(tmp_path))
    catalog.create_namespace("mine")
    with catalog.engine.begin() as connection:  # as the older schema V0 has it
        connection.execute(text("ALTER TABLE iceberg_tables DROP COLUMN iceberg_type"))
    engine = open_database(database_url)
    migrate(engine)
    assert "iceberg_type" in {c["name"] for c in inspect(engine).get_columns("iceberg_tables")}
    assert ("mine",) in catalog.list_namespaces()
    catalog.engine.dispose()


def test_a_database_of_a_newer_forge_is_refused(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(ForgeError) as refused:
        migrate(engine)
    assert refused.value.code == "E402"
    assert "9999" in (refused.value.why or "")


def test_sqlite_is_set_up_for_many_processes(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/deep/er/forge.db")
    with reading(engine) as connection:
        asked = ("journal_mode", "busy_timeout", "foreign_keys", "synchronous")
        assert [connection.execute(text(f"PRAGMA {name}")).scalar() for name in asked] == ["wal", 30000, 1, 1]


def test_a_busy_database_is_said_to_be_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    engine = open_database(f"sqlite:///{tmp_path}/forge.db")
    with reading(engine) as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=50")
    other = sqlite3.connect(tmp_path / "forge.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    start = time.monotonic()
    with pytest.raises(ForgeError) as busy, writing(engine):
        pass
    assert busy.value.code == "E404"
    assert time.monotonic() - start < 10
    other.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://ada:s3cret@127.0.0.1:1/forge",
        "postgresql://ada:s3cret@127.0.0.1:1/forge",
        "postgresql://ada@127.0.0.1:1/forge?password=s3cret",
    ],
)
def test_a_server_that_does_not_answer_is_named_without_its_password(url: str) -> None:
    with pytest.raises(ForgeError) as unreachable:
        open_database(url)
    assert unreachable.value.code == "E401"
    assert "127.0.0.1:1" in (unreachable.value.where or "")
    assert "s3cret" not in str(unreachable.value.to_dict())


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "forge.db").write_text("this is not a database, it is a text that is long enough" * 20)
    with pytest.raises(ForgeError) as refused:
        open_database(f"sqlite:///{tmp_path}/forge.db")
    assert refused.value.code == "E409"
    assert "no database" in refused.value.what


def test_a_full_database_is_said_to_be_full(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/forge.db")
    with writing(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE t (a BLOB)")
        connection.exec_driver_sql("PRAGMA max_page_count=4")  # of this one connection, which the pool gives out again
    with pytest.raises(ForgeError) as full, writing(engine) as connection:
        connection.exec_driver_sql("INSERT INTO t VALUES (zeroblob(1000000))")
    assert full.value.code == "E305"
    assert "gc" in (full.value.fix or "")
    engine.dispose()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ForgeError) as refused:
        open_database(f"sqlite:///{tmp_path}/file/forge.db")
    assert refused.value.code == "E401"
    assert str(tmp_path) in (refused.value.where or "")


@pytest.mark.parametrize("url", ["mysql://localhost/x", "nonsense", "://"])
def test_a_url_of_another_kind_is_refused_with_the_ones_that_work(url: str) -> None:
    with pytest.raises(ForgeError) as refused:
        open_database(url)
    assert refused.value.code == "E105"
    assert "postgresql+psycopg://" in (refused.value.fix or "")


def test_a_shown_url_has_no_password(database_url: str) -> None:
    from sqlalchemy.engine import make_url

    assert safe_url(make_url("postgresql://a:b@h/d?x=1")) == "postgresql://a@h/d?x=1"
    assert safe_url(make_url(database_url)) == database_url


def test_a_touch_does_not_wait_for_a_busy_database_and_the_next_writer_does(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from forge.stores.sql.upkeep.tokens import SqlTokens

    engine = open_database(f"sqlite:///{tmp_path}/forge.db")
    migrate(engine)
    other = sqlite3.connect(tmp_path / "forge.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ForgeError) as busy:  # would wait for half a minute otherwise
        SqlTokens(engine).touch("a", datetime(2026, 11, 14, tzinfo=UTC))
    assert busy.value.code == "E404"
    other.close()
    with reading(engine) as connection:
        assert connection.execute(text("PRAGMA busy_timeout")).scalar() == 30000
    engine.dispose()


@pytest.mark.slow
def test_the_second_migration_keeps_what_the_first_holds(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from alembic import command

    upgrade = command.upgrade
    with monkeypatch.context() as first:
        first.setattr(command, "upgrade", lambda config, revision: upgrade(config, "0001"))
        engine = open_database(database_url)
        migrate(engine)
    with writing(engine) as connection:
        for statement in EDGES_OF_0001:
            connection.execute(text(statement))
    migrate(engine)
    assert is_migrated(engine)
    with writing(engine) as connection:
        found = connection.execute(text("SELECT id, commit_id, source_column FROM forge_edges")).all()
        assert [tuple(row) for row in found] == [(7, "c1", "amount")]
        assert connection.execute(text("SELECT id, kind FROM forge_table_edges")).all() == [(9, "table")]
        connection.execute(text("UPDATE forge_edges SET commit_id = NULL"))  # of an output that was not published
        connection.execute(text("UPDATE forge_table_edges SET commit_id = NULL"))
    with pytest.raises(Exception, match=r"(?i)foreign key"), writing(engine) as connection:
        connection.execute(text("UPDATE forge_edges SET commit_id = 'nowhere'"))
    assert "forge_edges_by_run" in {index["name"] for index in inspect(engine).get_indexes("forge_edges")}
    engine.dispose()


@pytest.mark.slow
def test_what_was_crawled_before_can_be_asked_who_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from alembic import command

    upgrade, at = command.upgrade, datetime(2026, 11, 19, tzinfo=UTC)
    engine = open_database(f"sqlite:///{tmp_path}/forge.db")
    with monkeypatch.context() as before:
        before.setattr(command, "upgrade", lambda config, revision: upgrade(config, "0021"))
        migrate(engine)
    store = SqlAssetStore(engine)
    seen = [
        SeenAsset(CrawledAsset(qualified_name=name, type=kind, source="bi", backed_by=("core.orders",)))
        for name, kind in (("bi:weekly", AssetType.DASHBOARD), ("forge:load", AssetType.PIPELINE))
    ]
    store.apply(plan_crawl("bi", (), seen, lambda: uuid4().hex), at)
    with writing(engine) as connection:
        connection.execute(text("DELETE FROM forge_catalog_labels"))  # as an older Forge left it
    migrate(engine)
    assert [one.qualified_name for one in store.assets(AssetFilter(backed_by=("core.orders",)))] == ["bi:weekly"]
    engine.dispose()


def test_the_third_migration_says_of_what_is_there_that_it_is_as_before(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alembic import command

    from forge.model.names import BranchName, CommitId, RunId, TableName
    from forge.stores.sql.metadata import SqlMetadata
    from forge.versioning.commit import TableStatistics

    upgrade = command.upgrade
    with monkeypatch.context() as second:
        second.setattr(command, "upgrade", lambda config, revision: upgrade(config, "0002"))
        engine = open_database(database_url)
        migrate(engine)
    with writing(engine) as connection:
        for statement in RECORDS_OF_0002:
            connection.exec_driver_sql(statement)
    migrate(engine)
    metadata = SqlMetadata(engine)
    branch, commit = metadata.branch(BranchName("main")), metadata.commit(CommitId("c1"))
    run = metadata.run(RunId("r1"))
    assert branch is not None
    assert commit is not None
    assert run is not None
    assert (branch.is_default, branch.is_protected, branch.require_approval) == (True, False, None)
    assert branch.allowed_mergers == ()
    assert commit.signature is None
    assert commit.statistics == {
        TableName("a", "b"): TableStatistics(
            rows_added=1, rows_deleted=2, bytes_added=3, bytes_deleted=4, record_count=5, total_size=6, rows_modified=0
        )
    }
    assert run.kind == "run"
    version = metadata.tree(commit.id)[TableName("a", "b")]
    assert (version.snapshot_id, version.digest) == (7, None)
    engine.dispose()


RECORDS_OF_0002 = (
    'INSERT INTO forge_trees VALUES (\'t1\', \'{"a.b":{"catalog":["a","b"],"uuid":"u","snapshot_id":7,'
    '"schema_id":0}}\', NULL)',
    "INSERT INTO forge_commits VALUES ('c1', 't1', 'a', 'a', 'a', 'a', 'a', 'a', 'm', '2026-11-14 00:00:00+00:00', "
    "'main', '{}')",
    "INSERT INTO forge_commit_tables VALUES ('c1', 'a.b', 1, 2, 3, 4, 5, 6)",
    "INSERT INTO forge_branches VALUES ('main', 'c1', '2026-11-14 00:00:00+00:00', 'a', '2026-11-14 00:00:00+00:00', "
    "NULL, NULL, '', 'active', true)",
    "INSERT INTO forge_runs VALUES ('r1', 'main', 'succeeded', '2026-11-14 00:00:00+00:00', 'a', 'h', 1, 't', '[]', "
    "'{}', '', NULL, 'c1', NULL, NULL, NULL)",
)

EDGES_OF_0001 = (
    "INSERT INTO forge_trees VALUES ('t1', '{}', NULL)",
    "INSERT INTO forge_commits VALUES ('c1', 't1', 'a', 'a', 'a', 'a', 'a', 'a', 'm', '2026-11-14 00:00:00+00:00', "
    "'main', '{}')",
    "INSERT INTO forge_runs VALUES ('r1', 'main', 'succeeded', '2026-11-14 00:00:00+00:00', 'a', 'h', 1, 't', '[]', "
    "'{}', '', NULL, 'c1', NULL)",
    "INSERT INTO forge_edges VALUES (7, 'r1', 'c1', 'a.b', 'raw.o', 'amount', 'a.b', 'amount', 'identity', '', "
    "false, 1.0)",
    "INSERT INTO forge_table_edges VALUES (9, 'r1', 'c1', 'a.b', 'table', 'raw.o', NULL, 'a.b')",
)
