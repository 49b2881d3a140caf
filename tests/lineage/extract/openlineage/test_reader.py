"""Events of OpenLineage: what is wrong with them, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openlineage_events import columns, dataset, dataset_event, event, field, job_event, schema
from quick_examples import examples

from forge.lineage.extract.openlineage import DatasetNaming, batch_of, claims_of, kept_part, read_event
from forge.lineage.extract.openlineage.model import EventSubject, LineageEvent, RunState
from forge.lineage.facts.claim import check_batch
from forge.model.errors import ForgeError, errors_of


def faults(data: object, at: str = "") -> dict[str | None, str]:
    with pytest.raises(ForgeError) as caught:
        read_event(data, at)
    found = errors_of(caught.value)
    assert {one.code for one in found} == {"E818"}
    return {one.where: one.what for one in found}


def test_the_fault_of_a_column_has_its_pointer() -> None:
    bad = field("shop.public.orders", "total", "DIRECT/IDENTITY") | {"field": 3}
    told = event(outputs=[dataset("mart.daily", columnLineage=columns(total=[bad]))])
    pointer = "/outputs/0/facets/columnLineage/fields/total/inputFields/0/field"
    assert faults(told) == {pointer: "it is a number, not a text"}


def test_all_faults_are_told_at_once() -> None:
    told = event("DONE", at="yesterday", run="17", inputs=[{"name": "x"}], outputs=[7])  # type: ignore[list-item]
    del told["producer"]
    told["job"]["namespace"] = " "
    assert list(faults(told)) == [
        "/eventTime",
        "/producer",
        "/job/namespace",
        "/eventType",
        "/run/runId",
        "/inputs/0/namespace",
        "/outputs/0",
    ]


def test_a_pointer_escapes_what_names_may_hold() -> None:
    told = event(outputs=[dataset("t", columnLineage={"fields": {"a/b~c": {"inputFields": [1]}}})])
    assert list(faults(told)) == ["/outputs/0/facets/columnLineage/fields/a~1b~0c/inputFields/0"]


def test_a_fault_in_a_list_of_events_names_the_event() -> None:
    assert list(faults({}, "/3")) == ["/3/eventTime", "/3/producer", "/3/job", "/3/run"]


@pytest.mark.parametrize("data", [None, [], "event", 1, True, [[[]]]])
def test_what_is_no_object_is_no_event(data: object) -> None:
    assert list(faults(data)) == ["/"]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"eventTime": "2026-11-16T08:00:00"}, "/eventTime"),
        ({"eventTime": "0001-01-01T00:00:00Z"}, "/eventTime"),
        ({"run": {}}, "/run/runId"),
        ({"run": None}, "/run"),
        ({"job": {"namespace": "a", "name": "x\0y"}}, "/job/name"),
        ({"job": {"namespace": "a", "name": "\ud800"}}, "/job/name"),
        ({"job": {"namespace": "a", "name": "n" * 1001}}, "/job/name"),
        ({"inputs": {}}, "/inputs"),
        ({"outputs": [{"namespace": "a", "name": "b", "facets": []}]}, "/outputs/0/facets"),
        ({"outputs": [dataset("t", columnLineage={})]}, "/outputs/0/facets/columnLineage/fields"),
        ({"outputs": [dataset("t", columnLineage={"fields": {"a": {}}})]}, "…/fields/a/inputFields"),
        ({"outputs": [dataset("t", lineage={"inputs": [{"type": "TABLE"}]})]}, "…/lineage/inputs/0/type"),
        ({"outputs": [dataset("t", schema={"fields": [{"type": "int"}]})]}, "…/schema/fields/0/name"),
    ],
)
def test_what_is_needed_and_wrong_is_a_fault(change: dict[str, Any], pointer: str) -> None:
    found = str(next(iter(faults({**event(), **change}))))
    assert found.endswith(pointer.removeprefix("…"))


def test_what_is_not_read_may_be_anything() -> None:
    told = event(outputs=[dataset("t", myOwn=[1, 2], stats="many")], sql={"query": "SELECT 1", "more": [1]})
    told["run"]["facets"] = {"environmentVariables": 7, "parent": None}
    assert read_event(told).outputs[0].name.name == "t"


def test_null_stands_for_what_is_not_there() -> None:
    told = event(outputs=[dataset("t", schema=None, columnLineage=None, symlinks=None)])
    told["inputs"] = None
    assert read_event(told).outputs[0].column_lineage is None


def test_a_facet_that_was_deleted_says_nothing() -> None:
    told = event(outputs=[dataset("t", columnLineage={"_deleted": True}, schema={"_deleted": True})])
    assert (read_event(told).outputs[0].column_lineage, read_event(told).outputs[0].fields) == (None, None)


def test_an_event_is_known_by_its_schema_or_by_what_it_holds() -> None:
    old = event()
    del old["schemaURL"]
    known = [read_event(one).about for one in (event(), old, job_event(), dataset_event(dataset("t")))]
    assert known == [EventSubject.RUN, EventSubject.RUN, EventSubject.JOB, EventSubject.DATASET]


def test_the_first_version_of_the_standard_had_no_schema_and_no_need_of_a_state() -> None:
    old = event()
    del old["schemaURL"], old["eventType"]
    assert read_event(old).state is RunState.OTHER


def test_nanoseconds_are_read() -> None:
    assert read_event(event(at="2026-11-16T08:00:00.123456789+01:00")).at.microsecond == 123456


def test_fields_of_structs_are_known() -> None:
    nested = {"name": "home", "type": "struct", "fields": [{"name": "city", "type": "string"}]}
    told = read_event(event(outputs=[dataset("t", schema={"fields": [nested]})]))
    assert [one.path for one in told.outputs[0].fields or ()] == [("home",), ("home", "city")]


def test_a_schema_without_end_is_a_fault() -> None:
    inner: dict[str, Any] = {"name": "a"}
    for _ in range(60):
        inner = {"name": "a", "fields": [inner]}
    told = event(outputs=[dataset("t", schema={"fields": [inner]})])
    assert "nested" in next(iter(faults(told).values()))


def test_only_what_is_read_is_kept() -> None:
    told = event(inputs=[dataset("s", schema=schema(id="int"))], outputs=[dataset("t", plan={"secret": 1})])
    told["run"]["facets"]["environmentVariables"] = {"PASSWORD": "x"}
    kept = kept_part(told)
    assert "PASSWORD" not in str(kept)
    assert "secret" not in str(kept)
    assert read_event(kept) == read_event(told)


LEAVES = st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=5)
ANYTHING = st.recursive(
    LEAVES | st.sampled_from(["a.b", "forge"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, one in inner for found in places(one, (*path, key)))]


def whole() -> dict[str, Any]:
    """An event with all that is read."""
    told = event(
        inputs=[dataset("a", schema=schema(x="int"), ownership={"owners": [{"name": "me"}]})],
        outputs=[
            dataset("b", columnLineage=columns([field("a", "x", "INDIRECT/FILTER")], y=[field("a", "x", "DIRECT")])),
            dataset("c", lineage={"inputs": [{"namespace": "n", "name": "a", "type": "DATASET", "field": "x"}]}),
            dataset("d", symlinks={"identifiers": [{"namespace": "forge", "name": "core.d", "type": "TABLE"}]}),
        ],
        lineage={"entries": [{"type": "JOB", "inputs": [{"namespace": "n", "name": "a", "type": "DATASET"}]}]},
        jobType={"processingType": "BATCH"},
    )
    told["run"]["facets"]["parent"] = {"job": {"namespace": "a", "name": "b"}}
    return told


@settings(max_examples=examples(150), deadline=None, derandomize=True)
@given(st.data())
def test_whatever_stands_anywhere_in_an_event_it_is_read_or_its_fault_is_told(data: st.DataObject) -> None:
    told: Any = whole()
    path = data.draw(st.sampled_from(places(told)))
    inside: Any = told
    for step in path[:-1]:
        inside = inside[step]
    value = data.draw(ANYTHING)
    if path:
        inside[path[-1]] = value
    else:
        told = value
    try:
        event_ = read_event(told)
    except ForgeError as error:
        codes = {one.code for one in errors_of(error)}
    else:
        codes = {"E818"}
        _check_claims(told, event_)
    assert codes == {"E818"}


def _check_claims(told: Any, event_: LineageEvent) -> None:
    claimed = claims_of(event_, DatasetNaming())
    check_batch(batch_of(event_, claimed, ()))
    assert read_event(json.loads(json.dumps(kept_part(told)))) == event_
