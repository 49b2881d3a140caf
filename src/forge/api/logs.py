"""Logs of the server: on stderr text for people or JSON lines for programs; in the file always JSON lines. A query
string is never logged, because the printed address has a token in it."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Literal

from forge.flows.upkeep.private_files import FILE, private_file

LogFormat = Literal["text", "json"]
REQUEST_ID: ContextVar[str | None] = ContextVar("forge_request_id", default=None)
access = logging.getLogger("forge.access")

_FILE_SIZE, _FILES = 5_000_000, 3
_ROUTINE = ("forge.access", "forge.jobs", "forge.server")  # a terminal hears of it when asked to


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        request_id = REQUEST_ID.get()
        if request_id is not None:
            line["request_id"] = request_id
        line |= getattr(record, "facts", {})
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def log_request(method: str, path: str, status: int, seconds: float) -> None:
    if access.isEnabledFor(logging.INFO):
        facts: Mapping[str, object] = {"method": method, "path": path, "status": status, "ms": round(seconds * 1000, 1)}
        # As JSON, a path cannot begin a line of its own.
        access.info("%s %s %d %.1f ms", method, json.dumps(path), status, seconds * 1000, extra={"facts": facts})


class PrivateLog(RotatingFileHandler):
    """Rotated files, too, are readable by their owner alone."""

    def _open(self) -> TextIOWrapper:
        file = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, FILE)
        return open(file, "a", encoding=self.encoding, errors=self.errors)


def configure_logs(form: LogFormat, verbose: int, file: Path | None) -> None:
    """Human-readable logs go to stderr. The file keeps every request and run at any verbosity, so that a request id
    in an error can be looked up there."""
    stream = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s", "%H:%M:%S")
    stream.setFormatter(JsonLines() if form == "json" else plain)
    if form == "text" and verbose == 0:
        stream.addFilter(lambda record: record.levelno > logging.INFO or record.name not in _ROUTINE)
    handlers: list[logging.Handler] = [stream]
    if file is not None:
        kept = PrivateLog(private_file(file), maxBytes=_FILE_SIZE, backupCount=_FILES, encoding="utf-8", delay=True)
        kept.setFormatter(JsonLines())
        handlers.append(kept)
    logging.basicConfig(handlers=handlers, force=True, level=logging.WARNING)
    logging.getLogger("forge").setLevel(logging.DEBUG if verbose > 1 else logging.INFO)
    logging.getLogger("uvicorn").setLevel(logging.INFO if verbose > 0 else logging.WARNING)
