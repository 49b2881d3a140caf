from __future__ import annotations

from datetime import timedelta

import pytest
from committed_lineage import BEGIN, CommittedLineage, edge, filtered

from forge.flows.lineage.feed import catch_up
from forge.flows.lineage.impact import report_impact
from forge.flows.lineage.reader import GraphReader, open_graph, state_of
from forge.flows.lineage.snapshots import diff, drop_snapshot, list_snapshots, save_snapshot
from forge.flows.lineage.write import close_edge, record_anonymization, record_derivation, record_edges
from forge.lineage.edge import TableEdge, Transformation
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.impact.change import ProposedChange
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import Entity, GraphLevel, NodeType, column_of, table_of
from forge.model.errors import ForgeError

SUM = Transformation.AGGREGATION


@pytest.fixture
def committed_lineage() -> CommittedLineage:
    """raw.orders from a file, core.orders from it, marts.daily from that."""
    committed_lineage = CommittedLineage()
    committed_lineage.commit(
        {
            "raw.orders": [edge("files:data/o.csv.amount", "raw.orders.amount")],
            "core.orders": [edge("raw.orders.amount", "core.orders.amount")],
            "marts.daily": [
                edge("core.orders.amount", "marts.daily.net", SUM, "SUM(amount)"),
                filtered("core.orders.status", "marts.daily"),
                TableEdge("core.orders", "marts.daily"),
            ],
        },
        columns={"core.orders": {"amount": "decimal(12,2)", "status": "string"}},
    )
    return committed_lineage


def upstream(view: GraphReader, name: str) -> list[tuple[str, int]]:
    return [(item.name, item.depth) for item in view.walk(name).items]


def test_the_graph_has_what_was_published(committed_lineage: CommittedLineage) -> None:
    assert upstream(open_graph(committed_lineage.ports), "marts.daily.net") == [
        ("core.orders.amount", 1),
        ("raw.orders.amount", 2),
        ("files:data/o.csv.amount", 3),
    ]


def test_a_commit_comes_into_the_graph_once(committed_lineage: CommittedLineage) -> None:
    assert catch_up(committed_lineage.ports) == 1
    revision = committed_lineage.store.revision()
    assert catch_up(committed_lineage.ports) == 0
    assert committed_lineage.store.revision() == revision


def test_what_a_run_no_longer_does_is_closed_and_stays_in_the_past(committed_lineage: CommittedLineage) -> None:
    before = committed_lineage.now
    committed_lineage.commit({"marts.daily": [edge("core.orders.status", "marts.daily.net")]})
    assert upstream(open_graph(committed_lineage.ports), "marts.daily.net") == [("core.orders.status", 1)]
    then = open_graph(committed_lineage.ports, before.isoformat())
    assert ("core.orders.amount", 1) in upstream(then, "marts.daily.net")
    version = open_graph(committed_lineage.ports).edge("core.orders.amount->marts.daily.net#aggregated")
    assert (version.valid_from, version.valid_to) == (before, committed_lineage.now)


def test_evidence_names_the_run_and_counts_how_often(committed_lineage: CommittedLineage) -> None:
    committed_lineage.commit({"core.orders": [edge("raw.orders.amount", "core.orders.amount")]})
    (fact,) = open_graph(committed_lineage.ports).edge("raw.orders.amount->core.orders.amount#copied").facts
    (seen,) = fact.evidence
    assert (seen.run_id, seen.times, fact.producer) == ("run-2", 2, "table:core.orders")


def test_evidence_names_the_code_and_files_choose_what_is_shown(committed_lineage: CommittedLineage) -> None:
    view = open_graph(committed_lineage.ports)
    (fact,) = view.edge("raw.orders.amount->core.orders.amount#copied").facts
    assert fact.evidence[0].place == "transforms/core.orders.sql:3"
    assert view.find("core.orders").details["source_file"] == "transforms/core.orders.sql"
    shown = view.walk("marts.daily.net", files=["transforms/raw.orders.sql"])
    assert [item.name for item in shown.items] == ["raw.orders.amount"]


