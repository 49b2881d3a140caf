"""What a domain asks of the documentation of its assets: fields that must be there, and the approval of edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from forge.catalog.asset import CatalogAsset, Documentation
from forge.catalog.asset_json import Fields
from forge.catalog.edit import documented
from forge.model.errors import ForgeError


@dataclass(frozen=True, slots=True)
class DomainPolicy:
    """`approvers`: who may approve; empty: anyone but who proposed."""

    required: tuple[str, ...] = ()
    approval: bool = False
    approvers: tuple[str, ...] = ()


Policies = Mapping[str, DomainPolicy]


class ProposalState(StrEnum):
    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditProposal:
    """An edit that waits for somebody else."""

    id: str
    uid: str
    asset: str  # its name when it was proposed
    state: ProposalState = ProposalState.OPEN
    changes: Mapping[str, Any]
    base_version: int  # of the documentation that was seen
    undoes: int | None = None
    by: str
    at: datetime
    decided_by: str | None = None
    decided_at: datetime | None = None
    comment: str = ""

    def to_dict(self) -> Fields:
        return {
            "id": self.id,
            "asset": self.asset,
            "state": self.state.value,
            "changes": dict(self.changes),
            "documentation_version": self.base_version,
            "undoes": self.undoes,
            "by": self.by,
            "at": self.at.isoformat(),
            "decided_by": self.decided_by,
            "decided_at": self.decided_at.isoformat() if self.decided_at else None,
            "comment": self.comment,
        }


def missing_fields(asset: CatalogAsset, policies: Policies) -> tuple[str, ...]:
    """Required by its domain, and filled in by nobody."""
    policy = policies.get(asset.domain or "", DomainPolicy())
    return tuple(name for name in policy.required if not _is_documented(asset, name))


def needs_approval(asset: CatalogAsset, changes: Mapping[str, Any], policies: Policies) -> bool:
    """An edit of an asset of such a domain, or one that brings it there."""
    domains = {asset.domain, changes.get("domain")}
    return any(policies[name].approval for name in domains if name is not None and name in policies)


def refuse_incomplete(asset: CatalogAsset, after: Mapping[str, Any], policies: Policies) -> None:
    """E851 for an edit that takes away what its domain requires, or that brings an asset without it there. What was
    missing before may be filled field by field."""
    new = with_edit(asset, after)
    same_domain = new.domain == asset.domain
    before = frozenset(missing_fields(asset, policies) if same_domain else ())
    lacking = [name for name in missing_fields(new, policies) if name not in before]
    if lacking:
        raise ForgeError(
            "E851",
            f"{asset.qualified_name} needs {' and '.join(lacking)} in the domain {new.domain}",
            why="catalog.domains in forge.yaml requires it. Nothing was changed.",
            fix="Say it in the same edit.",
        )


def refuse_approver(proposal: EditProposal, asset: CatalogAsset, by: str, policies: Policies) -> None:
    """E855 for who proposed it, and for who is not named."""
    domains = {asset.domain, proposal.changes.get("domain")}
    named = [policies[name].approvers for name in domains if name is not None and name in policies]
    if by != proposal.by and all(not approvers or by in approvers for approvers in named):
        return
    own = by == proposal.by
    allowed = sorted({one for approvers in named for one in approvers if one != proposal.by})
    raise ForgeError(
        "E855",
        "Whoever proposed an edit cannot approve it" if own else f"{by} may not approve edits of {asset.domain}",
        why="catalog.domains in forge.yaml asks for the approval of someone else.",
        fix=f"Ask {', '.join(allowed)}." if allowed else "Ask a colleague.",
    )


def with_edit(asset: CatalogAsset, after: Mapping[str, Any]) -> CatalogAsset:
    """The asset as it would be."""
    edited = documented(asset.edited, after)
    return replace(asset, edited=edited, documentation=documented(asset.documentation, after))


def _is_documented(asset: CatalogAsset, name: str) -> bool:
    own: Documentation | CatalogAsset = asset if hasattr(asset, name) else asset.documentation
    return bool(getattr(own, name, None))
