"""A few thousand of the texts that `make fuzz-gate` throws at the gate."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bench.gate.fuzz import attack
from bench.gate.texts import texts

pytestmark = pytest.mark.spark


def test_no_text_that_is_let_through_has_a_plan_outside_the_list(spark: SparkSession, tmp_path: Path) -> None:
    found = attack(spark, tmp_path, 2000, seed=7, share=20)
    assert found.breaches == []
    assert found.crashes == []
    assert found.let_through > 100, "honest texts pass, else nothing is shown"
    assert sum(found.refused.values()) > 500
    assert found.run > 0


def test_the_same_seed_gives_the_same_texts() -> None:
    assert list(texts(3, 200, "a", "b")) == list(texts(3, 200, "a", "b"))
    assert list(texts(3, 200, "a", "b")) != list(texts(4, 200, "a", "b"))
