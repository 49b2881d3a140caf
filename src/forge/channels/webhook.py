"""Signed webhooks: JSON with an HMAC over timestamp and body. Receivers verify the signature, reject old timestamps and
deduplicate retries by message id."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass

from forge.channels.http import post
from forge.channels.limits import send_within
from forge.flows.quality.incidents.ports import ChannelType, OutgoingMessage

ID, TIMESTAMP, SIGNATURE = "x-forge-delivery", "x-forge-timestamp", "x-forge-signature"


@dataclass(frozen=True, slots=True)
class WebhookChannel:
    """`secret` reads the signing key; without one nothing is signed."""

    url: Callable[[], str]
    secret: Callable[[], str] | None = None
    timeout: float = 10.0
    ca_file: str | None = None
    type: ChannelType = "webhook"

    def send(self, message: OutgoingMessage) -> str:
        body = json.dumps(message.document, ensure_ascii=False, separators=(",", ":")).encode()
        stamp = str(int(message.at.timestamp()))

        def work() -> str:
            headers = {ID: message.id, TIMESTAMP: stamp}
            if self.secret is not None:
                headers[SIGNATURE] = signature_of(self.secret(), stamp, body)
            status, text = post(self.url(), body, headers, self.timeout, self.ca_file)
            return f"{status} {text[:100]}".strip()

        return send_within(self.timeout, work)


def signature_of(secret: str, stamp: str, body: bytes) -> str:
    """sha256= and the HMAC-SHA256 of `timestamp.body` in hexadecimal."""
    digest = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"sha256={digest}"
