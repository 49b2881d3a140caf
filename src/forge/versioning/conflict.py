"""Conflicts: what two sides changed differently, kept until resolved. Ours is the target."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ConflictKind(StrEnum):
    MODIFY_MODIFY = "modify_modify"
    ADD_ADD = "add_add"
    DELETE_MODIFY = "delete_modify"  # ours deleted, theirs changed
    MODIFY_DELETE = "modify_delete"  # ours changed, theirs deleted
    COLUMN_DROPPED_MODIFIED = "column_dropped_modified"
    CARDINALITY = "cardinality"  # keyless: both changed how often a row is there
    SCHEMA_CHANGE = "schema_change"
    CONSTRAINT = "constraint"


class ResolutionChoice(StrEnum):
    """How a conflict is resolved."""

    OURS = "ours"
    THEIRS = "theirs"
    BASE = "base"
    MANUAL = "manual"
    EXPRESSION = "expression"  # SQL over (base, ours, theirs), like greatest(ours, theirs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """`key` maps key columns to values; of a keyless table it is the whole row, of a schema conflict None. Without a
    `column` the conflict is of the row: base, ours and theirs are rows (None: missing) or, keyless, counts."""

    kind: ConflictKind
    key: Mapping[str, object] | None = None
    column: str | None = None
    base: object = None
    ours: object = None
    theirs: object = None
    table: str | None = None
    location: str | None = None  # the place as text: a check, a file
    resolution: ResolutionChoice | None = None
    resolved_value: object = None  # of manual; the text of an expression

    @property
    def id(self) -> str:
        """The same conflict has the same id when a merge is recomputed."""
        parts = [self.kind, self.table, self.key, self.column, self.base, self.ours, self.theirs, self.location]
        text = json.dumps(parts, sort_keys=True, default=str, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "kind": str(self.kind),
            "table": self.table,
            "key": dict(self.key) if self.key is not None else None,
            "column": self.column,
            "base": self.base,
            "ours": self.ours,
            "theirs": self.theirs,
            "location": location_of(self),
            "resolution": str(self.resolution) if self.resolution else None,
            "resolved_value": self.resolved_value,
        }


@dataclass(frozen=True, slots=True)
class ResolutionRule:
    """A resolution of conflicts in advance: of a table, of a column of it, or of all. The most specific one wins; a
    resolution of one conflict overrides every rule."""

    take: ResolutionChoice
    table: str | None = None
    column: str | None = None
    value: object = None  # of manual; the text of an expression

    def to_dict(self) -> dict[str, object]:
        return {"take": str(self.take), "table": self.table, "column": self.column, "value": self.value}


@dataclass(frozen=True, slots=True)
class Answers:
    """The resolutions of a merge so far."""

    rules: tuple[ResolutionRule, ...] = ()
    by_conflict: Mapping[str, ResolutionRule] = field(default_factory=dict)  # by Conflict.id

    def find(self, conflict: Conflict) -> ResolutionRule | None:
        """The resolution of this conflict, if there is one."""
        given = self.by_conflict.get(conflict.id)
        if given is not None:
            return given
        fitting = [
            rule
            for rule in self.rules
            if rule.table in (None, conflict.table) and rule.column in (None, conflict.column)
        ]
        # of equally specific rules the last one wins
        return max(reversed(fitting), key=lambda rule: (rule.column is not None, rule.table is not None), default=None)


def location_of(conflict: Conflict, key: Mapping[str, object] | None = None) -> str:
    """The place of the conflict as text. `key` is shown instead of the conflict's own, which may hold masked values."""
    if conflict.location is not None:
        return conflict.location
    shown = conflict.key if key is None else key
    row = ", ".join(f"{name} = {value}" for name, value in (shown or {}).items())
    parts = [f"column {conflict.column}" if conflict.column else "", f"row {row}" if row else ""]
    return " of ".join(part for part in parts if part) or "the whole table"
