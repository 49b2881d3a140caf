"""Cherry-pick and revert: the same merge with another base."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from forge.flows.runs.records import PublishConflict
from forge.flows.versioning.merge.conclusion import MergePlan
from forge.flows.versioning.merge.merge import ATTEMPTS, execute, moves_too_often
from forge.flows.versioning.merge.record import MergeKind
from forge.flows.versioning.merge.result import MergeResult
from forge.flows.versioning.ports import VersionPorts, adopt
from forge.flows.versioning.revisions import find_commit
from forge.model.names import BranchName, TableName
from forge.model.retry import attempts
from forge.versioning.commit import Commit
from forge.versioning.conflict import Answers, ResolutionRule
from forge.versioning.errors import NoCommitsError
from forge.versioning.graph import MergeBase
from forge.versioning.merge import Strategy
from forge.versioning.protection import refuse_change


def _pick(
    kind: MergeKind,
    revision: str,
    target: str,
    ports: VersionPorts,
    *,
    message: str | None = None,
    keys: Mapping[TableName, tuple[str, ...]] | None = None,
    rules: tuple[ResolutionRule, ...] = (),
    merge_id: str | None = None,
    answers: Answers | None = None,
) -> MergeResult:
    commit = find_commit(ports.metadata, revision, BranchName(target))
    parent = commit.parents[0] if commit.parents else None
    refuse_change(ports.branch(target), kind)
    given = answers or Answers((*ports.rules, *rules))
    for _ in attempts(ATTEMPTS):
        adopt(ports, target)
        branch = ports.branch(target)
        if branch.head is None:
            raise NoCommitsError(f"'{target}' has no commits yet", fix="`forge run` makes the first.")
        picking = kind == "cherry-pick"
        plan = MergePlan(
            kind=kind,
            source=commit.id,
            target=branch,
            head=branch.head,
            theirs=commit.id if picking else parent,
            base=MergeBase(parent if picking else commit.id),
            strategy=Strategy.THREE_WAY,
            message=message or _message(kind, commit),
            keys=keys or {},
            answers=given,
            merge_id=merge_id,
            parents=(branch.head,),
            author=commit.author if picking else None,
        )
        result = execute(plan, ports)
        if not isinstance(result, PublishConflict):
            return result
    raise moves_too_often(target)


cherry_pick = partial(_pick, "cherry-pick")
"""Apply the changes of one commit on top of another branch."""
revert = partial(_pick, "revert")
"""A new commit that undoes the changes of one commit. Later changes stay; where they touch the same cells, they
conflict. Deleted rows are written again: no data file is ever restored."""


def _message(kind: str, commit: Commit) -> str:
    first = commit.message.splitlines()[0] if commit.message else commit.id[:12]
    if kind == "cherry-pick":
        return commit.message
    return f'Revert "{first}"\n\nThis takes back commit {commit.id[:12]}.'
