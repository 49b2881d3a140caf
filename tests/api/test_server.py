"""`forge serve` as a process: its address, its logs, its end, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from run_site import until

from forge.api.server import address_of, bind, refuse_unsafe
from forge.model.errors import ForgeError
from forge.settings.keys import ServerKeys

pytestmark = pytest.mark.services  # each starts a server of its own

StartServer = Callable[..., Any]
MakeProject = Callable[[], Path]


def test_the_printed_address_signs_a_browser_in(start_server: StartServer, site_project: Path) -> None:
    live = start_server(site_project)
    with httpx.Client(base_url=live.address) as browser:
        opened = browser.get(live.url)
        assert (opened.status_code, opened.headers["location"]) == (303, "/")
        assert browser.get("/").headers["content-type"].startswith("text/html")
        assert browser.get("/api/v1/session").json()["auth"] == "cookie"
        port = urlsplit(live.address).port
        assert set(browser.cookies) == {f"forge_{port}"}
        assert "server" not in opened.headers


def test_the_printed_token_is_of_this_start_only(start_server: StartServer, site_project: Path) -> None:
    first, second = start_server(site_project), start_server(site_project)
    with first.client() as client:
        assert client.get("/api/v1/session").status_code == 200
        assert client.get(f"{second.address}/api/v1/session").status_code == 401


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_stopping_is_no_failure(start_server: StartServer, site_project: Path, number: int) -> None:
    live = start_server(site_project)
    with live.client() as client:
        assert client.get("/healthz").text == "ok\n"
    assert live.stop(number) == 0
    assert "Traceback" not in live.errors.read_text()


ENDLESS = """
import asyncio, sys
from pathlib import Path
from fastapi.responses import StreamingResponse
from forge.api import server
from forge.wiring import Wiring

make = server.create_app

def create_app(*words, **options):
    app = make(*words, **options)

    @app.get("/api/v1/endless")
    async def endless():
        async def parts():
            while True:
                yield b"more"
                await asyncio.sleep(0.05)
        return StreamingResponse(parts())

    return app

