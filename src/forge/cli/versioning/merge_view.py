"""Merges, their conflicts and results as data and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import Answer, Column, Item
from forge.cli.runs.gate_words import contract_lines, source_lines, warnings_of
from forge.cli.versioning.row_view import cell, side_words
from forge.cli.words import count, moment, plural, short, size
from forge.connection.items import conflict_item, merge_item, result_facts, tally_item, verdict_item

if TYPE_CHECKING:
    from forge.flows.versioning.merge.compare import MergePreview
    from forge.flows.versioning.merge.conclusion import MergeResult
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


def answer_of_result(result: MergeResult, kind: str = "merge") -> Answer:
    items = [conflict_item(conflict) for conflict in result.conflicts]
    head = [headline(result, kind), *_tally_lines(result.tables)]
    if result.other_bases:
        rest = ", ".join(map(short, result.other_bases))
        head.append(
            f"The histories cross: merged from {short(result.base)}, the newest of several bases (also {rest})."
        )
    head += _verdict_lines(result.verdicts)
    if items:
        head.append("")
    return Answer("conflicts", items, CONFLICT_COLUMNS, result_facts(result, kind), head, _more(result))


def _verdict_lines(verdicts: Sequence[Verdict]) -> list[str]:
    """What failed, else what contracts warn of and that all else is well."""
    failed = [line for verdict in verdicts if verdict.blocks for line in _failed_lines(verdict)]
    if failed or not verdicts:
        return failed
    warned = warnings_of(verdicts)
    lines = [line for verdict in warned for line in contract_lines(verdict)]
    passed = len(verdicts) - len(warned)
    return [*lines, *([f"{plural(passed, 'check')} passed on the merged tables"] if passed else [])]


def _failed_lines(verdict: Verdict) -> list[str]:
    return [f"✗ {verdict.table}: {verdict.message}", *(f"  {line}" for line in source_lines(verdict))]


def answer_of_preview(request: MergeRequest, preview: MergePreview, *, needs_approval: bool) -> Answer:
    """What `--dry-run` says: the conflicts there would be, and how each table would be merged."""
    can, words = foresee(request, preview)
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
        "tables": [tally_item(tally) for tally in preview.tables],
        "verdicts": [verdict_item(verdict) for verdict in preview.verdicts],
    }
    items = [conflict_item(conflict) for conflict in preview.conflicts]
    return Answer("conflicts", items, CONFLICT_COLUMNS, facts, [*head, *([""] if items else [])])


def foresee(request: MergeRequest, preview: MergePreview) -> tuple[bool, str]:
    """Whether it would merge, in words."""
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
    match str(result.type):
        case "up_to_date":
            return f"{words}: already up to date"
        case "conflicted":
            return f"{words}: {plural(result.conflict_count, 'conflict')}. Nothing moved."
        case "blocked":
            return f"{words}: held back by its checks. Nothing moved."
        case "pending":
            return f"{words}: waits for an approval. Nothing moved."
    commit = short(result.commit.id if result.commit else None)
    done = DONE.get(str(result.type), "merged as" if kind == "merge" else "committed as")
    return f"{words}: {done} {commit}"


def next_words(result: MergeResult, kind: str = "merge") -> str | None:
    """What to type next."""
    merge = result.merge.id if result.merge else ""
    match str(result.type):
        case "conflicted" if all(str(c.kind) == "constraint" and c.key is None for c in result.conflicts):
            place = result.source if kind == "merge" else "a branch"
            return f"Mend the rows on {place}, then: forge conflicts continue {merge}"
        case "conflicted":
            return (
                f"Resolve: forge conflicts resolve {merge} --take ours|theirs  (or --id, --column, --value, --expr)\n"
                f"Then:    forge conflicts continue {merge}\n"
                f"Give up: forge conflicts abort {merge}"
            )
        case "blocked":
            place = result.source if kind == "merge" else "a branch"
            return f"Why: forge runs {result.run_id}. Mend it on {place}, then: forge conflicts continue {merge}"
        case "pending":
            return f"Someone else approves it: forge approve {merge}"
    return None


def _more(result: MergeResult) -> list[str]:
    left = result.conflict_count - len(result.conflicts)
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
    said = f"  ⚠ {plural(tally.conflicts, 'conflict')}" if tally.conflicts else ""
    said += f"  {tally.resolved:,} resolved" if tally.resolved else ""
    gap = "  " if width else ""
    return f"  {tally.table:<{name}}  {changed(tally):<{width}}{gap}{HOW.get(tally.how, tally.how)}{read}{engine}{said}"


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
    Column("id", lambda i: str(i["id"])[:8], style="yellow"),
    Column("table", lambda i: str(i["table"] or ""), style="bold"),
    Column("key", _key),
    Column("column", lambda i: str(i["column"] or "*row*")),
    Column("base", lambda i: side_words(i, "base")),
    Column("ours", lambda i: side_words(i, "ours")),
    Column("theirs", lambda i: side_words(i, "theirs")),
    Column("kind", lambda i: str(i["kind"])),
    Column("resolved", _resolved),
)


def answer_of_merges(merges: Sequence[MergeRecord]) -> Answer:
    columns = (
        Column("merge", lambda i: str(i["id"]), style="yellow"),
        Column("what", _what, style="bold"),
        Column("kind", lambda i: str(i["kind"])),
        Column("status", lambda i: str(i["status"])),
        Column("resolved", _progress, right=True),
        Column("by", lambda i: str(i["author"])),
        Column("since (UTC)", lambda i: moment(i["created_at"])),
    )
    return Answer("merges", [merge_item(merge) for merge in merges], columns)


def _what(item: Item) -> str:
    source = item["source"] if item["kind"] == "merge" else short(item["source"])
    return f"{source} → {item['target']}"


def _progress(item: Item) -> str:
    return f"{count(item['resolved'])} of {count(item['conflicts'])}" if item["conflicts"] else ""


def answer_of_conflicts(merge: MergeRecord, conflicts: Sequence[Conflict], limit: int | None = None) -> Answer:
    item = merge_item(merge)
    head = [f"{merge.id}  {merge.kind} {_what(item)}  {merge.status}"]
    if merge.conflict_count:
        head.append(f"{merge.resolved_count:,} of {plural(merge.conflict_count, 'conflict')} resolved")
    for given in merge.approvals:
        word = "approved" if given.approved else "rejected"
        said = f": {given.comment}" if given.comment else ""
        head.append(f"{word} at {short(given.source_commit)} by {given.user}, {moment(given.time)} UTC{said}")
    items = [conflict_item(conflict) for conflict in conflicts[:limit]]
    foot = [f"… and more: --limit {merge.conflict_count}"] if len(conflicts) > len(items) else []
    return Answer("conflicts", items, CONFLICT_COLUMNS, {"merge": item}, [*head, ""] if items else head, foot)
