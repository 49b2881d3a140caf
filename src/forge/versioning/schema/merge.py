"""Three-way merge of schemas, column by column, by field id. The side that changed wins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from forge.model.errors import ForgeError
from forge.model.widening import widens
from forge.versioning.changes import ColumnChangeKind, TableSchemaChange
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice
from forge.versioning.field import AlignedColumn, Fields, Layout, TableField, by_id, by_name
from forge.versioning.schema.column import ColumnVersions
from forge.versioning.schema.key import find_key, find_key_column
from forge.versioning.schema.order import find_moved, merge_order

NO_ANSWERS = Answers()


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of a column: part of the merged table, or dropped by a side, or neither."""

    line: ColumnVersions
    column: AlignedColumn | None = None
    dropped: AlignedColumn | None = None


class _Judge:
    """Looks up the resolution of each conflict. One without stays open, and meanwhile ours is assumed."""

    def __init__(self, answers: Answers, table: str | None) -> None:
        self.answers, self.table = answers, table
        self.open: list[Conflict] = []

    def winner(
        self, column: str, base: str | None, ours: TableField | None, theirs: TableField | None
    ) -> ResolutionChoice:
        conflict = Conflict(
            kind=ConflictKind.SCHEMA_CHANGE,
            column=column,
            base=base,
            ours=ours and _words(ours),
            theirs=theirs and _words(theirs),
            table=self.table,
        )
        rule = self.answers.find(conflict)
        if rule and rule.take in (ResolutionChoice.OURS, ResolutionChoice.THEIRS):
            return rule.take
        if conflict.id in self.answers.by_conflict:
            raise ForgeError(
                "E619",
                f"The change of column {column} cannot be resolved by '{rule.take if rule else None}'",
                where=self.table,
                why="A column is as it is on one side or on the other.",
                fix="Answer it with ours or theirs.",
            )
        self.open.append(conflict)
        return ResolutionChoice.OURS


def merge_schemas(
    base: Fields | None,
    ours: Fields,
    theirs: Fields,
    key: tuple[str, ...],
    *,
    answers: Answers = NO_ANSWERS,
    table: str | None = None,
    has_unique_ids: bool = False,
) -> tuple[Layout, tuple[Conflict, ...]]:
    """The merged columns and the open conflicts. Without a base, columns are matched by name, unless ids are never
    reused (`has_unique_ids`, as within one table of a lake)."""
    judge = _Judge(answers, table)
    sides = ("ours", "base", "theirs") if base is not None else ("ours", "theirs")
    lines = _line_up(base, ours, theirs, has_unique_ids=has_unique_ids)
    keys = {find_key_column(name, lines, sides, table) for name in key}
    outcomes = [_merge_line(line, judge, is_key=line in keys) for line in lines]
    outcomes = _part_names(outcomes, judge)
    kept = {outcome.line: outcome.column for outcome in outcomes if outcome.column is not None}
    columns = _number(kept[line] for line in merge_order(base or (), ours, theirs, tuple(kept)))
    dropped = tuple(outcome.dropped for outcome in outcomes if outcome.dropped is not None)
    names = find_key(key, tuple(outcome.line for outcome in outcomes), kept, sides, table)
    return Layout(columns, names, dropped), tuple(sorted(judge.open, key=lambda each: each.column or ""))


def _line_up(base: Fields | None, ours: Fields, theirs: Fields, *, has_unique_ids: bool) -> list[ColumnVersions]:
    """By field id where the base has it. Columns added by both sides are matched by name: two ids may mean one
    column, and, where each side assigns ids by itself, one id two columns."""
    known, our, their = by_id(base or ()), by_id(ours), by_id(theirs)
    lines = [ColumnVersions(known[each], our.get(each), their.get(each)) for each in known]
    if has_unique_ids:  # one of them was picked or reverted from the other
        both = [each for each in our if each in their and each not in known]
        lines += [ColumnVersions(None, our[each], their[each]) for each in both]
        known |= {each: our[each] for each in both}
    left = by_name(field for field in ours if field.id not in known)
    right = by_name(field for field in theirs if field.id not in known)
    return [*lines, *(ColumnVersions(None, left.get(name), right.get(name)) for name in dict.fromkeys((*left, *right)))]


