"""`forge serve` as a person starts it: a process of its own, and the address it printed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import httpx

# A server waits half a minute for a locked database. A test of the words it then says need not.
_PATIENCE = (
    "import sys; from forge.stores.sql import database; database.BUSY_SECONDS = {seconds};"
    "from forge.cli.main import main; main()"
)


@dataclass(frozen=True)
class Live:
    process: subprocess.Popen[str]
    root: Path
    url: str  # as printed, with the token
    errors: Path  # what it wrote to stderr

    @property
    def address(self) -> str:
        return self.url.partition("/?")[0]

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    @property
    def token(self) -> str:
        return self.url.partition("token=")[2]

    def api(self) -> httpx.Client:
        """A program that may do everything."""
        return httpx.Client(
            base_url=f"{self.address}/api/v1", headers={"authorization": f"Bearer {self.token}"}, timeout=60
        )

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(30)
        if self.process.stdout is not None:
            self.process.stdout.close()


def start_forge(root: Path, errors: Path, *, port: int = 0, patience: float | None = None, **environ: str) -> Live:
    """Returns when the address is printed, that is when it answers."""
    words = ["-m", "forge.cli.main"] if patience is None else ["-c", _PATIENCE.format(seconds=patience)]
    with errors.open("a") as stream:
        process = subprocess.Popen(
            [sys.executable, *words, "serve", "--port", str(port)],
            cwd=root,
            env={**os.environ, "XDG_CONFIG_HOME": str(root / "no-config"), **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stream,
            text=True,
        )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    if not url.startswith("http"):
        process.kill()
        process.wait(30)
        raise AssertionError(f"forge serve did not start:\n{errors.read_text()}")
    return Live(process, root, url, errors)


def run_forge(*words: str, cwd: Path) -> str:
    """A command to its end; what it printed."""
    ended = subprocess.run(
        [sys.executable, "-m", "forge.cli.main", *words],
        cwd=cwd,
        env={**os.environ, "XDG_CONFIG_HOME": str(cwd / "no-config"), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, f"forge {' '.join(words)}\n{ended.stdout}{ended.stderr}"
    return ended.stdout
