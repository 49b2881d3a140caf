"""Spark's analyser over empty tables: what a statement reads and writes. Nothing is written: all catalogs of its
session are in memory, and statements are analysed only."""

from __future__ import annotations

import re
from typing import Any

from pyspark.sql import SparkSession

from forge.engines.spark.errors import first_line, keep_quiet, root_cause
from forge.engines.spark.frames import quote
from forge.engines.spark.lineage.plan import Java, items_of, kind_of, lineage_of_plan, writes_of
from forge.flows.lineage.verify import AnalysedWrite, AnalysisFailure
from forge.lineage.extract.catalog import ResolvedName, TableCatalog
from forge.lineage.extract.definition import ColumnDefinition
from forge.lineage.extract.paths import plain_path
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.spark.plan import PlanHints

CATALOG = "lineage_verify"
NAMESPACE = "default"
MOST_COLUMNS = 100_000
MOST_TABLES = 100
_NAMED = re.compile(r"'Unresolved(?:Relation|Table|TableOrView|View|Identifier) \[([^\]]+)\]")
_FOR_THE_SESSION = re.compile(
    r"\s*(?:create\s+(?:or\s+replace\s+)?(?:(?:global\s+)?temp(?:orary)?\s+(?:view|function)|function)"
    r"|declare\s|set\s+var|set\s+spark\.sql\.parser\.\w+\s*=\s*\w+\s*$"
    r"|drop\s+(?:temporary\s+)?(?:view|function)|use\s)",
    re.IGNORECASE,
)
_PLAIN_FUNCTION = re.compile(r"(\s*create\s+(?:or\s+replace\s+)?)function\b", re.IGNORECASE)
_TEMPORARY = re.compile(r"\s*create\s+or\s+replace\s+temp(?:orary)?\s+view\s+([\w`]+)", re.IGNORECASE)
_USE = re.compile(r"\s*use\s+(?:schema\s+|database\s+|namespace\s+)?([\w.`]+)\s*$", re.IGNORECASE)
_EXTENSIONS = "spark.sql.extensions"
_PLAIN: dict[str, SparkSession] = {}
_PARTITION = re.compile(r"\bpartition\s*\(([^()]*)\)", re.IGNORECASE)
_TYPE = re.compile(r"[\w\s,:<>()`]+")
_OTHER_TYPES = (
    (re.compile(r"\b(?:var)?char(?:acter)?\s*\(\s*\d+\s*\)", re.IGNORECASE), "STRING"),
    (re.compile(r"\b(?:tiny|small)int\b", re.IGNORECASE), "INT"),
    (re.compile(r"\b(?:variant|void|interval(?:\s+\w+(?:\s+to\s+\w+)?)?)\b", re.IGNORECASE), "STRING"),
)


