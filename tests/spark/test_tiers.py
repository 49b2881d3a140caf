"""What judging costs: the number of Spark's jobs and of the rows they read, tier by tier."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from shop_project import MakeProject, write
from spark_jobs import job_ids, rows_read

from forge.connection import Connection
from forge.flows.quality.judge import JudgedTable, judge_dataset
from forge.model.names import RunId, TableName
from forge.quality.check import Check
from forge.quality.checks import (
    AcceptedValuesCheck,
    ExpressionCheck,
    ForeignKeyCheck,
    FreshnessCheck,
    FunctionCheck,
    MeanCheck,
    NotNullCheck,
    QuantileCheck,
    QueryCheck,
    RangeCheck,
    RegexCheck,
    RowCountCheck,
    UniqueCheck,
    ZScoreCheck,
)
from forge.quality.measure import PREVIOUS, Measure
from forge.quality.verdict import Outcome

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FIRST = (
    "SELECT id, cast(id AS string) AS key, id % 7 AS n, cast(id AS double) AS x, timestamp_seconds(id) AS at "
    "FROM range({})"
)
FILES = {
    "transforms/core/orders.sql": "/* forge\nkind: append\n*/\n" + FIRST.format("0, 1000"),
    "transforms/core/seven.sql": "SELECT id FROM range(7)",
    "transforms/core/doubled.sql": "/* forge\nkind: view\n*/\nSELECT o.id, o.key, o.n, s.id AS other "
    "FROM core.orders o JOIN core.seven s ON o.n = s.id",
    "transforms/core/counted.sql": "/* forge\nkind: view\n*/\nSELECT id, key, n, count(*) AS times "
    "FROM core.orders GROUP BY ALL",
}


@pytest.fixture
def tiered_shop(make_project: MakeProject) -> Connection:
    project = make_project(FILES)
    report = project.run()
    assert report.status == "succeeded"
    return project


def more(project: Connection, first: int, end: int) -> None:
    """So many rows are appended."""
    write(project, "transforms/core/orders.sql", "/* forge\nkind: append\n*/\n" + FIRST.format(f"{first}, {end}"))
    assert project.run("core.orders").status == "succeeded"


class Cost:
    """Jobs of a group, and the rows that their stages read."""

    def __init__(self, spark: SparkSession, group: str) -> None:
        jobs = job_ids(spark, group)
        self.jobs = len(jobs)
        self.rows = sum(rows_read(spark, job) for job in jobs)


_RUNS = iter(range(10**6))


def judged(project: Connection, dataset: str, *checks: Check, **options: Any) -> tuple[JudgedTable, Cost]:
    run_id = RunId(f"tiers-{next(_RUNS)}")
    ports = project.wiring.quality.check_ports(run_id=run_id)
    found = judge_dataset(dataset, ports, checks=checks, **options)
    name = dataset.partition("@")[0]
    return found, Cost(project.wiring.session.get(), f"{run_id}:{name}")


def outcomes(found: JudgedTable) -> list[str]:
    return [verdict.outcome.value for verdict in found.verdicts]


def tiers(found: JudgedTable) -> list[tuple[str, ...]]:
    return [found.executions[verdict.check_id].tiers for verdict in found.verdicts]


BY_MANIFESTS: tuple[Check, ...] = (
    NotNullCheck(("id",)),
    NotNullCheck(),
    RowCountCheck(1, 10_000),
    RowCountCheck(max_change_percentage=100.0),
    RangeCheck("n", 0, 6),
    RangeCheck("x", 0, 1e9),
    RangeCheck("at", "1970-01-01", "2100-01-01"),
    FreshnessCheck("at", 24 * 365 * 100),
)


def test_completeness_volume_ranges_and_freshness_cost_no_job(tiered_shop: Connection) -> None:
    found, cost = judged(tiered_shop, "core.orders", *BY_MANIFESTS)
    assert set(outcomes(found)) == {"passed"}
    assert (cost.jobs, cost.rows) == (0, 0)
    assert set(tiers(found)) == {("manifests",)}
    assert "no version before" in str(found.verdicts[3].details)
    more(tiered_shop, 1000, 1500)
    found, cost = judged(tiered_shop, "core.orders", *BY_MANIFESTS)
    assert set(outcomes(found)) == {"passed"}
    assert "+50.00%" in found.verdicts[3].message
    assert cost.jobs == 0


def test_plain_measures_are_one_job_that_reads_the_table_once(tiered_shop: Connection) -> None:
    checks = (
        AcceptedValuesCheck("n", tuple(range(7))),
        RegexCheck("key", "^[0-9]+$"),
        ExpressionCheck("x >= 0"),
        RangeCheck("n", 0, 5),
        NotNullCheck(("key",), where="id > 10"),
    )
    found, cost = judged(tiered_shop, "core.orders", *checks)
    assert outcomes(found) == ["passed", "passed", "passed", "failed", "passed"]
    assert (cost.jobs, cost.rows) == (2, 2000)  # one measures, one takes the sample of the failed check
    assert tiers(found)[0] == ("manifests", "scan")
    assert all(found.executions[v.check_id].shared for v in found.verdicts)
    assert len(found.verdicts[3].details["sample"]) == 5  # type: ignore[arg-type]


def test_what_was_measured_of_a_snapshot_is_not_read_again(tiered_shop: Connection) -> None:
    checks = (RegexCheck("key", "^[0-9]+$"), UniqueCheck(("id",)), ZScoreCheck("x"), RangeCheck("key", "0", "99999"))
    first, cost = judged(tiered_shop, "core.orders", *checks)
    assert cost.jobs > 0
    again, cost = judged(tiered_shop, "core.orders", *checks)
    assert (cost.jobs, cost.rows) == (0, 0)
    assert [v.message for v in again.verdicts] == [v.message for v in first.verdicts]
    assert tiers(again)[0] == ("manifests", "kept")


def test_of_a_table_that_grew_only_the_new_files_are_read(tiered_shop: Connection) -> None:
    checks = (RegexCheck("key", "^[0-9]+$"), AcceptedValuesCheck("n", tuple(range(6))), RangeCheck("key", "0", "99999"))
    judged(tiered_shop, "core.orders", *checks)
    more(tiered_shop, 1000, 1100)
    found, cost = judged(tiered_shop, "core.orders", *checks)
    assert cost.rows == 100 * 2 + 1100  # plain, text, and the sample of the failed check
    assert outcomes(found) == ["passed", "failed", "passed"]
    assert found.verdicts[0].message == "key: 1,100 rows, all match ^[0-9]+$"
    assert "157 of 1,100 rows" in found.verdicts[1].message
    assert found.readings[Measure(kind="max", columns=("key",))] == "999"
    assert tiers(found)[0] == ("manifests", "new files")


def test_moments_and_sketches_of_a_table_that_grew_are_those_of_the_whole(tiered_shop: Connection) -> None:
    checks = (MeanCheck("x", min=0, max=1e9), QuantileCheck("x", quantile=0.5, min=0, max=1e9))
    judged(tiered_shop, "core.orders", *checks)
    more(tiered_shop, 1000, 3000)
    grown, cost = judged(tiered_shop, "core.orders", *checks)
    assert cost.rows == 2 * 2000
    anew_ports = replace(tiered_shop.wiring.quality.check_ports(), states=None)
    whole = judge_dataset("core.orders", anew_ports, checks=checks)
    moments, anew = (found.readings[Measure(kind="moments", columns=("x",))] for found in (grown, whole))
    assert (moments.count, round(moments.mean, 6)) == (anew.count, round(anew.mean, 6)) == (3000, 1499.5)  # type: ignore[attr-defined]
    assert abs(moments.deviation - anew.deviation) < 1e-6  # type: ignore[attr-defined]
    middle = grown.readings[Measure(kind="quantiles", columns=("x",))].at(0.5)  # type: ignore[attr-defined]
    assert middle == 1499.0


def test_only_rows_of_new_files_are_judged_since_a_version(tiered_shop: Connection) -> None:
    whole, _ = judged(tiered_shop, "core.orders", RowCountCheck(1, 10_000, since=PREVIOUS))
    assert whole.verdicts[0].message == "1,000 rows"  # all files of the first version are new
    more(tiered_shop, 1000, 1010)
    found, cost = judged(tiered_shop, "core.orders", RangeCheck("id", 0, 1004), RowCountCheck(1, 10), since=PREVIOUS)
    assert outcomes(found) == ["failed", "passed"]
    assert found.verdicts[0].message.startswith("id: 5 of 10 rows")
    assert cost.rows == 20  # the measures, and the sample
    shown = found.verdicts[0].details["sample"]
    assert isinstance(shown, list)
    assert {row["id"] for row in shown} == set(range(1005, 1010))


def test_since_says_where_files_were_rewritten(tiered_shop: Connection) -> None:
    more(tiered_shop, 1000, 1010)
    tiered_shop.wiring.session.get().sql("DELETE FROM forge.core.orders WHERE id = 5")
    found, _ = judged(tiered_shop, "core.orders", RowCountCheck(1, 10, since=PREVIOUS))
    assert outcomes(found) == ["not measured"]
    assert "files were rewritten since previous" in found.verdicts[0].message
    unknown, _ = judged(tiered_shop, "core.orders", RowCountCheck(1, 10, since="nowhere"), RowCountCheck(1, 10_000))
    assert outcomes(unknown) == ["not measured", "passed"]


def test_unique_numbers_and_texts_are_exact_in_a_job_each(tiered_shop: Connection) -> None:
    found, cost = judged(
        tiered_shop, "core.orders", UniqueCheck(("id",)), UniqueCheck(("key",)), UniqueCheck(("id", "key"))
    )
    assert set(outcomes(found)) == {"passed"}
    assert (cost.jobs, cost.rows) == (3, 3000)
    assert tiers(found)[0] == ("manifests", "narrow")
    failed, _ = judged(tiered_shop, "core.orders", UniqueCheck(("n",)), UniqueCheck(("n", "key"), where="id < 10"))
    assert failed.verdicts[0].message.startswith("n: 993 of 1,000 rows")
    assert failed.verdicts[0].details["sample"][0]["(rows)"] in (142, 143)  # type: ignore[index]
    assert failed.verdicts[1].outcome is Outcome.PASSED


VIEW_CHECKS = (
    NotNullCheck(("id",)),
    UniqueCheck(("id",)),
    UniqueCheck(("key",)),
    RangeCheck("key", "0", "99999"),
    ForeignKeyCheck(("n",), TableName("core", "seven"), ("id",)),
)


def test_a_view_that_is_dear_is_computed_once_for_all_jobs(tiered_shop: Connection) -> None:
    found, cost = judged(tiered_shop, "core.counted", *VIEW_CHECKS)
    assert outcomes(found) == ["passed"] * 5
    # the orders once, and the seven, looked up by the key; the rest comes from what was kept
    store_rows = 1000 + 7
    assert cost.rows - store_rows <= 10 * 5  # blocks that were kept count as records, too


def test_a_view_that_only_reads_and_joins_is_not_kept(tiered_shop: Connection) -> None:
    found, cost = judged(tiered_shop, "core.doubled", *VIEW_CHECKS)
    assert outcomes(found) == ["passed"] * 5
    assert cost.rows >= 2 * 1000  # each job reads the columns it needs


def test_a_query_reads_the_version_that_is_judged(tiered_shop: Connection) -> None:
    same = "SELECT count(*) FROM core.orders"
    joined = "SELECT o.id FROM core.orders o LEFT ANTI JOIN core.seven s ON o.n = s.id"
    more(tiered_shop, 1000, 1200)
    for at, rows in ((None, 1200), ("HEAD~1", 1000)):
        found, _ = judged(tiered_shop, "core.orders", QueryCheck(same, min=rows, max=rows), QueryCheck(joined), at=at)
        assert outcomes(found) == ["passed", "passed"], [v.message for v in found.verdicts]
    broken, _ = judged(
        tiered_shop,
        "core.orders",
        QueryCheck("SELECT 1 FROM core.nowhere"),
        QueryCheck("DROP TABLE x"),
        QueryCheck(joined),
        NotNullCheck(("id",)),
    )
    assert outcomes(broken) == ["not measured", "not measured", "passed", "passed"]


FUNCTIONS = """
from pyspark.sql import functions as f


