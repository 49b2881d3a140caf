"""Results of commits, merges, diffs and blame in Python and notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from forge.flows.versioning.blame import Blame
from forge.flows.versioning.data.commit import CommitResult
from forge.flows.versioning.merge.compare import MergePreview, MetadataComparison
from forge.flows.versioning.merge.record import TableTally
from forge.flows.versioning.merge.result import (
    AwaitingApproval,
    Blocked,
    Conflicted,
    Merged,
    MergeResult,
    UpToDate,
    commit_of,
    conflicts_of,
)
from forge.model.errors import ForgeError
from forge.quality.verdict import Verdict
from forge.versioning.changes import TableDiff
from forge.versioning.commit import Commit
from forge.versioning.conflict import Conflict

if TYPE_CHECKING:
    import pandas


def html_table(caption: str, titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Numbers right-aligned, everything escaped."""

    def cell(value: object) -> str:
        right = " style='text-align:right'" if isinstance(value, int | float) else ""
        text = f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)
        return f"<td{right}>{html.escape(text)}</td>"

    head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    return f"<table><caption>{html.escape(caption)}</caption><tr>{head}</tr>{body}</table>"


def _frame(items: Sequence[dict[str, object]]) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame(items)


@dataclass(frozen=True, slots=True, repr=False)
class CommitReport:
    """A commit of data: its counts, or the checks that held it back."""

    result: CommitResult

    @property
    def commit(self) -> Commit | None:
        """None: it was held back."""
        return self.result.commit

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return self.result.verdicts

    def raise_for_status(self) -> CommitReport:
        if self.commit is None:
            failed = next(verdict for verdict in self.verdicts if verdict.blocks)
            fix = f"forge runs {self.result.run_id}"
            raise ForgeError("E702", f"{self.result.table} was held back: {failed.message}", fix=fix)
        return self

    def to_dict(self) -> dict[str, Any]:
        return self.result.to_dict()

    def __repr__(self) -> str:
        counted = self.result.statistics
        rows = f"+{counted.rows_added:,} ~{counted.rows_modified:,} −{counted.rows_deleted:,} rows"
        return f"{self.result.table}: {rows}, {self.commit.id[:12] if self.commit else 'held back by its checks'}"


