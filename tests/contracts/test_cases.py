"""The cases of cases/: valid and invalid contracts per version, hostile texts, inheritance, versions, drift."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping

import pytest
import yaml
from contract_cases import CASES, Case, complaints, load_cases, value_at
from each_case import each_case

from forge.contracts import effective_of, find_breaking_changes, find_drift, lint
from forge.contracts.contract import Violation
from forge.contracts.schema.file import read_schemas
from forge.model.errors import ForgeError

FAILS = ("error",)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a contract is judged without the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def named(case: Case) -> str:
    return case.name


def findings_of(case: Case) -> tuple[Violation, ...]:
    profile = "strict" if case.header.get("profile") == "strict" else "standard"
    return lint(case.texts["contract"], "contracts/orders.odcs.yaml", profile)


@each_case(load_cases("lint"), named)
def test_a_contract_is_held_against_its_own_version(case: Case) -> None:
    found = findings_of(case)
    assert complaints(case, case.expected("contract"), found, FAILS) == []
    assert str(case.header.get("fix", "")) in " ".join(one.fix for one in found)


@each_case(load_cases("hostile"), named)
def test_a_hostile_text_is_refused_with_a_code(case: Case) -> None:
    assert complaints(case, case.expected("contract"), findings_of(case), FAILS) == []


@each_case(load_cases("check"), named)
def test_a_child_may_tighten_and_not_weaken(case: Case) -> None:
    mode = "permissive" if case.header.get("mode") == "permissive" else "strict"
    effective = effective_of([case.text(name) for name in case.texts], mode=mode)
    assert complaints(case, case.expected(tuple(case.texts)[-1]), effective.violations, FAILS) == []
    values = {path: value_at(effective.document.data, path) for path in case.pairs("effective")}
    assert values == case.pairs("effective")
    assert set(case.words("origins")) <= set(effective.origins.values())


@each_case(load_cases("check"), named)
def test_the_effective_contract_is_a_contract_that_weakens_nothing(case: Case) -> None:
    *parents, child = (case.text(name) for name in case.texts)
    effective = yaml.safe_dump(effective_of([*parents, child]).document.data, sort_keys=False)
    assert [one for one in lint(effective) if one.severity == "error"] == []
    assert effective_of([parents[0], effective]).violations == ()


@each_case(load_cases("diff"), named)
def test_a_change_needs_its_bump(case: Case) -> None:
    compared = find_breaking_changes(case.text("old"), case.text("new"))
    assert complaints(case, case.expected("new"), compared.violations, FAILS) == []
    told = [json.dumps(change.to_dict()).lower() for change in compared.changes]
    assert [word for word in case.words("changed") if not any(word.lower() in one for one in told)] == []
    assert len(told) == case.header.get("changes", len(told)), told
    bumps = str(case.header.get("bump", f"{compared.required_bump}, {compared.actual_bump}")).split(", ")
    assert [compared.required_bump, compared.actual_bump][: len(bumps)] == bumps
    assert compared.required_bump not in case.words("not_required")
    assert compared.actual_bump not in case.words("not_actual")


def test_a_contract_has_not_changed_against_itself() -> None:
    for case in load_cases("diff"):
        compared = find_breaking_changes(case.text("new"), case.text("new"))
        assert (compared.changes, compared.required_bump, compared.violations) == ((), "none", ()), case.name


@each_case(load_cases("drift"), named)
def test_a_table_is_held_against_its_contract(case: Case) -> None:
    schema = yaml.safe_load(case.text("schema"))
    assert isinstance(schema, Mapping)
    found = find_drift(case.text("contract"), schema)
    assert complaints(case, case.expected("contract"), found, ("error", "warning", "info")) == []


@pytest.mark.parametrize(
    "text", ["", "- 1", "orders", "orders: 7", "a: &a [*a]", "orders: {a: [1", "orders: {a: 1.5}", "\0"]
)
def test_a_schema_file_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ForgeError) as refused:
        read_schemas(text, "schema.yaml")
    assert refused.value.code
    assert "schema.yaml" in str(refused.value)


def test_every_case_is_run() -> None:
    files = tuple(CASES.glob("**/*.yaml"))
    assert {file.parent.relative_to(CASES).as_posix() for file in files} == {
        "lint",
        "hostile",
        "check",
        "diff",
        "drift",
    }
    assert len(files) >= 180
