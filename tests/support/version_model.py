"""Versioned tables as the specification says them, in plain Python: a graph of commits, tables as lists of rows, and
the three-way merge written out case by case. Nothing here is shared with the code it is held against."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

Value = Any
Row = Mapping[str, Value]  # by column id
Side = str  # base | ours | theirs

_serial = count(1)
WIDER = {("int", "bigint"), ("float", "double"), ("decimal(6,2)", "decimal(10,2)")}


def fresh(kind: str) -> str:
    return f"{kind}{next(_serial)}"


@dataclass(frozen=True)
class Col:
    id: str
    name: str
    type: str


@dataclass(frozen=True)
class Table:
    """`uid` is the table's identity, `version` changes with every write; `key` are column ids, () is a multiset."""

    uid: str
    version: str
    columns: tuple[Col, ...]
    key: tuple[str, ...]
    rows: tuple[Row, ...]

    def by_id(self) -> dict[str, Col]:
        return {column.id: column for column in self.columns}

    def named(self) -> list[dict[str, Value]]:
        return [{c.name: row.get(c.id) for c in self.columns} for row in self.rows]

    def counted(self) -> Counter[frozenset[tuple[str, Value]]]:
        return Counter(frozenset((n, plain(v)) for n, v in row.items()) for row in self.named())

    def content(self) -> tuple[object, ...]:
        """What people see: columns in no order, rows in no order."""
        return frozenset((c.name, c.type) for c in self.columns), self.counted()


Tree = Mapping[str, Table]


@dataclass(frozen=True)
class Commit:
    id: str
    parents: tuple[str, ...]
    tree: Tree


@dataclass(frozen=True)
class Conflict:
    """`values` are base, ours and theirs: cells, whole rows, or counts; of a dropped column, the side that has it."""

    kind: str
    table: str
    key: frozenset[tuple[str, Value]] | None = None
    column: str | None = None
    values: tuple[Value, Value, Value] = (None, None, None)

    @property
    def told(self) -> tuple[object, ...]:
        """What is compared: of whole rows only whether they are there."""
        values: tuple[object, ...] = tuple(plain(v) for v in self.values)
        if self.kind in ("delete_modify", "modify_delete"):
            values = tuple(v is not None for v in self.values)
        if self.kind in ("schema_change", "column_dropped_modified"):
            values = ()
        return self.kind, self.table, self.key, self.column, values

    @property
    def full(self) -> tuple[object, ...]:
        """The same as long as nothing of it changes: then an answer given earlier still holds."""
        return self.kind, self.table, self.key, self.column, tuple(plain(v) for v in self.values)


Answer = Callable[[Conflict], Side | None]
"""Who is taken for a conflict; None where nobody has said."""


def plain(value: Value) -> Value:
    """Equal where the specification says so: NaN is NaN, -0.0 is 0.0."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, Mapping):
        return frozenset((k, plain(v)) for k, v in value.items())
    return value


def nobody(conflict: Conflict) -> Side | None:
    return None


# the graph


@dataclass
class History:
    commits: dict[str, Commit] = field(default_factory=dict)

    def tree(self, commit: str | None) -> Tree:
        return self.commits[commit].tree if commit else {}

    def reached(self, *heads: str | None) -> set[str]:
        seen: set[str] = set()
        todo = [head for head in heads if head]
        while todo:
            here = todo.pop()
            if here not in seen:
                seen.add(here)
                todo += self.commits[here].parents
        return seen

    def generation(self, commit: str) -> int:
        return 1 + max((self.generation(p) for p in self.commits[commit].parents), default=0)

    def bases(self, a: str, b: str) -> list[str]:
        """Best common ancestors, the one to take first."""
        common = self.reached(a) & self.reached(b)
        best = [c for c in common if not any(c != d and c in self.reached(d) for d in common)]
        return sorted(best, key=lambda c: (-self.generation(c), c))

    def replayed(self, onto: str, head: str) -> list[str]:
        """Commits that a rebase picks: no merges, parents before children, the first parent's line first."""
        have, order = self.reached(onto), list[str]()

        def visit(commit: str) -> None:
            if commit not in have:
                have.add(commit)
                for parent in self.commits[commit].parents:
                    visit(parent)
                order.append(commit)

        visit(head)
        return [c for c in order if len(self.commits[c].parents) < 2]


