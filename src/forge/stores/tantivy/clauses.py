"""Clauses as queries of tantivy."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from forge.catalog.search.fields import FILTER
from forge.stores.tantivy.schema import ID, STATE_ID

if TYPE_CHECKING:
    from tantivy import Query, Schema


def query_of(clause: Clause, schema: Schema) -> Query:
    from tantivy import Occur, Query

    match clause:
        case HasToken(field, token):
            return Query.term_query(schema, field, token, "basic")
        case HasPrefix(field, token):
            return Query.fuzzy_term_query(schema, field, token, 0, True, True)
        case HasNear(field, token, typos):
            return Query.fuzzy_term_query(schema, field, token, typos, True, False)
        case HasPhrase(field, tokens):
            return Query.phrase_query(schema, field, list(tokens))
        case AllOf(clauses):
            if not clauses:  # all but the record of the index's own state
                state = Query.term_query(schema, ID, STATE_ID, "basic")
                return Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, state)])
            return Query.boolean_query([(Occur.Must, query_of(one, schema)) for one in clauses])
        case AnyOf(clauses):
            values = {one.token for one in clauses if isinstance(one, HasToken) and one.field == FILTER}
            if len(values) == len(clauses) > 8:
                return Query.term_set_query(schema, FILTER, sorted(values))
            if not clauses:
                return Query.empty_query()
            return Query.boolean_query([(Occur.Should, query_of(one, schema)) for one in clauses])
        case Except(wanted, unwanted):
            return Query.boolean_query(
                [(Occur.Must, query_of(wanted, schema)), (Occur.MustNot, query_of(unwanted, schema))]
            )
