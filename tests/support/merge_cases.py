"""The merge cases of `tests/versioning/cases`: data a person can read, run by every engine that merges.

A case is a mapping. Columns are words, `[field id] name type [not null]`; where the sides differ in schema, `columns`
is a mapping with `base`, `ours`, `theirs` and `merged`. A side that is left out is equal to the base. `"*"` stands for
any value where the specification leaves one open. Rows are lists in the order of that side's columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml
from case_values import Column, arrow_type, convert, normal, parse_column

from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.field import Fields, TableField

FOLDER = Path(__file__).resolve().parent.parent / "versioning" / "cases"
SIDES = ("base", "ours", "theirs")
ANY = "*"
MIRROR = {"ours": "theirs", "theirs": "ours", "delete_modify": "modify_delete", "modify_delete": "delete_modify"}
KEYS = {"name", "columns", "key", *SIDES, "merged", "conflicts", "answers", "error", "ordered", "table"}


@dataclass(frozen=True, slots=True)
class Expected:
    """A conflict as a case writes it. A row in it is a mapping, or None where there is none."""

    kind: str
    key: Any = None
    column: str | None = None
    base: Any = None
    ours: Any = None
    theirs: Any = None

    def mirrored(self) -> Expected:
        return replace(self, kind=MIRROR.get(self.kind, self.kind), ours=self.theirs, theirs=self.ours)

    def conflict(self) -> Conflict:
        return Conflict(
            kind=ConflictKind(self.kind),
            key=self.key,
            column=self.column,
            base=self.base,
            ours=self.ours,
            theirs=self.theirs,
        )

    def differences(self, seen: Conflict) -> list[str]:
        """What of it is not as expected, in words."""
        found = []
        for part in ("kind", "key", "column", *SIDES):
            want, have = getattr(self, part), getattr(seen, part)
            if not _fits(want, have):
                found.append(f"{part} is {have!r}, expected {want!r}")
        return found


def _fits(want: Any, have: Any) -> bool:
    if want == ANY:
        return True
    if isinstance(want, Mapping) and isinstance(have, Mapping):
        return want.keys() == have.keys() and all(_fits(want[name], have[name]) for name in want)
    return bool(normal(want) == normal(have))


@dataclass(frozen=True, slots=True)
class Answer:
    """A rule or, with `conflict` (the kind, key or column it has), the resolution of one conflict."""

    take: str
    value: Any = None
    column: str | None = None
    table: str | None = None
    conflict: Mapping[str, Any] | None = None

    def mirrored(self) -> Answer:
        value = self.value
        if self.take == "expression":
            value = re.sub(r"\b(ours|theirs)\b", lambda word: MIRROR[word[0]], value)
        conflict = self.conflict
        if conflict is not None and "kind" in conflict:
            conflict = {**conflict, "kind": MIRROR.get(conflict["kind"], conflict["kind"])}
        return replace(self, take=MIRROR.get(self.take, self.take), value=value, conflict=conflict)

    def rule(self) -> ResolutionRule:
        return ResolutionRule(ResolutionChoice(self.take), self.table, self.column, self.value)


@dataclass(frozen=True, slots=True)
class MergeCase:
    name: str
    group: str
    key: tuple[str, ...]
    columns: Mapping[str, tuple[Column, ...]]  # of base, ours, theirs and merged
    rows: Mapping[str, tuple[Sequence[Any], ...]]  # of base, ours and theirs
    merged: tuple[Mapping[str, Any], ...] | None  # None: conflicts stay open, or an error is raised
    conflicts: tuple[Expected, ...] = ()
    answers: tuple[Answer, ...] = ()
    error: str | None = None
    says: tuple[str, ...] = ()  # words the error must hold
    ordered: tuple[str, ...] | None = None  # the merged columns in order, where the specification fixes one
    ordered_swapped: tuple[str, ...] | None = None
    table: str | None = None  # a name, for the rules of a table

    @property
    def id(self) -> str:
        return f"{self.group}-{re.sub(r'[^a-z0-9]+', '-', self.name.lower()).strip('-')}"

    @property
    def base(self) -> pa.Table:
        return self.arrow("base")

    @property
    def ours(self) -> pa.Table:
        return self.arrow("ours")

    @property
    def theirs(self) -> pa.Table:
        return self.arrow("theirs")

    def arrow(self, side: str) -> pa.Table:
        """The rows of a side; field ids are in the metadata of the columns that have one."""
        columns = self.columns[side]
        schema = pa.schema([column.arrow() for column in columns])
        values = [[row[place] for row in self.rows[side]] for place in range(len(columns))]
        arrays = [pa.array(cells, column.type) for cells, column in zip(values, schema, strict=True)]
        return pa.Table.from_arrays(arrays, schema=schema)

    def fields(self, side: str) -> Fields:
        """The columns of a side as the domain knows them; by name unless every column of every side has an id."""
        has_ids = all(column.id is not None for each in SIDES for column in self.columns[each])
        return tuple(
            TableField(
                column.id if has_ids and column.id is not None else column.name,
                column.name,
                column.type,
                column.required,
            )
            for column in self.columns[side]
        )

    def swapped(self) -> MergeCase:
        """The same merge seen from the other branch."""
        return replace(
            self,
            name=f"{self.name} (swapped)",
            columns={**self.columns, "ours": self.columns["theirs"], "theirs": self.columns["ours"]},
            rows={**self.rows, "ours": self.rows["theirs"], "theirs": self.rows["ours"]},
            conflicts=tuple(conflict.mirrored() for conflict in self.conflicts),
            answers=tuple(answer.mirrored() for answer in self.answers),
            says=tuple(MIRROR.get(word, word) for word in self.says),
            ordered=self.ordered_swapped,
            ordered_swapped=self.ordered,
        )

    def find_answers(self, open_conflicts: Iterable[Conflict]) -> Answers:
        """The case's answers; those to one conflict need the conflicts that were found without any answer."""
        seen = tuple(open_conflicts)
        single = {}
        for answer in (each for each in self.answers if each.conflict is not None):
            wanted = dict(answer.conflict or {})
            fitting = [one for one in seen if all(_fits(value, getattr(one, part)) for part, value in wanted.items())]
            assert len(fitting) == 1, f"{self.id}: {len(fitting)} conflicts fit {wanted}: {seen}"
            single[fitting[0].id] = answer.rule()
        return Answers(tuple(each.rule() for each in self.answers if each.conflict is None), single)


