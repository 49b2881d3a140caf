"""A query that somebody keeps by a name. It is run with the rights of who runs it, whoever saved it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedQuery:
    """`parameters`: values of :name. `at`: of tables of the lake; None: where the default branch is. `is_shared`:
    others see it, too. `version` counts its changes."""

    id: str
    name: str
    sql: str
    owner: str
    created_at: datetime
    updated_at: datetime
    description: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    at: str | None = None
    is_shared: bool = False
    version: int = 1

    def may_see(self, user: str) -> bool:
        return self.is_shared or self.owner == user

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "name": self.name,
            "description": self.description,
            "sql": self.sql,
            "parameters": dict(self.parameters),
            "at": self.at,
            "is_shared": self.is_shared,
            "owner": self.owner,
            "version": self.version,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }
