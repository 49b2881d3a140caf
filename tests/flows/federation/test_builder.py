"""The text of a query as the query builder shows it."""

from __future__ import annotations

import pytest

from forge.federation.builder.outline import NotShown
from forge.federation.builder.query import BuilderQuery
from forge.flows.federation.builder import outline_text
from forge.model.errors import ForgeError


def test_what_is_not_shown_has_line_and_column() -> None:
    found = outline_text("SELECT id,\n  upper(city) AS city -- loud\nFROM till.customers")
    assert found.found == NotShown("an expression, `UPPER(city)`", 13)
    assert found.where == "query:2:3"


def test_pipes_are_not_shown_though_their_meaning_could_be() -> None:
    found = outline_text("FROM till.customers |> WHERE id = 1")
    assert isinstance(found.found, NotShown)
    assert found.where == "query:1:21"


@pytest.mark.parametrize(("text", "has"), [("SELECT id -- the key\nFROM a.b", True), ("SELECT `--` FROM a.b", False)])
def test_who_changes_a_query_is_told_of_its_comments(text: str, has: bool) -> None:
    found = outline_text(text)
    assert isinstance(found.found, BuilderQuery)
    assert found.has_comments is has


@pytest.mark.parametrize(
    ("text", "code"), [("SELEC 1", "E201"), ("DROP TABLE a.b", "E213"), ("", "E213"), ("'", "E201")]
)
def test_what_is_no_query_is_an_error(text: str, code: str) -> None:
    with pytest.raises(ForgeError) as caught:
        outline_text(text)
    assert caught.value.code == code
