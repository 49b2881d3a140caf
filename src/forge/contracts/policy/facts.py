"""Input of policies: a project's tables, columns, checks and contracts as plain facts with their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from forge.contracts.contract import Contract, FilePlace, FindingSource, TableContract, Violation
from forge.model.schema import Schema

POLICY_TYPES = ("naming", "coverage", "documentation", "semantic", "custom", "data_contract")
"""In the order in which they run and are reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFacts:
    name: str
    place: FilePlace
    type: str | None = None
    description: str = ""
    classification: str | None = None
    tags: tuple[str, ...] = ()
    required: bool = False
    unique: bool = False
    primary_key: bool = False


@dataclass(frozen=True, slots=True)
class CheckFacts:
    type: str
    columns: tuple[str, ...]
    place: FilePlace
    refers: tuple[str, ...] = ()  # tables that it looks up


@dataclass(frozen=True, slots=True)
class InputFacts:
    """A table that another one reads, with the place of the reference."""

    table: str
    place: FilePlace


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    table: str  # core.orders
    place: FilePlace
    kind: str = "full"
    is_source: bool = False
    is_made: bool = True  # by a transform or a source of the project; else only a contract or checks name it
    owner: str | None = None
    description: str = ""
    tags: tuple[str, ...] = ()
    inputs: tuple[InputFacts, ...] = ()
    columns: tuple[ColumnFacts, ...] = ()  # all that is known of them: declared, by contract, in the lake
    checks: tuple[CheckFacts, ...] = ()
    contract: TableContract | None = None
    contract_of: Contract | None = None
    has_broken_contract: bool = False  # a contract names it, but could not be read
    schema: Schema | None = None  # as it is in the lake; None: it is not there yet

    @property
    def schema_name(self) -> str:
        return self.table.partition(".")[0]

    @property
    def name(self) -> str:
        return self.table.rpartition(".")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractFacts:
    """One contract of the project with its findings, computed before the policies run."""

    file: str
    contract: Contract | None  # None: it could not be read; see `lint`
    lint: tuple[Violation, ...] = ()
    effective: Contract | None = None  # with what contracts above it promise
    inherited: tuple[Violation, ...] = ()  # E510, E511
    origins: Mapping[str, str] = field(default_factory=dict)
    versions: tuple[Violation, ...] = ()  # E520 against the registered version

    @property
    def id(self) -> str | None:
        return self.contract.id if self.contract and self.contract.id else None


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    tables: Mapping[str, TableFacts] = field(default_factory=dict)
    contracts: tuple[ContractFacts, ...] = ()
    known: frozenset[str] = frozenset()  # tables of the lake
    unread: frozenset[str] = frozenset()  # tables that files which could not be read may make
    problems: tuple[Violation, ...] = ()  # what could not be read: SQL, Python, sources, checks


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFinding:
    """A violation, its policy, and whether `forge compile` exits with 1 for it."""

    policy_type: str
    violation: Violation
    blocks: bool = False
    rule: str = ""  # stable id for reports: the code, with the name of a custom rule; a word where there is no code
    table: str | None = None
    contract_id: str | None = None
    source: FindingSource = "policy"

    @property
    def is_drift(self) -> bool:
        return self.source == "drift"

    def to_dict(self) -> dict[str, object]:
        return {
            **self.violation.to_dict(),
            "policy_type": self.policy_type,
            "table": self.table,
            "contract": self.contract_id,
        }
