"""`forge compile`: reads all files of a project once and runs all policies; no Spark, no rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from forge.contracts.artifacts import project_hash
from forge.contracts.contract import Contract, Violation
from forge.contracts.document.file import ContractError, parse_document
from forge.contracts.linter.lint import lint_document
from forge.contracts.load import contract_files, contract_of, read_bounded
from forge.contracts.policy.facts import POLICY_TYPES, PolicyFinding, ProjectFacts
from forge.contracts.policy.governance import Enforcement, Governance
from forge.contracts.policy.judge import find_violations
from forge.flows.contracts.effective import lint_resolved
from forge.flows.contracts.facts import LintResults, Schemas, Versions, facts_of, violation_of
from forge.flows.federation.source_files import read_project_loads
from forge.flows.runs.project import Project, assemble, checkable_of
from forge.flows.runs.project_code import columns_in_code, read_project_code
from forge.flows.runs.unknown_columns import find_unknown_columns
from forge.model.errors import ForgeError, errors_of
from forge.model.names import TableName
from forge.model.time import Clock
from forge.transforms.project import LoadedTransforms

if TYPE_CHECKING:
    from forge.lineage.extract.program import Program


@dataclass(frozen=True, kw_only=True)
class CompilePorts:
    """Ports of a compile. `known`: tables of the lake; `schema_of`: their schemas, from metadata alone; `versions`:
    breaking changes against registered versions; `project_errors`: other errors of the project, such as undeclared
    parameters."""

    root: Path
    governance: Governance
    owner_of: Callable[[TableName], str | None]
    clock: Clock
    known: Callable[[], Iterable[TableName]] = tuple
    schema_of: Schemas = lambda table: None
    versions: Callable[[], Versions] = lambda: lambda contract: ()
    project_errors: Callable[[Project], Iterable[ForgeError]] = lambda project: ()


@dataclass(frozen=True, kw_only=True)
class CompileResult:
    """`texts`: contract files as read; `code`: extraction of the transforms."""

    findings: tuple[PolicyFinding, ...]
    facts: ProjectFacts
    project: Project
    schema_hash: str
    validated_at: datetime
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    code: tuple[Program, ...] = field(default=(), repr=False)

    @property
    def violations(self) -> tuple[PolicyFinding, ...]:
        return tuple(finding for finding in self.findings if finding.violation.severity == "error")

    @property
    def warnings(self) -> tuple[PolicyFinding, ...]:
        return tuple(finding for finding in self.findings if finding.violation.severity != "error")

    @property
    def blocking(self) -> tuple[PolicyFinding, ...]:
        return tuple(finding for finding in self.findings if finding.blocks)

    @property
    def valid(self) -> bool:
        return not self.violations

    @property
    def enforcement(self) -> str:
        return str(self.project.governance.enforcement or Enforcement.WARN)

    @property
    def unpromised(self) -> tuple[str, ...]:
        """Outputs of transforms without a contract, where `auto_generation` asks for drafts."""
        if self.project.governance.auto_generation == "off" or self.project.governance.is_off:
            return ()
        return tuple(
            name
            for name, table in self.facts.tables.items()
            if table.is_made and not table.is_source and table.contract is None and not table.has_broken_contract
        )

    def summary(self) -> dict[str, int]:
        """Number of findings of each policy, violations and warnings; zero included."""
        return {kind: sum(finding.policy_type == kind for finding in self.findings) for kind in POLICY_TYPES}

    def to_dict(self) -> dict[str, object]:
        return {
            "valid": self.valid,
            "violations": [finding.to_dict() for finding in self.violations],
            "warnings": [finding.to_dict() for finding in self.warnings],
            "summary": self.summary(),
            "schema_hash": self.schema_hash,
            "validated_at": self.validated_at.isoformat(),
            "enforcement": self.enforcement,
        }


@dataclass(frozen=True, slots=True)
class _File:
    """One contract file. `contract`: as far as readable; `violations`: all lint findings."""

    file: str
    text: str
    contract: Contract | None
    violations: tuple[Violation, ...]

    @property
    def is_usable(self) -> bool:
        """Violations of the standard make it unusable; those of the strict profile alone do not."""
        return self.contract is not None and bool(self.contract.id)


def compile_project(ports: CompilePorts) -> CompileResult:
    """Collects all findings; raises only for unreadable settings."""
    governance = ports.governance
    known = frozenset(ports.known())
    reading, sources = read_project_loads(ports.root, known)
    files = () if governance.is_off else _read_contracts(ports.root, governance)
    usable = [one.contract for one in files if one.contract is not None and one.is_usable]
    project = assemble(ports.root, ports.owner_of, reading.transforms, usable, checkable_of(reading, known), governance)
    broken = {one.file: one.contract for one in files if one.contract is not None and not one.is_usable}
    lint = {one.file: one.violations for one in files}
    lint |= {one.file: lint_resolved(one, governance.profile, lint[one.file]) for one in project.standing}
    of_contracts, of_project = _parted([*(fault.error for fault in project.faults), *ports.project_errors(project)])
    for violation in of_contracts:
        lint[violation.file] = (*lint.get(violation.file, ()), violation)
    problems = [
        violation for error in (*reading.errors, *sources.errors, *of_project) for violation in violation_of(error)
    ]
    unknown = find_unknown_columns(project.transforms, project.transforms, ports.schema_of)
    # A warning: Spark alone knows for certain, and it is not started here.
    problems += [replace(one, severity="warning") for error in unknown for one in violation_of(error)]
    code = read_project_code(ports.root, project.transforms, ports.schema_of)
    facts = facts_of(
        project,
        LintResults(lint, broken),
        ports.versions() if files else (lambda contract: ()),
        ports.schema_of,
        known,
        _unread(reading),
        problems,
        columns_in_code(project.transforms, code),
    )
    return CompileResult(
        findings=find_violations(facts, governance),
        facts=facts,
        project=project,
        schema_hash=project_hash(facts.contracts),
        validated_at=ports.clock(),
        texts={one.file: one.text for one in files},
        code=code,
    )


def _unread(reading: LoadedTransforms) -> frozenset[TableName]:
    """Tables that unreadable files may make. Where these are unknown, all tables that are read count."""
    if not reading.is_partial:
        return reading.unread
    return reading.unread | {table for transform in reading.transforms.values() for table in transform.inputs}


def _parted(errors: Iterable[ForgeError]) -> tuple[list[Violation], list[ForgeError]]:
    """Contract errors, and all others."""
    contracts: list[Violation] = []
    others: list[ForgeError] = []
    for error in errors:
        if isinstance(error, ContractError):
            contracts += error.violations
        else:
            others += errors_of(error)
    return contracts, others


def _read_contracts(root: Path, governance: Governance) -> tuple[_File, ...]:
    return tuple(_read_contract(path, path.relative_to(root).as_posix(), governance) for path in contract_files(root))


def _read_contract(path: Path, file: str, governance: Governance) -> _File:
    try:
        data = read_bounded(path, file)
    except ContractError as error:
        return _File(file, "", None, error.violations)
    document, violations = parse_document(data, file)
    if document is None:
        return _File(file, "", None, violations)
    found = (*violations, *lint_document(document, governance.profile))
    return _File(file, data.decode("utf-8-sig"), contract_of(document), tuple(dict.fromkeys(found)))
