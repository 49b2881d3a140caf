"""What another user of the machine can read of processes: `ps` shows everyone's arguments."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import secret_session

NOBODY = "65534"
_READ = 'for p in /proc/[0-9]*; do cat "$p/cmdline" "$p/environ" 2>/dev/null | tr "\\0" " "; echo; done'
# None of these stands in an argument of the tests themselves.
SECRETS = {name: f"hush-of-{name.lower()}" for name in ("DATABASE", "S3_ID", "S3_KEY", "AZURE", "ODD", "SOURCE")}


def seen_by_others() -> str:
    """Arguments and environments of all processes, as far as a user who is not theirs can read them. As root that is
    really tried as another user; else the kernel's rights are read off the files."""
    if os.geteuid() == 0 and (setpriv := shutil.which("setpriv")):
        command = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "sh", "-c", _READ]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60).stdout
    parts = []
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try:
                if (process / name).stat().st_mode & 0o004:
                    parts.append((process / name).read_text(errors="replace").replace("\0", " "))
            except OSError:  # it has ended
                continue
    return "\n".join(parts)


def watch_session(root: Path, master: str, environ: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Start a session with SECRETS. What it says of itself, and what others saw meanwhile."""
    command = [sys.executable, secret_session.__file__, str(root), master]
    process = subprocess.Popen(
        command,
        env={**os.environ, **environ, **SECRETS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=(root / "stderr").open("wb"),
        text=True,
    )
    looks, over = [seen_by_others()], threading.Event()

    def look() -> None:
        while not over.wait(0.2):
            looks.append(seen_by_others())

    looking = threading.Thread(target=look)
    looking.start()
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, (root / "stderr").read_text()[-3000:]
        looks.append(seen_by_others())
        process.communicate("\n", timeout=120)
    finally:
        over.set()
        looking.join()
        process.kill()
        process.wait(60)
    return json.loads(line), looks
