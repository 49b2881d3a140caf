"""`forge setup`: Spark's packages, fetched ahead of the first run."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from forge.cli.answer import CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import size
from forge.cli.terminal import Terminal
from forge.model.errors import NoProjectError


@command
def setup(terminal: Terminal) -> None:
    """Fetch Spark's packages ahead, with progress. Needs the network the first time, and no project."""
    from forge.wiring.upkeep import find_java, spark_jars

    java = find_java()
    given = _given_jars(terminal)
    if not given and not spark_jars():
        _fetch(terminal)
    jars = given or [str(jar) for jar in spark_jars()]
    terminal.answer(CommandAnswer(name="jars", items=[{"path": jar} for jar in jars], facts={"java": java}, head=jars))
    terminal.say(f"Ready: Java at {java}, {len(jars)} packages of Spark.")


def _given_jars(terminal: Terminal) -> list[str]:
    """`spark.jars` of the project, if there is one: then nothing is fetched."""
    from forge.settings import load_settings

    try:
        text = load_settings(terminal.project).spark.get("spark.jars", "")
    except NoProjectError:
        if terminal.project is not None:
            raise
        return []
    return [jar for jar in str(text).split(",") if jar]


def _fetch(terminal: Terminal) -> None:
    """Spark resolves its packages when it starts; its log shows the progress."""
    import tempfile

    from forge.wiring.upkeep import fetch_spark_jars

    with tempfile.TemporaryDirectory(prefix="forge-setup-") as folder:
        log = Path(folder) / "spark.log"
        log.touch()
        over = threading.Event()
        watcher = threading.Thread(target=_watch, args=(terminal, log, over), daemon=True)
        watcher.start()
        try:
            fetch_spark_jars(log)
        finally:
            over.set()
            watcher.join()


def _watch(terminal: Terminal, log_file: Path, over: threading.Event) -> None:
    """Each package as it begins, and every few seconds how much has arrived."""
    from forge.model.duration import duration_text

    began = time.time()
    with log_file.open(encoding="utf-8", errors="replace") as log:
        last = began
        while not over.wait(0.2):
            for line in log:
                if "downloading" in line and ".jar" in line:
                    terminal.say(f"  fetching {line.split('downloading', 1)[1].split()[0].rsplit('/', 1)[-1]}")
            if time.time() - last >= 2:
                last = time.time()
                arrived = _arrived(began)
                if arrived:
                    terminal.say(f"  {size(arrived)} after {duration_text(last - began)}")


def _arrived(since: float) -> int:
    from forge.wiring.upkeep import spark_jar_folder

    files = (file for file in spark_jar_folder().rglob("*") if file.suffix in (".jar", ".part"))
    total = 0
    for file in files:
        try:
            state = file.stat()
        except FileNotFoundError:  # Ivy renames a file once it is complete
            continue
        total += state.st_size if state.st_mtime >= since - 1 else 0
    return total
