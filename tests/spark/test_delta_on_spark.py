"""Delta tables that Spark reads by itself: the same rows as in-process, tables that nobody else reads, and what an
intruder gets of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from asked_plan import explain
from delta_tables import MARKED_ROWS, lay_delta_tables
from deltalake import DeltaTable, write_deltalake
from migrated import lay_database
from spark_jobs import job_ids
from sqlite_source import alter, lay_shop

from forge.federation.source import SourceOrigin
from forge.flows.federation.query import ExecutorChoice, FederationPorts, QueryAnswer, QueryRequest, ask
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.model.time import utc_now
from forge.wiring import Wiring

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SOURCES = """
sources:
  - {name: made, connector: delta, path: data/made}
  - {name: marked, connector: delta, path: data/made/marked}
  - {name: unmarked, connector: delta, path: data/made/marked, options: {versionAsOf: 1}}
  - {name: narrow, connector: delta, path: data/made/widened, options: {versionAsOf: 1}}
  - {name: plain, connector: delta, path: data/plain}
  - {name: first, connector: delta, path: data/plain, options: {versionAsOf: 0}}
  - {name: till, connector: sqlite, path: data/till.db}
  - name: kept
    connector: delta
    path: data/made/marked
    hidden: [kept.f]
    masks: [{column: kept.mail, as: partial, except: [eve@example.com]}]
    rows: [{table: kept, filter: "id >= 10 AND id <> 11", except: [eve@example.com]}]
  - name: kept_plain
    connector: delta
    path: data/plain
    masks: [{column: kept_plain.city, as: hash}]
    rows: [{table: kept_plain, filter: "city LIKE 'L%'"}]