# merging trees


@dataclass(frozen=True)
class Merged:
    tree: Tree
    conflicts: tuple[Conflict, ...] = ()  # that nobody has answered
    is_known: bool = True  # False: the specification leaves open what comes of it
    error: str | None = None  # a code


def merge_trees(base: Tree, ours: Tree, theirs: Tree, answer: Answer = nobody) -> Merged:
    tree: dict[str, Table] = {}
    conflicts: list[Conflict] = []
    is_known, error = True, None
    for name in sorted({*base, *ours, *theirs}):
        one = _merge_one(name, base.get(name), ours.get(name), theirs.get(name), answer)
        tree.update(one.tree)
        conflicts += one.conflicts
        is_known, error = is_known and one.is_known, error or one.error
    return Merged(tree, tuple(conflicts), is_known, error)


def _same(a: Table | None, b: Table | None) -> bool:
    return a is b or (a is not None and b is not None and (a.uid, a.version) == (b.uid, b.version))


def _merge_one(name: str, base: Table | None, ours: Table | None, theirs: Table | None, answer: Answer) -> Merged:
    if _same(base, theirs) or _same(ours, theirs):
        return Merged({name: ours} if ours else {})
    if _same(base, ours):
        return Merged({name: theirs} if theirs else {})
    if ours is None or theirs is None:
        left = ours or theirs
        assert left is not None
        assert base is not None
        kind = "delete_modify" if ours is None else "modify_delete"
        conflict = Conflict(kind, name, values=(base.version, ours and ours.version, theirs and theirs.version))
        taken = answer(conflict)
        if taken is None:
            # written anew with the same content: whether that is a change is not said
            return Merged({name: ours} if ours else {}, (conflict,), left.content() != base.content())
        return Merged({name: t} if (t := {"ours": ours, "theirs": theirs}.get(taken)) else {})
    return merge_tables(name, base, ours, theirs, answer)


@dataclass(frozen=True)
class Line:
    """One column of the result, with its id on each side."""

    col: Col
    base: str | None
    ours: str | None
    theirs: str | None


def merge_tables(name: str, base: Table | None, ours: Table, theirs: Table, answer: Answer = nobody) -> Merged:
    if len({t.uid for t in (base, ours, theirs) if t}) > 1:  # ids of two tables say nothing about each other
        if base and _retyped(base, ours, theirs):
            return Merged({name: ours}, is_known=False)
        named = merge_tables(name, base and _by_names(base), _by_names(ours), _by_names(theirs), answer)
        return replace(named, tree={n: _with_ids_of(t, ours) for n, t in named.tree.items()})
    if set(ours.key) != set(theirs.key):
        return Merged({name: ours}, is_known=False)
    lines, dropped, conflicts = _merge_columns(name, base, ours, theirs)
    if conflicts:
        unanswered = tuple(c for c in conflicts if answer(c) is None)
        return Merged({name: ours}, unanswered, is_known=bool(unanswered))
    if any(key not in {line.ours for line in lines} for key in ours.key):
        return Merged({name: ours}, error="E613")
    merge_rows = _merge_keyed if ours.key else _merge_counted
    rows, found = merge_rows(name, lines, dropped, base, ours, theirs, answer)
    columns = tuple(line.col for line in lines)
    merged = replace(ours, version=fresh("v"), columns=columns, rows=tuple(rows))
    if merged.content() == ours.content():
        merged = replace(merged, version=ours.version)
    return Merged({name: merged}, tuple(found))


def _retyped(*tables: Table) -> bool:
    """Whether columns of one name have types that are not just widened: what comes of that is not said."""
    kinds: dict[str, set[str]] = {}
    for table in tables:
        for column in table.columns:
            kinds.setdefault(column.name, set()).add(column.type)
    return any(len(found) > 1 for found in kinds.values())


def _by_names(table: Table) -> Table:
    """The table with names for ids."""
    return _renumbered(table, "by name", {c.id: c.name for c in table.columns})


