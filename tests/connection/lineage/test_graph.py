"""Lineage from Python: walks, impact, snapshots, records, files, and how results show themselves. No JVM."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from lineage_world import declare_lineage
from recorded_history import MORNING, write_history

import forge
from forge.connection import Connection
from forge.lineage.graph.traversal import Traversal
from forge.lineage.node import NodeType
from forge.model.errors import ForgeError
from forge.wiring import Wiring

AMOUNT, REVENUE, FILE = "raw.orders.amount", "marts.revenue.revenue", "files:data/*.csv.amount"
DASHBOARD = "dashboard:revenue"
NOON = "2026-11-14T12:00"  # before anything was declared


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lineage") / "shop"
    root.mkdir()
    (root / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    wiring = Wiring.of(root, clock=lambda: MORNING + timedelta(days=1, hours=1))
    write_history(wiring)
    declare_lineage(wiring)
    wiring.close()
    return root


@pytest.fixture
def f(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    with forge.connect(shutil.copytree(written, tmp_path / "shop")) as connection:
        yield connection


def names(found: Traversal) -> list[str]:
    return [item.name for item in found.items]


# walks


@pytest.mark.slow
def test_a_column_is_named_by_table_and_column_or_as_one(f: Connection) -> None:
    assert names(f.lineage.upstream("marts.revenue", "revenue")) == [AMOUNT, FILE]
    assert names(f.lineage.upstream(REVENUE)) == [AMOUNT, FILE]
    assert names(f.lineage.upstream("revenue", "revenue")) == [AMOUNT, FILE]
    assert names(f.lineage.downstream("orders", "amount")) == [REVENUE, DASHBOARD]


@pytest.mark.slow
def test_both_directions_say_which(f: Connection) -> None:
    found = f.lineage.both("raw.orders", "amount")
    assert {(item.direction, item.name) for item in found.items} == {
        ("upstream", FILE),
        ("downstream", REVENUE),
        ("downstream", DASHBOARD),
    }


@pytest.mark.slow
def test_column_lineage_is_of_columns_and_table_lineage_of_tables(f: Connection) -> None:
    assert set(names(f.lineage.column("raw.orders", "amount"))) == {REVENUE, FILE}
    assert set(names(f.lineage.table("raw.orders"))) == {"files:data/*.csv", "marts.revenue", DASHBOARD}
    assert REVENUE in names(f.lineage.table("raw.orders", columns=True))


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"depth": 1}, [REVENUE]),
        ({"depth": None}, [REVENUE, DASHBOARD]),
        ({"node_types": ["dashboard"]}, [DASHBOARD]),
        ({"node_types": "column,dashboard"}, [REVENUE, DASHBOARD]),
        ({"edge_types": "derives_from"}, [REVENUE]),
        ({"schemas": "marts"}, [REVENUE]),
        ({"limit": 1}, [REVENUE]),
        ({"level": "table"}, ["marts.revenue", DASHBOARD]),
        ({"min_confidence": 0.0}, ["marts.guess.value", REVENUE, DASHBOARD]),
        ({"at": NOON}, [REVENUE]),
        ({"at": "dev"}, [REVENUE, DASHBOARD]),
    ],
    ids=lambda value: next(iter(value.items())).__repr__() if isinstance(value, dict) else None,
)
def test_options_choose_what_is_followed_and_shown(f: Connection, options: dict[str, Any], found: list[str]) -> None:
    assert names(f.lineage.downstream(AMOUNT, **options)) == found


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"level": "row"}, "E105"),
        ({"node_types": "tabel"}, "E105"),
        ({"min_confidence": 2.0}, "E803"),
        ({"depth": 0}, "E105"),
        ({"limit": 0}, "E105"),
        ({"at": "no-such"}, "E601"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_options_that_mean_nothing_are_refused(f: Connection, options: dict[str, Any], code: str) -> None:
    with pytest.raises(ForgeError) as refused:
        f.lineage.downstream(AMOUNT, **options)
    assert refused.value.code == code


def test_a_connection_to_a_branch_looks_at_that_branch(f: Connection) -> None:
    with forge.connect(f.wiring.root, branch="dev") as dev:
        assert names(dev.lineage.downstream(AMOUNT)) == [REVENUE, DASHBOARD]
        assert names(dev.lineage.downstream(f"{AMOUNT}@main~1")) == [REVENUE]


def test_an_unknown_name_gets_the_nearest_and_an_ambiguous_one_all(f: Connection) -> None:
    with pytest.raises(ForgeError) as unknown:
        f.lineage.upstream("marts.revenu")
    assert (unknown.value.code, "marts.revenue" in str(unknown.value.fix)) == ("E801", True)
    with pytest.raises(ForgeError) as ambiguous:
        f.lineage.upstream("amount")
    assert (ambiguous.value.code, AMOUNT in str(ambiguous.value.why)) == ("E807", True)


def test_a_version_of_a_table_is_a_time_too(f: Connection) -> None:
    assert names(f.lineage.downstream(f"{AMOUNT}@v1")) == [REVENUE]
    assert names(f.lineage.downstream("raw.orders@v1")) == [REVENUE]
    with pytest.raises(ForgeError):
        f.lineage.downstream("raw.orders@v99")


def test_paths_come_best_first(f: Connection) -> None:
    (path,) = f.lineage.paths(FILE, DASHBOARD)
    assert [hop.node.id for hop in path.hops] == [AMOUNT, REVENUE, DASHBOARD]
    (unsure,) = f.lineage.paths(AMOUNT, "marts.guess.value", min_confidence=0.0)
    assert unsure.confidence == pytest.approx(0.3)
    assert f.lineage.paths(AMOUNT, "marts.guess.value") == ()


def test_it_is_explained_with_commits_checks_and_owners(f: Connection) -> None:
    said = " ".join(f.lineage.explain(DASHBOARD))
    for word in ("marts.revenue", "First load", "finance@example.com", "passed"):
        assert word in said


def test_a_version_is_explained_as_it_was(f: Connection) -> None:
    f.lineage.record_derivation("raw.orders@v1", "training@3", "sample@2")
    said = " ".join(f.lineage.explain("training@3", depth=1))
    assert "raw.orders@v1" in said
    assert "First load" in said
    assert "Orders of the 15th" not in said


# single things and the whole graph


def test_names_are_searched_and_found(f: Connection) -> None:
    assert [node.id for node in f.lineage.search("mail contacts")] == [
        "marts.contacts.mail_hash",
        "marts.contacts.mail_length",
    ]
    assert f.lineage.search("revenue", "dashboard")[0].type is NodeType.DASHBOARD
    assert f.lineage.find("orders").id == "raw.orders"


def test_an_edge_has_its_evidence_and_its_life(f: Connection) -> None:
    edge = f.lineage.edge(f"{AMOUNT}->{REVENUE}#aggregated")
    assert (edge.expression, edge.level, edge.facts[0].evidence[0].run_id) == ("sum(amount)", "certain", "r1")
    assert [version.valid_to for version in f.lineage.history(edge.id)] == [None]


def test_order_stats_and_propagation(f: Connection) -> None:
    order = f.lineage.order()
    assert order.names.index("raw.orders") < order.names.index("marts.revenue")
    assert order.cycles == (("core.people", "marts.contacts"),)
    assert f.lineage.stats().to_dict()["edges"]["total"] == 9  # type: ignore[index]
    found = f.lineage.propagate("core.people.mail", property="pii")
    assert [one.id for one in found.carriers] == ["marts.contacts.mail_length", "core.people.score"]
    of_table = f.lineage.propagate("core.people", property="incident")
    assert "core.people.score" in of_table.origins


def test_impact_of_one_change_and_of_several(f: Connection) -> None:
    report = f.lineage.impact(AMOUNT, "type", to="int")
    assert (report.change.to_dict()["direction"], report.risk) == ("narrowing", "high")
    both = f.lineage.impact_schema("raw.orders", [("drop", "amount"), ("drop", "status")])
    assert {"marts.revenue", REVENUE, DASHBOARD} <= {one.node.id for one in both.affected}


def test_the_tables_of_a_schema(f: Connection) -> None:
    assert [table.name for table in f.lineage.erd("marts").tables] == ["marts.contacts", "marts.guess", "marts.revenue"]
    assert [table.name for table in f.lineage.erd("marts", at=NOON).tables] == ["marts.revenue"]


def test_a_record_is_traced(f: Connection) -> None:
    origin = f.lineage.trace("raw.orders@v1", {"amount": 3})
    assert [(one.table, str(one.match)) for one in (origin, *origin.origins)] == [
        ("raw.orders", "one"),
        ("files:data/*.csv", "outside"),
    ]


# snapshots, records, files


def test_snapshots_name_times(f: Connection) -> None:
    saved = f.lineage.snapshot("before", at=NOON, description="as it began")
    assert (saved.name, saved.created_by, saved.to_dict()["edge_count"]) == ("before", "Ada", 2)
    assert [one.name for one in f.lineage.snapshots()] == ["before"]
    changes = f.lineage.diff("before", "2026-11-15T12:00")
    assert (len(changes.edges_added), len(changes.edges_removed), changes.seconds) == (7, 0, 86400.0)
    assert names(f.lineage.downstream(AMOUNT, at="before")) == [REVENUE]
    f.lineage.drop_snapshot("before")
    assert f.lineage.snapshots() == ()


def test_a_declared_edge_is_recorded_once_and_taken_back(f: Connection) -> None:
    for added in (1, 0):
        done = f.lineage.record(AMOUNT, "model:churn@3", type="consumes", nodes=["model:churn@3"], reason="training")
        assert done.added == added
    assert names(f.lineage.upstream("model:churn@3", depth=1)) == [AMOUNT]
    done = f.lineage.close(f"{AMOUNT}->model:churn@3#consumes", reason="retired")
    assert done.closed == 1
    assert names(f.lineage.upstream("model:churn@3")) == []


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"confidence": 1.2}, "E803"),
        ({"confidence": float("nan")}, "E803"),
        ({"valid_from": "2026-11-15", "valid_to": "2026-11-14"}, "E804"),
        ({"type": "consumes", "relationship": "copied"}, "E805"),
        ({"relationship": "unheard"}, "E105"),
        ({"valid_from": "soon"}, "E105"),
        ({"nodes": ["dashboard:"]}, "E805"),
        ({"nodes": ["column:lonely"]}, "E805"),
    ],
    ids=["too sure", "no number", "ends first", "no such kind", "no such word", "no time", "no name", "of no table"],
)
def test_a_bad_edge_changes_nothing(f: Connection, said: dict[str, Any], code: str) -> None:
    before = list(f.lineage.export_lines())
    with pytest.raises(ForgeError) as refused:
        f.lineage.record(AMOUNT, REVENUE, **said)
    assert refused.value.code == code
    assert list(f.lineage.export_lines()) == before


def test_an_edge_to_something_unknown_names_the_nearest(f: Connection) -> None:
    with pytest.raises(ForgeError) as refused:
        f.lineage.record(AMOUNT, "dashboard:revenu", type="consumes")
    assert (refused.value.code, "dashboard:revenue" in str(refused.value.fix)) == ("E802", True)


@pytest.mark.slow
def test_derivations_and_anonymizations_keep_what_made_them(f: Connection) -> None:
    made = {"name": "sample", "version": "2", "parameters": {"share": 0.1}, "code_hash": "abc"}
    f.lineage.record_derivation("raw.orders@v1", "training@3", made)
    edge = f.lineage.edge("raw.orders@v1->training@3#derived")
    assert edge.facts[0].metadata["transformation"] == made
    f.lineage.record_anonymization("core.people", "public.people", "k5@1", actor="Grace")
    masked = f.lineage.edge("core.people->public.people#anonymized")
    assert (masked.masking, masked.facts[0].actor) == (True, "Grace")


@pytest.mark.slow
def test_the_record_goes_to_a_file_and_back(f: Connection, tmp_path: Path) -> None:
    lines = f.lineage.export(tmp_path / "lineage.jsonl")
    assert lines == len((tmp_path / "lineage.jsonl").read_text().splitlines())
    other = tmp_path / "other"
    other.mkdir()
    (other / "forge.yaml").write_text("project: other\n")
    with forge.connect(other) as empty:
        assert empty.lineage.import_(tmp_path / "lineage.jsonl").written == lines - 2
        assert names(empty.lineage.downstream(FILE)) == names(f.lineage.downstream(FILE))
        assert empty.lineage.import_(tmp_path / "lineage.jsonl").to_dict()["written"] == 0


# how results show themselves


def test_every_result_is_plain_data_and_most_are_tables(f: Connection) -> None:
    lineage = f.lineage
    lineage.snapshot("now-ish", at="2026-11-15T12:00")
    results: list[Any] = [
        lineage.upstream(REVENUE),
        lineage.paths(FILE, REVENUE),
        lineage.search("mail"),
        lineage.edge(f"{AMOUNT}->{REVENUE}#aggregated"),
        lineage.snapshots(),
        lineage.diff(NOON, "2026-11-15T12:00"),
        lineage.order(),
        lineage.stats(),
        lineage.propagate("core.people.mail"),
        lineage.impact(AMOUNT),
        lineage.erd(),
        lineage.trace("raw.orders@v1", {"amount": 3}),
        lineage.record(AMOUNT, REVENUE, transformation="aggregation"),
    ]
    for result in results:
        json.dumps(result.to_dict(), default=str)
    for result in results:
        if hasattr(result, "to_pandas"):
            assert len(result.to_pandas()) > 0, result
        if hasattr(result, "_repr_html_"):
            page = result._repr_html_()
            assert "<script" not in page
            assert "http" not in page.replace("http://www.w3.org/", "")
    tables = [result for result in results if hasattr(result, "to_pandas")]
    assert len(tables) >= 7


def test_names_in_a_notebook_are_only_text(f: Connection) -> None:
    f.lineage.record(AMOUNT, "dashboard:<b>x</b>", type="consumes", nodes=["dashboard:<b>x</b>"])
    for result in (f.lineage.downstream(AMOUNT), f.lineage.search("<b>"), f.lineage.impact(AMOUNT)):
        assert "<b>x" not in result._repr_html_()
