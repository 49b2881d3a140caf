"""A query over the lake and the sources of a project: pinned, planned, computed by the engine that fits, and audited.

Small answers are computed in this process, large ones and what only Spark knows on Spark; both give the same rows. A
query of the lake alone that Spark computes is its text as it came, over pinned tables, through Spark's own gate."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

from sqlglot import exp

from forge.federation.credentials import asked_as, refuse_without
from forge.federation.expanded_size import refuse_exploding
from forge.federation.explain import explain, explain_text
from forge.federation.lake_rules import LakeRules
from forge.federation.names import find_relations, ref_of, resolve_relation
from forge.federation.planner import plan_query
from forge.federation.policy import PolicySubject
from forge.federation.relation import RelationName, SourceRelation
from forge.federation.rights import Rights, has_rules, hidden_columns, refuse_reader, restricted, rights_of
from forge.federation.row_limit import limit_rows, rows_enough
from forge.federation.source import LAKE, Source
from forge.federation.virtual.expansion import expand_virtual_tables, names_virtual
from forge.federation.virtual.fit import fit_virtual, masked_columns, output_types
from forge.flows.catalog.personal_data import PersonalAt, PersonalColumns
from forge.flows.federation.guarded_rows import first_rows, guard_rows, read_discreetly
from forge.flows.federation.kept_results import OFF, CachePolicy, CacheQuestion, KeptResult, look_up
from forge.flows.federation.lake_views import TwoVersionsError, expand_views, lake_name
from forge.flows.federation.ports import UndecidedError
from forge.flows.federation.query_claims import AskedQuery
from forge.flows.federation.query_lineage import OutputLineage, lineage_lines, lineage_of
from forge.flows.federation.running import RunningQuery, checked_timeout, ends_after
from forge.flows.federation.unreachable import assumed_relation
from forge.flows.runs.input_pins import inputs_of
from forge.flows.upkeep.query_audit import EXPLAINED, SHARED, audited
from forge.flows.versioning.tables import NeedsEngine
from forge.model.errors import ForgeError, SourceUnavailableError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import CommitId, RunId, TableName
from forge.transforms.sql_parse import ParsedQuery, parse_query

if TYPE_CHECKING:
    import pyarrow as pa

    from forge.federation.dialects.rules import LakeOrKind
    from forge.federation.drift import SeenSource
    from forge.federation.plan import Fragment, QueryPlan
    from forge.federation.virtual_table import VirtualTable
    from forge.flows.federation.kept_results import QueryCache
    from forge.flows.federation.ports import ExecutorName, QueryExecutor, SourceConnector
    from forge.flows.runs.engine import Engine
    from forge.flows.runs.pin import Pin
    from forge.flows.upkeep.query_audit import AuditLog
    from forge.flows.versioning.read import QueryCaller, RevisionReader
    from forge.model.schema import Schema

Rows = tuple[tuple[object, ...], ...]
ExecutorChoice = Literal["auto", "in-process", "spark"]
READ_ROWS, FEW_ROWS = 65_536, 1024  # of a batch; and of one where a few rows are enough
SMALL_ROWS = 3_000_000  # estimated to be read, in all; above that Spark computes
_ASKED_FOR = "it was asked for"


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
    """`why`: of the executor. `explained.plan` is None where Spark was given the text as it came. `table`: the same
    rows, where they came as Arrow. `masked`: columns, in small letters, of all relations read, that read as NULL.
    `cache`: "hit", "miss", or why neither; nothing was read for a hit. `relations`: as the query names them."""

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
    seen: Callable[[str], SeenSource | None] = lambda source: None  # a source as it was when it was last looked at

    @property
    def subject(self) -> PolicySubject:
        return PolicySubject(self.user, self.roles)


@dataclass(frozen=True, slots=True)
class QueryExplanation:
    """`plan` is None where Spark is given the text as it came. `lineage`: of the columns of the result; None: nobody
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
        found = reader.pins_beside((_table(resolve_relation(one, ())), ref_of(one)) for one in tables)
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
    with _opened(ports, request, names) as query:
        query.unavailable = {}
        explained = replace(query.planned(), lineage=query.lineage, unavailable=query.unavailable)
        cache = ports.cache if request.cache else None
        return replace(explained, cache=look_up(cache, query.question, only_ask=True).state)


class UnknownSourceTableError(ForgeError):
    """E887."""