# The same, written in C where PyYAML was built with it: the files are read by every process that collects tests.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_cases() -> list[MergeCase]:
    """Every case of every file, in the order of the files."""
    found: list[MergeCase] = []
    for path in sorted(FOLDER.glob("*.yaml")):
        group: dict[str, Any] = yaml.load(path.read_text("utf-8"), LOADER)
        shared = group.get("defaults", {})
        found.extend(load_case({**shared, **case}, path.stem) for case in group["cases"])
    ids = [case.id for case in found]
    twice = {one for one in ids if ids.count(one) > 1}
    assert not twice, f"two cases have one name: {sorted(twice)}"
    return found


def load_case(text: Mapping[str, Any], group: str) -> MergeCase:
    name = text["name"]
    assert set(text) <= KEYS, f"{name}: unknown words {set(text) - KEYS}"
    columns = _columns(text["columns"])
    rows = {side: _rows(text.get(side, text["base"]), columns[side]) for side in SIDES}
    error, *says = text["error"].split() if "error" in text else (None,)
    conflicts = tuple(_expected(each, columns) for each in text.get("conflicts", ()))
    ordered = text.get("ordered", {})
    merged = None
    if "merged" in text:
        names = [column.name for column in columns["merged"]]
        merged = tuple(dict(zip(names, row, strict=True)) for row in _rows(text["merged"], columns["merged"]))
    assert (merged is None) == bool(conflicts or error), f"{name}: either merged rows, or conflicts, or an error"
    return MergeCase(
        name=name,
        group=group,
        key=tuple(text["key"]),
        columns=columns,
        rows=rows,
        merged=merged,
        conflicts=conflicts,
        answers=tuple(_answer(each, columns) for each in text.get("answers", ())),
        error=error,
        says=tuple(says),
        ordered=tuple(ordered["merged"].split()) if ordered else None,
        ordered_swapped=tuple(ordered["swapped"].split()) if ordered else None,
        table=text.get("table"),
    )


def _columns(text: Any) -> dict[str, tuple[Column, ...]]:
    sides = text if isinstance(text, Mapping) else {"base": text}
    parsed = {side: tuple(parse_column(words) for words in columns) for side, columns in sides.items()}
    return {side: parsed.get(side, parsed["base"]) for side in (*SIDES, "merged")}


def _rows(rows: Sequence[Sequence[Any]], columns: tuple[Column, ...]) -> tuple[Sequence[Any], ...]:
    return tuple(
        tuple(convert(cell, arrow_type(column.type)) for cell, column in zip(row, columns, strict=True)) for row in rows
    )


