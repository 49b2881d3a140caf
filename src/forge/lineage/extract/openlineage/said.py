"""What an OpenLineage event says, as plain data. The names are those of the standard: a dataset is a namespace and a
name, a job too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class State(StrEnum):
    START = "START"
    RUNNING = "RUNNING"
    COMPLETE = "COMPLETE"
    ABORT = "ABORT"
    FAIL = "FAIL"
    OTHER = "OTHER"


class About(StrEnum):
    RUN = "run"
    JOB = "job"
    DATASET = "dataset"


@dataclass(frozen=True, slots=True, order=True)
class Name:
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Way:
    """How something arrives: `direct` is None where nobody says."""

    direct: bool | None = None
    subtype: str = ""
    description: str = ""
    masking: bool = False


@dataclass(frozen=True, slots=True)
class Input:
    """A dataset, a field of it, or a job (`name` None: the job of the event). `pointer`: where the event says it."""

    name: Name | None
    field: str = ""
    is_job: bool = False
    ways: tuple[Way, ...] = ()
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What feeds one target: each of its fields, and all of it."""

    fields: Mapping[str, tuple[Input, ...]] = field(default_factory=dict)
    whole: tuple[Input, ...] = ()
    by_column: bool = True  # whether it speaks of columns at all


@dataclass(frozen=True, slots=True)
class Entry:
    """A target that a job or a run tells of by itself; `target` None: the job of the event."""

    target: Name | None
    is_job: bool
    arrival: Arrival


@dataclass(frozen=True, slots=True)
class Field:
    """A column, or a field of one: `path` has more than one part then."""

    path: tuple[str, ...]
    type: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """`lineage` is None where there is no such facet, likewise `column_lineage`."""

    name: Name
    fields: tuple[Field, ...] | None = None
    lineage: Arrival | None = None
    column_lineage: Arrival | None = None
    links: tuple[Name, ...] = ()
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    name: Name
    details: Mapping[str, object] = field(default_factory=dict)
    location: str = ""  # of its code
    endless: bool = False  # a stream or a service, which never completes
    parent: Name | None = None  # the job that started it


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Of a dataset event `outputs` holds the dataset, and there is no job."""

    about: About
    at: datetime
    state: State = State.OTHER
    run_id: str = ""
    job: Job | None = None
    inputs: tuple[Dataset, ...] = ()
    outputs: tuple[Dataset, ...] = ()
    entries: tuple[Entry, ...] = ()
