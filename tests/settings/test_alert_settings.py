"""Channels and quiet hours in forge.yaml: what is wrong is told with its place, and no secret stands in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.channels.email import EmailChannel
from forge.channels.pagerduty import URL, PagerDutyChannel
from forge.channels.slack import SlackChannel
from forge.channels.webhook import WebhookChannel
from forge.model.errors import ForgeError, errors_of
from forge.settings import Settings, load_settings
from forge.wiring import Wiring

ALL = """
alerts:
  channels:
    ops: {type: slack, url: env:SLACK_URL}
    mail: {type: email, host: smtp.example.com, user: forge, password: env:SMTP_PASSWORD,
           sender: Forge <forge@example.com>, to: [ops@example.com]}
    pager: {type: pagerduty, routing_key: "file:/run/key", ignore_quiet_hours: true}
    hook: {type: webhook, url: "https://example.com/hook", secret: env:HOOK_SECRET, timeout_seconds: 3}
  runs: {channels: [ops], severity_threshold: critical}
  quiet_hours:
    - {start: 22:00, end: 07:00, timezone: Europe/Zurich, break_through: critical}
    - {start: "00:00", end: "24:00", days: [sat, sun]}
  group_seconds: 60
  give_up_hours: 48
  remind_hours: 4
server: {public_url: https://forge.example.com}
"""


def load(root: Path, text: str, environ: dict[str, str] | None = None) -> Settings:
    (root / "forge.yaml").write_text(text)
    return load_settings(root, {"HOME": str(root), "PATH": "", "USER": "ada", **(environ or {})})


def refusals(root: Path, channels: str = "{}", rest: str = "") -> list[tuple[str, str]]:
    with pytest.raises(ForgeError) as caught:
        load(root, f"alerts:\n  channels: {channels}\n{rest}")
    return [(one.code, one.what) for one in errors_of(caught.value)]


def test_without_a_word_there_are_no_channels_and_runs_tell_nobody(tmp_path: Path) -> None:
    keys = load(tmp_path, "project: shop").alerts
    assert (keys.channels, keys.runs.channels, keys.runs.severity_threshold, keys.quiet_hours) == ({}, [], "error", [])
    assert (keys.group_seconds, keys.give_up_hours, keys.remind_hours, keys.reopen_hours) == (30, 24, None, 24)


def test_every_channel_is_built_from_its_keys_and_reads_its_secret_when_it_sends(tmp_path: Path) -> None:
    wiring = Wiring(load(tmp_path, ALL), environ={"SLACK_URL": "https://hooks.slack.com/x", "HOOK_SECRET": "s"})
    ports = wiring.quality.alerts
    ops, mail, pager, hook = (ports.channels[name] for name in ("ops", "mail", "pager", "hook"))
    assert isinstance(ops, SlackChannel)
    assert isinstance(mail, EmailChannel)
    assert isinstance(pager, PagerDutyChannel)
    assert isinstance(hook, WebhookChannel)
    assert ops.url() == "https://hooks.slack.com/x"
    assert (mail.security, mail.port, mail.to) == ("starttls", None, ("ops@example.com",))
    assert pager.url == URL
    assert hook.secret is not None
    assert (hook.secret(), hook.timeout) == ("s", 3)
    assert mail.password is not None
    with pytest.raises(ForgeError, match="SMTP_PASSWORD is not set"):
        mail.password()
    assert (ports.heedless, ports.address) == (frozenset({"pager"}), "https://forge.example.com")
    assert ports.timing_of("pager").quiet == ()
    night, weekend = ports.timing_of("ops").quiet
    assert (night.start, night.end, night.timezone, weekend.end) == (22 * 60, 7 * 60, "Europe/Zurich", 24 * 60)
    assert (ports.runs.channels, str(ports.runs.severity_threshold)) == (("ops",), "critical")
    wiring.close()


@pytest.mark.parametrize(
    ("channel", "code", "part"),
    [
        ("{type: slak, url: env:X}", "E105", "must be"),
        ("{type: slack}", "E105", "a channel of type slack needs url"),
        ("{type: webhook}", "E105", "needs url"),
        ("{type: pagerduty}", "E105", "needs routing_key"),
        ("{type: email, host: a}", "E105", "needs sender"),
        ("{type: slack, url: env:X, to: [a@b]}", "E105", "a channel of type slack has no to"),
        ("{type: slack, url: env:X, colour: red}", "E104", "unknown setting"),
        ("{type: slack, url: 'https://hooks.slack.com/services/T/B/x'}", "E106", "holds a secret as plain text"),
        ("{type: pagerduty, routing_key: abc}", "E106", "holds a secret as plain text"),
        ("{type: webhook, url: 'https://a.b', secret: abc}", "E106", "holds a secret as plain text"),
        ("{type: webhook, url: 'https://ada:pw@a.b'}", "E106", "holds a secret as plain text"),
        ("{type: webhook, url: 'ftp://a.b'}", "E105", "this is no address"),
        ("{type: email, host: a, sender: forge@b, to: [ops]}", "E105", "'ops' is no e-mail address"),
        ("{type: email, host: a, sender: f@b, to: [o@b], password: pw}", "E106", "holds a secret as plain text"),
        (
            "{type: email, host: a, sender: f@b, to: [o@b], user: f, password: env:P, security: none}",
            "E105",
            "in the clear",
        ),
    ],
)
def test_what_is_wrong_with_a_channel_is_told(tmp_path: Path, channel: str, code: str, part: str) -> None:
    found = refusals(tmp_path, f"{{ops: {channel}}}")
    assert any(one == code and part in what for one, what in found), found


@pytest.mark.parametrize(
    ("rest", "part"),
    [
        ("  runs: {channels: [opps]}", "there is no channel 'opps'"),
        ("  runs: {severity_threshold: bad}", "severity_threshold"),
        ("  quiet_hours: [{start: '25:00', end: '07:00'}]", "start"),
        ("  quiet_hours: [{start: '07:00', end: '07:00'}]", "it ends when it begins"),
        ("  quiet_hours: [{start: '22:00', end: '07:00', timezone: Mars/Base}]", "no time zone 'Mars/Base'"),
        ("  quiet_hours: [{start: '22:00', end: '07:00', days: [monday]}]", "days"),
        ("  quiet_hours: [{start: '22:00'}]", "end: is required"),
        ("  give_up_hours: 0", "give_up_hours"),
    ],
)
def test_what_is_wrong_with_the_times_is_told(tmp_path: Path, rest: str, part: str) -> None:
    found = refusals(tmp_path, rest=rest)
    assert any(part in what for _, what in found), found


def test_a_name_that_is_no_name_is_refused(tmp_path: Path) -> None:
    assert refusals(tmp_path, "{'a b': {type: slack, url: env:X}}") == [
        ("E105", "alerts.channels: 'a b' is no name of a channel")
    ]
