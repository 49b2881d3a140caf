"""The policies, on facts: what each finds, at which place, and whether it blocks."""

from __future__ import annotations

import pytest

from forge.contracts.contract import Contract, FilePlace, TableContract, Violation
from forge.contracts.policy import Enforcement, Governance, PolicyFinding, ProjectFacts, TableFacts, find_violations
from forge.contracts.policy.custom import COLUMN_FACTS, TABLE_FACTS, holds
from forge.contracts.policy.facts import CheckFacts, ColumnFacts, ContractFacts, InputFacts
from forge.contracts.policy.governance import (
    CoveragePolicy,
    DocumentationPolicy,
    FactCondition,
    NamingPolicy,
    PolicyRule,
)
from forge.model.schema import Column, Schema
from forge.settings import governance_keys

HERE = FilePlace("transforms/core/orders.sql", 3, 1)


def table(name: str = "core.orders", **more: object) -> TableFacts:
    return TableFacts(**{"table": name, "place": HERE, **more})  # type: ignore[arg-type]


def facts(*tables: TableFacts, **more: object) -> ProjectFacts:
    return ProjectFacts({each.table: each for each in tables}, **more)  # type: ignore[arg-type]


def codes(found: tuple[PolicyFinding, ...]) -> list[str]:
    return [f"{each.policy_type} {each.violation.code} {each.violation.severity}" for each in found]


def test_without_governance_a_project_that_can_run_has_no_findings() -> None:
    assert find_violations(facts(table()), Governance()) == ()


@pytest.mark.parametrize(
    ("naming", "said"),
    [
        (NamingPolicy(tables="[a-z]+"), []),
        (NamingPolicy(tables="fct_.*"), ["the table name 'orders' does not match fct_.*"]),
        (NamingPolicy(schemas="(raw|marts)"), ["the schema name 'core' (core.orders) does not match (raw|marts)"]),
        (NamingPolicy(by_table={"core.*": "dim_.*"}), ["the table name 'orders' does not match dim_.*"]),
        (NamingPolicy(by_table={"marts.*": "dim_.*"}), []),
        (NamingPolicy(tables="fct_.*", only=("marts.*",)), []),
        (NamingPolicy(columns="[a-z_]+"), ["the column name 'orderID' of core.orders does not match [a-z_]+"]),
    ],
)
def test_names_have_to_match_as_a_whole(naming: NamingPolicy, said: list[str]) -> None:
    columns = (ColumnFacts(name="orderID", place=HERE), ColumnFacts(name="amount", place=HERE))
    found = find_violations(facts(table(columns=columns)), Governance(naming=(naming,)))
    assert [each.violation.message for each in found] == said
    assert {each.violation.code for each in found} <= {"E540"}


def test_a_name_that_only_its_case_spoils_is_answered_with_the_better_one() -> None:
    columns = (ColumnFacts(name="orderID", place=FilePlace("contracts/o.odcs.yaml", 9, 5)),)
    (found,) = find_violations(facts(table(columns=columns)), Governance(naming=(NamingPolicy(columns="[a-z_]+"),)))
    assert found.violation.fix.startswith("Call it order_id.")
    assert (found.violation.where, found.violation.column) == ("contracts/o.odcs.yaml:9", 5)


def check(type_: str = "not_null", *columns: str, refers: tuple[str, ...] = ()) -> CheckFacts:
    return CheckFacts(type_, columns, FilePlace("checks/core.yaml", 4), refers)


@pytest.mark.parametrize(
    ("coverage", "checks", "said"),
    [
        (CoveragePolicy(), (), "core.orders has no checks, 1 is wanted"),
        (CoveragePolicy(min_checks=2), (check(),), "core.orders has 1 check, 2 are wanted"),
        (CoveragePolicy(unique_key=True), (check(),), "core.orders has no check that its key is unique"),
        (CoveragePolicy(unique_key=True), (check("unique", "id"),), None),
        (CoveragePolicy(min_percentage=50), (), None),
        (
            CoveragePolicy(min_percentage=51),
            (),
            "core.orders has no checks, 1 is wanted; 50 % of the tables have enough",
        ),
        (CoveragePolicy(only=("marts.*",)), (), None),
    ],
)
def test_coverage_counts_the_checks_of_what_transforms_make(
    coverage: CoveragePolicy, checks: tuple[CheckFacts, ...], said: str | None
) -> None:
    other = table("core.items", checks=(check("unique", "id"), check()))
    source = table("raw.orders", is_source=True)
    found = find_violations(facts(table(checks=checks), other, source), Governance(coverage=(coverage,)))
    assert [each.violation.message for each in found] == ([said] if said else [])