def test_a_table_that_is_gone_takes_its_edges_with_it(committed_lineage: CommittedLineage) -> None:
    committed_lineage.commit({}, gone=["marts.daily"])
    assert open_graph(committed_lineage.ports).walk("core.orders.amount", direction="downstream").items == ()


def test_columns_carry_their_types(committed_lineage: CommittedLineage) -> None:
    node = open_graph(committed_lineage.ports).find("core.orders", "amount")
    assert (node.details["data_type"], node.unresolved) == ("decimal(12,2)", False)
    assert open_graph(committed_lineage.ports).find("marts.daily.net").unresolved


def test_a_changed_type_is_seen_at_its_time(committed_lineage: CommittedLineage) -> None:
    before = committed_lineage.now
    committed_lineage.commit({"core.orders": []}, columns={"core.orders": {"amount": "double"}})
    assert open_graph(committed_lineage.ports).find("core.orders.amount").details["data_type"] == "double"
    assert (
        open_graph(committed_lineage.ports, before.isoformat()).find("core.orders.amount").details["data_type"]
        == "decimal(12,2)"
    )


class TestBranches:
    def test_another_branch_has_its_own_graph_and_main_does_not_see_it(
        self, committed_lineage: CommittedLineage
    ) -> None:
        dev = committed_lineage.branch("dev")
        committed_lineage.commit({"marts.daily": [edge("core.orders.status", "marts.daily.net")]}, branch=dev)
        assert upstream(open_graph(committed_lineage.ports, branch=dev), "marts.daily.net") == [
            ("core.orders.status", 1)
        ]
        assert upstream(open_graph(committed_lineage.ports, "dev"), "marts.daily.net") == [("core.orders.status", 1)]
        assert ("core.orders.amount", 1) in upstream(open_graph(committed_lineage.ports), "marts.daily.net")

    def test_a_branch_that_lands_comes_into_the_graph(self, committed_lineage: CommittedLineage) -> None:
        dev = committed_lineage.branch("dev")
        commit = committed_lineage.commit({"marts.daily": [edge("core.orders.status", "marts.daily.net")]}, branch=dev)
        open_graph(committed_lineage.ports)
        committed_lineage.move(committed_lineage.ports.default_branch, commit.id)
        assert upstream(open_graph(committed_lineage.ports), "marts.daily.net") == [("core.orders.status", 1)]

    def test_a_branch_sees_what_was_declared_by_hand(self, committed_lineage: CommittedLineage) -> None:
        dashboard = NodeClaim(Entity(NodeType.DASHBOARD, "sales"))
        consumes = EdgeClaim(
            source=column_of("marts.daily", "net"), target=dashboard.entity, kind=EdgeKind(EdgeType.CONSUMES, None)
        )
        record_edges(committed_lineage.ports, [consumes], [dashboard], reason="read by the board")
        dev = committed_lineage.branch("dev")
        committed_lineage.commit({"raw.more": []}, branch=dev)
        view = open_graph(committed_lineage.ports, branch=dev)
        assert [i.name for i in view.walk("marts.daily.net", direction="downstream").items] == ["dashboard:sales"]

    def test_a_branch_set_back_sets_the_graph_back(self, committed_lineage: CommittedLineage) -> None:
        first = committed_lineage.metadata.branch(committed_lineage.ports.default_branch)
        assert first is not None
        assert first.head is not None
        committed_lineage.commit({"marts.daily": [edge("core.orders.status", "marts.daily.net")]})
        between = committed_lineage.now
        open_graph(committed_lineage.ports)
        committed_lineage.move(committed_lineage.ports.default_branch, first.head)
        assert ("core.orders.amount", 1) in upstream(open_graph(committed_lineage.ports), "marts.daily.net")
        assert upstream(open_graph(committed_lineage.ports, between.isoformat()), "marts.daily.net") == [
            ("core.orders.status", 1)
        ]

    def test_an_older_commit_is_looked_at_by_its_id(self, committed_lineage: CommittedLineage) -> None:
        head = committed_lineage.metadata.branch(committed_lineage.ports.default_branch)
        assert head is not None
        assert head.head is not None
        committed_lineage.commit({"marts.daily": []})
        for at in (head.head, head.head[:10], "HEAD~1"):
            assert ("core.orders.amount", 1) in upstream(open_graph(committed_lineage.ports, at), "marts.daily.net")
        assert upstream(open_graph(committed_lineage.ports, "HEAD"), "marts.daily.net") == []


