"""The fields of the tantivy index, and a document in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from forge.catalog.search.document import SearchDocument
from forge.catalog.search.fields import EXACT, FILTER, IN_ORDER, TOKEN_FIELDS, facet_values, tokens_of
from forge.catalog.search.query import SearchFacet, SearchSort
from forge.catalog.search.rank import freshness_of, order_of, rank_of

if TYPE_CHECKING:
    from tantivy import Document, Schema

VERSION = 3  # of these fields, tokens and points; another one is another folder
ID, DOCUMENT, ORDER, STATE = "id", "document", "order", "state"
STATE_ID = "\x00state"  # of the document that says up to which change the index has come
PRIMARY = {SearchSort.RELEVANCE: "rank", SearchSort.POPULARITY: "popularity", SearchSort.FRESHNESS: "fresh"}
_WHOLE = (EXACT, FILTER, "column_exact")  # tokens that may hold spaces


def make_schema() -> Schema:
    from tantivy import SchemaBuilder

    builder = SchemaBuilder()
    builder.add_text_field(ID, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field(DOCUMENT, stored=True)
    builder.add_text_field(STATE, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(ORDER, stored=True, fast=True, tokenizer_name="raw", index_option="basic")
    for field in TOKEN_FIELDS:
        how = "position" if field in IN_ORDER else "basic"
        builder.add_text_field(field, tokenizer_name="raw" if field in _WHOLE else "whitespace", index_option=how)
    for facet in SearchFacet:
        builder.add_text_field(f"facet_{facet.value}", fast=True, tokenizer_name="raw", index_option="basic")
    for field in PRIMARY.values():
        builder.add_unsigned_field(field, fast=True)
    return builder.build()


def tantivy_document(document: SearchDocument, schema: Schema) -> Document:
    from tantivy import Document

    fields: dict[str, Any] = {
        ID: document.id,
        DOCUMENT: json.dumps(document.to_dict(), ensure_ascii=False, separators=(",", ":")).encode(),
        ORDER: order_of(document.id, document.qualified_name),
        "rank": rank_of(document),
        "popularity": max(0, document.popularity),
        "fresh": freshness_of(document),
    }
    for field, tokens in tokens_of(document).items():
        if tokens:
            fields[field] = list(tokens) if field in _WHOLE else " ".join(tokens)
    for facet, values in facet_values(document).items():
        if values:
            fields[f"facet_{facet.value}"] = list(values)
    return Document.from_dict(fields, schema)