def test_sources_count_where_they_are_named() -> None:
    source = table("raw.orders", is_source=True)
    assert codes(find_violations(facts(source), Governance(coverage=(CoveragePolicy(only=("raw.*",)),)))) == [
        "coverage E541 error"
    ]


def test_documentation_wants_tables_columns_and_owners_described() -> None:
    columns = (ColumnFacts(name="id", place=HERE, description="Number"), ColumnFacts(name="amount", place=HERE))
    wanted = DocumentationPolicy(owner=True, severity="warning")
    found = find_violations(facts(table(columns=columns)), Governance(documentation=(wanted,)))
    assert [each.violation.message for each in found] == [
        "core.orders has no description",
        "core.orders has no owner",
        "the column core.orders.amount has no description",
    ]
    assert not any(each.blocks for each in found)


def test_documentation_may_ask_for_a_part_only() -> None:
    columns = (ColumnFacts(name="id", place=HERE, description="Number"), ColumnFacts(name="amount", place=HERE))
    described = table(columns=columns, description="Orders")
    for percentage, number in ((66, 0), (67, 1)):
        wanted = DocumentationPolicy(min_percentage=percentage)
        assert len(find_violations(facts(described), Governance(documentation=(wanted,)))) == number


def reads(*names: str) -> tuple[InputFacts, ...]:
    return tuple(InputFacts(name, FilePlace("transforms/core/orders.sql", 10 + i, 6)) for i, name in enumerate(names))


def test_a_table_that_nobody_makes_is_told_at_the_line_that_reads_it() -> None:
    found = find_violations(facts(table(inputs=reads("raw.ordres")), table("raw.orders")), Governance())
    assert codes(found) == ["semantic E543 error"]
    assert found[0].violation.where == "transforms/core/orders.sql:10"
    assert found[0].violation.fix.startswith("Did you mean raw.orders")
    assert found[0].blocks, "a project that cannot run is not compiled whatever the enforcement"


def test_tables_of_the_lake_are_known() -> None:
    known = facts(table(inputs=reads("raw.orders")), known=frozenset({"raw.orders"}))
    assert find_violations(known, Governance()) == ()


def test_what_a_broken_file_may_make_is_not_called_missing() -> None:
    unread = facts(table(inputs=reads("raw.orders")), unread=frozenset({"raw.orders"}))
    assert find_violations(unread, Governance()) == ()


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        ({"a.a": ["a.a"]}, ["a.a reads itself"]),
        ({"a.a": ["a.b"], "a.b": ["a.a"]}, ["tables read each other in a circle: a.a → a.b → a.a"]),
        ({"a.a": ["a.b"], "a.b": ["a.c"], "a.c": []}, []),
        (
            {"a.a": ["a.b"], "a.b": ["a.a"], "b.a": ["b.b"], "b.b": ["b.a", "a.a"]},
            [
                "tables read each other in a circle: a.a → a.b → a.a",
                "tables read each other in a circle: b.a → b.b → b.a",
            ],
        ),
        (
            {"a.a": ["a.b", "a.d"], "a.b": ["a.c"], "a.c": ["a.a"], "a.d": ["a.a"]},
            ["tables read each other in a circle: a.a → a.d → a.a"],
        ),
        ({"a.x": ["a.a"], "a.a": ["a.a"]}, ["a.a reads itself"]),
    ],
)
def test_a_circle_is_told_once_along_its_shortest_way(edges: dict[str, list[str]], said: list[str]) -> None:
    tables = [table(name, inputs=reads(*names)) for name, names in edges.items()]
    found = find_violations(facts(*tables), Governance())
    assert [each.violation.message for each in found] == said
    assert {each.violation.code for each in found} <= {"E544"}


def test_a_check_that_looks_up_what_nobody_makes_is_an_error() -> None:
    found = find_violations(facts(table(checks=(check("foreign_key", "a", refers=("core.gone",)),))), Governance())
    assert codes(found) == ["semantic E543 error"]
    assert found[0].violation.where == "checks/core.yaml:4"


