"""Why something could not be measured, in words that may be sent around."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException, PySparkException

from forge.engines.spark.measure_columns import CannotMeasure, reason_of


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            """[CAST_INVALID_INPUT] The value 'ann@example.com' of the type "STRING" cannot be cast to "BIGINT".""",
            """A value of the type "STRING" cannot be cast to "BIGINT\"""",
        ),
        (
            """[CAST_INVALID_INPUT] The value 'ann@example.com
' of the type "ANN" cannot be cast to "B"' of the type "STRING" cannot be cast to "DECIMAL(3,1)" because …""",
            """A value of the type "STRING" cannot be cast to "DECIMAL(3,1)\"""",
        ),
        (
            "[CANNOT_PARSE_TIMESTAMP] Text 'O'Neil, Ann' could not be parsed at index 0.",
            "Spark cannot compute it for a value: cannot parse timestamp",
        ),
        ("[USER_RAISED_EXCEPTION] Ann SQLSTATE: P0001", "Spark cannot compute it for a value: user raised exception"),
        ("[INVALID_PARAMETER_VALUE.PATTERN] (Ann", "Spark cannot compute it for a value: invalid parameter value"),
        ("Job aborted: java.time.DateTimeException: Ann", "Spark failed on it; its log tells why"),
        ("Job aborted: java.lang.StackOverflowError", "a pattern or an expression went too deep on a value"),
        ("[DIVIDE_BY_ZERO] Division by zero.", "Division by zero."),
    ],
)
def test_the_value_that_spark_tripped_over_is_not_told(said: str, told: str) -> None:
    assert reason_of(PySparkException(said)) == told


def test_what_is_wrong_with_the_words_of_a_check_is_told_whole() -> None:
    said = "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column with name `amuont` cannot be resolved. Did you mean `amount`?"
    assert "`amount`" in reason_of(AnalysisException(said))


def test_words_of_our_own_stay_as_they_are() -> None:
    assert reason_of(CannotMeasure("The value 'x' of the type y")) == "The value 'x' of the type y"
