"""The parts of alerts and incidents."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from forge.model.secret import is_reference, resolve_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.flows.quality.incidents.ports import AlertPorts, Channel
    from forge.settings.keys import ChannelKeys
    from forge.wiring import Wiring


def _minutes(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def alert_ports(wiring: Wiring) -> AlertPorts:
    """The ports of alerts and incidents."""
    from forge.flows.quality.incidents.ports import AlertPorts
    from forge.quality.alerts.alert import AlertPolicy
    from forge.quality.alerts.delivery import ChannelTiming
    from forge.quality.alerts.quiet import QuietPeriod
    from forge.quality.verdict import Severity
    from forge.stores.sql.quality.alerts import SqlAlerts

    keys = wiring.settings.alerts
    remind = timedelta(hours=keys.remind_hours) if keys.remind_hours else None
    quiet = tuple(
        QuietPeriod(
            _minutes(one.start),
            _minutes(one.end),
            one.timezone,
            frozenset(one.days),
            Severity(one.break_through) if one.break_through else None,
        )
        for one in keys.quiet_hours
    )
    runs = keys.runs
    return AlertPorts(
        metadata=wiring.metadata,
        store=SqlAlerts(wiring.database),
        clock=wiring.clock,
        default_branch=wiring.default_branch,
        owner=wiring.settings.owner_of,
        channels={name: _channel(wiring, name, channel) for name, channel in keys.channels.items()},
        runs=AlertPolicy(tuple(runs.channels), Severity(runs.severity_threshold), runs.notify_on_recovery, remind),
        timing=ChannelTiming(timedelta(seconds=keys.group_seconds), quiet, timedelta(hours=keys.give_up_hours)),
        heedless=frozenset(name for name, channel in keys.channels.items() if channel.ignore_quiet_hours),
        remind_after=remind,
        reopen_within=timedelta(hours=keys.reopen_hours),
        address=wiring.settings.server.public_url or wiring.address,
    )


def _channel(wiring: Wiring, name: str, keys: ChannelKeys) -> Channel:
    """Its secrets are resolved when something is sent."""
    from forge.channels import email, pagerduty, slack, webhook

    ca_file = str(wiring.root / Path(keys.ca_file).expanduser()) if keys.ca_file else None
    read = partial(_read_secret, wiring.environ, f"alerts.channels.{name}")
    match keys.type:
        case "slack":
            return slack.SlackChannel(partial(read, "url", keys.url or ""), keys.timeout_seconds, ca_file)
        case "webhook":
            secret = partial(read, "secret", keys.secret) if keys.secret else None
            url = partial(read, "url", keys.url or "")
            return webhook.WebhookChannel(url, secret, keys.timeout_seconds, ca_file)
        case "pagerduty":
            key = partial(read, "routing_key", keys.routing_key or "")
            return pagerduty.PagerDutyChannel(key, keys.url or pagerduty.URL, keys.timeout_seconds, ca_file)
        case "email":
            return email.EmailChannel(
                host=keys.host or "",
                sender=keys.sender or "",
                to=tuple(keys.to),
                port=keys.port,
                security=keys.security or "starttls",
                user=keys.user,
                password=partial(read, "password", keys.password) if keys.password else None,
                timeout=keys.timeout_seconds,
                ca_file=ca_file,
            )


def _read_secret(environ: Mapping[str, str], where: str, key: str, text: str) -> str:
    """The secret of a reference; a plain address is allowed."""
    return resolve_secret(text, environ, f"{where}.{key}") if is_reference(text) else text
