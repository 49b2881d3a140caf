from __future__ import annotations

import pytest

from forge.lineage.impact.type_change import casts_in, still_meets


def ids(pair: object) -> str:
    return str(pair)


@pytest.mark.parametrize(
    ("old", "new", "meets"),
    [
        ("int", "bigint", True),
        ("decimal(10,2)", "decimal(12,2)", True),
        ("varchar(5)", "string", True),
        ("float", "double", False),
        ("date", "timestamp", False),
    ],
    ids=ids,
)
def test_a_wider_join_key_still_meets_the_old_one(old: str, new: str, meets: bool) -> None:
    assert still_meets(old, new) is meets


@pytest.mark.parametrize(
    ("expression", "types"),
    [
        ("CAST(a AS INT)", ("INT",)),
        ("sum(cast(a as decimal(12, 2)))", ("decimal(12, 2)",)),
        ("try_cast(a as double precision)", ("double precision",)),
        ("a::bigint + b::numeric(4,1)", ("bigint", "numeric(4,1)")),
        ("cast(a as array<int>)", ("array<int>",)),
        ("a AS b", ()),
        ("SUM(a)", ()),
        ("broadcast_as(x)", ()),
    ],
    ids=ids,
)
def test_casts_are_found_in_expressions(expression: str, types: tuple[str, ...]) -> None:
    assert casts_in(expression) == types
