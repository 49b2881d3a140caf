"""The executor in-process gives Spark's rows, or says that it does not compute them."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from rest_plans import Tables, plan_of, reader_of

from forge.engines.datafusion.executor import DataFusionExecutor
from forge.federation.plan import Fragment
from forge.flows.federation.ports import QueryResult, UndecidedError
from forge.model.errors import CancellationError, ForgeError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = Path(__file__).parent
NAN, INF = float("nan"), float("inf")
EPOCH = dt.date(1970, 1, 1)


def dates(*values: str | None) -> pa.Array:
    days = [None if v is None else (dt.date.fromisoformat(v) - EPOCH).days for v in values]
    return pa.array(days, pa.int32()).cast(pa.date32())


def times(kind: pa.DataType, *values: int | None) -> pa.Array:
    return pa.array(values, pa.int64()).cast(kind)


def decimals(precision: int, scale: int, *values: str | None) -> pa.Array:
    return pa.array([None if v is None else Decimal(v) for v in values], pa.decimal128(precision, scale))


ZONED, PLAIN = pa.timestamp("us", tz="UTC"), pa.timestamp("us")
LAST = 253402300799999999  # 9999-12-31 23:59:59.999999
WILD = pa.table(
    {
        "n": pa.array(range(10), pa.int32()),
        "i": pa.array([1, 2, 0, -1, None, 2**31 - 1, -(2**31), 7, -7, 100], pa.int32()),
        "j": pa.array([1, 0, 2, -1, 5, 2, -1, -3, 3, None], pa.int32()),
        "b": pa.array([1, 2**63 - 1, -(2**63), 0, None, 2**53 + 1, -7, 10**18, 3, -1], pa.int64()),
        "t": pa.array([1, 127, -128, 0, None, 12, -11, 100, 5, -1], pa.int8()),
        "m": pa.array([1, 32767, -32768, 0, None, 300, -11, 100, 5, -1], pa.int16()),
        "f": pa.array([1.0, -0.0, 0.0, NAN, None, INF, -INF, 5e-324, 1.7976931348623157e308, -2.5]),
        "g": pa.array([1.0, 0.0, -0.0, NAN, 3.0, 2.5, None, -1.5, 2.0, NAN]),
        "q": pa.array([1.1, -0.0, 0.0, NAN, None, INF, -INF, 3.4e38, 1e-45, 16777217.0], pa.float32()),
        "d": decimals(
            10, 2, "1.00", "-1.25", "0.00", "99999999.99", None, "-99999999.99", "0.05", "2.50", "2.45", "1.50"
        ),
        "e": decimals(
            38,
            10,
            "1",
            "-0.0000000001",
            "0",
            "9999999999999999999999999999.9999999999",
            None,
            "-1.5",
            "0.05",
            "1234567890.0987654321",
            "3",
            "0.0000000005",
        ),
        "k": decimals(38, 0, "1", "-1", "0", "9" * 38, None, "-" + "9" * 38, "9223372036854775808", "10", "123", "-5"),
        "s": pa.array(["a", "", " a ", "é", None, "a_b", "😀x", "ab", "e\u0301", "ß\tA "]),
        "r": pa.array(["a", " ", "A", "e\u0301", "x", None, "\uffff", "abc", "", "ẞ"]),
        "p": pa.array(["a", "", "xYz", "Q r", None, "a_b", "ZZ", "ab", "!", "0"]),
        "dt": dates(
            "1970-01-01",
            "1969-12-31",
            "2024-02-29",
            "1900-03-01",
            None,
            "0001-01-01",
            "9999-12-31",
            "1582-10-15",
            "1582-10-04",
            "2000-12-31",
        ),
        "du": dates(
            "1970-01-01",
            "1970-01-01",
            "2023-02-28",
            None,
            "2020-01-01",
            "1970-01-01",
            "1970-01-02",
            "1582-10-04",
            "1582-10-15",
            "2001-01-01",
        ),
        "ts": times(
            ZONED, 0, -1, 10**15, -62135596800000000, None, LAST, 86399999999, -86400000001, 951782400000000, 5
        ),
        "tn": times(
            PLAIN, 0, -1, 10**15, -62135596800000000, None, LAST, 86399999999, -86400000001, 951782400000000, 5
        ),
        "o": pa.array([True, False, None, True, None, False, True, False, True, None]),
        "bin": pa.array([b"a", b"", b"\x00", b"\xff", None, b"a", b"A", b"ab", b"", b"\x80"]),
    }
)
CALM = pa.table(
    {
        "n": pa.array(range(8), pa.int32()),
        "i": pa.array([1, 2, 3, 5, None, 12, -7, 2], pa.int32()),
        "j": pa.array([1, 3, 2, -1, 5, 2, -1, -3], pa.int32()),
        "b": pa.array([1, 2, -3, 12, None, 7, -7, 100000], pa.int64()),
        "t": pa.array([1, 2, -3, 5, None, 11, -11, 10], pa.int8()),
        "m": pa.array([1, 2, -3, 5, None, 11, -11, 10], pa.int16()),
        "f": pa.array([1.0, 0.5, 1e-3, 2.5, None, -3.75, 1e6, 12.0]),
        "g": pa.array([1.0, 2.0, -0.5, 3.0, 3.0, 2.5, None, -1.5]),
        "q": pa.array([1.5, 0.25, -2.0, 3.0, None, 8.0, 1.0, 0.5], pa.float32()),
        "d": decimals(10, 2, "1.00", "-1.25", "0.10", "2.50", None, "7.00", "1.25", "2.45"),
        "e": decimals(38, 10, "1", "-0.5", "0.1", "2.25", None, "-1.5", "0.05", "1234.0987654321"),
        "k": decimals(38, 0, "1", "-1", "2", "10", None, "-3", "7", "123"),
        "s": pa.array(["a", "", " a ", "b", None, "a_b", "x%y", "ab"]),
        "r": pa.array(["a", " ", "A", "c", "x", None, "y", "abc"]),
        "p": pa.array(["a", "", "xYz", "Q r", None, "a_b", "ZZ", "ab"]),
        "dt": dates(
            "1970-01-01",
            "1969-12-31",
            "2024-02-29",
            "1999-03-01",
            None,
            "2001-01-01",
            "2023-12-31",
            "1995-10-15",
        ),
        "du": dates(
            "1970-01-01",
            "1970-01-01",
            "2023-02-28",
            None,
            "2020-01-01",
            "1970-01-01",
            "1970-01-02",
            "1582-10-04",
        ),
        "ts": times(ZONED, 0, -1, 10**15, 10**14, None, 1, 86399999999, -86400000001),
        "tn": times(PLAIN, 0, -1, 10**15, 10**14, None, 1, 86399999999, -86400000001),
        "o": pa.array([True, False, None, True, None, False, True, False]),
        "bin": pa.array([b"a", b"", b"\x00", b"\xff", None, b"a", b"A", b"ab"]),
    }
)
ONE = pa.table(
    {
        "id": pa.array([1, 2, 3, 4, 5, None, 7], pa.int32()),
        "k": pa.array(["a", "b", "a", None, "c", "d", "a"]),
        "x": pa.array([1.0, -0.0, NAN, None, 2.5, 0.0, INF]),
        "y": pa.array([10, 20, None, 40, 50, 60, 70], pa.int64()),
    }
)
TWO = pa.table(
    {
        "id": pa.array([1, 2, 2, 8, None], pa.int32()),
        "k": pa.array(["a", "b", None, "a", "z"]),
        "z": pa.array([1, 2, 3, 4, 5], pa.int64()),
        "w": pa.array([0.0, NAN, 1.0, None, -0.0]),
    }
)
TABLES: Tables = {"wild": WILD, "calm": CALM, "one": ONE, "two": TWO}
EXECUTOR = DataFusionExecutor()


def lines_of(name: str) -> tuple[str, ...]:
    texts = (FOLDER / name).read_text("utf-8").splitlines()
    return tuple(line.strip() for line in texts if line.strip() and not line.startswith("#"))


EXPRESSIONS, QUERIES = lines_of("expressions.txt"), lines_of("queries.txt")


def in_process(text: str) -> QueryResult:
    plan = plan_of(text, TABLES)
    assert EXECUTOR.refusal(plan) is None, (text, EXECUTOR.refusal(plan))
    return EXECUTOR.run(plan, reader_of(TABLES), {}, None)


def column_or_error(text: str) -> tuple[str, list[object]] | str:
    try:
        found = in_process(text)
    except UndecidedError as error:
        return error.why or error.what
    return found.schema.columns[-1].type, shown(found.table)


def shown(table: pa.Table) -> list[object]:
    """Rows as values of which -0.0 is not 0.0 and NaN is NaN."""
    return [tuple(map(value_of, row)) for row in zip(*(raw(c) for c in table.columns), strict=True)]


def raw(column: pa.ChunkedArray) -> list[object]:
    """Times as numbers: Python has no year 10000."""
    is_time = pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)
    return list(
        (column.cast(pa.int32() if pa.types.is_date(column.type) else pa.int64()) if is_time else column).to_pylist()
    )


def value_of(value: object) -> object:
    return repr(value) if isinstance(value, float) else value


@pytest.fixture(scope="module")
def views(spark: SparkSession) -> Iterator[SparkSession]:
    from forge.engines.spark.errors import keep_quiet

    keep_quiet()
    session = spark.newSession()
    for name, table in TABLES.items():
        frame = session.createDataFrame(table)
        for field in table.schema:  # which Spark reads as times with a zone
            if field.type == PLAIN:
                frame = frame.withColumn(field.name, frame[field.name].cast("timestamp_ntz"))
        frame.createOrReplaceTempView(name)
    yield session
    for name in TABLES:
        session.catalog.dropTempView(name)


def of_spark(session: SparkSession, text: str) -> tuple[list[str], pa.Table] | str:
    from forge.engines.spark.errors import SPARK_ERRORS, first_line

    try:
        frame = session.sql(text)
        return [field.dataType.simpleString() for field in frame.schema], frame.toArrow()
    except SPARK_ERRORS as error:
        return first_line(error)


@pytest.mark.spark
@pytest.mark.parametrize("table", ["wild", "calm"])
def test_an_expression_gives_what_spark_gives(views: SparkSession, table: str) -> None:
    computed: dict[str, tuple[str, list[object]]] = {}
    failed: dict[str, str] = {}
    loose = {line.removeprefix("!") for line in EXPRESSIONS if line.startswith("!")}
    for expression in (line.removeprefix("!") for line in EXPRESSIONS):
        found = column_or_error(f"SELECT n, {expression} AS x FROM {table}")
        if isinstance(found, str):
            failed[expression] = found
        else:
            computed[expression] = found
    differences = [*_differences(views, table, computed)]
    for expression, reason in failed.items():
        if expression not in loose and not isinstance(
            of_spark(views, f"SELECT n, {expression} AS x FROM {table}"), str
        ):
            differences.append(f"{expression}: Spark computes it; in-process: {reason}")
    assert not differences, "\n".join(differences)


def _differences(session: SparkSession, table: str, computed: dict[str, tuple[str, list[object]]]) -> Iterator[str]:
    """All in one query; one by one where that fails."""
    if not computed:
        return
    texts = list(computed)
    columns = ", ".join(f"{text} AS x{place}" for place, text in enumerate(texts))
    found = of_spark(session, f"SELECT n, {columns} FROM {table}")
    if isinstance(found, str):
        if len(texts) == 1:
            yield f"{texts[0]}: in-process it is computed; Spark: {found}"
            return
        middle = len(texts) // 2
        for part in (texts[:middle], texts[middle:]):
            yield from _differences(session, table, {text: computed[text] for text in part})
        return
    kinds, rows = found
    for place, text in enumerate(texts):
        kind, values = computed[text]
        expected = shown(rows.select([0, place + 1]))
        if kind != kinds[place + 1]:
            yield f"{text}: {kind} in-process, {kinds[place + 1]} in Spark"
        elif sorted(values, key=repr) != sorted(expected, key=repr):
            pairs = [
                (a, b) for a, b in zip(sorted(values, key=repr), sorted(expected, key=repr), strict=False) if a != b
            ]
            yield f"{text} ({kind}): (in-process, Spark) {pairs[:4]}"


@pytest.mark.spark
def test_a_query_gives_what_spark_gives(views: SparkSession) -> None:
    differences = [difference for line in QUERIES for difference in _query_differences(views, line)]
    assert not differences, "\n".join(differences)


def _query_differences(session: SparkSession, line: str) -> Iterator[str]:
    text = line.removeprefix("= ")
    plan = plan_of(text, TABLES)
    if EXECUTOR.refusal(plan) is not None:
        yield f"{text}: refused, {EXECUTOR.refusal(plan)}"
        return
    expected = of_spark(session, text)
    try:
        found = EXECUTOR.run(plan, reader_of(TABLES), {}, None)
    except UndecidedError as error:
        if not isinstance(expected, str):
            yield f"{text}: Spark computes it; in-process: {error.why}"
        return
    if isinstance(expected, str):
        yield f"{text}: in-process it is computed; Spark: {expected}"
        return
    kinds, table = expected
    if [c.type for c in found.schema.columns] != kinds:
        yield f"{text}: {[c.type for c in found.schema.columns]} in-process, {kinds} in Spark"
    elif not same_rows(shown(found.table), shown(table), line.startswith("= ")):
        yield f"{text}: {shown(found.table)} in-process, {shown(table)} in Spark"


def same_rows(left: Sequence[Any], right: Sequence[Any], in_order: bool) -> bool:
    """The smallest of -0.0 and 0.0 is in Spark the one that came first."""
    left, right = ([tuple("0.0" if v == "-0.0" else v for v in row) for row in rows] for rows in (left, right))
    if not in_order:
        left, right = sorted(left, key=repr), sorted(right, key=repr)
    return list(left) == list(right)


def random_query(random: Random) -> str:
    """Joins, groups, windows and sets over `one` and `two`; never of what differs from run to run."""
    pick = random.choice
    operators = ("=", "<>", "<", ">=", "<=>")
    join = pick(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"))
    on = pick(("a.id = b.id", "a.k = b.k", "a.k <=> b.k", "a.x = b.w", "a.id = b.id AND a.y > b.z", "a.id < b.id"))
    where = pick(
        (
            f"a.id {pick(operators)} {random.randint(0, 5)}",
            f"a.k {pick(operators)} 'a'",
            f"a.x {pick(operators)} {pick(('0.0D', '1.0D', 'a.id'))}",
            "a.y IS NULL OR a.k LIKE '%a%'",
            f"a.id {pick(('IN', 'NOT IN'))} (SELECT id FROM two WHERE z > {random.randint(0, 6)})",
            f"{pick(('', 'NOT '))}EXISTS (SELECT 1 FROM two c WHERE c.k = a.k AND c.z <> {random.randint(0, 5)})",
            f"NOT (a.y BETWEEN {random.randint(0, 30)} AND 50)",
            f"CASE WHEN a.x > 1 THEN a.id ELSE 2 END = {random.randint(1, 3)}",
        )
    )
    aggregate = pick(("count(*)", "sum(a.y)", "min(a.x)", "max(a.k)", "avg(a.y)", "count(DISTINCT a.x)", "sum(a.id)"))
    key = pick(("a.k", "a.x", "a.id % 2", "a.y > 30", "coalesce(a.k, 'none')"))
    window = pick(("row_number()", "rank()", "sum(a.y)", "lag(a.k)", "lead(a.y, 2)", "count(a.x)", "max(a.id)"))
    partition = pick(("", "PARTITION BY a.k ", "PARTITION BY a.x ", "PARTITION BY a.id % 2 "))
    direction = pick(("", " DESC", " NULLS LAST", " DESC NULLS FIRST"))
    projection = pick(("a.*", "a.id, a.k", "a.id + 1 AS p, a.x / 2 AS q", "a.y * 2 AS p, a.k || '!' AS q"))
    return pick(
        (
            f"SELECT {projection} FROM one a {join} two b ON {on} WHERE {where}",
            f"SELECT {key} AS g, {aggregate} AS v FROM one a WHERE {where} GROUP BY {key}",
            f"SELECT {key} AS g, {aggregate} AS v FROM one a LEFT JOIN two b ON {on} GROUP BY {key} "
            "HAVING count(*) > 1",
            f"SELECT {aggregate} AS v FROM one a {join} two b ON {on}",
            f"SELECT a.id, {window} OVER ({partition}ORDER BY a.id{direction}) AS v FROM one a WHERE {where}",
            f"SELECT id, k FROM one a WHERE {where} {pick(('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT'))} "
            "SELECT id, k FROM two",
            f"WITH a AS (SELECT * FROM one a WHERE {where}) SELECT {key} AS g, {aggregate} AS v FROM a GROUP BY {key}",
            f"SELECT DISTINCT {key} AS g FROM one a {join} two b ON {on}",
            f"SELECT a.id, (SELECT {pick(('max(z)', 'count(*)', 'sum(w)'))} FROM two) AS v FROM one a WHERE {where}",
            f"SELECT id, k FROM (SELECT a.id, a.k, a.y FROM one a WHERE {where}) c ORDER BY y{direction}, id LIMIT 3",
        )
    )


@pytest.mark.spark
@pytest.mark.slow
def test_a_random_query_gives_what_spark_gives(views: SparkSession) -> None:
    random = Random(11)
    texts = sorted({random_query(random) for _ in range(120)})
    refused = [text for text in texts if EXECUTOR.refusal(plan_of(text, TABLES)) is not None]
    differences = [difference for text in texts for difference in _query_differences(views, text)]
    assert not differences, "\n".join(differences)
    assert not refused


def test_the_kept_zone_the_names_and_the_types_are_those_of_spark() -> None:
    found = in_process("SELECT ts AS moment, d * d AS dd, count(*) OVER () AS c FROM wild LIMIT 1")
    assert [(c.name, c.type) for c in found.schema.columns] == [
        ("moment", "timestamp"),
        ("dd", "decimal(21,4)"),
        ("c", "bigint"),
    ]
    assert found.table.schema.types == [ZONED, pa.decimal128(21, 4), pa.int64()]
    assert found.rows_read["wild"] == WILD.num_rows


def test_an_overflow_a_zero_and_a_second_row_are_left_to_spark() -> None:
    for text in (
        "SELECT i + 1 AS x FROM wild",
        "SELECT b * b AS x FROM wild",
        "SELECT sum(b) AS x FROM wild",
        "SELECT -i AS x FROM wild",
        "SELECT i / 0 AS x FROM wild",
        "SELECT i % j AS x FROM wild",
        "SELECT d / 0 AS x FROM wild",
        "SELECT cast(b AS int) AS x FROM wild",
        "SELECT (SELECT id FROM two) AS x FROM one",
        "SELECT upper(s) AS x FROM wild",
    ):
        with pytest.raises(UndecidedError) as caught:
            in_process(text)
        assert caught.value.code == "E304", text


def test_the_least_and_greatest_of_each_group_of_doubles() -> None:
    tables = {
        "t": pa.table(
            {
                "g": [1, 1, 2, 2, 3, 4, 4, 5, 5, 6],
                "x": pa.array([INF, 1.0, NAN, 2.0, NAN, -INF, NAN, INF, None, None]),
            }
        )
    }
    text = "SELECT g, min(x) AS a, max(x) AS b FROM t GROUP BY g ORDER BY g"
    found = EXECUTOR.run(plan_of(text, tables), reader_of(tables), {}, None)
    assert [tuple(map(str, row)) for row in zip(*(c.to_pylist() for c in found.table.columns), strict=True)] == [
        ("1", "1.0", "inf"),
        ("2", "2.0", "nan"),
        ("3", "nan", "nan"),
        ("4", "-inf", "nan"),
        ("5", "inf", "inf"),
        ("6", "None", "None"),
    ]


def test_parameters_are_values_never_text() -> None:
    hostile = "a' OR '1'='1' --"
    tables = {"t": pa.table({"s": ["a", hostile, '"; DROP TABLE f0', "\\"]})}
    for text in tables["t"]["s"].to_pylist():
        plan = plan_of("SELECT s FROM t WHERE s = :wanted", tables)
        assert EXECUTOR.refusal(plan) is None
        found = EXECUTOR.run(plan, reader_of(tables), {"wanted": text}, None)
        assert found.table["s"].to_pylist() == [text]


def test_names_of_users_never_reach_the_engine() -> None:
    name = 'x" from f0; drop table f0 --'
    tables = {"t": pa.table({name: [1, 2]})}
    found = EXECUTOR.run(plan_of(f'SELECT `{name}` FROM t AS `a"b` ORDER BY 1', tables), reader_of(tables), {}, None)
    assert found.table.to_pydict() == {name: [1, 2]}


@pytest.mark.slow
def test_no_more_rows_than_the_limit_and_none_read_beyond_the_bytes_allowed() -> None:
    tables = {"t": pa.table({"a": pa.array(range(100_000), pa.int64())})}
    plan = plan_of("SELECT a FROM t ORDER BY a DESC", tables)
    found = EXECUTOR.run(plan, reader_of(tables), {}, 7)
    assert found.table["a"].to_pylist() == list(range(99_999, 99_992, -1))
    for small in (DataFusionExecutor(read_limit=1000), DataFusionExecutor(result_limit=1000)):
        with pytest.raises(UndecidedError, match="not computed in this process"):
            small.run(plan, reader_of(tables), {}, None)


@pytest.mark.slow
def test_a_computation_beyond_its_memory_is_left_to_spark() -> None:
    tables = {"t": pa.table({"a": pa.array(range(200_000), pa.int64())})}
    plan = plan_of("SELECT count(*) AS n FROM (SELECT a, count(*) AS c FROM t GROUP BY a) x", tables)
    with pytest.raises(UndecidedError):
        DataFusionExecutor(memory=1000).run(plan, reader_of(tables), {}, None)


@pytest.mark.slow
def test_cancelling_from_another_thread_ends_a_join_that_has_given_no_row() -> None:
    tables = {"t": pa.table({"a": pa.array(range(20_000), pa.int32())})}
    plan = plan_of("SELECT sum(x.a * y.a + z.a) AS s FROM t x CROSS JOIN t y CROSS JOIN t z", tables)
    executor = DataFusionExecutor()
    is_read = threading.Event()
    errors: list[BaseException] = []

    def read(fragment: Fragment, keys: Mapping[str, tuple[object, ...]] = MappingProxyType({})) -> pa.RecordBatchReader:
        is_read.set()
        return reader_of(tables)(fragment, keys)

    def run() -> None:
        try:
            executor.run(plan, read, {}, None)
        except ForgeError as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert is_read.wait(60)
    thread.join(0.5)  # into the join
    assert thread.is_alive()
    executor.cancel()
    thread.join(60)
    assert not thread.is_alive()
    assert [type(error) for error in errors] == [CancellationError]


def test_a_query_without_rows_has_columns() -> None:
    found = in_process("SELECT i, s, ts, d FROM wild WHERE i > 1 AND i < 1")
    assert found.table.num_rows == 0
    assert [c.type for c in found.schema.columns] == ["int", "string", "timestamp", "decimal(10,2)"]


def test_of_a_source_without_rows_the_columns_are_known() -> None:
    tables = {"t": pa.table({"a": pa.array([], pa.int32())})}
    assert tables["t"].to_batches() == []
    found = EXECUTOR.run(plan_of("SELECT count(a) AS n, max(a) AS m FROM t", tables), reader_of(tables), {}, None)
    assert found.table.to_pylist() == [{"n": 0, "m": None}]


def nested(term: str, times: int) -> str:
    """An intruder's short text of functions over each other."""
    text = "SELECT s AS x FROM t"
    for place in range(times):
        text = f"SELECT {term} AS x FROM ({text}) AS q{place}"
    return text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("term", "times"),
    [
        ("concat(x, x, x, x, x, x, x, x)", 13),
        ("x || x || x || x", 20),
        (f"replace(x, 'a', '{'a' * 500}')", 6),
        (f"replace(x, 'a', '{'a' * 500}') || x", 6),
    ],
)
def test_a_short_query_makes_no_text_that_no_memory_holds(term: str, times: int) -> None:
    tables = {"t": pa.table({"s": ["a", None, ""]})}
    with pytest.raises(UndecidedError, match="not computed in this process"):
        EXECUTOR.run(
            plan_of(f"SELECT length(x) AS n FROM ({nested(term, times)}) AS q", tables), reader_of(tables), {}, None
        )


def test_functions_over_each_other_are_not_written_out_without_end() -> None:
    tables = {"t": pa.table({"s": ["a"]})}
    plan = plan_of(f"SELECT {'upper(' * 40}s{')' * 40} AS x FROM t", tables)
    assert "too large" in str(EXECUTOR.refusal(plan))


def test_texts_are_joined_and_replaced_as_before() -> None:
    tables = {"t": pa.table({"s": ["aba", None, ""]})}
    replaced = "replace(s, 'a', 'xy') AS r, replace(s, 'a') AS d"
    text = f"SELECT s || '-' || s || '!' AS j, concat(s, null, s) AS n, {replaced} FROM t"
    found = EXECUTOR.run(plan_of(text, tables), reader_of(tables), {}, None).table.to_pydict()
    assert found == {
        "j": ["aba-aba!", None, "-!"],
        "n": [None, None, None],
        "r": ["xybxy", None, ""],
        "d": ["b", None, ""],
    }
