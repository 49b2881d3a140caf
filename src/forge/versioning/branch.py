"""A branch of the project: a movable name for a commit, carried in each table by an Iceberg ref of the same name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId
from forge.versioning.errors import BranchExistsError

BranchStatus = Literal["active", "merged", "archived"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    name: BranchName
    head: CommitId | None
    created_at: datetime
    created_by: str
    updated_at: datetime
    parent: BranchName | None = None
    fork_commit: CommitId | None = None
    description: str = ""
    status: BranchStatus = "active"
    is_default: bool = False
    is_protected: bool = False
    require_approval: bool | None = None  # None: as protection says
    allowed_mergers: tuple[str, ...] = ()  # empty: everyone with the right

    @property
    def needs_approval(self) -> bool:
        """Protection implies an approval by someone else, unless explicitly set otherwise."""
        return self.is_protected if self.require_approval is None else self.require_approval

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.name,
            "name": self.name,
            "description": self.description,
            "status": self.status,
            "parent": self.parent,
            "fork_commit": self.fork_commit,
            "head_commit": self.head,
            "is_default": self.is_default,
            "is_protected": self.is_protected,
            "require_approval": self.needs_approval,
            "allowed_mergers": list(self.allowed_mergers),
            "created_by": self.created_by,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        }


def branch_exists(name: BranchName, known: Branch | None) -> ForgeError:
    fix = "Take another name."
    if known is not None and not known.is_default:
        fix = f"Take another name, or delete it: forge branch delete {name}"
    return BranchExistsError(f"Branch {name} exists already", fix=fix)
