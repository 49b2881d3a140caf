"""How settings reach Spark's JVM: by a file that only this user can read, never by arguments.

`ps` shows the arguments of every process to every user of the machine, and PySpark would put all settings there."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from forge.model.errors import ForgeError
from forge.model.secret import Secret

SUBMIT = "PYSPARK_SUBMIT_ARGS"
# Names of settings whose values Spark hides in its pages, event logs and messages.
HIDDEN = r"(?i)secret|password|passwd|token|credential|access[.]?key|account[.]key|api[.]?key"
REDACTION = "spark.redaction.regex"


def write_properties(conf: Mapping[str, str], folder: Path) -> Path:
    """`conf` as a properties file of Java, for this user alone."""
    file = folder / "spark.properties"
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        stream.writelines(f"{_escaped(key)}={_escaped(value)}\n" for key, value in conf.items())
    return file


def submit_arguments(file: Path, given: str | None) -> str:
    """`given` are those of the user, who may set what Forge does not. spark-defaults.conf is read as usual."""
    return f"--properties-file {shlex.quote(str(file))} --load-spark-defaults {given or 'pyspark-shell'}"


@contextmanager
def handed_over(conf: Mapping[str, str]) -> Iterator[None]:
    """While the context is open, a JVM that PySpark launches reads `conf`. PySpark takes its arguments from the
    environment."""
    before = os.environ.get(SUBMIT)
    with tempfile.TemporaryDirectory(prefix="forge-spark-") as folder:  # 0700
        os.environ[SUBMIT] = submit_arguments(write_properties(conf, Path(folder)), before)
        try:
            yield
        finally:
            if before is None:
                del os.environ[SUBMIT]
            else:
                os.environ[SUBMIT] = before


def redaction_of(conf: Mapping[str, str]) -> str:
    """A pattern of setting names with secret values: by their words, by the settings, or because they are
    references."""
    exact = (f"^{re.escape(key)}$" for key, value in conf.items() if isinstance(value, Secret))
    return "|".join((HIDDEN, *([conf[REDACTION]] if REDACTION in conf else []), *exact))


def refuse_visible_secrets(conf: Mapping[str, str]) -> None:
    """Options of Java are arguments of its process, here and on the machines of a cluster."""
    for key, value in conf.items():
        if isinstance(value, Secret) and key.endswith("JavaOptions"):
            raise ForgeError(
                "E105",
                f"{key} may not hold a secret",
                where=f"spark.{key.removeprefix('spark.')}",
                why="Options of Java are arguments of its process, which every user of the machine can read.",
                fix="Give the secret as a setting of its own, or put the option into a file that only Spark's user "
                "can read and name that: -XX:Flags=FILE, @FILE.",
            )


def _escaped(text: str) -> str:
    """As java.util.Properties reads it: escapes what it would trim, split or take for a comment."""
    written = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", " ": "\\ "}
    return "".join(written.get(letter, f"\\{letter}" if letter in "=:#!" else letter) for letter in text)