def _merge_line(line: ColumnVersions, judge: _Judge, *, is_key: bool) -> _Outcome:
    """Dropping a column conflicts where the other side changed it, and where it is of the key: without it the rows
    of the two sides cannot be matched any more."""
    ours, theirs = line.ours, line.theirs
    if ours is not None and theirs is not None:
        return _merge_both(line, ours, theirs, judge)
    kept = ours or theirs
    if kept is None:
        return _Outcome(line)  # both dropped it
    if line.base is None:
        return _Outcome(line, _align(line, kept))
    if (kept.name, kept.type) == (line.base.name, line.base.type) and not is_key:
        return _Outcome(line, dropped=_align(line, kept))
    winner = judge.winner(line.base.name, _words(line.base), ours, theirs)
    return _Outcome(line, _align(line, kept) if line.of(winner) else None)


def _merge_both(line: ColumnVersions, ours: TableField, theirs: TableField, judge: _Judge) -> _Outcome:
    base = line.base
    if base is None:
        if (ours.name, ours.type) != (theirs.name, theirs.type) and not _is_untyped(ours, theirs):
            winner = judge.winner(ours.name, None, ours, theirs)
            alone = ColumnVersions(
                None,
                ours if winner is ResolutionChoice.OURS else None,
                theirs if winner is ResolutionChoice.THEIRS else None,
            )
            return _Outcome(line, _align(alone, line.of(winner) or ours))
        field = replace(
            ours,
            type=theirs.type if ours.type == "void" else ours.type,
            required=ours.required or theirs.required,
            doc=ours.doc or theirs.doc,
        )
        return _Outcome(line, _align(line, field))
    name = _pick(base.name, ours.name, theirs.name)
    kind = _wider(ours.type, theirs.type) or _pick(base.type, ours.type, theirs.type)
    if name is None or kind is None:
        winner = judge.winner(base.name, _words(base), ours, theirs)
        chosen = line.of(winner) or ours
        name, kind = name or chosen.name, kind or chosen.type
    required = theirs.required if ours.required == base.required else ours.required
    doc = theirs.doc if ours.doc == base.doc else ours.doc
    return _Outcome(line, _align(line, TableField(ours.id, name, kind, required, doc)))


def _is_untyped(ours: TableField, theirs: TableField) -> bool:
    return ours.name == theirs.name and "void" in (ours.type, theirs.type)


def _pick(base: str, ours: str, theirs: str) -> str | None:
    """The one that changed; None where both did, differently."""
    if ours == theirs or theirs == base:
        return ours
    return theirs if ours == base else None


def _wider(ours: str, theirs: str) -> str | None:
    """The one that holds the values of both. A type is never narrowed, neither by reverting its widening nor by a
    pick into an older branch: there may be values that need it, and files that have it."""
    if widens(ours, theirs, "iceberg"):
        return theirs
    return ours if widens(theirs, ours, "iceberg") else None


def _align(line: ColumnVersions, field: TableField) -> AlignedColumn:
    return AlignedColumn(field, *(side.name if side else None for side in (line.base, line.ours, line.theirs)))


def _words(field: TableField) -> str:
    return f"{field.name} {field.type}"


def _part_names(outcomes: list[_Outcome], judge: _Judge) -> list[_Outcome]:
    """Two columns that would get the same name: the winner's side keeps it, the other column returns to its name
    there, or is not taken over. Engines that ignore case would confuse `Day` and `day`."""
    for _ in range(2 * len(outcomes)):
        pair = _find_clash(outcomes)
        if pair is None:
            break
        left, right = pair  # named so by ours, and by theirs
        mine, yours = outcomes[left].line, outcomes[right].line
        bases = ", ".join(sorted(_words(line.base) for line in (mine, yours) if line.base)) or None
        name = mine.ours.name if mine.ours else _name(outcomes[left])
        winner = judge.winner(name, bases, mine.ours, yours.theirs)
        loser = right if winner is ResolutionChoice.OURS else left
        outcomes = [_yield_name(one, winner) if place == loser else one for place, one in enumerate(outcomes)]
    return outcomes


def _name(outcome: _Outcome) -> str:
    return outcome.column.field.name if outcome.column else ""


