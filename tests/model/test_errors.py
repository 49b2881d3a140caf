"""What an error says of itself."""

from __future__ import annotations

from forge.model.errors import ForgeError, ForgeErrors

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
