"""Lineage out of code for which Spark is asked, as the faces ask it: query logs, verify, ingest on the workers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from spark_jobs import job_ids

from forge.connection import ProjectLineage
from forge.connection.lineage.code import options_of
from forge.connection.lineage.spark import ingest_on_spark, ingest_queries, verify_code
from forge.engines.spark.session.session import LazySession
from forge.model.errors import ForgeError
from forge.wiring import Wiring

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

DAILY = "INSERT INTO mart.daily SELECT o.day, sum(o.amount) AS net FROM core.orders AS o WHERE o.ok GROUP BY o.day"


@pytest.fixture
def wiring(spark: SparkSession, tmp_path: Path) -> Iterator[Wiring]:
    """A project of its own, on the session of all tests."""
    (tmp_path / "forge.yaml").write_text("project: logs\n")
    opened = Wiring.of(tmp_path)
    lent = LazySession(settings=opened.session.settings)
    lent._session = spark
    opened.__dict__["session"] = lent
    yield opened
    lent._session = None
    opened.close()


def test_a_log_of_many_queries_becomes_edges_that_are_counted(
    spark: SparkSession, wiring: Wiring, tmp_path: Path
) -> None:
    rows = [(str(n), DAILY) for n in range(3_000)] + [("bad", "SELEC x"), ("bad too", "SELEC x")]
    rows += [
        (f"s{n}", f"INSERT INTO mart.other (c) SELECT named_struct('a', x.v) FROM raw.x{n % 7} AS x") for n in range(70)
    ]
    log = tmp_path / "log.parquet"
    spark.createDataFrame(rows, "id STRING, query STRING").repartition(4).write.parquet(str(log))
    before = job_ids(spark, None)
    done = ingest_queries(wiring, str(log), options_of())
    assert done.edges == 2 + 7
    assert done.gaps == (("SELEC x … is not understood", 2),)
    assert len(set(job_ids(spark, None)) - set(before)) <= 3  # the schema of the log, the job, and its last part
    view = ProjectLineage(wiring, wiring.default_branch)
    edge = view.edge("core.orders.amount->mart.daily.net#aggregated")
    assert [one.times for fact in edge.facts for one in fact.evidence] == [3_000]
    assert {item.name for item in view.upstream("mart.other.c.a", level="field").items} == {
        f"raw.x{n}.v" for n in range(7)
    }
    again = ingest_queries(wiring, str(log), options_of())
    assert (again.recorded.added, again.recorded.closed) == (0, 0)


def test_a_log_without_texts_is_refused(spark: SparkSession, wiring: Wiring, tmp_path: Path) -> None:
    spark.createDataFrame([(1, "x")], "a INT, b STRING").write.parquet(str(tmp_path / "log.parquet"))
    with pytest.raises(ForgeError, match="E816"):
        ingest_queries(wiring, str(tmp_path / "log.parquet"), options_of())
    with pytest.raises(ForgeError, match="E816"):
        ingest_queries(wiring, str(tmp_path / "missing.parquet"), options_of())


def test_a_codebase_read_by_the_workers_is_the_same(wiring: Wiring, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    (jobs / "a.sql").write_text("CREATE TABLE m.t AS SELECT * FROM core.v;")
    (jobs / "b.sql").write_text("CREATE VIEW core.v AS SELECT x.a AS b FROM raw.x AS x;")
    (jobs / "c.py").write_text("spark.table('m.t').selectExpr('b AS c').write.saveAsTable('m.u')\n")
    done = ingest_on_spark(wiring, jobs, options_of(), lambda progress: None)
    assert (len(done.files), done.gaps) == (3, 0)
    found = ProjectLineage(wiring, wiring.default_branch).upstream("m.u.c")
    assert [item.name for item in found.items] == ["m.t.b", "core.v.b", "raw.x.a"]


def test_code_is_verified_and_nothing_is_written(wiring: Wiring, tmp_path: Path) -> None:
    file = tmp_path / "a.sql"
    file.write_text(
        "CREATE TABLE core.orders (day DATE, amount DOUBLE, ok BOOLEAN);\n"
        "CREATE TABLE mart.daily (day DATE, net DOUBLE);\n" + DAILY
    )
    found = verify_code(wiring, [file], options_of())
    assert (len(found.compared), found.disagreements) == (1, ())
    assert found.score().agreed == 2
    assert ProjectLineage(wiring, wiring.default_branch).search("daily") == ()
