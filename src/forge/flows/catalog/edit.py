"""Edits of documentation: made at once or, where the domain asks for it, proposed and approved by somebody else. Each
is in the history, and can be taken back by another."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from forge.catalog.approval import (
    EditProposal,
    Policies,
    ProposalState,
    missing_fields,
    needs_approval,
    refuse_approver,
    refuse_incomplete,
)
from forge.catalog.asset import CatalogAsset
from forge.catalog.edit import (
    AssetEdit,
    StaleVersionError,
    UnknownAssetError,
    UnknownProposalError,
    plan_edit,
    read_edit,
)
from forge.flows.catalog.asset_store import AssetFilter, AssetStore
from forge.flows.runs.records import AuditRecord
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.retry import attempts
from forge.model.time import Clock

_TRIES = 10
_HISTORY = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EditPorts:
    store: AssetStore
    clock: Clock
    actor: str
    policies: Policies
    file_sync: Callable[[], object] = lambda: None  # so that no field of a file is edited
    term_id: Callable[[str], str] = lambda text: text  # of a glossary term by its id or name; what is no term stays
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12]


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """The asset as it is now, and the edit or the proposal that waits; neither: it says that already."""

    asset: CatalogAsset
    edit: AssetEdit | None = None
    proposal: EditProposal | None = None


def find_asset(store: AssetStore, name: str) -> CatalogAsset:
    """E850 with the nearest names."""
    found = store.asset(name)
    if found is None:
        near = [one.qualified_name for one in store.assets(AssetFilter(prefix=name[:3]), limit=1000)]
        raise UnknownAssetError(
            f"The catalog has no asset '{name[:300]}'",
            why=did_you_mean(name, near),
            fix="`forge catalog scan` takes in what sources have; `forge catalog search` finds it.",
        )
    return found


def edit_asset(
    name: str, fields: Mapping[str, Any], ports: EditPorts, *, expected_version: int | None = None
) -> EditOutcome:
    """`expected_version`: E853 where the documentation has another one by now. Without it, an edit of fields that
    others do not touch meanwhile is never lost."""
    changes = _with_terms(read_edit(fields), ports)
    ports.file_sync()
    return _apply(name, changes, ports, expected_version)


def check_edit(asset: CatalogAsset, fields: Mapping[str, Any], ports: EditPorts) -> None:
    """Raises what `edit_asset` would of an asset that is so; writes nothing."""
    edit = plan_edit(asset, _with_terms(read_edit(fields), ports), ports.clock(), ports.actor)
    if edit is not None:
        refuse_incomplete(asset, edit.after, ports.policies)


def undo_edit(
    name: str, ports: EditPorts, *, version: int | None = None, expected_version: int | None = None
) -> EditOutcome:
    """A new edit that restores what was before one; without a version, before the last."""
    ports.file_sync()
    undone = _edit_of(find_asset(ports.store, name), version, ports.store)
    return _apply(name, undone.before, ports, expected_version, undoes=undone.version)


def decide_proposal(proposal_id: str, ports: EditPorts, *, approve: bool, comment: str = "") -> EditOutcome:
    for _ in attempts(_TRIES):
        proposal = find_proposal(ports.store, proposal_id)
        asset = find_asset(ports.store, proposal.asset)  # under whatever name it has now
        if approve and asset.uid != proposal.uid:
            raise UnknownAssetError(
                f"The proposal {proposal_id} is of an asset that is not called {proposal.asset} any more",
                why="Another asset has that name by now. Nothing was changed.",
                fix="Reject it, and propose the edit anew.",
            )
        if proposal.state is not ProposalState.OPEN:
            raise ForgeError(
                "E857",
                f"The proposal {proposal_id} was {proposal.state.value} already",
                why=f"By {proposal.decided_by}.",
            )
        if approve or ports.actor != proposal.by:  # whoever proposed may take it back
            refuse_approver(proposal, asset, ports.actor, ports.policies)
        now = ports.clock()
        state = ProposalState.APPROVED if approve else ProposalState.REJECTED
        decided = replace(proposal, state=state, decided_by=ports.actor, decided_at=now, comment=comment[:1000])
        edit = plan_edit(asset, proposal.changes, now, proposal.by, undoes=proposal.undoes) if approve else None
        if edit is not None:
            refuse_incomplete(asset, edit.after, ports.policies)
            edit = replace(edit, approved_by=ports.actor)
        audit = _note(ports, f"catalog.{'approve' if approve else 'reject'}", asset, {"proposal": proposal.id})
        if ports.store.decide(decided, edit, audit):
            return EditOutcome(find_asset(ports.store, asset.qualified_name), edit, decided)
    raise StaleVersionError(proposal.asset, proposal.base_version, asset.version)


def find_proposal(store: AssetStore, proposal_id: str) -> EditProposal:
    found = store.proposal(proposal_id)
    if found is None:
        raise UnknownProposalError(
            f"There is no proposal '{proposal_id[:100]}'", fix="`forge catalog approve` lists those that wait."
        )
    return found


def _apply(
    name: str,
    changes: Mapping[str, Any],
    ports: EditPorts,
    expected: int | None,
    *,
    undoes: int | None = None,
) -> EditOutcome:
    for _ in attempts(_TRIES):
        asset = find_asset(ports.store, name)
        if expected is not None and asset.version != expected:
            raise StaleVersionError(asset.qualified_name, expected, asset.version)
        edit = plan_edit(asset, changes, ports.clock(), ports.actor, undoes=undoes)
        if edit is None:
            return EditOutcome(asset)
        refuse_incomplete(asset, edit.after, ports.policies)
        if needs_approval(asset, edit.after, ports.policies):
            return EditOutcome(asset, proposal=_propose(asset, edit, ports))
        audit = _note(ports, "catalog.undo" if undoes else "catalog.edit", asset, {"fields": sorted(edit.after)})
        if ports.store.edit(edit, audit):
            return EditOutcome(find_asset(ports.store, asset.qualified_name), edit)
    raise StaleVersionError(asset.qualified_name, asset.version, find_asset(ports.store, name).version)


def _with_terms(changes: Mapping[str, Any], ports: EditPorts) -> Mapping[str, Any]:
    """Terms by their ids. A link may come before its term, and outlive it."""
    found = dict(changes)
    for path, value in changes.items():
        if path == "terms" and value:
            found[path] = list(dict.fromkeys(ports.term_id(one) for one in value))
        elif path.startswith("columns.") and path.endswith(".term") and value:
            found[path] = ports.term_id(value)
    return found


def _propose(asset: CatalogAsset, edit: AssetEdit, ports: EditPorts) -> EditProposal:
    proposal = EditProposal(
        id=ports.new_id(),
        uid=asset.uid,
        asset=asset.qualified_name,
        changes=edit.after,
        base_version=asset.version,
        undoes=edit.undoes,
        by=edit.by,
        at=edit.at,
    )
    ports.store.propose(proposal, _note(ports, "catalog.propose", asset, {"proposal": proposal.id}))
    return proposal


def _edit_of(asset: CatalogAsset, version: int | None, store: AssetStore) -> AssetEdit:
    history = store.history(asset.uid, _HISTORY if version is not None else 1)
    found = next((one for one in history if version in (None, one.version)), None)
    if found is None:
        raise UnknownProposalError(
            f"{asset.qualified_name} has no edit {version}" if version else f"{asset.qualified_name} was never edited",
            fix=f"`forge catalog history {asset.qualified_name}` lists them.",
        )
    return found


def _note(ports: EditPorts, action: str, asset: CatalogAsset, detail: Mapping[str, object]) -> AuditRecord:
    return AuditRecord(ports.clock(), ports.actor, action, asset.qualified_name, detail)


def lacks(asset: CatalogAsset, ports: EditPorts) -> tuple[str, ...]:
    """Fields that its domain requires and that nobody has filled in."""
    return missing_fields(asset, ports.policies)
