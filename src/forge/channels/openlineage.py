"""Where OpenLineage events go: a file, an address, or both. What is to be sent is first written to a folder, a file a
run, and leaves it when the other side has taken it; so nothing is lost while that is away. Sending twice does no harm:
events carry the ids of their runs."""

from __future__ import annotations

import json
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from forge.flows.upkeep.private_files import private_file, private_folder
from forge.lineage.openlineage_out import Json
from forge.model.errors import ForgeError

SECONDS = 5.0  # that a run may wait, in all
MOST_WAITING = 1000  # runs
_AGAIN = (408, 425, 429)
_log = logging.getLogger("forge.lineage")


class OpenLineageSink:
    """`key` reads the bearer key when it is needed."""

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
        """The oldest run first, as long as there is time and the other side answers."""
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
        """None once all of it is gone; else why not, and the rest stays."""
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
        """None where it was taken, or refused for good, which the log tells."""
        headers = {"content-type": "application/json", "user-agent": "forge"}
        try:
            if self._key is not None:
                headers["authorization"] = f"Bearer {self._key()}"
            request = urllib.request.Request(url, line.encode(), headers, method="POST")  # noqa: S310, settings check it
            with _OPENER.open(request, timeout=seconds):
                return None
        except urllib.error.HTTPError as error:
            with error:
                told = error.read(500).decode(errors="replace")
            if error.code >= 500 or error.code in _AGAIN or error.code in (401, 403):
                return f"it answered {error.code}"
            _log.warning("%s refused an OpenLineage event with %s: %s", _shown(url), error.code, told)
            return None
        except (OSError, HTTPException, ValueError) as error:
            return str(error) or type(error).__name__
        except ForgeError as error:
            return error.what


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key elsewhere."""

    def redirect_request(self, *_: object, **__: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _shown(url: str) -> str:
    """Without what may be a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"


def _replace(path: Path, text: str) -> None:
    """Whole or not at all."""
    part = path.with_suffix(".part")
    private_file(part).write_text(text, encoding="utf-8")
    part.replace(path)
