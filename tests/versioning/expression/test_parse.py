"""Expressions over (base, ours, theirs)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from math import isnan, nan

import pytest

from forge.model.errors import ForgeError
from forge.versioning.expression.parse import parse_expression


@pytest.mark.parametrize(
    ("text", "base", "ours", "theirs", "wanted"),
    [
        ("greatest(ours, theirs)", 1, 2, 3, 3),
        ("greatest(ours, theirs)", 1, None, 3, 3),
        ("greatest(ours, theirs)", 1, None, None, None),
        ("LEAST(Base, OURS, theirs)", 5, 2, 3, 2),
        ("greatest(ours, theirs)", None, date(2026, 1, 1), date(2026, 2, 1), date(2026, 2, 1)),
        ("greatest(ours, theirs)", None, "a", "B", "a"),
        ("base + (ours - base) + (theirs - base)", 10, 12, 15, 17),
        ("ours + theirs", None, Decimal("0.10"), Decimal("0.20"), Decimal("0.30")),
        ("(ours + theirs) / 2", None, 1, 2, 1.5),
        ("ours * theirs", None, None, 2, None),
        ("-ours % 3", None, 7, None, -1),
        ("coalesce(ours, theirs, base)", "b", None, None, "b"),
        ("nvl(ours, theirs)", None, None, 2, 2),
        ("nullif(ours, theirs)", None, 2, 2, None),
        ("if(ours > theirs, ours, base)", 0, 1, 2, 0),
        ("case when ours is null then theirs else ours end", None, None, 4, 4),
        ("case ours when 1 then 'one' end", None, 1, None, "one"),
        ("case ours when 1 then 'one' end", None, None, None, None),
        ("ours is not null and theirs = 2", None, 1, 2, True),
        ("ours = theirs or ours is null", None, None, 2, True),
        ("not ours = theirs", None, None, 2, None),
        ("ours <=> theirs", None, None, None, True),
        ("ours in (1, 2)", None, 2, None, True),
        ("ours between 1 and 3", None, 4, None, False),
        ("concat(ours, ' / ', theirs)", None, "a", "b", "a / b"),
        ("ours || theirs", None, "a", None, None),
        ("concat_ws(', ', ours, theirs)", None, "a", None, "a"),
        ("concat(ours, theirs)", None, [1], [2], [1, 2]),
        ("upper(trim(ours))", None, " a ", None, "A"),
        ("substring(ours, 2, 2)", None, "abcd", None, "bc"),
        ("length(ours)", None, "abc", None, 3),
        ("round(ours, 1)", None, Decimal("2.25"), None, Decimal("2.3")),
        ("floor(ours) + ceil(ours)", None, 1.5, None, 3),
        ("abs(ours)", None, -3, None, 3),
        ("cast(ours as int) + 1", None, "41", None, 42),
        ("cast(ours as decimal(10,2))", None, 1, None, Decimal("1.00")),
        ("cast(ours as date)", None, datetime(2026, 1, 2, 3, tzinfo=UTC), None, date(2026, 1, 2)),
        ("theirs", 1, 2, 3, 3),
        ("'fixed'", 1, 2, 3, "fixed"),
        ("NULL", 1, 2, 3, None),
        ("1.5", 1, 2, 3, Decimal("1.5")),
        ("true", 1, 2, 3, True),
    ],
)
def test_an_expression_is_worked_out_with_the_rules_of_sql(
    text: str, base: object, ours: object, theirs: object, wanted: object
) -> None:
    result = parse_expression(text).evaluate(base, ours, theirs)
    assert result == wanted
    assert type(result) is type(wanted)


def test_nan_is_the_largest_number() -> None:
    largest = parse_expression("greatest(ours, theirs)").evaluate(None, 1.0, nan)
    assert isinstance(largest, float)
    assert isnan(largest)
    assert parse_expression("least(ours, theirs)").evaluate(None, nan, 1.0) == 1.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "one expression"),
        ("ours theirs", "Expecting|Invalid|Unexpected|not something"),
        ("greatest(ours", "Expecting"),
        ("ours; theirs", "one expression"),
        ("select 1", "not something"),
        ("mine", "only base, ours and theirs"),
        ("t.ours", "only base, ours and theirs"),
        ("max(ours, theirs)", "not something"),
        ("java_method('java.lang.System', 'exit')", "not something"),
        ("(select max(amount) from orders)", "not something"),
        ("current_timestamp()", "not something"),
        ("ours" + " + 1" * 600, "longer"),
        ("(" * 200 + "ours" + ")" * 200, "nested too deeply"),
    ],
)
def test_what_is_not_on_the_list_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(ForgeError) as error:
        parse_expression(text)
    assert error.value.code == "E625"
    assert error.value.fix
    assert any(word in (error.value.why or "") for word in says.split("|")), error.value.why


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(ForgeError) as error:
        parse_expression("greatst(ours, theirs)")
    assert "greatest" in (error.value.fix or "")
    with pytest.raises(ForgeError) as error:
        parse_expression("max(ours, theirs)")
    assert "greatest" in (error.value.fix or "")


@pytest.mark.parametrize(
    ("text", "ours", "theirs"),
    [("ours + theirs", "a", 1), ("greatest(ours, theirs)", "a", 1), ("ours / 0", 1, 1), ("upper(ours)", 1, 1)],
)
def test_values_that_do_not_go_together_are_an_error_with_the_values(text: str, ours: object, theirs: object) -> None:
    with pytest.raises(ForgeError) as error:
        parse_expression(text).evaluate(None, ours, theirs)
    assert error.value.code == "E625"
    assert repr(ours) in error.value.what
