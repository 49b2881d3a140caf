"""E-mail by SMTP: text and HTML, over implicit TLS, STARTTLS or plain."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.header import Header
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime, formataddr, parseaddr
from typing import Any, Literal

from forge.channels.limits import send_within
from forge.flows.quality.incidents.ports import ChannelType, OutgoingMessage, SendError
from forge.quality.alerts.message import html_of, text_of
from forge.quality.verdict import Severity

PORTS = {"starttls": 587, "tls": 465, "none": 25}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailChannel:
    """`password` is read on use; without `user` there is no login."""

    host: str
    sender: str
    to: tuple[str, ...]
    port: int | None = None
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password: Callable[[], str] | None = None
    timeout: float = 10.0
    ca_file: str | None = None
    type: ChannelType = "email"

    def send(self, message: OutgoingMessage) -> str:
        mail = mail_of(message, self.sender, self.to)
        return send_within(self.timeout, lambda: self._deliver(mail))

    def _deliver(self, mail: Message) -> str:
        taken = ""
        try:
            with self._connect() as server:
                if self.security == "starttls":
                    server.starttls(context=self._context())
                if self.user is not None:
                    server.login(self.user, self.password() if self.password else "")
                refused = server.send_message(mail, _bare(self.sender), list(map(_bare, self.to)))
                taken = _summary(self.to, refused)
        except smtplib.SMTPRecipientsRefused as error:
            raise SendError(f"{self.host} refused every recipient: {_refusals(error.recipients)}") from error
        except smtplib.SMTPResponseException as error:
            if not taken:
                raise SendError(f"{self.host} answered {error.smtp_code}: {_text(error.smtp_error)}") from error
        except (smtplib.SMTPException, OSError) as error:
            if not taken:  # errors after it was accepted, on QUIT, change nothing
                raise SendError(f"{self.host}: {error or type(error).__name__}") from error
        return taken

    def _connect(self) -> smtplib.SMTP:
        port = self.port or PORTS[self.security]
        if self.security == "tls":
            return smtplib.SMTP_SSL(self.host, port, timeout=self.timeout, context=self._context())
        return smtplib.SMTP(self.host, port, timeout=self.timeout)

    def _context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        if self.ca_file is not None:
            context.load_verify_locations(self.ca_file)
        return context


def mail_of(message: OutgoingMessage, sender: str, to: Sequence[str]) -> MIMEMultipart:
    """Its Message-ID is the same in every attempt, so that mailboxes deduplicate."""
    mail = MIMEMultipart("alternative")
    mail["From"], mail["To"] = _address(sender), ", ".join(map(_address, to))
    subject: Any = Header(message.rendered.subject, "utf-8")  # EmailMessage loses spaces between words that it encodes
    mail["Subject"] = subject
    mail["Date"] = format_datetime(message.at)
    mail["Message-ID"] = f"<{message.id}@{_bare(sender).rpartition('@')[2] or 'forge'}>"
    mail["X-Forge-Delivery"] = message.id
    mail["Auto-Submitted"] = "auto-generated"
    if message.rendered.severity is Severity.CRITICAL and not message.rendered.recovered:
        mail["Importance"] = "high"
    mail.attach(MIMEText(text_of(message.rendered), "plain", "utf-8"))
    mail.attach(MIMEText(html_of(message.rendered), "html", "utf-8"))
    return mail


def _address(text: str) -> str:
    """With a display name of any characters."""
    return formataddr(parseaddr(text), "utf-8")


def _bare(text: str) -> str:
    return parseaddr(text)[1]


RefusedRecipients = dict[str, tuple[int, bytes]]


def _summary(to: Sequence[str], refused: RefusedRecipients) -> str:
    if not refused:
        return f"taken for {len(to)} of {len(to)} recipients"
    return f"taken for {len(to) - len(refused)} of {len(to)} recipients; refused: {_refusals(refused)}"


def _refusals(refused: RefusedRecipients) -> str:
    return ", ".join(f"{name} ({code} {_text(reply)})" for name, (code, reply) in sorted(refused.items()))


def _text(reply: bytes | str) -> str:
    return reply.decode(errors="replace") if isinstance(reply, bytes) else reply
