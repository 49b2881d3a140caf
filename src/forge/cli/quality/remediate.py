"""`forge quality remediate list|show|propose|approve|reject|revert`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command, command_group
from forge.cli.formatting import short
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.quality.remediation.ports import RemedyPorts
    from forge.quality.remediation import Remediation, RemedyStatus

Identity = Annotated[str, typer.Argument(metavar="ID", help="The remediation.")]
Comment = Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="Why.")]


@command
def list_(
    terminal: Terminal,
    table: Annotated[str | None, typer.Argument(metavar="[TABLE]", help="Only of this table.")] = None,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="WORD", help="proposed, applied, rejected, reverted, nothing or failed."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="At most so many.")] = 50,
) -> None:
    """List remediations, newest first."""
    from forge.model.names import TableName

    with terminal.open() as wiring:
        found = wiring.quality.remedies().store.find(
            table=TableName.parse(table) if table else None, status=_status(status), limit=limit
        )
    columns = (
        AnswerColumn("id", lambda i: str(i["id"]), style="bold"),
        AnswerColumn("status", lambda i: str(i["status"])),
        AnswerColumn("table", lambda i: f"{i['table']}@{i['branch']}"),
        AnswerColumn("what", _actions),
        AnswerColumn("note", lambda i: str(i["note"])),
    )
    terminal.answer(CommandAnswer(name="remediations", items=[one.to_dict() for one in found], columns=columns))
    if not found:
        terminal.say("Nothing was proposed yet. Propose something: forge quality remediate propose TABLE")


@command
def show(
    terminal: Terminal,
    identity: Identity,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many rows of each table.")] = 20,
) -> None:
    """Show a remediation and the rows it changes. Personal data is hidden."""
    from forge.cli.versioning.diff_view import answer_of_table_diffs
    from forge.flows.catalog.personal_data import hide_in_diffs
    from forge.flows.quality.remediation.proposal import find_remediation, preview_diff
    from forge.flows.versioning.diff import DiffPage

    with terminal.open() as wiring:
        ports = wiring.quality.remedies()
        record = find_remediation(identity, ports)
        after = record.commit or record.preview
        diffs = preview_diff(record, ports, page=DiffPage(limit=limit))
        diffs = hide_in_diffs(diffs, wiring.catalog.hidden_from(wiring.author.email)(record.base, after))
    head = _summary(record)
    if after is None or record.base is None:
        terminal.answer(CommandAnswer(name="remediations", items=[record.to_dict()], head=head))
        return
    answer = answer_of_table_diffs((record.base, after), diffs, limit)
    terminal.say("\n".join(head))
    terminal.answer(replace(answer, facts={**answer.facts, "remediation": record.to_dict()}))
    if record.is_open:
        terminal.say(f"Take it: forge quality remediate approve {record.id}")


@command
def propose(
    terminal: Terminal,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="core.orders, or core.orders@branch.")],
    action: Annotated[
        list[str] | None,
        typer.Option(
            "--action",
            metavar="ACTION",
            help="quarantine, rollback, or YAML as '{action: impute, method: median}'. Default: what the checks say.",
        ),
    ] = None,
    check: Annotated[
        list[str] | None, typer.Option("--check", metavar="ID", help="For this check. Default: all that fail.")
    ] = None,
    now: Annotated[
        bool, typer.Option("--now", help="Do it at once, where it helps and breaks no other check.")
    ] = False,
) -> None:
    """Propose a remediation on a branch of its own, with the rows it would change. Nothing else moves."""
    from forge.flows.quality.judge import judge_dataset
    from forge.flows.quality.remediation.request import RemedyRequest, read_actions, request_remedy
    from forge.flows.versioning.revisions import find_branch
    from forge.model.names import BranchName, TableName

    name, _, at = table.partition("@")
    actions = read_actions([_read(text) for text in action or ()])
    with terminal.open() as wiring:
        branch = find_branch(wiring.metadata, BranchName(at or wiring.default_branch)).name
        asked = RemedyRequest(TableName.parse(name), branch, actions, tuple(check or ()), now)
        record = request_remedy(
            asked, wiring.quality.remedies(), lambda dataset: judge_dataset(dataset, wiring.quality.check_ports())
        )
    terminal.answer(_answer(record))
    if record.is_open:
        terminal.say(f"Look at the rows: forge quality remediate show {record.id}")


@command
def approve(terminal: Terminal, identity: Identity, comment: Comment = "") -> None:
    """Land a proposal on its branch as one commit; calculated again where the branch has moved."""
    from forge.flows.quality.remediation.decision import approve as act

    _decide(terminal, lambda ports: act(identity, ports, comment=comment))


@command
def reject(terminal: Terminal, identity: Identity, comment: Comment = "") -> None:
    """Say no to a proposal; its branch is deleted."""
    from forge.flows.quality.remediation.decision import reject as act

    _decide(terminal, lambda ports: act(identity, ports, comment=comment))


@command
def revert(terminal: Terminal, identity: Identity, comment: Comment = "") -> None:
    """Take back what a remediation did, by a new commit."""
    from forge.flows.quality.remediation.decision import revert as act

    _decide(terminal, lambda ports: act(identity, ports, comment=comment))


def _decide(terminal: Terminal, act: Callable[[RemedyPorts], Remediation]) -> None:
    with terminal.open() as wiring:
        record = act(wiring.quality.remedies())
    terminal.answer(_answer(record))


def _answer(record: Remediation) -> CommandAnswer:
    return CommandAnswer(name="remediations", items=[record.to_dict()], head=_summary(record))


def _summary(record: Remediation) -> list[str]:
    lines = [f"{record.id}  {record.status}  {record.table}@{record.branch}"]
    lines += [f"  {record.note}"] if record.note else []
    lines += [f"  {one.table}: +{one.added:,} ~{one.changed:,} -{one.deleted:,} rows" for one in record.counts]
    lines += [f"  {one.outcome}: {one.message}" for one in record.verdicts]
    if record.is_open:
        lines.append(f"  on branch {record.preview_branch}")
    lines += [f"  commit {short(record.commit)}"] if record.commit else []
    lines += [f"  taken back by commit {short(record.reverted_by_commit)}"] if record.reverted_by_commit else []
    return lines


def _actions(item: Mapping[str, Any]) -> str:
    return ", ".join(str(step["action"]) for step in item["steps"])


def _status(word: str | None) -> RemedyStatus | None:
    from forge.model.name_suggestions import did_you_mean
    from forge.quality.remediation import RemedyStatus

    if word is None or word in list(RemedyStatus):
        return RemedyStatus(word) if word else None
    known = ", ".join(RemedyStatus)
    why = did_you_mean(word, list(RemedyStatus))
    raise ForgeError("E105", f"There is no status {word}", why=why, fix=f"One of {known}.")


def _read(text: str) -> object:
    """A word, or a mapping in YAML."""
    from forge.model.yaml_file import load_yaml

    return load_yaml(text, "--action").data


app = command_group(
    "Mend what checks found: propose, look at, approve, reject and take back.",
    (list_, show, propose, approve, reject, revert),
)
