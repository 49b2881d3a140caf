"""Registered contracts: immutable versions, and test results posted for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from forge.contracts.canonical import content_hash, data_of
from forge.contracts.contract import Contract, FindingSource, Violation, ViolationSeverity
from forge.contracts.lifecycle import ContractState, LifecycleStep
from forge.model.errors import ForgeError, NamedError
from forge.model.name_suggestions import did_you_mean

NAMESPACE_KEY = "forge.contracts"
"""The property of a namespace that lists its contracts."""
MOST_ID = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredContract:
    """One registered version of a contract. `digest` covers everything but `status`, which is its lifecycle state;
    `schema_hash` covers the schema of the effective contract."""

    id: str
    name: str
    version: str
    api_version: str
    schema_hash: str
    digest: str
    text: str = field(repr=False)
    registered_at: datetime
    registered_by: str
    owner: str | None = None
    domain: str | None = None
    description: str = ""
    tables: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    extends: tuple[str, ...] = ()
    file: str | None = None
    run_id: str | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "name": self.name,
            "version": self.version,
            "schema_hash": self.schema_hash,
            "owner": self.owner,
            "tables": list(self.tables),
            "registered_at": self.registered_at,
            "registered_by": self.registered_by,
            "file": self.file,
            "run_id": self.run_id,
        }

    def entry(self) -> dict[str, str | None]:
        """Its entry in the namespace properties."""
        return {
            "name": self.name,
            "version": self.version,
            "owner": self.owner,
            "schema_hash": self.schema_hash,
            "registered_at": self.registered_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class ContractHead:
    """The current state of a contract: highest version, lifecycle state, number of versions."""

    newest: RegisteredContract
    state: ContractState
    last: LifecycleStep
    versions: int

    @property
    def id(self) -> str:
        return self.newest.id

    @property
    def notice(self) -> LifecycleStep | None:
        """The latest notice to its consumers."""
        return self.last if self.last.is_notice else None


def find_touched_tables(before: RegisteredContract | None, after: RegisteredContract) -> tuple[str, ...]:
    """Tables that a contract begins or ceases to be about, or is about in another version. Tables of the lake are in
    lower case, however the contract writes them."""
    if before is not None and before.version == after.version:
        return ()
    names = {*(before.tables if before else ()), *after.tables}
    return tuple(sorted(names | {name.lower() for name in names}))


@dataclass(frozen=True, slots=True)
class ContractFinding:
    """A violation and what found it."""

    source: FindingSource
    violation: Violation
    policy_type: str = ""
    contract_id: str | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            **self.violation.to_dict(),
            "source": self.source,
            "policy_type": self.policy_type,
            "contract_id": self.contract_id,
        }


@dataclass(frozen=True, slots=True)
class ContractCheck:
    """Findings of the last check of one contract."""

    contract_id: str
    version: str
    checked_at: datetime
    findings: tuple[ContractFinding, ...] = ()

    def count(self, severity: ViolationSeverity) -> int:
        return sum(finding.violation.severity == severity for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRecord:
    """The last compile of the project."""

    valid: bool
    validated_at: datetime
    validated_by: str
    enforcement: str
    schema_hash: str
    summary: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[ContractFinding, ...] = ()


def registered_of(
    contract: Contract,
    text: str,
    schema_hash: str,
    *,
    at: datetime,
    by: str,
    file: str | None = None,
    run_id: str | None = None,
) -> RegisteredContract:
    refuse_bad_id(contract.id)
    data = data_of(contract)
    return RegisteredContract(
        id=contract.id,
        name=contract.name or contract.id,
        version=contract.version,
        api_version=contract.api_version,
        schema_hash=schema_hash,
        digest=digest_of(data),
        text=text,
        registered_at=at,
        registered_by=by,
        owner=contract.owner,
        domain=contract.domain,
        description=description_of(data),
        tables=tuple(table.table for table in contract.tables),
        tags=contract.tags,
        extends=contract.extends,
        file=file,
        run_id=run_id,
    )


def digest_of(data: Mapping[str, object]) -> str:
    return content_hash({key: value for key, value in data.items() if key != "status"})


def description_of(data: Mapping[str, object]) -> str:
    """ODCS separates purpose, limitations and usage; the purpose comes first."""
    description = data.get("description")
    if isinstance(description, str):
        return description.strip()
    if not isinstance(description, Mapping):
        return ""
    return next(
        (str(description[key]).strip() for key in ("purpose", "usage", "limitations") if description.get(key)), ""
    )


def refuse_bad_id(contract_id: str) -> None:
    if contract_id and len(contract_id) <= MOST_ID and contract_id.isprintable():
        return
    raise ForgeError(
        "E502",
        "The id of the contract cannot be registered",
        where="id",
        why=f"An id has 1 to {MOST_ID} printable characters.",
        fix="Give it a short id, like orders or urn:datacontract:sales:orders.",
    )


class VersionTakenError(NamedError):
    code = "E505"


def version_conflict(known: RegisteredContract, new: RegisteredContract) -> ForgeError:
    """The version is registered with other content."""
    return VersionTakenError(
        f"{new.id} {new.version} is registered with another content",
        where=new.file,
        why=f"It was registered {known.registered_at:%Y-%m-%d %H:%M} UTC by {known.registered_by}, and versions never "
        "change.",
        fix=f"Give the contract a new version; forge contract diff {new.id} names the bump it needs.",
    )


def unknown_contract(contract_id: str, known: Iterable[str]) -> ForgeError:
    return ForgeError(
        "E504",
        f"There is no contract {contract_id}",
        why=did_you_mean(contract_id, known),
        fix="forge contract list shows them; forge contract register FILE registers one.",
    )


def unknown_version(contract_id: str, version: str, versions: Sequence[str]) -> ForgeError:
    return ForgeError(
        "E504",
        f"{contract_id} has no version {version}",
        why=did_you_mean(version, versions),
        fix=f"Registered are {', '.join(versions[:5])}." if versions else "Register one: forge contract register FILE",
    )


def merged_entries(
    kept: Iterable[Mapping[str, object]], heads: Iterable[RegisteredContract]
) -> tuple[Mapping[str, object], ...]:
    """The namespace's list with these contracts, one per name, sorted by name."""
    found: dict[str, Mapping[str, object]] = {str(one.get("name")): one for one in kept}
    found |= {one.name: one.entry() for one in heads}
    return tuple(found[name] for name in sorted(found))


def namespaces_of(tables: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({table.rpartition(".")[0] for table in tables if "." in table}))
