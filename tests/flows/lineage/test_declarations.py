"""Files of declared lineage over time: written, changed, taken away."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from migrated import lay_database

from forge.flows.lineage.declarations import record_declared
from forge.flows.lineage.ports import LineagePorts
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

HEAD = "author: ada\nreason: It is so.\n"
ONE = f"{HEAD}edges:\n- {{source: a.b.x, target: c.d.y}}\n"
TWO = f"{HEAD}edges:\n- {{source: a.b.x, target: c.d.y}}\n- {{source: a.b.z, target: c.d.y}}\n"


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[LineagePorts]:
    (tmp_path / "forge.yaml").write_text("project: shop\nuser: {name: Ada}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    hours = count()
    clock = lambda: datetime(2026, 11, 16, tzinfo=UTC) + timedelta(hours=next(hours))  # noqa: E731
    wiring = Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}), clock)
    yield wiring.lineage.graph
    wiring.close()


def edges(ports: LineagePorts) -> set[str]:
    return {fact.key.id for fact in ports.store.edge_facts() if fact.valid_to is None}


def test_what_a_file_no_longer_says_ends(ports: LineagePorts) -> None:
    record_declared(ports, {"lineage/a.yaml": TWO})
    assert edges(ports) == {"a.b.x->c.d.y#derived", "a.b.z->c.d.y#derived"}
    done = record_declared(ports, {"lineage/a.yaml": ONE})
    assert (edges(ports), done.recorded.closed) == ({"a.b.x->c.d.y#derived"}, 1)
    record_declared(ports, {}, gone=["lineage/a.yaml", "lineage/never.yaml"])
    assert edges(ports) == set()


def test_what_a_file_says_is_told_from_what_a_person_says_by_hand(ports: LineagePorts) -> None:
    record_declared(ports, {"lineage/a.yaml": ONE})
    (fact,) = ports.store.edge_facts()
    assert (fact.producer, fact.actor, fact.confidence) == ("declared:lineage/a.yaml", "ada", 1.0)
    assert fact.metadata == {"author": "ada", "reason": "It is so."}


def test_one_bad_file_and_nothing_is_written(ports: LineagePorts) -> None:
    with pytest.raises(ForgeError) as caught:
        record_declared(ports, {"lineage/a.yaml": ONE, "lineage/b.yaml": "edges: 7", "lineage/c.yaml": "nodes: 7"})
    assert "lineage/b.yaml:1" in str(caught.value)
    assert "lineage/c.yaml:1" in str(caught.value)
    assert edges(ports) == set()


def test_names_that_nobody_else_knows_are_told_with_what_is_near(ports: LineagePorts) -> None:
    nodes = "nodes:\n- {id: core.orders.amount, type: column}\n- {id: marts.daily.total, type: column}\n"
    record_declared(ports, {"lineage/nodes.yaml": nodes})
    text = f"{HEAD}edges:\n- {{source: core.orders.amuont, target: marts.daily.total}}\n"
    (gap,) = record_declared(ports, {"lineage/a.yaml": text}).unknown
    assert (gap.place, gap.line) == ("lineage/a.yaml", 4)
    assert "core.orders.amuont" in gap.reason
    assert "Did you mean core.orders.amount" in gap.reason
