"""Paths of objects in stores that speak S3: s3a://bucket/prefix/*.parquet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

SCHEMES = ("s3a://", "s3://")
EXAMPLE = "s3a://bucket/events/*.parquet"
_PATH = re.compile(r"s3a?://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(?P<key>[^\x00-\x1f\x7f\\%#{}]*))?")
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class ObjectPath:
    """`key` may be a pattern, as of files: `*`, `?`, `[…]`, and `**` for any number of folders."""

    bucket: str
    key: str

    @property
    def is_pattern(self) -> bool:
        return _WILD.search(self.key) is not None

    @property
    def folder(self) -> str:
        """The bucket and the folders before the first that is a pattern."""
        parts = self.key.split("/")
        fixed = next((place for place, part in enumerate(parts) if _WILD.search(part)), len(parts))
        return "/".join((self.bucket, *parts[:fixed])).rstrip("/")

    def matches(self, path: str) -> bool:
        """`path`: with the bucket. Names that begin with a dot are found by no pattern."""
        bucket, _, key = path.partition("/")
        return bucket == self.bucket and _is_like(key.split("/"), self.key.split("/"))

    def overlaps(self, other: ObjectPath) -> bool:
        """Whether one of them may hold what the other holds."""
        mine, its = self.folder.split("/"), other.folder.split("/")
        shorter = min(len(mine), len(its))
        return mine[:shorter] == its[:shorter]


def is_object_path(path: str) -> bool:
    return "://" in path


def parse_object_path(path: str) -> ObjectPath | None:
    """None: it is not of that form, with no escapes and no steps upwards."""
    found = _PATH.fullmatch(path)
    if found is None or ".." in found["bucket"]:
        return None
    key = (found["key"] or "").rstrip("/")
    if any(part in ("", ".", "..") for part in key.split("/")) and key:
        return None
    return ObjectPath(found["bucket"], key)


def _is_like(parts: list[str], pattern: list[str]) -> bool:
    if not pattern or not parts:
        return not pattern and not parts
    if pattern[0] == "**":
        return _is_like(parts, pattern[1:]) or (not parts[0].startswith(".") and _is_like(parts[1:], pattern))
    hidden = parts[0].startswith(".") and not pattern[0].startswith(".")
    return not hidden and fnmatchcase(parts[0], pattern[0]) and _is_like(parts[1:], pattern[1:])
