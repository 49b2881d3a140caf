"""`serve`: binds the socket, prints the address, and runs uvicorn until it is stopped."""

from __future__ import annotations

import errno
import logging
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI

from forge.api.app import create_app
from forge.api.auth import is_loopback
from forge.api.logs import LogFormat, configure_logs
from forge.api.protocol import guarded_http
from forge.flows.upkeep.access import digest_of, random_secret
from forge.model.errors import ForgeError, NamedError
from forge.settings.keys import ServerKeys
from forge.wiring import Wiring

logger = logging.getLogger("forge.server")
_KEPT_SECONDS = 0.5
_UNREAD_SECONDS = 60  # a client that does not read its response for so long is disconnected: it is held in memory
_MOST_CONNECTIONS = 1000  # each may hold a body; more get 503
_GRACE_SECONDS = 3  # open event streams have no end of their own


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Options of the command line; None: as in the settings."""

    host: str | None = None
    port: int | None = None
    log_format: LogFormat = "text"
    verbose: int = 0


def log_file(wiring: Wiring) -> Path:
    return wiring.root / ".forge" / "logs" / "server.log"


def serve(wiring: Wiring, options: ServeOptions, announce: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM. `announce` gets the address with its token once the socket listens.

    Closes the wiring."""
    keys = wiring.settings.server
    host = options.host or keys.host
    refuse_unsafe(host, keys)
    assert wiring.metadata is not None  # the database is opened before anything is announced
    listener = bind(host, keys.port if options.port is None else options.port)
    port = int(listener.getsockname()[1])
    address = wiring.address = address_of(host, port, tls=bool(keys.tls_cert))
    secret = random_secret()
    app = create_app(
        wiring,
        login_digest=digest_of(secret),
        host=host,
        port=port,
        allowed_hosts=keys.allowed_hosts,
        kept_for=_KEPT_SECONDS,
    )
    configure_logs(options.log_format, options.verbose, log_file(wiring))
    config = uvicorn.Config(
        app,
        log_config=None,
        http=guarded_http(keys.header_seconds),
        limit_concurrency=_MOST_CONNECTIONS,
        access_log=False,  # uvicorn's would hold the query string, and with it the token
        server_header=False,
        proxy_headers=bool(keys.trusted_proxies),
        forwarded_allow_ips=keys.trusted_proxies,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ssl_certfile=keys.tls_cert and wiring.root / keys.tls_cert,
        ssl_keyfile=keys.tls_key and wiring.root / keys.tls_key,
    )
    _load(config)
    logger.info("started at %s", address)
    announce(f"{address}/?token={secret}")
    with listener:
        _run(ApiServer(config, app), listener)


class ApiServer(uvicorn.Server):
    """Ends open event streams on shutdown: uvicorn would wait for them, and they for a run."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.started:
            self._app.state.site.feed.close()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        logger.info("stopped")


def _run(server: uvicorn.Server, listener: socket.socket) -> None:
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:  # uvicorn raises the signal again when all is closed; stopping is what was asked for
        return
    if not server.started:
        raise ForgeError("E000", "The server did not start", fix="Its log says why: .forge/logs/server.log")


def _load(config: uvicorn.Config) -> None:
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise ForgeError(
            "E105",
            "The TLS certificate or its key cannot be read",
            where="forge.yaml server.tls_cert, server.tls_key",
            why=str(error),
            fix="Both are PEM files; relative paths start at the project.",
        ) from error


def refuse_unsafe(host: str, keys: ServerKeys) -> None:
    if bool(keys.tls_cert) != bool(keys.tls_key):
        missing = "tls_key" if keys.tls_cert else "tls_cert"
        raise ForgeError("E105", f"server.{missing} is missing", where="forge.yaml", fix="TLS needs both files.")
    if is_loopback(host) or keys.tls_cert or keys.trusted_proxies:
        return
    raise ForgeError(
        "E905",
        f"{host} can be reached from other machines, and the server has no TLS",
        why="Tokens and data would cross the network in the clear.",
        fix="Listen on 127.0.0.1 and use an SSH tunnel, or set server.tls_cert and server.tls_key, or put a proxy with "
        "TLS in front and name its address in server.trusted_proxies.",
    )


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, so that a client can connect as soon as it reads the address."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise ForgeError(
            "E105", f"'{host}' is not an address of this machine", why=str(error), fix="forge serve --host 127.0.0.1"
        ) from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; what it accepts inherits it
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_SECONDS * 1000)
        listener.bind(address)
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise _cannot_bind(host, port, error) from error
    listener.setblocking(False)
    return listener


class PortTakenError(NamedError):
    code = "E902"


def _cannot_bind(host: str, port: int, error: OSError) -> ForgeError:
    if error.errno == errno.EADDRINUSE:
        return PortTakenError(
            f"Port {port} of {host} is taken",
            why="Another program listens there, perhaps a `forge serve` that is still running.",
            fix=f"forge serve --port {port + 1 if port < 65535 else 0}, or --port 0 for any free one.",
        )
    if error.errno == errno.EACCES:
        return PortTakenError(
            f"Port {port} may not be used",
            why="Ports below 1024 belong to the system.",
            fix="forge serve --port 8765",
        )
    return ForgeError(
        "E105", f"The server cannot listen on {host}", why=str(error.strerror), fix="forge serve --host 127.0.0.1"
    )


def address_of(host: str, port: int, *, tls: bool) -> str:
    """As a browser on this machine reaches it."""
    shown = "127.0.0.1" if host in ("", "0.0.0.0") else "::1" if host == "::" else host  # noqa: S104
    shown = f"[{shown}]" if ":" in shown else shown
    return f"{'https' if tls else 'http'}://{shown}:{port}"
