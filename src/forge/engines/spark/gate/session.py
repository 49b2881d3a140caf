"""The isolated session in which judged SQL runs: no catalog but the views of pinned tables, no file access, no
reflection and no settings that a text could change."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark import SparkContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from forge.engines.spark.frames import frame_of
from forge.engines.spark.gate import allow_list
from forge.engines.spark.gate.cancellation import add_cancellation_checks
from forge.engines.spark.gate.java import TreeReader
from forge.engines.spark.gate.judge import judge_analysed, judge_expression, judge_query
from forge.flows.runs.engine import Pin
from forge.model.names import TableName

_SETTINGS = {
    "spark.sql.defaultCatalog": "spark_catalog",
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.variable.substitute": "false",  # ${env:…} and ${spark.…} would be put into the text before it is parsed
    "spark.sql.scripting.enabled": "false",
}
_CATALOGS = "spark.sql.catalog."


class IsolatedSession:
    """The session of judged queries, one per Spark, and the reader of its trees."""

    def __init__(self, context: SparkContext) -> None:
        self.session = _isolated(SparkSession(context))
        self.java: Any = self.session._jsparkSession
        self.jvm: Any = self.session._jvm
        self.trees = TreeReader(self.jvm)
        known = self.trees.functions()
        self.classes = frozenset(known[name] for name in allow_list.FUNCTIONS if name in known)

    def dataset(self, plan: Any) -> Any:
        return self.jvm.org.apache.spark.sql.classic.Dataset.ofRows(self.java, plan)

    def column(self, text: str, where: str) -> Column:
        tree = self.trees.parse_expression(self.java, text)
        judge_expression(self.trees.parts(tree), where)
        return Column(self.jvm.org.apache.spark.sql.classic.ExpressionUtils.column(tree))


def _isolated(spark: SparkSession) -> SparkSession:
    session = spark.newSession()
    settings = session._jsparkSession.conf()
    for key, _ in spark.sparkContext.getConf().getAll():
        if key.startswith(_CATALOGS):
            settings.unset(key)
    for key, value in _SETTINGS.items():
        settings.set(key, value)
    jvm: Any = session._jvm
    registry = session._jsparkSession.sessionState().functionRegistry()
    for name in allow_list.REFUSED_FUNCTIONS:
        registry.dropFunction(jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(name))
    add_cancellation_checks(session)
    return session


class SqlGate:
    """Judges SQL over pinned tables. The frames it returns are made of the very trees that were judged."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self._apart = _isolated_session(spark.sparkContext)

    def frame(
        self, sql: str, inputs: Mapping[TableName, Pin | DataFrame], params: Mapping[str, object], where: str = "query"
    ) -> DataFrame:
        """A query over pinned tables, and over frames that are read under a table's name. E216, before anything runs,
        where it contains anything that is not on the allow-list."""
        from forge.transforms.sql import find_inputs, pin

        apart, trees = self._apart, self._apart.trees
        text = trees.without_comments(sql)
        used = dict.fromkeys(reference.table for reference in find_inputs(text, where))
        with self._views({table: inputs[table] for table in used if table in inputs}) as names:
            views = frozenset(names.values())
            plan = trees.parse_query(apart.java, pin(text, names, where))
            judge_query(trees.parts(plan), views, where)
            made = apart.dataset(self._bound(plan, params))
            judge_analysed(trees.parts(made.queryExecution().analyzed()), views, apart.classes, where)
        return DataFrame(made, apart.session)

    @property
    def apart(self) -> IsolatedSession:
        """Where judged queries run, for what makes rows that they read."""
        return self._apart

    def functions(self) -> dict[str, str]:
        """The built-in functions of this Spark, with the classes that compute them."""
        return self._apart.trees.functions()

    def views(self) -> tuple[str, ...]:
        """The names visible in the isolated session: none, except while a query is analysed."""
        names = self._apart.java.sessionState().catalog().getTempViewNames()
        return tuple(names.apply(number) for number in range(names.size()))

    def to_main(self, frame: DataFrame) -> DataFrame:
        """The same judged rows in the session that can write."""
        plan = frame._jdf.queryExecution().analyzed()
        ours: Any = self.spark._jsparkSession
        return DataFrame(self._apart.jvm.org.apache.spark.sql.classic.Dataset.ofRows(ours, plan), self.spark)

    def _bound(self, plan: Any, params: Mapping[str, object]) -> Any:
        """Values are bound as literals; they never become SQL text."""
        if not params:
            return plan
        values = [self._apart.java.expression(f.lit(value)._jc) for value in params.values()]
        named = self._apart.jvm.org.apache.spark.sql.catalyst.analysis.NameParameterizedQuery
        return named(plan, self._sequence(list(params)), self._sequence(values))

    def _sequence(self, items: list[Any]) -> Any:
        jvm = self._apart.jvm
        made = jvm.java.util.ArrayList()
        for item in items:
            made.add(item)
        return jvm.scala.jdk.javaapi.CollectionConverters.asScala(made).toSeq()

    @contextmanager
    def _views(self, inputs: Mapping[TableName, Pin | DataFrame]) -> Iterator[dict[TableName, str]]:
        """Unguessable view names for exactly these rows, needed until the query is analysed."""
        mark = uuid.uuid4().hex
        names = {table: f"forge_pin_{mark}_{number}" for number, table in enumerate(inputs)}
        catalog = self._apart.java.sessionState().catalog()
        made: list[str] = []
        try:
            for table, name in names.items():
                rows = self._rows_of(inputs[table])
                self._apart.dataset(rows._jdf.queryExecution().analyzed()).createOrReplaceTempView(name)
                made.append(name)
            yield names
        finally:
            for name in made:
                catalog.dropTempView(name)

    def _rows_of(self, rows: Pin | DataFrame) -> DataFrame:
        return frame_of(self.spark, rows) if isinstance(rows, Pin) else rows


_known: list[tuple[SparkContext, IsolatedSession]] = []
_lock = threading.Lock()


def _isolated_session(context: SparkContext) -> IsolatedSession:
    """A restarted Spark gets a new one."""
    with _lock:
        if not _known or _known[0][0] is not context:
            _known[:] = [(context, IsolatedSession(context))]
        return _known[0][1]


def gate_of(spark: SparkSession) -> SqlGate:
    return SqlGate(spark)


def judged_column(text: str, where: str = "expression") -> Column:
    """Like `functions.expr`, for the running Spark: the judged tree is the column."""
    context = SparkContext._active_spark_context
    assert context is not None, "a column is made for a session that was started"
    return _isolated_session(context).column(text, where)
