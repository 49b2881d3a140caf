"""Validation of alert channels and times, beyond the types of their keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.secret import is_reference
from forge.settings.keys import AlertKeys, ChannelKeys
from forge.settings.layers import KeyPath

Place = Callable[[KeyPath], str]
_COMMON = ("type", "timeout_seconds", "ignore_quiet_hours", "ca_file")
_NEEDED = {
    "slack": ("url",),
    "email": ("host", "sender", "to"),
    "pagerduty": ("routing_key",),
    "webhook": ("url",),
}
_TAKEN = {
    "slack": ("url",),
    "email": ("host", "port", "security", "user", "password", "sender", "to"),
    "pagerduty": ("routing_key", "url"),
    "webhook": ("url", "secret"),
}
_SECRETS = ("password", "secret", "routing_key")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ADDRESS = re.compile(r"[^@\s<>]+@[^@\s<>]+|[^<>\r\n]*<[^@\s<>]+@[^@\s<>]+>")
_HERE = ("localhost", "127.0.0.1", "::1")


def is_channel_secret(path: KeyPath, value: object) -> bool:
    """Whether a plain text there is a secret: the address of a Slack webhook suffices to post."""
    if path[:2] != ("alerts", "channels"):
        return False
    return str(path[-1]) in _SECRETS or (path[-1] == "url" and "hooks.slack.com" in str(value))


def alert_problems(keys: AlertKeys, place: Place) -> Iterator[ForgeError]:
    for name, channel in keys.channels.items():
        path: KeyPath = ("alerts", "channels", name)
        if not _NAME.fullmatch(name):
            what = f"alerts.channels: '{name[:80]}' is no name of a channel"
            yield ForgeError("E105", what, where=place(path), fix="Use letters, digits, dots, - and _.")
        yield from _channel_problems(name, channel, place)
    for name in keys.runs.channels:
        if name not in keys.channels:
            yield ForgeError(
                "E105",
                f"alerts.runs.channels: there is no channel '{name}'",
                where=place(("alerts", "runs", "channels")),
                fix=did_you_mean(name, keys.channels) or "Define it in alerts.channels.",
            )
    for number, period in enumerate(keys.quiet_hours):
        path = ("alerts", "quiet_hours", number)
        if period.start == period.end:
            what = f"alerts.quiet_hours[{number}]: it ends when it begins"
            yield ForgeError("E105", what, where=place(path), fix="A whole day is start: 00:00, end: 24:00.")
        try:
            ZoneInfo(period.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            what = f"alerts.quiet_hours[{number}].timezone: there is no time zone '{period.timezone}'"
            yield ForgeError("E105", what, where=place(path), fix="Write it like Europe/Zurich, or UTC.")


def _channel_problems(name: str, channel: ChannelKeys, place: Place) -> Iterator[ForgeError]:
    path: KeyPath = ("alerts", "channels", name)
    shown = f"alerts.channels.{name}"
    for key in _NEEDED[channel.type]:
        if not getattr(channel, key):
            yield ForgeError("E105", f"{shown}: a channel of type {channel.type} needs {key}", where=place(path))
    known = (*_COMMON, *_TAKEN[channel.type])
    for key in sorted(channel.model_fields_set - set(known)):
        what = f"{shown}: a channel of type {channel.type} has no {key}"
        yield ForgeError("E105", what, where=place((*path, key)), fix=f"It takes {', '.join(known)}.")
    if channel.url is not None and not is_reference(channel.url) and not re.match(r"https?://[^\s/]", channel.url):
        what = f"{shown}.url: this is no address"
        yield ForgeError("E105", what, where=place((*path, "url")), fix="Write https://…, env:NAME or file:/path.")
    yield from _email_problems(shown, channel, place, path)


def _email_problems(shown: str, channel: ChannelKeys, place: Place, path: KeyPath) -> Iterator[ForgeError]:
    if channel.type != "email":
        return
    for address in (*channel.to, *([channel.sender] if channel.sender else [])):
        if not _ADDRESS.fullmatch(address):
            what = f"{shown}: '{address[:80]}' is no e-mail address"
            yield ForgeError("E105", what, where=place(path), fix="Write it like ops@example.com.")
    if channel.security == "none" and channel.password and channel.host not in _HERE:
        what = f"{shown}: the password would cross the network in the clear"
        yield ForgeError("E105", what, where=place(path), fix="Set security: starttls, or tls.")
