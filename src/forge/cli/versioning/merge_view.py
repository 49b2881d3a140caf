"""Merges, their conflicts and results as data and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.formatting import count, moment, plural, short, size
from forge.cli.runs.gate_text import contract_lines, source_lines, warnings_of
from forge.cli.versioning.row_view import cell, side_words
from forge.flows.versioning.merge.result import (
    AwaitingApproval,
    Blocked,
    Conflicted,
    Merged,
    MergeResult,
    UpToDate,
    conflicts_of,
)

if TYPE_CHECKING:
    from forge.flows.versioning.merge.compare import MergePreview
    from forge.flows.versioning.merge.merge import MergeRequest
    from forge.flows.versioning.merge.record import MergeRecord, TableTally
    from forge.quality.verdict import Verdict
    from forge.versioning.conflict import Conflict

HOW = {
    "fast_forward": "taken as it is",
    "zero_copy": "files joined, no row read",
    "rows": "row by row",
    "unchanged": "unchanged",
    "view": "view",
    "new": "new table",
    "removed": "removed",
}


def answer_of_result(result: MergeResult, kind: str = "merge") -> CommandAnswer:
    conflicts, count = conflicts_of(result)
    items = [conflict.to_dict() for conflict in conflicts]
    head = [headline(result, kind), *_tally_lines(result.tables)]
    if result.other_bases:
        rest = ", ".join(map(short, result.other_bases))
        head.append(
            f"The histories cross: merged from {short(result.base)}, the newest of several bases (also {rest})."
        )
    head += _verdict_lines(result.verdicts)
    if items:
        head.append("")
    facts = {"kind": kind, **result.to_dict()}
    return CommandAnswer(
        name="conflicts", items=items, columns=CONFLICT_COLUMNS, facts=facts, head=head, foot=_more(count - len(items))
    )


def _verdict_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """Failed checks, else contract warnings and that everything else passed."""
    failed = [line for verdict in verdicts if verdict.blocks for line in _failed_lines(verdict)]
    if failed or not verdicts:
        return failed
    warned = warnings_of(verdicts)
    lines = [line for verdict in warned for line in contract_lines(verdict)]
    passed = len(verdicts) - len(warned)
    return [*lines, *([f"{plural(passed, 'check')} passed on the merged tables"] if passed else [])]


def _failed_lines(verdict: Verdict) -> list[str]:
    return [f"✗ {verdict.table}: {verdict.message}", *(f"  {line}" for line in source_lines(verdict))]


def answer_of_preview(request: MergeRequest, preview: MergePreview, *, needs_approval: bool) -> CommandAnswer:
    """The output of `--dry-run`: expected conflicts, and how each table would be merged."""
    can, words = preview_headline(request, preview)
    head = [f"{request.source} → {request.target}: {words}", *_tally_lines(preview.tables)]
    head += _verdict_lines(preview.verdicts)
    if needs_approval and preview.lines.ahead:
        head.append(f"It would wait for an approval: '{request.target}' is protected.")
    facts: dict[str, object] = {
        "can_merge": can,
        "reason": None if can else words,
        "can_fast_forward": preview.lines.can_fast_forward,
        "needs_approval": needs_approval,
        "base": preview.lines.merge_base,
        "ahead": preview.lines.ahead,
        "behind": preview.lines.behind,
        "conflict_count": preview.conflict_count,
        "tables": [tally.to_dict() for tally in preview.tables],
        "verdicts": [verdict.to_dict() for verdict in preview.verdicts],
    }
    items = [conflict.to_dict() for conflict in preview.conflicts]
    return CommandAnswer(
        name="conflicts", items=items, columns=CONFLICT_COLUMNS, facts=facts, head=[*head, *([""] if items else [])]
    )


def preview_headline(request: MergeRequest, preview: MergePreview) -> tuple[bool, str]:
    """Whether it would merge, in one line."""
    lines, strategy = preview.lines, str(request.strategy)
    if strategy == "ff" and lines.ahead and not lines.can_fast_forward:
        return False, "cannot be fast-forwarded"
    if preview.conflict_count:
        return False, plural(preview.conflict_count, "conflict")
    if not preview.can_merge:
        return False, preview.reason
    fast = lines.can_fast_forward and strategy in ("ff", "three_way") and not request.no_ff
    return True, "would be fast-forwarded" if fast else "would merge"


DONE = {"squash": "squashed as", "rebase": "rebased, now at", "fast_forward": "fast-forward to"}


def headline(result: MergeResult, kind: str = "merge") -> str:
    words = f"{result.source} → {result.target}"
    if kind != "merge":
        words = f"{kind} of {short(result.source)} on {result.target}"
    match result:
        case UpToDate():
            return f"{words}: already up to date"
        case Conflicted(conflict_count=count):
            return f"{words}: {plural(count, 'conflict')}. Nothing moved."
        case Blocked():
            return f"{words}: held back by its checks. Nothing moved."
        case AwaitingApproval():
            return f"{words}: waits for an approval. Nothing moved."
        case Merged(type=how, commit=commit):
            done = DONE.get(str(how), "merged as" if kind == "merge" else "committed as")
            return f"{words}: {done} {short(commit.id)}"


def next_words(result: MergeResult, kind: str = "merge") -> str | None:
    """What to type next."""
    place = result.source if kind == "merge" else "a branch"
    match result:
        case Conflicted(merge=merge, conflicts=conflicts):
            if all(str(c.kind) == "constraint" and c.key is None for c in conflicts):
                return f"Mend the rows on {place}, then: forge conflicts continue {merge.id}"
            return (
                f"Resolve: forge conflicts resolve {merge.id} --take ours|theirs"
                "  (or --id, --column, --value, --expr)\n"
                f"Then:    forge conflicts continue {merge.id}\n"
                f"Give up: forge conflicts abort {merge.id}"
            )
        case Blocked(merge=merge):
            return f"Why: forge runs {result.run_id}. Mend it on {place}, then: forge conflicts continue {merge.id}"
        case AwaitingApproval(merge=merge):
            return f"Someone else approves it: forge approve {merge.id}"
        case Merged() | UpToDate():
            return None


def _more(left: int) -> list[str]:
    return [f"… and {plural(left, 'more conflict')}"] if left > 0 else []


def _tally_lines(tallies: Sequence[TableTally]) -> list[str]:
    name = max((len(tally.table) for tally in tallies), default=0)
    changes = max((len(changed(tally)) for tally in tallies), default=0)
    lines = [_tally_line(tally, name, changes) for tally in tallies]
    return [*lines, *(f"  ⚠ {tally.warning}" for tally in tallies if tally.warning)]


def changed(tally: TableTally) -> str:
    counts = (("+", tally.inserted), ("~", tally.updated), ("−", tally.deleted))
    return " ".join(f"{mark}{number:,}" for mark, number in counts if number)


def _tally_line(tally: TableTally, name: int, width: int) -> str:
    read = f", {size(tally.bytes_read)} read" if tally.bytes_read else ""
    engine = " on Spark" if tally.engine == "spark" else ""
    note = f"  ⚠ {plural(tally.conflicts, 'conflict')}" if tally.conflicts else ""
    note += f"  {tally.resolved:,} resolved" if tally.resolved else ""
    gap = "  " if width else ""
    return f"  {tally.table:<{name}}  {changed(tally):<{width}}{gap}{HOW.get(tally.how, tally.how)}{read}{engine}{note}"


def _key(item: Item) -> str:
    key = item["key"]
    if not isinstance(key, Mapping):
        return str(item.get("location") or "")
    return ", ".join(f"{name}={cell(value)}" for name, value in key.items())


def _resolved(item: Item) -> str:
    if item["resolution"] in ("manual", "expression"):
        value = item["resolved_value"]
        return ", ".join(f"{n}={cell(v)}" for n, v in value.items()) if isinstance(value, Mapping) else cell(value)
    return str(item["resolution"] or "")


CONFLICT_COLUMNS = (
    AnswerColumn("id", lambda i: str(i["id"])[:8], style="yellow"),
    AnswerColumn("table", lambda i: str(i["table"] or ""), style="bold"),
    AnswerColumn("key", _key),
    AnswerColumn("column", lambda i: str(i["column"] or "*row*")),
    AnswerColumn("base", lambda i: side_words(i, "base")),
    AnswerColumn("ours", lambda i: side_words(i, "ours")),
    AnswerColumn("theirs", lambda i: side_words(i, "theirs")),
    AnswerColumn("kind", lambda i: str(i["kind"])),
    AnswerColumn("resolved", _resolved),
)


def answer_of_merges(merges: Sequence[MergeRecord]) -> CommandAnswer:
    columns = (
        AnswerColumn("merge", lambda i: str(i["merge_id"]), style="yellow"),
        AnswerColumn("what", _what, style="bold"),
        AnswerColumn("kind", lambda i: str(i["kind"])),
        AnswerColumn("status", lambda i: str(i["status"])),
        AnswerColumn("resolved", _progress, right=True),
        AnswerColumn("by", lambda i: str(i["author"]["email"]) if isinstance(i["author"], dict) else ""),
        AnswerColumn("since (UTC)", lambda i: moment(i["created_at"])),
    )
    return CommandAnswer(name="merges", items=[merge.to_dict() for merge in merges], columns=columns)


def _what(item: Item) -> str:
    source = item["source_branch"] if item["kind"] == "merge" else short(item["source_branch"])
    return f"{source} → {item['target_branch']}"


def _progress(item: Item) -> str:
    return f"{count(item['resolved_count'])} of {count(item['total_count'])}" if item["total_count"] else ""


def answer_of_conflicts(merge: MergeRecord, conflicts: Sequence[Conflict], limit: int | None = None) -> CommandAnswer:
    item = merge.to_dict()
    head = [f"{merge.id}  {merge.kind} {_what(item)}  {merge.status}"]
    if merge.conflict_count:
        head.append(f"{merge.resolved_count:,} of {plural(merge.conflict_count, 'conflict')} resolved")
    for given in merge.approvals:
        word = "approved" if given.approved else "rejected"
        comment = f": {given.comment}" if given.comment else ""
        head.append(f"{word} at {short(given.source_commit)} by {given.user}, {moment(given.time)} UTC{comment}")
    items = [conflict.to_dict() for conflict in conflicts[:limit]]
    foot = [f"… and more: --limit {merge.conflict_count}"] if len(conflicts) > len(items) else []
    return CommandAnswer(
        name="conflicts",
        items=items,
        columns=CONFLICT_COLUMNS,
        facts={"merge": item},
        head=[*head, ""] if items else head,
        foot=foot,
    )