server.create_app = create_app
server.serve(Wiring.of(Path(sys.argv[1])), server.ServeOptions(port=0), lambda url: print(url, flush=True))
"""


def test_a_stream_without_an_end_does_not_keep_the_server_from_stopping(site_project: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(site_project)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        address, _, token = process.stdout.readline().strip().partition("/?token=")
        headers = {"authorization": f"Bearer {token}"}
        with httpx.stream("GET", f"{address}/api/v1/endless", headers=headers, timeout=60) as stream:
            assert next(stream.iter_raw()).startswith(b"more")
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=60)
        # Without the command around it, the signal that uvicorn hands on is the process's end.
        assert process.returncode in (0, -signal.SIGTERM), errors
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("words", [("--log-format", "json", "-vv"), ("-vv",), ()], ids=["json", "text", "quiet"])
def test_no_token_is_ever_logged(
    start_server: StartServer, make_site_project: MakeProject, words: tuple[str, ...]
) -> None:
    root = make_site_project()
    live = start_server(root, *words)
    with httpx.Client(base_url=live.address) as browser:
        browser.get(live.url)
        browser.get(f"/runs?token={live.token}x")
        browser.get(f"/api/v1/session?token={live.token}")
        browser.get("/api/v1/session", headers={"authorization": f"Bearer {live.token}"})
        cookie = next(iter(browser.cookies.values()))
    live.stop()
    logged = live.errors.read_text()
    logged += "".join(file.read_text() for file in (root / ".forge" / "logs").glob("*"))
    assert live.token not in logged
    assert cookie not in logged
    assert "/api/v1/session" in logged
    assert ("/api/v1/session" in live.errors.read_text()) == bool(words)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_the_log_file_has_requests_and_runs_whatever_stderr_shows(
    start_server: StartServer, make_site_project: MakeProject, number: int
) -> None:
    root = make_site_project()
    live = start_server(root)
    with live.client() as client:
        answer = client.post("/api/v1/runs", json={"selection": []})
        assert answer.status_code == 202
        run_id = answer.json()["run_id"]
        until(lambda: client.get(f"/api/v1/runs/{run_id}").json()["status"] == "nothing to do")
    assert live.stop(number) == 0
    lines = [json.loads(line) for line in (root / ".forge" / "logs" / "server.log").read_text().splitlines()]
    told = [line["message"] for line in lines if line["logger"] == "forge.server"]
    assert (told[0], told[-1]) == (f"started at {live.address}", "stopped")
    (request,) = [line for line in lines if line.get("method") == "POST"]
    assert request.items() >= {"path": "/api/v1/runs", "status": 202}.items()
    assert request["request_id"] == answer.headers["x-request-id"]
    said = [(line["event"], line.get("status")) for line in lines if line.get("run_id") == run_id]
    assert said == [("queued", None), ("started", None), ("ended", "nothing to do")]
    assert "/api/v1/runs" not in live.errors.read_text()


def test_json_logs_are_one_object_a_line(start_server: StartServer, site_project: Path) -> None:
    live = start_server(site_project, "--log-format", "json", "-q")
    with live.client() as client:
        answer = client.get("/api/v1/tokens")
        client.get('/a%0Ab"c')
    live.stop()
    lines = [json.loads(line) for line in live.errors.read_text().splitlines()]
    (told,) = [line for line in lines if line.get("path") == "/api/v1/tokens"]
    assert told.items() >= {"level": "info", "logger": "forge.access", "method": "GET", "status": 200}.items()
    assert told["request_id"] == answer.headers["x-request-id"]
    assert told["ms"] > 0
    assert told["time"].endswith("+00:00")
    assert [line["path"] for line in lines if "a" in line.get("path", "")][-1] == '/a\nb"c'


def test_a_request_that_is_no_http_does_not_end_the_server(start_server: StartServer, site_project: Path) -> None:
    live = start_server(site_project)
    parts = urlsplit(live.address)
    for rubbish in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"):
        with socket.create_connection((parts.hostname, parts.port), timeout=60) as connection:
            connection.sendall(rubbish)
            assert b" 400 " in connection.recv(1000)
    with live.client() as client:
        assert client.get("/api/v1/session").status_code == 200


# what it refuses


def test_a_port_that_is_taken_is_named_with_the_way_out() -> None:
    first = bind("127.0.0.1", 0)
    port = first.getsockname()[1]
    with pytest.raises(ForgeError) as refused:
        bind("127.0.0.1", port)
    first.close()
    assert refused.value.code == "E902"
    assert str(port) in refused.value.what
    assert "forge serve --port" in (refused.value.fix or "")
    bind("127.0.0.1", port).close()  # free again


@pytest.mark.parametrize("host", ["nowhere.invalid", "203.0.113.7"])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(ForgeError) as refused:
        bind(host, 0)
    assert refused.value.code == "E105"


def test_who_does_not_read_its_answer_is_hung_up_on() -> None:
    with bind("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()[:2]):
        listener.setblocking(True)
        accepted, _ = listener.accept()
        with accepted:
            number = getattr(socket, "TCP_USER_TIMEOUT", None)  # an option of Linux
            assert number is None or accepted.getsockopt(socket.IPPROTO_TCP, number) == 60_000


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "forge.example.com", ""])
def test_an_address_that_others_reach_needs_tls_or_a_proxy(host: str) -> None:
    with pytest.raises(ForgeError) as refused:
        refuse_unsafe(host, ServerKeys())
    assert refused.value.code == "E905"
    for way in ("127.0.0.1", "server.tls_cert", "server.trusted_proxies"):
        assert way in (refused.value.fix or "")
    refuse_unsafe(host, ServerKeys(tls_cert="a.pem", tls_key="b.pem"))
    refuse_unsafe(host, ServerKeys(trusted_proxies=["10.0.0.1"]))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_loopback_needs_neither(host: str) -> None:
    refuse_unsafe(host, ServerKeys())


def test_half_of_tls_is_refused() -> None:
    with pytest.raises(ForgeError) as refused:
        refuse_unsafe("127.0.0.1", ServerKeys(tls_cert="a.pem"))
    assert "tls_key" in refused.value.what


@pytest.mark.parametrize(
    ("host", "tls", "address"),
    [
        ("127.0.0.1", False, "http://127.0.0.1:80"),
        ("0.0.0.0", True, "https://127.0.0.1:80"),
        ("::1", False, "http://[::1]:80"),
        ("::", False, "http://[::1]:80"),
        ("localhost", False, "http://localhost:80"),
    ],
)
def test_the_address_is_one_a_browser_here_can_open(host: str, tls: bool, address: str) -> None:
    assert address_of(host, 80, tls=tls) == address


# behind TLS and proxies


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    command = [*words.split(), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


def test_tls_is_served_and_its_cookie_is_secure(
    start_server: StartServer, make_site_project: MakeProject, certificate: Path
) -> None:
    import ssl

    root = make_site_project()
    files = {"FORGE_SERVER__TLS_CERT": f"{certificate}/cert.pem", "FORGE_SERVER__TLS_KEY": f"{certificate}/key.pem"}
    live = start_server(root, "--host", "0.0.0.0", **files)
    assert live.address.startswith("https://127.0.0.1:")
    trusted = ssl.create_default_context(cafile=str(certificate / "cert.pem"))
    assert "; Secure" in httpx.get(live.url, verify=trusted).headers["set-cookie"]


@pytest.mark.parametrize(("trusted", "secure"), [("127.0.0.1", True), ("10.9.9.9", False), ("", False)])
def test_forwarded_headers_are_believed_from_trusted_proxies_only(
    start_server: StartServer, site_project: Path, trusted: str, secure: bool
) -> None:
    live = start_server(site_project, FORGE_SERVER__TRUSTED_PROXIES=trusted)
    response = httpx.get(live.url, headers={"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9"})
    assert ("; Secure" in response.headers["set-cookie"]) == secure


def serve_once(root: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "forge.cli.main", "serve", *words],
        cwd=root,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_command_ends_with_the_reason_where_it_cannot_serve(site_project: Path, tmp_path: Path) -> None:
    with bind("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        refused = serve_once(site_project, "--port", port)
    assert (refused.returncode, refused.stdout) == (3, "")
    assert refused.stderr.startswith("FORGE-E902")
    unsafe = serve_once(site_project, "--host", "0.0.0.0", "--port", "0")
    assert unsafe.returncode == 4
    assert unsafe.stderr.startswith("FORGE-E905")
    (tmp_path / "no.pem").write_text("no certificate")
    files = {"FORGE_SERVER__TLS_CERT": f"{tmp_path}/no.pem", "FORGE_SERVER__TLS_KEY": f"{tmp_path}/none.pem"}
    broken = serve_once(site_project, "--port", "0", **files)
    assert (broken.returncode, broken.stdout) == (2, "")
    assert "TLS" in broken.stderr


def test_a_database_that_is_away_is_told_before_any_address(site_project: Path) -> None:
    refused = serve_once(site_project, "--port", "0", FORGE_DATABASE_URL="postgresql+psycopg://ada@127.0.0.1:1/forge")
    assert (refused.returncode, refused.stdout) == (5, "")
    assert "FORGE-E401" in refused.stderr
