"""The state of the program under analysis, and the services that library models use."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from forge.lineage.edge import Transformation
from forge.lineage.extract.paths import plain_path
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.python.holes import fill_holes, tables_in
from forge.lineage.extract.python.library import Call, Libraries
from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.settings import name_with_settings
from forge.lineage.extract.python.values import AbstractValue, DictOf, Frame, Instance, ListOf, Text, what_is
from forge.lineage.extract.relation import Relation, RelationColumn, relation_of, stacked_by_name
from forge.lineage.extract.sql.session import SqlSession
from forge.lineage.extract.sql.statements.fallback import scan_tables
from forge.lineage.extract.value import ColumnValue, stronger
from forge.model.names import ColumnName

Mutable = Frame | ListOf | DictOf | Instance | NameScope
State = tuple[object, ...]
Changes = dict[int, tuple[Mutable, State]]


class Evaluator(Protocol):
    """The part of the interpreter that a model may use."""

    def call(self, function: AbstractValue, call: Call) -> AbstractValue: ...
    def member(self, thing: AbstractValue, name: str, call: Call) -> AbstractValue: ...
    def operate(self, sign: str, left: AbstractValue, right: AbstractValue, call: Call) -> AbstractValue: ...


@dataclass(eq=False, kw_only=True)
class World:
    """For models:

    - `call(function, args, at)`            the result of a function of the program (also a lambda)
    - `gap(call, reason)`                   something that cannot be followed
    - `read_table / read_path / read_sql`   a relation by name, by path, by SQL text
    - `write_table / write_path`            writes a frame's relation to a table or file
    - `lost(call, label)`                   an unknown relation, after a gap was reported
    - `made_here(columns)`                  rows without a source: literals in the program
    - `update(frame, relation)`             changes a frame in place
    - `here()`                              the SQL session, for everything else (`expression`, `define_view`)
    - `settings`                            state of a model for the whole program"""

    session: SqlSession
    libraries: Libraries
    file: str = ""
    doubt: int = 0  # how many branches deep, that may not be taken
    caller: Evaluator | None = None
    scope: NameScope | None = None  # of the statement at hand
    files: Mapping[str, str] = field(default_factory=dict)  # all of the codebase
    origin: dict[int, tuple[ColumnValue, ColumnValue]] = field(default_factory=dict)
    journal: list[Changes] = field(default_factory=list)
    settings: dict[str, object] = field(default_factory=dict)
    _reads: dict[str, frozenset[str]] = field(default_factory=dict)
    _values: dict[str, Mapping[str, ColumnValue]] = field(default_factory=dict)
    _open: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _losses: dict[str, str] = field(default_factory=dict)
    _behind: dict[ColumnName, frozenset[tuple[ColumnName, Transformation]]] = field(default_factory=dict)
    _looking: set[ColumnName] = field(default_factory=set)

    def call(
        self,
        function: AbstractValue,
        args: Sequence[AbstractValue],
        at: Call,
        named: Mapping[str, AbstractValue] | None = None,
    ) -> AbstractValue:
        assert self.caller is not None
        return self.caller.call(
            function, Call(name=at.name, line=at.line, args=tuple(args), named=named or {}, on=None, node=at.node)
        )

    def gap(self, call: Call | int, reason: str) -> None:
        self.here().gap(call if isinstance(call, int) else call.line, reason)

    def here(self) -> SqlSession:
        """The SQL session at the current line, conditional in a branch."""
        session = self.session
        session.file, session.offset, session.statement = self.file, 0, ""
        session.maybe, session.in_branch = False, self.doubt > 0
        return session

    # Reading

    def read_table(self, call: Call, name: AbstractValue | None) -> Relation:
        known = self.name(call, name, "table")
        known = known.removeprefix("LIVE.") if known is not None else None  # a table of the same pipeline
        return self.lost(call, "table") if known is None else self.here().read_table(known, call.line)

    def read_path(self, call: Call, path: AbstractValue | None, columns: Sequence[str] | None = None) -> Relation:
        """`columns`: as the program says they are; else those the catalog knows, if any. A list of paths: all."""
        if isinstance(path, ListOf) and path.items and not path.open:
            parts = [self.read_path(call, one, columns) for one in path.items]
            return parts[0] if len(parts) == 1 else stacked_by_name(parts)
        known = self.name(call, path, "path")
        if known is None:
            return self.lost(call, "path") if columns is None else self.made_here(columns)
        known = plain_path(known)
        meant = self.here().find((known,))
        if columns is None and meant.definition is not None:
            columns = meant.definition.names
        return relation_of(known if meant.definition is None else meant.name, columns)

    def read_sql(
        self, call: Call, query: AbstractValue | None, frames: Mapping[str, Relation] | None = None
    ) -> Relation | None:
        """Runs SQL text: what it writes is noted; the relation is that of its last SELECT, if there is one."""
        if not isinstance(query, Text):
            self.gap(call, f"the SQL is not known: it is {what_is(query)}")
            return None
        if query.known is not None:
            return self.here().run(query.known, call.line, frames=frames or {})
        filled = fill_holes(query, self.session.dialect)
        if filled.refused:
            self.gap(call, filled.refused)
            return self._only_tables(call, filled.text)
        readable = dict(frames or {})
        for name, shown in (filled.tables or {}).items():
            self.gap(call, f"the table {shown} is not known: it depends on {', '.join(dict.fromkeys(query.holes))}")
            readable[name] = self.lost(call, name)
        for reason in filled.notes:
            self.gap(call, reason)
        return self.here().run(filled.text, call.line, frames=readable)

    def _only_tables(self, call: Call, text: str) -> Relation | None:
        """Of SQL of which a part is missing: the tables it reads and writes."""
        if not text:
            return None
        session = self.here()
        session.first_line = call.line
        scan_tables(session, text)
        names = tables_in(text)
        reads = [self.here().read_table(name, call.line).reads for name in names]
        return self.lost(call, "sql", frozenset().union(*reads)) if reads else None

    def name(self, call: Call, name: AbstractValue | None, what: str) -> str | None:
        """The text, if it is known; else a gap says what it depends on."""
        if isinstance(name, Text) and name.known is not None:
            return name.known
        given = name_with_settings(name, quote=what == "table") if what in ("table", "path") else None
        if given is not None:
            holes = ", ".join(dict.fromkeys(name.holes)) if isinstance(name, Text) else what_is(name)
            shown = given.replace("`", "")
            self.gap(call, f"the {what} {shown} has a name that is known only when it runs: it depends on {holes}")
            return given
        if isinstance(name, Text):
            holes = ", ".join(dict.fromkeys(name.holes))
            self.gap(call, f"the {what} {name.shown} is not known: its name depends on {holes}")
        else:
            self.gap(call, f"the {what} is not known: its name is {what_is(name)}")
        return None

    def variables(self) -> dict[str, AbstractValue]:
        """All names that can be seen at the statement at hand."""
        found: dict[str, AbstractValue] = {}
        scope = self.scope
        while scope is not None:
            found = {**scope.names, **found}
            scope = scope.parent
        return found

    def file_text(self, path: str) -> str | None:
        """What is in a file of the codebase, where a program opens it."""
        folder = posixpath.dirname(self.file)
        for one in (path, posixpath.normpath(posixpath.join(folder, path)), posixpath.normpath(path)):
            if one in self.files:
                return self.files[one]
        ends = [one for one in self.files if one.endswith("/" + path.lstrip("./"))]
        return self.files[ends[0]] if len(ends) == 1 else None

    # Writing

    def write_table(
        self,
        call: Call,
        name: AbstractValue | None,
        relation: Relation,
        *,
        by: Literal["position", "name"] = "name",
        whole: bool = True,
        made: OutputKind = OutputKind.TABLE,
    ) -> None:
        known = self.name(call, name, "path" if made is OutputKind.FILE else "table")
        if known is None:
            return
        for reason in self._losses_in(relation):
            self.gap(call, reason)
        self.here().write(known, relation, call.line, by=by, made=made, whole=whole, statement=call.written)

    def write_path(self, call: Call, path: AbstractValue | None, relation: Relation, *, whole: bool = True) -> None:
        self.write_table(call, path, relation, whole=whole, made=OutputKind.FILE)

    # In between

    def lost(
        self, call: Call, label: str = "unknown", reads: frozenset[str] = frozenset(), reason: str = ""
    ) -> Relation:
        """Rows of whose columns nothing is known; what is made of them has no source. `reads`: the relations they come
        from all the same. `reason`: for a gap that is noted only when they are written; else note one before."""
        made = self.here().between(label, OutputKind.DATAFRAME, Relation(reads=reads), call.line)
        (target,) = made.reads
        self._reads[target] = reads
        if reason:
            self._losses[target] = reason
        return relation_of(target, None)

    def settle(self, frame: Frame, label: str, line: int) -> None:
        """Makes a step of a frame that is now in a variable."""
        if frame.settled:
            return
        relation = frame.relation
        target = self.here().new_id(label, line)
        made = self.session.between(label, OutputKind.DATAFRAME, relation, line, target)
        self._reads[target] = relation.reads
        self._values[target] = {column.name.lower(): column.value for column in reversed(relation.columns)}
        self._open[target] = relation.open
        # The rows stay the same, so this is no change that a branch would have to undo.
        frame.relation = replace(made, columns=self._renewed(relation, made))
        frame.settled = True

    def _renewed(self, relation: Relation, made: Relation) -> tuple[RelationColumn, ...]:
        """Columns that read from the step; duplicates of a name are ambiguous in it and bypass it."""
        names = Counter(column.name.lower() for column in relation.columns)
        columns = []
        for column, new in zip(relation.columns, made.columns, strict=True):
            if names[column.name.lower()] > 1:
                columns.append(column)
                continue
            self.origin[id(new.value)] = (new.value, column.value)
            columns.append(replace(column, value=new.value))
        return tuple(columns)

    def tables_of(self, value: ColumnValue) -> frozenset[tuple[ColumnName, Transformation]]:
        """The columns of tables that a value comes from, whatever variables lie between, and what happened to them."""
        return frozenset(
            (found, stronger(trace.transformation, step))
            for source, trace in value.sources.items()
            for found, step in self._tables_behind(source)
        )

    def _tables_behind(self, column: ColumnName) -> frozenset[tuple[ColumnName, Transformation]]:
        """The same of one column. A variable that is settled does not change, so each is looked through once."""
        waiting = [column]
        while waiting:
            one = waiting[-1]
            if one in self._behind:
                waiting.pop()
                continue
            further = self._further(one)
            missing = [inner for inner, _ in further or () if inner not in self._behind]
            if missing and one not in self._looking:
                self._looking.add(one)
                waiting += missing
                continue
            waiting.pop()
            self._looking.discard(one)
            found = (
                {(one, Transformation.IDENTITY)}
                if further is None
                else {
                    (source, stronger(step, earlier))
                    for inner, step in further
                    for source, earlier in self._behind.get(inner, ())
                }
            )
            self._behind[one] = frozenset(found)
        return self._behind[column]

    def _further(self, column: ColumnName) -> list[tuple[ColumnName, Transformation]] | None:
        """What a column of a variable is made of; None for a column of a table."""
        made = self._values.get(column.table)
        if made is None:
            return None
        inner = made.get(column.column.lower())
        if inner is None:
            same = Transformation.IDENTITY
            return [(ColumnName(one, column.column, column.field), same) for one in self._open[column.table]]
        return [(one, trace.transformation) for one, trace in inner.sources.items()]

    def _losses_in(self, relation: Relation) -> tuple[str, ...]:
        waiting, seen, found = list(relation.reads), set(relation.reads), []
        while waiting:
            one = waiting.pop()
            if one in self._losses:
                found.append(self._losses[one])
            further = self._reads.get(one, frozenset()) - seen
            seen |= further
            waiting.extend(further)
        return tuple(sorted(found))

    def made_here(self, columns: Sequence[str]) -> Relation:
        return Relation(tuple(RelationColumn(name, ColumnValue()) for name in columns))

    def needs(self, table: str) -> None:
        """Notes a table whose columns are missing."""
        self.session.unknown.update(self.behind(table))

    def behind(self, table: str) -> tuple[str, ...]:
        """The tables whose columns are not known behind a variable whose columns are not."""
        waiting, seen, found = [table], {table}, []
        while waiting:
            one = waiting.pop(0)
            inner = self._open.get(one)
            if inner is None and one not in self._reads:
                found.append(one)
            waiting.extend(further for further in inner or () if further not in seen)
            seen.update(inner or ())
        return tuple(found)

    # Changing

    def update(self, frame: Frame, relation: Relation) -> None:
        self.change(frame)
        frame.relation = relation

    def change(self, thing: Mutable) -> None:
        """To be called before a value is changed in place, so that a branch can be undone."""
        if self.journal:
            self.journal[-1].setdefault(id(thing), (thing, state_of(thing)))

    def begin(self) -> None:
        """From here on changes can be undone."""
        self.journal.append({})

    def undo(self) -> Changes:
        """Puts everything back as it was at `begin`; gives what the changed values were like."""
        before = self.journal.pop()
        after = {key: (thing, state_of(thing)) for key, (thing, _) in before.items()}
        for thing, state in before.values():
            self.change(thing)
            set_state(thing, state)
        return after


def state_of(thing: Mutable) -> State:
    if isinstance(thing, Frame):
        return (thing.relation,)
    if isinstance(thing, ListOf):
        return (list(thing.items), thing.open)
    if isinstance(thing, DictOf):
        return (dict(thing.items), thing.open)
    return (dict(thing.names if isinstance(thing, NameScope) else thing.attributes),)


def set_state(thing: Mutable, state: State) -> None:
    match thing, state:
        case Frame(), (Relation() as relation,):
            thing.relation = relation
        case ListOf(), (list() as items, bool() as open_):
            thing.items, thing.open = list(items), open_
        case DictOf(), (dict() as pairs, bool() as open_):
            thing.items, thing.open = dict(pairs), open_
        case Instance(), (dict() as attributes,):
            thing.attributes = dict(attributes)
        case NameScope(), (dict() as names,):
            thing.names = dict(names)
