"""Changes outside schema and service levels: status, servers, roles, team, price, texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from forge.contracts.compare.change import (
    Bump,
    ContractChange,
    ContractChangeKind,
    ContractPart,
    PartPair,
    added,
    canonical,
    folded,
    pairs_of,
    shown,
)
from forge.contracts.lifecycle import ContractState, is_later, state_of

_JUDGED = {"version", "schema", "slaProperties", "slaDefaultElement", "status", "servers", "roles", "price"}
_TALK_OF_SERVER = {"id", "server", "description", "environment", "customProperties", "roles"}
_WORDS = {
    "apiVersion": "version of the standard",
    "authoritativeDefinitions": "links",
    "customProperties": "custom properties",
    "contractCreatedTs": "time of creation",
    "dataProduct": "data product",
}
_FOLDED = ("team", "support", "tags", "id", "name", "domain", "dataProduct", "tenant")
_FORGE = {"forge.extends": Bump.MINOR, "forge.deprecation": Bump.MINOR}
CONTRACT = "contract"


def term_changes(both: PartPair) -> Iterator[ContractChange]:
    yield from _status(both)
    yield from _entries(both, "server", _server)
    yield from _entries(both, "role", _role)
    yield from _price(both)
    yield from _custom(both)
    for key in sorted(str(key) for key in both.old.data.keys() | both.new.data.keys()):
        if key not in _JUDGED and key != "customProperties" and _differs(both, key):
            before, after = both.old.data.get(key), both.new.data.get(key)
            detail = f" {shown(before)} → {shown(after)}" if isinstance(before, str) and isinstance(after, str) else ""
            yield both.change(ContractChangeKind.CHANGED, key, Bump.PATCH, f"{_WORDS.get(key, key)}{detail}")


def _differs(both: PartPair, key: str) -> bool:
    before, after = both.old.data.get(key), both.new.data.get(key)
    if not before and not after:
        return False
    if key in _FOLDED:
        return folded(before) != folded(after)
    return canonical(before) != canonical(after)


def _status(both: PartPair) -> Iterator[ContractChange]:
    before, after = (part.text("status") for part in (both.old, both.new))
    if before.lower() == after.lower():
        return
    old, new = state_of(before), state_of(after)
    message = f"status {before or 'none'} → {after or 'none'}"
    if old is new:
        yield both.change(ContractChangeKind.CHANGED, "status", Bump.PATCH, message)
    elif new is ContractState.RETIRED:
        fix = "Deprecate it first, and retire it with a new MAJOR version."
        yield both.change(
            ContractChangeKind.CHANGED, "status", Bump.MAJOR, f"{message} (nothing is promised any more)", fix=fix
        )
    elif new is ContractState.DRAFT:
        yield both.change(ContractChangeKind.LOOSENED, "status", Bump.MAJOR, f"{message} (a draft promises nothing)")
    else:
        hint = " (readers should leave)" if is_later(new, ContractState.ACTIVE) else ""
        yield both.change(ContractChangeKind.CHANGED, "status", Bump.MINOR, f"{message}{hint}")


def _entries(
    both: PartPair, noun: str, compare: Callable[[PartPair], Iterator[ContractChange]]
) -> Iterator[ContractChange]:
    """Of the list of servers, where readers connect, or of roles, which grant them access."""
    keys, listed = (lambda part: part.text("id"), lambda part: part.text(noun)), f"{noun}s"
    for old, new in pairs_of(both.old.parts(listed), both.new.parts(listed), keys):
        if old is None and new is not None:
            name = new.text(noun)
            yield added(new, noun, name, f"{noun} {name}")
        elif new is None and old is not None:
            name = old.text(noun)
            yield both.removed(noun, name, f"{noun} {name} is gone", dict(old.data), key=listed)
        elif old is not None and new is not None:
            yield from compare(PartPair(old, new, new.text(noun)))


def _server(both: PartPair) -> Iterator[ContractChange]:
    if both.old.text("server").lower() != both.new.text("server").lower():
        message = f"server {both.old.text('server')} is called {both.subject} now"
        yield both.change(ContractChangeKind.RENAMED, "server", Bump.MAJOR, message)
    for key in sorted(str(key) for key in both.old.data.keys() | both.new.data.keys()):
        if key in ("id", "server") or not both.differ(key):
            continue
        before, after = (shown(part.data.get(key, "none")) for part in (both.old, both.new))
        if key in _TALK_OF_SERVER:
            yield both.change(
                ContractChangeKind.CHANGED, "server", Bump.PATCH, f"server {both.subject}: {key}", key=key
            )
        else:
            is_new = both.old.data.get(key) is None
            bump = Bump.MINOR if is_new else Bump.MAJOR
            message = f"server {both.subject}: {key} {before} → {after}"
            yield both.change(ContractChangeKind.CHANGED, "server", bump, message, key=key)


def _role(both: PartPair) -> Iterator[ContractChange]:
    if both.old.text("role").lower() != both.new.text("role").lower():
        message = f"role {both.old.text('role')} is called {both.subject} now"
        yield both.change(ContractChangeKind.RENAMED, "role", Bump.MAJOR, message)
    before, after = (part.text("access").lower() for part in (both.old, both.new))
    if before != after:
        is_less = (before and not after) or ("write" in before and "write" not in after)
        kind, bump = (ContractChangeKind.LOOSENED, Bump.MAJOR) if is_less else (ContractChangeKind.CHANGED, Bump.MINOR)
        message = f"role {both.subject}: access {before or 'not said'} → {after or 'not said'}"
        yield both.change(kind, "role", bump, message, key="access")
    for key in sorted(str(key) for key in both.old.data.keys() | both.new.data.keys()):
        if key not in ("id", "role", "access") and both.differ(key):
            yield both.change(ContractChangeKind.CHANGED, "role", Bump.PATCH, f"role {both.subject}: {key}", key=key)


def _price(both: PartPair) -> Iterator[ContractChange]:
    if both.differ("price"):
        before, after = (_amount(part.part("price")) for part in (both.old, both.new))
        yield both.change(ContractChangeKind.CHANGED, "price", Bump.MINOR, f"price {before} → {after}")


def _amount(price: ContractPart | None) -> str:
    if price is None:
        return "none"
    words = [price.text(key) for key in ("priceAmount", "priceCurrency")]
    per = price.text("priceUnit")
    return " ".join(word for word in words if word) + (f" per {per}" if per else "")


def _custom(both: PartPair) -> Iterator[ContractChange]:
    old, new = both.old.parts("customProperties"), both.new.parts("customProperties")
    for before, after in pairs_of(old, new, (lambda part: part.text("property"),)):
        if before is not None and after is not None and canonical(before.data) == canonical(after.data):
            continue
        at = after or before
        name = at.text("property") if at else ""
        detail = f"{shown(before.data.get('value')) if before else 'none'} → "
        detail += shown(after.data.get("value")) if after else "none"
        bump, message = _FORGE.get(name, Bump.PATCH), f"{name or 'a custom property'} {detail}"
        yield both.change(ContractChangeKind.CHANGED, "customProperties", bump, message)
