"""The corpus of federated queries: Spark's own answers, and those of its executor over rows that come in pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from federated_oracle import Oracle, answer_of, disagreements
from federated_plans import whole_plan
from federated_queries import Answer, Question, differences, questions
from pyspark.sql import SparkSession
from retail_world import LAKE as LAKE_TABLES
from retail_world import POSTGRES, SQLITE, fill_catalog, tables

from forge.engines.spark.engine import SparkEngine
from forge.engines.spark.federation.executor import SparkExecutor
from forge.engines.spark.session.session import LazySession, SparkSettings
from forge.federation.plan import Fragment
from forge.federation.relation import RelationName
from forge.federation.source import LAKE
from forge.flows.runs.engine import Pin
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, TableName

pytestmark = pytest.mark.spark


def relation_of(table: str) -> RelationName:
    if table in LAKE_TABLES:
        return RelationName(LAKE, ("retail", table))
    if table in POSTGRES:
        return RelationName("crm", ("public", table))
    return RelationName("shop" if table in SQLITE else "files", (table,))


RELATIONS = {str(relation_of(name)): (relation_of(name), table.schema) for name, table in tables().items()}
NAMES = {name: str(relation_of(name)) for name in tables()}


@pytest.fixture(scope="module")
def oracle(spark: SparkSession) -> Oracle:
    return Oracle(spark)


@pytest.fixture(scope="module")
def engine(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkEngine]:
    root = tmp_path_factory.mktemp("retail")
    fill_catalog(spark, root)
    session = LazySession(settings=SparkSettings("local[2]", {}, {}, root / "spark.log"))
    session._session = spark
    yield SparkEngine(session, root)
    for name in LAKE_TABLES:
        spark.sql(f"DROP TABLE forge.retail.{name}")


def test_the_corpus_asks_all_kinds_of_things(oracle: Oracle) -> None:
    asked = questions()
    kinds = Counter(question.title.partition(":")[0].split()[0] for question in asked)

    assert len(asked) >= 300
    assert len({question.title for question in asked}) == len(asked)
    assert set(kinds) >= {"filter", "join", "aggregate", "set", "subquery", "cte", "window", "limit", "top", "fails"}
    assert all(any(name in question.tables for question in asked) for name in tables())


def test_most_questions_have_rows(oracle: Oracle) -> None:
    answers = [oracle(question) for question in questions()]

    assert all((answer is None) == question.fails for answer, question in zip(answers, questions(), strict=True))
    assert sum(bool(answer and answer.rows) for answer in answers) > 0.9 * len(answers)


def test_spark_over_fragments_answers_as_spark_over_everything(
    oracle: Oracle, engine: SparkEngine, tmp_path: Path
) -> None:
    pins = {relation_of(name): Pin(TableName("retail", name), CatalogName("retail", name)) for name in LAKE_TABLES}

    def read(fragment: Fragment, keys: Mapping[str, tuple[object, ...]] = {}) -> pa.RecordBatchReader:
        table = tables()[fragment.relations[0].path[-1]]
        return pa.RecordBatchReader.from_batches(table.schema, iter(table.to_batches(max_chunksize=500)))

    def ask(question: Question) -> Answer | None:
        plan = whole_plan(question.sql(NAMES), RELATIONS)
        try:
            result = SparkExecutor(engine, pins, tmp_path / "rows").run(plan, read, question.parameters, None)
        except ForgeError as error:
            if error.code != "E304":
                raise
            return None
        return answer_of(result.schema.names, [each.type for each in result.schema.columns], result.table)

    wrong = disagreements(questions(), oracle, ask)

    assert not wrong, f"{len(wrong)} of {len(questions())}:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("found", "ordered", "same"),
    [
        (Answer(("x",), ("int",), [(1,), (2,)]), True, True),
        (Answer(("x",), ("int",), [(2,), (1,)]), True, False),
        (Answer(("x",), ("int",), [(2,), (1,)]), False, True),
        (Answer(("x",), ("int",), [(1,), (2,), (2,)]), False, False),
        (Answer(("x",), ("int",), [(1,), (2.0,)]), False, False),
        (Answer(("x",), ("bigint",), [(1,), (2,)]), False, False),
        (Answer(("y",), ("int",), [(1,), (2,)]), False, False),
    ],
)
def test_answers_are_compared_with_their_types(found: Answer, *, ordered: bool, same: bool) -> None:
    assert (not differences(Answer(("x",), ("int",), [(1,), (2,)]), found, ordered=ordered)) == same


def test_the_last_digits_of_a_float_make_no_difference() -> None:
    expected = Answer(("x",), ("double",), [(0.1 + 0.2,), (float("nan"),), (-0.0,)])

    assert not differences(expected, Answer(("x",), ("double",), [(0.0,), (float("nan"),), (0.3,)]), ordered=False)
    assert differences(expected, Answer(("x",), ("double",), [(0.0,), (float("nan"),), (0.31,)]), ordered=False)
