"""Cases written from the specification before any check was read, run on the memory measurer."""

import pytest
from each_case import each_case
from fresh_cases import REFUSED, FreshCase, faults_of, fresh_cases
from fresh_rules import RULES
from fresh_tables import NOW, TABLES, FreshTable

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.quality.check import Check, Context
from forge.quality.measure import PREVIOUS, Measure, Reading
from forge.quality.plan import judge_all, plan_measures, plan_second_round
from forge.quality.verdict import Verdict
from forge.stores.memory.measure import MemoryMeasurer

OTHERS = {TableName.parse(table.name): table.rows for table in TABLES}
RUN = [case for case in fresh_cases() if case.table and case.only != "spark"]
READ = [case for case in fresh_cases() if REFUSED in case.verdicts]


def judge_in_memory(check: Check, table: FreshTable) -> Verdict:
    schema = Schema(tuple(Column(name, type_) for name, type_ in table.schema.items()))
    added = table.rows[len(table.before) :] if table.before is not None and table.appended else table.rows
    measurer = MemoryMeasurer(
        table.rows,
        OTHERS,
        columns=schema.names,
        predicates=RULES,
        versions={PREVIOUS: table.before},
        added={PREVIOUS: added},
    )
    readings: dict[Measure, Reading] = dict(measurer.measure(plan_measures([check], schema)))
    readings |= measurer.measure(plan_second_round([check], readings, schema))
    return judge_all([check], readings, Context(TableName.parse(table.name), schema, NOW))[0]


@each_case(RUN)
def test_the_memory_measurer_says_what_the_specification_says(case: FreshCase) -> None:
    check = case.load_unless_refused()
    if check is not None and case.table is not None:
        assert faults_of(case, judge_in_memory(check, case.table)) == []


@each_case([case for case in READ if case.verdicts == (REFUSED,)])
def test_what_is_no_check_is_refused_and_the_key_is_named(case: FreshCase) -> None:
    with pytest.raises(ForgeError) as refused:
        case.load()
    assert refused.value.code.endswith("E701")
    assert case.says in f"{refused.value.what} {refused.value.why}"


def test_no_two_cases_have_one_name() -> None:
    names = [str(case) for case in fresh_cases()]
    assert sorted(names) == sorted(set(names))