def _yield_name(outcome: _Outcome, winner: ResolutionChoice) -> _Outcome:
    there = outcome.line.of(winner)
    if there is None or outcome.column is None or there.name == _name(outcome):
        return _Outcome(outcome.line)
    return replace(outcome, column=replace(outcome.column, field=replace(outcome.column.field, name=there.name)))


def _find_clash(outcomes: Sequence[_Outcome]) -> tuple[int, int] | None:
    seen: dict[str, int] = {}
    for place, outcome in enumerate(outcomes):
        if outcome.column is None:
            continue
        first = seen.setdefault(_name(outcome).casefold(), place)
        if first != place and not _live_together(outcomes[first].line, outcomes[place].line, outcomes, first, place):
            is_ours = outcomes[first].line.ours
            named_by_ours = is_ours is not None and is_ours.name == _name(outcomes[first])
            return (first, place) if named_by_ours else (place, first)
    return None


def _live_together(
    left: ColumnVersions, right: ColumnVersions, outcomes: Sequence[_Outcome], first: int, second: int
) -> bool:
    """A side that has both `Day` and `day` itself may keep both."""
    names = {_name(outcomes[first]), _name(outcomes[second])}
    return any(
        len(names) == 2 and a is not None and b is not None and {a.name, b.name} == names
        for a, b in ((left.ours, right.ours), (left.theirs, right.theirs))
    )


def _number(columns: Iterable[AlignedColumn]) -> tuple[AlignedColumn, ...]:
    """Two tables without a common base both number their columns from one: an id is assigned once, ours first."""
    listed = list(columns)
    free = max((each.field.id for each in listed if isinstance(each.field.id, int)), default=0)
    taken = {each.field.id for each in listed if each.ours is not None}
    result = []
    for each in listed:
        if each.ours is None and each.field.id in taken and isinstance(each.field.id, int):
            free += 1
            each = replace(each, field=replace(each.field, id=free))
        taken.add(each.field.id)
        result.append(each)
    return tuple(result)


def align_for_diff(before: Fields, after: Fields, key: tuple[str, ...]) -> Layout:
    """The layout of a diff: `base` names the columns of the left, `theirs` those of the right."""
    old = by_id(before)
    lines = [ColumnVersions(old.get(field.id), None, field) for field in after]
    known = {field.id for field in after}
    gone = tuple(AlignedColumn(field, field.name, None, None) for field in before if field.id not in known)
    columns = {line: _align(line, _wider_field(line)) for line in lines}
    every = (*lines, *(ColumnVersions(field, None, None) for field in before if field.id not in known))
    names = find_key(key, every, columns, ("theirs", "base"), None)
    return Layout(tuple(columns.values()), names, gone)


def _wider_field(line: ColumnVersions) -> TableField:
    """Narrowed on the right, the left's values still have to be compared unchanged."""
    assert line.theirs is not None, "a diff lines up what the right has"
    if line.base is not None and widens(line.theirs.type, line.base.type, "iceberg"):
        return replace(line.theirs, type=line.base.type)
    return line.theirs


def diff_schemas(before: Fields, after: Fields) -> tuple[TableSchemaChange, ...]:
    """The changes of the columns, by field id: dropped ones first, then in the order of the new table."""
    old, new = by_id(before), by_id(after)
    moved = find_moved(tuple(old), tuple(new))
    changes = [TableSchemaChange("dropped", f.name, _words(f), None, f.id) for f in before if f.id not in new]
    for field in after:
        was = old.get(field.id)
        if was is None:
            changes.append(TableSchemaChange("added", field.name, None, _words(field), field.id))
            continue
        if was.name != field.name:
            changes.append(TableSchemaChange("renamed", field.name, was.name, field.name, field.id))
        if was.type != field.type:
            changes.append(TableSchemaChange("retyped", field.name, was.type, field.type, field.id))
        if was.required != field.required:
            word: dict[bool, ColumnChangeKind] = {True: "required", False: "optional"}
            changes.append(
                TableSchemaChange(word[field.required], field.name, word[was.required], word[field.required], field.id)
            )
        if field.id in moved:
            places = _place(before, was), _place(after, field)
            changes.append(TableSchemaChange("moved", field.name, *places, field.id))
    return tuple(changes)


def _place(fields: Fields, field: TableField) -> str:
    place = fields.index(field)
    return f"after {fields[place - 1].name}" if place else "first"