def _with_ids_of(table: Table, ours: Table) -> Table:
    known = {c.name: c.id for c in ours.columns}
    return _renumbered(table, ours.uid, {c.id: known.get(c.id) or fresh("c") for c in table.columns})


def _renumbered(table: Table, uid: str, new: Mapping[str, str]) -> Table:
    return replace(
        table,
        uid=uid,
        columns=tuple(replace(c, id=new[c.id]) for c in table.columns),
        key=tuple(new[k] for k in table.key),
        rows=tuple({new[c.id]: row.get(c.id) for c in table.columns} for row in table.rows),
    )


def _merge_columns(
    name: str, base: Table | None, ours: Table, theirs: Table
) -> tuple[list[Line], list[Line], list[Conflict]]:
    b, o, t = (base.by_id() if base else {}), ours.by_id(), theirs.by_id()
    lines, dropped, conflicts = list[Line](), list[Line](), list[Conflict]()

    def clash(column: str) -> None:
        conflicts.append(Conflict("schema_change", name, None, column))

    for i in [*o, *(i for i in t if i not in o), *(i for i in b if i not in o and i not in t)]:
        cb, co, ct = b.get(i), o.get(i), t.get(i)
        if co and ct:
            word = _pick(cb.name if cb else None, co.name, ct.name)
            kind = _pick_type(cb.type if cb else None, co.type, ct.type)
            if word is None or kind is None:
                clash(cb.name if cb else co.name)
            else:
                lines.append(Line(Col(i, word, kind), i if cb else None, i, i))
        elif cb and (co or ct):
            kept = co or ct
            assert kept is not None
            if (kept.name, kept.type) != (cb.name, cb.type):
                clash(cb.name)
            else:
                dropped.append(Line(cb, i, i if co else None, i if ct else None))
        elif co:
            twin = next((c for c in t.values() if c.name == co.name and c.id not in o and c.id not in b), None)
            if twin and twin.type != co.type:
                clash(co.name)
            else:
                lines.append(Line(co, None, i, twin.id if twin else None))
        elif ct and not any(c.name == ct.name and c.id not in t and c.id not in b for c in o.values()):
            lines.append(Line(ct, None, None, i))
    for word, times in Counter(line.col.name for line in lines).items():
        if times > 1:
            clash(word)
    return lines, dropped, conflicts


def _pick(base: str | None, ours: str, theirs: str) -> str | None:
    if ours == theirs or theirs == base:
        return ours
    return theirs if ours == base else None


def _pick_type(base: str | None, ours: str, theirs: str) -> str | None:
    picked = _pick(base, ours, theirs)
    if base is None:  # added with different types
        return picked
    if (ours, theirs) in WIDER:  # a type never gets narrow again
        return theirs
    return ours if (theirs, ours) in WIDER else picked


def _keyed(table: Table | None, key: tuple[str, ...]) -> dict[tuple[Value, ...], Row]:
    return {tuple(plain(row.get(k)) for k in key): row for row in table.rows} if table else {}


def _changed(row: Row, base: Row, columns: Iterable[Col]) -> bool:
    return any(plain(row.get(c.id)) != plain(base.get(c.id)) for c in columns)


