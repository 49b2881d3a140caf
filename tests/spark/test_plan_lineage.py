"""Column lineage against plans of a real session: SQL from the text cases, and the DataFrame API."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from forge.lineage.edge import Extraction
from forge.lineage.extract.spark.plan import PlanHints, extract_analysed

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = pytest.mark.spark

CASES = Path(__file__).parents[1] / "lineage" / "cases"
TARGET = "out.table"
EDGE = re.compile(r"(?P<target>\S+) <- (?P<source>\S+) (?P<kind>[a-z]+)(?P<masked>,masked)?(?: (?P<text>.+))?")


@dataclass
class Case:
    name: str
    query: str
    edges: dict[tuple[str, str], tuple[str, bool, str | None]] = field(default_factory=dict)
    indirect: set[tuple[str, str]] = field(default_factory=set)
    reads: set[str] | None = None
    gaps: list[str] = field(default_factory=list)


def read_cases(text: str) -> Iterator[Case]:
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, expected = block.split("\n--\n")
        name, _, query = head.partition("\n")
        yield expect(Case(name.strip(), query.strip()), expected.splitlines())


def expect(case: Case, lines: Iterable[str]) -> Case:
    for line in filter(None, (line.strip() for line in lines)):
        word, _, rest = line.partition(" ")
        if word == "~":
            how, source = rest.split()
            case.indirect.add((source, how))
        elif word == "reads":
            case.reads = set(rest.split())
        elif word == "gap":
            case.gaps.append(rest)
        elif found := EDGE.fullmatch(line):
            value = (found["kind"], bool(found["masked"]), found["text"])
            case.edges[found["source"], found["target"]] = value
        else:
            raise ValueError(f"{case.name}: cannot read {line!r}")
    return case


def check(case: Case, found: Extraction) -> None:
    """Everything that came out, and nothing else, is in the case."""
    seen = {(str(e.source), str(e.target).removeprefix(f"{TARGET}.")): e for e in found.edges}
    assert len(seen) == len(found.edges)
    assert {key: (str(e.transformation), e.masking) for key, e in seen.items()} == {
        key: (kind, masked) for key, (kind, masked, _) in case.edges.items()
    }
    texts = {key: text for key, (_, _, text) in case.edges.items() if text is not None}
    assert {key: seen[key].expression for key in texts} == texts
    assert {(str(edge.source), str(edge.subtype)) for edge in found.indirect} == case.indirect
    sources = {source for source, _ in case.edges} | {source for source, _ in case.indirect}
    tables = {".".join(source.split(".")[:2]) for source in sources} if case.reads is None else case.reads
    assert {edge.source for edge in found.table_edges} == tables
    assert all(edge.target == TARGET for edge in found.table_edges)
    assert len(found.gaps) == len(case.gaps), found.gaps
    for gap, words in zip(found.gaps, case.gaps, strict=True):
        assert words in gap.reason


ALL = [(path.stem, case) for path in sorted(CASES.glob("*.txt")) for case in read_cases(path.read_text())]


@pytest.fixture(scope="module")
def lin(spark: SparkSession) -> SparkSession:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS forge.lin")
    for statement in (CASES / "tables.sql").read_text().split(";"):
        if statement.strip():
            spark.sql(statement)
    return spark


def extract(frame: DataFrame, **options: Any) -> Extraction:
    plan = frame._jdf.queryExecution().analyzed()
    text = plan.treeString(False, False, 100_000, False, False)
    return extract_analysed(text, plan.toJSON, TARGET, options.pop("names", {}), PlanHints(**options))


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{file}: {case.name}") for file, case in ALL])
def test_sql(lin: SparkSession, case: Case) -> None:
    check(case, extract(lin.sql(case.query)))


def frame_case(expected: str) -> Case:
    return expect(Case("", ""), expected.splitlines())


def orders(spark: SparkSession) -> DataFrame:
    return spark.table("lin.orders")


def customers(spark: SparkSession) -> DataFrame:
    return spark.table("lin.customers")


def with_column(spark: SparkSession) -> DataFrame:
    from pyspark.sql import functions as F

    return orders(spark).select("id", "amount").withColumn("net", F.col("amount") * 2).drop("amount")


def replaced_column(spark: SparkSession) -> DataFrame:
    from pyspark.sql import functions as F

    frame = customers(spark).select("name", "email").withColumn("name", F.trim("name"))
    return frame.withColumnRenamed("email", "mail").fillna("?", subset=["mail"])


def grouped(spark: SparkSession) -> DataFrame:
    from pyspark.sql import functions as F

    return orders(spark).groupBy("status").agg(F.sum("amount").alias("total"), F.countDistinct("id").alias("n"))


def joined_on_name(spark: SparkSession) -> DataFrame:
    return orders(spark).select("id", "qty").join(customers(spark).select("id", "name"), "id")


def joined_to_itself(spark: SparkSession) -> DataFrame:
    frame = customers(spark)
    other = frame.select("id", "name").withColumnsRenamed({"id": "other_id", "name": "other"})
    return frame.join(other, frame.parent_id == other.other_id).select(frame.name, "other")


def united(spark: SparkSession) -> DataFrame:
    return orders(spark).select("id", "status").union(customers(spark).select("id", "name"))


def united_by_name(spark: SparkSession) -> DataFrame:
    right = customers(spark).selectExpr("name AS status", "id")
    return orders(spark).select("id", "status", "qty").unionByName(right, allowMissingColumns=True)


def without_duplicates(spark: SparkSession) -> DataFrame:
    return orders(spark).select("id", "status").dropDuplicates(["status"])


def pivoted(spark: SparkSession) -> DataFrame:
    return orders(spark).groupBy("customer_id").pivot("status", ["paid", "open"]).sum("amount")


def windowed(spark: SparkSession) -> DataFrame:
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    window = Window.partitionBy("customer_id").orderBy(F.desc("created"))
    return orders(spark).select("id", F.max("amount").over(window).alias("top"))


def exploded(spark: SparkSession) -> DataFrame:
    from pyspark.sql import functions as F

    return orders(spark).select("id", F.explode_outer("tags").alias("tag")).filter("tag != ''")


def with_udf(spark: SparkSession) -> DataFrame:
    from pyspark.sql import functions as F

    called: Column = F.udf(lambda name, country: name + country, "string")("name", "country")
    return customers(spark).select(called.alias("loud"))


def mapped_in_pandas(spark: SparkSession) -> DataFrame:
    def work(batches: Iterable[Any]) -> Iterable[Any]:
        return batches

    return customers(spark).select("id", "name").mapInPandas(work, "a BIGINT, b STRING")


def applied_in_pandas(spark: SparkSession) -> DataFrame:
    def work(group: Any) -> Any:
        return group

    return customers(spark).select("id", "country").groupBy("country").applyInPandas(work, "a BIGINT")


def through_a_view(spark: SparkSession) -> DataFrame:
    customers(spark).select("id", "name").createOrReplaceTempView("lin_people")
    return spark.sql("SELECT name FROM lin_people WHERE id > 3")


def arranged(spark: SparkSession) -> DataFrame:
    frame = customers(spark).select("id").alias("c").hint("broadcast").repartition(2, "id")
    return frame.sample(0.5).limit(5).orderBy("id").coalesce(1)


def made_in_python(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(1, "a")], "x INT, y STRING")


def unpivoted(spark: SparkSession) -> DataFrame:
    return customers(spark).unpivot("id", ["name", "email"], "k", "v")


def unpivoted_with_a_cast(spark: SparkSession) -> DataFrame:
    return orders(spark).unpivot("id", ["amount", "qty"], "k", "v")


def rolled_up(spark: SparkSession) -> DataFrame:
    return orders(spark).rollup("status", "customer_id").sum("qty")


FRAMES: list[tuple[Callable[[SparkSession], DataFrame], str]] = [
    (
        with_column,
        """id <- lin.orders.id identity id
           net <- lin.orders.amount transformation amount * 2""",
    ),
    (
        replaced_column,
        """name <- lin.customers.name transformation trim(name)
           mail <- lin.customers.email conditional""",
    ),
    (
        grouped,
        """status <- lin.orders.status identity
           total <- lin.orders.amount aggregation sum(amount)
           n <- lin.orders.id aggregation count(DISTINCT id)
           ~ group_by lin.orders.status""",
    ),
    (
        joined_on_name,
        """id <- lin.orders.id identity
           qty <- lin.orders.qty identity
           name <- lin.customers.name identity
           ~ join lin.orders.id
           ~ join lin.customers.id""",
    ),
    (
        joined_to_itself,
        """name <- lin.customers.name identity
           other <- lin.customers.name identity
           ~ join lin.customers.parent_id
           ~ join lin.customers.id""",
    ),
    (
        united,
        """id <- lin.orders.id union
           id <- lin.customers.id union
           status <- lin.orders.status union
           status <- lin.customers.name union""",
    ),
    (
        united_by_name,
        """id <- lin.orders.id union
           id <- lin.customers.id union
           status <- lin.orders.status union
           status <- lin.customers.name union
           qty <- lin.orders.qty union""",
    ),
    (
        without_duplicates,
        """id <- lin.orders.id identity
           status <- lin.orders.status identity
           ~ group_by lin.orders.status""",
    ),
    (
        pivoted,
        """customer_id <- lin.orders.customer_id identity
           paid <- lin.orders.amount aggregation sum(amount)
           paid <- lin.orders.status aggregation
           open <- lin.orders.amount aggregation sum(amount)
           open <- lin.orders.status aggregation
           ~ group_by lin.orders.customer_id
           ~ group_by lin.orders.status""",
    ),
    (
        windowed,
        """id <- lin.orders.id identity
           top <- lin.orders.amount window max(amount) OVER (PARTITION BY customer_id ORDER BY created DESC)
           top <- lin.orders.customer_id window
           top <- lin.orders.created window
           ~ window lin.orders.customer_id
           ~ window lin.orders.created""",
    ),
    (
        exploded,
        """id <- lin.orders.id identity
           tag <- lin.orders.tags generator
           ~ filter lin.orders.tags""",
    ),
    (
        with_udf,
        """loud <- lin.customers.name transformation <lambda>(name, country)
           loud <- lin.customers.country transformation <lambda>(name, country)""",
    ),
    (
        mapped_in_pandas,
        """a <- lin.customers.id unknown work(id, name)
           a <- lin.customers.name unknown
           b <- lin.customers.id unknown
           b <- lin.customers.name unknown
           gap MapInPandas work(id, name)""",
    ),
    (
        applied_in_pandas,
        """a <- lin.customers.id unknown
           a <- lin.customers.country unknown
           ~ group_by lin.customers.country
           gap FlatMapGroupsInPandas""",
    ),
    (
        through_a_view,
        """name <- lin.customers.name identity name
           ~ filter lin.customers.id""",
    ),
    (
        arranged,
        """id <- lin.customers.id identity
           ~ sort lin.customers.id""",
    ),
    (
        made_in_python,
        """reads
           gap rows made in Python""",
    ),
    (
        unpivoted,
        """id <- lin.customers.id identity
           v <- lin.customers.name union
           v <- lin.customers.email union""",
    ),
    (
        unpivoted_with_a_cast,
        """id <- lin.orders.id identity
           v <- lin.orders.amount union
           v <- lin.orders.qty transformation""",
    ),
    (
        rolled_up,
        """status <- lin.orders.status identity
           customer_id <- lin.orders.customer_id identity
           sum(qty) <- lin.orders.qty aggregation sum(qty)
           ~ group_by lin.orders.status
           ~ group_by lin.orders.customer_id""",
    ),
]


@pytest.mark.parametrize(("build", "expected"), FRAMES, ids=lambda value: getattr(value, "__name__", ""))
def test_frame(lin: SparkSession, build: Callable[[SparkSession], DataFrame], expected: str) -> None:
    check(frame_case(expected), extract(build(lin)))


def test_code_that_cannot_be_read_is_hardly_believed(lin: SparkSession) -> None:
    assert {edge.confidence for edge in extract(mapped_in_pandas(lin)).edges} == {0.3}
    assert {edge.confidence for edge in extract(with_udf(lin)).edges} == {1.0}


def snapshot(spark: SparkSession) -> int:
    spark.sql("INSERT INTO lin.countries VALUES ('DE', 'Germany', 'EU')")
    rows = spark.sql("SELECT snapshot_id FROM lin.countries.snapshots ORDER BY committed_at DESC LIMIT 1").collect()
    return int(rows[0][0])


def copies(found: Extraction) -> list[tuple[str, str]]:
    return [(str(edge.source), edge.target.column) for edge in found.edges]


def test_a_pinned_read_is_a_read_of_the_table(lin: SparkSession) -> None:
    pin = snapshot(lin)
    expected = [("lin.countries.code", "code")]
    in_sql = lin.sql(f"SELECT t.code FROM forge.lin.countries VERSION AS OF {pin} AS t")
    in_python = lin.read.option("versionAsOf", pin).table("forge.lin.countries").select("code")
    assert copies(extract(in_sql)) == expected
    assert copies(extract(in_python)) == expected


def test_a_branch_is_a_read_of_the_table(lin: SparkSession) -> None:
    snapshot(lin)
    found = extract(lin.sql("SELECT code FROM forge.lin.countries.branch_main"))
    assert copies(found) == [("lin.countries.code", "code")]


def test_catalog_names_are_mapped_to_tables(lin: SparkSession) -> None:
    frame = lin.sql("SELECT code FROM forge.lin.countries")
    names = {"forge.lin.countries": "core.countries"}
    assert copies(extract(frame, names=names)) == [("core.countries.code", "code")]
    assert copies(extract(frame, names=names.get)) == [("core.countries.code", "code")]


def test_columns_of_files_belong_to_what_the_caller_says(lin: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,x\n")
    frame = lin.read.schema("id INT, name STRING").csv(str(tmp_path)).selectExpr("id", "upper(name) AS name")
    found = extract(frame, external="files:data/*.csv")
    assert copies(found) == [("files:data/*.csv.id", "id"), ("files:data/*.csv.name", "name")]
    assert [edge.source for edge in found.table_edges] == ["files:data/*.csv"]


def test_columns_of_files_without_a_name_are_a_gap(lin: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,x\n")
    found = extract(lin.read.schema("id INT, name STRING").csv(str(tmp_path)))
    assert found.edges == ()
    assert "no name" in found.gaps[0].reason


def test_jdbc_columns_belong_to_what_the_caller_says(lin: SparkSession, lake_folder: Path) -> None:
    reader = lin.read.format("jdbc").option("driver", "org.sqlite.JDBC")
    reader = reader.option("url", f"jdbc:sqlite:{lake_folder / 'forge.db'}").option("dbtable", "iceberg_tables")
    found = extract(reader.load().select("table_name"), external="sqlite:iceberg_tables")
    assert copies(found) == [("sqlite:iceberg_tables.table_name", "table_name")]


def test_conditions_nested_too_deep_link_the_tables_and_leave_a_gap(lin: SparkSession) -> None:
    from pyspark.sql import functions as F

    def nested(levels: int) -> DataFrame:
        value = F.lit("other")
        for level in range(levels):
            value = F.when(F.col("id") == level, F.col("status")).otherwise(value)
        return orders(lin).select(value.alias("x"))

    shallow, deep = extract(nested(5)), extract(nested(40))
    assert {str(edge.source) for edge in shallow.edges} == {"lin.orders.id", "lin.orders.status"}
    assert deep.edges == ()
    assert [edge.source for edge in deep.table_edges] == ["lin.orders"]
    assert "nested 40 deep" in deep.gaps[0].reason


def test_a_table_of_spark_itself_with_char_columns_is_read_by_its_name(spark: SparkSession, tmp_path: Path) -> None:
    """Spark pads such columns in a projection between the table and its name."""
    table = "spark_catalog.default.padded"
    spark.sql(f"CREATE TABLE {table} (a CHAR(5), b INT, v VARCHAR(3)) USING parquet LOCATION '{tmp_path}/padded'")
    try:
        plan = spark.sql(f"SELECT t.a, upper(v) AS u, b FROM {table} t WHERE a = 'x'")._jdf.queryExecution().analyzed()
        text = plan.treeString(False, False, 100_000, False, False)
        found = extract_analysed(text, plan.toJSON, TARGET, {})
    finally:
        spark.sql(f"DROP TABLE {table}")
    assert {(str(edge.source), edge.target.column, str(edge.transformation)) for edge in found.edges} == {
        (f"{table}.a", "a", "identity"),
        (f"{table}.v", "u", "transformation"),
        (f"{table}.b", "b", "identity"),
    }
    assert {str(edge.source) for edge in found.indirect} == {f"{table}.a"}
    assert found.gaps == ()