def small(frame, limit):
    return frame.where(f.col("id") >= limit)


def said(frame):
    return frame.count() == 1000, "a thousand"


def number(frame):
    return frame.where("n = 0").count()


def broken(frame):
    return frame.nowhere


def useless(frame):
    return "yes"


def with_tables(frame, tables):
    return frame.join(tables["core.seven"], frame.n == tables["core.seven"].id, "left_anti").isEmpty()
"""


def test_a_function_of_the_project_may_say_it_in_any_form(tiered_shop: Connection) -> None:
    write(tiered_shop, "quality/rules.py", FUNCTIONS)
    seven = TableName("core", "seven")
    found, _ = judged(
        tiered_shop,
        "core.orders",
        FunctionCheck("quality/rules.py:small", (("limit", 998),)),
        FunctionCheck("quality/rules.py:said"),
        FunctionCheck("quality/rules.py:number"),
        FunctionCheck("quality/rules.py:broken"),
        FunctionCheck("quality/rules.py:useless"),
        FunctionCheck("quality/rules.py:nowhere"),
        FunctionCheck("quality/rules.py:with_tables", (), (seven,)),
        FunctionCheck("quality/rules.py:small", (("limit", 10),), where="id < 5"),
    )
    assert outcomes(found) == [*("failed", "passed", "failed"), *["not measured"] * 3, "passed", "passed"]
    assert found.verdicts[0].message == "quality/rules.py:small: 2 rows fail"
    assert [row["id"] for row in found.verdicts[0].details["sample"]] == [998, 999]  # type: ignore[attr-defined]
    assert "a thousand" in found.verdicts[1].message
    assert "143 rows fail" in found.verdicts[2].message
    assert "quality/rules.py" in found.verdicts[3].message
    assert "nowhere" in found.verdicts[3].message


def test_two_thousand_columns_are_measured(spark: SparkSession) -> None:
    from pyspark.sql import functions as f

    from forge.engines.spark.measure.measurer import SparkMeasurer

    names = [f"c{n}" for n in range(2000)]
    frame = spark.range(20).select(*(f.col("id").alias(name) for name in names))
    kinds = [Measure(kind="nulls", columns=(name,)) for name in names] + [
        Measure(kind="max", columns=(name,)) for name in names[:100]
    ]
    readings = SparkMeasurer(spark, frame, lambda table: frame, lazy=False).measure(kinds)
    assert {readings[m] for m in kinds if m.kind == "nulls"} == {0}
    assert {readings[m] for m in kinds if m.kind == "max"} == {19}
