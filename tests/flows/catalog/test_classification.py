"""Which classification holds for assets that derive from each other."""

from __future__ import annotations

import pytest
from catalog_world import CatalogWorld, table

from forge.flows.catalog.classification import ClassificationFlow, ClassificationPorts, find_classifications
from forge.lineage.edge import Edge, Transformation
from forge.model.classification import ClassificationLevel
from forge.model.names import ColumnName

TABLES = ("raw.people", "core.people", "core.hashed", "marts.people", "marts.counted", "marts.other")


def edge(source: str, target: str, *, masking: bool = False, expression: str = "") -> Edge:
    kind = Transformation.AGGREGATION if expression else Transformation.IDENTITY
    ends = ColumnName(source, "c"), ColumnName(target, "c")
    return Edge(source=ends[0], target=ends[1], transformation=kind, expression=expression, masking=masking)


EDGES = (
    edge("raw.people", "core.people"),
    edge("core.people", "core.people"),  # it is added to
    edge("core.people", "core.hashed", masking=True),
    edge("core.people", "marts.people"),
    edge("core.people", "marts.counted", expression="count(c)"),
    edge("marts.people", "core.people"),  # and in a circle
)


def levels(columns: dict[str, ClassificationLevel] | None = None, **said: str) -> dict[str, str | None]:
    world = CatalogWorld()
    world.crawl(*(table(name, "c") for name in TABLES))
    for name, level in said.items():
        world.say(name.replace("__", "."), classification=level)
    flow = ClassificationFlow.of(EDGES)
    ports = ClassificationPorts(assets=world.assets, flow=lambda: flow, column_level=lambda names: columns or {})
    return {name: one.level for name, one in find_classifications(TABLES, ports).items()}


def test_what_people_set_holds_for_all_that_gets_the_values() -> None:
    found = levels(raw__people="restricted", marts__people="internal", marts__other="public")
    assert found == {
        "raw.people": "restricted",
        "core.people": "restricted",
        "core.hashed": None,  # masked on its way
        "marts.people": "restricted",  # a person set internal, which is less
        "marts.counted": None,
        "marts.other": "public",
    }


def test_public_is_no_floor() -> None:
    assert levels(raw__people="public")["core.people"] is None


def test_columns_propose_and_a_person_may_say_more() -> None:
    columns = {"core.people": ClassificationLevel.CONFIDENTIAL}
    assert levels(columns)["core.people"] == "confidential"
    assert levels(columns, core__people="public")["core.people"] == "confidential"
    assert levels(columns, core__people="restricted")["core.people"] == "restricted"


@pytest.mark.parametrize("name", ["core.people", "nowhere.at_all"])
def test_one_asset_is_classified_without_the_others(name: str) -> None:
    world = CatalogWorld()
    world.crawl(*(table(one, "c") for one in TABLES))
    world.say("raw.people", classification="confidential")
    flow = ClassificationFlow.of(EDGES)
    ports = ClassificationPorts(assets=world.assets, flow=lambda: flow, column_level=lambda names: {})
    found = find_classifications([name], ports)[name]
    assert found.level == ("confidential" if name == "core.people" else None)
    assert ("what it derives from" in found.why) == (name == "core.people")
