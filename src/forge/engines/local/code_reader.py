"""Reads code in a pool of subprocesses. One that times out or crashes on a file is replaced, and the file is
reported as a gap: no file can stop the others."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from types import TracebackType
from typing import Self

from forge.lineage.edge import Gap
from forge.lineage.extract.codebase import CodebaseContext, SourceUnit, UnitResult
from forge.lineage.extract.program import Program

LIMIT = 30.0  # seconds for one unit
_PROJECT = 10  # times as many for a dbt project, which is many files
_START = 60.0  # more, until a process is up
BEGUN = "begun"  # sent by a process when it begins with a unit; until then it was starting


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    pipe: Connection
    unit: SourceUnit | None = None
    began: float = 0.0
    reads: bool = False

    def limit(self, usual: float) -> float:
        return usual * (_PROJECT if self.unit is not None and self.unit.language == "dbt" else 1)

    def left(self, usual: float) -> float:
        start = 0.0 if self.reads else _START
        return max(0.0, self.began + self.limit(usual) + start - time.monotonic())

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.wait()


class CodeReaderPool:
    """Call it to read units; close it, or use it in `with`, to end the processes."""

    def __init__(self, processes: int | None = None, limit: float = LIMIT) -> None:
        self._most = processes or os.cpu_count() or 1
        self._limit = limit
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
        self._workers = []

    def __call__(self, units: Sequence[SourceUnit], shared: CodebaseContext) -> Iterator[UnitResult]:
        waiting = deque(sorted(units, key=_size, reverse=True))
        while len(self._workers) < min(self._most, len(waiting)):
            self._workers.append(_start())
        for worker in self._workers:
            _send(worker, shared)
        busy = 0
        try:
            while waiting or busy:
                for place, worker in enumerate(self._workers):
                    if worker.unit is None and waiting:
                        self._workers[place] = worker = self._give(worker, waiting.popleft(), shared)
                        busy += 1
                for done in self._next(shared):
                    busy -= 1
                    yield done
        except BaseException:
            self.close()
            raise

    def _give(self, worker: _Worker, unit: SourceUnit, shared: CodebaseContext) -> _Worker:
        if worker.process.poll() is not None:
            worker = _start()
            _send(worker, shared)
        worker.unit, worker.began, worker.reads = unit, time.monotonic(), False
        _send(worker, unit)
        return worker

    def _next(self, shared: CodebaseContext) -> Iterator[UnitResult]:
        """The next finished units; perhaps none yet."""
        working = {worker.pipe: worker for worker in self._workers if worker.unit is not None}
        if not working:
            return
        patience = min(worker.left(self._limit) for worker in working.values())
        ready = [pipe for pipe in wait(list(working), patience) if isinstance(pipe, Connection)]
        for pipe in ready:
            worker = working[pipe]
            assert worker.unit is not None
            try:
                message = pipe.recv()
            except (EOFError, OSError):
                yield self._replace(worker, shared, "the reader died of it")
                continue
            if message == BEGUN:
                worker.began, worker.reads = time.monotonic(), True
            else:
                worker.unit = None
                yield message
        for worker in [one for one in working.values() if one.unit is not None and not one.left(self._limit)]:
            yield self._replace(worker, shared, f"it takes longer than {worker.limit(self._limit):g} s to read")

    def _replace(self, worker: _Worker, shared: CodebaseContext, reason: str) -> UnitResult:
        unit, seconds = worker.unit, time.monotonic() - worker.began
        assert unit is not None
        worker.end()
        new = _start()
        _send(new, shared)
        self._workers[self._workers.index(worker)] = new
        return UnitResult(unit.name, lost(unit, reason), seconds)


def lost(unit: SourceUnit, reason: str) -> tuple[Program, ...]:
    """A unit that could not be read at all."""
    path = next(iter(unit.texts), unit.name)
    return (Program(file=path, language=unit.language, gaps=(Gap(path, 0, reason),), statements=1),)


def _size(unit: SourceUnit) -> int:
    return sum(len(text) for text in unit.texts.values())


def _start() -> _Worker:
    ours, theirs = Pipe()
    with theirs:
        # -P: a `copy.py` of the folder that is read is not imported in place of Python's own.
        words = [sys.executable, "-P", "-m", "forge.engines.local.code_worker", str(theirs.fileno())]
        process = subprocess.Popen(words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)  # noqa: S603
    return _Worker(process, ours)


def _send(worker: _Worker, message: CodebaseContext | SourceUnit) -> None:
    try:
        worker.pipe.send(message)
    except OSError:  # it died; whoever waits for its answer finds out
        worker.process.kill()
