"""artifacts.json: the reproducible record of a compile, to be stored, compared and read by other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from forge.contracts.canonical import content_hash, data_of, hash_of, schema_hash
from forge.contracts.policy.facts import ContractFacts

ARTIFACTS_VERSION = 1


def contract_artifact(facts: ContractFacts) -> dict[str, object] | None:
    """One entry of `data_contracts`: the effective contract, its hashes and the origin of each part; None where it
    could not be read."""
    contract, effective = facts.contract, facts.effective
    if contract is None or effective is None or contract.document is None or effective.document is None:
        return None
    return {
        "id": contract.id,
        "name": contract.name or contract.id,
        "version": contract.version,
        "api_version": contract.api_version,
        "status": contract.status,
        "owner": effective.owner,
        "domain": effective.domain,
        "file": facts.file,
        "tables": [table.table for table in effective.tables],
        "schema_hash": schema_hash(effective),
        "content_hash": content_hash(contract),
        "extends": list(contract.extends),
        "effective": data_of(effective),
        "origins": dict(sorted(facts.origins.items())),
    }


def project_hash(contracts: Sequence[ContractFacts]) -> str:
    """Of one contract, its own; of more than one, over all, whatever their files."""
    effective = [facts.effective for facts in contracts if facts.effective and facts.effective.document]
    hashes = sorted((contract.id, schema_hash(contract)) for contract in effective)
    if len(hashes) == 1:
        return hashes[0][1]
    return hash_of(hashes)


def freeze(parts: Mapping[str, object], validated_at: str) -> dict[str, object]:
    """With a hash over everything but the time, so that two compiles of the same project compare equal."""
    frozen = {"schema_version": ARTIFACTS_VERSION, "frozen": True, **parts}
    return {**frozen, "validated_at": validated_at, "content_hash": hash_of(frozen)}


def artifacts_text(document: Mapping[str, object]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n"