def _merge_keyed(
    name: str,
    lines: Sequence[Line],
    dropped: Sequence[Line],
    base: Table | None,
    ours: Table,
    theirs: Table,
    answer: Answer,
) -> tuple[list[Row], list[Conflict]]:
    b, o, t = _keyed(base, ours.key), _keyed(ours, ours.key), _keyed(theirs, ours.key)
    names = {line.col.id: line.col.name for line in lines}
    rows, open_conflicts = list[Row](), list[Conflict]()

    def ask(conflict: Conflict) -> Side:
        taken = answer(conflict)
        if taken is None:
            open_conflicts.append(conflict)
        return taken or "ours"

    def of_side(row: Row | None, side: Side) -> Row | None:
        """A row of one side, in the columns of the result."""
        ids = [(line.col.id, getattr(line, side)) for line in lines]
        return None if row is None else {to: row.get(i) if i else None for to, i in ids}

    def shown(rows: Mapping[Side, Row | None]) -> tuple[Value, Value, Value]:
        named = [row and {names[i]: v for i, v in row.items()} for row in rows.values()]
        return named[0], named[1], named[2]

    for at in sorted({*b, *o, *t}, key=repr):
        key = frozenset((names[k], v) for k, v in zip(ours.key, at, strict=True))
        rb, ro, rt = b.get(at), o.get(at), t.get(at)
        sides = {"base": of_side(rb, "base"), "ours": of_side(ro, "ours"), "theirs": of_side(rt, "theirs")}
        if ro is not None and rt is not None:
            row: Row | None = _merge_cells(name, key, lines, dropped, rb, ro, rt, ask)
        elif rb is None:
            row = sides["ours"] or sides["theirs"]
        elif ro is None and rt is None:
            row = None
        elif ro is None and rt is not None:
            row = None
            if _changed(rt, rb, theirs.columns):
                row = sides[ask(Conflict("delete_modify", name, key, None, shown(sides)))]
        else:
            assert ro is not None
            row = None
            if _changed(ro, rb, ours.columns):
                row = sides[ask(Conflict("modify_delete", name, key, None, shown(sides)))]
        if row is not None:
            rows.append(row)
    return rows, open_conflicts


def _merge_cells(
    name: str,
    key: frozenset[tuple[str, Value]],
    lines: Sequence[Line],
    dropped: Sequence[Line],
    base: Row | None,
    ours: Row,
    theirs: Row,
    ask: Callable[[Conflict], Side],
) -> Row:
    row: dict[str, Value] = {}
    for line in lines:
        vb = base.get(line.base) if base and line.base else None
        vo = ours.get(line.ours) if line.ours else vb
        vt = theirs.get(line.theirs) if line.theirs else vb
        if base is None and not (line.ours and line.theirs):  # the side without the column has no say
            value = vo if line.ours else vt
        elif plain(vo) == plain(vt) or (base is not None and plain(vt) == plain(vb)):
            value = vo
        elif base is not None and plain(vo) == plain(vb):
            value = vt
        else:
            kind = "add_add" if base is None else "modify_modify"
            taken = ask(Conflict(kind, name, key, line.col.name, (vb, vo, vt)))
            value = {"base": vb, "ours": vo, "theirs": vt}[taken]
        row[line.col.id] = value
    for line in dropped if base else ():
        assert base is not None
        kept = ours if line.ours else theirs
        if plain(kept.get(line.col.id)) != plain(base.get(line.col.id)):
            side = "ours" if line.ours else "theirs"
            ask(Conflict("column_dropped_modified", name, key, line.col.name, (None, side, None)))
    return row


def _merge_counted(
    name: str,
    lines: Sequence[Line],
    dropped: Sequence[Line],
    base: Table | None,
    ours: Table,
    theirs: Table,
    answer: Answer,
) -> tuple[list[Row], list[Conflict]]:
    seen: dict[frozenset[tuple[str, Value]], Row] = {}

    def counted(table: Table | None, side: Side) -> Counter[frozenset[tuple[str, Value]]]:
        found: Counter[frozenset[tuple[str, Value]]] = Counter()
        for row in table.rows if table else ():
            shown = {line.col.id: row.get(i) if (i := getattr(line, side)) else None for line in lines}
            at = frozenset((line.col.name, plain(shown[line.col.id])) for line in lines)
            seen[at] = shown
            found[at] += 1
        return found

    b, o, t = counted(base, "base"), counted(ours, "ours"), counted(theirs, "theirs")
    rows, open_conflicts = list[Row](), list[Conflict]()
    for at, row in seen.items():
        counts = {"base": b[at], "ours": o[at], "theirs": t[at]}
        if t[at] == b[at]:
            taken = "ours"
        elif o[at] == b[at]:
            taken = "theirs"
        else:
            conflict = Conflict("cardinality", name, at, None, (b[at], o[at], t[at]))
            said = answer(conflict)
            if said is None:
                open_conflicts.append(conflict)
            taken = said or "ours"
        rows += [row] * counts[taken]
    return rows, open_conflicts