def test_a_check_of_a_column_is_held_against_the_table_where_it_exists() -> None:
    columns = (ColumnFacts(name="amount", place=HERE),)
    asked = (check("not_null", "amount"), check("not_null", "amont"), check("range", "amount.net"))
    assert find_violations(facts(table(checks=asked, columns=columns)), Governance()) == ()
    there = table(checks=asked, columns=columns, schema=Schema((Column("amount", "int"),)))
    found = find_violations(facts(there), Governance())
    assert codes(found) == ["semantic E543 warning"]
    assert found[0].violation.fix == "Did you mean amount?"


def test_files_that_cannot_be_read_are_findings_with_their_own_code() -> None:
    problem = Violation(
        code="E201", severity="error", file="transforms/a.sql", line=2, column=5, path="", message="no SQL", fix=""
    )
    found = find_violations(facts(problems=(problem,)), Governance())
    assert codes(found) == ["semantic E201 error"]


@pytest.mark.parametrize(
    ("condition", "value", "held"),
    [
        (FactCondition(exists=True), "x", True),
        (FactCondition(exists=True), "  ", False),
        (FactCondition(exists=True), (), False),
        (FactCondition(exists=False), None, True),
        (FactCondition(matches="@shop"), "a@shop.example", True),
        (FactCondition(matches="^gold$"), ("silver", "gold"), True),
        (FactCondition(matches="x"), None, False),
        (FactCondition(equals=(None,)), None, True),
        (FactCondition(equals=(True,)), True, True),
        (FactCondition(equals=(3,)), 4, False),
        (FactCondition(one_of=("pii", "phi")), "phi", True),
        (FactCondition(one_of=("pii",)), None, False),
        (FactCondition(contains=("gold",)), ("gold",), True),
        (FactCondition(contains=("gold",)), (), False),
        (FactCondition(contains=("old",)), "gold", True),
        (FactCondition(min=2), ("a",), False),
        (FactCondition(min=2, max=3), 3, True),
        (FactCondition(max=1), None, True),
    ],
)
def test_conditions_of_custom_rules(condition: FactCondition, value: object, held: bool) -> None:
    assert holds(condition, value) is held


def test_a_custom_rule_holds_where_its_when_does() -> None:
    rule = PolicyRule(
        name="gold-owner",
        message="Gold tables have an owner of the company",
        when={"tags": FactCondition(contains=("gold",))},
        require={"owner": FactCondition(matches="@shop.example$")},
    )
    gold = table("core.a", tags=("gold",), owner="me@home.example")
    plain = table("core.b", owner="me@home.example")
    (found,) = find_violations(facts(gold, plain), Governance(custom=(rule,)))
    assert found.violation.message == (
        "core.a: Gold tables have an owner of the company (owner is me@home.example, it has to match @shop.example$)"
    )
    assert (found.violation.code, found.rule) == ("E545", "E545/gold-owner")


def test_a_custom_rule_may_be_about_columns_and_forbid() -> None:
    rule = PolicyRule(
        name="no-float", each="column", forbid={"type": FactCondition(one_of=("float", "double"))}, severity="warning"
    )
    columns = (ColumnFacts(name="a", place=HERE, type="double"), ColumnFacts(name="b", place=HERE, type="int"))
    (found,) = find_violations(facts(table(columns=columns)), Governance(custom=(rule,)))
    assert found.violation.message == "core.orders.a: type is double, it must not be one of float, double"
    assert found.violation.severity == "warning"


def test_settings_know_the_facts_that_rules_can_ask_about() -> None:
    assert set(governance_keys.TABLE_FACTS) == set(TABLE_FACTS)
    assert set(governance_keys.COLUMN_FACTS) == set(COLUMN_FACTS)


def test_a_required_contract_that_is_missing_is_e500_for_outputs_of_transforms_only() -> None:
    governance = Governance(required_for=("CORE.*", "raw.*"))
    source = table("raw.orders", is_source=True)
    unmade = table("core.old", is_made=False)
    found = find_violations(facts(table(), source, unmade, table("marts.x")), governance)
    assert [(each.violation.code, each.table, each.blocks) for each in found] == [("E500", "core.orders", False)]
    assert found[0].violation.fix == "Run: forge contract init core.orders"


