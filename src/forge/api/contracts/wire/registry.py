"""Wire models of data contracts: versions, changes, findings, drift, consumers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from forge.api.wire import Moment, Name, Text, Wire
from forge.contracts.contract import FindingSource
from forge.contracts.policy.governance import Enforcement

ContractStateWord = Literal["draft", "active", "deprecated", "sunset", "retired"]
ViolationWord = Literal["error", "warning", "info"]
BumpWord = Literal["major", "minor", "patch", "none"]
ActualBumpWord = Literal["major", "minor", "patch", "none", "downgrade", "unknown"]
TestWord = Literal["passed", "warning", "failed", "error", "info", "skipped", "unknown"]
SourceWord = Literal["registered", "file"]
PolicyWord = Literal["naming", "coverage", "documentation", "semantic", "custom", "data_contract", ""]


class ViolationView(Wire):
    """One finding, with its place in a file. `code` is empty where a finding has none (a nullability difference)."""

    code: str = Field(examples=["FORGE-E502"])
    severity: ViolationWord
    file: str
    line: int
    column: int
    path: str  # inside the contract: schema[0].properties[2].logicalType
    message: str
    fix: str
    source: FindingSource = "policy"  # the source of the finding
    policy_type: PolicyWord = ""
    contract_id: str | None = None


class CountsView(Wire):
    errors: int
    warnings: int
    infos: int
    checked_at: datetime


class LastTestView(Wire):
    """The result of the newest test of a contract."""

    id: str
    result: TestWord
    finished_at: datetime | None
    passed: int
    failed: int


class NoticeView(Wire):
    """The notice of a contract's end, as its consumers got it."""

    state: ContractStateWord
    since: datetime
    ends_at: datetime | None  # when it is to be retired
    replacement: str | None  # the id of the contract to go to
    reason: str


class ContractView(Wire):
    """One contract: the newest registered version, or the project's file where nothing is registered yet."""

    id: str
    name: str
    version: str
    state: ContractStateWord
    domain: str | None
    owner: str | None
    description: str
    api_version: str
    tables: list[str]
    tags: list[str]
    extends: list[str]  # parents that it names
    registered: bool
    registered_at: datetime | None
    registered_by: str | None
    schema_hash: str | None
    versions: int  # registered ones
    file: str | None  # contracts/core.orders.odcs.yaml: where the project has it
    file_version: str | None  # that the file has
    file_differs: bool  # the file differs from the registered version
    violations: CountsView | None  # of the last check; None: it was never checked
    last_test: LastTestView | None
    notice: NoticeView | None


class StateChangeView(Wire):
    state: ContractStateWord
    before: ContractStateWord | None  # None: the first registration
    at: datetime
    by: str
    reason: str
    ends_at: datetime | None
    replacement: str | None
    told: list[str]  # the consumers that a notice went to


class ParentView(Wire):
    """A contract of the chain above; outermost first."""

    id: str
    name: str
    version: str
    file: str | None


class ContractDetail(ContractView):
    """`document` is the contract as ODCS says it, `text` as it was written."""

    document: dict[str, Any]
    text: str
    source: SourceWord  # where document and text come from
    next_states: list[ContractStateWord]
    history: list[StateChangeView]  # newest first


class ContractVersionView(Wire):
    """`bump` and `breaking` are against the version that was registered before it."""

    version: str
    schema_hash: str
    owner: str | None
    tables: list[str]
    registered_at: datetime
    registered_by: str
    current: bool
    bump: ActualBumpWord | None
    required_bump: BumpWord | None
    breaking: int | None  # None: it is the first
    run_id: str | None  # of the run that registered it


class ContractVersionDetail(ContractVersionView):
    id: str
    document: dict[str, Any]
    text: str


class ContractChangeView(Wire):
    kind: str = Field(examples=["column_removed", "type_changed"])  # element and kind of the change
    path: str
    subject: str = Field(examples=["orders.amount"])
    old: Any = None
    new: Any = None
    bump: BumpWord  # that this change alone needs
    message: str
    file: str = ""
    line: int = 0


class ConsumerView(Wire):
    """A table that reads one of the contract's tables."""

    table: str
    owner: str | None
    reads: list[str]  # tables of the contract that it stems from
    columns: list[str]  # of the contract, that it uses: core.orders.amount
    depth: int  # 1: it reads it itself
    breaks: list[str] = []  # messages of the changes that affect it


class ComparisonView(Wire):
    id: str
    old: str
    new: str
    new_source: SourceWord
    changes: list[ContractChangeView]
    required_bump: BumpWord
    actual_bump: ActualBumpWord
    violations: list[ViolationView]
    consumers: list[ConsumerView]  # hit by what breaks
    changelog: str  # the same as Markdown


class EffectiveView(Wire):
    """The contract with all that binds it. `origins` says for a path which contract brought it; a path that is not
    there came with the contract itself."""

    id: str
    version: str
    chain: list[ParentView]  # outermost first, the contract itself last
    mode: Literal["strict", "permissive"]
    effective: dict[str, Any]
    text: str
    origins: dict[str, str]
    violations: list[ViolationView]


class ViolationsView(Wire):
    """What is wrong with a contract now: its form, its parents, its version and its tables."""

    id: str
    version: str
    checked_at: datetime
    errors: int
    warnings: int
    infos: int
    violations: list[ViolationView]


class TableDrift(Wire):
    table: str
    exists: bool  # a table that is not there yet has no drift
    violations: list[ViolationView]
    patch: str | None  # of the contract, that would make it fit the table
    alter: list[str]  # statements that would make the table fit


class DriftView(Wire):
    id: str
    version: str
    at: str  # branch, tag or commit
    tables: list[TableDrift]
    violations: list[ViolationView]


class StateChange(Wire):
    """Where the contract goes next: draft, active, deprecated, sunset, retired, and not back."""

    state: ContractStateWord
    reason: Text = ""
    ends_at: Moment | None = None
    replacement: Name | None = None


class RegisteredView(Wire):
    """`created` is false where the same version with the same content was there already: nothing changed."""

    contract: ContractDetail
    created: bool
    required_bump: BumpWord | None
    actual_bump: ActualBumpWord | None
    violations: list[ViolationView]  # findings that did not block


class TestCheckView(Wire):
    __test__ = False

    name: str
    type: str
    category: str | None
    table: str | None
    column: str | None
    result: TestWord
    reason: str | None


class TestRunView(Wire):
    """The result of one `datacontract test`."""

    __test__ = False

    id: str
    contract_id: str
    version: str | None
    server: str | None
    result: TestWord
    started_at: datetime | None
    finished_at: datetime | None
    received_at: datetime
    received_by: str
    tool: str
    passed: int
    failed: int
    other: int
    checks: list[TestCheckView]


class TakenResults(Wire):
    """`created` is false where the same run was sent before."""

    id: str
    contract_id: str
    result: TestWord
    checks: int
    created: bool
    known: bool  # whether the contract exists; results are stored either way


class LintView(Wire):
    schema_version: Literal[1] = 1
    violations: list[ViolationView]


class CompileView(Wire):
    """The result of the last `forge compile` of the project."""

    valid: bool
    validated_at: datetime
    validated_by: str
    enforcement: Enforcement
    schema_hash: str
    summary: dict[str, int]  # findings by policy type
    violations: list[ViolationView]
