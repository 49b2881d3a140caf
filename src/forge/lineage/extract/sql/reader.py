"""The reader of expressions and queries that a session passes to its scopes."""

from __future__ import annotations

from forge.lineage.extract.sql.expression import sources_of_expression, value_of_expression
from forge.lineage.extract.sql.query import relation_in_brackets, relation_of_query


class SqlReader:
    value = staticmethod(value_of_expression)
    sources = staticmethod(sources_of_expression)
    relation = staticmethod(relation_of_query)
    relation_in_brackets = staticmethod(relation_in_brackets)
