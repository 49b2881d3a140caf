"""Why something could not be measured, in words that may be sent around."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

from forge.engines.spark.measure_columns import CannotMeasure, reason_of


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            """[CAST_INVALID_INPUT] The value 'ann@example.com' of the type "STRING" cannot be cast to "BIGINT".""",
            """A value of the type "STRING" cannot be cast to "BIGINT".""",
        ),
        (
            "[CANNOT_PARSE_TIMESTAMP] Text 'O'Neil, Ann' could not be parsed at index 0.",
            "A value could not be parsed at index 0.",
        ),
        ("[DIVIDE_BY_ZERO] Division by zero.", "Division by zero."),
    ],
)
def test_the_value_that_spark_tripped_over_is_not_told(said: str, told: str) -> None:
    assert reason_of(PySparkException(said)) == told


def test_words_of_our_own_stay_as_they_are() -> None:
    assert reason_of(CannotMeasure("The value 'x' of the type y")) == "The value 'x' of the type y"