@dataclass(frozen=True, slots=True)
class QueryDescription:
    """A query over what its virtual tables are made of. `missing`: tables that a source has not; `unknown` are they."""

    tree: exp.Query
    relations: Mapping[RelationName, SourceRelation]
    missing: tuple[ForgeError, ...] = ()
    unknown: frozenset[RelationName] = frozenset()

    def types_of(self, table: VirtualTable) -> Mapping[str, str]:
        return output_types(self.tree, self.relations, table.name)


def describe_query(ports: FederationPorts, request: QueryRequest) -> QueryDescription:
    """What the query reads, as it is now; no row is read. E885 where one of its sources is not for who asks."""
    with _opened(ports, request, []) as query:
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
    with _opened(ports, request, []) as query:
        found = query.lineage
        return replace(query.asked, lineage=lambda: found)


def _audit_facts(answer: QueryAnswer) -> dict[str, object]:
    sources = sources_of(answer.explained)
    found: dict[str, object] = {"rows": len(answer.rows), "sources": sources, "executor": answer.executor}
    found["cache"] = answer.cache
    found["bytes"] = _bytes_of(answer)
    return found | {"rows_read": sum(answer.rows_read.values()), "ms": round(answer.seconds * 1000)}


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
    with ends_after(ports.running, timeout), _opened(ports, request, names) as query:
        chosen = query.executor
        use = look_up(ports.cache if request.cache else None, query.question)
        if use.result is not None:
            answer, state = query.kept(use.result), use.state
        else:
            answer = _computed(query, *chosen)
            state = use.state
            if answer.table is not None:
                state = use.keep(_result(answer), time.monotonic() - began, query.version_now)
        seconds = time.monotonic() - began
        ports.record(query.asked)
        return replace(answer, seconds=seconds, cache=state, relations=tuple(names))


def _computed(query: _OpenQuery, executor: ExecutorName, why: str) -> QueryAnswer:
    ports = query.ports
    if executor == "in-process":
        try:
            return query.computed(ports.in_process(), why)
        except UndecidedError as reason:
            if query.request.executor == "in-process":
                raise
            why = reason.why or reason.what
    ports.running.check()
    ports.notify("Starting Spark and asking")
    return query.on_spark(why)


def _result(answer: QueryAnswer) -> KeptResult:
    return KeptResult(schema=answer.schema, table=answer.table, executor=answer.executor, why=answer.why)


@contextmanager
def _opened(ports: FederationPorts, request: QueryRequest, names: list[RelationName]) -> Iterator[_OpenQuery]:
    """The query with its sources, which are closed at the end."""
    parsed = parse_query(request.sql, "query")
    with ExitStack() as closing:
        query = _OpenQuery(ports=ports, request=request, parsed=parsed, closing=closing)
        try:
            query.expand_virtual()
            refuse_exploding(query.parsed.tree)
            names += (one.relation for one in query.virtual)
            names += query.relations
            yield query
        except RecursionError as error:
            raise _too_deep() from error


