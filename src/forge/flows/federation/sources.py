"""Declared sources: list, find, create, change, drop, test, describe, and how they drift."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from forge.federation.credentials import seen_as
from forge.federation.drift import SeenColumns, SeenSource, SourceChange, columns_seen, find_changes, path_text
from forge.federation.limits import SourceLimits, find_breaches
from forge.federation.object_path import is_object_path
from forge.federation.policy import PolicySubject
from forge.federation.rights import (
    hidden_columns,
    is_restricted,
    may_read,
    may_show_others,
    refuse_reader,
    restricted,
)
from forge.federation.source import DeclaredSource, Source, SourceOrigin
from forge.federation.source_keys import find_clashes, read_source
from forge.flows.federation.source_files import FileSources
from forge.flows.runs.records import AuditRecord
from forge.model.errors import CellError, ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean, did_you_mean_table
from forge.model.time import Clock

if TYPE_CHECKING:
    from datetime import datetime

    from forge.federation.relation import SourceRelation
    from forge.flows.federation.ports import DeclaredSources, ProposedColumns, SourceConnector

MOST_DESCRIBED = 500
"""So many tables of a source are looked at for its drift, beside those that are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePorts:
    """`schemas`: those of the lake, in small letters, with where each is known from. `open_connector`
    and `propose_columns` refuse what a source that was created over HTTP may not reach. `origin`: that of what is
    created; over HTTP, `limits` hold."""

    declared: DeclaredSources
    files: Callable[[], FileSources]
    schemas: Callable[[], Mapping[str, str]]
    open_connector: Callable[[Source], SourceConnector]
    propose_columns: Callable[[Source], ProposedColumns]
    clock: Clock
    actor: str
    roles: Mapping[str, Collection[str]] = field(default_factory=dict)
    origin: SourceOrigin = SourceOrigin.COMMAND
    limits: SourceLimits = field(default_factory=SourceLimits)
    forget: Callable[[str], None] = lambda source: None  # results of queries that are kept
    may_remember: bool = True  # a caller who may only read writes nothing, not even what was seen
    readers_changed: Callable[[str], None] = lambda source: None

    @property
    def subject(self) -> PolicySubject:
        return PolicySubject(self.actor, self.roles)


