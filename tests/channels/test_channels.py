"""Slack, e-mail, PagerDuty and webhooks against real receivers that take, refuse, stall and die."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from alert_world import NOON, delivery, notice
from receivers import HttpReceiver, SmtpReceiver, http_receiver, smtp_receiver, write_certificate

from forge.channels.email import EmailChannel
from forge.channels.pagerduty import PagerDutyChannel
from forge.channels.slack import SlackChannel, slack_body
from forge.channels.webhook import WebhookChannel, signature_of
from forge.flows.quality.incidents.ports import Channel, OutgoingMessage, SendError
from forge.quality.alerts.delivery import ChannelMessage, PagerEvent
from forge.quality.alerts.message import PageLinks, document_of, render_notices
from forge.quality.alerts.notice import NoticeKind
from forge.quality.verdict import Severity

LINKS = PageLinks("https://forge.example.com")
MAIL = EmailChannel(
    host="127.0.0.1", sender="Forge <forge@example.com>", to=("ops@example.com", "Bo <bo@example.com>"), timeout=5
)


def outgoing(
    kind: NoticeKind = NoticeKind.FAILING, action: Literal["trigger", "resolve"] = "trigger", **facts: object
) -> OutgoingMessage:
    one = replace(notice(kind), **facts)  # type: ignore[arg-type]
    words = render_notices([one], LINKS)
    event = PagerEvent(action, "forge-key-1", (delivery(1, one),))
    return OutgoingMessage("m-42", words, document_of("m-42", [one], words, LINKS), LINKS, NOON, (event,))


def test_a_webhook_gets_json_with_a_signature_over_time_and_body() -> None:
    with http_receiver() as receiver:
        channel = WebhookChannel(lambda: receiver.url, lambda: "key", timeout=5)
        assert channel.send(outgoing()) == "200 ok"
    (taken,) = receiver.taken
    stamp = taken.headers["x-forge-timestamp"]
    expected = hmac.new(b"key", stamp.encode() + b"." + taken.body, hashlib.sha256).hexdigest()
    assert taken.headers["x-forge-signature"] == f"sha256={expected}" == signature_of("key", stamp, taken.body)
    assert stamp == str(int(NOON.timestamp()))
    assert taken.headers["x-forge-delivery"] == "m-42"
    document = json.loads(taken.body)
    assert (document["id"], document["status"], document["severity"]) == ("m-42", "failing", "error")
    (said,) = document["notices"]
    assert (said["table"], said["checks"][0]["check_id"]) == ("core.orders", "core.orders.amount.range")
    assert said["links"]["core.orders.amount.range"]["incident"].endswith("/quality/incidents/i-amount.range")


def test_slack_gets_blocks_in_which_text_is_text() -> None:
    with http_receiver() as receiver:
        check = replace(notice().checks[0], message="<!channel> a & b > c | d")
        assert SlackChannel(lambda: receiver.url, 5).send(outgoing(checks=(check,))) == "200 ok"
    body = json.loads(receiver.taken[0].body)
    assert body["blocks"][0]["type"] == "header"
    (attachment,) = body["attachments"]
    assert attachment["color"] == "#cf222e"
    text = attachment["blocks"][0]["text"]["text"]
    assert "<!channel>" not in text
    assert "&lt;!channel&gt; a &amp; b &gt; c ¦ d>" in text
    assert "<https://forge.example.com/quality/incidents/i-amount.range|" in text


def test_slack_s_limits_are_kept_however_much_there_is() -> None:
    check = replace(notice().checks[0], message="<" * 5000)
    body: dict[str, Any] = slack_body(render_notices([replace(notice(), checks=(check,) * 50)] * 60, LINKS))
    assert len(body["attachments"]) <= 20
    texts = [block["text"]["text"] for part in body["attachments"] for block in part["blocks"]]
    assert max(map(len, texts)) <= 3000
    assert all(text.count("<") == text.count(">") for text in texts)


def test_pagerduty_gets_trigger_and_resolve_by_one_key() -> None:
    with http_receiver(HttpReceiver([(202, {}), (202, {})])) as receiver:
        channel = PagerDutyChannel(lambda: "routing", receiver.url, 5)
        channel.send(outgoing())
        channel.send(outgoing(NoticeKind.RECOVERED, "resolve"))
    trigger, resolve = (json.loads(taken.body) for taken in receiver.taken)
    assert trigger["dedup_key"] == resolve["dedup_key"] == "forge-key-1"
    assert (trigger["event_action"], resolve["event_action"]) == ("trigger", "resolve")
    assert (trigger["routing_key"], trigger["payload"]["severity"], trigger["payload"]["source"]) == (
        "routing",
        "error",
        "core.orders",
    )
    assert "3f2a91bcd000" in trigger["payload"]["custom_details"]["text"]
    assert trigger["links"][0]["href"].startswith("https://forge.example.com/")


@pytest.mark.parametrize("security", ["none", "starttls", "tls"])
def test_mail_is_text_and_html_over_each_kind_of_connection(security: str, tmp_path: Path) -> None:
    with smtp_receiver(starttls=security == "starttls", tls=security == "tls") as receiver:
        ca = str(write_certificate(tmp_path))
        channel = replace(MAIL, host="localhost", port=receiver.port, security=security, ca_file=ca)  # type: ignore[arg-type]
        assert channel.send(outgoing()) == "taken for 2 of 2 recipients"
    (mail,) = receiver.mails
    assert mail["X-Forge-Delivery"] == "m-42"
    assert receiver.secure == [security != "none"]
    assert mail["Subject"] == "[error] core.orders: range fails: amount.range is off"
    assert (mail["From"], mail["To"]) == ("Forge <forge@example.com>", "ops@example.com, Bo <bo@example.com>")
    assert mail["Message-ID"] == "<m-42@example.com>"
    text, page = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None
    assert page is not None
    assert "core.orders.amount.range: amount.range is off" in text.get_content()
    assert "<table>" in page.get_content()


def test_a_certificate_that_nobody_vouches_for_is_not_trusted() -> None:
    with smtp_receiver(starttls=True) as receiver:
        channel = replace(MAIL, host="localhost", port=receiver.port, security="starttls")
        with pytest.raises(SendError, match="certificate"):
            channel.send(outgoing())
    assert receiver.mails == []


def test_a_server_without_tls_is_not_spoken_to_in_the_clear_where_tls_is_wanted() -> None:
    with smtp_receiver() as receiver:
        channel = replace(MAIL, port=receiver.port, security="starttls", user="forge", password=lambda: "s3cret")
        with pytest.raises(SendError, match="STARTTLS"):
            channel.send(outgoing())
    assert receiver.signed_in == []
    assert receiver.mails == []


def test_mail_is_sent_after_signing_in_and_not_with_a_wrong_password(tmp_path: Path) -> None:
    with smtp_receiver(starttls=True, auth=True) as receiver:
        ca = str(write_certificate(tmp_path))
        channel = replace(
            MAIL,
            host="localhost",
            port=receiver.port,
            security="starttls",
            user="forge",
            password=lambda: "s3cret",
            ca_file=ca,
        )
        channel.send(outgoing())
        assert len(receiver.mails) == 1
        with pytest.raises(SendError, match="535") as caught:
            replace(channel, password=lambda: "wrong-secret").send(outgoing())
    assert "wrong-secret" not in str(caught.value)
    assert len(receiver.mails) == 1


def test_mail_to_some_is_sent_and_tells_who_was_refused() -> None:
    with smtp_receiver(SmtpReceiver(refuse=frozenset({"bo@example.com"}))) as receiver:
        channel = replace(MAIL, port=receiver.port, security="none")
        assert channel.send(outgoing()).startswith("taken for 1 of 2 recipients; refused: bo@example.com (550")
    nobody = SmtpReceiver(refuse=frozenset({"bo@example.com", "ops@example.com"}))
    with smtp_receiver(nobody), pytest.raises(SendError, match="refused every recipient"):
        replace(MAIL, port=nobody.port, security="none").send(outgoing())


def test_a_mail_that_is_refused_after_it_was_sent_is_tried_again() -> None:
    busy = SmtpReceiver(after_data="451 try later")
    with smtp_receiver(busy), pytest.raises(SendError, match="451") as caught:
        replace(MAIL, port=busy.port, security="none").send(outgoing())
    assert not caught.value.final


def test_a_subject_cannot_carry_a_header() -> None:
    check = replace(notice().checks[0], message="x\r\nBcc: eve@example.com")
    with smtp_receiver() as receiver:
        replace(MAIL, port=receiver.port, security="none").send(outgoing(checks=(check,), table="a\nb"))
    assert receiver.mails[0]["Bcc"] is None


def test_a_critical_mail_is_of_high_importance_and_its_subject_of_any_language() -> None:
    check = replace(notice().checks[0], message="Größe 数量 😀", severity=Severity.CRITICAL)
    with smtp_receiver() as mailbox:
        replace(MAIL, port=mailbox.port, security="none").send(outgoing(checks=(check,)))
    assert "Größe 数量 😀" in str(mailbox.mails[0]["Subject"])
    assert mailbox.mails[0]["Importance"] == "high"


def channels(receiver: HttpReceiver) -> list[Channel]:
    return [
        SlackChannel(lambda: receiver.url, 5),
        WebhookChannel(lambda: receiver.url, lambda: "key", 5),
        PagerDutyChannel(lambda: "routing", receiver.url, 5),
    ]


@pytest.mark.parametrize("status", [301, 401, 403, 404, 429, 500, 503])
def test_what_may_be_otherwise_tomorrow_is_tried_again_and_redirects_are_not_followed(status: int) -> None:
    elsewhere = {"location": "http://127.0.0.1:1/", "retry-after": "17"}
    with http_receiver(HttpReceiver([(status, elsewhere)] * 3)) as receiver:
        for channel in channels(receiver):
            with pytest.raises(SendError, match=f"answered {status}") as caught:
                channel.send(outgoing())
            assert (caught.value.final, caught.value.wait) == (False, 17)
            assert "s3cret" not in caught.value.detail


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_message_that_the_other_side_finds_faulty_is_not_tried_again(status: int) -> None:
    receiver = HttpReceiver([(status, {})])
    with http_receiver(receiver), pytest.raises(SendError, match="no, thank you") as caught:
        WebhookChannel(lambda: receiver.url, timeout=5).send(outgoing())
    assert caught.value.final


def test_one_that_hangs_up_without_an_answer_is_a_failed_try() -> None:
    with http_receiver(HttpReceiver(hang_up=True)) as receiver, pytest.raises(SendError):
        WebhookChannel(lambda: receiver.url, timeout=5).send(outgoing())


@pytest.mark.slow
@pytest.mark.parametrize("receiver", [HttpReceiver(stall=30), HttpReceiver(drip=0.05)], ids=["stalls", "drips"])
def test_a_slow_receiver_is_not_waited_for(receiver: HttpReceiver) -> None:
    with http_receiver(receiver):
        began = time.monotonic()
        with pytest.raises(SendError, match=r"timed out|no answer within"):
            WebhookChannel(lambda: receiver.url, timeout=0.15).send(outgoing())
        assert time.monotonic() - began < 2


def test_a_mail_server_that_says_nothing_is_not_waited_for() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        began = time.monotonic()
        with pytest.raises(SendError):
            replace(MAIL, port=silent.getsockname()[1], security="none", timeout=0.15).send(outgoing())
        assert time.monotonic() - began < 2


def test_a_message_of_many_notices_is_one_mail() -> None:
    notices = [replace(notice(table=f"s.t{n}"), monitor_name=f"m{n}") for n in range(30)]
    message = ChannelMessage("m-1", "mail", tuple(delivery(n, one) for n, one in enumerate(notices)))
    words = render_notices(message.notices, LINKS)
    with smtp_receiver() as receiver:
        out = OutgoingMessage("m-1", words, {}, LINKS, NOON)
        replace(MAIL, port=receiver.port, security="none").send(out)
    body = receiver.mails[0].get_body(("plain",))
    assert body is not None
    assert "and 20 more: s.t10" in body.get_content()
