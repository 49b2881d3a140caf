"""SQL over the network cannot call Java in the server's process."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from forge.engines.spark.session.session import _forget_java

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("name", ["reflect", "java_method", "try_reflect"])
def test_a_polite_session_knows_no_function_that_calls_java(spark: SparkSession, name: str) -> None:
    apart = spark.newSession()
    call = f"SELECT {name}('java.lang.Math', 'abs', -1)"
    assert apart.sql(call).collect()[0][0] == "1"
    _forget_java(apart)
    with pytest.raises(AnalysisException, match="UNRESOLVED_ROUTINE"):
        apart.sql(call)
    assert spark.sql(call).collect()[0][0] == "1", "other sessions are as they were"
