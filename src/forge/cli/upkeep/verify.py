"""`forge verify`: whether the history and the files are what was committed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import plural, size
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.flows.upkeep.verify.history import Progress, Verification

_NAMED = 5  # of the versions without a hash, in words; all are in the data


class VerifyDepth(StrEnum):  # as forge.flows.upkeep.verify.history.VerifyLevel, which is dear to load for --help
    CHAIN = "chain"
    TREE = "tree"
    FULL = "full"
    LOGICAL = "logical"


@command
def verify(
    terminal: Terminal,
    level: Annotated[
        VerifyDepth,
        typer.Option(help="chain: commits and refs; tree: and manifests; full: and all bytes; logical: and all rows."),
    ] = VerifyDepth.TREE,
    full: Annotated[bool, typer.Option("--full", help="Short for --level full.")] = False,
    table: Annotated[str | None, typer.Option(help="Only the files of this table.")] = None,
    ref: Annotated[str | None, typer.Option(metavar="REV", help="Only this revision and what came before it.")] = None,
    seal: Annotated[
        bool, typer.Option("--seal", help="Hash what was committed without a hash, so that later changes show.")
    ] = False,
) -> None:
    """Check that commits, manifests and files are what was committed. Exits with 1 and names the first bad object."""
    from forge.flows.upkeep.verify.history import VerifyLevel
    from forge.flows.upkeep.verify.history import verify as check
    from forge.flows.versioning.revisions import find_commit
    from forge.model.names import TableName

    wanted = VerifyLevel.FULL if full and level in (VerifyDepth.CHAIN, VerifyDepth.TREE) else VerifyLevel(level)
    named = TableName.parse(table) if table else None
    with terminal.open() as wiring:
        start = find_commit(wiring.metadata, ref, wiring.default_branch).id if ref else None
        with _progress(terminal) as progress:
            found = check(
                wiring.metadata,
                wiring.lake,
                wiring.versioning.hasher,
                level=wanted,
                default=wiring.default_branch,
                start=start,
                table=named,
                keys=wiring.versioning.trusted_keys(),
                checksum=wiring.versioning.checksum() if wanted is VerifyLevel.LOGICAL else None,
                progress=progress,
                seal=seal,
            )
    terminal.answer(answer_of(found))
    _conclude(terminal, found)


@contextmanager
def _progress(terminal: Terminal) -> Iterator[Progress]:
    """Progress on one line that is updated; nothing without a terminal."""
    if not terminal.is_live:
        yield lambda what, done, total: None
        return
    shown = [0.0]
    with terminal.talk().status("Verifying") as status:

        def show(what: str, done: int, total: int) -> None:
            if time.monotonic() - shown[0] > 0.1:
                shown[0] = time.monotonic()
                status.update(f"Verifying {what}: {done * 100 // max(total, 1)} %")

        yield show


def answer_of(found: Verification) -> CommandAnswer:
    from forge.flows.upkeep.verify.history import error_of

    items = [
        {**asdict(one), "table": str(one.table) if one.table else None, "code": f"FORGE-{error_of(one).code}"}
        for one in found.broken
    ]
    columns = (
        AnswerColumn("broken", lambda i: str(i["kind"]), style="bold"),
        AnswerColumn("object", lambda i: str(i["object"])),
        AnswerColumn("of", lambda i: str(i["table"] or "")),
        AnswerColumn("commit", lambda i: str(i["commit"] or "")[:12]),
        AnswerColumn("found", lambda i: "missing" if i["actual"] is None else "changed"),
    )
    facts: dict[str, object] = {
        "level": str(found.level),
        "ok": found.is_good,
        "commits": found.commits,
        "trees": found.trees,
        "files": found.files,
        "bytes": found.bytes,
        "seconds": round(found.seconds, 3),
        "not_sealed": found.unsealed,
        "unsealed": [{"table": str(one.table), "commit": one.commit} for one in found.not_sealed],
        "sealed_now": found.sealed,
        "signatures": found.signed,
        "signatures_unchecked": found.unchecked,
        "foreign_writes": [str(table) for table in found.foreign],
    }
    return CommandAnswer(name="broken", items=items, columns=columns, facts=facts)


def _conclude(terminal: Terminal, found: Verification) -> None:
    from forge.cli.failure import problem_text
    from forge.flows.upkeep.verify.history import error_of
    from forge.model.codes import FINDINGS

    what = [plural(found.commits, "commit"), plural(found.trees, "table version"), plural(found.files, "file")]
    if found.bytes:
        what.append(f"{size(found.bytes)} in {found.seconds:.1f} s")
    terminal.say(f"Verified {', '.join(what)} at level {found.level}.")
    if found.sealed:
        terminal.say(f"{plural(found.sealed, 'table version')} sealed now.")
    if found.unsealed:
        named = ", ".join(f"{one.table} at {one.commit[:12]}" for one in found.not_sealed[:_NAMED])
        more = f" and {found.unsealed - _NAMED} more" if found.unsealed > _NAMED else ""
        terminal.say(
            f"{plural(found.unsealed, 'table version')} committed without a hash: not verified ({named}{more}). "
            "`forge verify --seal` hashes what is there now."
        )
    if found.unchecked:
        terminal.say(f"{plural(found.unchecked, 'signature')} not checked: set versioning.trusted_keys.")
    for table in found.foreign:
        terminal.say(f"{table} was written by another engine since its last commit.")
    if found.is_good:
        terminal.say(f"{'What has a hash' if found.unsealed else 'All'} is as it was committed.")
        return
    terminal.say(problem_text(error_of(found.broken[0]).to_dict()))
    raise typer.Exit(FINDINGS)