def test_a_contract_that_cannot_be_read_is_not_called_missing() -> None:
    governance = Governance(required_for=("core.*",))
    assert find_violations(facts(table(has_broken_contract=True)), governance) == ()


WRONG = Violation(
    code="E501",
    severity="error",
    file="contracts/o.odcs.yaml",
    line=1,
    column=1,
    path="version",
    message="no version",
    fix="",
)
WEAK = Violation(
    code="E510",
    severity="error",
    file="contracts/o.odcs.yaml",
    line=2,
    column=1,
    path="schema[0]",
    message="weaker",
    fix="",
)
PROMISED = TableContract(table="core.orders", path="schema[0]", file="contracts/o.odcs.yaml", line=7)
CONTRACT = Contract(id="o", version="1.0.0", api_version="v3.1.0", file="contracts/o.odcs.yaml", tables=(PROMISED,))


@pytest.mark.parametrize(
    ("enforcement", "number", "blocking"),
    [(None, 2, 0), (Enforcement.OFF, 0, 0), (Enforcement.WARN, 2, 0), (Enforcement.STRICT, 2, 2)],
)
def test_enforcement_says_what_contracts_do(enforcement: Enforcement | None, number: int, blocking: int) -> None:
    contract = ContractFacts(
        file="contracts/o.odcs.yaml", contract=CONTRACT, lint=(WRONG, WRONG), effective=CONTRACT, inherited=(WEAK,)
    )
    found = find_violations(facts(contracts=(contract,)), Governance(enforcement=enforcement))
    assert (len(found), sum(each.blocks for each in found)) == (number, blocking)
    assert {(each.table, each.contract_id) for each in found} <= {("core.orders", "o")}


@pytest.mark.parametrize(
    ("governance", "number", "blocking"),
    [
        (Governance(), 1, 0),
        (Governance(enforcement=Enforcement.STRICT), 1, 1),
        (Governance(enforcement=Enforcement.STRICT, drift_enabled=False), 0, 0),
        (Governance(enforcement=Enforcement.STRICT, drift_enforcement=Enforcement.WARN), 1, 0),
        (Governance(enforcement=Enforcement.WARN, drift_enforcement=Enforcement.STRICT), 1, 1),
        (Governance(enforcement=Enforcement.WARN, drift_enforcement=Enforcement.OFF), 0, 0),
        (Governance(enforcement=Enforcement.OFF, drift_enforcement=Enforcement.STRICT), 0, 0),
    ],
)
def test_drift_has_an_enforcement_of_its_own(governance: Governance, number: int, blocking: int) -> None:
    from forge.contracts.contract import ContractProperty

    missing = ContractProperty(name="amount", path="schema[0].properties[0]", file="contracts/o.odcs.yaml", line=9)
    promised = TableContract(table="core.orders", properties=(missing,), path="schema[0]", file="contracts/o.odcs.yaml")
    there = table(contract=promised, contract_of=CONTRACT, schema=Schema(()))
    found = find_violations(facts(there), governance)
    assert [each.violation.code for each in found] == ["E531"] * number
    assert sum(each.blocks for each in found) == blocking


def test_a_table_that_is_not_there_yet_has_no_drift() -> None:
    assert find_violations(facts(table(contract=PROMISED, contract_of=CONTRACT)), Governance()) == ()


def test_policies_come_in_their_order_and_what_two_levels_want_is_told_once() -> None:
    governance = Governance(
        coverage=(CoveragePolicy(severity="warning"), CoveragePolicy(min_checks=1, unique_key=True)),
        naming=(NamingPolicy(tables="fct_.*"),),
        documentation=(DocumentationPolicy(),),
        custom=(PolicyRule(name="owned", require={"owner": FactCondition(exists=True)}),),
        required_for=("core.*",),
    )
    found = find_violations(facts(table(inputs=reads("raw.gone"))), governance)
    assert codes(found) == [
        "naming E540 error",
        "coverage E541 error",
        "documentation E542 error",
        "semantic E543 error",
        "custom E545 error",
        "data_contract E500 error",
    ]


def test_long_chains_of_tables_are_ordered_at_once() -> None:
    chain = [table(f"a.t{i}", inputs=reads(f"a.t{i + 1}")) for i in range(3_000)]
    assert find_violations(facts(*chain, table("a.t3000")), Governance()) == ()
