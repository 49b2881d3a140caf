"""Branches and tags in memory."""

from __future__ import annotations

from dataclasses import replace

from forge.flows.runs.records import AuditRecord
from forge.model.names import BranchName
from forge.stores.memory.records import MemoryRecords
from forge.stores.refusals import no_branch, no_tag, tag_exists
from forge.versioning.branch import Branch, branch_exists
from forge.versioning.merge import OPEN_MERGES
from forge.versioning.tag import Tag


class MemoryRefs(MemoryRecords):
    def branches(self) -> tuple[Branch, ...]:
        with self._lock:
            return tuple(self._branches[name] for name in sorted(self._branches))

    def branch(self, name: BranchName) -> Branch | None:
        return self._branches.get(name)

    def create_branch(self, branch: Branch, audit: AuditRecord) -> None:
        with self._lock:
            if branch.name in self._branches:
                raise branch_exists(branch.name, self._branches[branch.name])
            self._branches[branch.name] = branch
            self._note([audit])

    def delete_branch(self, name: BranchName, audit: AuditRecord) -> None:
        with self._lock:
            self._expect_branch(name)
            del self._branches[name]
            self._note([audit])

    def update_branch(self, branch: Branch, audit: AuditRecord) -> None:
        with self._lock:
            self._expect_branch(branch.name)
            self._branches[branch.name] = replace(branch, head=self._branches[branch.name].head)
            self._note([audit])

    def rename_branch(self, old: BranchName, new: BranchName, audit: AuditRecord) -> None:
        with self._lock:
            self._expect_branch(old)
            if new in self._branches:
                raise branch_exists(new, self._branches[new])
            self._branches[new] = replace(self._branches.pop(old), name=new, updated_at=audit.time)
            for branch in list(self._branches.values()):
                if branch.parent == old:
                    self._branches[branch.name] = replace(branch, parent=new)
            for merge in list(self._merges.values()):
                if merge.status in OPEN_MERGES:
                    source = str(new) if merge.source == old else merge.source
                    target = new if merge.target == old else merge.target
                    self._merges[merge.id] = replace(merge, source=source, target=target)
            for run in list(self._runs.values()):
                if run.branch == old:
                    self._runs[run.id] = replace(run, branch=new)
            self.remediations.follow(old, new)
            self._note([audit])

    def _expect_branch(self, name: BranchName) -> None:
        if name not in self._branches:
            raise no_branch(name, self._branches)

    def tags(self) -> tuple[Tag, ...]:
        with self._lock:
            return tuple(self._tags[name] for name in sorted(self._tags))

    def tag(self, name: str) -> Tag | None:
        return self._tags.get(name)

    def put_tag(self, tag: Tag, audit: AuditRecord, *, replace: bool) -> None:
        with self._lock:
            known = self._tags.get(tag.name)
            if known is not None and not replace:
                raise tag_exists(tag.name, known.target)
            self._tags[tag.name] = tag
            self._note([audit])

    def delete_tag(self, name: str, audit: AuditRecord) -> None:
        with self._lock:
            if name not in self._tags:
                raise no_tag(name, self._tags)
            del self._tags[name]
            self._note([audit])
