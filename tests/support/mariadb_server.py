"""A real MariaDB server on a free loopback port, in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymysql

USER, PASSWORD = "forge", "only for tests '\"\\"
START_SECONDS = 120
PLACES = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
FRESH = ("--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve")
LIGHT = (
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-buffer-pool-size=64M",
    "--performance-schema=OFF",
    "--skip-name-resolve",
)


class MariadbServer:
    """Can be stopped and started again on the same data."""

    def __init__(self, program: str, folder: Path, run_as: dict[str, Any]) -> None:
        self.folder, self._program, self._run_as = folder, program, run_as
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [self._program, "--no-defaults", f"--datadir={self.folder / 'data'}", f"--port={self.port}"]
        command += ["--bind-address=127.0.0.1", f"--socket={self.folder / 'socket'}", *LIGHT]
        command += [f"--pid-file={self.folder / 'pid'}"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, **self._run_as)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"MariaDB did not start:\n{self._log.read_text(errors='replace')[-4000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(60)
            self._process = None

    def connect(self, database: str | None = None) -> Any:
        """As root, who may do everything."""
        return pymysql.connect(
            unix_socket=str(self.folder / "socket"), user="root", database=database, autocommit=True, charset="utf8mb4"
        )

    @property
    def _log(self) -> Path:
        return self.folder / "output.log"

    def _answers(self) -> bool:
        try:
            self.connect().close()
        except pymysql.MySQLError:
            return False
        return True


@contextmanager
def running_mariadb() -> Iterator[MariadbServer]:
    """With a user who may do everything over TCP. The server refuses to run as root, so it is then run by nobody."""
    program, install = (shutil.which(name, path=PLACES) for name in ("mariadbd", "mariadb-install-db"))
    if program is None or install is None:
        raise RuntimeError("MariaDB is not installed: scripts/mariadb.sh")
    folder = Path(tempfile.mkdtemp(prefix="forge-my-"))  # short: the path of a socket may have 107 letters
    run_as: dict[str, Any] = {}
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        run_as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    made = subprocess.run(
        [install, "--no-defaults", f"--datadir={folder / 'data'}", *FRESH],
        capture_output=True,
        text=True,
        cwd=folder,
        **run_as,
    )
    if made.returncode != 0:
        raise RuntimeError(f"mariadb-install-db failed:\n{made.stdout}{made.stderr}")
    server = MariadbServer(program, folder, run_as)
    try:
        server.start()
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("CREATE USER %s@'%%' IDENTIFIED BY %s", (USER, PASSWORD))
            cursor.execute("GRANT ALL ON *.* TO %s@'%%'", (USER,))
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
