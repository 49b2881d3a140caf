"""What alerts and incidents need."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from forge.model.secret import is_reference, resolve_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.flows.quality.incidents.ports import AlertPorts, Channel
    from forge.model.names import BranchName, RunId, TableName
    from forge.settings.keys import ChannelKeys
from forge.wiring.foundation import Foundation


def _minutes(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


class AlertWiring(Foundation):
    @cached_property
    def _alerts(self) -> AlertPorts:
        from forge.flows.quality.incidents.ports import AlertPorts
        from forge.quality.alerts.alert import AlertPolicy
        from forge.quality.alerts.delivery import Timing
        from forge.quality.alerts.quiet import QuietPeriod
        from forge.quality.verdict import Severity
        from forge.stores.sql.quality.alerts import SqlAlerts

        keys = self.settings.alerts
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
            metadata=self.metadata,
            store=SqlAlerts(self.database),
            clock=self.clock,
            default_branch=self.default_branch,
            owner=self.settings.owner_of,
            channels={name: self._channel(name, channel) for name, channel in keys.channels.items()},
            runs=AlertPolicy(tuple(runs.channels), Severity(runs.severity_threshold), runs.notify_on_recovery, remind),
            timing=Timing(timedelta(seconds=keys.group_seconds), quiet, timedelta(hours=keys.give_up_hours)),
            heedless=frozenset(name for name, channel in keys.channels.items() if channel.ignore_quiet_hours),
            remind_after=remind,
            reopen_within=timedelta(hours=keys.reopen_hours),
            address=self.settings.server.public_url or self.address,
        )

    def alerts(self) -> AlertPorts:
        """What alerts and incidents need."""
        return self._alerts

    def _channel(self, name: str, keys: ChannelKeys) -> Channel:
        """Its secrets are read when something is sent."""
        from forge.channels import email, pagerduty, slack, webhook

        ca_file = str(self.root / Path(keys.ca_file).expanduser()) if keys.ca_file else None
        read = partial(self._read_secret, f"alerts.channels.{name}")
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
                    keys.host or "",
                    keys.sender or "",
                    tuple(keys.to),
                    keys.port,
                    keys.security or "starttls",
                    keys.user,
                    partial(read, "password", keys.password) if keys.password else None,
                    keys.timeout_seconds,
                    ca_file,
                )

    def _read_secret(self, where: str, key: str, text: str) -> str:
        """What a reference points at; an address may stand there as it is."""
        return resolve_secret(text, self.environ, f"{where}.{key}") if is_reference(text) else text

    def _settle(self, branch: BranchName, run_id: RunId, outputs: Mapping[TableName, bool]) -> None:
        from forge.flows.quality.incidents.alerts import settle_run

        try:
            settle_run(self.alerts(), branch, run_id, outputs)
        except Exception as error:  # the run stands
            logging.getLogger("forge.alerts").warning("Alerts of the run %s were not settled: %s", run_id, error)

    def _forget(self, monitor_id: str, by: str) -> None:
        from forge.flows.quality.incidents.alerts import forget_monitor

        forget_monitor(self.alerts(), monitor_id, by)
