"""`forge merge`, `cherry-pick`, `revert`, `reset` and `approve`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import plural, short
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.versioning.merge.compare import MergePreview
    from forge.flows.versioning.merge.merge import MergeRequest
    from forge.flows.versioning.merge.result import MergeResult
    from forge.flows.versioning.ports import VersionPorts
    from forge.model.names import TableName
    from forge.versioning.conflict import ResolutionRule
    from forge.wiring import Wiring

KeyOption = Annotated[
    list[str] | None,
    typer.Option("--key", metavar="[TABLE=]COLS", help="Key columns, by comma; for one table: core.orders=order_id."),
]
TakeOption = Annotated[str | None, typer.Option("--take", metavar="SIDE", help="ours, theirs or base, in conflicts.")]
RuleOption = Annotated[
    list[str] | None,
    typer.Option("--rule", metavar="[TABLE.]COLUMN=SIDE|SQL", help="As amount=greatest(ours, theirs)."),
]


@command
def merge(
    terminal: Terminal,
    source: Annotated[str, typer.Argument(metavar="SRC", help="The branch to take in; with --files, the base file.")],
    target: Annotated[
        str | None, typer.Argument(metavar="[DST]", help="The branch that changes; default: the default branch.")
    ] = None,
    third: Annotated[str | None, typer.Argument(metavar="[THEIRS]", help="With --files: the third file.")] = None,
    strategy: Annotated[str, typer.Option(help="three-way, ff, squash or rebase.")] = "three-way",
    no_ff: Annotated[bool, typer.Option("--no-ff", help="A merge commit, also where a fast-forward would do.")] = False,
    message: Annotated[str | None, typer.Option("--message", "-m", help="Message of the commit.")] = None,
    key: KeyOption = None,
    take: TakeOption = None,
    rule: RuleOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen; nothing moves.")] = False,
    files: Annotated[bool, typer.Option("--files", help="Merge three Parquet files: BASE OURS THEIRS.")] = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="With --files: where to write.")] = None,
) -> None:
    """Merge a branch into another, row by row and cell by cell. All of it lands, or nothing does.

    Ours is the target, theirs the source. Conflicts are kept to be resolved: forge conflicts."""
    if files:
        _merge_files(terminal, [source, target, third], key, out, take, rule)
        return
    from forge.flows.versioning.merge.compare import MergePreview, preview_merge
    from forge.flows.versioning.merge.merge import MergeRequest
    from forge.flows.versioning.merge.merge import merge as go
    from forge.versioning.merge import parse_strategy

    chosen, keys, rules = parse_strategy(strategy), read_keys(key), read_rules(take, rule)
    with terminal.open() as wiring:
        request = MergeRequest(
            source=source,
            target=target or wiring.default_branch,
            strategy=chosen,
            message=message,
            no_ff=no_ff,
            keys=keys,
            rules=rules,
        )
        with watched(terminal, wiring) as ports:
            needs_approval = ports.branch(request.target).needs_approval
            result = preview_merge(request, ports, check=True) if dry_run else go(request, ports)
    if isinstance(result, MergePreview):
        _foresee(terminal, request, result, needs_approval)
    else:
        end(terminal, result)


def _foresee(terminal: Terminal, request: MergeRequest, preview: MergePreview, needs_approval: bool) -> None:
    from forge.cli.versioning.merge_view import answer_of_preview, preview_headline

    terminal.answer(answer_of_preview(request, preview, needs_approval=needs_approval))
    terminal.say("Nothing was moved: --dry-run.")
    if preview.lines.ahead and not preview_headline(request, preview)[0]:
        raise typer.Exit(1)


@command
def cherry_pick(
    terminal: Terminal,
    revision: Annotated[str, typer.Argument(metavar="REV", help="The commit to pick.")],
    branch: Annotated[str | None, typer.Option("--branch", "-b", help="The branch that gets it.")] = None,
    message: Annotated[str | None, typer.Option("--message", "-m", help="Message of the commit.")] = None,
    key: KeyOption = None,
    take: TakeOption = None,
    rule: RuleOption = None,
) -> None:
    """Bring what one commit changed onto a branch."""
    from forge.flows.versioning.merge.pick import cherry_pick as go

    with terminal.open() as wiring, watched(terminal, wiring) as ports:
        target = branch or wiring.default_branch
        result = go(revision, target, ports, message=message, keys=read_keys(key), rules=read_rules(take, rule))
    end(terminal, result, "cherry-pick")


@command
def revert(
    terminal: Terminal,
    revision: Annotated[str, typer.Argument(metavar="REV", help="The commit to take back.")],
    branch: Annotated[str | None, typer.Option("--branch", "-b", help="The branch on which.")] = None,
    message: Annotated[str | None, typer.Option("--message", "-m", help="Message of the commit.")] = None,
    key: KeyOption = None,
    take: TakeOption = None,
    rule: RuleOption = None,
) -> None:
    """Take back what one commit changed, by a new commit; later changes stay."""
    from forge.flows.versioning.merge.pick import revert as go

    with terminal.open() as wiring, watched(terminal, wiring) as ports:
        target = branch or wiring.default_branch
        result = go(revision, target, ports, message=message, keys=read_keys(key), rules=read_rules(take, rule))
    end(terminal, result, "revert")


@command
def reset(
    terminal: Terminal,
    revision: Annotated[str, typer.Argument(metavar="REV", help="Where the branch goes.")],
    branch: Annotated[str | None, typer.Option("--branch", "-b", help="The branch that moves.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Move a branch to another commit. Commits that no branch has then stay until `forge gc`."""
    from forge.flows.versioning.reset import reset as go

    with terminal.open() as wiring:
        target = branch or wiring.default_branch
        if not yes and sys.stdin.isatty():
            terminal.confirm(f"Move '{target}' to {revision}?")
        done = go(target, revision, wiring.versioning.ports())
    items = [{"table": str(table)} for table in done.tables]
    facts = {"branch": done.branch, "from": done.before, "to": done.commit.id}
    head = [f"{done.branch}: {short(done.before)} → {short(done.commit.id)}"]
    columns = (AnswerColumn("table", lambda i: str(i["table"])),)
    terminal.answer(CommandAnswer(name="tables", items=items, columns=columns, facts=facts, head=head))
    undo = f" Back: forge reset {short(done.before)} --branch {done.branch}" if done.before else ""
    terminal.say(
        f"{plural(len(done.tables), 'table')} moved.{undo}" if done.before != done.commit.id else "It is there."
    )


