"""Why something could not be measured, in words that may be sent around."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException, PySparkException

from forge.engines.spark.errors import job_error
from forge.engines.spark.measure.columns import MeasureError, reason_of
from forge.flows.catalog.personal_data import hiding_values
from forge.model.errors import CellError, ForgeError


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
    assert reason_of(MeasureError("The value 'x' of the type y")) == "The value 'x' of the type y"


@pytest.mark.parametrize(
    "said",
    [
        "FORGE-E212 core.t: email = ada@example.com SQLSTATE: P0001",
        "FORGE-E611 core.t: email = ada@example.com\n\tat somewhere",
        "FORGE-E619 column age: ada@example.com",
        "[FAILED_READ_FILE] while reading file file:/a.csv. Malformed record: ada@example.com,x",
    ],
)
def test_an_error_that_repeats_values_can_be_told_without_them(said: str) -> None:
    error = job_error(RuntimeError(said), "core.t")
    assert isinstance(error, CellError)
    assert "ada@" in str(error)
    with pytest.raises(ForgeError) as shown, hiding_values(lambda: frozenset({"email"})):
        raise error
    assert (shown.value.code, "ada@" in str(shown.value)) == (error.code, False)
    with pytest.raises(CellError), hiding_values(frozenset):
        raise error
