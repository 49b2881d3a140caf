from __future__ import annotations

from typing import Any

import pytest

from forge.lineage.graph.weights import Weights
from forge.lineage.node import NodeType
from forge.model.errors import ForgeError

# The numbers of the specification, written down once more.
BASE = {
    "schema": 3.0, "type": 4.0, "drop": 5.0, "rename": 5.0, "drop-table": 5.0, "location": 2.0, "permission": 2.5,
    "format": 3.5, "semantics": 3.0, "add": 2.0, "anything else": 2.0,
}  # fmt: skip
ENTITY = {
    "table": 1.0, "column": 0.8, "view": 1.2, "process": 1.5, "transform": 1.5, "pipeline": 1.5, "dashboard": 2.0,
    "report": 2.0, "model": 1.0, "external": 1.0, "dataset": 1.0, "field": 1.0, "record": 1.0, "schema": 1.0,
}  # fmt: skip
HOURS = {
    "schema": 4.0, "type": 6.0, "drop": 8.0, "rename": 8.0, "drop-table": 12.0, "location": 2.0, "permission": 1.0,
    "format": 5.0, "semantics": 4.0, "add": 4.0,
}  # fmt: skip
HOURS_OF_ENTITY = {
    "table": 1.0, "column": 0.5, "view": 1.2, "process": 2.0, "dashboard": 1.5, "report": 1.3, "transform": 1.0,
    "model": 1.0,
}  # fmt: skip


@pytest.mark.parametrize(("change", "weight"), BASE.items())
def test_a_change_weighs(change: str, weight: float) -> None:
    assert Weights().of_change(change) == weight


@pytest.mark.parametrize(("entity", "weight"), ENTITY.items())
def test_an_entity_weighs(entity: str, weight: float) -> None:
    assert Weights().of_entity(NodeType(entity)) == weight


def test_uses_weigh() -> None:
    assert Weights().use == {"passed_through": 1.0, "aggregated": 1.2, "filter": 1.3, "join_key": 1.5}


@pytest.mark.parametrize(("depth", "factor"), [(1, 0.9), (2, 0.8), (7, 0.3), (8, 0.2), (9, 0.1), (10, 0.1), (500, 0.1)])
def test_distance_weighs_less_and_less_down_to_a_tenth(depth: int, factor: float) -> None:
    assert Weights().of_depth(depth) == factor


@pytest.mark.parametrize(
    ("score", "severity"), [(4.0, "high"), (3.999999, "medium"), (2.0, "medium"), (1.999999, "low")]
)
def test_severity_begins_at_its_least_score(score: float, severity: str) -> None:
    assert Weights().severity_of(score) == severity


@pytest.mark.parametrize(("change", "hours"), HOURS.items())
def test_effort_grows_with_the_score_up_to_three_times(change: str, hours: float) -> None:
    assert Weights().effort_of(change, NodeType.TABLE, 1.0) == hours / 2
    assert Weights().effort_of(change, NodeType.TABLE, 6.0) == hours * 3
    assert Weights().effort_of(change, NodeType.TABLE, 60.0) == hours * 3


@pytest.mark.parametrize(("entity", "factor"), HOURS_OF_ENTITY.items())
def test_effort_depends_on_what_is_mended(entity: str, factor: float) -> None:
    assert Weights().effort_of("drop", NodeType(entity), 2.0) == pytest.approx(8 * factor)


def test_a_project_overrides_single_weights_and_keeps_the_others() -> None:
    said = {"base": {"drop": 7, "drop_table": 9.5}, "entity": {"model": 3}, "effort": {"add": 1}, "high": 5}
    weights = Weights.of(said)
    assert (weights.of_change("drop"), weights.of_change("drop-table"), weights.of_change("rename")) == (7.0, 9.5, 5.0)
    assert (weights.of_entity(NodeType.MODEL), weights.of_entity(NodeType.TABLE)) == (3.0, 1.0)
    assert weights.effort_of("add", NodeType.TABLE, 2.0) == 1.0
    assert (weights.high, weights.medium) == (5.0, 2.0)
    assert Weights.of({}) == Weights()


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ({"bsae": {}}, "E104", "lineage.weights.bsae Did you mean base"),
        ({"base": {"dorp": 1}}, "E104", "lineage.weights.base.dorp Did you mean drop"),
        ({"use": {"joined": 1}}, "E104", "lineage.weights.use.joined"),
        ({"base": 3}, "E105", "lineage.weights.base: must be a mapping"),
        ({"base": {"drop": "5"}}, "E105", "lineage.weights.base.drop: must be a number"),
        ({"base": {"drop": True}}, "E105", "lineage.weights.base.drop: must be a number"),
        ({"high": -1}, "E105", "lineage.weights.high: must be a number, 0 or more"),
        ({"high": float("nan")}, "E105", "lineage.weights.high"),
        ({"entity": {"table": float("inf")}}, "E105", "lineage.weights.entity.table"),
        ({"high": 1}, "E105", "medium (2) is above high (1)"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_bad_weight_is_refused(said: dict[str, Any], code: str, words: str) -> None:
    with pytest.raises(ForgeError) as caught:
        Weights.of(said, where="forge.yaml:3")
    told = f"{caught.value.what} {caught.value.fix}"
    assert (caught.value.code, caught.value.where) == (code, "forge.yaml:3")
    assert all(word in told for word in words.split()), told
