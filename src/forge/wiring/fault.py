"""A fault point for crash tests: the process kills itself at a named step."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.flows.ports import FaultPoint

FAULT = "FORGE_FAULT"  # the name of a step at which the process kills itself; only tests set it


def fault_point(environ: Mapping[str, str]) -> FaultPoint:
    """A run that dies by kill -9 at the step named by the environment; otherwise does nothing."""
    wanted = environ.get(FAULT)

    def kill_at(step: str) -> None:
        if step == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    return kill_at
