from __future__ import annotations

import pytest

from forge.model.errors import ForgeError, ForgeErrors, errors_of, raise_errors

ONE = ForgeError("E201", "first", where="a.sql:1")
TWO = ForgeError("E104", "second", where="b.sql:2", fix="mend it")


def test_a_group_has_the_code_of_the_first_and_shows_all() -> None:
    group = ForgeErrors([ONE, TWO])
    assert (group.code, group.errors) == ("E201", (ONE, TWO))
    assert str(group) == "FORGE-E201 a.sql:1  first\nFORGE-E104 b.sql:2  second\n  fix: mend it"


def test_groups_in_groups_are_flat() -> None:
    assert ForgeErrors([ForgeErrors([ONE]), TWO]).errors == (ONE, TWO)


def test_a_group_of_nothing_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="at least one"):
        ForgeErrors([])


def test_no_error_raises_nothing_one_is_raised_as_it_is_and_several_as_a_group() -> None:
    raise_errors([])
    with pytest.raises(ForgeError) as single:
        raise_errors([ForgeErrors([ONE])])
    assert single.value is ONE
    with pytest.raises(ForgeErrors) as several:
        raise_errors([ONE, TWO])
    assert errors_of(several.value) == (ONE, TWO)