@dataclass(kw_only=True)
class _OpenQuery:
    """What is found out about one query, each thing when it is first needed."""

    ports: FederationPorts
    request: QueryRequest
    parsed: ParsedQuery
    closing: ExitStack
    no_plan: str = ""  # why Spark is given the text as it came
    masked: set[str] = field(default_factory=set)
    virtual: tuple[VirtualTable, ...] = ()  # that it reads; `parsed` has what they are made of
    unavailable: dict[str, ForgeError] | None = None  # sources that cannot be reached; None: such a one is an error
    _connectors: dict[tuple[str, str], SourceConnector] = field(default_factory=dict)

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        return {name: asked_as(one, self.ports.subject) for name, one in self.ports.sources().items()}

    @cached_property
    def kinds(self) -> Mapping[str, LakeOrKind]:
        return {LAKE: "lake", **{name: source.connector for name, source in self.sources.items()}}

    def expand_virtual(self) -> None:
        known = self.ports.virtual() if names_virtual(self.parsed.tree) else {}
        if known:
            found = expand_virtual_tables(self.parsed.tree, known, self.sources, self.ports.user)
            self.parsed, self.virtual = replace(self.parsed, tree=found.tree), found.tables

    @cached_property
    def is_external(self) -> bool:
        """Whether the text as it came is nothing for Spark, which knows no sources, virtual tables and branches."""
        if self.virtual or any(ref_of(table) for table in self.parsed.tree.find_all(exp.Table)):
            return True
        known = {name.lower() for name in self.sources}
        ctes = {cte.alias.lower() for cte in self.parsed.tree.find_all(exp.CTE)}
        tables = [[part.name.lower() for part in table.parts] for table in self.parsed.tree.find_all(exp.Table)]
        return any(parts[0] in known and (len(parts) > 1 or parts[0] not in ctes) for parts in tables)

    @cached_property
    def relations(self) -> tuple[RelationName, ...]:
        """As the query names them. Who may not read one of their sources is refused before anything else is said."""
        if not self.is_external:
            return tuple(self.pins)
        found = find_relations(self.parsed.tree, self.sources)
        for name in dict.fromkeys(one.source for one in found if one.source != LAKE):
            refuse_reader(self.sources[name], self.ports.user)
            refuse_without(self.sources[name])
        return found

    @cached_property
    def pins(self) -> Mapping[RelationName, Pin]:
        """Tables and views of the lake, by their names in small letters."""
        if not self.is_external:
            found = self.ports.reader.pins(self.request.sql, self.request.at)
        else:
            plain = [_table(one) for one in self.relations if one.source == LAKE and not one.at]
            found = self.ports.reader.pins_of(plain, self.request.at)
        beside = {lake_name(table, at): pin for (table, at), (pin, _) in self._pins_beside.items()}
        for pin in (*found.values(), *beside.values()):
            self._refuse_reader(pin)
        return {lake_name(table): pin for table, pin in found.items()} | beside

    def _refuse_reader(self, pin: Pin) -> None:
        """Of the table, and of those below a view."""
        self.ports.rules.refuse_reader(str(pin.table), self.ports.user)
        for one in pin.view_inputs:
            self._refuse_reader(one)

    @cached_property
    def _pins_beside(self) -> Mapping[tuple[TableName, str], tuple[Pin, CommitId]]:
        """Of tables at a branch, tag, commit or time of their own."""
        named = [(_table(one), one.at) for one in self.relations if one.at] if self.is_external else []
        return self.ports.reader.pins_beside(named)

    @cached_property
    def hidden(self) -> PersonalColumns:
        """What reads as NULL: personal at one of the commits that are read is personal in all of them."""
        commits = dict.fromkeys(commit for _, commit in self._pins_beside.values())
        if not commits:
            return self.ports.hidden
        return PersonalColumns(self.ports.hidden.keys | self.ports.hidden_at(*commits).keys)

    @cached_property
    def _expanded(self) -> tuple[exp.Query, dict[RelationName, Pin]]:
        """The query over tables alone, and their pins."""
        tree = self.parsed.tree
        assert isinstance(tree, exp.Query), "VALUES alone is not planned"
        return expand_views(tree, self.pins)

    @cached_property
    def plan(self) -> QueryPlan | None:
        """None where the lake alone is asked and only Spark can read it, or understands what is asked."""
        hidden = (pin.table for pin in self.pins.values() if pin.view_sql is not None and self._is_masked(pin))
        view = next(hidden, None)
        if self.is_external:
            if view is not None:
                raise _masked_beside(view)
            return self._planned()
        if self.is_ruled:
            return self._planned_with_rules(view)
        if view is not None:
            self.no_plan = "columns of a view, or of a table below it, are hidden"
            return None
        try:
            return self._planned()
        except (NeedsEngine, TwoVersionsError) as reason:
            self.no_plan = str(reason)
        except (ForgeError, AssertionError):
            self.no_plan = "only Spark can tell what it means"
        return None

    @cached_property
    def is_ruled(self) -> bool:
        """Whether a table of the lake has a mask or row filter for who asks."""
        return any(self._has_rules(pin) for pin in self.pins.values())

    def _has_rules(self, pin: Pin) -> bool:
        """It, or a table below it. E892 for a rule of a view."""
        rules, subject = self.ports.rules, self.ports.subject
        is_own = has_rules((pin.table.schema, pin.table.name), rules.masks, rules.rows, subject)
        if is_own and pin.view_sql is not None:
            what = f"{pin.table} is a view, and has a mask or row filter for you"
            raise ForgeError("E892", what, why="Rules are of tables.", fix="Ask the tables that it is made of.")
        return any([is_own, *(self._has_rules(one) for one in pin.view_inputs)])

    def _planned_with_rules(self, view: TableName | None) -> QueryPlan:
        """Rules hold where rows are read: a text that Spark is given as it came would go around them."""
        try:
            if view is None:
                return self._planned()
            why = "Columns of a view that it reads are hidden."
        except (NeedsEngine, TwoVersionsError, AssertionError) as reason:
            why = str(reason)
        raise ForgeError(
            "E892",
            "This query is not computed with the mask or row filter that a table has for you",
            why=why or "Only Spark can tell what it means.",
            fix="Ask the tables one by one.",
        )

    def _is_masked(self, pin: Pin) -> bool:
        """Which of them shows through a view, Spark's reading of it decides."""
        return bool(self.hidden.of(pin.table)) or any(map(self._is_masked, pin.view_inputs))

    def _planned(self) -> QueryPlan:
        tree, _ = self._expanded
        if self.virtual:
            self.masked |= masked_columns(tree, self.described)
            tree = fit_virtual(tree, self.described)
        return plan_query(
            limit_rows(tree, self.request.limit),
            self.described,
            self.kinds,
            sources=tuple(self.sources),
            pushdown=self.request.pushdown,
            parameters=self.request.parameters,
        )

    @cached_property
    def described(self) -> Mapping[RelationName, SourceRelation]:
        names = find_relations(self._expanded[0], self.sources)
        found = {name: self._described_or_none(name) for name in names}
        reached = {name: one for name, one in found.items() if one is not None}
        if self.unavailable and not reached:  # there is no rest of a plan
            raise next(iter(self.unavailable.values()))
        return {name: one or self._assumed(name, reached.values()) for name, one in found.items()}

    def planned(self) -> QueryExplanation:
        """As it would be computed, whether or not all of its sources can be reached now."""
        try:
            return self.explained(*self.executor)
        except (ForgeError, AssertionError):
            if not self.unavailable:
                raise
            raise next(iter(self.unavailable.values())) from None

    def _described_or_none(self, name: RelationName) -> SourceRelation | None:
        try:
            if self.unavailable is not None and name.source in self.unavailable:
                return None  # a server that does not answer is not waited for twice
            return self._describe(name)
        except SourceUnavailableError as error:
            if self.unavailable is None or name.source == LAKE:
                raise
            self.unavailable[name.source] = error
            return None

    def _assumed(self, name: RelationName, reached: Iterable[SourceRelation]) -> SourceRelation:
        found = assumed_relation(name, self._expanded[0], self.sources, reached, self.ports.seen(name.source))
        return self._restricted(replace(found, hidden=hidden_columns(self.sources[name.source], found)))

    def description(self) -> QueryDescription:
        tree = self._expanded[0]
        missing: dict[RelationName, ForgeError] = {}
        found: dict[RelationName, SourceRelation] = {}
        for name in find_relations(tree, self.sources):
            try:
                found[name] = self._describe(name)
            except UnknownSourceTableError as error:
                missing[name] = error
        return QueryDescription(tree, found, tuple(missing.values()), frozenset(missing))

    def _describe(self, name: RelationName) -> SourceRelation:
        connector = self._connector(name)
        found = connector.describe(lake_name(_table(name)).path if name.source == LAKE else name.path)
        if found is None:
            raise UnknownSourceTableError(
                "E887",
                f"There is no {'.'.join(name.path) or 'table without a name'} in {name.source}",
                where="query",
                why=did_you_mean(str(name), map(str, connector.relations())),
                fix=f"`forge source show {name.source}` lists what it has.",
            )
        if name.source == LAKE:
            hidden = self.hidden.of(_table(name))
            found = replace(found, name=replace(found.name, at=name.at))
        else:
            hidden = hidden_columns(self.sources[name.source], found)
        return self._restricted(replace(found, hidden=hidden))

    def _restricted(self, found: SourceRelation) -> SourceRelation:
        """As it is for who asks."""
        ports, source = self.ports, found.name.source
        masks, rows = ports.rules.masks, ports.rules.rows
        if source != LAKE:
            masks, rows = self.sources[source].masks, self.sources[source].rows
        relation = restricted(found, masks, rows, ports.subject)
        self.masked |= relation.hidden | {one.name.lower() for one in relation.columns if one.mask}
        return relation

    @property
    def lineage(self) -> tuple[OutputLineage, ...] | None:
        plan = self.plan
        if plan is None:
            return None
        return lineage_of(self._expanded[0], self.described, self.sources, plan.rest.named_selects)

    @property
    def asked(self) -> AskedQuery:
        """For the lineage graph, of relations alone that are there."""
        relations = tuple(self.described) if self.plan is not None else self.relations
        return AskedQuery(
            sql=self.request.sql,
            user=self.ports.user,
            relations=tuple(dict.fromkeys((*relations, *(one.relation for one in self.virtual)))),
            is_open=self._is_open,
            lineage=lambda: self.lineage,
        )

    @property
    def _is_open(self) -> bool:
        """Whether none of what it reads names its readers."""
        readers = self.ports.rules.readers
        read = [str(table) for table in self._read(self.pins.values())]
        if any(one.readers for one in self.virtual) or any(table in readers for table in read):
            return False
        return not any(self.sources[name.source].readers for name in self.relations if name.source != LAKE)

    def _read(self, pins: Iterable[Pin]) -> Iterator[TableName]:
        for pin in pins:
            yield pin.table
            yield from self._read(pin.view_inputs)

    @cached_property
    def rights(self) -> Rights | None:
        """What of all its relations is for who asks; None where Spark is given the text as it came."""
        return rights_of(self.described.values(), self.ports.mask_key) if self.plan is not None else None

    def _connector(self, name: RelationName) -> SourceConnector:
        """Of the lake one for each branch, commit or time, in which a table is there once."""
        place = (name.source, name.at)
        if place not in self._connectors:
            if name.source == LAKE:
                pins = {(one.path[0], one.path[1]): pin for one, pin in self._expanded[1].items() if one.at == name.at}
                opened = self.ports.lake(pins)
            else:
                opened = self.ports.connector(self.sources[name.source])
            self.closing.callback(opened.close)
            self.closing.enter_context(self.ports.running.ends_with(opened.cancel))
            self._connectors[place] = opened
        return self._connectors[place]

    @property
    def question(self) -> CacheQuestion | None:
        """All that its result depends on."""
        plan = self.plan
        if plan is None:
            return None
        tree, pins = self._expanded
        return CacheQuestion(
            tree=tree,
            plan=plan,
            relations=self.described,
            sources=self.sources,
            pins={name: pins[lake_name(_table(name), name.at)] for name in self.described if name.source == LAKE},
            parameters=self.request.parameters,
            asked=(self.request.limit, self.request.executor, self.request.pushdown, self.rights),
            policies=tuple(CachePolicy(one.name, one.cache_enabled, one.cache_ttl_seconds) for one in self.virtual),
        )

    def version_now(self, name: RelationName) -> str:
        found = self._connector(name).describe(name.path)
        return found.version if found else ""

    def kept(self, result: KeptResult) -> QueryAnswer:
        return QueryAnswer(
            result.schema,
            rows_of(result.table),
            executor=result.executor,
            why=result.why,
            explained=self.explained(result.executor, result.why),
            table=result.table,
            masked=frozenset(self.masked),
        )

    @cached_property
    def executor(self) -> tuple[ExecutorName, str]:
        """Who computes it, and why."""
        wanted, plan = self.request.executor, self.plan
        if wanted == "spark":
            return "spark", _ASKED_FOR
        refusal = self.no_plan if plan is None else self.ports.in_process().refusal(plan)
        if wanted == "in-process":
            if refusal:
                raise ForgeError(
                    "E890",
                    "This needs Spark",
                    why=f"{refusal}.",
                    fix="Leave --engine out, or take --engine spark.",
                )
            return "in-process", _ASKED_FOR
        if refusal:
            return "spark", refusal
        assert plan is not None, "without a plan there is a refusal"
        return _by_size(plan)

    def computed(self, executor: QueryExecutor, why: str) -> QueryAnswer:
        assert self.plan is not None, "without a plan Spark is given the text as it came"
        with self.ports.running.ends_with(executor.cancel):
            result = executor.run(self.plan, self.read, self.request.parameters, self.request.limit)
            self.ports.running.check()
        return QueryAnswer(
            result.schema,
            rows_of(result.table),
            executor=executor.name,
            why=why,
            explained=self.explained(executor.name, why, result.rows_read),
            table=result.table,
            masked=frozenset(self.masked),
            rows_read=result.rows_read,
        )

    def explained(
        self, executor: ExecutorName, why: str, rows_read: Mapping[str, int] | None = None
    ) -> QueryExplanation:
        parameters = self.request.parameters
        return QueryExplanation(executor, why, self.plan, self.kinds, parameters=parameters, rows_read=rows_read)

    def on_spark(self, why: str) -> QueryAnswer:
        if self.is_external or self.is_ruled:
            return self.computed(self.ports.spark(self._expanded[1]), why)
        found = {_table(name): self._masked(_table(name), pin) for name, pin in self.pins.items()}
        with self._spark_read() as engine:
            schema, rows = engine.query(self.request.sql, found, self.request.parameters, self.request.limit)
            self.ports.running.check()
        explained = QueryExplanation("spark", why, None, self.kinds, parameters=self.request.parameters)
        masked = frozenset(column for table in found for column in self.hidden.of(table))
        return QueryAnswer(schema, rows, executor="spark", why=why, explained=explained, masked=masked)

    @contextmanager
    def _spark_read(self) -> Iterator[Engine]:
        """Spark, which ends the query where it is cancelled."""
        engine, read_id = self.ports.engine(), self.ports.read_id
        if read_id is None and self.request.timeout is None:
            yield engine
            return
        own = RunId(f"query-{uuid.uuid4().hex}")
        if read_id is None:
            engine.begin_read(own)
        try:
            with self.ports.running.ends_with(lambda: engine.cancel(read_id or own)):
                yield engine
        finally:
            if read_id is None:
                engine.end()

    def _masked(self, table: TableName, pin: Pin) -> Pin:
        hidden = self.hidden.of(table)
        return self.ports.masked(pin, hidden) if hidden else pin

    def read(
        self, fragment: Fragment, keys: Mapping[str, tuple[object, ...]] = MappingProxyType({})
    ) -> pa.RecordBatchReader:
        import pyarrow as pa

        from forge.federation.dialects.render import render
        from forge.versioning.arrow_types import arrow_type

        self.ports.running.check()
        asked = render(fragment, self.kinds[fragment.source], self.request.parameters, keys)
        schema = pa.schema([(one.name, arrow_type(one.type)) for one in fragment.read_columns])
        connector = self._connector(fragment.relations[0])
        enough = rows_enough(self.plan) if self.plan is not None else None
        batch = READ_ROWS if enough is None else max(FEW_ROWS, min(enough, READ_ROWS))
        if any(one.is_restricted for one in self.described.values() if one.name.source == fragment.source):
            rows = read_discreetly(lambda: connector.read(asked, schema, batch), schema)
        else:
            rows = connector.read(asked, schema, batch)
        if fragment.guard is None:
            return rows
        guarded = guard_rows(rows, fragment, self.ports.mask_key)
        return guarded if enough is None else first_rows(guarded, enough)