@command
def approve(
    terminal: Terminal,
    merge_id: Annotated[str, typer.Argument(metavar="MERGE", help="As `forge conflicts list` shows it.")],
    comment: Annotated[str, typer.Option("--comment", "-m", help="What you think of it.")] = "",
    reject: Annotated[bool, typer.Option("--reject", help="Refuse it instead.")] = False,
    expected: Annotated[
        str | None,
        typer.Option(metavar="COMMIT", help="The commit of the source that you looked at; another is refused."),
    ] = None,
) -> None:
    """Approve a merge into a protected branch; it then goes on. Someone other than its author does this."""
    from forge.cli.versioning.merge_view import answer_of_merges
    from forge.flows.versioning.merge.resolve import approve_merge, reject_merge

    if reject:
        with terminal.open() as wiring:
            rejected = reject_merge(merge_id, wiring.versioning.ports(), comment=comment, expected=expected)
        terminal.answer(answer_of_merges([rejected]))
        terminal.say(f"Rejected. Both branches stay where they are; {rejected.author.name} can merge again.")
        return
    with terminal.open() as wiring, watched(terminal, wiring) as ports:
        result = approve_merge(merge_id, ports, comment=comment, expected=expected)
    end(terminal, result)


def end(terminal: Terminal, result: MergeResult, kind: str = "merge") -> None:
    """Data, what to type next, and the exit status: 1 where someone has to decide."""
    from forge.cli.versioning.merge_view import answer_of_result, next_words
    from forge.flows.versioning.merge.result import AwaitingApproval, Blocked, Conflicted

    kind = result.merge.kind if result.merge else kind
    terminal.answer(answer_of_result(result, kind))
    words = next_words(result, kind)
    if words:
        terminal.say(words)
    if isinstance(result, Conflicted | Blocked | AwaitingApproval):
        raise typer.Exit(1)


@contextmanager
def watched(terminal: Terminal, wiring: Wiring) -> Iterator[VersionPorts]:
    """The ports of an operation whose progress is shown."""
    from forge.cli.runs.run_display import RunDisplay

    terminal.still()  # the run shows by itself how far it is
    with RunDisplay(wiring=wiring, quiet=terminal.quiet, progress=terminal.progress) as display:
        yield wiring.versioning.ports(display.notify)


def read_keys(given: Sequence[str] | None) -> dict[TableName, tuple[str, ...]]:
    """`core.orders=order_id,line`; a table must be named, since a merge may touch many."""
    from forge.connection.versioning import arguments as asked

    found = {}
    for text in given or ():
        table, equals, columns = text.partition("=")
        if not equals:
            raise ForgeError(
                "E105", f"--key {text} names no table", fix=f"Write it like --key core.orders={text.replace(' ', '')}"
            )
        found[table] = columns
    return asked.read_keys(found)


def read_rules(take: str | None, rules: Sequence[str] | None) -> tuple[ResolutionRule, ...]:
    """`amount=theirs`, `core.orders.amount=greatest(ours, theirs)`."""
    from forge.connection.versioning import arguments as asked

    pairs = []
    for text in rules or ():
        name, equals, rule = text.partition("=")
        if not equals or not name or not rule:
            raise ForgeError("E619", f"'{text}' is no rule", fix="Write it like amount=greatest(ours, theirs).")
        pairs.append((name, rule))
    return asked.read_rules(take, pairs)


def _merge_files(
    terminal: Terminal,
    paths: Sequence[str | None],
    key: Sequence[str] | None,
    out: Path | None,
    take: str | None,
    rules: Sequence[str] | None,
) -> None:
    from forge.cli.versioning.parquet_files import merge_files

    given = [Path(path) for path in paths if path]
    if len(given) != 3:
        raise ForgeError("E105", "--files takes three files", fix="forge merge --files BASE OURS THEIRS --key id")
    base, ours, theirs = given
    columns = tuple(c.strip() for text in key or () for c in text.split(",") if c.strip())
    merge_files(terminal, base, ours, theirs, columns, out, take, tuple(rules or ()))
