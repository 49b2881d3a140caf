"""Random three-way merges as merge cases without an expectation, and what DoltLite makes of them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from case_values import Column
from merge_cases import MergeCase

Key = tuple[Any, ...]
Rows = dict[Key, list[Any]]  # the cells that are no key, by key

DOLT_TYPES = {"bigint": "INTEGER", "string": "TEXT", "double": "REAL"}
VALUES: dict[str, Sequence[Any]] = {
    "bigint": (None, 0, 1, 2, -1, 2**53 + 1),
    "string": (None, "", "x", "y", "\u00e9", "e\u0301", "it's"),
    "double": (None, 0.5, -1.25, 1e300, 2.0),
}
KEYS: Sequence[Sequence[Column]] = (
    (Column(None, "k", "bigint"),),
    (Column(None, "k", "string"),),
    (Column(None, "k", "string"), Column(None, "l", "bigint")),
)


def random_case(rng: random.Random, number: int) -> MergeCase:
    """A keyed table of a few columns; both sides change, delete and insert, some of it alike."""
    key = rng.choice(KEYS)
    columns = tuple(Column(None, name, rng.choice(tuple(DOLT_TYPES))) for name in "abc"[: rng.randint(1, 3)])
    pool = _pool(rng, key)
    base = _edited({}, columns, pool, rng, insert=0.6)
    shared = _edited(base, columns, pool, rng) if rng.random() < 0.4 else base
    sides = {"base": base, "ours": _edited(shared, columns, pool, rng), "theirs": _edited(shared, columns, pool, rng)}
    return _case(number, key, dict.fromkeys(sides, columns), sides)


def random_wider_case(rng: random.Random, number: int) -> MergeCase:
    """Like a random case; then a side, or each, adds a column of its own and fills some of it."""
    case = random_case(rng, number)
    width = len(case.key)
    key, columns = case.columns["base"][:width], dict.fromkeys(case.rows, case.columns["base"][width:])
    sides = {side: {tuple(row[:width]): list(row[width:]) for row in case.rows[side]} for side in case.rows}
    for side, name in rng.sample((("ours", "p"), ("theirs", "q")), rng.randint(1, 2)):
        columns[side] += (Column(None, name, "bigint"),)
        sides[side] = {key: [*cells, rng.choice((None, None, 1, 2))] for key, cells in sides[side].items()}
    return _case(number, key, columns, sides)


def random_keyless_case(rng: random.Random, number: int) -> MergeCase:
    """A multiset of few distinct rows, so that both sides often change the count of one."""
    columns = (Column(None, "a", "bigint"), Column(None, "b", "string"))
    distinct = [(rng.choice((None, 1, 2)), rng.choice((None, "x", "y"))) for _ in range(rng.randint(0, 5))]

    def recounted(counts: Counter[Key]) -> Counter[Key]:
        changed = {row: max(0, counts[row] + rng.choice((-2, -1, 1, 2))) for row in distinct if rng.random() < 0.35}
        return Counter({**counts, **changed})

    base = Counter({row: rng.randint(0, 3) for row in distinct})
    shared = recounted(base) if rng.random() < 0.3 else base
    counts = {"base": base, "ours": recounted(shared), "theirs": recounted(shared)}
    rows = {side: tuple(sorted(each.elements(), key=repr)) for side, each in counts.items()}
    return MergeCase(f"merge {number}", "random", (), dict.fromkeys((*rows, "merged"), columns), rows, None)


def _pool(rng: random.Random, key: Sequence[Column]) -> list[Key]:
    """Few keys, so that both sides often insert the same one."""
    values: dict[str, Sequence[Any]] = {
        "bigint": range(-1, 9),
        "string": ("", "a", "A", "b", "ab", "\u00e9", "e\u0301"),
    }
    found = {tuple(rng.choice(values[column.type]) for column in key) for _ in range(9)}
    return sorted(found, key=repr)


def _edited(
    rows: Rows, columns: Sequence[Column], pool: Sequence[Key], rng: random.Random, insert: float = 0.15
) -> Rows:
    edited: Rows = {}
    for key in pool:
        if key in rows and rng.random() > 0.1:
            cells = zip(rows[key], columns, strict=True)
            edited[key] = [rng.choice(VALUES[of.type]) if rng.random() < 0.2 else cell for cell, of in cells]
        elif key not in rows and rng.random() < insert:
            edited[key] = [rng.choice(VALUES[column.type]) for column in columns]
    return edited


def _case(
    number: int, key: Sequence[Column], columns: dict[str, tuple[Column, ...]], sides: dict[str, Rows]
) -> MergeCase:
    all_columns = {side: (*key, *columns[side]) for side in columns}
    rows = {side: tuple((*each, *cells) for each, cells in sides[side].items()) for side in sides}
    names = tuple(column.name for column in key)
    return MergeCase(f"merge {number}", "random", names, {**all_columns, "merged": all_columns["base"]}, rows, None)


def as_dolt_table(case: MergeCase, name: str) -> dict[str, Any]:
    columns = {
        side: [[column.name, DOLT_TYPES[column.type]] for column in case.columns[side]]
        for side in ("base", "ours", "theirs")
    }
    return {"name": name, "key": case.key, "columns": columns, **case.rows}


def as_dolt_counts(case: MergeCase, name: str) -> dict[str, Any]:
    """A keyless table as a table of counts, keyed by the row written as text."""
    columns = {side: [["row", "TEXT"], ["n", "INTEGER"]] for side in case.rows}
    counts = {side: list(Counter(map(json.dumps, rows)).items()) for side, rows in case.rows.items()}
    return {"name": name, "key": ["row"], "columns": columns, **counts}


def merge_in_dolt(
    cases: Sequence[MergeCase], as_table: Callable[[MergeCase, str], dict[str, Any]], tables_per_database: int
) -> list[dict[str, Any]]:
    """Per case its rows and conflicts."""
    tables = [as_table(case, f"t{number}") for number, case in enumerate(cases)]
    starts = range(0, len(tables), tables_per_database)
    program = Path(__file__).with_name("dolt_merges.py")
    answer = subprocess.run(
        [sys.executable, str(program)],
        input=json.dumps([tables[start : start + tables_per_database] for start in starts]),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr
    merged: dict[str, Any] = {}
    for database in json.loads(answer.stdout):
        merged |= database
    return [merged[table["name"]] for table in tables]