def _by_size(plan: QueryPlan) -> tuple[ExecutorName, str]:
    """What nobody knows the size of does not make a query large, and is named."""
    rows = sum(one.rows or 0 for one in plan.fragments)
    if rows > SMALL_ROWS:
        if any(one.guard for one in plan.fragments):
            return "spark", "many rows are read"
        return "spark", f"about {rows:,} rows are read, more than {SMALL_ROWS:,}"
    unknown = dict.fromkeys(str(name) for one in plan.fragments if one.rows is None for name in one.relations)
    if unknown:
        return "in-process", f"it is small as far as is known; how many rows {', '.join(unknown)} gives is unknown"
    return "in-process", "it is small"


def _inputs(sql: str) -> Collection[TableName]:
    try:
        return inputs_of(sql, "query")
    except RecursionError as error:
        raise _too_deep() from error


def _too_deep() -> ForgeError:
    return ForgeError("E201", "The SQL is nested too deeply", where="query:1:1", fix="Ask for less in one query.")


def _masked_beside(view: TableName) -> ForgeError:
    """What hides columns of a view is Spark's reading of it, where no source is."""
    return ForgeError(
        "E891",
        f"{view} is not read beside a source",
        why="Some of its columns hold personal data, and which values of a source would meet them is not hidden.",
        fix="Ask the tables that it is made of.",
    )


def _table(name: RelationName) -> TableName:
    return TableName(name.path[0].lower(), name.path[-1].lower())


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
