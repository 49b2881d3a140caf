"""Virtual tables: list, find, create, change, drop, test, and how their sources drift."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from forge.federation.drift import SeenSource, SourceChange, columns_seen, find_changes
from forge.federation.source import VIRTUAL, SourceOrigin
from forge.federation.virtual.expansion import ColumnRead, columns_read
from forge.federation.virtual.fit import find_misfits
from forge.federation.virtual.keys import find_name_clashes, read_virtual_table
from forge.federation.virtual.rights import has_rights
from forge.federation.virtual_table import DeclaredVirtualTable, VirtualTable
from forge.flows.federation.lake_views import rules_below
from forge.flows.federation.opened_query import QueryDescription
from forge.flows.federation.query import FederationPorts, QueryRequest, describe_query
from forge.flows.runs.records import AuditRecord
from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.time import Clock

if TYPE_CHECKING:
    from datetime import datetime

    from forge.flows.federation.ports import VirtualTables
    from forge.flows.federation.virtual_table_files import FileVirtualTables

_NOBODY = ""  # who is named nowhere
_LOOKED_AT = ("sources", "columns", "joins", "default_filters", "hidden")


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualTablePorts:
    """`federation`: queries as the actor may ask them. `schemas`: those of the lake, with where each is known from.
    `record`: takes a definition into the lineage graph, or out of it. `origin`: that of what is created."""

    declared: VirtualTables
    files: Callable[[], FileVirtualTables]
    schemas: Callable[[], Mapping[str, str]]
    federation: FederationPorts
    clock: Clock
    actor: str
    origin: SourceOrigin = SourceOrigin.COMMAND
    may_remember: bool = True
    record: Callable[[VirtualTable, bool], None] = lambda table, is_gone: None


@dataclass(frozen=True, slots=True)
class VirtualTableInventory:
    """`errors`: of files, and of tables whose name is taken."""

    tables: tuple[DeclaredVirtualTable, ...]
    errors: tuple[ForgeError, ...] = ()


@dataclass(frozen=True, slots=True)
class VirtualTableDrift:
    """`seen_at` is None where nobody had looked at its sources before. `changes`: of the columns that it reads."""

    virtual_table: str
    seen_at: datetime | None
    changes: tuple[SourceChange, ...]

    def to_dict(self) -> dict[str, object]:
        seen_at = self.seen_at.isoformat() if self.seen_at else None
        changes = [one.to_dict() for one in self.changes]
        return {"virtual_table": self.virtual_table, "seen_at": seen_at, "changes": changes}


def list_virtual_tables(ports: VirtualTablePorts) -> VirtualTableInventory:
    """By name. Files win over the store."""
    return gather_virtual_tables(ports.files(), ports.declared, ports.schemas)


def gather_virtual_tables(
    files: FileVirtualTables, declared: VirtualTables, schemas: Callable[[], Mapping[str, str]]
) -> VirtualTableInventory:
    every = [*(DeclaredVirtualTable(table=one) for one in files.tables), *declared.tables()]
    clashes = list(find_name_clashes([one.table for one in every], schemas() if every else {}))
    hidden = {id(table) for table, _ in clashes}
    kept = sorted((one for one in every if id(one.table) not in hidden), key=lambda one: one.name)
    return VirtualTableInventory(tuple(kept), (*files.errors, *(error for _, error in clashes)))


def find_virtual_table(name: str, ports: VirtualTablePorts) -> DeclaredVirtualTable:
    """E895 with the nearest names."""
    found = list_virtual_tables(ports)
    wanted = name.lower().removeprefix(f"{VIRTUAL}.")
    named = next((one for one in found.tables if one.name == wanted), None)
    if named is not None:
        return named
    wrong = next((error for error in found.errors if f"'{wanted}'" in error.what), None)
    raise ForgeError(
        "E895",
        f"There is no virtual table '{name}'",
        why=f"{wrong.what}. {wrong.why}" if wrong else None,
        fix=did_you_mean(wanted, (one.name for one in found.tables)) or "`forge vtable list` lists them.",
    )


def create_virtual_table(fields: Mapping[str, object], ports: VirtualTablePorts) -> DeclaredVirtualTable:
    """E894 with all that is wrong, E896 where the name is taken, E893 where its sources have not these columns; then
    nothing is written. Who creates it must have the right on each source."""
    table = read_virtual_table(fields, origin=ports.origin)
    others = [*ports.files().tables, *(one.table for one in ports.declared.tables())]
    raise_errors(error for one, error in find_name_clashes([*others, table], ports.schemas()) if one is table)
    looked = _looked_at(table, ports)
    table = _with_types(table, looked)
    now = ports.clock()
    made = DeclaredVirtualTable(
        table=table, version=1, created_at=now, created_by=ports.actor, updated_at=now, updated_by=ports.actor
    )
    if not ports.declared.apply(None, made, _note("create", made, ports)):
        raise ForgeError("E896", f"the name '{table.name}' is taken", why="Someone created it at the same time.")
    _keep(made.table, looked, ports)
    return made


def change_virtual_table(
    name: str, fields: Mapping[str, object], ports: VirtualTablePorts, *, version: int | None = None
) -> DeclaredVirtualTable:
    """What is not given stays; lists are replaced whole. `version`: that which the caller saw; E897 where it is not the
    newest."""
    before = _changeable(name, ports, version)
    definition = {key: value for key, value in {**before.table.definition, **fields}.items() if value is not None}
    after = read_virtual_table(definition, origin=before.table.origin)
    if after.name != before.name:
        fix = "Create another, and delete this one."
        raise ForgeError("E894", "a virtual table keeps its name", where="name", fix=fix)
    changed = sorted(key for key, value in after.definition.items() if value != before.table.definition[key])
    if not changed:
        return before
    looked = _looked_at(after, ports) if any(key in _LOOKED_AT for key in changed) else None
    after = _with_types(after, looked) if looked is not None else after
    made = replace(before, table=after, version=before.version + 1, updated_at=ports.clock(), updated_by=ports.actor)
    if not ports.declared.apply(before, made, _note("change", made, ports, changed)):
        raise _stale(before.name)
    if looked is not None:
        _keep(made.table, looked, ports)
    if "readers" in changed:
        _record(made.table, ports)
        record_lineage_again(ports, str(made.table.relation))
    return made


def drop_virtual_table(name: str, ports: VirtualTablePorts, *, version: int | None = None) -> DeclaredVirtualTable:
    """What its sources hold is not touched. Others that read it answer E108 from then on."""
    before = _changeable(name, ports, version)
    if not ports.declared.apply(before, None, _note("drop", before, ports)):
        raise _stale(before.name)
    ports.record(before.table, True)
    return before


def probe_virtual_table(name: str, ports: VirtualTablePorts) -> VirtualTableDrift:
    """Asks its sources whether they have what it reads, says what has changed, and remembers them as they are now.
    E893."""
    table = find_virtual_table(name, ports).table
    looked = _looked_at(table, ports)
    found = _drift(table, looked, ports)
    if ports.may_remember:
        _keep(table, looked, ports)
    return found


def find_virtual_table_drift(name: str, ports: VirtualTablePorts) -> VirtualTableDrift:
    """What is not as it was when it was created, changed or tested. What was never looked at is remembered now."""
    table = find_virtual_table(name, ports).table
    looked = describe_query(ports.federation, _all_of(table))
    found = _drift(table, looked, ports)
    if found.seen_at is None and ports.may_remember:
        _remember(table, looked, ports)
    return found


def record_lineage_again(ports: VirtualTablePorts, source: str | None = None) -> None:
    """After who may read a source or virtual table has changed: of what reads it. None: of what is not for everyone,
    whatever it reads; files change while nobody looks."""
    tables = ports.federation.virtual()
    is_open = _is_open(tables, ports)
    for table in tables.values():
        if source is None:
            if not is_open(table):
                ports.record(table, True)
        elif source in _sources_below(table, tables):
            _record(table, ports)


def _sources_below(table: VirtualTable, tables: Mapping[str, VirtualTable]) -> set[str]:
    waiting, seen, found = [table], {table.name}, set()
    while waiting:
        for each in waiting.pop().sources:
            if each.connector_id != VIRTUAL:
                found.add(each.connector_id)
            elif each.table_name in tables and each.table_name not in seen:
                seen.add(each.table_name)
                found.add(str(tables[each.table_name].relation))
                waiting.append(tables[each.table_name])
    return found


def record_file_tables(ports: VirtualTablePorts) -> int:
    """Takes the virtual tables of files into the lineage graph, as they are declared now; no source is asked. How many
    there are."""
    found = [one.table for one in list_virtual_tables(ports).tables if one.table.origin is SourceOrigin.FILE]
    for table in found:
        _record(table, ports)
    return len(found)


def _looked_at(table: VirtualTable, ports: VirtualTablePorts) -> QueryDescription:
    """E893, E881, E887 and the like, together, where it does not fit its sources; E885 first."""
    known = ports.federation.virtual()
    looking = replace(ports.federation, virtual=lambda: {**known, table.name: table})
    found = describe_query(looking, _all_of(table))
    raise_errors([*found.missing, *find_misfits(found.tree, found.relations, found.unknown)])
    return found


def _all_of(table: VirtualTable) -> QueryRequest:
    return QueryRequest(f"SELECT * FROM {VIRTUAL}.`{table.name}`")  # noqa: S608  letters, digits and underscores


def _with_types(table: VirtualTable, looked: QueryDescription) -> VirtualTable:
    """Types that nobody wrote are those of the sources now, so that drift of them shows."""
    types = looked.types_of(table)
    columns = tuple(replace(one, data_type=one.data_type or types.get(one.name.lower(), "")) for one in table.columns)
    return replace(table, columns=columns)


def _keep(table: VirtualTable, looked: QueryDescription, ports: VirtualTablePorts) -> None:
    _remember(table, looked, ports)
    _record(table, ports)


def _record(table: VirtualTable, ports: VirtualTablePorts) -> None:
    """The graph is for everyone: what is not for everyone to read is not in it."""
    tables = {**ports.federation.virtual(), table.name: table}
    ports.record(table, not _is_open(tables, ports)(table))


def _is_open(tables: Mapping[str, VirtualTable], ports: VirtualTablePorts) -> Callable[[VirtualTable], bool]:
    """Whether everyone may read one of them."""
    sources, rules = ports.federation.sources(), rules_below(ports.federation, tables.values())
    return lambda table: has_rights(table, tables, sources, _NOBODY, rules)


def _remember(table: VirtualTable, looked: QueryDescription, ports: VirtualTablePorts) -> None:
    ports.declared.remember(SeenSource(table.name, ports.clock(), _seen(looked)))


def _drift(table: VirtualTable, looked: QueryDescription, ports: VirtualTablePorts) -> VirtualTableDrift:
    seen = ports.declared.seen(table.name)
    if seen is None:
        return VirtualTableDrift(table.name, None, ())
    read = {str(one.relation) for one in _reads(looked)}
    before = {name: columns for name, columns in seen.tables.items() if name in read}
    return VirtualTableDrift(table.name, seen.seen_at, tuple(find_changes(before, _seen(looked, before))))


def _seen(looked: QueryDescription, only: Mapping[str, object] | None = None) -> dict[str, tuple[tuple[str, str], ...]]:
    """Of each relation that is read: the columns that are."""
    names: dict[str, set[str]] = {}
    for one in _reads(looked):
        names.setdefault(str(one.relation), set()).add(one.column.lower())
    found = {}
    for relation, described in looked.relations.items():
        text = str(relation)
        if text in names and (only is None or text in only):
            found[text] = tuple(one for one in columns_seen(described) if one[0].lower() in names[text])
    return found


def _reads(looked: QueryDescription) -> tuple[ColumnRead, ...]:
    return tuple(dict.fromkeys(columns_read(looked.tree)))


def _changeable(name: str, ports: VirtualTablePorts, version: int | None) -> DeclaredVirtualTable:
    """It is changed where it was declared; over HTTP only by who may read it, who could else let himself in."""
    before = find_virtual_table(name, ports)
    origin = before.table.origin
    if origin is SourceOrigin.FILE:
        raise ForgeError(
            "E898",
            f"The virtual table {before.name} is declared in a file",
            where=before.table.where,
            fix="Change the file.",
        )
    if ports.origin is SourceOrigin.HTTP:
        if origin is not SourceOrigin.HTTP:
            fix = f"Change it where it was made: forge vtable edit {before.name}"
            raise ForgeError("E898", f"The virtual table {before.name} was created by a command", fix=fix)
        before.table.refuse_reader(ports.actor)
    if version is not None and version != before.version:
        raise _stale(before.name)
    return before


def _stale(name: str) -> ForgeError:
    return ForgeError(
        "E897",
        f"The virtual table {name} has changed since it was read",
        why="Someone else wrote it meanwhile.",
        fix="Read it again, and change that version.",
    )


def _note(action: str, one: DeclaredVirtualTable, ports: VirtualTablePorts, changed: Sequence[str] = ()) -> AuditRecord:
    sources = sorted({str(each.relation) for each in one.table.sources})
    detail: dict[str, object] = {"origin": one.table.origin.value, "sources": sources}
    detail |= {"changed": list(changed)} if changed else {}
    return AuditRecord(ports.clock(), ports.actor, f"vtable.{action}", one.name, detail)
