"""Changes in, reports out: the cases are text files in cases/."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from forge.flows.lineage.impact import report_impact, report_schema
from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import GraphReader
from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.weights import Weights
from forge.lineage.impact.change import ChangeType, ProposedChange
from forge.lineage.impact.path import DataUse
from forge.lineage.impact.report import ImpactReport
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind, relationship_of
from forge.lineage.node import UNPREFIXED, Entity, NodeType, column_of
from forge.model.errors import ForgeError, errors_of
from forge.model.names import BranchName, TableName
from forge.stores.memory.lineage import MemoryLineage
from forge.stores.memory.metadata import MemoryMetadata

FOLDER = Path(__file__).parent / "cases"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
EDGE = re.compile(r"(\S+) -> (\S+): (\w+)(?: @([\d.]+))?(?: \| (.+))?")
TYPES = {str(one): one for one in NodeType}


def cases() -> Iterator[Any]:
    for file in sorted(FOLDER.glob("*.yaml")):
        text = yaml.safe_load(file.read_text(encoding="utf-8"))
        shared = {key: value for key, value in text.items() if key != "cases"}
        for case in text["cases"]:
            yield pytest.param({**shared, **case}, id=f"{file.stem}: {case['name']}")


def entity_of(name: str, nodes: Mapping[str, Any]) -> Entity:
    said = nodes.get(name)
    if said == "field":
        owner, _, last = name.rpartition(".")
        return Entity(NodeType.FIELD, last, owner)
    if isinstance(said, str) and said in TYPES:
        return Entity(TYPES[said], name)
    before = name.partition(":")[0]
    if before in TYPES and TYPES[before] not in UNPREFIXED:
        return Entity(TYPES[before], name.partition(":")[2])
    owner, _, last = name.rpartition(".")
    return column_of(owner, last) if owner in nodes or name.count(".") >= 2 else Entity(NodeType.TABLE, name)


def details_of(said: object) -> dict[str, object]:
    if isinstance(said, dict):
        return said
    return {} if said in TYPES else {"data_type": said}


def claim_of(line: object, nodes: Mapping[str, Any]) -> EdgeClaim:
    text = line if isinstance(line, str) else ": ".join(next(iter(line.items())))  # type: ignore[attr-defined]
    found = EDGE.fullmatch(text)
    assert found, text
    source, target, word, sure, expression = found.groups()
    how = Transformation.UNKNOWN
    if word in list(IndirectType):
        kind = indirect_kind(IndirectType(word))
    elif word == "table":
        kind = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED)
    elif word in list(EdgeType):
        kind = EdgeKind(EdgeType(word), None)
    else:
        how = Transformation(word)
        kind = EdgeKind(EdgeType.DERIVES_FROM, relationship_of(how))
    return EdgeClaim(
        source=entity_of(source, nodes),
        target=entity_of(target, nodes),
        kind=kind,
        transformation=how,
        expression=expression or "",
        confidence=float(sure or 1),
    )


def look_of(case: Mapping[str, Any]) -> GraphReader:
    nodes, owners = case.get("nodes", {}), case.get("owners", {})
    store = MemoryLineage()
    claims = tuple(claim_of(line, nodes) for line in case["graph"])
    said = tuple(NodeClaim(entity_of(name, nodes), details_of(text)) for name, text in nodes.items())
    store.record([ClaimBatch(producer="test", at=NOW, edges=claims, nodes=said)])

    def owner(table: TableName) -> str | None:
        return owners.get(str(table))  # type: ignore[no-any-return]

    def scratch() -> Any:
        raise AssertionError("a report looks at the graph it is given")

    answers = Graph(store)
    weights = Weights.of(case.get("weights", {}))
    ports = LineagePorts(
        metadata=MemoryMetadata(),
        store=store,
        answers=answers,
        scratch=scratch,
        clock=lambda: NOW,
        default_branch=BranchName("main"),
        actor="Ada",
        owner=owner,
        weights=weights,
    )
    return GraphReader(ports, store, answers, None, "now")


def change_of(said: Mapping[str, Any]) -> ProposedChange:
    return ProposedChange.of(said["type"], said["entity"], said.get("to"))


def answer(case: Mapping[str, Any]) -> ImpactReport:
    look = look_of(case)
    if "table" in case:
        return report_schema(look, case["table"], [change_of(one) for one in case["changes"]])
    return report_impact(look, change_of(case["change"]))


def check(expected: Any, actual: Any, where: str) -> None:
    """Of a mapping the parts that are named; all else whole."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key, value in expected.items():
            assert key in actual, f"{where}.{key}"
            check(value, actual[key], f"{where}.{key}")
    else:
        same = pytest.approx(expected, abs=1e-9) if isinstance(expected, float) else expected
        assert actual == same, where


@pytest.mark.parametrize("case", list(cases()))
def test_a_change_gives_its_report(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(ForgeError) as caught:
            answer(case)
        told = " ".join(f"{error} {error.why} {error.fix}" for error in errors_of(caught.value))
        assert caught.value.code == case["error"]["code"], told
        assert [words for words in case["error"]["says"] if words not in told] == [], told
        return
    report = answer(case).to_dict()
    expected = dict(case["report"])
    by_id = {one["id"]: one for one in report["affected"]}  # type: ignore[attr-defined]
    if "affected" in expected:
        affected = expected.pop("affected")
        assert list(by_id) == list(affected), "all that is hit, the worst first"
        check(affected, by_id, "affected")
    for name, reason in expected.pop("reasons", {}).items():
        assert by_id[name]["reason"] == reason
    for name, path in expected.pop("paths", {}).items():
        assert [hop["id"] for hop in by_id[name]["path"]] == path
    if "critical" in expected:
        paths = report["critical_paths"]
        assert [[hop["id"] for hop in path["hops"]] for path in paths] == expected.pop("critical")  # type: ignore[attr-defined]
    check(expected, report, "report")


def test_there_is_a_case_for_each_change_in_each_use() -> None:
    """`add` has no use: nothing reads a column that does not exist."""
    seen = set()
    for param in cases():
        case = param.values[0]
        if "change" in case and "report" in case and case["change"]["type"] in list(ChangeType):
            for one in case["report"].get("affected", {}).values():
                seen.add((ChangeType(case["change"]["type"]), one.get("use")))
    wanted = {(change, str(use)) for change in ChangeType if change is not ChangeType.ADD for use in DataUse}
    assert wanted - seen == set()