@dataclass(frozen=True, slots=True, repr=False)
class MergeReport:
    """A merge, revert or cherry-pick: merged, or kept for someone to decide."""

    result: MergeResult
    kind: str = "merge"

    @property
    def type(self) -> str:
        """fast_forward | three_way | squash | rebase | conflicted | blocked | up_to_date | pending"""
        return str(self.result.type)

    @property
    def commit(self) -> Commit | None:
        return commit_of(self.result)

    @property
    def merge_id(self) -> str | None:
        return self.result.merge.id if self.result.merge else None

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The first of them; `conflict_count` says how many there are."""
        return conflicts_of(self.result)[0]

    @property
    def conflict_count(self) -> int:
        return conflicts_of(self.result)[1]

    @property
    def tables(self) -> tuple[TableTally, ...]:
        return self.result.tables

    def raise_for_status(self) -> MergeReport:
        """This report, or the error of a merge that waits for a decision."""
        match self.result:
            case Merged() | UpToDate():
                return self
            case Conflicted(merge=merge):
                code = "E617"
            case Blocked(merge=merge):
                code = "E702"
            case AwaitingApproval(merge=merge):
                code = "E620"
        raise ForgeError(code, self._words(), where=f"merge {merge.id}", fix=f"forge conflicts show {merge.id}")

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, **self.result.to_dict()}

    def to_pandas(self) -> pandas.DataFrame:
        """The conflicts."""
        return _frame([conflict.to_dict() for conflict in self.conflicts])

    def _words(self) -> str:
        what = f"{self.result.source} → {self.result.target}"
        if self.kind != "merge":
            what = f"{self.kind} of {self.result.source[:12]} on {self.result.target}"
        count = f", {_counted(self.conflict_count)}" if self.conflict_count else ""
        return f"{what}: {self.type}{count}" + (f", {self.commit.id[:12]}" if self.commit else "")

    def __repr__(self) -> str:
        lines = [f"  {t.table}  +{t.inserted:,} ~{t.updated:,} −{t.deleted:,}  {t.how}" for t in self.tables]
        return "\n".join([self._words(), *lines])

    def _repr_html_(self) -> str:
        return _tally_html(self._words(), self.tables) + _conflict_html(self.conflicts)


@dataclass(frozen=True, slots=True, repr=False)
class PreviewReport:
    """What a merge would do: `f.merge(…, dry_run=True)`."""

    preview: MergePreview
    source: str
    target: str

    @property
    def can_merge(self) -> bool:
        return self.preview.can_merge

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return self.preview.conflicts

    @property
    def conflict_count(self) -> int:
        return self.preview.conflict_count

    def to_dict(self) -> dict[str, Any]:
        seen, lines = self.preview, self.preview.lines
        return {
            "source": self.source,
            "target": self.target,
            "can_merge": seen.can_merge,
            "reason": seen.reason or None,
            "can_fast_forward": lines.can_fast_forward,
            "base": lines.merge_base,
            "ahead": lines.ahead,
            "behind": lines.behind,
            "conflict_count": seen.conflict_count,
            "tables": [tally.to_dict() for tally in seen.tables],
            "verdicts": [verdict.to_dict() for verdict in seen.verdicts],
            "conflicts": [conflict.to_dict() for conflict in seen.conflicts],
        }

    def __repr__(self) -> str:
        reason = _counted(self.conflict_count) if self.conflict_count else self.preview.reason
        return f"{self.source} → {self.target}: {'would merge' if self.can_merge else reason}"

    def _repr_html_(self) -> str:
        return _tally_html(repr(self), self.preview.tables) + _conflict_html(self.conflicts)


def _counted(conflicts: int) -> str:
    return f"{conflicts:,} conflict{'' if conflicts == 1 else 's'}"


def _tally_html(caption: str, tables: Sequence[TableTally]) -> str:
    titles = ("table", "inserted", "updated", "deleted", "conflicts", "how")
    return html_table(
        caption, titles, [(t.table, t.inserted, t.updated, t.deleted, t.conflicts, t.how) for t in tables]
    )


def _conflict_html(conflicts: Sequence[Conflict]) -> str:
    if not conflicts:
        return ""
    titles = ("id", "table", "key", "column", "base", "ours", "theirs", "kind")
    rows = [(c.id, c.table, dict(c.key or {}), c.column, c.base, c.ours, c.theirs, c.kind) for c in conflicts]
    return html_table("conflicts", titles, [tuple(map(_shown, row)) for row in rows])


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={item}" for name, item in value.items())
    return "" if value is None else str(value)


@dataclass(frozen=True, slots=True, repr=False)
class DiffReport:
    """How tables differ, row by row. Iterate over its tables, or ask for one: `diff["core.orders"]`."""

    left: str
    right: str
    tables: tuple[TableDiff, ...]
    base: str  # the id of the commit that `left` means
    compare: str

    def __iter__(self) -> Iterator[TableDiff]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, table: str) -> TableDiff:
        return next(diff for diff in self.tables if diff.table == table)

    def to_dict(self) -> dict[str, Any]:
        return {"base_commit": self.base, "compare_commit": self.compare, "tables": [d.to_dict() for d in self.tables]}

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each row that changed: table, kind, key, before and after."""
        return _frame(
            [
                {"table": d.table, "kind": str(r.kind), "key": dict(r.key), "before": r.before, "after": r.after}
                for d in self.tables
                for r in d.rows.rows
            ]
        )

    def __repr__(self) -> str:
        counts = [f"{d.table} +{d.rows.inserted:,} ~{d.rows.updated:,} −{d.rows.deleted:,}" for d in self.tables]
        return f"{self.left}..{self.right}: {', '.join(counts) or 'no difference'}"

    def _repr_html_(self) -> str:
        found = [f"<p>{html.escape(f'{self.left}..{self.right}')}</p>"]
        for diff in self.tables:
            rows = diff.rows
            caption = f"{diff.table}: {diff.change}, +{rows.inserted:,} ~{rows.updated:,} −{rows.deleted:,}"
            body = [
                (str(r.kind), _shown(dict(r.key)), ", ".join(r.columns), _side(r.before, r), _side(r.after, r))
                for r in rows.rows
            ]
            found.append(html_table(caption, ("", "key", "changed", "before", "after"), body))
        return "".join(found)


def _side(row: Any, change: Any) -> str:
    """Of an update the cells that changed, else the row."""
    if row is None:
        return ""
    return _shown({name: row.get(name) for name in change.columns} if change.columns else dict(row))


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """The comparison of two branches, from metadata alone."""

    compared: MetadataComparison

    @property
    def ahead(self) -> int:
        return self.compared.lines.ahead

    @property
    def behind(self) -> int:
        return self.compared.lines.behind

    @property
    def merge_base(self) -> str | None:
        return self.compared.lines.merge_base

    @property
    def can_fast_forward(self) -> bool:
        return self.compared.lines.can_fast_forward

    def to_dict(self) -> dict[str, Any]:
        lines, files = self.compared.lines, {change.table: change for change in self.compared.files}
        changed = {change.table: change for change in self.compared.changes}
        return {
            "base": lines.base,
            "compare": lines.compare,
            "merge_base": lines.merge_base,
            "other_bases": list(lines.other_bases),
            "ahead": lines.ahead,
            "behind": lines.behind,
            "can_fast_forward": lines.can_fast_forward,
            "tables": [
                {
                    "table": str(table),
                    "change": changed[table].change if table in changed else "changed",
                    "both": table in lines.both_tables,
                    "files_added": files[table].added if table in files else None,
                    "files_removed": files[table].removed if table in files else None,
                }
                for table in lines.compare_tables
            ],
        }


@dataclass(frozen=True, slots=True)
class BlameReport:
    """Who last wrote which row and cell."""

    blame: Blame

    def to_dict(self) -> dict[str, Any]:
        return self.blame.to_dict()

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each cell."""
        return _frame(
            [
                {**row.key, "column": name, "commit": by.commit, "author": by.author.name, "run_id": by.run_id}
                for row in self.blame.rows
                for name, by in row.cells.items()
            ]
        )

    def _repr_html_(self) -> str:
        titles = (*self.blame.key, "commit", "time", "author", "message")
        rows = [
            (*map(str, row.key.values()), row.row.commit[:12], row.row.time, row.row.author.name, row.row.message)
            for row in self.blame.rows
        ]
        return html_table(f"{self.blame.table} at {self.blame.commit[:12]}", titles, rows)
