"""What the linter says of a mistake: where it is, in words of its author, and what to write instead. The cases that say
which mistakes it finds are text files, in cases/lint."""

from __future__ import annotations

import pytest

from forge.contracts import lint
from forge.contracts.contract import Violation
from forge.contracts.document.file import ContractError, read_document
from forge.contracts.linter.finding import MAX_FINDINGS
from forge.contracts.linter.lint import lint_document
from forge.contracts.load import load_contract

HEAD = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\n"
NEWEST = HEAD.replace("v3.1.0", "v3.2.0")
COLUMN = "schema:\n  - name: orders\n    properties:\n      - "


def only(text: str) -> Violation:
    (violation,) = lint(text, "a.odcs.yaml")
    return violation


@pytest.mark.parametrize(
    ("text", "code", "place", "path"),
    [
        (HEAD.replace("1.0.0", "one"), "E502", (4, 10), "version"),
        (HEAD.replace("id: a\n", ""), "E501", (1, 1), "id"),
        (f"# about\n\n{HEAD}".replace("id: a\n", ""), "E501", (3, 1), "id"),
        (HEAD + "colour: red", "E502", (6, 1), "colour"),
        (HEAD + "tags: gold", "E502", (6, 7), "tags"),
        (HEAD + "schema:\n  name: a", "E502", (6, 1), "schema"),
        (HEAD + COLUMN + "{name: b, logicalType: int}", "E503", (9, 32), "schema[0].properties[0].logicalType"),
        (HEAD + COLUMN + "{logicalType: integer}", "E501", (9, 9), "schema[0].properties[0].name"),
        (HEAD + "team: {members: [{name: Ada}]}", "E501", (6, 18), "team.members[0].username"),
        (HEAD + "slaProperties:\n  - property: latency\n    value: soon", "E502", (8, 12), "slaProperties[0].value"),
    ],
)
def test_a_wrong_value_a_wrong_key_and_a_lack_have_their_place(
    text: str, code: str, place: tuple[int, int], path: str
) -> None:
    found = only(text)
    assert (found.code, (found.line, found.column), found.path) == (code, place, path)
    assert found.file == "a.odcs.yaml"


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        (HEAD.replace("v3.1.0", "3.1.0"), "Write apiVersion: v3.1.0."),
        (HEAD.replace("v3.1.0", "v3.1"), "Write apiVersion: v3.1.0."),
        (HEAD.replace("v3.1.0", "v2.2.2"), "forge contract import a.odcs.yaml"),
        (HEAD.replace("DataContract", "datacontract"), "Write DataContract."),
        (HEAD.replace("1.0.0", "1.10"), "version: 1.10.0"),
        (HEAD.replace("1.0.0", "v2"), "version: 2.0.0"),
        (HEAD + "name: NO", 'name: "NO"'),
        (HEAD + "owner: ada", "forge contract import a.odcs.yaml"),
        (HEAD + "models: {}", "forge contract import a.odcs.yaml"),
        (HEAD + "sla: []", "Write slaProperties."),
        (HEAD + "description: Orders", "description: {purpose: Orders}"),
        (HEAD + "tags: gold", "tags: [gold]"),
        (HEAD + "servers: [{server: a, type: Kafka, host: h}]", "Write kafka."),
        (HEAD + "customProperties: [{name: a, property: b, value: 1}]", "Write property."),
        (HEAD + COLUMN + "{name: b, type: string}", "logicalType"),
        (HEAD + COLUMN + "{name: b, primary_key: true}", "Write primaryKey."),
        (HEAD + COLUMN + "{name: b, nullable: false}", "required: true"),
        (HEAD + COLUMN + "{name: b, desciption: c}", "Did you mean description"),
        (HEAD + COLUMN + "{name: b, logicalType: string, maxLength: 3}", "logicalTypeOptions: {maxLength"),
        (HEAD + COLUMN + "{name: b, enum: [{value: a}]}", "apiVersion: v3.2.0"),
        (HEAD + COLUMN + "{name: b, logicalType: map}", "apiVersion: v3.2.0"),
        (HEAD + COLUMN + "{name: b, logicalType: varchar}", "Write string."),
        (HEAD + COLUMN + "{name: b, logicalType: datetime}", "Write timestamp."),
        (HEAD + COLUMN + "{name: b, required: 'yes'}", "required: true"),
        (HEAD + COLUMN + "{name: b, logicalType: integer, logicalTypeOptions: {maxLength: 3}}", "logicalType: string"),
        (HEAD + COLUMN + "{name: b, logicalType: date, logicalTypeOptions: {minimum: soon}}", "2026-01-31"),
        (HEAD + COLUMN + "{name: b, quality: [{type: library, rule: nullCheck, mustBe: 0}]}", "metric: nullValues"),
        (HEAD + COLUMN + "{name: b, quality: [{query: SELECT 1, mustBe: 1}]}", "type: sql"),
        (HEAD + COLUMN + "{name: b, relationships: [{to: orders.c}]}", "Write b."),
        (HEAD + COLUMN + "{name: b, $ref: 'http://example.com'}", "Write here what the reference names."),
        (NEWEST + COLUMN + "{name: b, logicalType: string, enum: [{value: NO}]}", 'value: "NO"'),
        (NEWEST + COLUMN + "{name: b, enum: [a, b]}", "- value: a"),
    ],
)
def test_the_fix_says_what_to_write(text: str, fix: str) -> None:
    assert fix in only(text).fix


