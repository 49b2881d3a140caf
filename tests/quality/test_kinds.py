"""A kind of measure is described once and registered once for each engine; nothing else knows its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from memory_checks import judge_rows, schema_of

import forge
from forge.engines.spark.measure.kinds import SPARK_KINDS
from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding, count_in
from forge.quality.kinds import KINDS, MeasureKind, MeasureSource, has_sql, reading_of_no_rows, sql_of
from forge.quality.measure import Cost, Measure, Readings
from forge.quality.plan import cost_of
from forge.quality.state import add, adds_up
from forge.stores.lake.measure import MANIFEST_KINDS
from forge.stores.memory.measure import MEMORY_KINDS

ROOT = Path(forge.__file__).parent
SCHEMA = schema_of(name="string", age="bigint")


def test_every_kind_is_registered_in_each_engine_and_in_the_manifests_where_they_can_answer_it() -> None:
    computed = {name for name, kind in KINDS.items() if kind.source is not MeasureSource.HISTORY}
    assert set(MEMORY_KINDS) == computed
    assert set(SPARK_KINDS) == computed
    assert set(MANIFEST_KINDS) == {name for name, kind in KINDS.items() if kind.cost is Cost.METADATA}


@pytest.mark.parametrize("name", SPARK_KINDS)
def test_spark_reads_a_kind_in_the_scan_or_in_a_job_of_its_own(name: str) -> None:
    assert (SPARK_KINDS[name].aggregate is None) is not (SPARK_KINDS[name].job is None)
    if KINDS[name].cost is Cost.NARROW:
        assert SPARK_KINDS[name].job is not None


def test_the_cost_depends_on_the_type_of_the_column_and_on_which_rows_count() -> None:
    costs = {
        Measure(kind="rows"): Cost.METADATA,
        Measure(kind="rows", where="age > 1"): Cost.PLAIN,
        Measure(kind="nulls", columns=("name",)): Cost.METADATA,
        Measure(kind="min", columns=("age",)): Cost.METADATA,
        Measure(kind="min", columns=("age",), by=("name",)): Cost.PLAIN,
        Measure(kind="min", columns=("name",)): Cost.STRING,
        Measure(kind="outside_range", columns=("age",), arguments=(0, 1)): Cost.METADATA,
        Measure(kind="outside_range", columns=("name",), arguments=("a", "b")): Cost.PLAIN,
        Measure(kind="distinct", columns=("age",)): Cost.STRING,
        Measure(kind="duplicates", columns=("age",)): Cost.NARROW,
        Measure(kind="unheard of"): Cost.PLAIN,
    }
    assert {measure: cost_of(measure, SCHEMA) for measure in costs} == costs


def test_sql_of_the_user_is_the_filter_and_the_predicate() -> None:
    assert sql_of(Measure(kind="false", arguments=("age > 1",), where="name > 'a'")) == (
        "name > 'a'",
        "age > 1",
    )
    assert not has_sql(Measure(kind="not_matching", columns=("name",), arguments=("age > 1",)))


def compared_kinds(source: str) -> Iterator[str]:
    """Names of kinds that `….kind` is compared or matched with."""
    for node in ast.walk(ast.parse(source)):
        sides: list[ast.AST] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Match):
            sides = [node.subject, *(case.pattern for case in node.cases)]
        if any(isinstance(side, ast.Attribute) and side.attr == "kind" for side in sides):
            constants = [part for side in sides for part in ast.walk(side) if isinstance(part, ast.Constant)]
            yield from (part.value for part in constants if isinstance(part.value, str) and part.value in KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("room", ["quality", "engines/spark", "stores", "flows/quality", "api/quality", "cli/quality"])
def test_nothing_asks_for_the_name_of_a_kind(room: str) -> None:
    asking = {str(path): list(compared_kinds(path.read_text("utf-8"))) for path in (ROOT / room).rglob("*.py")}
    assert {path: names for path, names in asking.items() if names} == {}


def test_that_rule_sees_what_it_forbids() -> None:
    assert list(compared_kinds('if measure.kind == "rows": pass')) == ["rows"]
    assert list(compared_kinds('if one.kind in ("min", "x"): pass')) == ["min"]
    assert list(compared_kinds('match m.kind:\n  case "rows" | "nulls": pass')) == ["rows", "nulls"]


LONGEST = MeasureKind(name="longest", about="characters of the longest value of columns[0]: int", merge=max)  # type: ignore[arg-type]  # two ints


@dataclass(frozen=True, slots=True)
class Short(Check):
    """No value has more than `most` characters."""

    type: ClassVar[str] = "short"
    words: ClassVar[tuple[str, ...]] = ("short",)

    column: str
    most: int

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({self.measure("longest", (self.column,))})

    def decide(self, readings: Readings, context: Context) -> Finding:
        found = count_in(readings, self.measure("longest", (self.column,)))
        return Finding(found > self.most, f"{self.column}: the longest has {found} characters")


def test_a_kind_that_is_only_registered_is_measured_kept_and_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[dict[str, object]] = [{"name": "Ann"}, {"name": None}, {"name": "Bernadette"}]
    assert judge_rows(Short("name", 3), rows, SCHEMA).outcome == "not measured"
    monkeypatch.setitem(KINDS, "longest", LONGEST)
    monkeypatch.setitem(MEMORY_KINDS, "longest", lambda asked: max(map(len, map(str, asked.filled())), default=0))
    verdict = judge_rows(Short("name", 3), rows, SCHEMA)
    assert (verdict.outcome, verdict.message) == ("failed", "name: the longest has 10 characters")
    measure = Measure(kind="longest", columns=("name",))
    assert adds_up(measure)
    assert add(measure, 3, 10) == 10
    assert reading_of_no_rows(measure) == 0