def _types(columns: Mapping[str, tuple[Column, ...]]) -> dict[str, pa.DataType]:
    """Of every column of every side; what it is in the merged table wins."""
    order = ("theirs", "ours", "base", "merged")
    return {column.name: arrow_type(column.type) for side in order for column in columns[side]}


def _expected(text: Mapping[str, Any], columns: Mapping[str, tuple[Column, ...]]) -> Expected:
    types = _types(columns)
    column = text.get("column")

    def value(side: str) -> Any:
        given = text.get(side)
        if isinstance(given, list) and column is None:
            named = columns["merged"]
            return {each.name: convert(cell, types[each.name]) for each, cell in zip(named, given, strict=True)}
        if column in (None, ANY) or given == ANY or text["kind"] == "schema_change":
            return given
        return convert(given, types[str(column)])

    key = text.get("key")
    if isinstance(key, Mapping):
        key = {name: convert(cell, types[name]) for name, cell in key.items()}
    return Expected(text["kind"], key, column, *(value(side) for side in SIDES))


def _answer(text: Mapping[str, Any], columns: Mapping[str, tuple[Column, ...]]) -> Answer:
    types = _types(columns)
    conflict = text.get("conflict")
    if conflict is not None and isinstance(conflict.get("key"), Mapping):
        conflict = {**conflict, "key": {name: convert(cell, types[name]) for name, cell in conflict["key"].items()}}
    value = text.get("value")
    column = text.get("column") or (conflict or {}).get("column")
    if text["take"] == "manual" and isinstance(value, Mapping) and column is None:
        value = {name: convert(cell, types[name]) for name, cell in value.items()}
    elif text["take"] == "manual" and column is not None:
        value = convert(value, types[column])
    return Answer(text["take"], value, text.get("column"), text.get("table"), conflict)


def check(
    case: MergeCase, merged: pa.Table | Sequence[Mapping[str, Any]] | None, conflicts: Iterable[Conflict]
) -> None:
    """Fails with readable differences unless rows (as a multiset) and conflicts (in any order) are as expected."""
    problems = [*_conflict_problems(case, tuple(conflicts))]
    if case.merged is None and merged is not None:
        problems.append("there are merged rows although conflicts are open")
    elif case.merged is not None and merged is None:
        problems.append("there are no merged rows")
    elif case.merged is not None and merged is not None:
        if isinstance(merged, pa.Table):
            problems += _schema_problems(case, merged.schema)
            merged = merged.to_pylist()
        problems += _row_problems(case.merged, merged)
    assert not problems, f"{case.id}: {case.name}\n  " + "\n  ".join(problems)


def _conflict_problems(case: MergeCase, seen: tuple[Conflict, ...]) -> Iterable[str]:
    left = list(seen)
    for expected in case.conflicts:
        match = next((one for one in left if not expected.differences(one)), None)
        if match is not None:
            left.remove(match)
            continue
        near = min(left, key=lambda one: len(expected.differences(one)), default=None)
        why = f"the nearest differs: {'; '.join(expected.differences(near))}" if near else "none is left"
        yield f"missing conflict: {expected} ({why})"
    for one in left:
        yield f"conflict nobody expected: {one}"


def _row_problems(expected: Sequence[Mapping[str, Any]], seen: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    left = [normal(dict(row)) for row in seen]
    for row in expected:
        if (wanted := normal(dict(row))) in left:
            left.remove(wanted)
        else:
            yield f"missing row: {wanted}"
    for row in left:
        yield f"row nobody expected: {row}"


def _schema_problems(case: MergeCase, schema: pa.Schema) -> Iterable[str]:
    wanted = {column.name: arrow_type(column.type) for column in case.columns["merged"]}
    have = {column.name: column.type for column in schema}
    if not same_types(wanted, have):
        yield f"columns are {have}, expected {wanted}"
    if case.ordered is not None and tuple(schema.names) != case.ordered:
        yield f"columns are in the order {schema.names}, expected {case.ordered}"


def same_types(wanted: Mapping[str, pa.DataType], have: Mapping[str, pa.DataType]) -> bool:
    """An engine may give long strings for strings and its own name to a list's element."""
    return wanted.keys() == have.keys() and all(_same(wanted[name], have[name]) for name in wanted)


def _same(wanted: pa.DataType, have: pa.DataType) -> bool:
    if pa.types.is_nested(wanted):
        return bool(wanted.id == have.id or pa.types.is_large_list(have))
    if pa.types.is_large_string(have) or pa.types.is_large_binary(have):
        return bool(wanted == (pa.string() if pa.types.is_large_string(have) else pa.binary()))
    return bool(wanted == have)
