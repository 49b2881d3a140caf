"""What the log of a Delta table says has changed between two versions: files of changes where its change data feed
wrote some, else the files that came and went.

The log is read as it is. delta-rs, the library, loses files whose partition has a space or a letter like é in this."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.flows.runs.source_rows import DELETED, INSERTED

if TYPE_CHECKING:
    import pyarrow as pa

FEED = "delta.enableChangeDataFeed"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """`change`: of all its rows; None: each row says it. `partition`: texts of the log, by column."""

    path: str
    version: int
    change: str | None
    partition: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class ChangedSchema:
    """The columns that the table has from this version on, by name."""

    version: int
    columns: Mapping[str, object]


class UnreadableLogError(Exception):
    """Its text says why, and what to do instead is to load the table as a whole."""


def read_changes(log: Path, since: int, until: int) -> Iterator[ChangedFile | ChangedSchema]:
    """Of the versions after `since`, up to `until`."""
    for version in range(since + 1, until + 1):
        try:
            yield from _read_version(log / f"{version:020}.json", version)
        except FileNotFoundError as error:
            raise UnreadableLogError(f"Its log no longer has version {version}.") from error
        except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
            raise UnreadableLogError(f"Version {version} of its log is damaged.") from error


def _read_version(file: Path, version: int) -> list[ChangedFile | ChangedSchema]:
    with file.open(encoding="utf-8") as lines:
        actions = [_without_statistics(json.loads(line)) for line in lines if line.strip()]
    told = [one["metaData"]["schemaString"] for one in actions if "metaData" in one]
    written = [_file(one["cdc"], version, None) for one in actions if "cdc" in one]
    return [*(ChangedSchema(version, schema_columns(one)) for one in told), *(written or _moved(actions, version))]


def schema_columns(text: str) -> dict[str, object]:
    return {field["name"]: field["type"] for field in json.loads(text)["fields"]}


def _without_statistics(action: dict[str, Any]) -> dict[str, Any]:
    """They are most of a commit."""
    for one in action.values():
        one.pop("stats", None)
    return action


def _moved(actions: list[dict[str, Any]], version: int) -> Iterator[ChangedFile]:
    """Files that are only rewritten change nothing."""
    for name, change in (("remove", DELETED), ("add", INSERTED)):
        for one in (action[name] for action in actions if name in action):
            if one.get("dataChange", True):
                yield _file(one, version, change)


def _file(action: Mapping[str, Any], version: int, change: str | None) -> ChangedFile:
    if action.get("deletionVector"):
        raise UnreadableLogError(f"Version {version} has deletion vectors.")
    partition = (action.get("partitionValues") or {}).items()
    told = {name: None if value is None else str(value) for name, value in partition}
    return ChangedFile(str(action["path"]), version, change, told)


def partition_value(text: str | None, kind: pa.DataType) -> pa.Scalar:
    """A time without a zone is one of UTC where the column has instants."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not text:
        return pa.scalar(None, kind)
    value = pa.scalar(text)
    if pa.types.is_timestamp(kind) and kind.tz and not text.endswith("Z"):
        return pc.assume_timezone(value.cast(pa.timestamp("us")), "UTC").cast(kind)
    return value.cast(kind)
