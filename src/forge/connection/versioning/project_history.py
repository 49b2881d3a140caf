"""Branches, commits of data, merges and history from Python: the verbs of the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from forge.connection.versioning.arguments import arrow_rows, names_of, read_keys, read_rules
from forge.connection.versioning.results import (
    BlameReport,
    CommitReport,
    ComparisonReport,
    DiffReport,
    MergeReport,
    PreviewReport,
)
from forge.flows.runs.build import StepEvent
from forge.flows.versioning.branches import BranchSummary
from forge.flows.versioning.merge.record import MergeRecord
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.reset import Reset
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, TableName
from forge.versioning.branch import Branch
from forge.versioning.conflict import Conflict
from forge.versioning.merge import parse_strategy
from forge.versioning.resolution import UNSET, parse_rule
from forge.versioning.tag import Tag
from forge.wiring import Wiring

if TYPE_CHECKING:
    from forge.flows.upkeep.verify.history import Verification

Notify = Callable[[StepEvent], None]
Keys = Mapping[str, str | Sequence[str]]


def _silent(event: StepEvent) -> None:
    return None


class ProjectHistory:
    """The part of a connection that changes and compares versions of tables."""

    wiring: Wiring
    current: BranchName  # what HEAD resolves to, and the default target branch

    def _ports(self, notify: Notify = _silent) -> VersionPorts:
        return self.wiring.versioning.ports(notify)

    # branches and tags

    def branch(self, name: str, at: str = "HEAD", *, description: str = "") -> Branch:
        """Create a branch at a branch, tag, commit or time. No data is written."""
        from forge.flows.versioning.branches import create_branch

        w = self.wiring
        return create_branch(
            w.metadata, name, at, current=self.current, author=w.author, clock=w.clock, description=description
        )

    def branches(self) -> tuple[BranchSummary, ...]:
        """With how far each is from the default one."""
        from forge.flows.versioning.branches import list_branches

        return list_branches(self.wiring.metadata, self.wiring.default_branch)

    def tag(self, name: str, at: str = "HEAD", *, message: str = "", force: bool = False) -> Tag:
        from forge.flows.versioning.tags import create_tag

        w = self.wiring
        return create_tag(
            w.metadata,
            name,
            at,
            author=w.author,
            clock=w.clock,
            current=self.current,
            message=message,
            force=force,
            signer=w.versioning.signer,
            protected=w.settings.versioning.protected_branches,
        )

    def tags(self) -> tuple[Tag, ...]:
        from forge.flows.versioning.tags import list_tags

        return list_tags(self.wiring.metadata)

    # commits and what they changed

    def commit(
        self,
        table: str,
        *,
        rows: Any = None,
        sql: str | None = None,
        frame: Any = None,
        file: str | Path | None = None,
        mode: str = "append",
        key: str | Sequence[str] | None = None,
        branch: str | None = None,
        message: str | None = None,
        notify: Notify = _silent,
    ) -> CommitReport:
        """Commit rows (an Arrow table, a pandas frame, a list of dicts), a query, a Spark DataFrame or a file. `mode`
        is append, overwrite, merge or delete, the last two by key."""
        from forge.flows.versioning.data.commit import CommitMode, CommitRequest, commit_data
        from forge.flows.versioning.upload.commit import commit_file

        words = [each.value for each in CommitMode]
        if mode not in words:
            fix = f"Take one of {', '.join(words)}."
            raise ForgeError("E105", f"'{mode}' is no mode", why=did_you_mean(mode, words), fix=fix)
        if sum(given is not None for given in (rows, sql, frame, file)) != 1:
            raise ForgeError("E105", "Give one of rows, sql, frame and file", fix="f.commit('core.orders', rows=[…])")
        request = CommitRequest(
            table=TableName.parse(table),
            branch=branch or self.current,
            mode=CommitMode(mode),
            key=names_of(key),
            message=message,
            rows=arrow_rows(rows) if rows is not None else None,
            sql=sql,
            frame=frame,
            where=Path(file).name if file is not None else None,
        )
        ports = self._ports(notify)
        return CommitReport(
            commit_file(request, Path(file), ports) if file is not None else commit_data(request, ports)
        )

    def diff(
        self,
        a: str,
        b: str = "HEAD",
        *,
        table: str | Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        keys: Keys | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> DiffReport:
        """What differs from `a` to `b`, row by row; `limit` rows of each table are listed, all are counted."""
        from forge.flows.versioning.diff import diff
        from forge.flows.versioning.revisions import find_commit

        named = [TableName.parse(name) for name in names_of(table)] or None
        found = diff(
            self._ports(),
            a,
            b,
            tables=named,
            columns=columns,
            limit=limit,
            offset=offset,
            keys=read_keys(keys),
            current=self.current,
        )
        base, compare = (find_commit(self.wiring.metadata, each, self.current).id for each in (a, b))
        return DiffReport(a, b, found, base, compare)

    def compare(self, a: str, b: str) -> ComparisonReport:
        """How far `b` is ahead of `a` and behind it, and the tables it changed; no data file is opened."""
        from forge.flows.versioning.merge.compare import compare

        return ComparisonReport(compare(self._ports(), self._named(a), self._named(b)))

    def _named(self, revision: str) -> str:
        """HEAD is the branch of this connection."""
        if revision == "HEAD" or revision.startswith(("HEAD~", "HEAD^", "HEAD@")):
            return f"{self.current}{revision.removeprefix('HEAD')}"
        return revision

    def blame(
        self,
        table: str,
        *,
        key: Mapping[str, object] | None = None,
        columns: Sequence[str] | None = None,
        at: str | None = None,
        limit: int = 100,
    ) -> BlameReport:
        """Which commit and run last wrote a row, and each of its cells."""
        from forge.flows.versioning.blame import blame
        from forge.flows.versioning.read import commit_at

        name, _, inline = table.partition("@")
        parsed = TableName.parse(name)
        commit = commit_at(self.wiring.metadata, at or inline or "HEAD", self.current, parsed)
        return BlameReport(blame(self._ports(), parsed, at=commit.id, key=key, columns=columns, limit=limit))

    # merges

    @overload
    def merge(
        self,
        source: str,
        target: str | None = ...,
        *,
        strategy: str = ...,
        message: str | None = ...,
        no_ff: bool = ...,
        keys: Keys | None = ...,
        take: str | None = ...,
        rules: Mapping[str, str] | None = ...,
        dry_run: Literal[False] = ...,
        notify: Notify = ...,
    ) -> MergeReport: ...
    @overload
    def merge(
        self,
        source: str,
        target: str | None = ...,
        *,
        strategy: str = ...,
        message: str | None = ...,
        no_ff: bool = ...,
        keys: Keys | None = ...,
        take: str | None = ...,
        rules: Mapping[str, str] | None = ...,
        dry_run: Literal[True],
        notify: Notify = ...,
    ) -> PreviewReport: ...
    def merge(
        self,
        source: str,
        target: str | None = None,
        *,
        strategy: str = "three-way",
        message: str | None = None,
        no_ff: bool = False,
        keys: Keys | None = None,
        take: str | None = None,
        rules: Mapping[str, str] | None = None,
        dry_run: bool = False,
        notify: Notify = _silent,
    ) -> MergeReport | PreviewReport:
        """Ours is the target, theirs the source. Conflicts are a result; `rules` answer some beforehand, by column:
        `{"core.orders.amount": "greatest(ours, theirs)"}`, `take` all of them."""
        from forge.flows.versioning.merge.compare import preview_merge
        from forge.flows.versioning.merge.merge import MergeRequest, merge

        request = MergeRequest(
            source=self._named(source),
            target=target or self.current,
            strategy=parse_strategy(strategy),
            message=message,
            no_ff=no_ff,
            keys=read_keys(keys),
            rules=read_rules(take, (rules or {}).items()),
        )
        ports = self._ports(notify)
        if dry_run:
            return PreviewReport(preview_merge(request, ports, check=True), request.source, request.target)
        return MergeReport(merge(request, ports))

    def cherry_pick(
        self,
        revision: str,
        branch: str | None = None,
        *,
        message: str | None = None,
        keys: Keys | None = None,
        take: str | None = None,
        rules: Mapping[str, str] | None = None,
        notify: Notify = _silent,
    ) -> MergeReport:
        """What one commit changed, on top of a branch."""
        from forge.flows.versioning.merge.pick import cherry_pick

        parsed = read_rules(take, (rules or {}).items())
        target, ports = branch or self.current, self._ports(notify)
        done = cherry_pick(revision, target, ports, message=message, keys=read_keys(keys), rules=parsed)
        return MergeReport(done, "cherry-pick")

    def revert(
        self,
        revision: str,
        branch: str | None = None,
        *,
        message: str | None = None,
        keys: Keys | None = None,
        take: str | None = None,
        rules: Mapping[str, str] | None = None,
        notify: Notify = _silent,
    ) -> MergeReport:
        """Take back what one commit changed, by a new commit; later changes stay."""
        from forge.flows.versioning.merge.pick import revert

        parsed = read_rules(take, (rules or {}).items())
        target, ports = branch or self.current, self._ports(notify)
        done = revert(revision, target, ports, message=message, keys=read_keys(keys), rules=parsed)
        return MergeReport(done, "revert")

    def reset(self, revision: str, branch: str | None = None) -> Reset:
        """Move a branch to another commit."""
        from forge.flows.versioning.reset import reset

        return reset(branch or self.current, revision, self._ports())

    # decisions about merges

    def merges(self, *, open_only: bool = True) -> tuple[MergeRecord, ...]:
        """Merges that wait for a decision, the newest first; or all that were kept."""
        from forge.versioning.merge import OPEN_MERGES

        return self.wiring.metadata.merges(statuses=OPEN_MERGES if open_only else None, limit=1000)

    def conflicts(
        self, merge_id: str, *, table: str | None = None, column: str | None = None, open_only: bool = False
    ) -> tuple[Conflict, ...]:
        from forge.flows.versioning.merge.resolve import find_merge

        found = find_merge(self.wiring.metadata, merge_id)
        named = TableName.parse(table) if table else None
        return self.wiring.metadata.conflicts(found.id, table=named, column=column, open_only=open_only)

    def resolve(
        self,
        merge_id: str,
        *,
        take: str | None = None,
        value: object = UNSET,
        expression: str | None = None,
        id: str | Sequence[str] | None = None,
        table: str | None = None,
        column: str | None = None,
        key: Mapping[str, object] | None = None,
    ) -> MergeRecord:
        """Answer one conflict (`id`), those of a row (`key`), a column, a table, or all: by a side, a value of your
        own, or an expression over base, ours and theirs. Nothing moves until `continue_merge`."""
        from forge.flows.versioning.merge.resolve import Resolution, resolve

        if sum((take is not None, value is not UNSET, expression is not None)) != 1:
            raise ForgeError("E619", "Say one of take, value and expression", fix="take='theirs', for example.")
        given = value if expression is None else expression
        rule = parse_rule(take or ("expression" if value is UNSET else "manual"), value=given)
        resolution = Resolution(rule.take, names_of(id), table, column, key, rule.value)
        return resolve(merge_id, [resolution], self._ports())

    def continue_merge(self, merge_id: str, *, notify: Notify = _silent) -> MergeReport:
        """Merge with what was resolved, on the branches as they are now."""
        from forge.flows.versioning.merge.resolve import continue_merge, find_merge

        kind = find_merge(self.wiring.metadata, merge_id).kind
        return MergeReport(continue_merge(merge_id, self._ports(notify)), kind)

    def abort_merge(self, merge_id: str) -> MergeRecord:
        from forge.flows.versioning.merge.resolve import abort_merge

        return abort_merge(merge_id, self._ports())

    def approve(
        self, merge_id: str, *, expected: str | None = None, comment: str = "", notify: Notify = _silent
    ) -> MergeReport:
        """Approve a merge into a protected branch; it then goes on. `expected` is the commit of the source that was
        looked at: another one is refused (E632)."""
        from forge.flows.versioning.merge.resolve import approve_merge, find_merge

        kind = find_merge(self.wiring.metadata, merge_id).kind
        done = approve_merge(merge_id, self._ports(notify), comment=comment, expected=expected)
        return MergeReport(done, kind)

    def reject(self, merge_id: str, *, expected: str | None = None, comment: str = "") -> MergeRecord:
        from forge.flows.versioning.merge.resolve import reject_merge

        return reject_merge(merge_id, self._ports(), comment=comment, expected=expected)

    # integrity

    def verify(self, level: str = "tree", *, at: str | None = None, table: str | None = None) -> Verification:
        """Whether commits, manifests, files (full) and rows (logical) are what was committed."""
        from forge.flows.upkeep.verify.history import VerifyLevel, verify
        from forge.flows.versioning.revisions import find_commit

        words = [each.value for each in VerifyLevel]
        if level not in words:
            fix = f"Take one of {', '.join(words)}."
            raise ForgeError("E105", f"'{level}' is no level", why=did_you_mean(level, words), fix=fix)
        w = self.wiring
        return verify(
            w.metadata,
            w.lake,
            w.versioning.hasher,
            level=VerifyLevel(level),
            default=w.default_branch,
            start=find_commit(w.metadata, at, self.current).id if at else None,
            table=TableName.parse(table) if table else None,
            keys=w.versioning.trusted_keys(),
            checksum=w.versioning.checksum() if level == "logical" else None,
        )