@pytest.mark.parametrize("pattern", ["^[A-Z]{2}$", r"\p{L}+", "(?<year>[0-9]{4})", "(?P<year>[0-9]{4})", "a(?=b)"])
def test_a_pattern_of_any_dialect_is_taken(pattern: str) -> None:
    options = f"logicalTypeOptions: {{pattern: '{pattern}'}}"
    assert lint(HEAD + COLUMN + f"{{name: b, logicalType: string, {options}}}") == ()


def test_the_findings_come_in_the_order_of_the_file() -> None:
    text = HEAD.replace("1.0.0", "one") + COLUMN + "{nme: b}\n      - {name: c, logicalType: int}\ncolour: red\n"
    lines = [each.line for each in lint(text)]
    assert lines == sorted(lines)
    assert len(lines) == 5


def test_a_file_of_nothing_but_mistakes_is_not_told_without_end() -> None:
    text = HEAD + "".join(f"key_{number}: 1\n" for number in range(MAX_FINDINGS + 10))
    assert len(lint(text)) == MAX_FINDINGS


def test_a_document_is_linted_without_being_read_again() -> None:
    document = read_document(HEAD + "colour: red", "b.yaml")
    assert lint(document) == lint_document(document)
    assert [each.file for each in lint_document(document)] == ["b.yaml"]


def test_an_unknown_profile_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="strict"):
        lint(HEAD, profile="lax")


@pytest.mark.parametrize(
    "text",
    [
        HEAD.replace("1.0.0", "one"),
        HEAD.replace("status: active\n", ""),
        HEAD + "name: ''",
        HEAD + "team: sales",
        HEAD + "schema: [orders]",
        HEAD + COLUMN + "{name: b, logicalType: int}",
        HEAD + COLUMN + "{name: b, required: 'yes', tags: [1]}",
        HEAD + COLUMN + "{name: b}\n      - {name: B}",
        HEAD + COLUMN + "{name: b, quality: [{type: custom, engine: forge, implementation: '- a'}]}",
        HEAD + "customProperties: [{property: forge.schema, value: 3}]\nschema: [{name: a}]",
    ],
)
def test_what_cannot_be_loaded_does_not_pass_the_linter(text: str) -> None:
    with pytest.raises(ContractError) as caught:
        load_contract(text, "a.yaml")
    linted = {(each.code, each.line) for each in lint(text)}
    assert {(each.code, each.line) for each in caught.value.violations} <= linted


def test_many_wrong_references_take_no_time_without_end() -> None:
    columns = "".join(
        f"      - {{name: c{n}, relationships: [{{to: orders.d{n}}}]}}\n" for n in range(MAX_FINDINGS + 10)
    )
    found = lint(HEAD + COLUMN.removesuffix("      - ") + columns)
    assert len(found) == MAX_FINDINGS
    assert "Use a name that is there." in {each.fix for each in found}
