"""Tables of the lake at a branch, tag, commit or time that a query names beside them. No JVM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from asked_plan import explain
from sqlite_source import lay_shop
from version_site import VersionSite, open_version_site

from forge.federation.lake_rules import LakeRules
from forge.federation.policy import ColumnMask, MaskKind, RowFilter
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.federation.query import FederationPorts, QueryAnswer, QueryRequest, ask
from forge.flows.lineage.reader import open_graph
from forge.flows.versioning.read import QueryCaller
from forge.flows.versioning.tags import create_tag
from forge.model.errors import ForgeError
from forge.model.names import BranchName

YAML = "project: shop\nuser: {name: Ada, email: ada@example.com}\nversioning: {keys: {core.orders: [id]}}\n"
SOURCES = "sources:\n  - {name: till, connector: sqlite, path: data/till.db}\n"
BOTH = "SELECT o.id, o.amount, d.amount FROM core.orders o FULL JOIN core.orders@dev d ON d.id = o.id ORDER BY 1, 3"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VersionSite]:
    """main: 1, 2, then 3. dev, from the first commit: 1, 2 and another 4."""
    with open_version_site(tmp_path_factory.mktemp("refs") / "shop", YAML) as opened:
        (opened.root / "sources").mkdir()
        (opened.root / "sources" / "all.yaml").write_text(SOURCES)
        lay_shop(opened.root / "data" / "till.db")
        opened.commit("id,name,amount\n1,a,10.5\n2,b,20.0\n")
        opened.branch("dev")
        opened.branch("feature/x.1")
        wiring = opened.wiring
        create_tag(
            wiring.metadata, "v1.0", "main", current=BranchName("main"), author=wiring.author, clock=wiring.clock
        )
        opened.commit("id,name,amount\n3,c,30.0\n", mode="append")
        opened.commit("id,name,amount\n4,d,40.0\n", mode="append", branch="dev")
        yield opened


def answer(site: VersionSite, sql: str, ports: FederationPorts | None = None, **more: Any) -> QueryAnswer:
    caller = QueryCaller("ada@example.com", "test", site.wiring.clock)
    request = QueryRequest(sql, **{"executor": "in-process", **more})
    return ask(ports or site.wiring.federation.query_ports(), request, caller)


def refused(code: str, site: VersionSite, sql: str) -> str:
    with pytest.raises(ForgeError) as caught:
        answer(site, sql)
    assert caught.value.code == code, str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("pushdown", [True, False])
def test_a_branch_is_joined_with_main(site: VersionSite, *, pushdown: bool) -> None:
    found = answer(site, BOTH, pushdown=pushdown).rows
    assert found == ((None, None, 40.0), (1, 10.5, 10.5), (2, 20.0, 20.0), (3, 30.0, None))


@pytest.mark.parametrize(
    ("ref", "rows"),
    [
        ("@dev", 3),
        ("@main", 3),
        ("@HEAD~1", 2),
        ("@dev~1", 2),
        ("@dev^ ", 2),
        ("@v1.0", 2),
        ("@v1", 2),  # the version of the table
        ("@feature/x.1", 2),
        ("@`feature/x.1`", 2),
        ("@2999-01-01T00:00:00Z", 3),
        ("@main@2999-01-01", 3),
        ("@'2999-01-01 00:00'", 3),
        ("@dev--a comment\n", 3),
        ("@dev/* another */", 3),
        (" VERSION AS OF 'dev'", 3),
        (" FOR VERSION AS OF 'v1.0'", 2),
        (" TIMESTAMP AS OF '2999-01-01'", 3),
    ],
)
def test_a_ref_is_a_branch_a_tag_a_commit_or_a_time(site: VersionSite, ref: str, rows: int) -> None:
    assert answer(site, f"SELECT count(*) AS n FROM core.orders{ref} o WHERE o.id > 0").rows == ((rows,),)
    assert answer(site, f"WITH t AS (SELECT id FROM CORE.`Orders`{ref}) SELECT count(*) AS n FROM t").rows == ((rows,),)


def test_a_commit_is_one_by_its_id(site: VersionSite) -> None:
    head = site.head("dev")
    assert head is not None
    assert answer(site, f"SELECT max(id) AS n FROM core.orders@{head[:12]}").rows == ((4,),)


def test_the_rest_of_the_query_is_as_of_the_query(site: VersionSite) -> None:
    sql = "SELECT (SELECT count(*) FROM core.orders) AS m, count(*) AS n FROM core.orders@main"
    assert answer(site, sql, at="v1.0").rows == ((2, 3),)


def test_what_looks_like_a_ref_in_a_text_a_name_or_a_comment_is_none(site: VersionSite) -> None:
    sql = "SELECT 'core.orders@dev' AS `a@b`, \"x@y\" AS c /* core.orders@dev */ FROM core.orders -- @dev\nWHERE id = 1"
    found = answer(site, sql)
    assert found.rows == (("core.orders@dev", "x@y"),)
    assert found.schema.names == ("a@b", "c")


def test_unknown_refs_and_tables_are_answered_with_the_nearest(site: VersionSite) -> None:
    assert "Did you mean dev?" in refused("E601", site, "SELECT * FROM core.orders@dve")
    assert "Did you mean core.orders?" in refused("E108", site, "SELECT * FROM core.ordrs@dev")
    assert "Did you mean the source till?" in refused("E108", site, "SELECT * FROM tlil.x@dev")
    assert "at dev" in refused("E108", site, "SELECT * FROM core.ordrs@dev")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM till.customers@dev",
        "SELECT * FROM till.customers VERSION AS OF 'dev'",
        "WITH t AS (SELECT 1 AS x) SELECT * FROM t@dev",
        "SELECT * FROM core.orders@dev VERSION AS OF 'dev' JOIN core.orders VERSION AS OF 3",
    ],
)
def test_only_tables_of_the_lake_have_versions(site: VersionSite, sql: str) -> None:
    with pytest.raises(ForgeError) as caught:
        answer(site, sql)
    assert caught.value.code in ("E216", "E201"), str(caught.value)


def test_explain_and_the_audit_say_which_version_is_read(site: VersionSite) -> None:
    explained = explain(site.wiring.federation.query_ports(), QueryRequest(BOTH))
    asked: Any = explained.to_dict()["sources"]
    assert [one["relations"] for one in asked] == [["core.orders"], ["core.orders@dev"]]
    assert explained.lineage is not None
    assert {made.column for one in explained.lineage for made in one.sources} == {
        "core.orders.id",
        "core.orders.amount",
    }
    answer(site, BOTH)
    assert site.wiring.metadata.audit(limit=1)[0].detail["tables"] == ["core.orders", "core.orders@dev"]


def test_a_kept_result_is_of_the_commit_that_the_ref_had(site: VersionSite) -> None:
    sql = "SELECT count(o.id) AS n FROM core.orders@`feature/x.1` o LEFT JOIN till.customers c ON c.id = o.id"
    assert [answer(site, sql).cache for _ in range(2)] == ["miss", "hit"]
    site.commit("id,name,amount\n5,e,50.0\n", mode="append", branch="feature/x.1")
    found = answer(site, sql)
    assert (found.rows, found.cache) == (((3,),), "miss")


def test_rules_of_a_table_hold_at_each_of_its_versions(site: VersionSite) -> None:
    ports = replace(
        site.wiring.federation.query_ports(),
        rules=LakeRules(
            masks=(ColumnMask("core.orders.name", MaskKind.NULL),), rows=(RowFilter("core.orders", "id <> 4"),)
        ),
    )
    sql = "SELECT id, name FROM core.orders@dev ORDER BY id"
    assert answer(site, sql, ports).rows == ((1, None), (2, None))


def test_what_is_personal_at_a_commit_that_is_read_is_hidden(site: VersionSite) -> None:
    asked: list[object] = []

    def hidden_at(*commits: object) -> PersonalColumns:
        asked.extend(commits)
        return PersonalColumns(frozenset({("core.orders", "name")}))

    ports = replace(site.wiring.federation.query_ports(), hidden_at=hidden_at)
    found = answer(site, "SELECT id, name FROM core.orders@dev WHERE name IS NOT NULL", ports)
    assert (found.rows, found.masked) == ((), frozenset({"name"}))
    assert asked == [site.head("dev")]
    assert answer(site, "SELECT count(name) AS n FROM core.orders", ports).rows == ((3,),)


def test_a_query_of_a_version_is_a_query_of_its_table_in_the_lineage(site: VersionSite) -> None:
    answer(site, "SELECT max(name) AS last FROM core.orders@dev")
    found = open_graph(site.wiring.lineage.graph).walk("core.orders.name", depth=1, direction="downstream")
    assert any(one.node.id.startswith("query:") for one in found.items)
