"""Parses and validates OpenLineage events, of the current spec (2-0-2) and older ones. Every fault is reported with its
JSON pointer; what Forge does not use is ignored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from forge.lineage.extract.openlineage.facets import read_columns, read_entries, read_inputs
from forge.lineage.extract.openlineage.fault import FaultCollector, JsonPart
from forge.lineage.extract.openlineage.model import (
    DatasetField,
    EventDataset,
    EventJob,
    EventSubject,
    LineageEvent,
    NamespacedName,
    RunState,
)
from forge.model.errors import ForgeError, raise_errors

_ENDLESS = ("STREAMING", "SERVICE")
_DEPTH = 50  # of structs in structs
_ABOUT = {"RunEvent": EventSubject.RUN, "JobEvent": EventSubject.JOB, "DatasetEvent": EventSubject.DATASET}
_FRACTION = re.compile(r"(\.\d{6})\d+")  # clients of other languages write nanoseconds


def read_event(data: object, at: str = "") -> LineageEvent:
    """`at`: the pointer of the event in a list. E818 with all faults at once."""
    problems = FaultCollector()
    event = _event(JsonPart(data, at, problems))
    raise_errors(
        ForgeError("E818", fault.reason, where=fault.pointer or "/", fix="See docs/reference/openlineage.md.")
        for fault in problems.found
    )
    assert event is not None
    return event


def _event(part: JsonPart) -> LineageEvent | None:
    if part.mapping() is None:
        return None
    about = _about(part)
    at = _time(part.child("eventTime"))
    part.child("producer").text()
    if about is EventSubject.DATASET:
        dataset = _dataset(part.child("dataset"))
        return LineageEvent(about=about, at=at, outputs=(dataset,)) if at and dataset else None
    job_part, run_part = part.child("job"), part.child("run")
    job = _job(job_part, run_part.child("facets"))
    entries = (*read_entries(job_part.child("facets").child("lineage")),)
    state, run_id = RunState.OTHER, ""
    if about is EventSubject.RUN:
        entries += (*read_entries(run_part.child("facets").child("lineage")),)
        state = _state(part.child("eventType"))
        run_id = _uuid(run_part.child("runId")) if run_part.mapping() is not None else ""
    inputs, outputs = (tuple(_datasets(part.child(key))) for key in ("inputs", "outputs"))
    if at is None or job is None:
        return None
    return LineageEvent(
        about=about, at=at, state=state, run_id=run_id, job=job, inputs=inputs, outputs=outputs, entries=entries
    )


def _about(part: JsonPart) -> EventSubject:
    """The schema says it; older events have none, and what they hold says it then."""
    url = part.child("schemaURL").text(required=False)
    named = _ABOUT.get(url.rpartition("/")[2])
    if named is not None:
        return named
    if part.child("run").there:
        return EventSubject.RUN
    return EventSubject.DATASET if part.child("dataset").there and not part.child("job").there else _of_job(part)


def _of_job(part: JsonPart) -> EventSubject:
    return EventSubject.RUN if part.child("eventType").there or not part.child("job").there else EventSubject.JOB


def _time(part: JsonPart) -> datetime | None:
    text = part.text()
    if not text:
        return None
    try:
        found = datetime.fromisoformat(_FRACTION.sub(r"\1", text))
    except ValueError:
        part.fault(f"'{text[:40]}' is not a time like 2026-11-16T08:00:00Z")
        return None
    if found.tzinfo is None:
        part.fault(f"the time {text[:40]} has no zone; write it with Z")
        return None
    if not 1970 <= found.year <= 9000:
        part.fault(f"the time {text[:40]} is out of range")
        return None
    return found


def _state(part: JsonPart) -> RunState:
    text = part.text(required=False)
    if not text:
        return RunState.OTHER
    try:
        return RunState(text.upper())
    except ValueError:
        part.fault(f"'{text[:40]}' is none of {', '.join(RunState)}")
        return RunState.OTHER


def _uuid(part: JsonPart) -> str:
    text = part.text()
    if not text:
        return ""
    try:
        return str(UUID(text))
    except ValueError:
        part.fault(f"'{text[:60]}' is not a UUID")
        return ""


def _job(part: JsonPart, run_facets: JsonPart) -> EventJob | None:
    if part.mapping() is None:
        return None
    name = part.name()
    facets = part.child("facets")
    facets.mapping(required=False)
    kind = facets.child("jobType").child("processingType").text(required=False)
    location = facets.child("sourceCodeLocation")
    file = location.child("path").text(required=False) or location.child("url").text(required=False)
    details: dict[str, object] = {
        "code": facets.child("sql").child("query").text(required=False, long=True),
        "dialect": facets.child("sql").child("dialect").text(required=False),
        "integration": facets.child("jobType").child("integration").text(required=False),
        "job_type": facets.child("jobType").child("jobType").text(required=False),
        "description": facets.child("documentation").child("description").text(required=False, long=True),
        "owners": list(_owners(facets.child("ownership"))),
        "source_code": location.child("url").text(required=False),
    }
    parent = _parent(run_facets.child("parent"))
    if parent is not None:
        details["parent"] = f"{parent.namespace}/{parent.name}"
    known = {key: value for key, value in details.items() if value}
    return EventJob(name, known, file, kind.upper() in _ENDLESS, parent) if name else None


def _parent(part: JsonPart) -> NamespacedName | None:
    """The parent job. Its run id differs each time and is ignored."""
    job = part.child("job")
    return job.name(required=False) if job.there else None


def _datasets(part: JsonPart) -> Iterable[EventDataset]:
    for item in part.items():
        found = _dataset(item)
        if found is not None:
            yield found


def _dataset(part: JsonPart) -> EventDataset | None:
    if part.mapping() is None:
        return None
    name = part.name()
    facets = part.child("facets")
    facets.mapping(required=False)
    schema = facets.child("schema")
    fields = tuple(_fields(schema.child("fields"), ())) if schema.facet() else None
    links = tuple(_links(facets.child("symlinks")))
    details: dict[str, object] = {
        "description": facets.child("documentation").child("description").text(required=False, long=True),
        "owners": list(_owners(facets.child("ownership"))),
        "dataset_type": facets.child("datasetType").child("datasetType").text(required=False),
        "same_as": [f"{link.namespace}/{link.name}" for link in links],
    }
    known = {key: value for key, value in details.items() if value}
    lineage = read_inputs(facets.child("lineage"))
    columns = read_columns(facets.child("columnLineage"))
    return EventDataset(name, fields, lineage, columns, links, known) if name else None


def _fields(part: JsonPart, above: tuple[str, ...]) -> Iterable[DatasetField]:
    if len(above) > _DEPTH:
        part.fault(f"structs are nested more than {_DEPTH} deep")
        return
    for item in part.items():
        if item.mapping() is None:
            continue
        name = item.child("name").text()
        if name:
            text = item.child("description").text(required=False, long=True)
            yield DatasetField((*above, name), item.child("type").text(required=False, long=True), text)
            yield from _fields(item.child("fields"), (*above, name))


def _links(part: JsonPart) -> Iterable[NamespacedName]:
    for item in part.child("identifiers").items() if part.facet() else ():
        name = item.name() if item.mapping() is not None else None
        if name is not None:
            yield name


def _owners(part: JsonPart) -> Iterable[str]:
    for item in part.child("owners").items() if part.facet() else ():
        if item.mapping() is not None:
            yield item.child("name").text()


# What is kept of an event until its run ends: only what is read here, so that neither passwords in environments nor
# large plans are.
_RUN_FACETS = ("parent", "lineage")
_JOB_FACETS = ("sql", "sourceCodeLocation", "ownership", "jobType", "documentation", "lineage")
_DATASET_FACETS = ("schema", "symlinks", "ownership", "datasetType", "documentation", "columnLineage", "lineage")


def kept_part(data: Mapping[str, object]) -> dict[str, object]:
    """The relevant part of a valid event."""
    kept = {key: data[key] for key in ("eventType", "eventTime", "producer", "schemaURL") if key in data}
    for key, facets in (("run", _RUN_FACETS), ("job", _JOB_FACETS), ("dataset", _DATASET_FACETS)):
        if isinstance(data.get(key), Mapping):
            kept[key] = _with_facets(data[key], facets)
    for key in ("inputs", "outputs"):
        items = data.get(key)
        if isinstance(items, list):
            kept[key] = [_with_facets(item, _DATASET_FACETS) for item in items]
    return kept


def _with_facets(data: object, names: tuple[str, ...]) -> dict[str, object]:
    assert isinstance(data, Mapping)
    kept = {key: data[key] for key in ("runId", "namespace", "name") if key in data}
    facets = data.get("facets")
    if isinstance(facets, Mapping):
        kept["facets"] = {name: facets[name] for name in names if name in facets}
    return kept
