"""Spark's own test jar, for the TPC queries that lie in it. It comes once from a Maven repository, by `mvn` where the
machine has it, else by the Ivy that Spark brings, and is kept in the user's cache; nothing of it is in this
repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from forge.engines.spark.session.session import find_java

GROUP, NAME, VERSION, CLASSIFIER = "org.apache.spark", "spark-sql_2.13", "4.1.3", "tests"
JAR = f"{NAME}-{VERSION}-{CLASSIFIER}.jar"
FETCH_SECONDS = 900

IVY = f"""<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="forge.tests" module="tpc"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
    <dependency org="{GROUP}" name="{NAME}" rev="{VERSION}" conf="default->master" transitive="false">
      <artifact name="{NAME}" type="test-jar" ext="jar" m:classifier="{CLASSIFIER}"/>
    </dependency>
  </dependencies>
</ivy-module>
"""


def queries(folder: str) -> dict[str, str]:
    """The queries of a folder of the jar (`tpcds`, `tpcds-v2.7.0`, `tpch`), by name."""
    with zipfile.ZipFile(fetched_jar()) as jar:
        found = [name for name in jar.namelist() if re.fullmatch(rf"{re.escape(folder)}/q\w+\.sql", name)]
        return {Path(name).stem: jar.read(name).decode() for name in sorted(found, key=_number)}


def _number(name: str) -> tuple[int, str]:
    found = re.search(r"q(\d+)", name)
    return (int(found[1]) if found else 0), name


def fetched_jar() -> Path:
    """It appears whole: two who fetch at once do not meet."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "forge-tests"
    jar = cache / JAR
    if not jar.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="fetching-") as scratch:
            _fetch(Path(scratch)).replace(jar)
    return jar


def _fetch(scratch: Path) -> Path:
    said = []
    for command in (_by_maven(scratch), _by_ivy(scratch)):
        if not command:
            continue
        try:
            done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=FETCH_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            said.append(f"{command[0]}: {error}")
            continue
        if (scratch / JAR).exists():
            return scratch / JAR
        said.append(f"$ {' '.join(command)}\n{(done.stdout + done.stderr)[-2000:]}")
    raise RuntimeError("Spark's test jar could not be fetched from a Maven repository:\n" + "\n".join(said))


def _by_maven(scratch: Path) -> Sequence[str]:
    maven = shutil.which("mvn")
    what = f"-Dartifact={GROUP}:{NAME}:{VERSION}:jar:{CLASSIFIER}"
    return [maven, "-B", "-ntp", "-q", "dependency:copy", what, f"-DoutputDirectory={scratch}"] if maven else []


def _by_ivy(scratch: Path) -> Sequence[str]:
    spark = find_spec("pyspark")
    assert spark is not None
    assert spark.origin is not None
    ivy = next(Path(spark.origin).parent.glob("jars/ivy-*.jar"))
    (scratch / "ivy.xml").write_text(IVY)
    where = ["-retrieve", f"{scratch}/[artifact]-[revision](-[classifier]).[ext]"]
    return [find_java(), "-jar", str(ivy), "-cache", str(scratch / "ivy"), "-ivy", str(scratch / "ivy.xml"), *where]
