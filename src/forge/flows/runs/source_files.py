"""Files that a source reads: which there are, and whether they have the declared columns."""

from __future__ import annotations

import bz2
import csv
import glob
import gzip
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import IO

from forge.flows.runs.records import LoadedFile
from forge.model.errors import ForgeError, MissingFileError
from forge.transforms.transform import FileSource

LONGEST_LINE = 16_000_000  # letters
SAMPLED_LINES = 200
SHOWN_NAMES = 20
PACKED = (".zst", ".zstd", ".lz4", ".snappy", ".deflate", ".xz")  # the header of these is left to Spark
# RFC 4180: a quote inside quotes is doubled, and a line break there belongs to the value. Spark's own defaults read
# a backslash and end the row. `options` of a source go before these.
CSV_DEFAULTS = {"quote": '"', "escape": '"', "multiLine": "true"}


def find_files(source: FileSource, root: Path, where: str) -> tuple[LoadedFile, ...]:
    """The current files of a source, by path; none at all is an error."""
    pattern = source.path if os.path.isabs(source.path) else str(root / source.path)
    paths = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
    if Path(pattern).is_dir():
        suffix = "*" if source.format == "parquet" else f"*.{source.format}*"
        files = (path for path in Path(pattern).rglob(suffix) if path.is_file() and not _is_hidden(path, Path(pattern)))
        paths = sorted(map(str, files))
    if not paths:
        raise MissingFileError(
            f"No file matches {source.path}",
            where=where,
            why=f"Looked for {pattern}.",
            fix="Put the file there or correct `path`.",
        )
    found = []
    for path in paths:
        status = os.stat(path)
        name = os.path.relpath(path, root) if Path(path).is_relative_to(root) else path
        found.append(LoadedFile(Path(name).as_posix(), status.st_size, status.st_mtime_ns))
    return tuple(found)


def _is_hidden(path: Path, folder: Path) -> bool:
    """What programs keep beside the rows, which patterns do not find either."""
    return path.name.startswith("_") or any(part.startswith(".") for part in path.relative_to(folder).parts)


def with_digests(files: Sequence[LoadedFile], root: Path) -> tuple[LoadedFile, ...]:
    """The same files, each with the hash of its content; none for one that has just disappeared."""
    return tuple(replace(file, digest=_digest(root / file.path)) for file in files)


def _digest(path: Path) -> str | None:
    from blake3 import blake3

    try:
        return str(blake3(max_threads=blake3.AUTO).update_mmap(path).hexdigest())
    except OSError:
        return None


def refuse_other_columns(source: FileSource, files: Sequence[LoadedFile], root: Path, where: str) -> None:
    """E209 for the first file that has other columns than declared, E208 or E210 for one that cannot be read."""
    for file in files:
        try:
            _check_columns(source, str(root / file.path), file.path, where)
        except FileNotFoundError as error:
            raise MissingFileError(
                f"{file.path} has just been removed", where=where, fix="Put it back, or run again."
            ) from error
        except LookupError as error:
            raise ForgeError("E206", str(error), where=where, fix="Correct `encoding` among the options.") from error
        except (OSError, EOFError, zlib.error, csv.Error, UnicodeError) as error:
            raise ForgeError(
                "E210",
                f"{file.path} cannot be read as {source.format}",
                where=where,
                why=getattr(error, "strerror", None) or str(error),
                fix="Correct the file, or the `format` and `options` of the source. Nothing of it was loaded.",
            ) from error


def _check_columns(source: FileSource, path: str, shown: str, where: str) -> None:
    match source.format:
        case "csv":
            found = _csv_header(source, path)
        case "json":
            found = _json_keys(source, path, shown)
        case _:
            found = _parquet_columns(path, shown)
    if found is not None:
        refuse_other_names(source, found, shown, where)


def refuse_other_names(source: FileSource, found: Sequence[str], shown: str, where: str) -> None:
    """E209 where a file that has these columns does not have the declared ones."""
    if not source.columns:
        return
    declared = list(source.columns)
    missing = [name for name in declared if name not in found]
    extra = [name for name in found if name not in declared] if source.format != "parquet" else []
    moved = source.format == "csv" and not missing and not extra and list(found) != declared
    if missing or extra or moved:
        parts = [f"missing {_listed(missing)}"] * bool(missing) + [f"unexpected {_listed(extra)}"] * bool(extra)
        raise ForgeError(
            "E209",
            f"{shown} does not have the declared columns: {'; '.join(parts) or 'they stand in another order'}",
            where=where,
            why=f"Declared: {_listed(declared)}. Found: {_listed(found)}.",
            fix="Correct the file, or the `columns` of the source. Nothing of it was loaded.",
        )


def _listed(names: Sequence[str]) -> str:
    """For a message: the names come from a file, which may contain anything and any number of them."""
    shown = [ascii(name)[1:-1] if not name.isprintable() else name for name in names[:SHOWN_NAMES]]
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    return ", ".join(shown) + more if names else "nothing"


def open_text(path: str, encoding: str, errors: str = "strict") -> IO[str] | None:
    """Text, decompressed as Spark would by file extension; None for a codec Python does not know."""
    suffix = Path(path).suffix.lower()
    if suffix in PACKED:
        return None
    if suffix == ".gz":
        return gzip.open(path, "rt", encoding=encoding, errors=errors, newline="")
    if suffix == ".bz2":
        return bz2.open(path, "rt", encoding=encoding, errors=errors, newline="")
    return open(path, encoding=encoding, errors=errors, newline="")


def lines_of(file: IO[str], shown: str) -> Iterator[str]:
    """E210 where one is too long to be held: a packed file of a few megabytes may hold a line that fills the memory."""
    for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), 1):
        if len(line) >= LONGEST_LINE:
            raise ForgeError(
                "E210",
                f"A line of {shown} is longer than {LONGEST_LINE:,} letters",
                where=f"{shown}:{number}",
                fix="Write one row on each line.",
            )
        yield line


def _csv_header(source: FileSource, path: str) -> list[str] | None:
    if source.options.get("header", "false").lower() != "true":
        return None
    delimiter = source.options.get("sep", source.options.get("delimiter", ",")).replace("\\t", "\t")
    file = open_text(path, source.options.get("encoding", "utf-8-sig"), "replace")
    if file is None:
        return None
    with file:
        if len(delimiter) > 1:
            return next(lines_of(file, Path(path).name), "").rstrip("\r\n").split(delimiter)
        return next(csv.reader(lines_of(file, Path(path).name), delimiter=delimiter), [])


def _json_keys(source: FileSource, path: str, shown: str) -> list[str] | None:
    if source.options.get("multiLine", "false").lower() == "true":
        return None
    file = open_text(path, source.options.get("encoding", "utf-8"))
    if file is None:
        return None
    keys: dict[str, None] = {}
    with file:
        for number, line in enumerate(islice(lines_of(file, shown), SAMPLED_LINES), 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ForgeError(
                    "E210",
                    f"{shown} is not JSON lines",
                    where=f"{shown}:{number}",
                    why=str(error),
                    fix="One JSON object on each line.",
                ) from error
            keys.update(dict.fromkeys(row if isinstance(row, dict) else ()))
    return list(keys)


def _parquet_columns(path: str, shown: str) -> list[str]:
    import pyarrow.parquet as parquet
    from pyarrow import ArrowInvalid

    try:
        return list(parquet.read_schema(path).names)
    except (ArrowInvalid, OSError) as error:
        raise ForgeError(
            "E210", f"{shown} is not a Parquet file", where=shown, why=str(error)[:200], fix="Replace it."
        ) from error
