"""One worker process that reads code: receives the shared context, then units, and answers each."""

from __future__ import annotations

import gc
import resource
import signal
import sys
import time
from multiprocessing.connection import Connection

from forge.engines.local.code_reader import BEGUN, lost
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.codebase import CodebaseContext, Language, SourceUnit, UnitResult, read_unit
from forge.lineage.extract.program import Program

MEMORY = 4 << 30  # bytes; a file that needs more is not read


def serve(pipe: Connection) -> None:
    shared: CodebaseContext | None = None
    ready: set[str] = set()
    while True:
        try:
            message = pipe.recv()
        except (EOFError, OSError):
            return
        if isinstance(message, SourceUnit) and shared is not None:
            if message.language not in ready:
                _prepare(message.language, shared)
                ready.add(message.language)
            pipe.send(BEGUN)
            began = time.monotonic()
            programs = _read(message, shared)
            pipe.send(UnitResult(message.name, programs, time.monotonic() - began))
        else:
            shared = message


def _prepare(language: Language, shared: CodebaseContext) -> None:
    """Imports the reader of a language in advance, so that this time does not count against the file."""
    texts = {} if language == "dbt" else {"": ""}
    read_unit(SourceUnit("", language, texts), CodebaseContext(TableCatalog(), shared.dialect))


def _read(unit: SourceUnit, shared: CodebaseContext) -> tuple[Program, ...]:
    try:
        return read_unit(unit, shared)
    except MemoryError:
        return lost(unit, f"it takes more than {MEMORY >> 30} GiB of memory to read")
    except RecursionError:
        return lost(unit, "it is nested too deep")
    except Exception as error:
        # A bug of ours, reported with the file that triggers it; the others go on.
        return lost(unit, f"reading it failed, which is a fault of Forge: {type(error).__name__}: {error}")


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    gc.set_threshold(200_000, 20, 20)  # trees of code are many small objects that live long: looking for garbage costs
    serve(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
