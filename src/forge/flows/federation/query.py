"""A query over the lake and the sources of a project: pinned, planned, computed by the engine that fits, and audited.

Small answers are computed in this process, large ones and what only Spark knows on Spark; both give the same rows. A
query of the lake alone that Spark computes is its text as it came, over pinned tables, through Spark's own gate."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

from sqlglot import exp

from forge.federation.credentials import seen_as
from forge.federation.explain import explain, explain_text
from forge.federation.lake_rules import LakeRules
from forge.federation.names import ref_of, resolve_relation
from forge.federation.policy import PolicySubject
from forge.federation.relation import RelationName
from forge.federation.source import LAKE, Source
from forge.flows.catalog.personal_data import PersonalAt, PersonalColumns
from forge.flows.federation.kept_results import HIT, OFF, KeptResult, look_up
from forge.flows.federation.lake_views import lake_table
from forge.flows.federation.opened_query import open_query, too_deep
from forge.flows.federation.ports import UndecidedError
from forge.flows.federation.query_claims import AskedQuery
from forge.flows.federation.query_lineage import OutputLineage, lineage_lines
from forge.flows.federation.running import RunningQuery, checked_timeout, ends_after
from forge.flows.runs.input_pins import inputs_of
from forge.flows.upkeep.query_audit import EXPLAINED, SHARED, audited
from forge.model.errors import ForgeError
from forge.model.names import CommitId, RunId, TableName
from forge.transforms.sql_parse import parse_query

if TYPE_CHECKING:
    from datetime import datetime

    import pyarrow as pa

    from forge.federation.dialects.rules import LakeOrKind
    from forge.federation.drift import SeenSource
    from forge.federation.plan import QueryPlan
    from forge.federation.virtual_table import VirtualTable
    from forge.flows.federation.kept_results import QueryCache
    from forge.flows.federation.opened_query import OpenedQuery, QueryDescription
    from forge.flows.federation.ports import ExecutorName, QueryExecutor, SourceConnector
    from forge.flows.runs.engine import Engine
    from forge.flows.runs.pin import Pin
    from forge.flows.upkeep.query_audit import AuditLog
    from forge.flows.versioning.read import QueryCaller, RevisionReader
    from forge.model.schema import Schema

Rows = tuple[tuple[object, ...], ...]
ExecutorChoice = Literal["auto", "in-process", "spark"]


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """`limit`: no more rows than these. `pushdown`: False reads whole relations, to see what pushing down saves.
    `cache`: False neither takes a kept result nor keeps one. `timeout`: seconds after which it is ended."""

    sql: str
    _: KW_ONLY
    at: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)
    limit: int | None = None
    executor: ExecutorChoice = "auto"
    pushdown: bool = True
    cache: bool = True
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """`why`: of the executor. `table`: the same rows, where they came as Arrow. `masked`: columns, in small letters, of
    all relations read, that read as NULL. `rows_read`: by fragment; empty where Spark was given the text as it came,
    which does not tell. `cache`: "hit", "miss", or why neither; nothing was read for a hit. `kept_until`: no longer is
    it a hit. `relations`: as the query names them."""

    schema: Schema
    rows: Rows
    _: KW_ONLY
    executor: ExecutorName
    why: str
    explained: QueryExplanation
    table: pa.Table | None = None
    masked: frozenset[str] = frozenset()
    rows_read: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    cache: str = OFF
    kept_until: datetime | None = None
    relations: tuple[RelationName, ...] = ()

    @property
    def plan(self) -> QueryPlan | None:
        return self.explained.plan


@dataclass(frozen=True, slots=True)
class FederationPorts:
    """`lake` opens the pinned tables as a source; `masked` gives a pin whose hidden columns read as NULL. `user`: who
    asks, for the readers of a source; `roles`: those of forge.yaml. `rules`: of tables of the
    lake; `mask_key`: of hashes. `hidden`: what reads as NULL at the commit of the query, `hidden_at` at those that it
    names beside tables. `notify` is told what takes long. `in_process` is of this query alone, as is `running`, which
    ends it. `read_id`: of the read that Spark knows this thread by. `cache` is None where no results are kept."""

    reader: RevisionReader
    _: KW_ONLY
    sources: Callable[[], Mapping[str, Source]]
    connector: Callable[[Source], SourceConnector]
    lake: Callable[[Mapping[tuple[str, str], Pin]], SourceConnector]
    in_process: Callable[[], QueryExecutor]
    spark: Callable[[Mapping[RelationName, Pin]], QueryExecutor]
    engine: Callable[[], Engine]
    masked: Callable[[Pin, frozenset[str]], Pin]
    user: str
    hidden: PersonalColumns = field(default_factory=PersonalColumns)
    hidden_at: PersonalAt = lambda *commits: PersonalColumns()
    roles: Mapping[str, Collection[str]] = field(default_factory=dict)
    rules: LakeRules = field(default_factory=LakeRules)
    mask_key: Callable[[], bytes] = field(default=lambda: b"", repr=False)
    notify: Callable[[str], None] = lambda step: None
    running: RunningQuery = field(default_factory=RunningQuery)
    read_id: RunId | None = None
    cache: QueryCache | None = None
    virtual: Callable[[], Mapping[str, VirtualTable]] = dict  # by name; empty where the lake has that schema
    record: Callable[[AskedQuery], None] = lambda asked: None  # takes what was asked into the lineage graph
    seen: Callable[[str], SeenSource | None] = lambda name: None  # a source as it was when it was last looked at

    @property
    def subject(self) -> PolicySubject:
        return PolicySubject(self.user, self.roles)

    def last_seen(self, source: Source) -> SeenSource | None:
        """`source`: with its credentials, as it is declared."""
        return self.seen(seen_as(source, self.subject))


@dataclass(frozen=True, slots=True)
class QueryExplanation:
    """`plan` is None where only Spark can tell what is asked. `lineage`: of the columns of the result; None: nobody
    asked for it, or only Spark could tell. `unavailable`: sources that cannot be reached, and why; of these the plan
    has what was seen of them before, or what the query names."""

    executor: ExecutorName
    why: str
    plan: QueryPlan | None
    kinds: Mapping[str, LakeOrKind]
    _: KW_ONLY
    parameters: Mapping[str, object]
    rows_read: Mapping[str, int] | None = None
    cache: str | None = None
    lineage: tuple[OutputLineage, ...] | None = None
    unavailable: Mapping[str, ForgeError] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {} if self.cache is None else {"cache": self.cache}
        if self.lineage is not None:
            found["lineage"] = [one.to_dict() for one in self.lineage]
        if self.plan is None:
            return {"executor": {"name": self.executor, "why": self.why}, "sources": [], **found}
        return found | explain(
            self.plan,
            self.kinds,
            parameters=self.parameters,
            executor=self.executor,
            why_executor=self.why,
            rows_read=self.rows_read,
            unavailable={
                source: " ".join(filter(None, (f"{one.what}.", one.why))) for source, one in self.unavailable.items()
            },
        )

    def text(self) -> str:
        if self.plan is None:
            return f"Runs on Spark as it is written: {self.why}"
        text = "\n".join([explain_text(self.to_dict()), *lineage_lines(self.lineage or ())])
        return text if self.cache is None else f"{text}\nCache: {self.cache}"


def executor_choice(text: str, option: str) -> ExecutorChoice:
    for one in get_args(ExecutorChoice):
        if text == one:
            return one  # type: ignore[no-any-return]
    choices = ", ".join(get_args(ExecutorChoice))
    raise ForgeError("E105", f"There is no engine '{text}'", where=option, fix=f"Take one of {choices}.")


def commits_beside(reader: RevisionReader, sql: str) -> tuple[CommitId, ...]:
    """What the refs beside tables of the text mean now; none where it cannot be read, which `ask` says."""
    try:
        tables = [one for one in parse_query(sql, "query").tree.find_all(exp.Table) if ref_of(one)]
        found = reader.pins_beside((lake_table(resolve_relation(one, ())), ref_of(one)) for one in tables)
    except ForgeError:
        return ()
    return tuple(commit for _, commit in found.values())


def ask(ports: FederationPorts, request: QueryRequest, caller: QueryCaller) -> QueryAnswer:
    """The rows of a SELECT. Whatever happens, the audit knows who asked what of which relations."""
    names: list[RelationName] = []
    return audited(
        *(ports.reader.metadata, caller.clock, caller.name, caller.door, request.sql),
        lambda: names or _inputs(request.sql),
        lambda: _answer(ports, request, names),
        _audit_facts,
    )


def explain_query(ports: FederationPorts, request: QueryRequest, caller: QueryCaller) -> QueryExplanation:
    """How the query would be computed; nothing is read but what describes the relations. The audit knows of it, too:
    sources are connected to, and say how large they are."""
    names: list[RelationName] = []
    return audited(
        *(ports.reader.metadata, caller.clock, caller.name, caller.door, request.sql),
        lambda: names or _inputs(request.sql),
        lambda: _explained(ports, request, names),
        lambda found: {
            "sources": sources_of(found),
            "executor": found.executor,
            **({"unavailable": sorted(found.unavailable)} if found.unavailable else {}),
        },
        EXPLAINED,
    )


def _explained(ports: FederationPorts, request: QueryRequest, names: list[RelationName]) -> QueryExplanation:
    with open_query(ports, request, names) as query:
        query.unavailable = {}
        explained = replace(_planned(query), lineage=query.lineage, unavailable=query.unavailable)
        cache = ports.cache if request.cache else None
        return replace(explained, cache=look_up(cache, query.question, only_ask=True).state)


def describe_query(ports: FederationPorts, request: QueryRequest) -> QueryDescription:
    """What the query reads, as it is now; no row is read. E885 where one of its sources is not for who asks."""
    with open_query(ports, request, []) as query:
        return query.description()


def note_shared(log: AuditLog, sql: str, found: QueryAnswer | QueryExplanation, caller: QueryCaller) -> None:
    """The audit row of who was given what another request had asked for."""
    explained, tables = (found.explained, found.relations) if isinstance(found, QueryAnswer) else (found, ())
    facts: dict[str, object] = {"sources": sources_of(explained), "executor": explained.executor}
    facts |= {"rows": len(found.rows)} if isinstance(found, QueryAnswer) else {"asked": EXPLAINED}
    audited(
        *(log, caller.clock, caller.name, caller.door, sql),
        lambda: tables or _inputs(sql),
        lambda: facts,
        lambda facts: facts,
        SHARED,
    )


def sources_of(explained: QueryExplanation) -> list[str]:
    return sorted({one.source for one in explained.plan.fragments}) if explained.plan else [LAKE]


def read_asked(ports: FederationPorts, request: QueryRequest) -> AskedQuery:
    """What a query reads, and what its columns are made of; no row is read."""
    with open_query(ports, request, []) as query:
        found = query.lineage
        return replace(query.asked, lineage=lambda: found)


def _audit_facts(answer: QueryAnswer) -> dict[str, object]:
    sources = sources_of(answer.explained)
    found: dict[str, object] = {"rows": len(answer.rows), "sources": sources, "executor": answer.executor}
    found["cache"] = answer.cache
    found["bytes"] = _bytes_of(answer)
    if answer.cache == HIT or answer.explained.rows_read is not None:
        found["rows_read"] = sum(answer.rows_read.values())
    return found | {"ms": round(answer.seconds * 1000)}


def _bytes_of(answer: QueryAnswer) -> int:
    """Of its values: as Arrow holds them, or about so."""
    if answer.table is not None:
        return int(answer.table.nbytes)
    cells = (value for row in answer.rows for value in row)
    return sum(len(value) if isinstance(value, str | bytes) else 8 for value in cells)


def _answer(ports: FederationPorts, request: QueryRequest, names: list[RelationName]) -> QueryAnswer:
    """Rights are asked when the query is opened, before any kept result is looked for."""
    began = time.monotonic()
    timeout = checked_timeout(request.timeout, "timeout")
    with ends_after(ports.running, timeout), open_query(ports, request, names) as query:
        chosen = query.executor
        use = look_up(ports.cache if request.cache else None, query.question)
        if use.result is not None:
            answer = _kept(query, use.result)
        else:
            answer = _computed(query, *chosen)
            use = use.keep(_result(answer), time.monotonic() - began, query.version_now)
        seconds = time.monotonic() - began
        ports.record(query.asked)
        return replace(answer, seconds=seconds, cache=use.state, kept_until=use.kept_until, relations=tuple(names))


def _computed(query: OpenedQuery, executor: ExecutorName, why: str) -> QueryAnswer:
    ports = query.ports
    if executor == "in-process":
        try:
            return _run_plan(query, ports.in_process(), why)
        except UndecidedError as reason:
            if query.request.executor == "in-process":
                raise
            why = reason.why or reason.what
    ports.running.check()
    ports.notify("Starting Spark and asking")
    return _on_spark(query, why)


def _result(answer: QueryAnswer) -> KeptResult | None:
    if answer.table is None:
        return None
    return KeptResult(schema=answer.schema, table=answer.table, executor=answer.executor, why=answer.why)


def _planned(query: OpenedQuery) -> QueryExplanation:
    """As it would be computed, whether or not all of its sources can be reached now."""
    try:
        return _explanation(query, *query.executor)
    except (ForgeError, AssertionError):
        if not query.unavailable:
            raise
        raise next(iter(query.unavailable.values())) from None


def _explanation(
    query: OpenedQuery, executor: ExecutorName, why: str, rows_read: Mapping[str, int] | None = None
) -> QueryExplanation:
    parameters = query.request.parameters
    return QueryExplanation(executor, why, query.plan, query.kinds, parameters=parameters, rows_read=rows_read)


def _kept(query: OpenedQuery, result: KeptResult) -> QueryAnswer:
    return QueryAnswer(
        result.schema,
        rows_of(result.table),
        executor=result.executor,
        why=result.why,
        explained=_explanation(query, result.executor, result.why),
        table=result.table,
        masked=frozenset(query.masked),
    )


def _run_plan(query: OpenedQuery, executor: QueryExecutor, why: str) -> QueryAnswer:
    assert query.plan is not None, "without a plan Spark is given the text as it came"
    with query.ports.running.ends_with(executor.cancel):
        result = executor.run(query.plan, query.read, query.request.parameters, query.request.limit)
        query.ports.running.check()
    return QueryAnswer(
        result.schema,
        rows_of(result.table),
        executor=executor.name,
        why=why,
        explained=_explanation(query, executor.name, why, result.rows_read),
        table=result.table,
        masked=frozenset(query.masked),
        rows_read=result.rows_read,
    )


def _on_spark(query: OpenedQuery, why: str) -> QueryAnswer:
    if query.is_external or query.is_ruled:
        return _run_plan(query, query.ports.spark(query.expanded[1]), why)
    found = {lake_table(name): query.masked_pin(lake_table(name), pin) for name, pin in query.pins.items()}
    with _spark_read(query) as engine:
        schema, rows = engine.query(query.request.sql, found, query.request.parameters, query.request.limit)
        query.ports.running.check()
    masked = frozenset(column for table in found for column in query.hidden.of(table))
    return QueryAnswer(
        schema, rows, executor="spark", why=why, explained=_explanation(query, "spark", why), masked=masked
    )


@contextmanager
def _spark_read(query: OpenedQuery) -> Iterator[Engine]:
    """Spark, which ends the query where it is cancelled."""
    engine, read_id = query.ports.engine(), query.ports.read_id
    if read_id is None and query.request.timeout is None:
        yield engine
        return
    own = RunId(f"query-{uuid.uuid4().hex}")
    if read_id is None:
        engine.begin_read(own)
    try:
        with query.ports.running.ends_with(lambda: engine.cancel(read_id or own)):
            yield engine
    finally:
        if read_id is None:
            engine.end()


def _inputs(sql: str) -> Collection[TableName]:
    try:
        return inputs_of(sql, "query")
    except RecursionError as error:
        raise too_deep() from error


def distinct_names(names: tuple[str, ...]) -> list[str]:
    """Two columns of one name are both shown."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found


def rows_of(table: pa.Table) -> Rows:
    """As plain Python values, as Spark gives them: a time with a zone in the zone of this machine."""
    import pyarrow as pa

    from forge.versioning.arrow_types import python_values

    columns = []
    for column in table.columns:
        values = python_values(column)
        if pa.types.is_timestamp(column.type) and column.type.tz is not None:
            values = [one.astimezone().replace(tzinfo=None) if one is not None else None for one in values]  # type: ignore[attr-defined]
        columns.append(values)
    return tuple(zip(*columns, strict=True)) if columns else ((),) * int(table.num_rows)
