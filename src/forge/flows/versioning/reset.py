"""Reset: a branch moves to an existing commit. The commits it leaves stay until `forge gc`."""

from __future__ import annotations

from dataclasses import dataclass

from forge.flows.runs.input_pins import pin_branch
from forge.flows.runs.publish.changes import BranchChanges, assets_of
from forge.flows.runs.publish.publish import PublishRecord, publish
from forge.flows.runs.records import AuditRecord, PublishConflict
from forge.flows.versioning.ports import VersionPorts, adopt
from forge.flows.versioning.revisions import find_commit
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, TableName
from forge.versioning.commit import Commit, same
from forge.versioning.protection import refuse_change


@dataclass(frozen=True, slots=True)
class Reset:
    branch: BranchName
    before: CommitId | None
    commit: Commit
    tables: tuple[TableName, ...]  # that now point elsewhere


def reset(branch: str, revision: str, ports: VersionPorts) -> Reset:
    """No data is read, written or deleted: refs move, in one transaction for all tables."""
    refuse_change(ports.branch(branch), "reset")
    adopt(ports, branch)  # what another engine wrote stays in the history
    line = pin_branch(ports.metadata, BranchName(branch), ports.default_branch)
    commit = find_commit(ports.metadata, revision, line.branch)
    wanted = ports.metadata.tree(commit.id)
    tables = sorted({*line.tree, *wanted})
    changed = {t: wanted.get(t) for t in tables if not same(line.tree.get(t), wanted.get(t))}
    now, detail = ports.clock(), {"from": line.head, "to": commit.id}
    record = PublishRecord(
        time=now,
        head=commit.id,
        assets=assets_of(ports, None, changed) if line.is_default else (),
        audit=(AuditRecord(now, ports.author.email, "reset", str(line.branch), detail),),
    )
    if isinstance(publish(ports.publishing, BranchChanges(line=line, versions=changed), record), PublishConflict):
        raise ForgeError(
            "E403",
            f"Someone else published on '{branch}' meanwhile",
            why="Nothing was moved.",
            fix="Look at `forge log`, then reset again.",
        )
    return Reset(line.branch, line.head, commit, tuple(changed))
