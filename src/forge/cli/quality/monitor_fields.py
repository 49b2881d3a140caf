"""The options of `forge quality monitor create` and `edit` as fields of a monitor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError, UnknownNameError
from forge.model.yaml_file import load_yaml

if TYPE_CHECKING:
    from forge.quality.monitors.monitor import Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorOptions:
    """Options of the command line; None: not given."""

    description: str | None
    checks: Sequence[str] | None
    checks_file: Path | None
    channels: Sequence[str] | None
    severity_threshold: str | None
    recovery: bool | None
    sla: float | None
    sla_window: int | None

    def fields(self) -> dict[str, object]:
        plain: dict[str, object] = {
            "description": self.description,
            "checks": self._checks(),
            "channels": list(self.channels) if self.channels else None,
            "severity_threshold": str(self.severity_threshold) if self.severity_threshold else None,
            "notify_on_recovery": self.recovery,
            "sla_target_percentage": self.sla,
            "sla_window_days": self.sla_window,
        }
        return {key: value for key, value in plain.items() if value is not None}

    def _checks(self) -> list[object] | None:
        if self.checks and self.checks_file:
            raise ForgeError("E105", "--check and --checks-file say the same", fix="Keep one of them.")
        if self.checks_file is not None:
            return _from_file(self.checks_file)
        return [load_yaml(text, f"--check {number}").data for number, text in enumerate(self.checks or (), 1)] or None


def _from_file(path: Path) -> list[object]:
    try:
        data = load_yaml(path.read_text(encoding="utf-8"), str(path)).data
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UnknownNameError(f"The checks of {path} cannot be read", why=reason) from error
    if not isinstance(data, list):
        raise ForgeError("E103", "Checks are a list", where=str(path), fix="Begin each with -")
    return data


def schedule_of(
    cron: str | None,
    every: int | None,
    on_change: bool,
    timezone: str | None,
    missed: str | None,
    by_hand: bool = False,
    before: Schedule | None = None,
) -> dict[str, object]:
    """`{"schedule": …}`, or empty where no option concerns it. Omitted fields keep the values of `before`."""
    from forge.quality.monitors.spec import schedule_json

    named = [
        name
        for name, given in (
            ("--cron", cron is not None),
            ("--every", every is not None),
            ("--on-change", on_change),
            ("--by-hand", by_hand),
        )
        if given
    ]
    if len(named) > 1:
        raise ForgeError("E105", f"{' and '.join(named)} cannot go together", fix="Keep one of them.")
    if not named and timezone is None and missed is None:
        return {}
    if by_hand:
        return {"schedule": None}
    kept = dict(schedule_json(before) or {})
    if not named and not kept:
        raise ForgeError("E105", "--timezone and --missed need a time", fix="Add --cron, --every or --on-change.")
    if named:
        kept |= {"cron": None, "interval_minutes": None}
    kept |= {"type": "cron", "cron": cron} if cron is not None else {}
    kept |= {"type": "interval", "interval_minutes": every} if every is not None else {}
    kept |= {"type": "on_change"} if on_change else {}
    kept |= {"timezone": timezone} if timezone is not None else {}
    kept |= {"missed": str(missed)} if missed is not None else {}
    return {"schedule": kept}
