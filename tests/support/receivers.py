"""Real receivers of alerts: an HTTP server and an SMTP server in threads, which take, refuse, stall and die as told."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


@dataclass
class Taken:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class HttpReceiver:
    """`answers` are given in turn, then 200. `stall`: seconds before an answer. `drip`: seconds between its bytes."""

    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    stall: float = 0.0
    drip: float = 0.0
    hang_up: bool = False
    taken: list[Taken] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?token=s3cret"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        receiver: HttpReceiver = self.server.receiver  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["content-length"]))
        if receiver.hang_up:
            return
        receiver.taken.append(Taken(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        time.sleep(receiver.stall)
        status, headers = receiver.answers.pop(0) if receiver.answers else (200, {})
        if receiver.drip:
            for byte in b"HTTP/1.0 200 OK\r\nx-slow: 1\r\n" * 50:
                self.wfile.write(bytes([byte]))
                time.sleep(receiver.drip)
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"ok" if status < 300 else b"no, thank you")

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A sender that hung up is what some tests are about."""


@contextmanager
def http_receiver(receiver: HttpReceiver | None = None, port: int = 0) -> Iterator[HttpReceiver]:
    receiver = receiver or HttpReceiver()
    server = _Quiet(("127.0.0.1", port), _Handler)
    server.daemon_threads = True
    server.receiver = receiver  # type: ignore[attr-defined]
    receiver.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class SmtpReceiver:
    """`refuse`: addresses that are not taken. `after_data`: the answer to a whole mail."""

    mails: list[EmailMessage] = field(default_factory=list)
    signed_in: list[str] = field(default_factory=list)
    secure: list[bool] = field(default_factory=list)
    refuse: frozenset[str] = frozenset()
    after_data: str = "250 taken"
    port: int = 0

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refuse:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        if self.after_data.startswith("250"):
            mail = message_from_bytes(content, policy=policy.default)
            assert isinstance(mail, EmailMessage)
            self.mails.append(mail)
            transport: Any = server.transport
            self.secure.append(session.ssl is not None or transport.get_extra_info("sslcontext") is not None)
        return self.after_data

    def authenticate(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.signed_in.append(data.login.decode())
        return AuthResult(success=data.password == b"s3cret", handled=data.password == b"s3cret")


class _AnyPort(Controller):
    """Takes a free port, which it must know to see whether it answers there."""

    def _trigger_server(self) -> None:
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@contextmanager
def smtp_receiver(
    receiver: SmtpReceiver | None = None, *, starttls: bool = False, tls: bool = False, auth: bool = False
) -> Iterator[SmtpReceiver]:
    receiver = receiver or SmtpReceiver()
    context = server_context() if starttls or tls else None
    controller = _AnyPort(
        receiver,
        hostname="127.0.0.1",
        port=0,
        server_hostname="localhost",
        tls_context=context if starttls else None,
        require_starttls=starttls,
        ssl_context=context if tls else None,
        authenticator=receiver.authenticate if auth else None,
        auth_required=auth,
        auth_require_tls=starttls,
    )
    controller.start()
    receiver.port = controller.port
    try:
        yield receiver
    finally:
        controller.stop()


@cache
def _certificate() -> tuple[bytes, bytes]:
    """A key and its certificate for localhost, which signs itself."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return private, certificate.public_bytes(pem)


def write_certificate(folder: Path) -> Path:
    """The certificate that a client has to trust."""
    path = folder / "ca.pem"
    path.write_bytes(_certificate()[1])
    return path


def server_context() -> ssl.SSLContext:
    from tempfile import TemporaryDirectory

    private, certificate = _certificate()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as folder:
        path = Path(folder, "both.pem")
        path.write_bytes(private + certificate)
        context.load_cert_chain(path)
    return context
