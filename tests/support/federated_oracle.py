"""The one engine that holds all the data: Spark, with every table of the retail world as a view of one session."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import TYPE_CHECKING

from federated_queries import Answer, Question, differences
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from retail_world import load_spark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

Ask = Callable[[Question], Answer | None]  # None: it failed by its values
# A few thousand rows cost less than the code that Spark would make for them.
_SETTINGS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
}


def answer_of(names: Iterable[str], types: Iterable[str], table: pa.Table) -> Answer:
    columns = [column.to_pylist() for column in table.columns]
    return Answer(tuple(names), tuple(types), list(zip(*columns, strict=True)))


class Oracle:
    """`hidden`: by table, the columns of which everything is NULL. `rows`: the condition of those that there are."""

    def __init__(
        self,
        spark: SparkSession,
        hidden: Mapping[str, Collection[str]] = MappingProxyType({}),
        rows: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._hidden, self._rows = hidden, rows
        self._session = spark.newSession()
        for key, value in _SETTINGS.items():
            self._session.conf.set(key, value)
        self._names = load_spark(self._session, hidden=hidden, rows=rows)
        self._known: dict[str, Answer | None] = {}

    def __call__(self, question: Question) -> Answer | None:
        if question.title not in self._known:
            self._known[question.title] = self._answer(question)
        return self._known[question.title]

    def _answer(self, question: Question) -> Answer | None:
        try:
            frame = self._session.sql(question.sql(self._names), args=question.parameters or None)
            types = [field.dataType.simpleString() for field in frame.schema.fields]
            return answer_of(frame.columns, types, frame.toArrow())
        except (PySparkException, Py4JJavaError):
            if not question.fails and not self._hidden and not self._rows:
                raise
            return None


def disagreements(questions: Iterable[Question], oracle: Ask, ask: Ask, threads: int = 2) -> list[str]:
    """The questions that `ask` does not answer as the oracle does, with what is different."""

    def judged(question: Question) -> str | None:
        expected = oracle(question)
        try:
            found = ask(question)
        except Exception as error:
            return f"{question.title}: {type(error).__name__}: {error}\n  {question.text}"
        if expected is None or found is None:
            same = expected is None and found is None
            return (
                None
                if same
                else f"{question.title}: {'fails' if found is None else 'does not fail'}\n  {question.text}"
            )
        wrong = differences(expected, found, ordered=question.ordered)
        return "\n  ".join([f"{question.title}: {question.text}", *wrong]) if wrong else None

    with ThreadPoolExecutor(threads) as pool:
        return [one for one in pool.map(judged, questions) if one]
