"""The two column-level facets: `lineage`, on datasets, jobs and runs, and the older `columnLineage`."""

from __future__ import annotations

from collections.abc import Iterable

from forge.lineage.extract.openlineage.fault import JsonPart, is_text
from forge.lineage.extract.openlineage.model import (
    InputTransformation,
    LineageEntry,
    LineageInput,
    NamespacedName,
    TargetInputs,
)

_MASKED, _IDENTITY = "MASKED", "IDENTITY"


def read_inputs(facet: JsonPart) -> TargetInputs | None:
    """`lineage` of a dataset."""
    return _arrival(facet) if facet.facet() else None


def read_entries(facet: JsonPart) -> Iterable[LineageEntry]:
    """`lineage` of a job or a run: `entries`, which was called `lineage` at first."""
    if not facet.facet():
        return
    part = facet.child("entries") if facet.child("entries").there else facet.child("lineage")
    for item, name, is_job in _datasets_and_jobs(part):
        yield LineageEntry(name, is_job, _arrival(item))


def _datasets_and_jobs(part: JsonPart) -> Iterable[tuple[JsonPart, NamespacedName | None, bool]]:
    """Each with its name, and whether it is a job; the job itself has none."""
    for item in part.items():
        if item.mapping() is None:
            continue
        is_job = _is_job(item.child("type"))
        own = is_job and not item.child("namespace").there and not item.child("name").there
        name = None if own else item.name()
        if own or name is not None:
            yield item, name, is_job


def _arrival(part: JsonPart) -> TargetInputs:
    fields = {key: _inputs(entry.child("inputs")) for key, entry in _named(part.child("fields"))}
    whole = _inputs(part.child("inputs"))
    return TargetInputs(fields, whole, bool(fields) or any(one.field for one in whole))


def _named(part: JsonPart) -> Iterable[tuple[str, JsonPart]]:
    for key, entry in part.entries():
        if not key.strip() or not is_text(key):
            entry.fault("a field needs a name")
        elif entry.mapping() is not None:
            yield key, entry


def _inputs(part: JsonPart) -> tuple[LineageInput, ...]:
    found = []
    for item, name, is_job in _datasets_and_jobs(part):
        field = "" if is_job else item.child("field").text(required=False)
        found.append(LineageInput(name, field, is_job, _transformations(item.child("transformations")), item.pointer))
    return tuple(found)


def _is_job(part: JsonPart) -> bool:
    text = part.text(required=False).upper() or "DATASET"
    if text not in ("DATASET", "JOB"):
        part.fault(f"'{text[:40]}' is neither DATASET nor JOB")
    return text == "JOB"


def read_columns(facet: JsonPart) -> TargetInputs | None:
    """`columnLineage`. Until 1-1-0 the transformation was given per output field, not per input."""
    if not facet.facet():
        return None
    facet.child("fields").mapping()
    fields = {}
    for key, entry in _named(facet.child("fields")):
        old = _old_transformation(entry)
        if not entry.child("inputFields").there:
            entry.child("inputFields").fault("it is missing; a list is needed")
        fields[key] = tuple(_column(item, old) for item in entry.child("inputFields").items())
    whole = tuple(_column(item, ()) for item in facet.child("dataset").items())
    kept = {key: tuple(one for one in inputs if one) for key, inputs in fields.items()}
    return TargetInputs(kept, tuple(one for one in whole if one), bool(fields or whole))


def _column(item: JsonPart, old: tuple[InputTransformation, ...]) -> LineageInput | None:
    if item.mapping() is None:
        return None
    name, field = item.name(), item.child("field").text()
    transformations = _transformations(item.child("transformations")) or old
    return LineageInput(name, field, False, transformations, item.pointer) if name and field else None


def _old_transformation(entry: JsonPart) -> tuple[InputTransformation, ...]:
    kind = entry.child("transformationType").text(required=False).upper()
    text = entry.child("transformationDescription").text(required=False, long=True)
    if not kind and not text:
        return ()
    return (InputTransformation(True, _IDENTITY if kind == _IDENTITY else "", text, kind == _MASKED),)


def _transformations(part: JsonPart) -> tuple[InputTransformation, ...]:
    found = []
    for item in part.items():
        if item.mapping() is None:
            continue
        kind = item.child("type").text().upper()
        if kind and kind not in ("DIRECT", "INDIRECT"):
            item.child("type").fault(f"'{kind[:40]}' is neither DIRECT nor INDIRECT")
        subtype = item.child("subtype").text(required=False).upper()
        text = item.child("description").text(required=False, long=True)
        found.append(InputTransformation(kind == "DIRECT", subtype, text, item.child("masking").yes()))
    return tuple(found)
