"""Clauses, orders and fields in the words of OpenSearch and Elasticsearch."""

from __future__ import annotations

from typing import Any

from forge.catalog.search.clause import (
    AllOf,
    AnyOf,
    Clause,
    Except,
    HasNear,
    HasPhrase,
    HasPrefix,
    HasToken,
)
from forge.catalog.search.fields import FILTER, IN_ORDER, TOKEN_FIELDS
from forge.catalog.search.query import SearchFacet, SearchSort

PRIMARY = {SearchSort.RELEVANCE: "rank", SearchSort.POPULARITY: "popularity", SearchSort.FRESHNESS: "fresh"}
ORDER = "order"
_MOST_WORDS = 4096  # near or with the same beginning; the servers' default of 50 would lose results without a word


def json_query(clause: Clause) -> dict[str, Any]:
    match clause:
        case HasToken(field, token):
            return {"term": {field: {"value": token}}}
        case HasPrefix(field, token):
            return {"prefix": {field: {"value": token}}}
        case HasNear(field, token, typos):
            return {"fuzzy": {field: {"value": token, "fuzziness": typos, "max_expansions": _MOST_WORDS}}}
        case HasPhrase(field, tokens):
            return {"match_phrase": {field: {"query": " ".join(tokens), "analyzer": "whitespace"}}}
        case AllOf(clauses):
            return {"bool": {"filter": [json_query(one) for one in clauses]}} if clauses else {"match_all": {}}
        case AnyOf(clauses):
            values = [one.token for one in clauses if isinstance(one, HasToken) and one.field == FILTER]
            if not clauses:
                return {"match_none": {}}
            if len(values) == len(clauses):
                return {"terms": {FILTER: values}}
            return {"bool": {"should": [json_query(one) for one in clauses], "minimum_should_match": 1}}
        case Except(wanted, unwanted):
            return {"bool": {"filter": [json_query(wanted)], "must_not": [json_query(unwanted)]}}


def documents_only(clause: Clause) -> dict[str, Any]:
    """Without the record of the index's own state."""
    return {"bool": {"filter": [json_query(clause), {"exists": {"field": ORDER}}]}}


def index_body() -> dict[str, Any]:
    """One shard: a refresh shows all of a batch at once, and counts of facets are exact. Nothing is shown before it is
    asked for."""
    words = {"type": "text", "analyzer": "whitespace", "norms": False}
    whole = {"type": "keyword"}
    fields: dict[str, Any] = {field: words if field in IN_ORDER else whole for field in TOKEN_FIELDS}
    fields |= {f"facet_{facet.value}": whole for facet in SearchFacet}
    fields |= {field: {"type": "long"} for field in PRIMARY.values()}
    fields |= {
        ORDER: whole,
        "document": {"type": "object", "enabled": False},
        "state": {"type": "object", "enabled": False},
    }
    return {
        "settings": {"index": {"number_of_shards": 1, "refresh_interval": "-1"}},
        "mappings": {"dynamic": "strict", "_source": {"includes": ["document", "state"]}, "properties": fields},
    }