class TestNames:
    def test_a_short_name_is_enough_where_only_one_ends_so(self, committed_lineage: CommittedLineage) -> None:
        assert open_graph(committed_lineage.ports).find("daily", "net").id == "marts.daily.net"
        assert open_graph(committed_lineage.ports).find("daily").id == "marts.daily"

    def test_an_ambiguous_name_is_refused_with_the_candidates(self, committed_lineage: CommittedLineage) -> None:
        with pytest.raises(ForgeError, match="E807") as error:
            open_graph(committed_lineage.ports).find("orders.amount")
        assert "core.orders.amount" in str(error.value.why)
        assert "raw.orders.amount" in str(error.value.why)

    def test_an_unknown_name_answers_with_the_nearest(self, committed_lineage: CommittedLineage) -> None:
        with pytest.raises(ForgeError, match="E801") as error:
            open_graph(committed_lineage.ports).find("core.order.amount")
        assert "core.orders.amount" in str(error.value.fix)

    def test_capitals_do_not_matter(self, committed_lineage: CommittedLineage) -> None:
        assert open_graph(committed_lineage.ports).find("Core.Orders.Amount").id == "core.orders.amount"


class TestByHand:
    def test_an_edge_to_nothing_is_refused_and_nothing_is_written(self, committed_lineage: CommittedLineage) -> None:
        open_graph(committed_lineage.ports)
        revision = committed_lineage.store.revision()
        good = EdgeClaim(source=column_of("core.orders", "status"), target=column_of("marts.daily", "net"))
        bad = EdgeClaim(source=column_of("core.orders", "amount"), target=column_of("marts.dayly", "net"))
        with pytest.raises(ForgeError, match="E802") as error:
            record_edges(committed_lineage.ports, [good, bad], reason="seen")
        assert "edge 2 of 2" in str(error.value.where)
        assert committed_lineage.store.revision() == revision

    def test_a_declared_edge_is_certain_and_names_who_and_why(self, committed_lineage: CommittedLineage) -> None:
        claim = EdgeClaim(source=column_of("core.orders", "status"), target=column_of("marts.daily", "net"))
        record_edges(committed_lineage.ports, [claim], actor="Grace", reason="by a stored procedure")
        version = open_graph(committed_lineage.ports).edge(claim.key.id)
        assert (version.confidence, version.level) == (1.0, "certain")
        assert (version.facts[0].actor, version.facts[0].metadata["reason"]) == ("Grace", "by a stored procedure")

    def test_a_declared_edge_is_taken_back(self, committed_lineage: CommittedLineage) -> None:
        claim = EdgeClaim(source=column_of("core.orders", "status"), target=column_of("marts.daily", "net"))
        record_edges(committed_lineage.ports, [claim], reason="seen")
        declared = committed_lineage.now
        committed_lineage.now += timedelta(hours=1)
        close_edge(committed_lineage.ports, claim.key.id, actor="Grace", reason="it was wrong")
        assert ("core.orders.status", 1) not in upstream(open_graph(committed_lineage.ports), "marts.daily.net")
        version = open_graph(committed_lineage.ports).edge(claim.key.id)
        assert (version.valid_from, version.valid_to) == (declared, committed_lineage.now)
        assert version.facts[0].metadata["closed_because"] == "it was wrong"

    def test_an_edge_that_a_run_makes_cannot_be_taken_back_by_hand(self, committed_lineage: CommittedLineage) -> None:
        with pytest.raises(ForgeError, match="E815") as error:
            close_edge(committed_lineage.ports, "raw.orders.amount->core.orders.amount#copied", reason="no")
        assert "table:core.orders" in str(error.value.why)

    def test_a_derivation_joins_versions_and_names_what_made_them(self, committed_lineage: CommittedLineage) -> None:
        made = {"name": "dedup", "version": "2", "parameters": {"window": 7}, "code_hash": "ab12"}
        record_derivation(committed_lineage.ports, "core.orders@v3", "core.orders_clean@v1", made, actor="Grace")
        view = open_graph(committed_lineage.ports)
        reached = {item.name: item for item in view.walk("core.orders_clean@v1").items}
        assert {"core.orders@v3", "transform:dedup@2"} <= reached.keys()
        version = view.edge("core.orders@v3->core.orders_clean@v1#derived")
        assert version.facts[0].metadata["transformation"] == made
        assert version.facts[0].actor == "Grace"

    def test_what_is_made_from_a_version_is_downstream_of_the_table(self, committed_lineage: CommittedLineage) -> None:
        record_derivation(committed_lineage.ports, "core.orders@v9", "training@1", "sample@2")
        view = open_graph(committed_lineage.ports)
        reached = {item.name for item in view.walk("core.orders", direction="downstream").items}
        assert {"core.orders@v9", "training@1", "transform:sample@2"} <= reached
        by_table = {item.name for item in view.walk("raw.orders", direction="downstream", level=GraphLevel.TABLE).items}
        assert {"core.orders@v9", "training@1"} <= by_table
        record_derivation(committed_lineage.ports, "daily@v2", "training@1", "sample@2")  # the end of a name is enough
        assert open_graph(committed_lineage.ports).find("marts.daily@v2").details == {
            "dataset": "marts.daily",
            "version": "v2",
        }
        assert {"core.orders", "raw.orders"} <= {
            item.name for item in view.walk("training@1", level=GraphLevel.TABLE).items
        }

    @pytest.mark.parametrize(
        ("change", "entity"),
        [("drop-table", "core.orders"), ("drop", "core.orders.amount"), ("semantics", "raw.orders")],
    )
    def test_a_change_of_the_table_hits_what_was_made_from_a_version(
        self, committed_lineage: CommittedLineage, change: str, entity: str
    ) -> None:
        record_derivation(committed_lineage.ports, "core.orders@v9", "training@1", "sample@2")
        report = report_impact(open_graph(committed_lineage.ports), ProposedChange.of(change, entity))
        assert {"training@1", "transform:sample@2"} <= {one.node.id for one in report.affected}

    def test_what_makes_a_version_makes_the_table(self, committed_lineage: CommittedLineage) -> None:
        record_derivation(committed_lineage.ports, "crm.people", "core.orders@v10", "load")
        assert "crm.people" in {
            item.name for item in open_graph(committed_lineage.ports).walk("marts.daily", level=GraphLevel.TABLE).items
        }

    def test_an_edge_by_hand_from_a_version_is_joined_to_the_table(self, committed_lineage: CommittedLineage) -> None:
        model = NodeClaim(Entity(NodeType.MODEL, "churn"))
        version = NodeClaim(Entity(NodeType.DATASET, "core.orders@v9"))
        claim = EdgeClaim(source=version.entity, target=model.entity, kind=EdgeKind(EdgeType.CONSUMES, None))
        record_edges(committed_lineage.ports, [claim], [model, version])
        found = open_graph(committed_lineage.ports).walk("core.orders", direction="downstream")
        assert "model:churn" in {item.name for item in found.items}

    def test_a_table_that_comes_later_is_joined_to_its_versions(self, committed_lineage: CommittedLineage) -> None:
        record_derivation(committed_lineage.ports, "marts.late@v1", "training@1", "sample")
        committed_lineage.commit({"marts.late": [edge("core.orders.amount", "marts.late.amount")]})
        found = open_graph(committed_lineage.ports).walk("marts.late", direction="downstream")
        assert "training@1" in {item.name for item in found.items}

    def test_an_anonymization_masks_and_names_its_policy(self, committed_lineage: CommittedLineage) -> None:
        record_anonymization(committed_lineage.ports, "core.orders.status", "marts.daily.net", "k-anonymity@1")
        version = open_graph(committed_lineage.ports).edge("core.orders.status->marts.daily.net#anonymized")
        assert version.masking
        assert version.key.kind.relationship is EdgeRelationship.ANONYMIZED
        assert version.facts[0].metadata["policy"] == {
            "name": "k-anonymity",
            "version": "1",
            "parameters": {},
            "code_hash": "",
        }

    def test_a_model_is_declared_with_the_dataset_it_used(self, committed_lineage: CommittedLineage) -> None:
        model = NodeClaim(Entity(NodeType.MODEL, "churn@3"), {"commit": "abc"})
        claim = EdgeClaim(source=table_of("core.orders"), target=model.entity, kind=EdgeKind(EdgeType.CONSUMES, None))
        record_edges(committed_lineage.ports, [claim], [model], reason="training set")
        assert (
            next(item.name for item in open_graph(committed_lineage.ports).walk("model:churn@3").items) == "core.orders"
        )


