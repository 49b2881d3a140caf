"""Conflicts in rows, in batches: most merges resolve a whole column at once, or show only the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pyarrow as pa

from forge.model.errors import CellError, ForgeError
from forge.versioning.arrow_types import python_values
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.rows.codes import Numbers, sort_rows
from forge.versioning.rows.values import fit_value

OPEN, OURS, THEIRS, BASE, VALUE = -1, 0, 1, 2, 3
_CHOICES = {ResolutionChoice.OURS: OURS, ResolutionChoice.THEIRS: THEIRS, ResolutionChoice.BASE: BASE}


@dataclass(frozen=True, slots=True)
class ConflictBatch:
    """Conflicts of one kind in one column (None: of rows, or of counts)."""

    kind: ConflictKind
    column: str | None
    keys: Numbers
    place: int | None = None  # of the column in the layout


class ConflictContext(Protocol):
    """The data that a batch of conflicts refers to."""

    @property
    def table(self) -> str | None: ...
    def order(self, keys: Numbers) -> Sequence[pa.Array]:
        """Columns that keys are sorted by."""
        ...

    def describe(self, batch: ConflictBatch, keys: Numbers) -> list[Conflict]:
        """The conflicts of some keys of the batch, in full."""
        ...

    def refuse(self, conflict: Conflict, batch: ConflictBatch, rule: ResolutionRule) -> str | None:
        """Why the rule cannot resolve the conflict; None: it can."""
        ...

    def fit(self, conflict: Conflict, batch: ConflictBatch, rule: ResolutionRule) -> object:
        """The value of a manual resolution or an expression, as it will be stored. E619, E625 where it cannot be."""
        ...

    def allowed(self, batch: ConflictBatch, choice: int, keys: Numbers) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Where taking a side resolves the conflicts of the batch."""
        ...


@dataclass(frozen=True, slots=True)
class BatchDecision:
    """The resolution of each conflict of a batch. `values` are those of VALUE, by place in the batch."""

    batch: ConflictBatch
    choice: Numbers
    values: Mapping[int, object] = field(default_factory=dict)

    def keys(self, choice: int) -> Numbers:
        result: Numbers = self.batch.keys[self.choice == choice]
        return result

    @property
    def open_keys(self) -> Numbers:
        return self.keys(OPEN)


def decide(batch: ConflictBatch, answers: Answers, scene: ConflictContext) -> BatchDecision:
    size = len(batch.keys)
    if not answers.by_conflict:
        standing = answers.find(Conflict(kind=batch.kind, column=batch.column, table=scene.table))
        if standing is None or not size:
            return BatchDecision(batch, np.full(size, OPEN, dtype=np.int64))
        if standing.take in _CHOICES:
            choice = _CHOICES[standing.take]
            return BatchDecision(batch, np.where(scene.allowed(batch, choice, batch.keys), choice, OPEN))
    choices = np.full(size, OPEN, dtype=np.int64)
    values: dict[int, object] = {}
    for place, conflict in enumerate(scene.describe(batch, batch.keys)):
        rule = answers.find(conflict)
        if rule is None:
            continue
        if (problem := scene.refuse(conflict, batch, rule)) is not None:
            if conflict.id in answers.by_conflict:
                raise bad_answer(conflict, problem)
            continue  # a standing rule that does not fit leaves the conflict open
        choices[place] = _CHOICES.get(rule.take, VALUE)
        if rule.take not in _CHOICES:
            values[place] = scene.fit(conflict, batch, rule)
    return BatchDecision(batch, choices, values)


def bad_answer(conflict: Conflict, problem: str) -> ForgeError:
    key = ", ".join(f"{name} = {value}" for name, value in (conflict.key or {}).items())
    place = f"column {conflict.column}" if conflict.column else "the row"
    return CellError(
        "E619",
        f"The answer to conflict {conflict.id} ({place} of {key}) does not fit: {problem}",
        without=f"The answer to conflict {conflict.id} ({place}) does not fit: {problem}",
        columns=conflict.key or (),
        where=conflict.table,
        fix="Answer it with ours, theirs, base, or a value that fits.",
    )


def collect(
    decisions: Sequence[BatchDecision], scene: ConflictContext, limit: int | None
) -> tuple[tuple[Conflict, ...], int]:
    """The open conflicts by key, then column, at most `limit` of them, and their total number."""
    waiting = [(decision.batch, decision.open_keys) for decision in decisions]
    waiting = [(batch, keys) for batch, keys in waiting if len(keys)]
    count = sum(len(keys) for _, keys in waiting)
    if not count or limit == 0:
        return (), count
    keys = np.concatenate([keys for _, keys in waiting])
    group = np.repeat(np.arange(len(waiting)), [len(keys) for _, keys in waiting])
    columns = [(batch.column or "", str(batch.kind)) for batch, _ in waiting]
    names = {name: place for place, name in enumerate(sorted(set(columns)))}
    unique, where = np.unique(keys, return_inverse=True)
    rank = np.empty(len(unique), dtype=np.int64)
    rank[sort_rows(scene.order(unique), len(unique))] = np.arange(len(unique))
    chosen = np.lexsort((np.array([names[name] for name in columns])[group], rank[where]))[:limit]
    found: dict[int, Conflict] = {}
    for number, (batch, _) in enumerate(waiting):
        mine = chosen[group[chosen] == number]
        found.update(zip(mine.tolist(), scene.describe(batch, keys[mine]), strict=True))
    return tuple(found[place] for place in chosen.tolist()), count


def row_dicts(names: Sequence[str], columns: Sequence[pa.Array], length: int) -> list[dict[str, object]]:
    values = [python_values(column) for column in columns]
    if not values:
        return [{} for _ in range(length)]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def evaluate(rule: ResolutionRule, conflict: Conflict, kind: pa.DataType) -> object:
    """The value of a manual resolution or an expression for one cell."""
    if rule.take is ResolutionChoice.MANUAL:
        return fit_value(rule.value, kind, conflict.column or "")
    from forge.versioning.expression.parse import parse_expression

    sides = conflict.base, conflict.ours, conflict.theirs
    result = parse_expression(str(rule.value)).evaluate(*sides, column=conflict.column)
    return fit_value(result, kind, conflict.column or "", rounded=True)
