"""What an error says of itself."""

from __future__ import annotations

import pytest

from forge.model.errors import ForgeError, ForgeErrors, UnknownNameError
from forge.versioning.errors import IncomparableCellsError, IncomparableError

ONE = ForgeError("E520", "amount became text", where="orders.yaml:17", why="Readers break.", fix="forge explain E520")
TWO = ForgeError("E105", "No such branch")


def test_the_text_of_an_error_carries_its_reason_and_its_fix() -> None:
    assert str(ONE).splitlines() == [
        "FORGE-E520 orders.yaml:17  amount became text",
        "  why: Readers break.",
        "  fix: forge explain E520",
    ]
    assert str(TWO) == "FORGE-E105 No such branch"


def test_lists_and_records_take_one_line() -> None:
    assert ONE.line == "FORGE-E520 orders.yaml:17  amount became text"


def test_several_errors_each_carry_their_own() -> None:
    both = ForgeErrors((ONE, TWO))
    assert str(both) == f"{ONE}\n{TWO}"
    assert both.line == f"{ONE.line}\n{TWO.line}"


def test_an_error_said_in_other_words_is_caught_as_before() -> None:
    error = UnknownNameError("There is no table core.orders", where="orders.sql:1", fix="forge show")
    with pytest.raises(UnknownNameError) as caught:
        raise error.but(where="orders.sql:3", why="Did you mean core.order?")
    assert caught.value.to_dict() == {
        "code": "FORGE-E108",
        "what": "There is no table core.orders",
        "where": "orders.sql:3",
        "why": "Did you mean core.order?",
        "fix": "forge show",
    }
    assert error.where == "orders.sql:1"


def test_an_error_without_values_is_caught_as_before() -> None:
    error = IncomparableCellsError("E611", "ada@x.org is there twice", without="A key is there twice", why="ada, ada")
    hidden = error.without_values()
    assert isinstance(hidden, IncomparableError)
    assert (hidden.code, hidden.what, hidden.why) == ("E611", "A key is there twice", None)
    assert "ada" not in f"{hidden} {hidden!r}"
