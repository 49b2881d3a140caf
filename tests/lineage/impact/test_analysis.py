"""The pure part: a walk in, a report out. What each change does is in the text cases beside."""

from __future__ import annotations

import pytest

from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.weights import Weights
from forge.lineage.impact.analysis import impact_of, merge_reports
from forge.lineage.impact.change import ChangeType, ProposedChange, change_type_of
from forge.lineage.node import Node
from forge.model.errors import ForgeError
from forge.model.names import ColumnName
from forge.model.widening import TypeChange


def column(name: str) -> ColumnName:
    table, _, name = name.rpartition(".")
    return ColumnName(table, name)


def edge(source: str, target: str, how: Transformation = Transformation.IDENTITY, text: str = "") -> Edge:
    return Edge(source=column(source), target=column(target), transformation=how, expression=text)


SHOP = Graph.of(
    [
        edge("core.orders.amount", "marts.daily.net", Transformation.AGGREGATION, "SUM(amount)"),
        edge("core.orders.amount", "marts.copy.amount"),
        edge("marts.daily.net", "marts.weekly.net"),
    ],
    [TableEdge("core.orders", "marts.daily")],
    [IndirectEdge(column("core.orders.status"), "marts.daily", IndirectType.FILTER)],
)


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("drop", ChangeType.DROP),
        ("drop_column", ChangeType.DROP),
        ("DROP", ChangeType.DROP),
        ("Column Removal", ChangeType.DROP),
        ("table_removal", ChangeType.DROP_TABLE),
        ("drop_table", ChangeType.DROP_TABLE),
        ("type_change", ChangeType.TYPE),
        ("rename_column", ChangeType.RENAME),
        ("add_column", ChangeType.ADD),
        ("permissions", ChangeType.PERMISSION),
        ("location_change", ChangeType.LOCATION),
        ("format_change", ChangeType.FORMAT),
        ("schema_change", ChangeType.SCHEMA),
        ("semantic", ChangeType.SEMANTICS),
    ],
)
def test_a_change_has_other_words(text: str, change: ChangeType) -> None:
    assert change_type_of(text) is change


@pytest.mark.parametrize("text", ["", "explode", "dropp"])
def test_other_words_are_refused_with_the_known_ones(text: str) -> None:
    with pytest.raises(ForgeError) as caught:
        change_type_of(text)
    assert caught.value.code == "E810"
    assert caught.value.why == (
        "Changes are drop, rename, type, add, drop-table, location, permission, format, schema, semantics."
    )


def test_a_change_of_type_knows_its_direction_where_the_old_type_is_known() -> None:
    assert ProposedChange.of("type", "a.b.c", "bigint", "int").direction is TypeChange.WIDENING
    assert (
        ProposedChange.of("type", "a.b.c", "double", "int").direction is TypeChange.UNRELATED
    )  # readers see other sums
    assert ProposedChange.of("type", "a.b.c", "int", "double").direction is TypeChange.NARROWING  # values are lost
    assert ProposedChange.of("type", "a.b.c", "bigint").direction is None
    assert ProposedChange.of("rename", "a.b.c", "bigint", "int").direction is None


def test_all_parts_of_the_report_are_there() -> None:
    report = impact_of(
        ProposedChange.of("drop", "core.orders.amount"), SHOP.downstream("core.orders.amount", indirect=True)
    )
    assert list(report.to_dict()) == [
        *("change", "changes", "risk", "is_breaking", "summary", "counts", "groups", "effort_hours", "affected"),
        *("breaking_changes", "critical_paths", "migration_steps", "recommended_actions", "owners"),
        *("hidden", "truncated"),
    ]
    assert list(report.to_dict()["affected"][0]) == [  # type: ignore[index]
        *("id", "type", "name", "group", "owner", "severity", "score", "effort_hours", "depth", "confidence", "use"),
        *("is_breaking", "reason", "change", "factors", "path"),
    ]


def test_every_score_is_the_product_of_its_factors() -> None:
    report = impact_of(
        ProposedChange.of("drop", "core.orders.status"), SHOP.downstream("core.orders.status", indirect=True)
    )
    assert {one.node.id for one in report.affected} == {"marts.daily", "marts.daily.net", "marts.weekly.net"}
    for one in report.affected:
        product = 1.0
        for factor in one.factors.values():
            product *= factor
        assert one.score == pytest.approx(product)


def test_what_stands_behind_a_filtered_table_is_lost_with_a_dropped_column() -> None:
    report = impact_of(
        ProposedChange.of("drop", "core.orders.status"), SHOP.downstream("core.orders.status", indirect=True)
    )
    broken = {one.node.id: one.reason for one in report.affected if one.is_breaking}
    assert broken["marts.weekly.net"] == "marts.weekly.net is a copy of marts.daily.net, which is lost with it"


def test_the_owner_of_each_entity_is_asked_for() -> None:
    def owner(node: Node) -> str | None:
        return f"owner of {node.table}" if node.table != "marts.copy" else None

    report = impact_of(
        ProposedChange.of("drop", "core.orders.amount"), SHOP.downstream("core.orders.amount"), owners=owner
    )
    assert [(told.owner, told.assets, told.severity) for told in report.owners] == [
        ("owner of marts.daily", ("marts.daily",), "high"),
        ("owner of marts.weekly", ("marts.weekly",), "medium"),
    ]


@pytest.mark.parametrize(
    ("least", "expected"), [("none", True), ("low", True), ("medium", True), ("high", True), ("critical", False)]
)
def test_a_report_tells_whether_a_limit_is_met(least: str, expected: bool) -> None:
    report = impact_of(ProposedChange.of("drop", "core.orders.amount"), SHOP.downstream("core.orders.amount"))
    assert report.risk == "high"
    assert report.at_least(least) is expected


def test_a_report_is_a_table_in_pandas_and_in_a_notebook() -> None:
    report = impact_of(ProposedChange.of("drop", "core.orders.amount"), SHOP.downstream("core.orders.amount"))
    assert list(report.to_pandas()["id"]) == [one.node.id for one in report.affected]
    assert "SUM(amount) of the dropped column" in report._repr_html_()


def test_what_a_walk_left_out_is_said() -> None:
    walked = SHOP.downstream("core.orders.amount", limit=1)
    report = impact_of(ProposedChange.of("drop", "core.orders.amount"), walked)
    assert (report.truncated, len(report.affected)) == (True, 1)
    assert any("More is affected" in action for action in report.recommended_actions)


def test_several_changes_weigh_each_entity_once() -> None:
    one = impact_of(ProposedChange.of("semantics", "core.orders.amount"), SHOP.downstream("core.orders.amount"))
    other = impact_of(
        ProposedChange.of("drop", "core.orders.status"), SHOP.downstream("core.orders.status", indirect=True)
    )
    both = merge_reports("core.orders", [one, other], Weights.of({"raise_above": 0}))
    worst = {found.node.id: str(found.change.type) for found in both.affected}
    assert worst == {
        "marts.daily": "drop",
        "marts.daily.net": "drop",
        "marts.weekly.net": "drop",
        "marts.copy.amount": "semantics",
    }
    assert both.risk == "critical"
    assert both.effort_hours == pytest.approx(sum(found.effort_hours for found in both.affected))
