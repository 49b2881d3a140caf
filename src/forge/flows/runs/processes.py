"""Whether the process of a record is still alive. A pid alone does not prove it: pids are reused."""

from __future__ import annotations

import os
import socket
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from forge.flows.runs.records import RunRecord, RunStatus
from forge.model.names import BranchName, RunId


@dataclass(frozen=True, slots=True)
class Process:
    """A process, identified uniquely across hosts."""

    host: str
    pid: int
    process_started: str


def this_process() -> Process:
    return Process(socket.gethostname(), os.getpid(), process_started(os.getpid()))


def begin_run(run_id: RunId, branch: BranchName, user: str, now: datetime, process: Process | None = None) -> RunRecord:
    """The record of a run that this process begins, or another one did."""
    of = asdict(process or this_process())
    return RunRecord(id=run_id, branch=branch, status=RunStatus.RUNNING, started_at=now, user=user, **of)


def process_started(pid: int) -> str:
    """When the process began, in the system's own units; empty where the system does not provide it, and for a
    zombie."""
    try:
        # The name in parentheses may hold spaces; the fields after it do not.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[19]


def is_alive(run: RunRecord | Process) -> bool:
    """Processes of another host count as alive: this one cannot know."""
    if run.host != socket.gethostname():
        return True
    try:
        os.kill(run.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process_started(run.pid) == run.process_started
