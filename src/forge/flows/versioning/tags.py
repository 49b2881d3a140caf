"""Tags: fixed names for commits. Tags on commits of a protected branch are protected."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from forge.flows.runs.records import AuditRecord
from forge.flows.versioning.record_ports import CommitHistory, Refs
from forge.flows.versioning.revisions import find_commit, find_tag
from forge.model.errors import ForgeError
from forge.model.names import BranchName
from forge.model.time import Clock
from forge.versioning.commit import Author, Signature
from forge.versioning.graph import is_ancestor
from forge.versioning.naming import parse_tag
from forge.versioning.protection import effective, refuse_change
from forge.versioning.tag import Tag, tag_id_of

Signer = Callable[[str], Signature]
"""Signs an id, as commits are signed."""


def create_tag(
    metadata: CommitHistory,
    name: str,
    target: str = "HEAD",
    *,
    author: Author,
    clock: Clock,
    current: BranchName,
    message: str = "",
    force: bool = False,
    signer: Signer | None = None,
    protected: Collection[str] = (),
) -> Tag:
    """A tag at any revision. An existing one is moved by `force` alone (E615), and never while a protected branch
    holds its commit (E608). `protected` are the patterns of the settings."""
    parsed, now = parse_tag(name), clock()
    commit = find_commit(metadata, target, current)
    known = metadata.tag(parsed)
    if known is not None and not force:
        raise ForgeError(
            "E615",
            f"Tag '{parsed}' exists already",
            where=f"commit {known.target[:12]}",
            fix=f"Take another name, or move it: forge tag create {parsed} {target} --force",
        )
    if known is not None:
        _refuse_protected(metadata, known, protected)
    tag = Tag(name=parsed, target=commit.id, tagger=author, time=now, message=message)
    if signer is not None:
        tag = replace(tag, signature=signer(tag_id_of(tag)))
    detail: dict[str, object] = {"target": commit.id, **({"from": known.target} if known else {})}
    action = "tag.move" if known is not None else "tag.create"
    metadata.put_tag(tag, AuditRecord(now, author.email, action, parsed, detail), replace=known is not None)
    return tag


def delete_tag(
    metadata: CommitHistory, name: str, *, author: Author, clock: Clock, protected: Collection[str] = ()
) -> Tag:
    """A tag that may not be moved may not be deleted either: it could be created again elsewhere."""
    tag = find_tag(metadata, name)
    _refuse_protected(metadata, tag, protected)
    metadata.delete_tag(tag.name, AuditRecord(clock(), author.email, "tag.delete", tag.name, {"target": tag.target}))
    return tag


def list_tags(metadata: Refs) -> tuple[Tag, ...]:
    """By name."""
    return tuple(sorted(metadata.tags(), key=lambda tag: tag.name))


def _refuse_protected(metadata: CommitHistory, tag: Tag, protected: Collection[str]) -> None:
    branches = [effective(branch, protected, True) for branch in metadata.branches()]
    guarded = [branch for branch in branches if branch.is_protected and branch.head is not None]
    parents = metadata.ancestry([branch.head for branch in guarded if branch.head is not None])
    for branch in guarded:
        if is_ancestor(tag.target, branch.head, parents):
            refuse_change(branch, "tag move")
