"""`forge quality alerts list|mute|unmute|mutes|deliveries|deliver|retry|test`."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command, command_group
from forge.cli.formatting import moment, plural
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

Monitor = Annotated[str | None, typer.Option("--monitor", metavar="ID", help="Of one monitor.")]
Dataset = Annotated[str | None, typer.Option("--dataset", metavar="TABLE", help="Of one table.")]
Check = Annotated[str | None, typer.Option("--check", metavar="ID", help="Of one check.")]


class AlertStateWord(StrEnum):
    WAITING = "waiting"
    SENT = "sent"
    DROPPED = "dropped"
    REFUSED = "refused"
    GIVEN_UP = "given up"
    ALL = "all"


@command
def list_(
    terminal: Terminal,
    monitor: Monitor = None,
    dataset: Dataset = None,
    all_: Annotated[bool, typer.Option("--all", help="Also those that do not fail.")] = False,
) -> None:
    """List the checks that fail, since when, and which channels know."""
    from forge.model.names import TableName
    from forge.quality.alerts.alert import AlertOrigin, AlertScope, AlertStatus
    from forge.quality.alerts.quiet import muted_until

    table = str(TableName.parse(dataset)) if dataset else None
    scope = AlertScope(AlertOrigin.MONITOR, monitor) if monitor else None
    with terminal.open() as wiring:
        ports = wiring.quality.alerts
        now = ports.clock()
        mutes = ports.store.mutes(now)
        found = ports.store.states(
            scope=scope, table=table, statuses=None if all_ else (AlertStatus.FAILING,), limit=10_000
        )
        items: list[dict[str, object]] = [
            {**one.to_dict(), "muted_until": muted_until(mutes, one.scope, one.table, one.check_id, now)}
            for one in found
        ]
    columns = (
        AnswerColumn("status", lambda i: str(i["status"])),
        AnswerColumn("severity", lambda i: str(i["severity"])),
        AnswerColumn("judged by", lambda i: str(i["scope"])),
        AnswerColumn("check", lambda i: str(i["check_id"]), style="bold"),
        AnswerColumn("since (UTC)", lambda i: moment(i["since"])),
        AnswerColumn("told", lambda i: ", ".join(map(str, i["told"])) if isinstance(i["told"], list) else ""),
        AnswerColumn("muted until", lambda i: moment(i["muted_until"])),
        AnswerColumn("what", lambda i: str(i["message"])),
    )
    terminal.answer(CommandAnswer(name="alerts", items=items, columns=columns))
    terminal.say(plural(len(items), "alert") if items else "No check fails.")


@command
def mute(
    terminal: Terminal,
    hours: Annotated[float | None, typer.Option("--hours", min=0.01, help="How long.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Until when: 2026-11-15T07:00Z.")] = None,
    monitor: Monitor = None,
    dataset: Dataset = None,
    check: Check = None,
    reason: Annotated[str, typer.Option("--reason", "-m", metavar="TEXT", help="Why.")] = "",
) -> None:
    """Send no messages about a monitor, a table or a check for a while. Incidents are kept all the same."""
    from datetime import datetime

    from forge.flows.quality.incidents.tracker import mute as make

    if (hours is None) == (until is None):
        raise ForgeError("E732", "The mute needs one end", fix="Give --hours 8, or --until 2026-11-15T07:00Z.")
    with terminal.open() as wiring:
        ports = wiring.quality.alerts
        try:
            end = datetime.fromisoformat(until) if until else ports.clock() + timedelta(hours=hours or 0)
        except ValueError as error:
            raise ForgeError("E732", f"'{until}' is not a time", fix="Write it like 2026-11-15T07:00Z.") from error
        made = make(
            ports,
            until=end,
            by=wiring.author.email,
            monitor_id=monitor,
            check_id=check,
            table=dataset,
            reason=reason,
        )
    terminal.answer(CommandAnswer(name="mutes", items=[made.to_dict()], head=[made.id]))
    terminal.say(f"Muted until {moment(made.until)} UTC. End it: forge quality alerts unmute {made.id}")


@command
def unmute(terminal: Terminal, mute: Annotated[str, typer.Argument(metavar="ID", help="The mute.")]) -> None:
    """End a mute. Alerts are sent for what still fails."""
    from forge.flows.quality.incidents.tracker import unmute as end

    with terminal.open() as wiring:
        ended = end(wiring.quality.alerts, mute)
    terminal.answer(CommandAnswer(name="mutes", items=[ended.to_dict()], head=[ended.id]))


@command
def mutes(terminal: Terminal) -> None:
    """List the mutes that hold."""
    with terminal.open() as wiring:
        ports = wiring.quality.alerts
        items = [one.to_dict() for one in ports.store.mutes(ports.clock())]
    columns = (
        AnswerColumn("id", lambda i: str(i["id"]), style="yellow"),
        AnswerColumn("until (UTC)", lambda i: moment(i["until"])),
        AnswerColumn("monitor", lambda i: str(i["monitor_id"] or "")),
        AnswerColumn("dataset", lambda i: str(i["dataset"] or "")),
        AnswerColumn("check", lambda i: str(i["check_id"] or "")),
        AnswerColumn("by", lambda i: str(i["by"])),
        AnswerColumn("why", lambda i: str(i["reason"])),
    )
    terminal.answer(CommandAnswer(name="mutes", items=items, columns=columns))
    if not items:
        terminal.say("Nothing is muted.")


@command
def deliveries(
    terminal: Terminal,
    state: Annotated[AlertStateWord, typer.Option(help="Which.")] = AlertStateWord.ALL,
    channel: Annotated[str | None, typer.Option("--channel", metavar="NAME", help="To one channel.")] = None,
    incident: Annotated[str | None, typer.Option("--incident", metavar="ID", help="Of one incident.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="How many at most.")] = 50,
) -> None:
    """List notices that were sent and that wait, the newest first, with every try."""
    from forge.flows.quality.incidents.deliveries import delivery_records
    from forge.quality.alerts.delivery import DeliveryStatus

    with terminal.open() as wiring:
        ports = wiring.quality.alerts
        statuses = None if state is AlertStateWord.ALL else (DeliveryStatus(state.value),)
        found = ports.store.deliveries(channel=channel, incident_id=incident, statuses=statuses, limit=limit)
        items = delivery_records(ports, found)
    columns = (
        AnswerColumn("id", lambda i: str(i["id"]), style="yellow"),
        AnswerColumn("channel", lambda i: str(i["channel"]), style="bold"),
        AnswerColumn("state", lambda i: str(i["state"])),
        AnswerColumn("kind", lambda i: str(i["kind"])),
        AnswerColumn("dataset", lambda i: str(i["dataset"])),
        AnswerColumn("queued (UTC)", lambda i: moment(i["created_at"])),
        AnswerColumn("next try (UTC)", lambda i: moment(i["next_try_at"])),
        AnswerColumn("tries", lambda i: str(len(i["attempts"])) if isinstance(i["attempts"], list) else "", right=True),
        AnswerColumn("why", lambda i: str(i["reason"])),
    )
    terminal.answer(CommandAnswer(name="deliveries", items=items, columns=columns))
    if not items:
        terminal.say("Nothing was to be told.")


@command
def deliver(
    terminal: Terminal,
    now: Annotated[bool, typer.Option("--now", help="Also what waits for its next try.")] = False,
) -> None:
    """Deliver what is due. `forge serve` does it by itself; exit 5 where a channel did not take a message."""
    from dataclasses import asdict

    from forge.flows.quality.incidents.deliveries import deliver_due
    from forge.model.codes import CANNOT_CONNECT
    from forge.quality.alerts.delivery import DeliveryStatus

    with terminal.open() as wiring:
        ports = wiring.quality.alerts
        done = deliver_due(ports, at_once=now)
        left = len(ports.store.deliveries(statuses=(DeliveryStatus.WAITING,), limit=10_000))
    items = [{**asdict(done), "waiting": left}]
    words = f"{plural(done.sent, 'message')} sent, {done.failed} not taken, {done.given_up} given up, {left} waiting"
    terminal.answer(CommandAnswer(name="delivered", items=items, head=[words]))
    if done.failed or done.given_up:
        raise typer.Exit(CANNOT_CONNECT)


@command
def retry(
    terminal: Terminal,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Deliveries; none for all.")] = None,
) -> None:
    """Queue again what was given up or refused."""
    from forge.quality.alerts.delivery import DeliveryStatus

    with terminal.open() as wiring:
        store = wiring.quality.alerts.store
        ended = (DeliveryStatus.GIVEN_UP, DeliveryStatus.REFUSED)
        chosen = ids or [one.id for one in store.deliveries(statuses=ended, limit=10_000)]
        number = store.queue_again(chosen, wiring.clock())
    terminal.answer(CommandAnswer(name="queued", items=[{"deliveries": number}], head=[f"{number} queued again"]))


@command
def test(terminal: Terminal, channel: Annotated[str, typer.Argument(metavar="CHANNEL", help="Its name.")]) -> None:
    """Send a trial to a channel at once."""
    from forge.flows.quality.incidents.deliveries import try_channel

    with terminal.open() as wiring:
        ok, detail = try_channel(wiring.quality.alerts, channel)
    if not ok:
        raise ForgeError(
            "E735",
            f"The channel '{channel}' did not take the trial",
            where=f"forge.yaml alerts.channels.{channel}",
            why=detail,
            fix="Correct its settings, and try again.",
        )
    terminal.answer(
        CommandAnswer(
            name="trials", items=[{"channel": channel, "ok": ok, "detail": detail}], head=[f"{channel}: {detail}"]
        )
    )


app = command_group(
    "See who is told of failing checks, mute it, and deliver what waits.",
    (list_, mute, unmute, mutes, deliveries, deliver, retry, test),
)
