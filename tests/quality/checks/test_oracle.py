"""Every type of check on random tables, against an oracle that was written apart from it."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from check_oracle import NEAR, outcome_of
from hypothesis import event, given, settings
from hypothesis import strategies as st
from memory_checks import NOW, Rows, judge_rows, written
from quick_examples import examples
from random_checks import COMMON, CUSTOMERS, PARENTS, POSITIVE, ROWS, SCHEMA, WRITTEN, positive


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITTEN)
def test_a_check_says_what_the_oracle_says(kind: str) -> None:
    @settings(max_examples=examples(25))
    @given(WRITTEN[kind], COMMON, ROWS, st.none() | ROWS)
    def compare(check: dict[str, Any], common: dict[str, Any], rows: Rows, previous: Rows | None) -> None:
        check = check | common
        expected = outcome_of(check, rows, now=NOW, previous=previous, parents=PARENTS, rules={POSITIVE: positive})
        event(expected)
        verdict = judge_rows(
            written(**check),
            rows,
            SCHEMA,
            previous=previous,
            others={CUSTOMERS: PARENTS},
            predicates={POSITIVE: positive},
        )
        assert expected in (verdict.outcome.value, NEAR), (verdict, expected)
        json.dumps(verdict.details, allow_nan=False)

    compare()


def test_the_oracle_itself_says_all_three() -> None:
    rows = [{"amount": Decimal(1)}, {"amount": Decimal(9)}]
    check = {"type": "mean", "column": "amount", "max": 5}
    assert outcome_of(check, rows, now=NOW) == "passed"
    assert outcome_of(check | {"max": 4}, rows, now=NOW) == "failed"
    assert outcome_of(check, [], now=NOW) == "not measured"
