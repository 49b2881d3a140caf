"""Objects of a store that speaks S3, as files. User and password of the source are its access key and secret; a source
without them that was made over HTTP asks as nobody, and others as the environment says, as other programs do."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from forge.federation.object_path import ObjectPath, parse_object_path
from forge.federation.source import Source, SourceOrigin
from forge.flows.runs.records import LoadedFile
from forge.model.errors import MissingFileError, RefusedQueryError, SourceUnreachableError

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, S3FileSystem

ENDPOINT, REGION = "endpoint", "region"
_CONNECT_SECONDS, _SECONDS, _TRIES = 10.0, 60.0, 3
_MOST = 100_000
_PIECE = 1024 * 1024
_YOUNG_NS = 60 * 10**9


@dataclass
class ObjectStore:
    source: Source
    secret: Callable[[str], str]

    @property
    def place(self) -> ObjectPath:
        found = parse_object_path(self.source.path)
        assert found is not None, "paths are read before they are declared"
        return found

    @cached_property
    def filesystem(self) -> S3FileSystem:
        from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

        source, endpoint = self.source, urlsplit(self.source.options.get(ENDPOINT, ""))
        given: dict[str, object] = {"region": source.options.get(REGION, "us-east-1")}
        if endpoint.netloc:
            given |= {"endpoint_override": endpoint.netloc, "scheme": endpoint.scheme}
        if source.user and source.password:
            given |= {"access_key": self.secret(source.user), "secret_key": self.secret(source.password)}
        elif source.origin is SourceOrigin.HTTP:
            given |= {"anonymous": True}
        return S3FileSystem(
            **given,
            connect_timeout=_CONNECT_SECONDS,
            request_timeout=_SECONDS,
            retry_strategy=AwsStandardS3RetryStrategy(max_attempts=_TRIES),
        )

    @property
    def library_options(self) -> dict[str, str]:
        """The same for deltalake."""
        source = self.source
        endpoint = source.options.get(ENDPOINT, "")
        given = {"aws_region": source.options.get(REGION, "us-east-1"), "timeout": f"{_SECONDS:g}s"}
        if endpoint:
            given |= {"aws_endpoint": endpoint, "allow_http": str(endpoint.startswith("http://")).lower()}
        if source.user and source.password:
            given |= {"aws_access_key_id": self.secret(source.user)}
            given |= {"aws_secret_access_key": self.secret(source.password)}
        elif source.origin is SourceOrigin.HTTP:
            given |= {"aws_skip_signature": "true"}
        return given

    def find(self, format: str, where: str) -> tuple[LoadedFile, ...]:
        """E208 where there is none. A folder is all below it, as one of this machine."""
        place = self.place
        with self.explained():
            every = [one for one in self.below(place.folder) if one.is_file]
        if place.is_pattern:
            found = [one for one in every if place.matches(one.path)]
        else:
            folder, whole = place.folder, format == "parquet"
            found = [one for one in every if one.path == folder or _is_shown(one.path, folder)]
            found = [
                one for one in found if one.path == folder or whole or f".{format}" in PurePosixPath(one.path).name
            ]
        if not found:
            fix = "Put an object there or correct `path`."
            raise MissingFileError(f"No object matches {self.source.path}", where=where, fix=fix)
        found.sort(key=lambda one: one.path)
        return tuple(LoadedFile(f"s3a://{one.path}", one.size, one.mtime_ns or 0) for one in found)

    def below(self, folder: str) -> list[FileInfo]:
        from pyarrow.fs import FileSelector, FileType

        one = self.filesystem.get_file_info(folder) if "/" in folder else None
        if one is not None and one.type is FileType.File:
            return [one]
        found: list[FileInfo] = self.filesystem.get_file_info(
            FileSelector(folder, allow_not_found=True, recursive=True)
        )
        if len(found) > _MOST:
            raise RefusedQueryError(f"{self.source.name} has more than {_MOST:,} objects", fix="Name fewer by `path`.")
        return found

    @contextmanager
    def copied(self, file: LoadedFile, most: int | None = None) -> Iterator[Path]:
        """A private copy of it, or of so many of its first bytes, by its own name."""
        with tempfile.TemporaryDirectory(prefix="forge-object-") as folder:
            target = Path(folder, PurePosixPath(file.path).name)
            with (
                self.explained(),
                self.filesystem.open_input_stream(in_bucket(file), compression=None) as stream,
                target.open("wb") as copy,
            ):
                if most is not None:
                    copy.write(stream.read(most))
                else:
                    shutil.copyfileobj(stream, copy, _PIECE)
            yield target

    @contextmanager
    def explained(self) -> Iterator[None]:
        """E308; what the store says may name the key, and is cut."""
        try:
            yield
        except OSError as error:
            said = str(error).splitlines()[0][:300] if str(error) else type(error).__name__
            for reference in (self.source.user, self.source.password):
                said = said.replace(self.secret(reference), "***") if reference else said
            fix = "Correct `path`, `endpoint`, `region` and the keys."
            raise SourceUnreachableError(f"{self.source.name} cannot be reached", why=said, fix=fix) from error


def in_bucket(file: LoadedFile) -> str:
    return file.path.removeprefix("s3a://")


def are_settled(files: tuple[LoadedFile, ...]) -> bool:
    """Times of objects are in seconds: one that is young may be written again without a trace."""
    return all(one.modified_ns < time.time_ns() - _YOUNG_NS for one in files)


def _is_shown(path: str, folder: str) -> bool:
    below = path.removeprefix(f"{folder}/")
    return below != path and not PurePosixPath(below).name.startswith(("_", "."))
