"""A fault point for tests of crashes: the process kills itself at a named step."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.flows.ports import Seam

FAULT = "FORGE_FAULT"  # the name of a step at which the process kills itself; only tests set it


def fault_seam(environ: Mapping[str, str]) -> Seam:
    """A run that dies by kill -9 at the step the environment names; otherwise nothing happens."""
    wanted = environ.get(FAULT)

    def seam(step: str) -> None:
        if step == wanted:
            os.kill(os.getpid(), signal.SIGKILL)

    return seam