@dataclass(frozen=True, slots=True)
class SourceList:
    """`errors`: of files, and of sources that others hide."""

    sources: tuple[DeclaredSource, ...]
    errors: tuple[ForgeError, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceTest:
    """`answered`: what did. `tables` and `changes` are None for who may not read the source."""

    source: str
    answered: str
    tables: int | None
    changes: tuple[SourceChange, ...] | None

    def to_dict(self) -> dict[str, object]:
        changes = None if self.changes is None else [one.to_dict() for one in self.changes]
        return {"source": self.source, "answered": self.answered, "tables": self.tables, "changes": changes}


@dataclass(frozen=True, slots=True)
class SourceTables:
    """Tables by name, from the offset on; `total` of them there are."""

    source: str
    tables: tuple[SourceRelation, ...]
    total: int


@dataclass(frozen=True, slots=True)
class SourceDrift:
    """`seen_at` is None where the source was never looked at before; it is remembered now."""

    source: str
    seen_at: datetime | None
    changes: tuple[SourceChange, ...]

    def to_dict(self) -> dict[str, object]:
        seen_at = self.seen_at.isoformat() if self.seen_at else None
        return {"source": self.source, "seen_at": seen_at, "changes": [one.to_dict() for one in self.changes]}


def list_sources(ports: SourcePorts) -> SourceList:
    """By name. Files win over the store."""
    files = ports.files()
    every = [*(DeclaredSource(source=source) for source in files.sources), *ports.declared.sources()]
    clashes = list(find_clashes([one.source for one in every], ports.schemas() if every else {}))
    hidden = {id(source) for source, _ in clashes}
    kept = sorted((one for one in every if id(one.source) not in hidden), key=lambda one: one.name)
    return SourceList(tuple(kept), (*files.errors, *(error for _, error in clashes)))


def find_source(name: str, ports: SourcePorts) -> DeclaredSource:
    found = list_sources(ports)
    named = next((one for one in found.sources if one.name == name.lower()), None)
    if named is not None:
        return named
    wrong = next((error for error in found.errors if f"'{name.lower()}'" in error.what), None)
    raise ForgeError(
        "E881",
        f"There is no source '{name}'",
        why=f"{wrong.what}. {wrong.why}" if wrong else None,
        fix=did_you_mean(name, (one.name for one in found.sources)) or "`forge source list` lists them.",
    )


def create_source(fields: Mapping[str, object], ports: SourcePorts) -> DeclaredSource:
    """E880 with all that is wrong, E882 where the name is taken, E886 for what HTTP may not reach; then nothing is
    written."""
    source = read_source(fields, origin=ports.origin)
    _refuse_breaches(source, ports)
    others = [*ports.files().sources, *(one.source for one in ports.declared.sources())]
    raise_errors(error for one, error in find_clashes([*others, source], ports.schemas()) if one is source)
    now = ports.clock()
    made = DeclaredSource(
        source=source, version=1, created_at=now, created_by=ports.actor, updated_at=now, updated_by=ports.actor
    )
    if not ports.declared.apply(None, made, _note("create", made, ports)):
        raise ForgeError("E882", f"the name '{source.name}' is taken", why="Someone created it at the same time.")
    ports.readers_changed(made.name)
    return made


def change_source(
    name: str, fields: Mapping[str, object], ports: SourcePorts, *, version: int | None = None
) -> DeclaredSource:
    """What is not given stays; an empty value takes a key away. `version`: that which the caller saw; E883 where it is
    not the newest."""
    before = _changeable(name, ports, version)
    kept = {key: value for key, value in before.source.keys.items() if key != "path" or not fields.get("url")}
    given = {key: value for key, value in {**kept, **fields}.items() if value not in (None, "", [], {})}
    after = read_source(given, origin=before.source.origin)
    if after.name != before.name:
        fix = "Create another, and remove this one."
        raise ForgeError("E880", "a source keeps its name", where="name", fix=fix)
    _refuse_breaches(after, ports)
    if after == before.source:
        return before
    made = replace(before, source=after, version=before.version + 1, updated_at=ports.clock(), updated_by=ports.actor)
    changed = sorted(key for key in {**before.source.keys, **after.keys} if _differs(key, before.source, after))
    if not ports.declared.apply(before, made, _note("change", made, ports, changed)):
        raise _stale(before.name)
    ports.forget(before.name)
    if not {"readers", "credentials"}.isdisjoint(changed):
        ports.readers_changed(made.name)
    return made


def drop_source(name: str, ports: SourcePorts, *, version: int | None = None) -> DeclaredSource:
    before = _changeable(name, ports, version)
    if not ports.declared.apply(before, None, _note("drop", before, ports)):
        raise _stale(before.name)
    ports.forget(before.name)
    return before


def probe_source(name: str, ports: SourcePorts) -> SourceTest:
    """Connects, says what answered and what has changed since the columns were remembered, and remembers them anew."""
    source = find_source(name, ports).source
    with _opened(source, ports) as connector:
        answered = _answer_of(connector)
        if not may_read(source, ports.actor):
            return SourceTest(source.name, answered, None, None)
        seen = ports.declared.seen(seen_as(source, ports.subject))
        now = _look(connector, seen)
        total = len(connector.relations())
    changes = tuple(find_changes(seen.tables, now)) if seen else ()
    if ports.may_remember:
        ports.declared.remember(SeenSource(seen_as(source, ports.subject), ports.clock(), now))
        if changes:
            ports.forget(source.name)
    return SourceTest(source.name, answered, total, changes)


def _answer_of(connector: SourceConnector) -> str:
    """Of an API some records are read; which values they have is not told to whoever may test it."""
    try:
        return connector.test()
    except CellError as error:
        raise error.without_values() from None


def propose_columns(fields: Mapping[str, object], ports: SourcePorts) -> ProposedColumns:
    """What to write under `columns` of files that do not say them, by the first of them. `fields`: path, format and
    options of a source that is not declared yet. E880 for one of another kind, E886 for what HTTP may not reach."""
    placeholder = {"file": "string"}  # such a source needs columns, which are what is asked for
    given = {key: value for key, value in fields.items() if value is not None}
    source = read_source(
        {"name": "columns", "connector": "files", "columns": placeholder, **given}, origin=ports.origin
    )
    if source.format == "parquet":
        raise ForgeError("E880", "Parquet files say their columns themselves", where="format", fix="Leave them out.")
    if is_object_path(source.path):
        raise ForgeError("E880", "Columns are proposed of files of this machine", where="path", fix="Write them down.")
    _refuse_breaches(source, ports)
    return ports.propose_columns(source)


def describe_source(name: str, ports: SourcePorts, *, offset: int = 0, limit: int = MOST_DESCRIBED) -> SourceTables:
    """Its tables and their columns. What nobody looked at before is remembered."""
    source = find_source(name, ports).source
    refuse_reader(source, ports.actor)
    with _opened(source, ports) as connector:
        names = sorted(one.path for one in connector.relations())
        described = (connector.describe(path) for path in names[offset : offset + limit])
        tables = tuple(one for one in described if one is not None)
    _remember_new(source, tables, ports)
    return SourceTables(source.name, tuple(_masked(one, source, ports) for one in tables), len(names))


def describe_source_table(name: str, table: str, ports: SourcePorts) -> SourceRelation:
    """E887 with the nearest names."""
    source = find_source(name, ports).source
    refuse_reader(source, ports.actor)
    with _opened(source, ports) as connector:
        found = connector.describe(tuple(table.split(".")))
        names = [path_text(one.path) for one in connector.relations()] if found is None else []
    if found is None:
        raise ForgeError(
            "E887",
            f"The source {source.name} has no table '{table}'",
            fix=did_you_mean(table, names)
            or did_you_mean_table(table, names)
            or f"`forge source show {source.name}` lists them.",
        )
    _remember_new(source, (found,), ports)
    return _masked(found, source, ports)


def find_source_drift(name: str, ports: SourcePorts) -> SourceDrift:
    """What is not as it was when the columns were remembered. What was never looked at is remembered now."""
    source = find_source(name, ports).source
    refuse_reader(source, ports.actor)
    seen = ports.declared.seen(seen_as(source, ports.subject))
    with _opened(source, ports) as connector:
        now = _look(connector, seen)
    if seen is None:
        if ports.may_remember:
            ports.declared.remember(SeenSource(seen_as(source, ports.subject), ports.clock(), now))
        return SourceDrift(source.name, None, ())
    return SourceDrift(source.name, seen.seen_at, tuple(find_changes(seen.tables, now)))


@contextmanager
def _opened(source: Source, ports: SourcePorts) -> Iterator[SourceConnector]:
    connector = ports.open_connector(source)
    try:
        yield connector
    finally:
        connector.close()


def _look(connector: SourceConnector, seen: SeenSource | None) -> dict[str, SeenColumns]:
    known = seen.tables if seen else {}
    names = sorted(one.path for one in connector.relations())
    wanted = [path for index, path in enumerate(names) if index < MOST_DESCRIBED or path_text(path) in known]
    described = ((path, connector.describe(path)) for path in wanted)
    return {path_text(path): columns_seen(one) for path, one in described if one is not None}


def _remember_new(source: Source, tables: Sequence[SourceRelation], ports: SourcePorts) -> None:
    """What is remembered stays: else looking at a source would hide its drift."""
    seen = ports.declared.seen(seen_as(source, ports.subject))
    known = dict(seen.tables) if seen else {}
    new = {path_text(one.name.path): columns_seen(one) for one in tables}
    if not ports.may_remember or new.keys() <= known.keys():
        return
    at = seen.seen_at if seen else ports.clock()
    ports.declared.remember(SeenSource(seen_as(source, ports.subject), at, {**new, **known}))


def _masked(relation: SourceRelation, source: Source, ports: SourcePorts) -> SourceRelation:
    """Of what he may not query, its size would tell of rows that are not for him."""
    known = replace(relation, hidden=relation.hidden | hidden_columns(source, relation))
    found = restricted(known, source.masks, source.rows, ports.subject)
    return replace(found, rows=None, bytes=None) if may_show_others(source, found, ports.subject) else found


def _changeable(name: str, ports: SourcePorts, version: int | None) -> DeclaredSource:
    """A source is changed where it was declared; over HTTP only by who may read it, who could else let himself in."""
    before = find_source(name, ports)
    origin = before.source.origin
    if origin is SourceOrigin.FILE:
        raise ForgeError(
            "E884",
            f"The source {before.name} is declared in a file",
            where=before.source.where,
            fix="Change the file.",
        )
    if ports.origin is SourceOrigin.HTTP:
        if origin is not SourceOrigin.HTTP:
            fix = f"Change it where it was made: forge source edit {before.name}"
            raise ForgeError("E884", f"The source {before.name} was created by a command", fix=fix)
        refuse_reader(before.source, ports.actor)
        if is_restricted(before.source, ports.subject):
            raise ForgeError(
                "E885",
                f"You may not change the source {before.name}",
                why="It has a mask or a row filter for you, which you could take away.",
                fix="Ask whoever declared it.",
            )
    if version is not None and version != before.version:
        raise _stale(before.name)
    return before


def _refuse_breaches(source: Source, ports: SourcePorts) -> None:
    if source.origin is SourceOrigin.HTTP:
        raise_errors(find_breaches(source, ports.limits))


def _differs(key: str, before: Source, after: Source) -> bool:
    return before.keys.get(key) != after.keys.get(key)


def _stale(name: str) -> ForgeError:
    return ForgeError(
        "E883",
        f"The source {name} has changed since it was read",
        why="Someone else wrote it meanwhile.",
        fix="Read it again, and change that version.",
    )


def _note(action: str, one: DeclaredSource, ports: SourcePorts, changed: Sequence[str] = ()) -> AuditRecord:
    detail: dict[str, object] = {"origin": one.source.origin.value, "connector": one.source.connector.value}
    detail |= {"changed": list(changed)} if changed else {}
    return AuditRecord(ports.clock(), ports.actor, f"source.{action}", one.name, detail)
