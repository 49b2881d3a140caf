"""The search index on an OpenSearch or Elasticsearch server.

An alias names the index in use. A batch is written with its position in the log of changes as the version of each
document, so that a late writer never replaces a newer document; its own position is written last, by compare-and-set. A
writer that dies in between leaves documents newer than the position says: they are written again, to the same."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from forge.catalog.search.clause import Clause
from forge.catalog.search.cursor import OrderKey
from forge.catalog.search.document import SearchDocument
from forge.catalog.search.fields import facet_values, tokens_of
from forge.catalog.search.page import CatalogHit, FacetCount, FacetCounts, SearchPage
from forge.catalog.search.query import SearchFacet, SearchQuery, SearchSort
from forge.catalog.search.rank import freshness_of, order_of, rank_of
from forge.catalog.search.stages import MOST_VALUES, search_stages, suggest_names
from forge.flows.catalog.search.ports import IndexBatch
from forge.model.errors import ForgeError
from forge.stores.opensearch.clauses import ORDER, PRIMARY, documents_only, index_body
from forge.stores.opensearch.server import SearchServer

VERSION = 3  # of fields, tokens and points: another one is another index
_STATE = "s:state"
_BULK = 500
_MISSING, _CONFLICT = 404, 409


class OpenSearchAssetIndex:
    def __init__(self, server: SearchServer, name: str = "forge-catalog") -> None:
        self._server, self._alias = server, f"{name}-v{VERSION}"

    def cursor(self) -> int | None:
        state = self._state()
        return None if state is None else int(state["_source"]["state"]["cursor"])

    def head(self) -> str:
        state = self._state()
        return "" if state is None else str(state["_source"]["state"]["head"])

    def apply(self, batch: IndexBatch) -> bool:
        state = self._state()
        if state is None or state["_source"]["state"]["cursor"] != batch.after:
            return False
        lines = (line for document in batch.documents for line in _put(document, batch.cursor))
        gone = ({"delete": {**_named(removed), **_versioned(batch.cursor)}} for removed in batch.removed)
        self._bulk(self._alias, lines, size=2 * _BULK)
        self._bulk(self._alias, gone, size=_BULK)
        seen = f"if_seq_no={state['_seq_no']}&if_primary_term={state['_primary_term']}"
        before = state["_source"]["state"]
        head = before["head"] if batch.head is None else batch.head
        document = _state(batch.cursor, head, before["generation"] + 1)
        code, _ = self._server.call("PUT", f"/{self._alias}/_doc/{_STATE}?{seen}", document, allowed=(_CONFLICT,))
        self._server.call("POST", f"/{self._alias}/_refresh")
        return code != _CONFLICT

    def rebuild(self, documents: Iterable[SearchDocument], cursor: int, head: str = "") -> bool:
        """Into a new index, to which the alias moves when it is whole."""
        before = self._state()
        generation = before["_source"]["state"]["generation"] + 1 if before else 1
        new = f"{self._alias}-{uuid.uuid4().hex[:12]}"
        self._server.call("PUT", f"/{new}", index_body())
        try:
            self._bulk(new, (line for document in documents for line in _put(document, cursor)), size=2 * _BULK)
            self._server.call("PUT", f"/{new}/_doc/{_STATE}", _state(cursor, head, generation))
            self._server.call("POST", f"/{new}/_refresh")
            old = self._used()
            gone = [{"remove": {"index": one, "alias": self._alias}} for one in old]
            added = {"add": {"index": new, "alias": self._alias}}
            self._server.call("POST", "/_aliases", {"actions": [*gone, added]})
        except BaseException:
            self._server.call("DELETE", f"/{new}", allowed=(_MISSING,))
            raise
        for one in old:
            self._server.call("DELETE", f"/{one}", allowed=(_MISSING,))
        return True

    def search(self, query: SearchQuery) -> SearchPage:
        return search_stages(self._reader(), query)

    def suggest(self, prefix: str, limit: int) -> tuple[CatalogHit, ...]:
        return suggest_names(self._reader(), prefix, limit)

    def close(self) -> None:
        self._server.close()

    def _reader(self) -> _ServerReader:
        state = self._state()
        if state is None:
            return _ServerReader(self._server, None, 0)
        return _ServerReader(self._server, self._alias, int(state["_source"]["state"]["generation"]))

    def _state(self) -> dict[str, Any] | None:
        code, found = self._server.call("GET", f"/{self._alias}/_doc/{_STATE}", allowed=(_MISSING,))
        return None if code == _MISSING else found

    def _used(self) -> list[str]:
        code, found = self._server.call("GET", f"/_alias/{self._alias}", allowed=(_MISSING,))
        return [] if code == _MISSING else list(found)

    def _bulk(self, index: str, lines: Iterable[object], *, size: int) -> None:
        """A document that is there in a newer version stays."""
        every = iter(lines)
        while part := list(islice(every, size)):
            answer = self._server.bulk(f"/{index}/_bulk", part)
            if answer.get("errors"):
                _raise_refused(answer)


class _ServerReader:
    """Nothing is found where no index is."""

    def __init__(self, server: SearchServer, index: str | None, generation: int) -> None:
        self._server, self._index, self._generation = server, index, generation

    @property
    def generation(self) -> int:
        return self._generation

    def take(
        self, clause: Clause, sort: SearchSort, after: OrderKey | None, limit: int, skipped: int = 0
    ) -> Sequence[SearchDocument]:
        field = PRIMARY.get(sort)
        order: list[dict[str, str]] = [{field: "desc"}] if field else []
        body: dict[str, Any] = {
            "query": documents_only(clause),
            "size": limit,
            "sort": [*order, {ORDER: "asc"}],
            "track_total_hits": False,
        }
        if after is not None:
            body["search_after"] = [after.primary, after.order] if field else [after.order]
        if skipped:  # from one place to the next without documents: a server gives 10,000 hits at most
            passed = self._hits({**body, "size": skipped, "_source": False})
            if len(passed) < skipped:
                return []
            body["search_after"] = passed[-1]["sort"]
        hits = self._hits(body)
        return [SearchDocument.from_dict(hit["_source"]["document"]) for hit in hits]

    def few(
        self, stages: Sequence[tuple[int, Clause]], filters: Clause, most: int
    ) -> Sequence[tuple[int, SearchDocument]] | None:
        return None

    def count(self, clause: Clause) -> int:
        return int(self._ask("_count", {"query": documents_only(clause)}).get("count", 0))

    def facets(self, clause: Clause, wanted: Sequence[SearchFacet]) -> FacetCounts:
        asked = {name.value: {"terms": {"field": f"facet_{name.value}", "size": MOST_VALUES}} for name in wanted}
        body = {"query": documents_only(clause), "size": 0, "aggs": asked}
        found = self._ask("_search", body).get("aggregations", {})
        counts = {}
        for name in wanted:
            buckets = found.get(name.value, {}).get("buckets", [])
            values = [FacetCount(str(one["key"]), int(one["doc_count"])) for one in buckets]
            counts[name] = tuple(sorted(values, key=lambda one: (-one.count, one.value)))
        return counts

    def _hits(self, body: object) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("_search", body).get("hits", {}).get("hits", [])
        return found

    def _ask(self, what: str, body: object) -> dict[str, Any]:
        if self._index is None:
            return {}
        found: dict[str, Any] = self._server.call("POST", f"/{self._index}/{what}", body)[1]
        return found


def _put(document: SearchDocument, version: int) -> Iterator[object]:
    yield {"index": {**_named(document.id), **_versioned(version)}}
    fields: dict[str, Any] = {field: list(tokens) for field, tokens in tokens_of(document).items() if tokens}
    for field in ("name", "column_name"):
        if field in fields:
            fields[field] = " ".join(fields[field])
    yield {
        **fields,
        **{f"facet_{facet.value}": list(values) for facet, values in facet_values(document).items() if values},
        "document": document.to_dict(),
        ORDER: order_of(document.id, document.qualified_name),
        "rank": rank_of(document),
        "popularity": max(0, document.popularity),
        "fresh": freshness_of(document),
    }


def _named(document_id: str) -> dict[str, str]:
    """A server's id has at most 512 bytes."""
    return {"_id": f"d:{hashlib.sha256(document_id.encode()).hexdigest()}"}


def _versioned(version: int) -> dict[str, object]:
    return {"version": version, "version_type": "external_gte"}


def _state(cursor: int, head: str, generation: int) -> dict[str, object]:
    return {"state": {"cursor": cursor, "head": head, "generation": generation}}


def _raise_refused(answer: dict[str, Any]) -> None:
    for item in answer["items"]:
        ((_, outcome),) = item.items()
        if outcome["status"] not in (200, 201, _MISSING, _CONFLICT):
            reason = str(outcome.get("error", {}).get("reason", ""))
            raise ForgeError("E859", f"The search server refused a document: {outcome['status']}", why=reason[:300])
