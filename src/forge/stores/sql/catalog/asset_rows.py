"""Assets, edits and proposals as rows and back. No database access."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from forge.catalog.approval import EditProposal, ProposalState
from forge.catalog.asset import AssetState, CatalogAsset, CrawledAsset, Documentation, FileDocumentation, with_files
from forge.catalog.asset_json import read_crawled, read_documentation, read_filed
from forge.catalog.crawl import CrawlMark, CrawlWrite
from forge.catalog.edit import AssetEdit
from forge.stores.sql.record_columns import Row, columns_of, record_of

TAG, TERM, READS = "tag", "term", "reads"


def read_asset(row: Mapping[Any, Any], former_names: tuple[str, ...] = ()) -> CatalogAsset:
    edited, filed = read_documentation(row["edited"]), read_filed(row["filed"])
    return CatalogAsset(
        uid=row["uid"],
        crawled=read_crawled(row["crawled"]),
        documentation=with_files(edited, filed),
        edited=edited,
        places=filed.places,
        state=AssetState(row["state"]),
        version=row["version"],
        former_names=former_names,
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def read_mark(row: Mapping[Any, Any]) -> CrawlMark:
    return record_of(CrawlMark, row, state=AssetState(row["state"]))


def crawled_columns(write: CrawlWrite, at: datetime) -> Row:
    """What a crawl writes of an asset; the rest depends on its documentation, too."""
    asset = write.asset
    return {
        "uid": write.uid,
        "name": asset.qualified_name,
        "type": asset.type.value,
        "source": asset.source,
        "key": asset.key,
        "state": AssetState.ACTIVE.value,
        "digest": write.digest,
        "pointer": write.pointer,
        "crawled": write.document,
        "updated_at": at,
    }


def listed_columns(crawled: CrawledAsset, edited: Documentation, filed: FileDocumentation) -> Row:
    """What lists filter by, as it holds."""
    content = with_files(edited, filed)
    return {"domain": content.domain or crawled.domain, "owner": content.owner or crawled.owner}


def label_rows(uid: str, crawled: CrawledAsset, edited: Documentation, filed: FileDocumentation) -> Iterator[Row]:
    content = with_files(edited, filed)
    own = {"uid": uid, "column_name": ""}
    yield from ({"kind": TAG, "value": tag, **own} for tag in dict.fromkeys((*content.tags, *crawled.tags)))
    yield from ({"kind": TERM, "value": term, **own} for term in dict.fromkeys(content.terms))
    yield from ({"kind": READS, "value": name, **own} for name in crawled.read_assets)
    for name, column in content.columns.items():
        yield from ({"kind": TAG, "value": tag, "uid": uid, "column_name": name} for tag in dict.fromkeys(column.tags))
        if column.term is not None:
            yield {"kind": TERM, "value": column.term, "uid": uid, "column_name": name}


def edit_row(edit: AssetEdit) -> Row:
    return columns_of(edit)


def read_edit_row(row: Mapping[Any, Any]) -> AssetEdit:
    return record_of(AssetEdit, row)


def proposal_row(proposal: EditProposal) -> Row:
    return columns_of(proposal)


def read_proposal(row: Mapping[Any, Any]) -> EditProposal:
    return record_of(EditProposal, row, state=ProposalState(row["state"]))
