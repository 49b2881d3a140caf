"""The web app's static files: built by `make ui` into the package, public.

Every path that is neither a file nor part of the API is a page of the single-page app and gets index.html."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from forge.api.auth import is_data

FOLDER = Path(__file__).parent.parent / "web"
FOREVER = "public, max-age=31536000, immutable"
# The build puts a hash of the content into the name, so that such a file never changes.
_HASHED = re.compile(r"-[A-Za-z0-9_-]{8,}\.(?:js|css|map|woff2?|svg|png|jpg|ico|webp|json|wasm)$")
_SMALLEST = 1000  # below, compressing costs more than it saves
_PACKED = ("text/", "application/json", "application/javascript", "image/svg", "application/manifest")

MISSING = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Forge</title>
<style>
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 1.5rem; }
  code { background: #8883; padding: .1rem .4rem; border-radius: .25rem; }
  :root { color-scheme: light dark; }
</style>
<h1>The web app is not built</h1>
<p>The server runs and its API answers, but this installation was made from source without the web files.</p>
<p>Build them with <code>make ui</code> (needs Node 20 or newer), then reload this page.</p>
"""


@dataclass(frozen=True, slots=True)
class WebFile:
    stamp: tuple[int, int]  # time and size of the file on disk, for builds while the server runs
    media_type: str
    etag: str
    body: bytes
    packed: dict[str, bytes]  # by content encoding


class WebFiles:
    """ASGI fallback for paths that match no route."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder.resolve()
        self._known: dict[str, WebFile] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_data(scope["path"]):
            raise HTTPException(404)
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"allow": "GET, HEAD"})
        response = await self._respond(scope["path"].lstrip("/"), Headers(scope=scope))
        await response(scope, receive, send)

    async def _respond(self, path: str, headers: Headers) -> Response:
        file = await self._file(path)
        if file is None and _HASHED.search(path):
            raise HTTPException(404)  # a page in place of a script would fail in words nobody understands
        is_page = file is None or path == "index.html"
        file = file or await self._file("index.html")
        if file is None:
            return Response(MISSING, media_type="text/html", headers={"cache-control": "no-store"})
        hashed = not is_page and _HASHED.search(path)
        kept = {"cache-control": FOREVER if hashed else "no-cache", "etag": file.etag, "vary": "accept-encoding"}
        if headers.get("if-none-match") == file.etag:
            return Response(status_code=304, headers=kept)
        accepted = headers.get("accept-encoding", "")
        for encoding in ("br", "gzip"):
            if encoding in accepted and encoding in file.packed:
                kept["content-encoding"] = encoding
                return Response(file.packed[encoding], media_type=file.media_type, headers=kept)
        return Response(file.body, media_type=file.media_type, headers=kept)

    async def _file(self, path: str) -> WebFile | None:
        place = self._place(path)
        if place is None:
            return None
        stat = place.stat()
        stamp = (stat.st_mtime_ns, stat.st_size)
        known = self._known.get(path)
        if known is None or known.stamp != stamp:
            known = await run_in_threadpool(_load, place, stamp)
            self._known[path] = known
        return known

    def _place(self, path: str) -> Path | None:
        """The file, if it exists inside the folder."""
        hidden = path.startswith(".") or "/." in path  # what the build notes for itself
        if not path or hidden or path.endswith((".gz", ".br")):
            return None
        try:
            place = (self._folder / path).resolve()
            return place if place.is_relative_to(self._folder) and place.is_file() else None
        except (OSError, ValueError):  # a name too long, or one that the file system cannot hold
            return None


def _load(place: Path, stamp: tuple[int, int]) -> WebFile:
    body = place.read_bytes()
    media_type = mimetypes.guess_type(place.name)[0] or "application/octet-stream"
    packed: dict[str, bytes] = {}
    for encoding, ending in (("br", ".br"), ("gzip", ".gz")):
        variant = place.with_name(place.name + ending)
        if variant.is_file():
            packed[encoding] = variant.read_bytes()
    if "gzip" not in packed and len(body) >= _SMALLEST and media_type.startswith(_PACKED):
        packed["gzip"] = gzip.compress(body, 6, mtime=0)
    return WebFile(stamp, media_type, f'"{hashlib.sha256(body).hexdigest()[:20]}"', body, packed)