class SparkAnalyser:
    """One per file: session views and functions do not leak into the next file."""

    def __init__(self, spark: SparkSession, catalog: TableCatalog) -> None:
        keep_quiet()
        self._catalog = catalog
        self._names: dict[str, str] = {}
        self._partitions: dict[str, tuple[str, ...]] = {}
        self._namespaces: set[str] = set()
        self._main = catalog.db or CATALOG
        self._namespace = catalog.default_schema or NAMESPACE
        self._session, self._catalogs = isolated(spark, self._main)
        self._session.sql(f"USE {quote(self._main)}")
        start = (self._main, *self._namespace.split("."))
        self._make_namespace(start)
        self._session.sql("USE " + ".".join(map(quote, start)))

    def analyse(self, statement: str, result: str = "") -> tuple[AnalysedWrite, ...] | AnalysisFailure:
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import AnalysisException, PySparkException

        for _ in range(MOST_TABLES):
            try:
                return self._analyse(statement, result)
            except AnalysisException as error:
                if not self._make_missing(error):
                    return AnalysisFailure(first_line(error))
            except PySparkException as error:
                return AnalysisFailure(first_line(error))
            except Py4JJavaError as error:  # Spark did not expect it, or a part of it cannot do it
                return AnalysisFailure(root_cause(error))
        return AnalysisFailure("it names too many tables in the text of functions and of other statements")

    def _analyse(self, statement: str, result: str) -> tuple[AnalysedWrite, ...] | AnalysisFailure:
        if _FOR_THE_SESSION.match(statement):
            self._execute(statement)
            return ()
        parsed = self._parsed(statement)
        match kind_of(parsed):
            case "CreateView":
                return (self._view(parsed),)
            case "InsertIntoStatement" if (target := self._unknown(parsed.table())) is not None:
                columns = tuple(str(name) for name in items_of(parsed.userSpecifiedCols()))
                return (self._query(self._analysed(parsed.query()), target, columns),)
            case "UnresolvedExecuteImmediate" | "ExecuteImmediateQuery":
                return AnalysisFailure(
                    "Spark runs the text of EXECUTE IMMEDIATE while it analyses, and nothing is to be run"
                )
        plan = self._analysed(parsed)
        if "variablereference" in plan.treeString(False, False, MOST_COLUMNS, False, False):
            return AnalysisFailure("it reads a variable, of which Spark keeps the value and not what it came from")
        return self._observed(plan, result)

    def _make_missing(self, error: Any) -> bool:
        """A table that a statement does not name itself, but a function or a text that it executes."""
        if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND":
            return False
        name = str((error.getMessageParameters() or {}).get("relationName", ""))
        parts = tuple(re.findall(r"`((?:[^`]|``)+)`", name))
        return bool(parts) and self._make(self._place(parts), self._catalog.find(parts), ())

    def _observed(self, plan: Java, result: str) -> tuple[AnalysedWrite, ...]:
        found = []
        for write in writes_of(plan):
            target = plain_path(write.target) if write.made is OutputKind.FILE else self._name(write.target)
            around = PlanHints(views=True, columns=write.columns)
            found.append(AnalysedWrite(target, lineage_of_plan(write.plan, target, self._name, around)))
            if kind_of(write.plan).endswith(("AsSelect", "View", "AsSelectCommand")):
                self._remember(write.target, write.plan.query(), write.columns)
        if not found and result:
            found.append(AnalysedWrite(result, lineage_of_plan(plan, result, self._name)))
        return tuple(found)

    def _name(self, spark_name: str) -> str:
        """What a name of this session means in the catalog that is verified."""
        plain = spark_name.replace("`", "")
        known = self._names.get(plain.lower())
        if known is not None:
            return known
        parts = plain.split(".")
        if parts[0] == self._main:
            parts = parts[1:]
        if len(parts) == 2 and parts[0] == self._namespace and not self._catalog.default_schema:
            parts = parts[1:]
        return self._catalog.find(parts).name

    def _execute(self, statement: str) -> None:
        use = _USE.match(statement)
        if use is not None:
            parts = tuple(use[1].replace("`", "").split("."))
            self._make_namespace(parts if parts[0] in self._catalogs else (self._main, *parts))
        view = _TEMPORARY.match(statement)
        if view is not None:  # if this one fails, the previous one must not be read
            self._session.catalog.dropTempView(view[1].replace("`", ""))
        self._parsed(statement)
        self._session.sql(_PLAIN_FUNCTION.sub(r"\1TEMPORARY FUNCTION", statement))

    def _view(self, parsed: Java) -> AnalysedWrite:
        """Of a view only its query is analysed: a catalog in memory need not know views."""
        place = self._place(tuple(str(part) for part in items_of(parsed.child().nameParts())))
        columns = tuple(str(pair._1()) for pair in items_of(parsed.userSpecifiedColumns()))
        plan = self._analysed(parsed.query())
        self._remember(".".join(place), plan, columns)
        return self._query(plan, place, columns)

    def _unknown(self, relation: Java) -> tuple[str, ...] | None:
        """The target if its columns are unknown: they are then those of the query."""
        if kind_of(relation) != "UnresolvedRelation":
            return None
        parts = tuple(str(part) for part in items_of(relation.multipartIdentifier()))
        place = self._place(parts)
        meant = self._catalog.find(parts)
        known = ".".join(place).lower() in self._names or meant.definition is not None or meant.candidates
        return None if known else place

    def _query(self, plan: Java, place: tuple[str, ...], columns: tuple[str, ...]) -> AnalysedWrite:
        target = self._name(".".join(place))
        return AnalysedWrite(target, lineage_of_plan(plan, target, self._name, PlanHints(views=True, columns=columns)))

    def _analysed(self, parsed: Java) -> Java:
        jvm: Any = self._session.sparkContext._jvm
        skip = jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
        return self._session._jsparkSession.sessionState().executePlan(parsed, skip).analyzed()

    def _parsed(self, statement: str) -> Java:
        """Not yet analysed; the tables that it names are there afterwards, if the catalog knows them."""
        parsed = self._plan(statement)
        written = _PARTITION.search(statement)
        partition = tuple(re.findall(r"(\w+)\s*(?:=|,|$)", written[1])) if written else ()
        for found in _NAMED.findall(parsed.treeString(False, False, MOST_COLUMNS, False, False)):
            parts = tuple(part.strip() for part in found.split(","))
            self._make(self._place(parts), self._catalog.find(parts), partition)
        return parsed

    def _plan(self, statement: str) -> Java:
        """The parser asks the active session for its settings."""
        java = self._session._jsparkSession
        jvm: Any = self._session.sparkContext._jvm
        sessions = jvm.org.apache.spark.sql.classic.SparkSession
        before = sessions.getActiveSession()
        sessions.setActiveSession(java)
        try:
            return java.sessionState().sqlParser().parsePlan(statement)
        finally:
            if before.isDefined():
                sessions.setActiveSession(before.get())
            else:
                sessions.clearActiveSession()

    def _make(self, place: tuple[str, ...], meant: ResolvedName, partition: tuple[str, ...]) -> bool:
        """Creates a known table if it does not exist; whether it did. Definitions have no partitions; a statement
        that writes into one has."""
        key = ".".join(place).lower()
        if meant.definition is None:
            return False
        names = {name.lower() for name in meant.definition.names}
        parted = partition if names.issuperset(name.lower() for name in partition) else ()
        if key in self._names and (not parted or parted == self._partitions.get(key)):
            return False
        self._names[key], self._partitions[key] = meant.name, parted
        self._create(place, meant.definition.columns, parted)
        return True

    def _place(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """The name under which Spark resolves it."""
        if len(parts) == 1:
            current = self._session.catalog
            return (current.currentCatalog(), *current.currentDatabase().split("."), *parts)
        return parts if parts[0] in self._catalogs else (self._session.catalog.currentCatalog(), *parts)

    def _remember(self, name: str, query: Java, columns: tuple[str, ...]) -> None:
        """What a query made is there for the statements that follow, if nothing else has described it."""
        place = tuple(name.replace("`", "").split("."))
        known = self._catalog.find(place[1:]).definition
        if known is not None and not known.inferred:
            return
        fields = query.schema().fields()
        made = tuple(
            ColumnDefinition(columns[at] if columns else str(one.name()), str(one.dataType().sql()))
            for at, one in enumerate(fields)
        )
        self._names[".".join(place).lower()] = self._name(name)
        self._create(place, made)

    def _create(
        self, place: tuple[str, ...], columns: tuple[ColumnDefinition, ...], partition: tuple[str, ...] = ()
    ) -> None:
        from pyspark.errors import PySparkException

        self._make_namespace(place[:-1])
        table = ".".join(quote(part) for part in place)
        parts = f" PARTITIONED BY ({', '.join(map(quote, partition))})" if partition else ""
        self._session.sql(f"DROP TABLE IF EXISTS {table}")
        try:
            self._session.sql(f"CREATE TABLE {table} ({_columns(columns)}) USING iceberg{parts}")
        except PySparkException:  # a type that is none of Spark's; that of the others is not worth the loss of all
            plain = tuple(ColumnDefinition(column.name) for column in columns)
            self._session.sql(f"CREATE TABLE {table} ({_columns(plain)}) USING iceberg{parts}")

    def _make_namespace(self, place: tuple[str, ...]) -> None:
        for size in range(2, len(place) + 1):
            name = ".".join(map(quote, place[:size]))
            if name not in self._namespaces:
                self._namespaces.add(name)
                self._session.sql(f"CREATE NAMESPACE IF NOT EXISTS {name}")


def isolated(spark: SparkSession, main: str) -> tuple[SparkSession, frozenset[str]]:
    """A session whose catalogs lie in memory, those it shares names with included; and the names of all of them."""
    session = _plain(spark).newSession()
    settings = dict(session.conf.getAll)
    named = {key.split(".")[3] for key in settings if key.startswith("spark.sql.catalog.")}
    catalogs = frozenset((named - {"spark_catalog"}) | {main})
    for name in catalogs:
        prefix = f"spark.sql.catalog.{name}"
        for key in settings:
            if key.startswith(f"{prefix}."):
                session.conf.unset(key)
        session.conf.set(prefix, "org.apache.iceberg.spark.SparkCatalog")
        session.conf.set(f"{prefix}.catalog-impl", "org.apache.iceberg.inmemory.InMemoryCatalog")
        session.conf.set(f"{prefix}.warehouse", "memory")
    return session, catalogs


def _columns(columns: tuple[ColumnDefinition, ...]) -> str:
    return ", ".join(f"{quote(column.name)} {_type(column.type)}" for column in columns)


def _type(written: str) -> str:
    """A type that an Iceberg table can have."""
    if not _TYPE.fullmatch(written):
        return "STRING"
    for pattern, other in _OTHER_TYPES:
        written = pattern.sub(other, written)
    return written


def _plain(spark: SparkSession) -> SparkSession:
    """A session on the same context, without extensions: Iceberg's parser knows no functions written in SQL. It is made
    once, for it brings along a part of Spark that stays."""
    from pyspark.sql import SparkSession

    context: Any = spark.sparkContext
    known = _PLAIN.get(context.applicationId)
    if known is None:
        java = context._jsc.sc()
        extensions = java.conf().get(_EXTENSIONS, "")
        java.conf().remove(_EXTENSIONS)
        try:
            known = SparkSession(context, context._jvm.org.apache.spark.sql.classic.SparkSession(java))
        finally:
            java.conf().set(_EXTENSIONS, extensions)
        _PLAIN[context.applicationId] = known
    return known
