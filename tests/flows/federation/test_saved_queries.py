"""Saved queries: whose they are, who sees them, and what two windows do to each other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count

import pytest

from forge.federation.saved_query import SavedQuery
from forge.flows.federation import saved_queries
from forge.flows.federation.saved_queries import (
    SavedQueryPorts,
    change_saved_query,
    drop_saved_query,
    find_saved_query,
    keep_query,
    list_saved_queries,
)
from forge.model.errors import ForgeError
from forge.stores.memory.saved_queries import MemorySavedQueries

NOW = datetime(2026, 11, 18, tzinfo=UTC)
CITIES = {"name": " Cities ", "sql": "SELECT city FROM crm.customers", "parameters": {"least": 3}}


@pytest.fixture
def store() -> MemorySavedQueries:
    return MemorySavedQueries()


@pytest.fixture
def of(store: MemorySavedQueries) -> Callable[[str], SavedQueryPorts]:
    ids, times = count(), count()

    def ports(user: str) -> SavedQueryPorts:
        return SavedQueryPorts(
            saved=store,
            clock=lambda: NOW + timedelta(seconds=next(times)),
            user=user,
            new_id=lambda: f"q_{next(ids)}",
        )

    return ports


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(ForgeError) as caught:
        act()
    assert caught.value.fix
    return caught.value.code


Of = Callable[[str], SavedQueryPorts]


def test_a_query_is_kept_changed_and_dropped(of: Of, store: MemorySavedQueries) -> None:
    made = keep_query(CITIES, of("eve"))
    assert (made.id, made.name, made.owner, made.version, made.is_shared) == ("q_0", "Cities", "eve", 1, False)
    same = change_saved_query("q_0", {"name": "Cities "}, of("eve"))
    assert same == made
    changed = change_saved_query("q_0", {"sql": "SELECT 1", "at": "main"}, of("eve"), version=1)
    assert (changed.version, changed.sql, changed.at, changed.parameters) == (2, "SELECT 1", "main", {"least": 3})
    assert changed.updated_at > made.updated_at == made.created_at == changed.created_at
    assert refused(lambda: change_saved_query("q_0", {"sql": "SELECT 2"}, of("eve"), version=1)) == "E877"
    assert refused(lambda: drop_saved_query("q_0", of("eve"), version=1)) == "E877"
    drop_saved_query("q_0", of("eve"), version=2)
    assert list_saved_queries(of("eve")) == ()
    assert [one.action for one in store.audit] == ["saved_query.create", "saved_query.change", "saved_query.drop"]
    assert store.audit[1].detail["changed"] == ["at", "sql"]


def test_what_is_not_shared_is_not_there_for_others(of: Of) -> None:
    keep_query(CITIES, of("eve"))
    acts: list[Callable[[], object]] = [
        lambda: find_saved_query("q_0", of("bob")),
        lambda: change_saved_query("q_0", {"is_shared": True}, of("bob")),
        lambda: drop_saved_query("q_0", of("bob")),
        lambda: find_saved_query("q_9", of("bob")),
    ]
    assert [refused(act) for act in acts] == ["E875"] * 4
    assert list_saved_queries(of("bob")) == ()


def test_what_is_shared_is_read_and_not_changed_by_others(of: Of) -> None:
    keep_query({**CITIES, "is_shared": True}, of("eve"))
    assert find_saved_query("q_0", of("bob")) == list_saved_queries(of("bob"))[0]
    assert refused(lambda: change_saved_query("q_0", {"sql": "SELECT 1"}, of("bob"))) == "E878"
    assert refused(lambda: drop_saved_query("q_0", of("bob"))) == "E878"
    change_saved_query("q_0", {"is_shared": False}, of("eve"))
    assert refused(lambda: find_saved_query("q_0", of("bob"))) == "E875"


def test_names_are_those_of_one_owner(of: Of) -> None:
    keep_query(CITIES, of("eve"))
    assert refused(lambda: keep_query({**CITIES, "name": "Cities"}, of("eve"))) == "E876"
    assert keep_query(CITIES, of("bob")).name == "Cities"
    other = keep_query({**CITIES, "name": "cities"}, of("eve"))
    assert refused(lambda: change_saved_query(other.id, {"name": "Cities"}, of("eve"))) == "E876"
    for empty in ({"name": "  "}, {"sql": "\n"}):
        assert refused(partial(keep_query, {**CITIES, **empty}, of("eve"))) == "E105"


def test_nobody_keeps_more_than_there_is_room_for(of: Of, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_queries, "MOST", 2)
    for name in ("a", "b"):
        keep_query({**CITIES, "name": name, "is_shared": True}, of("eve"))
    assert refused(lambda: keep_query(CITIES, of("eve"))) == "E105"
    assert keep_query(CITIES, of("bob")).owner == "bob"


def test_a_change_that_comes_between_is_told(of: Of, store: MemorySavedQueries) -> None:
    made = keep_query(CITIES, of("eve"))

    class Meanwhile(MemorySavedQueries):
        def find(self, query_id: str) -> SavedQuery | None:
            return made if store.find(query_id) else None

        def apply(self, *changes: object) -> bool:
            return store.apply(*changes)  # type: ignore[arg-type]

    change_saved_query("q_0", {"sql": "SELECT 1"}, of("eve"))
    late = SavedQueryPorts(saved=Meanwhile(), clock=of("eve").clock, user="eve")
    assert refused(lambda: drop_saved_query("q_0", late)) == "E877"
