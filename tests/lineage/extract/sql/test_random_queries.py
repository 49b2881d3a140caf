"""Queries that nobody wrote for a case: put together at random, their edges known by how they were put together."""

from __future__ import annotations

import pytest
from random_queries import TABLES, TOPICS, random_query

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.sql.program import read_sql

CATALOG = TableCatalog(definitions_of(TABLES))
EACH = 12  # of every topic


@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
def test_a_query_gives_the_edges_it_was_put_together_from(topic: str) -> None:
    for seed in range(TOPICS.index(topic), EACH * len(TOPICS), len(TOPICS)):
        made = random_query(seed)
        found = flatten([read_sql(made.sql, CATALOG)])
        assert found.gaps == (), f"{seed}\n{made.sql}"
        pairs = {(str(edge.source), str(edge.target)) for edge in found.edges}
        assert pairs == made.pairs, f"{seed}\n{made.sql}"
