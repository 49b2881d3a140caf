"""Kept results of queries: which may be kept, under which key, until when, and as which bytes.

The key holds all that a result depends on: the plan, in which hidden columns read as NULL already, the values of
parameters, the snapshot of each table of the lake, what each source says of its state, and how it was declared, its
readers with it. Who may not read a source was refused before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from forge.federation.relation import RelationName, SourceRelation
from forge.federation.source import LAKE, Source
from forge.federation.volatile import find_volatile, says_a_day
from forge.model.errors import ForgeError
from forge.model.schema import Column, Schema
from forge.model.time import Clock

if TYPE_CHECKING:
    import pyarrow as pa

    from forge.federation.plan import Fragment, QueryPlan
    from forge.flows.federation.ports import ExecutorName
    from forge.flows.federation.result_cache import ResultCache
    from forge.flows.runs.pin import Pin

HIT, MISS, OFF = "hit", "miss", "off"
SLOW_SECONDS = 0.5  # from then on a result of the lake alone is worth its place
_FORM = 2  # of the bytes; another number is another key
_META = b"forge"
_AS_IT_CAME = "Spark computes the text as it came"
# Estimates, which change what is pushed and not what comes back; what a plan tells of itself; what is said elsewhere.
_NOT_ROWS = frozenset({"rows", "bytes", "scanned", "text", "decisions", "join_orders", "fragments"})
_VALUES = (bool, int, float, str, bytes, Decimal, date, datetime, type(None))


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryCache:
    """`project`: whose records and lake these are, and what else every result depends on. `login`: as whom a source is
    asked. `ttl_seconds`: nothing is kept longer."""

    store: ResultCache
    project: str
    login: Callable[[Source], str]
    clock: Clock
    max_entry_bytes: int
    ttl_seconds: float


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """What a virtual table says of results of it."""

    name: str
    enabled: bool
    ttl_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheQuestion:
    """`tree`: over tables alone. `asked`: limit, engine and what else was asked beside the text. `policies`: of the
    virtual tables that it reads."""

    tree: exp.Query
    plan: QueryPlan
    relations: Mapping[RelationName, SourceRelation]
    sources: Mapping[str, Source]
    pins: Mapping[RelationName, Pin]
    parameters: Mapping[str, object]
    asked: tuple[object, ...]
    policies: tuple[CachePolicy, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResult:
    """`until`: it is kept no longer; None before it is."""

    schema: Schema
    table: pa.Table
    executor: ExecutorName
    why: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheUse:
    """What one query has to do with the cache. `state`: "hit", "miss", "off (…)" or "not cacheable (…)". `kept_until`:
    its result is there for another query no longer than that; None: it is not kept."""

    state: str
    result: KeptResult | None = None
    cache: QueryCache | None = None
    question: CacheQuestion | None = None
    key: str = ""
    expires: datetime | None = None
    mark: int = 0
    kept_until: datetime | None = None

    def keep(self, result: KeptResult | None, seconds: float, version_now: Callable[[RelationName], str]) -> CacheUse:
        """Keeps what was computed, if no source has changed meanwhile. `result` is None where Spark computed the text
        as it came."""
        if self.state != MISS or self.cache is None or self.question is None or self.expires is None:
            return self
        why = _AS_IT_CAME if result is None else self._why_not_kept(result, seconds, self.question, self.cache)
        if result is None or why:
            return replace(self, state=_not_cacheable(why))
        try:
            for name, relation in self.question.relations.items():
                if name.source != LAKE and relation.version and version_now(name) != relation.version:
                    return replace(self, state=_not_cacheable(f"{name} changed while it was read"))
            body, tags = _bytes_of(replace(result, until=self.expires)), frozenset(_tags(self.question))
            is_kept = self.cache.store.put(self.key, body, tags=tags, expires=self.expires, mark=self.mark)
        except ForgeError as error:
            return replace(self, state=f"{OFF} ({error.what})")
        return replace(self, kept_until=self.expires if is_kept else None)

    def _why_not_kept(self, result: KeptResult, seconds: float, question: CacheQuestion, cache: QueryCache) -> str:
        if seconds < SLOW_SECONDS and all(name.source == LAKE for name in question.relations):
            return "the lake alone was asked, and it was quick"
        size = result.table.nbytes
        return f"its rows have {size:,} bytes" if size > cache.max_entry_bytes else ""


def look_up(cache: QueryCache | None, question: CacheQuestion | None, *, only_ask: bool = False) -> CacheUse:
    """`question` is None where Spark computes the text as it came. `only_ask`: whether there would be a hit."""
    if cache is None:
        return CacheUse(state=OFF)
    if question is None:
        return CacheUse(state=_not_cacheable(_AS_IT_CAME))
    why = _why_not(question)
    if why:
        return CacheUse(state=_not_cacheable(why))
    key = _key(cache, question)
    use = CacheUse(state=MISS, cache=cache, question=question, key=key, expires=_expires(cache, question))
    try:
        if only_ask:
            return replace(use, state=HIT) if cache.store.holds(key) else use
        look = cache.store.look(key)
        if look.body is None:
            return replace(use, mark=look.mark)
        result = _result_of(look.body)
        if result is None:
            cache.store.drop(key)
            return replace(use, mark=look.mark)
        return replace(use, state=HIT, result=result, kept_until=result.until)
    except ForgeError as error:
        return CacheUse(state=f"{OFF} ({error.what})")


def source_tag(source: str) -> str:
    return f"s:{source.lower()}"


def table_tag(source: str, table: str) -> str:
    """An empty `source`: of any."""
    return f"t:{source.lower()}:{table.lower()}"


def _tags(question: CacheQuestion) -> Iterator[str]:
    """`public.customers` is also found as `customers`."""
    for policy in question.policies:
        yield table_tag("", policy.name)
    for asked, relation in question.relations.items():
        yield source_tag(asked.source)
        for name in (asked, relation.name):
            for start in range(len(name.path)):
                table = ".".join(name.path[start:])
                yield table_tag(asked.source, table)
                yield table_tag("", table)


def _why_not(question: CacheQuestion) -> str | None:
    for policy in question.policies:
        if not policy.enabled:
            return f"{policy.name} says so"
    for tree in (question.tree, *_trees((question.plan, tuple(question.relations.values())))):
        found = find_volatile(tree)
        if found:
            return found
    for name, value in question.parameters.items():
        if type(value) not in _VALUES:
            return f"the parameter {name} is no plain value"
        if says_a_day(value):
            return f"the parameter {name} is another time later"
    for relation_name, relation in question.relations.items():
        source = relation_name.source
        if source != LAKE and not relation.version and not question.sources[source].cache_ttl_seconds:
            return f"{source} cannot tell when {relation_name} changes, and has no cache_ttl_seconds"
    return None


def _key(cache: QueryCache, question: CacheQuestion) -> str:
    plan = question.plan
    parts: list[object] = [_FORM, cache.project, question.asked, question.policies]
    parts += [(name, type(value).__name__, repr(value)) for name, value in sorted(question.parameters.items())]
    parts += [_described(plan), *map(_described, plan.fragments)]
    for name, relation in sorted(question.relations.items()):
        parts.append((str(name), _described(relation), _state(cache, question, name)))
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _state(cache: QueryCache, question: CacheQuestion, name: RelationName) -> object:
    """Of which rows a relation is read, and on whose behalf."""
    if name.source == LAKE:
        pin = question.pins[name]
        return (str(pin.catalog), pin.snapshot_id, pin.since)
    source = question.sources[name.source]
    return (_stable(source.keys), source.origin.value, cache.login(source))


def _described(record: QueryPlan | Fragment | SourceRelation) -> list[tuple[str, str]]:
    """Each of its fields, also those that are added to it one day."""
    return [(one.name, _stable(getattr(record, one.name))) for one in fields(record) if one.name not in _NOT_ROWS]


def _trees(value: object) -> Iterator[exp.Expr]:
    """All SQL in it: what is asked, and conditions on the rows that somebody may see."""
    if isinstance(value, exp.Expr):
        yield value
    elif is_dataclass(value):
        for one in fields(value):
            yield from _trees(getattr(value, one.name))
    elif isinstance(value, tuple):
        for part in value:
            yield from _trees(part)


def _stable(value: object) -> str:
    """The same text in each process: sets have no order of their own."""
    if isinstance(value, exp.Expr):
        return repr((value.sql("spark"), repr(value)))
    if isinstance(value, frozenset | set):
        return repr(sorted(map(repr, value)))
    if isinstance(value, Mapping):
        return repr(sorted((str(key), _stable(one)) for key, one in value.items()))
    return repr(value)


def _expires(cache: QueryCache, question: CacheQuestion) -> datetime:
    """Counted from before anything is read."""
    longest = [cache.ttl_seconds, *(one.ttl_seconds for one in question.policies)]
    for name, relation in question.relations.items():
        if name.source != LAKE and not relation.version:
            longest.append(question.sources[name.source].cache_ttl_seconds)
    return cache.clock() + timedelta(seconds=min(longest))


def _bytes_of(result: KeptResult) -> bytes:
    import pyarrow as pa

    columns = [(one.name, one.type, one.nullable, one.doc) for one in result.schema.columns]
    until = result.until.isoformat() if result.until else None
    meta = json.dumps({"columns": columns, "executor": result.executor, "why": result.why, "until": until})
    sink = pa.BufferOutputStream()
    schema = result.table.schema.with_metadata({_META: meta.encode()})
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_table(result.table.replace_schema_metadata(schema.metadata))
    return bytes(sink.getvalue().to_pybytes())


def _result_of(body: bytes) -> KeptResult | None:
    """None: it is not what this version wrote."""
    import pyarrow as pa

    try:
        with pa.ipc.open_stream(body) as reader:
            table = reader.read_all()
        meta = json.loads(table.schema.metadata[_META])
        schema = Schema(tuple(Column(name, type_, nullable, doc) for name, type_, nullable, doc in meta["columns"]))
        executor, why, until = meta["executor"], str(meta["why"]), datetime.fromisoformat(meta["until"])
    except (pa.ArrowException, KeyError, TypeError, ValueError):
        return None
    table = table.replace_schema_metadata(None)
    return KeptResult(schema=schema, table=table, executor=executor, why=why, until=until)


def _not_cacheable(why: str) -> str:
    return f"not cacheable ({why})"