class TestSnapshots:
    def test_a_snapshot_is_a_name_for_a_time(self, committed_lineage: CommittedLineage) -> None:
        snapshot = save_snapshot(committed_lineage.ports, "before", description="the old way")
        assert snapshot.nodes["column"] == 5
        assert snapshot.edges["aggregated"] == 1
        committed_lineage.now += timedelta(hours=1)
        committed_lineage.commit({"marts.daily": []})
        assert ("core.orders.amount", 1) in upstream(open_graph(committed_lineage.ports, "before"), "marts.daily.net")
        found = diff(committed_lineage.ports, "before")
        assert "core.orders.amount->marts.daily.net#aggregated" in str(found.to_dict())
        assert [one.name for one in list_snapshots(committed_lineage.ports)] == ["before"]
        drop_snapshot(committed_lineage.ports, "before")
        with pytest.raises(ForgeError, match="E809"):
            drop_snapshot(committed_lineage.ports, "before")

    def test_a_name_is_taken_once_and_never_from_a_branch(self, committed_lineage: CommittedLineage) -> None:
        save_snapshot(committed_lineage.ports, "one")
        for name in ("one", "main", "2026-11-15", "HEAD", "a~1"):
            with pytest.raises(ForgeError, match="E808"):
                save_snapshot(committed_lineage.ports, name)

    def test_nothing_changed_between_a_time_and_itself(self, committed_lineage: CommittedLineage) -> None:
        save_snapshot(committed_lineage.ports, "one")
        counts = diff(committed_lineage.ports, "one", "one").to_dict()["counts"]
        assert isinstance(counts, dict)
        assert not any(_numbers(counts))


