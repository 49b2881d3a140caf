"""Policies of a project: pure functions over facts, one file each. May import `forge.model` and `forge.contracts`."""

from forge.contracts.policy.facts import POLICY_TYPES, ContractFacts, Facts, Finding, TableFacts
from forge.contracts.policy.governance import Enforcement, Governance
from forge.contracts.policy.judge import find_violations

__all__ = [
    "POLICY_TYPES",
    "ContractFacts",
    "Enforcement",
    "Facts",
    "Finding",
    "Governance",
    "TableFacts",
    "find_violations",
]
