"""Every channel against a real receiver: what it takes, does not take now, and what is not there at all."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import pytest
from alert_world import NOON, delivery, notice
from receivers import HttpReceiver, SmtpReceiver, http_receiver, smtp_receiver

from forge.channels.email import EmailChannel
from forge.channels.pagerduty import PagerDutyChannel
from forge.channels.slack import SlackChannel
from forge.channels.webhook import WebhookChannel
from forge.flows.quality.incidents.ports import Channel, OutgoingMessage, SendError
from forge.quality.alerts.delivery import PagerEvent
from forge.quality.alerts.message import PageLinks, document_of, render_notices

Receiver = HttpReceiver | SmtpReceiver
LINKS = PageLinks("https://forge.example.com")
TYPES = ("slack", "email", "pagerduty", "webhook")


@dataclass(frozen=True, slots=True)
class Line:
    """A channel of one type, and how its other side is opened: as one that takes, or that is too busy now."""

    type: str
    receive: Callable[[bool], AbstractContextManager[Receiver]]

    def channel(self, port: int, timeout: float = 5) -> Channel:
        url = f"http://127.0.0.1:{port}/hook"
        match self.type:
            case "slack":
                return SlackChannel(lambda: url, timeout)
            case "email":
                return EmailChannel(
                    host="127.0.0.1",
                    sender="forge@example.com",
                    to=("ops@example.com",),
                    port=port,
                    security="none",
                    timeout=timeout,
                )
            case "pagerduty":
                return PagerDutyChannel(lambda: "routing", url, timeout)
            case _:
                return WebhookChannel(lambda: url, lambda: "key", timeout)


@pytest.fixture(params=TYPES)
def line(request: pytest.FixtureRequest) -> Line:
    if request.param == "email":
        answers = {True: "451 try later", False: "250 taken"}
        return Line("email", lambda busy: smtp_receiver(SmtpReceiver(after_data=answers[busy])))
    status = 202 if request.param == "pagerduty" else 200
    return Line(request.param, lambda busy: http_receiver(HttpReceiver([(503 if busy else status, {})])))


def outgoing(message: str = "amount.range is off") -> OutgoingMessage:
    one = replace(notice(), checks=(replace(notice().checks[0], message=message),))
    words = render_notices([one], LINKS)
    event = PagerEvent("trigger", "forge-key-1", (delivery(1, one),))
    return OutgoingMessage("m-42", words, document_of("m-42", [one], words, LINKS), LINKS, NOON, (event,))


def text_of(receiver: Receiver) -> str:
    if isinstance(receiver, HttpReceiver):
        return "".join(json.dumps(json.loads(taken.body), ensure_ascii=False) for taken in receiver.taken)
    bodies = (mail.get_body(("plain",)) for mail in receiver.mails)
    return "".join(body.get_content() for body in bodies if body is not None)


def test_a_channel_says_what_it_is_and_how_long_it_waits(line: Line) -> None:
    channel = line.channel(1, timeout=7)
    assert (channel.type, channel.timeout) == (line.type, 7)


def test_a_message_arrives_once_and_the_answer_is_told(line: Line) -> None:
    with line.receive(False) as receiver:
        assert line.channel(receiver.port).send(outgoing())
    assert text_of(receiver).count("core.orders.amount.range") >= 1
    assert len(receiver.taken if isinstance(receiver, HttpReceiver) else receiver.mails) == 1


def test_letters_of_all_languages_arrive(line: Line) -> None:
    with line.receive(False) as receiver:
        line.channel(receiver.port).send(outgoing("Größe 数量 😀"))
    assert "Größe 数量 😀" in text_of(receiver)


def test_one_that_is_busy_now_is_asked_again(line: Line) -> None:
    with line.receive(True) as receiver, pytest.raises(SendError) as caught:
        line.channel(receiver.port).send(outgoing())
    assert not caught.value.final


def test_one_that_is_not_there_is_a_failed_try(line: Line) -> None:
    with line.receive(False) as receiver:
        pass
    with pytest.raises(SendError, match="refused") as caught:
        line.channel(receiver.port).send(outgoing())
    assert not caught.value.final


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that takes connections and says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_one_that_says_nothing_is_not_waited_for(line: Line, silent: int) -> None:
    began = time.monotonic()
    with pytest.raises(SendError):
        line.channel(silent, timeout=0.15).send(outgoing())
    assert time.monotonic() - began < 2
