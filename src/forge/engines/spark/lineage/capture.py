"""Runs a PySpark script unchanged in a subprocess and reports the writes that were observed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from forge.engines.spark.session.session import find_java
from forge.engines.spark.session.submit import SUBMIT, submit_arguments, write_properties
from forge.flows.lineage.capture import ScriptCapture
from forge.lineage.extract.observation import from_lines, join_writes
from forge.model.errors import ForgeError

_TALK = 2  # stderr


def capture(script: Path, arguments: Sequence[str] = (), conf: Mapping[str, str] | None = None) -> ScriptCapture:
    """The script's output goes to stderr: stdout is for the result. `conf`: Spark settings that the script does not
    make itself, such as catalogs. Writes observed before a failure are reported too. E816 if there is no script."""
    if not os.path.isfile(script):
        raise ForgeError("E816", f"There is no script {script}", fix="Give the path of a Python file.")
    find_java()
    with tempfile.TemporaryDirectory(prefix="forge-capture-") as folder:
        notes = Path(folder) / "seen.jsonl"
        bootstrap = [sys.executable, "-P", "-m", "forge.engines.spark.lineage.capture_script", str(notes)]
        command = [*bootstrap, str(script), *arguments]
        environment = _environment(conf or {}, Path(folder))
        done = subprocess.run(command, env=environment, stdout=_TALK, check=False)  # noqa: S603
        text = notes.read_text(encoding="utf-8") if notes.exists() else ""
    seen = tuple(from_lines(text))
    lost = tuple(dict.fromkeys(gap.reason for one in seen if not one.target for gap in one.extraction.gaps))
    return ScriptCapture(str(script), join_writes(one for one in seen if one.target), done.returncode, lost)


def _environment(conf: Mapping[str, str], folder: Path) -> dict[str, str]:
    here = {"PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable)}
    if conf:
        here[SUBMIT] = submit_arguments(write_properties(conf, folder), os.environ.get(SUBMIT))
    return {**os.environ, **here}
