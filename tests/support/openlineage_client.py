"""Works with the real client of OpenLineage, which has an environment of its own: a program, not to be imported.

It reads one JSON object and prints one. `{"write": […events…]}`: each event as the client's classes write it.
`{"send": {"url", "key", …}, "events": […]}`: how the server answered each event that the client sent; null is well."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from openlineage.client import OpenLineageClient
from openlineage.client import facet_v2 as facets
from openlineage.client.event_v2 import (
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
    StaticDataset,
)
from openlineage.client.serde import Serde
from openlineage.client.transport.http import HttpConfig, HttpTransport
from requests import HTTPError

_CLASSES: Mapping[str, tuple[ModuleType, str]] = {
    "schema": (facets.schema_dataset, "SchemaDatasetFacet"),
    "columnLineage": (facets.column_lineage_dataset, "ColumnLineageDatasetFacet"),
    "lineage": (facets.lineage, "LineageDatasetFacet"),
    "documentation": (facets.documentation_dataset, "DocumentationDatasetFacet"),
    "outputStatistics": (facets.output_statistics_output_dataset, "OutputStatisticsOutputDatasetFacet"),
    "dataQualityAssertions": (facets.data_quality_assertions_dataset, "DataQualityAssertionsDatasetFacet"),
    "sql": (facets.sql_job, "SQLJobFacet"),
    "sourceCodeLocation": (facets.source_code_location_job, "SourceCodeLocationJobFacet"),
    "jobType": (facets.job_type_job, "JobTypeJobFacet"),
    "parent": (facets.parent_run, "ParentRunFacet"),
    "errorMessage": (facets.error_message_run, "ErrorMessageRunFacet"),
}


def facet_of(name: str, told: Mapping[str, Any]) -> Any:
    """By the client's class, which knows what is needed and what there is."""
    module, title = _CLASSES[name]
    values = {key: value for key, value in told.items() if not key.startswith("_")}
    match name:
        case "schema":
            values["fields"] = [module.SchemaDatasetFacetFields(**one) for one in values["fields"]]
        case "dataQualityAssertions":
            values["assertions"] = [module.Assertion(**one) for one in values["assertions"]]
        case "parent":
            values = {"run": module.Run(**values["run"]), "job": module.Job(**values["job"])}
        case "columnLineage":
            values = {
                "fields": {key: module.Fields(_inputs(one)) for key, one in values["fields"].items()},
                "dataset": _inputs({"inputFields": values["dataset"]}),
            }
        case "lineage":
            values["fields"] = {key: _lineage_entry(one) for key, one in values["fields"].items()}
    producer = {"producer": told["_producer"]} if "_producer" in told else {}
    return getattr(module, title)(**values, **producer)


def _inputs(told: Mapping[str, Any]) -> list[Any]:
    module = facets.column_lineage_dataset
    return [
        module.InputField(
            one["namespace"],
            one["name"],
            one["field"],
            [module.Transformation(**way) for way in one["transformations"]],
        )
        for one in told["inputFields"]
    ]


def _lineage_entry(told: Mapping[str, Any]) -> Any:
    module = facets.lineage
    inputs = [
        module.LineageDatasetInput(
            one["namespace"],
            one["name"],
            one["type"],
            one["field"],
            [module.LineageTransformation(**way) for way in one["transformations"]],
        )
        for one in told["inputs"]
    ]
    return module.LineageFieldEntry(inputs)


def _facets(told: Mapping[str, Any], key: str = "facets") -> dict[str, Any]:
    return {name: facet_of(name, one) for name, one in told.get(key, {}).items()}


def _input(told: Mapping[str, Any]) -> Any:
    return InputDataset(told["namespace"], told["name"], facets=_facets(told), inputFacets=_facets(told, "inputFacets"))


def _output(told: Mapping[str, Any]) -> Any:
    return OutputDataset(
        told["namespace"], told["name"], facets=_facets(told), outputFacets=_facets(told, "outputFacets")
    )


def event_of(told: Mapping[str, Any]) -> Any:
    """A run, a job or a dataset."""
    values: dict[str, Any] = {"eventTime": told["eventTime"]}
    if "producer" in told:
        values["producer"] = told["producer"]
    if "dataset" in told:
        one = told["dataset"]
        return DatasetEvent(**values, dataset=StaticDataset(one["namespace"], one["name"], facets=_facets(one)))
    values["job"] = Job(told["job"]["namespace"], told["job"]["name"], facets=_facets(told["job"]))
    values["inputs"] = [_input(one) for one in told.get("inputs", ())]
    values["outputs"] = [_output(one) for one in told.get("outputs", ())]
    if "run" not in told:
        return JobEvent(**values)
    run = Run(told["run"]["runId"], facets=_facets(told["run"]))
    return RunEvent(**values, eventType=RunState(told["eventType"]), run=run)


def send(asked: Mapping[str, Any], told: list[Any]) -> list[int | None]:
    given = {key: value for key, value in asked.items() if key != "key"}
    config = HttpConfig.from_dict({**given, "auth": {"type": "api_key", "api_key": asked["key"]}})
    client = OpenLineageClient(transport=HttpTransport(config))
    return [_answer(client, event_of(one)) for one in told]


def _answer(client: Any, event: Any) -> int | None:
    try:
        client.emit(event)
    except HTTPError as error:
        return error.response.status_code if error.response is not None else 0
    return None


def main() -> None:
    asked = json.load(sys.stdin)
    if "write" in asked:
        json.dump([Serde.to_dict(event_of(one)) for one in asked["write"]], sys.stdout)
    else:
        json.dump(send(asked["send"], asked["events"]), sys.stdout)


if __name__ == "__main__":
    main()
