"""What the standard calls the types of a table."""

from __future__ import annotations

import pytest

from forge.contracts.schema.types import holds, logical_of


@pytest.mark.parametrize(
    ("actual", "logical"),
    [
        ("bigint", "integer"),
        ("int unsigned", "integer"),
        ("decimal(12,2)", "number"),
        ("varchar(3)", "string"),
        ("timestamp_ntz", "timestamp"),
        ("struct<a:int>", "object"),
        ("map<string,int>", "map"),
        ("array<float>", "array"),
        ("void", None),
    ],
)
def test_a_type_has_a_word_in_the_standard(actual: str, logical: str | None) -> None:
    assert logical_of(actual) == logical
    assert logical is None or holds(logical, actual)
