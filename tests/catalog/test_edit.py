"""Edits of documentation: what may be said, and what is refused with which words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from forge.catalog.approval import (
    DomainPolicy,
    EditProposal,
    missing_fields,
    needs_approval,
    refuse_approver,
    refuse_incomplete,
    with_edit,
)
from forge.catalog.asset import (
    AssetType,
    CatalogAsset,
    CrawledAsset,
    CrawledColumn,
    Documentation,
    FileDocumentation,
    with_files,
)
from forge.catalog.asset_json import documentation_fields, read_documentation
from forge.catalog.asset_view import asset_sheet
from forge.catalog.edit import EDITABLE, documented, plan_edit, read_edit
from forge.model.errors import ForgeError, errors_of

NOW = datetime(2026, 11, 18, tzinfo=UTC)
ASSET = CatalogAsset(
    uid="u",
    crawled=CrawledAsset(
        qualified_name="core.orders",
        type=AssetType.TABLE,
        source="lake",
        description="crawled",
        columns=(CrawledColumn("Amount", "int"),),
    ),
    created_at=NOW,
    updated_at=NOW,
)
FULL: dict[str, Any] = {
    "description": "# Orders",
    "owner": "ada",
    "team": "sales",
    "stewards": ["grace"],
    "tags": ["gold"],
    "terms": ["order"],
    "classification": "confidential",
    "domain": "sales",
    "primary_key": ["id"],
    "deprecated": "use core.sales",
    "columns": {"Amount": {"description": "net", "tags": ["money"], "term": "net_amount"}},
}


def refused(given: dict[str, Any]) -> list[ForgeError]:
    with pytest.raises(ForgeError) as error:
        read_edit(given)
    return list(errors_of(error.value))


def test_every_field_is_read_and_comes_back() -> None:
    assert set(FULL) == set(EDITABLE)
    changes = read_edit(FULL)
    documentation = documented(Documentation(), changes)
    assert documentation_fields(documentation) == changes
    assert read_documentation(changes) == documentation
    assert documentation.columns["amount"].term == "net_amount"


@pytest.mark.parametrize("name", ["row_count", "size_bytes", "type", "schema", "location", "qualified_name", "version"])
def test_a_crawled_field_is_refused_by_name(name: str) -> None:
    (error,) = refused({name: 1})
    assert (error.code, name in error.what) == ("E852", True)
    assert "crawler" in str(error.why)


def test_the_type_of_a_column_is_refused_and_other_words_are_unknown() -> None:
    assert [one.code for one in refused({"columns": {"amount": {"type": "int"}}})] == ["E852"]
    (error,) = refused({"descripton": "x"})
    assert (error.code, "description" in str(error.fix)) == ("E851", True)


@pytest.mark.parametrize(
    "given",
    [
        {"description": 7},
        {"description": "x" * 1_000_001},
        {"description": "é" * 500_001},
        {"owner": "x" * 1001},
        {"tags": "gold"},
        {"tags": ["a", 7]},
        {"tags": [" "]},
        {"tags": ["t"] * 201},
        {"classification": "secret"},
        {"columns": []},
        {"columns": {"amount": "net"}},
        {"columns": {"amount": {"note": 1}}},
    ],
)
def test_a_value_of_the_wrong_form_is_refused(given: dict[str, Any]) -> None:
    assert [one.code for one in refused(given)] == ["E851"]


def test_all_that_is_wrong_is_told_at_once() -> None:
    assert [one.code for one in refused({"row_count": 1, "tags": "x", "owner": 7})] == ["E852", "E851", "E851"]


def test_a_description_of_a_megabyte_is_taken_and_nul_is_made_harmless() -> None:
    assert len(read_edit({"description": "x" * 1_000_000})["description"]) == 1_000_000
    assert read_edit({"description": "a\0b\ud800"})["description"] == "a\N{REPLACEMENT CHARACTER}b?"


def test_an_edit_knows_what_was_before_and_only_what_changes() -> None:
    before = replace(ASSET, edited=Documentation(owner="ada", tags=("a",)), version=4)
    edit = plan_edit(before, {"owner": "ada", "tags": ["b"], "team": None}, NOW, "grace")
    assert edit is not None
    assert (edit.version, edit.before, edit.after) == (5, {"tags": ["a"]}, {"tags": ["b"]})
    assert plan_edit(before, {"owner": "ada"}, NOW, "grace") is None
    cleared = plan_edit(before, {"owner": None, "tags": []}, NOW, "grace")
    assert cleared is not None
    assert documented(before.edited, cleared.after) == Documentation()


def test_a_column_that_there_is_not_is_refused() -> None:
    with pytest.raises(ForgeError) as error:
        plan_edit(ASSET, {"columns.amunt.description": "x"}, NOW, "ada")
    assert (error.value.code, "amount" in str(error.value.why)) == ("E851", True)


def test_a_field_of_a_file_is_refused_with_its_place() -> None:
    filed = replace(ASSET, places={"owner": "catalog/core.yaml:7"})
    with pytest.raises(ForgeError) as error:
        plan_edit(filed, {"owner": "x"}, NOW, "ada")
    assert (error.value.code, error.value.where) == ("E854", "catalog/core.yaml:7")
    assert plan_edit(filed, {"team": "x"}, NOW, "ada") is not None


def test_the_sheet_of_an_asset_says_where_each_field_comes_from() -> None:
    filed = FileDocumentation(Documentation(owner="f"), {"owner": "catalog/a.yaml:3"})
    edited = Documentation(team="t")
    asset = replace(ASSET, edited=edited, documentation=with_files(edited, filed), places=filed.places)
    sheet = asset_sheet(asset)
    assert sheet["origins"] == {"description": "crawl", "owner": "file catalog/a.yaml:3", "team": "edit"}
    assert (sheet["owner"], sheet["schema"][0]["name"]) == ("f", "Amount")


# what a domain asks for

POLICIES = {"finance": DomainPolicy(required=("owner", "description"), approval=True, approvers=("grace", "ada"))}


def test_an_asset_does_not_come_into_a_domain_without_what_it_requires() -> None:
    with pytest.raises(ForgeError) as error:
        refuse_incomplete(ASSET, {"domain": "finance"}, POLICIES)
    assert "owner" in error.value.what
    refuse_incomplete(ASSET, {"domain": "finance", "owner": "ada"}, POLICIES)


def test_what_is_missing_is_filled_field_by_field_and_not_taken_away() -> None:
    poor = with_edit(replace(ASSET, crawled=replace(ASSET.crawled, description="")), {"domain": "finance"})
    assert missing_fields(poor, POLICIES) == ("owner", "description")
    refuse_incomplete(poor, {"owner": "ada"}, POLICIES)
    rich = with_edit(poor, {"owner": "ada"})
    with pytest.raises(ForgeError):
        refuse_incomplete(rich, {"owner": None}, POLICIES)


def test_an_edit_of_a_domain_or_into_one_waits_for_someone_else() -> None:
    assert not needs_approval(ASSET, {"owner": "x"}, POLICIES)
    assert needs_approval(ASSET, {"domain": "finance"}, POLICIES)
    inside = with_edit(ASSET, {"domain": "finance"})
    assert needs_approval(inside, {"domain": None}, POLICIES)
    proposal = EditProposal(
        id="p", uid="u", asset="core.orders", changes={"owner": "x"}, base_version=0, by="ada", at=NOW
    )
    refuse_approver(proposal, inside, "grace", POLICIES)
    for who in ("ada", "eve"):
        with pytest.raises(ForgeError) as error:
            refuse_approver(proposal, inside, who, POLICIES)
        assert error.value.code == "E855"
