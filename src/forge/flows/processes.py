"""Whether the process of a recorded run still lives. A pid alone does not tell: pids are used again."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from forge.flows.records import RunRecord


def process_started(pid: int) -> str:
    """A mark of when the process began, in the system's own units; empty where the system does not tell."""
    try:
        # The name in parentheses may hold spaces; the fields after it do not.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return fields[19]


def is_alive(run: RunRecord) -> bool:
    """Runs of another host are taken as alive: this one cannot know."""
    if run.host != socket.gethostname():
        return True
    try:
        os.kill(run.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process_started(run.pid) == run.process_started
