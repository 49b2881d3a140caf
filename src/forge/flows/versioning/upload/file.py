"""Uploaded files: CSV, JSON lines and Parquet as rows of a table. An invalid file is refused as a whole, with line
and reason."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from forge.flows.versioning.upload.limits import DEFAULT_LIMITS, UploadLimits, too_large
from forge.model.errors import ForgeError
from forge.versioning.field import Fields

if TYPE_CHECKING:
    import pyarrow

_CHUNK = 2**20
_FORMATS = {"csv": "csv", "jsonl": "json", "ndjson": "json", "json": "json", "parquet": "parquet", "pq": "parquet"}
_TYPES = {
    "text/csv": "csv",
    "application/csv": "csv",
    "application/jsonl": "json",
    "application/x-ndjson": "json",
    "application/json": "json",
    "application/vnd.apache.parquet": "parquet",
    "application/parquet": "parquet",
}


def read_upload(
    name: str,
    source: BinaryIO | Path,
    schema: Fields | None,
    limits: UploadLimits = DEFAULT_LIMITS,
    *,
    content_type: str | None = None,
    partial: bool = False,
    needed: Sequence[str] | None = None,
) -> pyarrow.Table:
    """The rows of the file in the columns of `schema`; without one, for a new table, types are inferred. Missing
    columns are NULL or, if `partial`, left out (a merge by key keeps their values). `needed`: only these columns are
    read (a delete needs keys alone)."""
    kind = _format(name, content_type)
    content = _read(name, source, limits)
    wanted = schema if schema is None or needed is None else tuple(f for f in schema if f.name in needed)
    if kind == "parquet":
        from forge.flows.versioning.upload.parquet import read_parquet

        return read_parquet(name, content, wanted, limits, partial=partial, extra=needed is not None)
    from forge.flows.versioning.upload import text as upload_text

    read = upload_text.read_csv if kind == "csv" else upload_text.read_json
    return read(name, content, wanted, limits.rows, partial=partial, extra=needed is not None)


def _format(name: str, content_type: str | None) -> str:
    ending = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    found = _FORMATS.get(ending) or _TYPES.get((content_type or "").split(";")[0].strip().lower())
    if found is None:
        raise ForgeError(
            "E621",
            f"{name} is of no format that can be read",
            why="Files are CSV (.csv), JSON lines (.jsonl) or Parquet (.parquet), told by the ending or content type.",
            fix="Give it the right ending.",
        )
    return found


def _read(name: str, source: BinaryIO | Path, limits: UploadLimits) -> bytes:
    """All of it; one that is too large is refused without reading on."""
    if isinstance(source, Path):
        try:
            if source.stat().st_size > limits.bytes:
                raise too_large(name, f"{source.stat().st_size:,} bytes", f"{limits.bytes:,} bytes")
            return source.read_bytes()
        except OSError as error:
            raise ForgeError("E629", f"{name} cannot be read", why=str(error), fix="Look at the path.") from error
    parts: list[bytes] = []
    size = 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if size > limits.bytes:
            raise too_large(name, f"more than {limits.bytes:,} bytes", f"{limits.bytes:,} bytes")
        parts.append(chunk)
    return b"".join(parts)
