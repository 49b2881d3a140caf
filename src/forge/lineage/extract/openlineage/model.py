"""OpenLineage events as plain data, in the terms of the spec: datasets and jobs have a namespace and a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class RunState(StrEnum):
    START = "START"
    RUNNING = "RUNNING"
    COMPLETE = "COMPLETE"
    ABORT = "ABORT"
    FAIL = "FAIL"
    OTHER = "OTHER"


class EventSubject(StrEnum):
    RUN = "run"
    JOB = "job"
    DATASET = "dataset"


@dataclass(frozen=True, slots=True, order=True)
class NamespacedName:
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class InputTransformation:
    """A transformation of an input: `direct` is None if not stated."""

    direct: bool | None = None
    subtype: str = ""
    description: str = ""
    masking: bool = False


@dataclass(frozen=True, slots=True)
class LineageInput:
    """A dataset, a field of it, or a job (`name` None: the job of the event). `pointer`: its place in the event."""

    name: NamespacedName | None
    field: str = ""
    is_job: bool = False
    transformations: tuple[InputTransformation, ...] = ()
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class TargetInputs:
    """The inputs of one target: by field, and of the whole."""

    fields: Mapping[str, tuple[LineageInput, ...]] = field(default_factory=dict)
    whole: tuple[LineageInput, ...] = ()
    by_column: bool = True  # whether it speaks of columns at all


@dataclass(frozen=True, slots=True)
class LineageEntry:
    """A target in a facet of a job or run; `target` None: the job of the event."""

    target: NamespacedName | None
    is_job: bool
    arrival: TargetInputs


@dataclass(frozen=True, slots=True)
class DatasetField:
    """A column, or a nested field (`path` has more than one part)."""

    path: tuple[str, ...]
    type: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class EventDataset:
    """`lineage` and `column_lineage` are None without that facet."""

    name: NamespacedName
    fields: tuple[DatasetField, ...] | None = None
    lineage: TargetInputs | None = None
    column_lineage: TargetInputs | None = None
    links: tuple[NamespacedName, ...] = ()
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventJob:
    name: NamespacedName
    details: Mapping[str, object] = field(default_factory=dict)
    location: str = ""  # of its code
    endless: bool = False  # a stream or a service, which never completes
    parent: NamespacedName | None = None  # the job that started it


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageEvent:
    """A dataset event has the dataset in `outputs`, and no job."""

    about: EventSubject
    at: datetime
    state: RunState = RunState.OTHER
    run_id: str = ""
    job: EventJob | None = None
    inputs: tuple[EventDataset, ...] = ()
    outputs: tuple[EventDataset, ...] = ()
    entries: tuple[LineageEntry, ...] = ()
