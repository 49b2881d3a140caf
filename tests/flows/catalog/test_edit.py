"""Edits, undo, approval and files of documentation, on a store in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from forge.catalog.approval import DomainPolicy, ProposalState
from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.crawl import SeenAsset, Sighting
from forge.catalog.edit import StaleVersionError
from forge.flows.catalog.asset_files import AssetFileWatch
from forge.flows.catalog.crawl import CrawlPorts, crawl
from forge.flows.catalog.edit import EditPorts, decide_proposal, edit_asset, find_asset, undo_edit
from forge.flows.catalog.register import register_assets
from forge.model.errors import ForgeError
from forge.stores.memory.asset_store import MemoryAssetStore

NOW = datetime(2026, 11, 18, tzinfo=UTC)
ORDERS = CrawledAsset(
    qualified_name="core.orders",
    type=AssetType.TABLE,
    source="lake",
    key="k",
    columns=(CrawledColumn("amount", "int"),),
)


class ListCrawler:
    """A source that has what a test says."""

    source = "lake"

    def __init__(self, *assets: CrawledAsset) -> None:
        self.assets = list(assets)

    def sightings(self, known: Mapping[str, object]) -> list[Sighting]:
        return [SeenAsset(asset) for asset in self.assets]


@pytest.fixture
def crawler() -> ListCrawler:
    return ListCrawler(ORDERS)


@pytest.fixture
def crawls(crawler: ListCrawler, tmp_path: Path) -> CrawlPorts:
    store = MemoryAssetStore()
    watch = AssetFileWatch(tmp_path, store, lambda: NOW)
    ports = CrawlPorts(store=store, clock=lambda: NOW, crawlers=[crawler], file_sync=watch.sync)
    crawl(ports)
    return ports


@pytest.fixture
def edits(crawls: CrawlPorts, tmp_path: Path) -> EditPorts:
    numbers = count(1)
    return EditPorts(
        store=crawls.store,
        clock=lambda: NOW,
        actor="ada",
        policies={"finance": DomainPolicy(required=("owner",), approval=True, approvers=("grace",))},
        file_sync=AssetFileWatch(tmp_path, crawls.store, lambda: NOW).look,
        new_id=lambda: f"p{next(numbers)}",
    )


def test_an_edit_is_made_and_undone_by_another(edits: EditPorts) -> None:
    edit_asset("core.orders", {"owner": "ada", "tags": ["a"]}, edits)
    edit_asset("core.orders", {"owner": "eve"}, edits)
    undone = undo_edit("core.orders", edits)
    assert (undone.asset.owner, undone.asset.version) == ("ada", 3)
    assert undone.edit is not None
    assert undone.edit.undoes == 2
    first = undo_edit("core.orders", edits, version=1)
    assert (first.asset.owner, first.asset.tags) == (None, ())
    again = undo_edit("core.orders", edits)  # an undo can be undone
    assert (again.asset.owner, again.asset.tags) == ("ada", ("a",))
    with pytest.raises(ForgeError) as error:
        undo_edit("core.orders", edits, version=99)
    assert error.value.code == "E856"


def test_a_stale_version_is_refused_with_the_current_one(edits: EditPorts) -> None:
    edit_asset("core.orders", {"owner": "ada"}, edits, expected_version=0)
    with pytest.raises(StaleVersionError) as error:
        edit_asset("core.orders", {"owner": "eve"}, edits, expected_version=0)
    assert (error.value.code, error.value.current) == ("E853", 1)
    assert find_asset(edits.store, "core.orders").owner == "ada"


def test_what_is_said_already_is_no_edit(edits: EditPorts) -> None:
    edit_asset("core.orders", {"owner": "ada"}, edits)
    assert edit_asset("core.orders", {"owner": "ada"}, edits).edit is None


def test_an_unknown_asset_is_told_with_the_nearest(edits: EditPorts) -> None:
    with pytest.raises(ForgeError) as error:
        edit_asset("core.order", {"owner": "ada"}, edits)
    assert (error.value.code, "core.orders" in str(error.value.why)) == ("E850", True)


def test_a_domain_that_asks_for_it_gets_a_proposal_that_someone_else_approves(edits: EditPorts) -> None:
    proposed = edit_asset("core.orders", {"domain": "finance", "owner": "ada"}, edits)
    assert proposed.proposal is not None
    assert (proposed.asset.domain, proposed.edit) == (None, None)
    with pytest.raises(ForgeError) as error:
        decide_proposal("p1", edits, approve=True)
    assert error.value.code == "E855"
    grace = replace(edits, actor="grace")
    done = decide_proposal("p1", grace, approve=True, comment="fine")
    assert done.asset.domain == "finance"
    assert done.edit is not None
    assert (done.edit.by, done.edit.approved_by) == ("ada", "grace")
    with pytest.raises(ForgeError) as error:
        decide_proposal("p1", grace, approve=False)
    assert error.value.code == "E857"
    with pytest.raises(ForgeError) as error:
        decide_proposal("p9", grace, approve=True)
    assert error.value.code == "E856"


def test_who_proposed_may_take_it_back_and_others_reject_it(edits: EditPorts) -> None:
    edit_asset("core.orders", {"domain": "finance", "owner": "ada"}, edits)
    edit_asset("core.orders", {"domain": "finance", "owner": "eve"}, edits)
    own = decide_proposal("p1", edits, approve=False)
    other = decide_proposal("p2", replace(edits, actor="grace"), approve=False, comment="no")
    assert own.proposal is not None
    assert other.proposal is not None
    assert {own.proposal.state, other.proposal.state} == {ProposalState.REJECTED}
    assert find_asset(edits.store, "core.orders").version == 0


# files


def test_a_file_wins_and_its_fields_cannot_be_edited(edits: EditPorts, tmp_path: Path) -> None:
    edit_asset("core.orders", {"owner": "ada"}, edits)
    folder = tmp_path / "catalog"
    folder.mkdir()
    (folder / "core.yaml").write_text("assets:\n  core.orders:\n    owner: of the file\n")
    with pytest.raises(ForgeError) as error:
        edit_asset("core.orders", {"owner": "eve"}, edits)
    assert (error.value.code, error.value.where) == ("E854", "catalog/core.yaml:3")
    assert find_asset(edits.store, "core.orders").owner == "of the file"
    edit_asset("core.orders", {"team": "t"}, edits)
    (folder / "core.yaml").unlink()
    assert edit_asset("core.orders", {"team": "u"}, edits).asset.owner == "ada"


def test_a_file_with_an_error_changes_nothing(crawls: CrawlPorts, tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    folder.mkdir()
    (folder / "a.yaml").write_text("assets:\n  core.orders: {owner: a}\n  core.unknown: {owner: x}\n")
    watch = AssetFileWatch(tmp_path, crawls.store, lambda: NOW)
    found = watch.look()
    assert (found.changed, found.unknown) == (("core.orders",), ("core.unknown",))
    (folder / "b.yaml").write_text("assets:\n  core.orders: {owner: b}\n")
    assert [error.code for error in watch.look().errors] == ["E851"]  # described twice
    (folder / "b.yaml").write_bytes(b"\xff\xfe")
    assert [error.code for error in watch.look().errors] == ["E103"]
    assert find_asset(crawls.store, "core.orders").owner == "a"


def test_a_file_follows_an_asset_that_was_renamed(crawls: CrawlPorts, crawler: ListCrawler, tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    folder.mkdir()
    (folder / "a.yaml").write_text("assets:\n  core.orders: {owner: a}\n")
    crawler.assets = [replace(ORDERS, qualified_name="core.sales")]
    crawl(crawls)
    assert find_asset(crawls.store, "core.sales").owner == "a"


# registering


def test_assets_are_registered_and_upserted_by_name(crawls: CrawlPorts, edits: EditPorts) -> None:
    item: dict[str, Any] = {
        "qualified_name": "bi:weekly",
        "type": "dashboard",
        "location": "https://bi.example/1",
        "schema": [{"name": "total", "type": "int"}],
        "description": "Weekly",
    }
    (made,) = register_assets([item], crawls, edits)
    assert made.is_new
    assert (made.outcome.asset.description, made.outcome.asset.crawled.columns[0].name) == ("Weekly", "total")
    (again,) = register_assets([{"qualified_name": "bi:weekly", "type": "dashboard", "owner": "ada"}], crawls, edits)
    assert not again.is_new
    asset = again.outcome.asset
    assert (asset.owner, asset.description, asset.crawled.location) == ("ada", "Weekly", "https://bi.example/1")
    crawl(crawls)  # a crawl of other sources leaves it
    assert find_asset(crawls.store, "bi:weekly").state.value == "active"


def test_what_was_crawled_is_documented_by_a_batch_and_not_overwritten(crawls: CrawlPorts, edits: EditPorts) -> None:
    register_assets([{"qualified_name": "core.orders", "owner": "ada"}, {"qualified_name": "x:y"}], crawls, edits)
    assert find_asset(crawls.store, "core.orders").owner == "ada"
    with pytest.raises(ForgeError) as error:
        register_assets([{"qualified_name": "x:z"}, {"qualified_name": "core.orders", "row_count": 7}], crawls, edits)
    assert error.value.code == "E852"
    assert crawls.store.asset("x:z") is None  # nothing of the batch


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"qualified_name": ""},
        {"qualified_name": "x" * 1001},
        {"qualified_name": "a\0b"},
        {"qualified_name": "x:y", "type": "cube"},
        {"qualified_name": "x:y", "schema": [{"type": "int"}]},
        {"qualified_name": "x:y", "schema": [{"name": "a", "note": "b"}]},
        {"qualified_name": "x:y", "row_count": -1},
        {"qualified_name": "x:y", "location": 7},
        {"qualified_name": "x:y", "backed_by": [1]},
        {"qualified_name": "x:y", "unknown": 1},
        {"qualified_name": "x:y", "tags": "gold"},
    ],
)
def test_a_bad_asset_is_refused(crawls: CrawlPorts, edits: EditPorts, item: dict[str, Any]) -> None:
    with pytest.raises(ForgeError) as error:
        register_assets([item], crawls, edits)
    assert error.value.code == "E851"
    assert crawls.store.count() == 1


def test_an_unknown_source_is_told_with_those_that_there_are(crawls: CrawlPorts) -> None:
    with pytest.raises(ForgeError) as error:
        crawl(crawls, ["lak"])
    assert (error.value.code, "lake" in str(error.value.fix)) == ("E858", True)


@pytest.mark.parametrize(
    "wrong", [{"columns": {"nothing": {"description": "x"}}}, {"primary_key": ["nothing"]}, {"domain": "finance"}]
)
def test_one_wrong_asset_of_a_batch_refuses_all(crawls: CrawlPorts, edits: EditPorts, wrong: dict[str, Any]) -> None:
    other = {"qualified_name": "bi:wide", "schema": [{"name": "a"}], **wrong}
    with pytest.raises(ForgeError) as error:
        register_assets([{"qualified_name": "bi:new", "tags": ["a"]}, other], crawls, edits)
    assert error.value.code == "E851"
    assert crawls.store.marks("api") == ()


def test_a_primary_key_has_columns_of_the_asset(edits: EditPorts) -> None:
    with pytest.raises(ForgeError, match="has no column nothing"):
        edit_asset("core.orders", {"primary_key": ["amount", "nothing"]}, edits)
    assert edit_asset("core.orders", {"primary_key": ["AMOUNT"]}, edits).asset.primary_key == ("AMOUNT",)


def test_a_term_is_linked_by_its_id_or_name_and_may_come_later(edits: EditPorts) -> None:
    ports = replace(edits, term_id=lambda text: {"Net revenue": "sales.net-revenue"}.get(text, text))
    said = {"terms": ["Net revenue", "sales.net-revenue", "later"], "columns": {"amount": {"term": "Net revenue"}}}
    asset = edit_asset("core.orders", said, ports).asset
    assert asset.documentation.terms == ("sales.net-revenue", "later")
    assert asset.of_column("amount").term == "sales.net-revenue"


def test_a_proposal_is_not_made_so_of_another_asset_that_took_its_name(
    crawls: CrawlPorts, crawler: ListCrawler, edits: EditPorts
) -> None:
    proposal = edit_asset("core.orders", {"owner": "ada", "domain": "finance"}, edits).proposal
    assert proposal is not None
    crawler.assets = [replace(ORDERS, qualified_name="core.sales")]
    crawl(crawls)
    crawler.assets = [replace(ORDERS, qualified_name="core.sales"), replace(ORDERS, key="other")]
    crawl(crawls)
    grace = replace(edits, actor="grace")
    with pytest.raises(ForgeError) as error:
        decide_proposal(proposal.id, grace, approve=True)
    assert error.value.code == "E850"
    assert find_asset(crawls.store, "core.orders").owner is None
    assert decide_proposal(proposal.id, grace, approve=False).proposal