"""
LEFT = [number for number in range(MARKED_ROWS) if number % 7]  # of the rows that are marked


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("delta_made")
    lay_delta_tables(folder)
    return folder


@pytest.fixture
def wiring(tmp_path: Path, spark: SparkSession, made: Path) -> Iterator[Wiring]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "all.yaml").write_text(SOURCES)
    lay_database(tmp_path / ".forge" / "forge.db")
    lay_shop(tmp_path / "data" / "till.db")
    shutil.copytree(made, tmp_path / "data" / "made")
    for first in (0, 10):
        cities = ["London", "x y%/ü", None, "Lyon", "Rome"] * 2
        values = [float("nan"), -0.0, 0.0, 1.5, None] * 2
        table = pa.table({"id": pa.array(range(first, first + 10), pa.int64()), "city": cities, "f": values})
        write_deltalake(tmp_path / "data" / "plain", table, mode="append", partition_by=["city"])
    with closing(Wiring.of(tmp_path)) as wiring:
        wiring.session._session = spark.newSession()
        yield wiring
        wiring.session._session = None  # it is the whole run's


def ports_of(wiring: Wiring, user: str | None = None) -> FederationPorts:
    return wiring.federation.query_ports(user=user)


def answer(wiring: Wiring, sql: str, executor: ExecutorChoice = "auto", user: str | None = None) -> QueryAnswer:
    ports = ports_of(wiring, user)
    return ask(ports, QueryRequest(sql, executor=executor, cache=False), QueryCaller(ports.user, "test", utc_now))


def rows(wiring: Wiring, sql: str, executor: ExecutorChoice = "auto", user: str | None = None) -> list[Any]:
    return sorted(answer(wiring, sql, executor, user).rows, key=str)


def refused(wiring: Wiring, sql: str, executor: ExecutorChoice = "auto") -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        answer(wiring, sql, executor)
    return caught.value


def rewrite(folder: Path, action: str, changed: dict[str, Any], log: int = -1) -> None:
    """The newest version of a log, or another, and no sums of it."""
    for sums in list((folder / "_delta_log").glob("*.crc")):
        sums.unlink()
    file = sorted((folder / "_delta_log").glob("*.json"))[log]
    actions = [json.loads(line) for line in file.read_text().splitlines()]
    for one in (one[action] for one in actions if action in one):
        for name, value in changed.items():
            one[name] = one[name] | value if isinstance(value, dict) else value
    file.write_text("\n".join(map(json.dumps, actions)))


# Rows


def test_rows_that_are_marked_as_deleted_are_gone(wiring: Wiring) -> None:
    found = answer(wiring, "SELECT id, mail FROM marked ORDER BY id")
    assert found.executor == "spark"
    assert found.why == "marked has deletion vectors, which only Spark reads"
    assert found.rows == tuple((number, f"user{number}@example.com") for number in LEFT)
    assert rows(wiring, "SELECT count(*), min(id), count(DISTINCT id) FROM made.marked") == [(len(LEFT), 1, len(LEFT))]
    assert rows(wiring, "SELECT id FROM marked WHERE id IN (6, 7, 8)") == [(6,), (8,)]
    assert rows(wiring, "SELECT count(*) FROM marked WHERE f > 1000") == [(sum(not one % 5 for one in LEFT),)]  # NaN


def test_a_version_and_a_time_are_as_they_were(wiring: Wiring) -> None:
    assert rows(wiring, "SELECT count(*) FROM unmarked") == [(MARKED_ROWS,)]
    assert rows(wiring, "SELECT * FROM narrow") == [(1, Decimal("1.25")), (2, Decimal("2.50"))]
    logs = sorted((wiring.root / "data" / "made" / "marked" / "_delta_log").glob("*.json"))
    between = sum(one.stat().st_mtime for one in logs[1:3]) / 2
    (marked,) = (one for one in wiring.federation.sources() if one.name == "marked")
    then = replace(marked, options={"timestampAsOf": datetime.fromtimestamp(between, UTC).isoformat()})
    ports = replace(ports_of(wiring), sources=lambda: {"marked": then})
    found = ask(ports, QueryRequest("SELECT count(*) FROM marked"), QueryCaller("Ada", "test", utc_now))
    assert found.rows == ((MARKED_ROWS,),)


def test_columns_have_the_names_that_people_gave_them(wiring: Wiring) -> None:
    assert rows(wiring, "SELECT * FROM made.mapped") == [(1, "Ada", "x"), (2, "Bob", "y"), (3, None, None)]
    assert rows(wiring, "SELECT `full name` FROM made.mapped WHERE part = 'y' OR id = 1") == [("Ada",), ("Bob",)]


def test_columns_have_the_widest_of_their_types(wiring: Wiring) -> None:
    found = rows(wiring, "SELECT id, price FROM made.widened WHERE price > 2")
    assert found == [(2, Decimal("2.50")), (5_000_000_000, Decimal("9999999999.25"))]


def test_in_process_says_why_it_cannot(wiring: Wiring) -> None:
    for table, what in (("marked", "deletion vectors"), ("mapped", "mapped columns"), ("widened", "widened types")):
        error = refused(wiring, f"SELECT * FROM made.{table}", "in-process")
        assert (error.code, error.why) == ("E890", f"made.{table} has {what}, which only Spark reads.")
        assert explain(ports_of(wiring), QueryRequest(f"SELECT * FROM made.{table}")).executor == "spark"


PLAIN = (
    "SELECT * FROM plain",
    "SELECT * FROM first",
    "SELECT id FROM plain WHERE city = 'x y%/ü'",
    "SELECT id FROM plain WHERE f > 1",
    "SELECT id FROM plain WHERE f = 0",
    "SELECT id FROM plain WHERE NOT f <= 1",
    "SELECT city, count(*), sum(id) FROM plain WHERE city <> 'Rome' OR city IS NULL GROUP BY city",
    "SELECT p.id, q.city FROM plain p JOIN first q ON p.id = q.id + 10 WHERE q.city IS NOT NULL",
    "SELECT count(*) FROM plain",
    "SELECT id, city FROM kept_plain",
    "SELECT count(*) FROM kept_plain WHERE city IS NOT NULL",
)


def test_both_engines_give_the_same_rows(wiring: Wiring) -> None:
    for sql in PLAIN:
        assert str(rows(wiring, sql, "spark")) == str(rows(wiring, sql, "in-process")), sql
    assert answer(wiring, "SELECT id + 1 FROM plain", "spark").rows_read == {}, "its rows went through this process"


def test_it_is_joined_with_a_source_by_its_keys(wiring: Wiring) -> None:
    values = ", ".join(f"({number}, 'x', 'y')" for number in (2, 7, 8))
    alter(wiring.root / "data" / "till.db", f"INSERT INTO customers VALUES {values}")
    sql = "SELECT c.id, m.mail FROM till.customers c LEFT JOIN marked m ON m.id = c.id"
    expected = [(1, "user1@example.com"), (2, "user2@example.com"), (7, None), (8, "user8@example.com")]
    assert rows(wiring, sql) == expected


def test_the_version_of_the_plan_is_read_whatever_is_written_meanwhile(wiring: Wiring) -> None:
    ports = ports_of(wiring)

    def later() -> Any:
        write_deltalake(wiring.root / "data" / "plain", numbered(99), mode="append", partition_by=["city"])
        return ports.engine()

    written = replace(ports, spark=lambda pins: (later(), ports.spark(pins))[1])
    caller = QueryCaller("Ada", "test", utc_now)
    found = ask(written, QueryRequest("SELECT max(id) FROM plain", executor="spark", cache=False), caller)
    assert found.rows == ((19,),)
    assert rows(wiring, "SELECT max(id) FROM plain", "spark") == [(99,)]


def numbered(number: int) -> pa.Table:
    return pa.table({"id": pa.array([number], pa.int64()), "city": ["Rome"], "f": [0.5]})


def test_another_table_in_its_place_is_read_anew(wiring: Wiring) -> None:
    assert rows(wiring, "SELECT count(*) FROM plain", "spark") == [(20,)]
    shutil.rmtree(wiring.root / "data" / "plain")
    for number in (1, 2):
        write_deltalake(wiring.root / "data" / "plain", numbered(number), mode="append", partition_by=["city"])
    assert rows(wiring, "SELECT id FROM plain", "spark") == [(1,), (2,)]


def test_it_takes_few_jobs_and_leaves_the_table_as_it_is(wiring: Wiring, spark: SparkSession) -> None:
    folder = wiring.root / "data" / "made" / "marked"
    before = sorted(folder.rglob("*"))
    known = len(job_ids(spark, None))
    assert rows(wiring, "SELECT id FROM marked WHERE id < 3") == [(1,), (2,)]
    assert len(job_ids(spark, None)) - known <= 6
    assert sorted(folder.rglob("*")) == before


def test_what_is_damaged_or_missing_is_an_error_that_names_no_place(wiring: Wiring) -> None:
    folder = wiring.root / "data" / "made" / "marked"
    first, second, *_ = sorted(folder.glob("part-*.parquet"))
    (folder / f".{first.name}.crc").unlink()
    first.write_bytes(b"not parquet")
    damaged = refused(wiring, "SELECT count(mail) FROM marked")
    first.unlink()
    second.unlink()
    for error in (damaged, refused(wiring, "SELECT count(mail) FROM marked")):
        assert (error.code, error.what) == ("E210", "Files of marked cannot be read")
        assert str(wiring.root) not in str(error)


# An intruder


def test_what_is_kept_back_is_kept_back_on_spark(wiring: Wiring) -> None:
    shown = [number for number in LEFT if number >= 10 and number != 11]
    found = answer(wiring, "SELECT id, mail, f FROM kept ORDER BY id")
    assert found.executor == "spark"
    assert found.rows == tuple((number, "u***@example.com", None) for number in shown)
    for sql, expected in (
        ("SELECT count(*) FROM kept", len(shown)),
        ("SELECT count(*) FROM kept WHERE id = 11 OR id < 10", 0),
        ("SELECT count(*) FROM kept WHERE 1 / (id - 11) > 5", 0),  # fails on a row that nobody should know of
        ("SELECT count(*) FROM kept WHERE mail = 'user12@example.com'", 0),
        ("SELECT count(*) FROM kept WHERE mail LIKE '%12@%'", 0),
        ("SELECT count(*) FROM kept WHERE f > 0 OR f = double('NaN')", 0),
        ("SELECT count(*) FROM kept k JOIN marked m ON m.mail = k.mail", 0),
        ("SELECT count(*) FROM kept k WHERE EXISTS (SELECT 1 FROM kept j WHERE j.id = 11)", 0),
    ):
        assert rows(wiring, sql, "spark") == [(expected,)], sql
    assert rows(wiring, "SELECT count(*) FROM kept", user="eve@example.com") == [(len(LEFT),)]
    assert rows(wiring, "SELECT mail FROM kept WHERE id = 11", user="eve@example.com") == [("user11@example.com",)]
    assert not list((wiring.root / ".forge" / "queries").iterdir()), "rows were left behind"


@pytest.mark.parametrize(
    "path",
    ["../../secret.parquet", "%2e%2e/%2e%2e/secret.parquet", "{secret}", "file:{secret}", "file://{secret}", ".h/x"],
)
def test_a_log_leads_spark_to_no_file_of_others(wiring: Wiring, path: str) -> None:
    folder = wiring.root / "data" / "made" / "widened"
    secret = wiring.root / "secret.parquet"
    shutil.copy(next(folder.glob("*.parquet")), secret)
    rewrite(folder, "add", {"path": path.format(secret=secret)})
    error = refused(wiring, "SELECT * FROM made.widened", "spark")
    assert error.code == "E206"
    assert "not its own" in str(error.why)


@pytest.mark.parametrize(
    "vector", [{"storageType": "p", "pathOrInlineDv": "/etc/passwd"}, {"pathOrInlineDv": "../../x" + "a" * 20}]
)
def test_a_log_leads_spark_to_no_vectors_of_others(wiring: Wiring, vector: dict[str, str]) -> None:
    folder = wiring.root / "data" / "made" / "marked"
    rewrite(folder, "add", {"deletionVector": vector})
    assert refused(wiring, "SELECT count(*) FROM marked").code == "E206"


def test_the_sums_of_a_log_lead_spark_nowhere_either(wiring: Wiring) -> None:
    """Delta takes the list of files from them where they have one."""
    folder = wiring.root / "data" / "made" / "widened"
    secret = wiring.root / "secret.parquet"
    shutil.copy(next(folder.glob("*.parquet")), secret)
    sums = sorted((folder / "_delta_log").glob("*.crc"))[-1]
    found = json.loads(sums.read_text())
    newest = sorted((folder / "_delta_log").glob("*.json"))[-1]
    (added,) = (line["add"] for line in map(json.loads, newest.read_text().splitlines()) if "add" in line)
    found["allFiles"] = [added | {"path": f"file://{secret}"}] * found["numFiles"]
    sums.write_text(json.dumps(found))
    (sums.parent / f".{sums.name}.crc").unlink()
    with suppress(ForgeError):  # E206, or the rows of the log
        assert rows(wiring, "SELECT id FROM made.widened", "spark") == [(1,), (2,), (5_000_000_000,)]


def test_options_of_a_log_are_no_settings_of_spark(wiring: Wiring) -> None:
    options = {"options": {"parquet.crypto.factory.class": "org.example.Evil"}}
    rewrite(wiring.root / "data" / "plain", "metaData", {"format": options}, log=0)
    error = refused(wiring, "SELECT id FROM plain", "spark")
    assert (error.code, "options" in str(error.why)) == ("E206", True)


def test_a_link_leads_a_source_over_http_out_of_its_folders_on_spark_neither(wiring: Wiring) -> None:
    """Links are looked at when it is opened; what Spark is about to read is looked at once more."""
    from forge.engines.spark.federation.delta import delta_frame
    from forge.engines.spark.gate import gate_of
    from forge.federation.delta_version import DeltaVersion
    from forge.flows.federation.source_paths import FileGuard

    folder = wiring.root / "data" / "made" / "marked"
    guard = FileGuard("marked", ((wiring.root / "data" / "made").resolve(),), ())
    table = DeltaTable(folder)
    version = DeltaVersion(str(folder), str(table.metadata().id), table.version())
    gate = gate_of(wiring.session.get())
    assert delta_frame(gate, version, "marked", guard.refuse).count() == len(LEFT)
    linked = next(folder.glob("part-*.parquet"))
    outside = wiring.root / "secret.parquet"
    shutil.move(linked, outside)
    linked.symlink_to(outside)
    with pytest.raises(ForgeError) as caught:
        delta_frame(gate, version, "marked", guard.refuse)
    assert caught.value.code == "E886"
    assert SourceOrigin.HTTP not in {one.origin for one in wiring.federation.sources()}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM delta.`{path}`",
        "SELECT * FROM delta.`file:{path}`",
        "SELECT * FROM parquet.`{path}`",
        "SELECT * FROM spark_catalog.delta.`{path}`",
        "SELECT * FROM table_changes('made.marked', 0)",
        "SELECT * FROM table_changes_by_path('{path}', 0)",
        "SELECT * FROM delta_sharing.`{path}`",
        "SELECT * FROM deltaSharing.`{path}`",
        "SELECT * FROM delta.`{path}` VERSION AS OF 1",
        "SELECT * FROM `{path}@v1`",
        "DESCRIBE HISTORY delta.`{path}`",
        "DESCRIBE DETAIL delta.`{path}`",
        "VACUUM delta.`{path}` RETAIN 0 HOURS",
        "OPTIMIZE delta.`{path}`",
        "RESTORE TABLE delta.`{path}` TO VERSION AS OF 0",
        "GENERATE symlink_format_manifest FOR TABLE delta.`{path}`",
        "CONVERT TO DELTA parquet.`{path}`",
        "DELETE FROM delta.`{path}`",
        "CREATE TABLE x USING delta LOCATION '{path}'",
        "WITH x AS (SELECT * FROM delta.`{path}`) SELECT * FROM x",
        "SELECT (SELECT count(*) FROM delta.`{path}`) FROM marked",
    ],
)
def test_nobody_reads_a_path_by_the_words_of_delta(wiring: Wiring, sql: str) -> None:
    """Before and after Spark has read a Delta table in the session of judged queries."""
    folder = wiring.root / "data" / "made" / "marked"
    text = sql.format(path=folder)
    before = sorted(folder.rglob("*"))
    for _ in range(2):
        error = refused(wiring, text, "spark")
        assert error.code in ("E201", "E202", "E206", "E211", "E213", "E216", "E108", "E887"), error
        assert "user1@" not in str(error)
        assert len(rows(wiring, "SELECT id FROM marked WHERE id = 1")) == 1
    assert sorted(folder.rglob("*")) == before
