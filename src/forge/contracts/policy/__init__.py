"""Policies of a project: pure functions over facts, one file each. May import `forge.model` and `forge.contracts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.model.lazy_names import lazy_names

if TYPE_CHECKING:
    from forge.contracts.policy.facts import POLICY_TYPES as POLICY_TYPES
    from forge.contracts.policy.facts import ContractFacts as ContractFacts
    from forge.contracts.policy.facts import PolicyFinding as PolicyFinding
    from forge.contracts.policy.facts import ProjectFacts as ProjectFacts
    from forge.contracts.policy.facts import TableFacts as TableFacts
    from forge.contracts.policy.governance import Enforcement as Enforcement
    from forge.contracts.policy.governance import Governance as Governance
    from forge.contracts.policy.judge import find_violations as find_violations

# What a project wants is asked by every command that reads one; whether it has it, by few.
_HOMES = {
    **dict.fromkeys(
        ("POLICY_TYPES", "ContractFacts", "PolicyFinding", "ProjectFacts", "TableFacts"), "forge.contracts.policy.facts"
    ),
    **dict.fromkeys(("Enforcement", "Governance"), "forge.contracts.policy.governance"),
    "find_violations": "forge.contracts.policy.judge",
}
__all__ = sorted(_HOMES)  # noqa: PLE0605  the names above
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