def _numbers(value: object) -> list[int]:
    if isinstance(value, dict):
        return [number for part in value.values() for number in _numbers(part)]
    return [value] if isinstance(value, int) else []


def test_before_the_first_commit_there_was_nothing(committed_lineage: CommittedLineage) -> None:
    view = open_graph(committed_lineage.ports, (BEGIN - timedelta(days=1)).isoformat())
    assert view.walk("marts.daily.net").items == ()


def test_tables_are_rolled_up(committed_lineage: CommittedLineage) -> None:
    walked = open_graph(committed_lineage.ports).walk("marts.daily", level=GraphLevel.TABLE)
    assert [(item.name, item.depth) for item in walked.items] == [
        ("core.orders", 1),
        ("raw.orders", 2),
        ("files:data/o.csv", 3),
    ]


def test_columns_that_only_shape_rows_are_held_apart(committed_lineage: CommittedLineage) -> None:
    view = open_graph(committed_lineage.ports)
    assert "core.orders.status" not in [item.name for item in view.walk("marts.daily.net").items]
    assert ("core.orders.status", 1) in [
        (item.name, item.depth) for item in view.walk("marts.daily.net", indirect=True).items
    ]


class TestTimesToCome:
    def test_an_edge_that_will_end_holds_until_then(self, committed_lineage: CommittedLineage) -> None:
        end = committed_lineage.now + timedelta(days=1)
        claim = EdgeClaim(
            source=column_of("core.orders", "status"), target=column_of("marts.daily", "net"), valid_to=end
        )
        record_edges(committed_lineage.ports, [claim], reason="until the new loader")
        assert ("core.orders.status", 1) in upstream(open_graph(committed_lineage.ports), "marts.daily.net")
        committed_lineage.now = end
        assert ("core.orders.status", 1) not in upstream(open_graph(committed_lineage.ports), "marts.daily.net")

    def test_an_edge_that_will_begin_is_not_there_yet(self, committed_lineage: CommittedLineage) -> None:
        begin = committed_lineage.now + timedelta(days=1)
        claim = EdgeClaim(
            source=column_of("core.orders", "status"), target=column_of("marts.daily", "net"), valid_from=begin
        )
        record_edges(committed_lineage.ports, [claim], reason="from the new loader on")
        assert ("core.orders.status", 1) not in upstream(open_graph(committed_lineage.ports), "marts.daily.net")
        committed_lineage.now = begin
        assert ("core.orders.status", 1) in upstream(open_graph(committed_lineage.ports), "marts.daily.net")

    def test_a_commit_of_a_machine_whose_clock_is_ahead_is_seen(self, committed_lineage: CommittedLineage) -> None:
        committed_lineage.now += timedelta(hours=2)
        committed_lineage.commit({"marts.daily": [edge("core.orders.status", "marts.daily.net")]})
        committed_lineage.now -= timedelta(hours=2)
        assert upstream(open_graph(committed_lineage.ports), "marts.daily.net") == [("core.orders.status", 1)]
        save_snapshot(committed_lineage.ports, "now")
        assert upstream(open_graph(committed_lineage.ports, "now"), "marts.daily.net") == [("core.orders.status", 1)]


