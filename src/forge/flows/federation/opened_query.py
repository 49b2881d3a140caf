"""One query that is opened: what it reads, what of that is for who asks, its plan, and who computes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlglot import exp

from forge.federation.credentials import asked_as, refuse_without
from forge.federation.expanded_size import refuse_exploding
from forge.federation.names import find_relations, ref_of
from forge.federation.planner import UnknownColumnError, plan_query
from forge.federation.relation import RelationName, SourceRelation
from forge.federation.rights import (
    Rights,
    has_rules,
    hidden_columns,
    refuse_others,
    refuse_reader,
    restricted,
    rights_of,
)
from forge.federation.row_limit import limit_rows, rows_enough
from forge.federation.source import LAKE, Source
from forge.federation.unknown_column import find_unknown_column, near_columns
from forge.federation.virtual.expansion import expand_virtual_tables, names_virtual
from forge.federation.virtual.fit import fit_virtual, masked_columns, output_types
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.federation.guarded_rows import first_rows, guard_rows, read_discreetly
from forge.flows.federation.kept_results import CachePolicy, CacheQuestion
from forge.flows.federation.lake_views import TwoVersionsError, expand_views, lake_name, lake_table
from forge.flows.federation.near_tables import near_tables
from forge.flows.federation.query_claims import AskedQuery
from forge.flows.federation.query_lineage import OutputLineage, lineage_of
from forge.flows.federation.unreachable import assumed_relation
from forge.flows.versioning.read import UnknownTableError
from forge.flows.versioning.tables import NeedsEngine
from forge.model.errors import ForgeError, SourceUnavailableError
from forge.model.name_suggestions import did_you_mean
from forge.transforms.sql_parse import ParsedQuery, parse_query

if TYPE_CHECKING:
    import pyarrow as pa

    from forge.federation.dialects.rules import LakeOrKind
    from forge.federation.plan import Fragment, QueryPlan
    from forge.federation.virtual_table import VirtualTable
    from forge.flows.federation.ports import ExecutorName, SourceConnector
    from forge.flows.federation.query import FederationPorts, QueryRequest
    from forge.flows.runs.pin import Pin
    from forge.model.names import CommitId, TableName

READ_ROWS, FEW_ROWS = 65_536, 1024  # of a batch; and of one where a few rows are enough
SMALL_ROWS = 3_000_000  # estimated to be read, in all; above that Spark computes
_ASKED_FOR = "it was asked for"


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


@contextmanager
def open_query(ports: FederationPorts, request: QueryRequest, names: list[RelationName]) -> Iterator[OpenedQuery]:
    """The query with its sources, which are closed at the end."""
    parsed = parse_query(request.sql, "query")
    with ExitStack() as closing:
        query = OpenedQuery(ports=ports, request=request, parsed=parsed, closing=closing)
        try:
            query.expand_virtual()
            refuse_exploding(query.parsed.tree)
            names += (one.relation for one in query.virtual)
            names += query.relations
            yield query
        except RecursionError as error:
            raise too_deep() from error


@dataclass(kw_only=True)
class OpenedQuery:
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
    def _declared(self) -> Mapping[str, Source]:
        return self.ports.sources()

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        return {name: asked_as(one, self.ports.subject) for name, one in self._declared.items()}

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
        try:
            return self._pins()
        except UnknownTableError as error:
            near = near_tables(error, self.ports, self._declared)
            raise error.but(why=near) from None

    def _pins(self) -> Mapping[RelationName, Pin]:
        if not self.is_external:
            found = self.ports.reader.pins(self.request.sql, self.request.at)
        else:
            plain = [lake_table(one) for one in self.relations if one.source == LAKE and not one.at]
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
        named = [(lake_table(one), one.at) for one in self.relations if one.at] if self.is_external else []
        return self.ports.reader.pins_beside(named)

    @cached_property
    def hidden(self) -> PersonalColumns:
        """What reads as NULL: personal at one of the commits that are read is personal in all of them."""
        commits = dict.fromkeys(commit for _, commit in self._pins_beside.values())
        if not commits:
            return self.ports.hidden
        return PersonalColumns(self.ports.hidden.keys | self.ports.hidden_at(*commits).keys)

    @cached_property
    def expanded(self) -> tuple[exp.Query, dict[RelationName, Pin]]:
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
        except (ForgeError, AssertionError) as error:
            if isinstance(error, UnknownColumnError):
                self._refuse_unknown_column()
            self.no_plan = "only Spark can tell what it means"
        return None

    def _refuse_unknown_column(self) -> None:
        """E108 where Spark would refuse it, too; no JVM is started to say so."""
        query, relations = self.parsed.tree, tuple(self.described.values())
        found = None if self.parsed.has_pipes else find_unknown_column(query, self.expanded[0], relations)
        if found is not None:
            near = near_columns(found.name, query, relations)
            raise UnknownColumnError(
                f"unknown column {found.name}", where=self.parsed.where(found.meta["start"]), fix=near
            )

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
        tree, _ = self.expanded
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
        names = find_relations(self.expanded[0], self.sources)
        found = {name: self._described_or_none(name) for name in names}
        reached = {name: one for name, one in found.items() if one is not None}
        if self.unavailable and not reached:  # there is no rest of a plan
            raise next(iter(self.unavailable.values()))
        return {name: one or self._assumed(name, reached.values()) for name, one in found.items()}

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
        seen = self.ports.last_seen(self._declared[name.source])
        found = assumed_relation(name, self.expanded[0], self.sources, reached, seen)
        return self._restricted(replace(found, hidden=hidden_columns(self.sources[name.source], found)))

    def description(self) -> QueryDescription:
        tree = self.expanded[0]
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
        found = connector.describe(lake_name(lake_table(name)).path if name.source == LAKE else name.path)
        if found is None:
            raise UnknownSourceTableError(
                "E887",
                f"There is no {'.'.join(name.path) or 'table without a name'} in {name.source}",
                where="query",
                why=did_you_mean(str(name), map(str, connector.relations())),
                fix=f"`forge source show {name.source}` lists what it has.",
            )
        if name.source == LAKE:
            hidden = self.hidden.of(lake_table(name))
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
        if source != LAKE:
            refuse_others(self.sources[source], relation, ports.subject)
        self.masked |= relation.hidden | {one.name.lower() for one in relation.columns if one.mask}
        return relation

    @property
    def lineage(self) -> tuple[OutputLineage, ...] | None:
        plan = self.plan
        if plan is None:
            return None
        return lineage_of(self.expanded[0], self.described, self.sources, plan.rest.named_selects)

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
                pins = {(one.path[0], one.path[1]): pin for one, pin in self.expanded[1].items() if one.at == name.at}
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
        tree, pins = self.expanded
        return CacheQuestion(
            tree=tree,
            plan=plan,
            relations=self.described,
            sources=self.sources,
            pins={name: pins[lake_name(lake_table(name), name.at)] for name in self.described if name.source == LAKE},
            parameters=self.request.parameters,
            asked=(self.request.limit, self.request.executor, self.request.pushdown, self.rights),
            policies=tuple(CachePolicy(one.name, one.cache_enabled, one.cache_ttl_seconds) for one in self.virtual),
        )

    def version_now(self, name: RelationName) -> str:
        found = self._connector(name).describe(name.path)
        return found.version if found else ""

    @cached_property
    def executor(self) -> tuple[ExecutorName, str]:
        """Who computes it, and why."""
        wanted, plan = self.request.executor, self.plan
        if wanted == "spark":
            return "spark", _ASKED_FOR
        refusal = self.no_plan if plan is None else self._only_spark(plan) or self.ports.in_process().refusal(plan)
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

    def _only_spark(self, plan: QueryPlan) -> str | None:
        """Why no other reads a source of the plan."""
        names = dict.fromkeys(one.source for one in plan.fragments if one.source != LAKE)
        only = [name for name in names if self.sources[name].connector.needs_spark]
        return f"only Spark reads {', '.join(only)}" if only else None

    def masked_pin(self, table: TableName, pin: Pin) -> Pin:
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


def too_deep() -> ForgeError:
    return ForgeError("E201", "The SQL is nested too deeply", where="query:1:1", fix="Ask for less in one query.")


def _masked_beside(view: TableName) -> ForgeError:
    """What hides columns of a view is Spark's reading of it, where no source is."""
    return ForgeError(
        "E891",
        f"{view} is not read beside a source",
        why="Some of its columns hold personal data, and which values of a source would meet them is not hidden.",
        fix="Ask the tables that it is made of.",
    )
