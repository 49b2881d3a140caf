"""Runs a script unchanged, and writes down what its Spark sessions write, in the process of the script itself:

    python -m forge.engines.spark.lineage.capture_script FILE script.py [ARGS…]

A listener hears of every query and command that has run; streams are noted when they start, for what their batches
read has no name any more. One line for each write goes to FILE."""

from __future__ import annotations

import functools
import itertools
import runpy
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forge.engines.spark.lineage.plan import (
    Java,
    PlanWrite,
    first_id,
    lineage_of_plan,
    location_of,
    path_name,
    plain_name,
    writes_of,
)
from forge.lineage.edge import Extraction, Gap
from forge.lineage.extract.observation import ObservedWrite, to_line
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.spark.plan import PlanHints

_FORMAT, _BATCHES = "format of the sink", "function for batches"
_NOWHERE = {"console", "memory", "noop"}


class CaptureLog:
    """The output file, and the streams of the script."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self.batches: dict[int, str] = {}

    def add(self, seen: ObservedWrite) -> None:
        with self._lock, self._file.open("a", encoding="utf-8") as out:
            out.write(to_line(seen) + "\n")

    def write(self, session: Java, write: PlanWrite) -> None:
        known = PlanHints(views=True, columns=write.columns, leaves=dict(self.batches))
        target = write.target if write.made is OutputKind.FILE else plain_name(write.target)
        found = lineage_of_plan(write.plan, target, known=known)
        self.add(ObservedWrite(target, write.made, found, location_of(session, write)))

    def stream(self, frame: Any, target: str | None, made: OutputKind) -> str:
        """What a stream is made from; without a target it is something in between."""
        name = target or f"stream@{next(self._numbers)}"
        self.add(ObservedWrite(name, made, lineage_of_plan(frame._jdf.queryExecution().analyzed(), name)))
        return name

    def failed(self, reason: str) -> None:
        self.add(ObservedWrite("", OutputKind.TEMPORARY, Extraction(gaps=(Gap("", 0, reason),))))


class QueryListener:
    """Called by Spark from a thread of its own, once per query."""

    def __init__(self, notes: CaptureLog) -> None:
        self._notes = notes

    def onSuccess(self, name: str, execution: Java, nanoseconds: int) -> None:
        try:
            for write in writes_of(execution.analyzed()):
                self._notes.write(execution.sparkSession(), write)
        except Exception as error:  # must not stop the script; the loss is reported
            self._notes.failed(f"a write was not understood: {error}".splitlines()[0])

    def onFailure(self, name: str, execution: Java, error: Java) -> None:
        """What failed wrote nothing."""

    class Java:
        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)


def watch(notes: CaptureLog) -> None:
    """From here on every session of this process is heard."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    heard: set[str] = set()
    listener = QueryListener(notes)

    def listen(session: SparkSession) -> None:
        from pyspark.java_gateway import ensure_callback_server_started

        mark = str(session._jsparkSession.sessionUUID())
        if mark not in heard:
            heard.add(mark)
            ensure_callback_server_started(session.sparkContext._gateway)  # type: ignore[no-untyped-call]
            session._jsparkSession.listenerManager().register(listener)

    _after(SparkSession, "__init__", lambda session, *_: listen(session))
    _before(SparkContext, "stop", lambda context: drain(context))
    _watch_streams(notes)


def drain(context: Any) -> None:
    """Waits until the listener has heard all."""
    java = getattr(context, "_jsc", None)
    if java is not None and not java.sc().isStopped():
        java.sc().listenerBus().waitUntilEmpty()


def _watch_streams(notes: CaptureLog) -> None:
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    def options(writer: Any) -> dict[str, str]:
        known: dict[str, str] = writer.__dict__.setdefault("_forge_options", {})
        return known

    def note(writer: Any, **given: object) -> None:
        options(writer).update({key.lower(): str(value) for key, value in given.items()})

    _after(DataStreamWriter, "option", lambda writer, key, value: note(writer, **{key: value}))
    _after(DataStreamWriter, "options", note)
    _after(DataStreamWriter, "format", lambda writer, source: note(writer, **{_FORMAT: source}))

    def each_batch(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def foreach_batch(writer: Any, function: Callable[[Any, int], Any]) -> Any:
            name = notes.stream(writer._df, None, OutputKind.TEMPORARY)
            note(writer, **{_BATCHES: name})

            def heard(frame: Any, number: int) -> Any:
                found = first_id(frame._jdf.queryExecution().analyzed())
                if found is not None:
                    notes.batches[found] = name
                return function(frame, number)

            return original(writer, heard)

        return foreach_batch

    DataStreamWriter.foreachBatch = each_batch(DataStreamWriter.foreachBatch)  # type: ignore[method-assign]

    def started(writer: Any, path: str | None = None, format: str | None = None, **more: object) -> None:
        known = options(writer)
        kind, place, topic = format or known.get(_FORMAT), path or known.get("path"), known.get("topic")
        if _BATCHES in known or kind in _NOWHERE:
            return
        target = path_name(place) if place else f"{kind}:{topic}" if topic else None
        if target is not None:
            notes.stream(writer._df, target, OutputKind.FILE)

    _before(DataStreamWriter, "start", started)
    _before(
        DataStreamWriter,
        "toTable",
        lambda writer, tableName, *_, **__: notes.stream(writer._df, plain_name(tableName), OutputKind.TABLE) and None,
    )


def _after(owner: type, name: str, work: Callable[..., object]) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        work(self, *args, **({} if name == "__init__" else kwargs))
        return result

    setattr(owner, name, wrapped)


def _before(owner: type, name: str, work: Callable[..., object]) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        work(self, *args, **kwargs)
        return original(self, *args, **kwargs)

    setattr(owner, name, wrapped)


def main(file: str, script: str, *arguments: str) -> None:
    from pyspark import SparkContext

    watch(CaptureLog(Path(file)))
    sys.argv = [script, *arguments]
    sys.path.insert(0, str(Path(script).resolve().parent))
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        drain(SparkContext._active_spark_context)


if __name__ == "__main__":
    main(*sys.argv[1:])
