from __future__ import annotations

from forge.lineage.extract.spark.expand import ExpandCell, find_rows

TEXT = """Project [id#1L, k#7, v#8]
+- Expand [[id#1L, name, name#2], [id#1L, mail, cast(mail#3 as string)]], [id#1L, k#7, v#8]
   +- RelationV2[id#1L, name#2, mail#3] forge.core.customers
"""


def test_rows_are_those_of_the_node_with_the_same_output() -> None:
    assert find_rows(TEXT, (1, 7, 8)) == (
        (ExpandCell("id", (1,), True), ExpandCell("name", (), False), ExpandCell("name", (2,), True)),
        (ExpandCell("id", (1,), True), ExpandCell("mail", (), False), ExpandCell("cast(mail as string)", (3,), False)),
    )


def test_another_node_is_not_taken_for_it() -> None:
    assert find_rows(TEXT, (1, 7, 9)) == ()


def test_a_row_that_does_not_fit_is_not_guessed_at() -> None:
    assert find_rows("Expand [[id#1, a, b, x#2]], [id#1, k#7, v#8]", (1, 7, 8)) == ()
