"""The part of `forge.connect().quality` that is about alerts: who was told of what, and who is not to be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.wiring import Wiring

if TYPE_CHECKING:
    from forge.quality.alerts.alert import AlertState, Scope
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
        """How each check that ever failed stands, those that fail first. `status`: ok or failing."""
        from forge.quality.alerts.alert import AlertStatus

        return self.wiring.quality.alerts.store.states(
            scope=self._scope(monitor),
            table=str(TableName.parse(dataset)) if dataset else None,
            branch=branch,
            statuses=(AlertStatus(status),) if status else None,
            limit=limit,
        )

    def mutes(self) -> tuple[Mute, ...]:
        """Those that hold now, the one that lasts longest first."""
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
        """No messages about a dataset, a monitor or a check until an end: `until`, or `hours` from now. Incidents are
        kept all the same. E732."""
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
        """It ends now; what still fails is told. E733."""
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
        """One that was given up or refused is tried once more. E736."""
        from forge.flows.quality.incidents.deliveries import retry_delivery

        retry_delivery(self.wiring.quality.alerts, delivery)

    def channels(self) -> dict[str, str]:
        """The channels of forge.yaml, and of which type each is."""
        channels = self.wiring.settings.alerts.channels
        return {name: str(channels[name].type) for name in sorted(channels)}

    def test_channel(self, channel: str) -> tuple[bool, str]:
        """Sends a trial at once: whether it was taken, and what was said. E731."""
        from forge.flows.quality.incidents.deliveries import try_channel

        return try_channel(self.wiring.quality.alerts, channel)

    def _scope(self, monitor: str | None) -> Scope | None:
        from forge.quality.alerts.alert import Origin, Scope

        found = self._monitor_id(monitor)
        return Scope(Origin.MONITOR, found) if found else None

    def _monitor_id(self, monitor: str | None) -> str | None:
        """By its id or name. E721."""
        from forge.flows.quality.monitors.store import find_monitor

        return find_monitor(self.wiring.quality.monitors, monitor).id if monitor else None
