"""The keys of `governance:` in forge.yaml: contracts and the policies of `forge compile`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from forge.settings.section import (
    SettingsSection,
    fraction_of_text,
    list_of_text,
    number_of_text,
    part,
    switch_of_text,
    word_of_switch,
)

EnforcementWord = Annotated[Literal["off", "warn", "strict"], BeforeValidator(word_of_switch)]
Texts = Annotated[list[str], BeforeValidator(list_of_text)]
Switch = Annotated[bool, BeforeValidator(switch_of_text)]
PolicySeverity = Literal["info", "warning", "error"]

# What a custom rule can ask about; forge.contracts.policy.custom knows the same.
TABLE_FACTS = (
    *("name", "schema", "table", "kind", "owner", "description", "tags", "file", "inputs", "columns", "checks"),
    *("check_types", "unique_key", "contract", "contract_version", "contract_status", "domain", "is_source"),
)
COLUMN_FACTS = (
    *("name", "schema", "table", "column", "type", "description", "classification", "tags"),
    *("required", "unique", "primary_key", "checks", "check_types"),
)


def _condition(value: object) -> object:
    """The short forms: a text is a pattern, true and false ask whether there is anything, a list names the values."""
    match value:
        case bool():
            return {"exists": value}
        case str():
            return {"matches": value}
        case int() | float():
            return {"equals": value}
        case list():
            return {"one_of": value}
        case Mapping():
            return value
    return value


class DriftKeys(SettingsSection):
    enabled: Switch = Field(default=True, description="Contracts are compared with the tables as they are.")
    enforcement: EnforcementWord | None = Field(
        default=None,
        description="What a difference does: off, warn or strict. Default: as contracts.enforcement says.",
    )


class ContractKeys(SettingsSection):
    enforcement: EnforcementWord = Field(
        default="warn",
        description="off checks nothing; warn reports; strict blocks runs and merges, and `forge compile` ends with 1. "
        "Where it is not set, a run is still blocked by a table that does not have the shape of its contract.",
    )
    drift: DriftKeys = part("Contracts against the tables.")
    inheritance: Literal["strict", "permissive"] = Field(
        default="strict",
        description="A contract that weakens one above it is an error (FORGE-E510); permissive makes it a warning.",
    )
    auto_generation: Annotated[Literal["off", "propose", "write"], BeforeValidator(word_of_switch)] = Field(
        default="off",
        description="For outputs that no contract speaks for: propose shows a draft (in the JSON of `forge compile`), "
        "write puts it into contracts/, where no file is.",
    )
    required_for: Texts = Field(
        default_factory=list, description="Outputs of transforms that must have a contract, by pattern: core.*."
    )
    set: Texts = Field(
        default_factory=list,
        description="Contracts that stand above all others of the project and of those that extend this file. Paths "
        "start at the file. Default, in a file that others extend: all of contracts/ beside it.",
    )


class NamingKeys(SettingsSection):
    """How things are called. Patterns are regular expressions that the whole name has to match."""

    schemas: str | None = Field(default=None, description="Pattern of schema names.")
    tables: str | None = Field(default=None, description="Pattern of table names, without the schema.")
    columns: str | None = Field(default=None, description="Pattern of column names.")
    by_table: dict[str, str] = Field(
        default_factory=dict, description="Further patterns of table names, by table: marts.*: (dim|fct)_.*"
    )
    only: Texts = Field(default_factory=list, description="The tables it is about, by pattern. Default: all.")
    severity: PolicySeverity = Field(default="error", description="How bad a violation is.")


class CoverageKeys(SettingsSection):
    """How much is checked."""

    min_checks: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=1, ge=0, description="Checks that each table has at least."
    )
    unique_key: Switch = Field(default=False, description="Each table has a check that some columns are unique.")
    min_percentage: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=100.0, ge=0, le=100, description="Part of the tables that has to have them."
    )
    only: Texts = Field(
        default_factory=list, description="The tables it is about, by pattern. Default: all that transforms make."
    )
    severity: PolicySeverity = Field(default="error", description="How bad a violation is.")


class DocumentationKeys(SettingsSection):
    """What is described, by the transform or by the contract."""

    tables: Switch = Field(default=True, description="Each table has a description.")
    columns: Switch = Field(default=True, description="Each column that is known has a description.")
    owner: Switch = Field(default=False, description="Each table has an owner.")
    min_percentage: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=100.0, ge=0, le=100, description="Part of them that has to be described."
    )
    only: Texts = Field(
        default_factory=list, description="The tables it is about, by pattern. Default: all that transforms make."
    )
    severity: PolicySeverity = Field(default="error", description="How bad a violation is.")


class ConditionKeys(SettingsSection):
    """What a fact has to be. All of its keys have to hold."""

    matches: str | None = Field(default=None, description="A regular expression that some part of it matches.")
    equals: object = Field(default=None, description="This very value.")
    one_of: list[object] = Field(default_factory=list, description="One of these values.")
    contains: object = Field(default=None, description="Of a list: this is in it.")
    min: float | int | None = Field(default=None, description="At least; of a list, its length.")
    max: float | int | None = Field(default=None, description="At most; of a list, its length.")
    exists: bool | None = Field(default=None, description="Whether there is anything.")


Conditions = dict[str, Annotated[ConditionKeys, BeforeValidator(_condition)]]


class RuleKeys(SettingsSection):
    """A rule of the project's own: where all of `when` holds, all of `require` has to."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", description="Its name, in reports.")
    message: str = Field(default="", description="What to tell who violates it.")
    fix: str = Field(default="", description="What to do about it.")
    each: Literal["table", "column"] = Field(default="table", description="What it is about.")
    only: Texts = Field(default_factory=list, description="The tables it is about, by pattern. Default: all.")
    when: Conditions = Field(default_factory=dict, description="Facts that say where it holds. Default: everywhere.")
    require: Conditions = Field(
        default_factory=dict,
        description="Facts that have to be so, each with matches, equals, one_of, contains, min, max or exists. For "
        "short, a text is a pattern, a list names the values, true asks for anything, a number for just that.",
    )
    forbid: Conditions = Field(default_factory=dict, description="Facts that must not be so.")
    severity: PolicySeverity = Field(default="error", description="How bad a violation is.")


class GovernanceKeys(SettingsSection):
    contracts: ContractKeys = part("Data contracts.")
    naming: NamingKeys | None = Field(default=None, description="How things are called.")
    coverage: CoverageKeys | None = Field(default=None, description="How much is checked.")
    documentation: DocumentationKeys | None = Field(default=None, description="What is described.")
    custom: list[RuleKeys] = Field(default_factory=list, description="Rules of the project's own.")
