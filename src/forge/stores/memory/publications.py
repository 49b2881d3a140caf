"""The publish transaction in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from forge.flows.ports import FaultPoint
from forge.flows.runs.records import BranchAdvance, PointerConflict, Publication, PublishedCommit
from forge.model.names import CommitId
from forge.stores.memory.records import MemoryRecords, plain_json
from forge.stores.refusals import no_commit
from forge.stores.sql.publish import catalogs_of, find_moved, moved_at
from forge.stores.sql.tables import HIDDEN


class MemoryPublications(MemoryRecords):
    def publish(self, publication: Publication, fault_point: FaultPoint) -> PublishedCommit | PointerConflict:
        commit = publication.commit
        with self._lock:
            moved = self._find_moved(publication)
            if moved is not None:
                return moved
            if publication.remediation is not None:
                self.remediations.check(publication.remediation)
            # An error of a fault point must leave nothing behind, so both come before the first change.
            fault_point("publish.pointers")
            fault_point("publish.records")
            self._move(publication, commit.id, commit.time)
            self._keep(publication)
            self._keep_shared(publication, commit.time)
            self._keep_hashes(publication.hashes)
            if publication.remediation is not None:
                self.remediations.put(publication.remediation)
            self.contracts.register_all(publication.contracts)
        return PublishedCommit(commit.id)

    def advance(self, advance: BranchAdvance, fault_point: FaultPoint) -> PublishedCommit | PointerConflict:
        with self._lock:
            if advance.head not in self._commits:
                raise no_commit(advance.head)
            moved = self._find_moved(advance)
            if moved is not None:
                return moved
            fault_point("publish.pointers")
            fault_point("publish.records")
            time = moved_at(advance, self._commits[advance.head].time)
            self._move(advance, advance.head, time)
            if advance.run is not None:
                self._keep_run(advance.run)
            self._keep_shared(advance, time)
            self.contracts.register_all(advance.contracts)
        return PublishedCommit(advance.head)

    def _find_moved(self, change: Publication | BranchAdvance) -> PointerConflict | None:
        names = {name for pointer in change.pointers for name in catalogs_of(pointer)}
        moved = find_moved(change.pointers, {name: self.catalog.location(name) for name in names})
        branch = self._branches.get(change.branch)
        branch_moved = branch is None or branch.head != change.expected_head
        return PointerConflict(moved, branch_moved) if moved or branch_moved else None

    def _move(self, change: Publication | BranchAdvance, head: CommitId, time: datetime) -> None:
        for pointer in change.pointers:
            if pointer.home is not None:
                del self.catalog.rows[pointer.home.catalog]
                self._homes[pointer.home.uuid] = pointer.catalog
            if pointer.gone:
                del self.catalog.rows[pointer.catalog]
        for pointer in change.pointers:
            if pointer.gone:
                continue
            self.catalog.rows[pointer.catalog] = (pointer.location, pointer.kind)
            if pointer.staged and pointer.staged.namespace in HIDDEN:
                self.catalog.rows.pop(pointer.staged, None)
        branch = self._branches[change.branch]
        wakes = branch.status == "merged" and head != change.expected_head
        status = "active" if wakes else branch.status
        self._branches[branch.name] = replace(branch, head=head, updated_at=time, status=status)

    def _keep(self, publication: Publication) -> None:
        run = publication.run
        for commit, tree in (*publication.before, (publication.commit, publication.tree)):
            self._commits.setdefault(commit.id, replace(commit, metadata=plain_json(commit.metadata)))
            self._trees.setdefault(commit.tree_id, dict(tree))
            self.catalog.view_files |= {v.metadata_location for v in tree.values() if v.metadata_location}
        self._keep_run(run)
        self._keep_verdicts(run.id, publication.verdicts)
        self._keep_lineage(run.id, (*publication.unpublished, *publication.lineage))
        for profile in publication.profiles:
            readings = plain_json(profile.readings)
            self._profiles[profile.table, profile.snapshot_id] = replace(profile, readings=readings)
        self._loaded[publication.commit.id] = dict(publication.loaded)

    def _keep_shared(self, change: Publication | BranchAdvance, time: datetime) -> None:
        for asset in change.assets:
            self._assets[asset.table] = replace(asset, columns=tuple(plain_json(column) for column in asset.columns))
        if change.merge is not None:
            self._keep_merge(change.merge)
        for name, status in change.statuses.items():
            if name in self._branches:
                self._branches[name] = replace(self._branches[name], status=status, updated_at=time)
        self._note(change.audit)
