"""Saved queries: list, find, keep, change, drop. What someone has not shared, nobody else learns of."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from forge.federation.saved_query import SavedQuery
from forge.flows.federation.query_claims import record_saved
from forge.flows.runs.records import AuditRecord
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.time import Clock

if TYPE_CHECKING:
    from forge.flows.federation.ports import SavedQueries
    from forge.flows.federation.query import FederationPorts
    from forge.flows.lineage.ports import LineagePorts

MOST = 1000  # of one owner
_log = logging.getLogger("forge.federation")
_KEYS = frozenset({"name", "sql", "description", "parameters", "at", "is_shared"})


def _new_id() -> str:
    return f"q_{uuid.uuid4().hex[:16]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedQueryPorts:
    """`user`: who asks, and whose are the queries that he keeps."""

    saved: SavedQueries
    clock: Clock
    user: str
    new_id: Callable[[], str] = _new_id
    record: Callable[[SavedQuery, bool], None] = lambda query, is_gone: None  # into the lineage graph, or out of it


def list_saved_queries(ports: SavedQueryPorts) -> tuple[SavedQuery, ...]:
    """His own and those that are shared, by name."""
    return ports.saved.visible_to(ports.user)


def find_saved_query(query_id: str, ports: SavedQueryPorts) -> SavedQuery:
    """E875, also where it is not for him to see."""
    found = ports.saved.find(query_id)
    if found is None or not found.may_see(ports.user):
        fix = "GET /api/v1/federation/saved-queries lists those that you may see."
        raise ForgeError("E875", f"There is no saved query '{query_id}'", fix=fix)
    return found


def named_saved_query(name: str, ports: SavedQueryPorts) -> SavedQuery:
    """By its name, his own before those of others, or by its id. E875; E105 where several others share one by it."""
    seen = list_saved_queries(ports)
    for chosen in (
        [one for one in seen if one.name == name and one.owner == ports.user],
        [one for one in seen if one.id == name],
        [one for one in seen if one.name == name],
    ):
        if len(chosen) > 1:
            owners = ", ".join(f"{one.owner} ({one.id})" for one in chosen)
            raise ForgeError("E105", f"Several people share a query '{name}'", why=f"{owners}.", fix="Give its id.")
        if chosen:
            return chosen[0]
    raise ForgeError(
        "E875",
        f"There is no saved query '{name}'",
        why=did_you_mean(name, (one.name for one in seen)),
        fix="`forge saved-query list` has those that you may see.",
    )


def keep_query(given: Mapping[str, object], ports: SavedQueryPorts) -> SavedQuery:
    """E876 where he has another one by that name."""
    own = [one for one in list_saved_queries(ports) if one.owner == ports.user]
    if len(own) >= MOST:
        raise ForgeError("E105", f"You have saved {MOST:,} queries", fix="Delete one that you do not need.")
    now = ports.clock()
    made = _changed(
        SavedQuery(id=ports.new_id(), name="", sql="", owner=ports.user, created_at=now, updated_at=now), given
    )
    if not ports.saved.apply(None, made, _note("create", made, ports)):
        raise _name_is_taken(made)
    ports.record(made, False)
    return made


def change_saved_query(
    query_id: str, given: Mapping[str, object], ports: SavedQueryPorts, *, version: int | None = None
) -> SavedQuery:
    """What is not given stays. `version`: that which the caller saw; E877 where it is not the newest."""
    before = _own(query_id, ports, version)
    after = _changed(before, given)
    changed = sorted(one.name for one in fields(after) if getattr(after, one.name) != getattr(before, one.name))
    if not changed:
        return before
    made = replace(after, version=before.version + 1, updated_at=ports.clock())
    if not ports.saved.apply(before, made, _note("change", made, ports, changed)):
        known = ports.saved.find(query_id)
        raise _stale(before) if known is None or known.version != before.version else _name_is_taken(made)
    ports.record(made, False)
    return made


def drop_saved_query(query_id: str, ports: SavedQueryPorts, *, version: int | None = None) -> SavedQuery:
    before = _own(query_id, ports, version)
    if not ports.saved.apply(before, None, _note("drop", before, ports)):
        raise _stale(before)
    ports.record(before, True)
    return before


def record_saved_query(
    query: SavedQuery, federation: FederationPorts, lineage: LineagePorts, *, is_gone: bool = False
) -> None:
    """What it reads goes into the graph, where it is shared. Saving never fails for it: a source may not be there
    now, and the next change says it again."""
    from forge.flows.federation.query import QueryRequest, read_asked

    request = QueryRequest(query.sql, at=query.at, parameters=query.parameters)
    try:
        asked = read_asked(federation, request) if query.is_shared and not is_gone else None
    except ForgeError as error:
        _log.info("the lineage of the saved query %s is not known: %s", query.id, error.line)
        asked = None
    try:
        record_saved(lineage, query, asked)
    except ForgeError as error:
        _log.warning("the lineage of the saved query %s was not recorded: %s", query.id, error.line)


def _own(query_id: str, ports: SavedQueryPorts, version: int | None) -> SavedQuery:
    """E878 where it is someone else's, who shared it."""
    found = find_saved_query(query_id, ports)
    if found.owner != ports.user:
        raise ForgeError(
            "E878",
            f"The saved query {found.name} is of {found.owner}",
            why="A saved query is changed and deleted by who saved it.",
            fix="Open it, and save it as your own.",
        )
    if version is not None and version != found.version:
        raise _stale(found)
    return found


def _changed(query: SavedQuery, given: Mapping[str, object]) -> SavedQuery:
    unknown = sorted(given.keys() - _KEYS)  # whose it is, and when it was saved, nobody gives
    if unknown:
        fix = f"It has {', '.join(sorted(_KEYS))}."
        raise ForgeError("E105", f"A saved query has no {unknown[0]}", why=did_you_mean(unknown[0], _KEYS), fix=fix)
    made = replace(query, **given)  # type: ignore[arg-type]
    made = replace(made, name=made.name.strip())
    for key in ("name", "sql"):
        if not str(getattr(made, key)).strip():
            raise ForgeError("E105", f"A saved query has a {key}", where=f"body.{key}", fix=f"Send its {key}.")
    return made


def _name_is_taken(query: SavedQuery) -> ForgeError:
    what = f"You have saved another query as '{query.name}'"
    return ForgeError("E876", what, fix="Give it another name, or change that one.")


def _stale(query: SavedQuery) -> ForgeError:
    return ForgeError(
        "E877",
        f"The saved query {query.name} has changed since it was read",
        why="You wrote it meanwhile in another window, or by another program.",
        fix="Read it again, and change that version.",
    )


def _note(action: str, query: SavedQuery, ports: SavedQueryPorts, changed: list[str] | None = None) -> AuditRecord:
    detail: dict[str, object] = {"name": query.name, "is_shared": query.is_shared}
    detail |= {"changed": changed} if changed else {}
    return AuditRecord(ports.clock(), ports.user, f"saved_query.{action}", query.id, detail)