def test_a_snapshot_counts_what_the_facts_tell(committed_lineage: CommittedLineage) -> None:
    save_snapshot(committed_lineage.ports, "then")
    committed_lineage.now += timedelta(minutes=1)
    committed_lineage.commit({"marts.daily": [], "core.items": []}, columns={"core.items": {"id": "int"}})
    for at in (None, "then"):
        view = open_graph(committed_lineage.ports, at)
        state = state_of(view)
        assert committed_lineage.ports.graph is not None
        census = committed_lineage.ports.graph.count(view.at, committed_lineage.store.declared(view.at))
        assert (census.nodes, census.edges) == (state.node_counts(), state.edge_counts())


def test_a_table_whose_lineage_does_not_fit_keeps_nothing_else_back(
    committed_lineage: CommittedLineage, caplog: pytest.LogCaptureFixture
) -> None:
    open_graph(committed_lineage.ports)
    clash = NodeClaim(Entity(NodeType.EXTERNAL, "core.odd.total"))  # the column of core.odd would have this id
    record_edges(committed_lineage.ports, [], [clash])
    committed_lineage.commit({"core.odd": [edge("core.orders.amount", "core.odd.total")], "marts.daily": []})
    committed_lineage.commit({"core.fine": [edge("core.orders.amount", "core.fine.total")]})
    assert upstream(open_graph(committed_lineage.ports), "core.fine.total")[0] == ("core.orders.amount", 1)
    assert upstream(open_graph(committed_lineage.ports), "marts.daily.net") == []
    assert "core.odd" in caplog.text
    assert catch_up(committed_lineage.ports) == 0
