"""Sends OpenLineage events to a file, a URL, or both. Events are spooled to a folder first, one file per run, and
removed once the receiver has accepted them, so none is lost while it is unavailable. Delivery is at least once: events
carry their run ids, so a repetition is harmless."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from forge.channels.http import exchange
from forge.flows.quality.incidents.ports import SendError
from forge.flows.upkeep.private_files import private_file, private_folder
from forge.lineage.openlineage_events import Json
from forge.model.errors import ForgeError

SECONDS = 5.0  # that a run may wait, in all
MOST_WAITING = 1000  # runs
_AGAIN = (401, 403, 408, 425, 429)
_log = logging.getLogger("forge.lineage")


class OpenLineageSink:
    """`key` reads the bearer token on demand."""

    def __init__(
        self,
        outbox: Path,
        *,
        file: Path | None = None,
        url: str | None = None,
        key: Callable[[], str] | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._outbox, self._file, self._url, self._key, self._seconds = outbox, file, url, key, seconds

    def send(self, name: str, events: Sequence[Json]) -> None:
        lines = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
        if self._file is not None:
            self._write(lines)
        if self._url is not None:
            private_folder(self._outbox)
            _replace(self._outbox / f"{name}.ndjson", lines)
            self._flush(self._url)

    def _write(self, lines: str) -> None:
        assert self._file is not None
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(lines)  # in one piece, for runs of other processes write to it, too
        except OSError as error:
            _log.warning("OpenLineage events were not written to %s: %s", self._file, error.strerror)

    def _flush(self, url: str) -> None:
        """The oldest run first, while there is time and the receiver answers."""
        until = time.monotonic() + self._seconds
        waiting = sorted(self._outbox.glob("*.ndjson"))  # ids of runs begin with their time
        for path in waiting[:-MOST_WAITING]:
            _log.warning("OpenLineage events of %s were never taken by %s and are let go of", path.stem, _shown(url))
            path.unlink(missing_ok=True)
        for path in waiting[-MOST_WAITING:]:
            reason = self._send_file(path, url, until)
            if reason is not None:
                _log.warning("OpenLineage events wait in %s for %s: %s", self._outbox, _shown(url), reason)
                return

    def _send_file(self, path: Path, url: str, until: float) -> str | None:
        """None once all of it is sent; else the reason, and the rest stays."""
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:  # another process has sent it
            return None
        for number, line in enumerate(lines):
            left = until - time.monotonic()
            reason = self._post(url, line, left) if left > 0 else "there was no time left"
            if reason is not None:
                if number:
                    _replace(path, "\n".join(lines[number:]) + "\n")
                return reason
        path.unlink(missing_ok=True)
        return None

    def _post(self, url: str, line: str, seconds: float) -> str | None:
        """None if accepted, or rejected for good, which is logged."""
        try:
            headers = {"authorization": f"Bearer {self._key()}"} if self._key is not None else {}
            status, reply, _ = exchange(url, line.encode(), headers, seconds)
        except SendError as error:
            return error.detail
        except ForgeError as error:
            return error.what
        if status >= 500 or status in _AGAIN:
            return f"it answered {status}"
        if not 200 <= status < 300:
            _log.warning("%s refused an OpenLineage event with %s: %s", _shown(url), status, reply[:500])
        return None


def _shown(url: str) -> str:
    """Without parts that may be secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"


def _replace(path: Path, text: str) -> None:
    """Atomic."""
    part = path.with_suffix(".part")
    private_file(part).write_text(text, encoding="utf-8")
    part.replace(path)
