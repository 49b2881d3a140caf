"""Random merges, worked out by Forge and by DoltLite: the same rows, and conflicts at the same keys.

Where the two speak differently, and how they are compared:

- DoltLite's conflict is a row, ours of changes on both sides is a cell. A row of DoltLite's says what base, ours and
  theirs hold, so the cells that must conflict follow from it: those that both changed, differently.
- While conflicts are open DoltLite's table holds ours in conflicting rows and the merge in all others. Forge has no
  merged table then; with the answer "ours" to everything the other rows can be compared.
- DoltLite gives a table without a key hidden row numbers and merges by these: the same row added on both sides is one
  row or two, as the numbers happen to be. Forge merges keyless tables as multisets. They are compared with a DoltLite
  table of (row, count) keyed by row: a row whose count goes to 0 is a delete. Where both sides changed a count alike,
  that table sees one change; of rows nobody knows whether the two mean the same copy, and Forge asks.
- DoltLite's conflicts show a double without a fraction as an integer, as SQLite stores it: it is made a double again.
- Of schemas only added columns are compared. DoltLite knows no field ids and guesses renames, and its drops are no
  measure: a value changed in a dropped column is lost without a word if the other side also added
  a column, and a table left with nothing but its key gets conflicts between two deletes.

Differences that are meant, all about columns that one side added:

- A side fills its new column in a row that the other deletes. DoltLite deletes the row, and the value is gone without
  a word. Forge says delete against change, since the row was changed.
- Both add a row under one key, equal but for the new column. DoltLite holds a value against the NULL of the side that
  does not know the column: a conflict. In Forge a side says nothing about a column that it does not have.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from case_values import normal
from merge_cases import Answer, MergeCase
from merge_steps import merge_in_steps
from random_merges import (
    as_dolt_counts,
    as_dolt_table,
    merge_in_dolt,
    random_case,
    random_keyless_case,
    random_wider_case,
)

from forge.versioning import merge_tables

pytestmark = pytest.mark.slow

SEED = 20240229
KINDS = {
    ("modified", "modified"): "modify_modify",
    ("added", "added"): "add_add",
    ("removed", "modified"): "delete_modify",
    ("modified", "removed"): "modify_delete",
}
ROW_KINDS = ("delete_modify", "modify_delete")
Row = dict[str, Any]
Found = set[tuple[Any, ...]]  # conflicts: key, kind, column, base, ours, theirs


@dataclass(frozen=True, slots=True)
class Merged:
    conflicts: Found
    rows: Counter[tuple[str, str]]  # key and row of those that are not in conflict


def _text(value: object) -> str:
    return repr(normal(value))


def _key(case: MergeCase, row: Row) -> str:
    return _text([row[name] for name in case.key])


def _rows(case: MergeCase, rows: list[Row], conflicts: Found) -> Counter[tuple[str, str]]:
    conflicted = {conflict[0] for conflict in conflicts}
    told = ((_key(case, row), _text(dict(sorted(row.items())))) for row in rows)
    return Counter(each for each in told if each[0] not in conflicted)


def _typed(case: MergeCase, row: Row | None) -> Row:
    """With doubles as doubles; {} where there is no row."""
    doubles = {column.name for columns in case.columns.values() for column in columns if column.type == "double"}
    cells = (row or {}).items()
    return {name: float(cell) if name in doubles and cell is not None else cell for name, cell in cells}


def _shared(case: MergeCase) -> set[str]:
    """The columns that both sides have."""
    ours, theirs = ({column.name for column in case.columns[side]} for side in ("ours", "theirs"))
    return ours & theirs


def by_dolt(case: MergeCase, merged: dict[str, Any]) -> Merged:
    found: Found = set()
    for conflict in merged["conflicts"]:
        kind = KINDS[tuple(conflict["kinds"])]
        base, ours, theirs = (_typed(case, conflict[side]) for side in ("base", "ours", "theirs"))
        key = _key(case, ours or theirs)
        if kind in ROW_KINDS:
            found.add((key, kind, None, *(_text(row or None) for row in (base, ours, theirs))))
            continue
        differ = {name for name in ours if ours[name] != theirs[name]}
        differ -= {name for name in base if base[name] in (ours[name], theirs[name])}
        assert differ, f"DoltLite has a conflict without a cell: {conflict}"
        told = differ & _shared(case) or differ
        found |= {(key, kind, name, *(_text(row.get(name)) for row in (base, ours, theirs))) for name in told}
    return Merged(found, _rows(case, merged["rows"], found))


def by_forge(case: MergeCase) -> Merged:
    merged = merge_tables(case.base, case.ours, case.theirs, case.key)
    found: Found = set()
    for one in merged.conflicts:
        assert one.key is not None, f"a conflict of schemas: {one}"
        values = [_text(value) for value in (one.base, one.ours, one.theirs)]
        found.add((_key(case, dict(one.key)), str(one.kind), one.column, *values))
    assert (merged.table is None) == bool(found)
    table = merged.table
    if table is None:
        table, still_open = merge_in_steps(replace(case, answers=(Answer("ours"),)))
        assert table is not None, f"not answered: {still_open}"
    return Merged(found, _rows(case, table.to_pylist(), found))


def rows_by_key(case: MergeCase) -> dict[str, dict[str, Row]]:
    return {side: {_key(case, row): row for row in case.arrow(side).to_pylist()} for side in case.rows}


def fills_of_deleted_rows(case: MergeCase) -> set[str]:
    """Keys of rows that one side deleted and the other changed in nothing but the column that it added."""
    rows, found = rows_by_key(case), set()
    for deleting, filling in (("ours", "theirs"), ("theirs", "ours")):
        for key in rows["base"].keys() & rows[filling].keys() - rows[deleting].keys():
            before, after = rows["base"][key], rows[filling][key]
            is_same = all(before[name] == after[name] for name in before)
            is_filled = any(after[name] is not None for name in after.keys() - before.keys())
            found |= {key} if is_same and is_filled else set()
    return found


def fills_of_rows_both_added(case: MergeCase) -> set[str]:
    """Keys of rows that both added, equal in the columns that both have, with a value in one that a side added."""
    rows, found = rows_by_key(case), set()
    for key in rows["ours"].keys() & rows["theirs"].keys() - rows["base"].keys():
        ours, theirs = rows["ours"][key], rows["theirs"][key]
        is_same = all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())
        is_filled = any({**ours, **theirs}[name] is not None for name in ours.keys() ^ theirs.keys())
        found |= {key} if is_same and is_filled else set()
    return found


def keys_of(merged: Merged) -> set[str]:
    return {conflict[0] for conflict in merged.conflicts}


def without(merged: Merged, keys: set[str]) -> Merged:
    rows = {each: count for each, count in merged.rows.items() if each[0] not in keys}
    return Merged({conflict for conflict in merged.conflicts if conflict[0] not in keys}, Counter(rows))


def say(disagreements: list[str | None]) -> str:
    """Nothing where there are none, else how many and the first few."""
    found = [each for each in disagreements if each]
    return "\n".join((f"{len(found)} disagreements", *found[:3])) if found else ""


def find_disagreement(case: MergeCase, dolt: Merged, forge: Merged) -> str | None:
    if dolt == forge:
        return None
    return "\n  ".join(
        (
            f"{case.name}: key {case.key}, columns {case.columns}",
            *(f"{side}: {case.rows[side]}" for side in ("base", "ours", "theirs")),
            f"only DoltLite: {dolt.conflicts - forge.conflicts} {dolt.rows - forge.rows}",
            f"only Forge: {forge.conflicts - dolt.conflicts} {forge.rows - dolt.rows}",
        )
    )


def generate(make: Callable[[random.Random, int], MergeCase], number: int) -> list[MergeCase]:
    rng = random.Random(SEED)
    return [make(rng, each) for each in range(number)]


def test_a_thousand_random_merges_end_as_in_dolt() -> None:
    cases = generate(random_case, 1000)
    disagreements, kinds, clean = [], Counter[str](), 0
    for case, merged in zip(cases, merge_in_dolt(cases, as_dolt_table, tables_per_database=50), strict=True):
        dolt, forge = by_dolt(case, merged), by_forge(case)
        disagreements.append(find_disagreement(case, dolt, forge))
        kinds.update(conflict[1] for conflict in dolt.conflicts)
        clean += not dolt.conflicts
    assert say(disagreements) == ""
    assert clean >= 200, "too few merges without a conflict to say much"
    assert set(kinds) == set(KINDS.values())
    assert min(kinds.values()) >= 50, f"too few conflicts of a kind to say much: {kinds}"


def test_random_merges_of_keyless_tables_end_as_those_of_counts_in_dolt() -> None:
    cases = generate(random_keyless_case, 300)
    disagreements, conflicted, asked = [], 0, 0
    for case, merged in zip(cases, merge_in_dolt(cases, as_dolt_counts, tables_per_database=50), strict=True):
        dolt, forge, alike = counts_by_dolt(merged), counts_by_forge(case), changed_alike(case)
        assert alike <= keys_of(forge) - keys_of(dolt), case
        disagreements.append(find_disagreement(case, without(dolt, alike), without(forge, alike)))
        conflicted += bool(dolt.conflicts)
        asked += bool(alike)
    assert say(disagreements) == ""
    assert 50 <= conflicted <= 250
    assert asked >= 25


def changed_alike(case: MergeCase) -> set[str]:
    base, ours, theirs = (Counter(_text(list(row)) for row in case.rows[side]) for side in ("base", "ours", "theirs"))
    return {row for row in {*base, *ours} if base[row] != ours[row] == theirs[row]}


def counts_by_dolt(merged: dict[str, Any]) -> Merged:
    found: Found = set()
    for conflict in merged["conflicts"]:
        row = json.loads((conflict["ours"] or conflict["theirs"])["row"])
        counts = (conflict[side]["n"] if conflict[side] else 0 for side in ("base", "ours", "theirs"))
        found.add((_text(row), "cardinality", None, *counts))
    conflicted = {conflict[0] for conflict in found}
    rows = {_text(json.loads(row["row"])): row["n"] for row in merged["rows"]}
    return Merged(found, Counter({(row, row): count for row, count in rows.items() if row not in conflicted}))


def counts_by_forge(case: MergeCase) -> Merged:
    merged = merge_tables(case.base, case.ours, case.theirs)
    found: Found = set()
    for one in merged.conflicts:
        assert one.key is not None
        found.add((_text(list(one.key.values())), str(one.kind), one.column, one.base, one.ours, one.theirs))
    table = merged.table
    if table is None:
        table, _ = merge_in_steps(replace(case, answers=(Answer("ours"),)))
    assert table is not None
    conflicted = {conflict[0] for conflict in found}
    rows = (_text(list(row.values())) for row in table.to_pylist())
    return Merged(found, Counter((row, row) for row in rows if row not in conflicted))


def test_random_merges_of_tables_that_got_columns_end_as_in_dolt_but_for_what_is_meant() -> None:
    cases = generate(random_wider_case, 200)
    disagreements, meant, clean = [], Counter[str](), 0
    for case, merged in zip(cases, merge_in_dolt(cases, as_dolt_table, tables_per_database=20), strict=True):
        dolt, forge = by_dolt(case, merged), by_forge(case)
        deleted, added = fills_of_deleted_rows(case), fills_of_rows_both_added(case)
        disagreements.append(find_disagreement(case, without(dolt, deleted | added), without(forge, deleted | added)))
        # and the difference is the one that is meant, no other
        assert deleted <= keys_of(forge) - keys_of(dolt), case
        assert added <= keys_of(dolt) - keys_of(forge), case
        meant.update(deleted=len(deleted), added=len(added))
        clean += not dolt.conflicts
    assert say(disagreements) == ""
    assert min(meant["deleted"], meant["added"], clean) >= 5, (meant, clean)


@pytest.mark.parametrize("number", range(3))
def test_a_merge_that_is_told_wrongly_is_a_disagreement(number: int) -> None:
    """The comparison sees a missing conflict, a missing row and a row too many."""
    case = next(each for each in generate(random_case, 50) if by_forge(each).conflicts and by_forge(each).rows)
    right = by_forge(case)
    wrong = (
        replace(right, conflicts=set()),
        replace(right, rows=Counter[tuple[str, str]]()),
        replace(right, rows=right.rows + right.rows),
    )[number]
    assert find_disagreement(case, right, right) is None
    assert find_disagreement(case, wrong, right) is not None
