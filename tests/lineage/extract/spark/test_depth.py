from __future__ import annotations

import pytest

from forge.lineage.extract.spark.depth import nesting, reads_unnamed, tables_in


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("Project [id#1]", 0),
        ("Project [CASE WHEN (a#1 = 1) THEN b#2 ELSE c#3 END AS x#4]", 1),
        ("Project [CASE WHEN a#1 THEN CASE WHEN b#2 THEN 1 END ELSE 2 END AS x#4]", 2),
        ("Project [CASE WHEN a#1 THEN 1 END AS x#4, CASE WHEN b#2 THEN 1 END AS y#5]", 1),
        ("Project [CASE WHEN a#1 THEN 1 WHEN b#2 THEN 2 WHEN c#3 THEN 3 END AS x#4]", 1),
        ("Project [nvl(nvl(nvl(a#1, b), c), d) AS x#4]", 3),
        ("Project [nvl(cast(CASE WHEN (f(a#1)) THEN 1 END as string), d) AS x#4]", 2),
        ("Project [concat(upper(trim(a#1)), b#2) AS x#4]", 0),
        ("Filter CASE WHEN a#1 THEN 1 END\n+- Filter CASE WHEN a#1 THEN 1 END", 1),
    ],
)
def test_nesting_counts_conditions_inside_conditions(text: str, depth: int) -> None:
    assert nesting(text) == depth


def test_tables_are_found_in_the_text() -> None:
    text = """Join Inner
:- SubqueryAlias forge.core.orders
:  +- RelationV2[id#1L, amount#2] forge.core.orders VERSION AS OF '12'
+- RelationV2[id#3L] forge.core.customers
"""
    assert tables_in(text) == {"forge.core.orders", "forge.core.customers"}
    assert not reads_unnamed(text)


def test_files_are_seen_in_the_text() -> None:
    assert reads_unnamed("Project [id#1]\n+- Relation [id#1,name#2] csv\n")
