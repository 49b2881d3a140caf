"""`forge quality incidents list|show|ack|assign|resolve|reopen|note`."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command, command_group
from forge.cli.formatting import moment, plural
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.quality.alerts.incident import IncidentStatus, TrackedIncident
    from forge.wiring import Wiring

Identity = Annotated[str, typer.Argument(metavar="ID", help="The incident, or the beginning of its id.")]
Note = Annotated[str | None, typer.Option("--note", "-m", metavar="TEXT", help="A line for the timeline.")]
Branch = Annotated[str | None, typer.Option("--branch", metavar="NAME", help="Another branch than the default.")]


class StatusWord(StrEnum):
    UNRESOLVED = "unresolved"
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"
    ALL = "all"


@command
def list_(
    terminal: Terminal,
    status: Annotated[
        StatusWord, typer.Option(help="Which; unresolved: open and acknowledged.")
    ] = StatusWord.UNRESOLVED,
    dataset: Annotated[str | None, typer.Option("--dataset", metavar="TABLE", help="Of one table.")] = None,
    branch: Branch = None,
) -> None:
    """List incidents, the worst first."""
    from forge.flows.quality.incidents.listing import list_incidents, opened_on
    from forge.model.names import BranchName, TableName

    table = str(TableName.parse(dataset)) if dataset else None
    with terminal.open() as wiring:
        ports = wiring.quality.alerts
        named = BranchName(branch) if branch else wiring.default_branch
        found = list_incidents(ports, opened_on(ports, named), _statuses(status), branch)
        items = [one.to_dict() for one in found if table is None or one.table == table]
    columns = (
        AnswerColumn("id", lambda i: str(i["id"]), style="yellow"),
        AnswerColumn("status", lambda i: str(i["status"])),
        AnswerColumn("severity", lambda i: str(i["severity"])),
        AnswerColumn("dataset", lambda i: str(i["table"]), style="bold"),
        AnswerColumn("since (UTC)", lambda i: moment(i["since"])),
        AnswerColumn("seen", lambda i: str(i["seen"]), right=True),
        AnswerColumn("who", lambda i: str(i["assignee"] or "")),
        AnswerColumn("what", lambda i: str(i["message"])),
    )
    terminal.answer(CommandAnswer(name="incidents", items=items, columns=columns))
    terminal.say(plural(len(items), "incident") if items else "Nothing is wrong.")


@command
def show(terminal: Terminal, incident: Identity) -> None:
    """Show one incident: what failed, what it came from, whom it hits, and what happened since."""
    from forge.flows.quality.incidents.listing import find_tracked

    with terminal.open() as wiring:
        found = find_tracked(wiring.quality.alerts, incident)
        terminal.answer(_answer(wiring, found))


@command
def ack(terminal: Terminal, incident: Identity, note: Note = None) -> None:
    """Acknowledge an incident: you look after it."""
    _change(terminal, incident, StatusWord.ACKNOWLEDGED, note=note)


@command
def resolve(terminal: Terminal, incident: Identity, note: Note = None) -> None:
    """Say that an incident is resolved. If the check fails again, it is opened again."""
    _change(terminal, incident, StatusWord.RESOLVED, note=note)


@command
def reopen(terminal: Terminal, incident: Identity, note: Note = None) -> None:
    """Open an incident again."""
    _change(terminal, incident, StatusWord.OPEN, note=note)


@command
def assign(
    terminal: Terminal,
    incident: Identity,
    who: Annotated[str, typer.Argument(metavar="WHO", help="Who looks after it; nobody takes it from all.")],
) -> None:
    """Say who looks after an incident."""
    nobody = who == "nobody"
    _change(terminal, incident, assignee=None if nobody else who, nobody=nobody)


@command
def note(
    terminal: Terminal, incident: Identity, text: Annotated[str, typer.Argument(metavar="TEXT", help="What to add.")]
) -> None:
    """Add a line to the timeline of an incident."""
    _change(terminal, incident, note=text)


def _statuses(word: StatusWord) -> tuple[IncidentStatus, ...]:
    from forge.flows.quality.incidents.tracker import UNRESOLVED
    from forge.quality.alerts.incident import IncidentStatus

    if word is StatusWord.ALL:
        return tuple(IncidentStatus)
    return UNRESOLVED if word is StatusWord.UNRESOLVED else (IncidentStatus(word.value),)


def _change(
    terminal: Terminal,
    text: str,
    status: StatusWord | None = None,
    *,
    assignee: str | None = None,
    nobody: bool = False,
    note: str | None = None,
) -> None:
    from forge.flows.quality.incidents.listing import find_tracked
    from forge.flows.quality.incidents.tracker import IncidentRequest, change_incident
    from forge.quality.alerts.incident import IncidentStatus

    request = IncidentRequest(IncidentStatus(status) if status else None, assignee, nobody, note)
    with terminal.open() as wiring:
        ports = wiring.quality.alerts
        changed = change_incident(ports, find_tracked(ports, text).id, request, wiring.author.email)
        terminal.answer(_answer(wiring, changed))
    terminal.say(f"The incident {changed.id} is {changed.status}.")


def _answer(wiring: Wiring, incident: TrackedIncident) -> CommandAnswer:
    from forge.flows.quality.incidents.judge_reference import judge_of_incident
    from forge.flows.quality.incidents.listing import find_listed
    from forge.flows.quality.incidents.origin import origin_of_incident

    ports = wiring.quality.alerts
    listed = find_listed(ports, incident.id)
    by = judge_of_incident(listed, wiring.quality.monitors)
    came_in = origin_of_incident(ports, wiring.quality.monitors, listed)
    entries = ports.store.timeline(incident.id)
    facts = {
        **listed.to_dict(),
        "cause": came_in.to_dict() if came_in else None,
        "judged_by": by.to_dict(),
    }
    head = [
        f"{incident.id}  {incident.status}  {incident.severity}",
        f"{incident.check_id}",
        f"saw         {incident.message}",
        f"dataset     {incident.table}",
        f"judged by   {by.words}",
        f"since       {moment(incident.opened_at)} UTC, seen {incident.seen} times",
        f"commit      {by.commit_id or 'not published'}",
        f"run         {by.run_id or by.monitor_run_id or ''}",
    ]
    if incident.assignee:
        head.append(f"assigned    {incident.assignee}")
    if came_in is not None:
        head.append(f"came in     {came_in.words}")
    if incident.hit:
        shown = ", ".join(f"{hit.column} ({hit.owner or 'no owner'})" for hit in incident.hit[:6])
        more = f" and {len(incident.hit) - 6} more" if len(incident.hit) > 6 else ""
        head.append(f"hits        {shown}{more}")
    columns = (
        AnswerColumn("time (UTC)", lambda i: moment(i["time"])),
        AnswerColumn("what", lambda i: _times(i["kind"], i["count"])),
        AnswerColumn("by", lambda i: str(i["by"] or "forge")),
        AnswerColumn("", lambda i: str(i["text"])),
    )
    items = [entry.to_dict() for entry in entries]
    return CommandAnswer(name="timeline", items=items, columns=columns, facts={"incident": facts}, head=[*head, ""])


def _times(kind: object, count: object) -> str:
    return f"{kind} ×{count}" if isinstance(count, int) and count > 1 else str(kind)


app = command_group(
    "List what is wrong, and say what is done about it.", (list_, show, ack, assign, resolve, reopen, note)
)
