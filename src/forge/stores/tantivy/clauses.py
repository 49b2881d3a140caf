"""Clauses as queries of tantivy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forge.catalog.search.clause import (
    EVERYTHING,
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
    from tantivy import Occur, Query, Schema


_KEPT, _MANY = 5000, 16


class QueryTranslator:
    """A clause that stands in several stages is translated once."""

    def __init__(self, schema: Schema) -> None:
        from tantivy import Occur, Query

        self._schema, self._query, self._occur = schema, Query, Occur
        self._known: dict[int, tuple[Clause, Query]] = {}  # by identity: the clause is kept, so that it stays the same

    def __call__(self, clause: Clause) -> Query:
        known = self._known.get(id(clause))
        if known is None:
            if len(self._known) > _KEPT:
                self._known.clear()
            known = self._known[id(clause)] = (clause, self._translated(clause))
        return known[1]

    def _translated(self, clause: Clause) -> Query:
        query, schema = self._query, self._schema
        match clause:
            case HasToken(field, token):
                return query.term_query(schema, field, token, "basic")
            case HasPrefix(field, token):
                return query.fuzzy_term_query(schema, field, token, 0, True, True)
            case HasNear(field, token, typos):
                return query.fuzzy_term_query(schema, field, token, typos, True, False)
            case HasPhrase(field, tokens):
                return query.phrase_query(schema, field, list(tokens))
            case AllOf(clauses):
                return self._bool(*self._parts(clauses))
            case AnyOf(clauses):
                values = {one.token for one in clauses if isinstance(one, HasToken) and one.field == FILTER}
                if len(values) == len(clauses) > _MANY:
                    return query.term_set_query(schema, FILTER, sorted(values))
                if not clauses:
                    return query.empty_query()
                return self(clauses[0]) if len(clauses) == 1 else self._all(self._occur.Should, clauses)
            case Except(wanted, unwanted):
                return self._bool((self._occur.Must, self(wanted)), (self._occur.MustNot, self(unwanted)))

    def _parts(self, clauses: Sequence[Clause]) -> list[tuple[Occur, Query]]:
        """What has to hold, and what must not: in one query, so that nothing walks through all documents."""
        parts: list[tuple[Occur, Query]] = []
        for clause in clauses:
            match clause:
                case AllOf(inner):
                    parts += self._parts(inner) if inner else []
                case Except(wanted, unwanted) if wanted == EVERYTHING:
                    parts.append((self._occur.MustNot, self(unwanted)))
                case _:
                    parts.append((self._occur.Must, self(clause)))
        if not any(occur == self._occur.Must for occur, _ in parts):
            # all but the record of the index's own state
            state = self._query.term_query(self._schema, ID, STATE_ID, "basic")
            parts += [(self._occur.Must, self._query.all_query()), (self._occur.MustNot, state)]
        return parts

    def staged(self, stages: Sequence[tuple[int, Clause]], filters: Clause) -> Query:
        """The score of each result is its stage."""
        query = self._query
        scored = [query.const_score_query(self(clause), float(stage)) for stage, clause in stages]
        found = [(self._occur.Must, query.disjunction_max_query(scored))]
        for occur, part in self._parts(filters.clauses if isinstance(filters, AllOf) else (filters,)):
            found.append((occur, part if occur == self._occur.MustNot else query.const_score_query(part, 0.0)))
        return self._bool(*found)

    def both(self, one: Query, other: Query) -> Query:
        return self._bool((self._occur.Must, one), (self._occur.Must, other))

    def _all(self, occur: Occur, clauses: Sequence[Clause]) -> Query:
        return self._query.boolean_query([(occur, self(one)) for one in clauses])

    def _bool(self, *parts: tuple[Occur, Query]) -> Query:
        return self._query.boolean_query(parts)
