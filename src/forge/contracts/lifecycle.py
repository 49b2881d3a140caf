"""The life of a contract: draft, active, deprecated, sunset, retired, and not back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from forge.contracts.semver import Version
from forge.model.errors import ForgeError


class State(StrEnum):
    DRAFT = "draft"  # promises nothing yet
    ACTIVE = "active"
    DEPRECATED = "deprecated"  # its consumers are told to leave
    SUNSET = "sunset"  # it has an end that will not move any more
    RETIRED = "retired"  # nobody may begin to read its tables


# From each state on. A draft that nobody relied on may be dropped; all else is announced before it ends.
NEXT: Mapping[State, tuple[State, ...]] = {
    State.DRAFT: (State.ACTIVE, State.RETIRED),
    State.ACTIVE: (State.DEPRECATED,),
    State.DEPRECATED: (State.SUNSET, State.RETIRED),
    State.SUNSET: (State.RETIRED,),
    State.RETIRED: (),
}
ENDING = (State.DEPRECATED, State.SUNSET, State.RETIRED)
"""States of which consumers are told."""
_ORDER = tuple(State)
WORDS = {
    **{state.value: state for state in State},
    **dict.fromkeys(("proposed", "proposal", "development", "test", "experimental", "in review"), State.DRAFT),
    **dict.fromkeys(("obsolete", "removed", "archived", "end of life"), State.RETIRED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChange:
    """One step in the life of a contract. `before` is None for the first registration. `told`: consumers, tables, that
    a notice was written for."""

    state: State
    before: State | None
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


def state_of(status: str | None) -> State:
    """Of `status` in a contract. The standard leaves the words open; what says neither that a contract is not ready nor
    that it ends is taken for active."""
    return WORDS.get((status or "").strip().lower(), State.ACTIVE)


def next_states(state: State) -> tuple[State, ...]:
    return NEXT[state]


def is_later(one: State, other: State) -> bool:
    return _ORDER.index(one) > _ORDER.index(other)


def refuse_move(contract_id: str, before: State, after: State) -> None:
    """E507 where the one does not follow the other."""
    if after in NEXT[before]:
        return
    follows = ", ".join(NEXT[before]) or "nothing: it has ended"
    raise ForgeError(
        "E507",
        _refusal(contract_id, before, after),
        why=f"After {before} comes {follows}.",
        fix=f"Go on to {NEXT[before][0]}." if NEXT[before] else "Register a new MAJOR version: it has its own life.",
    )


def _refusal(contract_id: str, before: State, after: State) -> str:
    if before is after:
        return f"{contract_id} is {before} already"
    way = "become" if is_later(after, before) else "go back to"
    return f"{contract_id} is {before} and cannot {way} {after}"


def state_by_file(known: State | None, known_version: str | None, wanted: State, version: str) -> State:
    """Where a contract stands once `version` is registered with `wanted` in its file. A first version and a new MAJOR
    one begin their own life. Otherwise the file can move the contract on by what follows; a file that lags behind what
    was decided elsewhere moves nothing, nor does an older version: its end is not that of the newest."""
    if known is None or known_version is None or Version(version).major > Version(known_version).major:
        return wanted
    if Version(version) >= Version(known_version) and wanted in NEXT[known]:
        return wanted
    return known
