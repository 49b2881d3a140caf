"""Events of OpenLineage, as a client would send them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

RUN = "0192f3a4-0000-7000-8000-000000000001"
PG = "postgres://db.example:5432"
_PRODUCER = "https://example.com/etl"

Json = dict[str, Any]


def dataset(name: str, namespace: str = PG, **facets: Any) -> Json:
    return {"namespace": namespace, "name": name, "facets": facets}


def schema(**columns: str) -> Json:
    return {"fields": [{"name": name, "type": type_} for name, type_ in columns.items()]}


def field(name: str, column: str, *ways: str, namespace: str = PG, masking: bool = False, text: str = "") -> Json:
    """`ways` are like DIRECT/IDENTITY."""
    told = []
    for way in ways:
        type_, _, subtype = way.partition("/")
        told.append({"type": type_, "subtype": subtype or None, "description": text, "masking": masking})
    return {"namespace": namespace, "name": name, "field": column, "transformations": told}


def columns(dataset_: Sequence[Json] = (), **fields: list[Json]) -> Json:
    return {"fields": {name: {"inputFields": inputs} for name, inputs in fields.items()}, "dataset": list(dataset_)}


def event(
    state: str = "COMPLETE",
    *,
    at: str = "2026-11-16T08:00:00Z",
    run: str = RUN,
    job: str = "nightly.orders",
    inputs: Sequence[Json] = (),
    outputs: Sequence[Json] = (),
    **job_facets: Any,
) -> Json:
    return {
        "eventType": state,
        "eventTime": at,
        "producer": _PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": {}},
        "job": {"namespace": "airflow", "name": job, "facets": job_facets},
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def job_event(*, at: str = "2026-11-16T08:00:00Z", inputs: Sequence[Json] = (), outputs: Sequence[Json] = ()) -> Json:
    made = event(at=at, inputs=inputs, outputs=outputs)
    del made["run"], made["eventType"]
    return {**made, "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent"}


def dataset_event(told: Json, *, at: str = "2026-11-16T08:00:00Z") -> Json:
    return {
        "eventTime": at,
        "producer": _PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent",
        "dataset": told,
    }
