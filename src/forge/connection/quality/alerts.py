"""The part of `forge.connect().quality` about alerts, mutes and deliveries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.wiring import Wiring

if TYPE_CHECKING:
    from forge.quality.alerts.alert import AlertScope, AlertState
    from forge.quality.alerts.delivery import Delivery
    from forge.quality.alerts.quiet import Mute


@dataclass(frozen=True, slots=True)
class QualityAlerts:
    wiring: Wiring
    branch: BranchName

    def alerts(
        self,
        dataset: str | None = None,
        *,
        monitor: str | None = None,
        branch: str | None = None,
        status: str | None = None,
        limit: int = 1000,
    ) -> tuple[AlertState, ...]:
        """The state of each check that ever failed, failing ones first. `status`: ok or failing."""
        from forge.quality.alerts.alert import AlertStatus

        return self.wiring.quality.alerts.store.states(
            scope=self._scope(monitor),
            table=str(TableName.parse(dataset)) if dataset else None,
            branch=branch,
            statuses=(AlertStatus(status),) if status else None,
            limit=limit,
        )

    def mutes(self) -> tuple[Mute, ...]:
        """Active mutes, the longest first."""
        ports = self.wiring.quality.alerts
        return ports.store.mutes(ports.clock())

    def mute(
        self,
        dataset: str | None = None,
        *,
        monitor: str | None = None,
        check: str | None = None,
        until: datetime | None = None,
        hours: float | None = None,
        reason: str = "",
    ) -> Mute:
        """Suppresses messages about a dataset, a monitor or a check until `until`, or for `hours`. Incidents are still
        tracked. E732."""
        from forge.flows.quality.incidents.tracker import mute

        ports = self.wiring.quality.alerts
        if (until is None) == (hours is None):
            raise ForgeError("E732", "The mute needs one end", fix="Give until (a time), or hours.")
        return mute(
            ports,
            until=until or ports.clock() + timedelta(hours=hours or 0),
            by=self.wiring.author.email,
            monitor_id=self._monitor_id(monitor),
            check_id=check,
            table=dataset,
            reason=reason,
        )

    def unmute(self, mute: str) -> Mute:
        """Ends a mute now; checks that still fail are announced. E733."""
        from forge.flows.quality.incidents.tracker import unmute

        return unmute(self.wiring.quality.alerts, mute)

    def deliveries(
        self,
        *,
        monitor: str | None = None,
        incident: str | None = None,
        channel: str | None = None,
        state: str | None = None,
        limit: int = 100,
    ) -> tuple[Delivery, ...]:
        """Every notice to every channel, the newest first. `state`: waiting, sent, dropped, refused or given up."""
        from forge.quality.alerts.delivery import DeliveryStatus

        return self.wiring.quality.alerts.store.deliveries(
            scope=self._scope(monitor),
            incident_id=incident,
            channel=channel,
            statuses=(DeliveryStatus(state),) if state else None,
            limit=limit,
        )

    def retry_delivery(self, delivery: str) -> None:
        """Retries a delivery that was given up or refused. E736."""
        from forge.flows.quality.incidents.deliveries import retry_delivery

        retry_delivery(self.wiring.quality.alerts, delivery)

    def channels(self) -> dict[str, str]:
        """The channels of forge.yaml with their types."""
        channels = self.wiring.settings.alerts.channels
        return {name: str(channels[name].type) for name in sorted(channels)}

    def test_channel(self, channel: str) -> tuple[bool, str]:
        """Sends a test message at once: whether it was accepted, and the answer. E731."""
        from forge.flows.quality.incidents.deliveries import try_channel

        return try_channel(self.wiring.quality.alerts, channel)

    def _scope(self, monitor: str | None) -> AlertScope | None:
        from forge.quality.alerts.alert import AlertOrigin, AlertScope

        found = self._monitor_id(monitor)
        return AlertScope(AlertOrigin.MONITOR, found) if found else None

    def _monitor_id(self, monitor: str | None) -> str | None:
        """By id or name. E721."""
        from forge.flows.quality.monitors.store import find_monitor

        return find_monitor(self.wiring.quality.monitors, monitor).id if monitor else None
