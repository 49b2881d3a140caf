"""Lifecycle of a contract: draft, active, deprecated, sunset, retired; only forward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from forge.contracts.semver import Version
from forge.model.errors import ForgeError


class ContractState(StrEnum):
    DRAFT = "draft"  # promises nothing yet
    ACTIVE = "active"
    DEPRECATED = "deprecated"  # its consumers are asked to leave
    SUNSET = "sunset"  # it has an end that will not move any more
    RETIRED = "retired"  # no new readers of its tables


# Transitions. A draft without readers may be dropped; all else is announced before it ends.
NEXT: Mapping[ContractState, tuple[ContractState, ...]] = {
    ContractState.DRAFT: (ContractState.ACTIVE, ContractState.RETIRED),
    ContractState.ACTIVE: (ContractState.DEPRECATED,),
    ContractState.DEPRECATED: (ContractState.SUNSET, ContractState.RETIRED),
    ContractState.SUNSET: (ContractState.RETIRED,),
    ContractState.RETIRED: (),
}
ENDING = (ContractState.DEPRECATED, ContractState.SUNSET, ContractState.RETIRED)
"""States of which consumers are notified."""
_ORDER = tuple(ContractState)
WORDS = {
    **{state.value: state for state in ContractState},
    **dict.fromkeys(("proposed", "proposal", "development", "test", "experimental", "in review"), ContractState.DRAFT),
    **dict.fromkeys(("obsolete", "removed", "archived", "end of life"), ContractState.RETIRED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleStep:
    """One step in the lifecycle of a contract. `before` is None for the first registration. `told`: consumers (tables)
    that were notified."""

    state: ContractState
    before: ContractState | None
    at: datetime
    by: str
    version: str
    reason: str = ""
    ends_at: datetime | None = None  # when it is to be retired
    replacement: str | None = None  # the id of the contract to go to
    told: tuple[str, ...] = ()

    @property
    def is_notice(self) -> bool:
        return self.state in ENDING

    def to_dict(self) -> dict[str, object]:
        return {
            "state": self.state.value,
            "before": self.before.value if self.before else None,
            "version": self.version,
            "at": self.at,
            "by": self.by,
            "reason": self.reason,
            "ends_at": self.ends_at,
            "replacement": self.replacement,
            "told": list(self.told),
        }


def state_of(status: str | None) -> ContractState:
    """From `status` of a contract. The standard leaves the values open; anything that means neither draft nor end of
    life is active."""
    return WORDS.get((status or "").strip().lower(), ContractState.ACTIVE)


def next_states(state: ContractState) -> tuple[ContractState, ...]:
    return NEXT[state]


def is_later(one: ContractState, other: ContractState) -> bool:
    return _ORDER.index(one) > _ORDER.index(other)


def refuse_move(contract_id: str, before: ContractState, after: ContractState) -> None:
    """E507 for a transition that is not allowed."""
    if after in NEXT[before]:
        return
    follows = ", ".join(NEXT[before]) or "nothing: it has ended"
    raise ForgeError(
        "E507",
        _refusal(contract_id, before, after),
        why=f"After {before} comes {follows}.",
        fix=f"Go on to {NEXT[before][0]}." if NEXT[before] else "Register a new MAJOR version: it has its own life.",
    )


def _refusal(contract_id: str, before: ContractState, after: ContractState) -> str:
    if before is after:
        return f"{contract_id} is {before} already"
    verb = "become" if is_later(after, before) else "go back to"
    return f"{contract_id} is {before} and cannot {verb} {after}"


def state_by_file(
    known: ContractState | None, known_version: str | None, wanted: ContractState, version: str
) -> ContractState:
    """The state once `version` is registered with `wanted` in its file. A first version and a new MAJOR one start their
    own lifecycle. Otherwise the file can advance the state; a file behind a decision made elsewhere, or an older
    version, changes nothing."""
    if known is None or known_version is None or Version(version).major > Version(known_version).major:
        return wanted
    if Version(version) >= Version(known_version) and wanted in NEXT[known]:
        return wanted
    return known
