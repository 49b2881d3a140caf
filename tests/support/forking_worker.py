"""A process that has everything loaded and forks a child for each piece of work it is told, so that the child can be
killed at a step without anyone waiting for Python to start.

    forking_worker.py ROOT URL    each line of input: {"work": {...}, "fault": STEP}; each line of output: the status"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from branched_project import BranchedProject, perform

import forge.stores.lake.arrow.rows
import forge.stores.lake.file_hasher
import forge.stores.lake.tables
import forge.stores.sql.metadata  # noqa: F401  loaded here once, used by the children
from forge.wiring import FAULT


def work_and_die(project: BranchedProject, work: Mapping[str, Any], fault: str) -> None:
    wiring = project.wiring()
    wiring.environ = {**wiring.environ, FAULT: fault}
    perform(wiring.versioning.ports(), work)


def main(root: str, url: str) -> None:
    project = BranchedProject(Path(root), url)
    for line in sys.stdin:
        told = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                work_and_die(project, told["work"], told["fault"])
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
