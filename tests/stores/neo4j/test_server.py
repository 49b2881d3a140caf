from __future__ import annotations

import socket
import sys

import pytest

from forge.lineage.graph.request import TraversalRequest
from forge.model.errors import ForgeError
from forge.stores.memory.lineage import MemoryLineage
from forge.stores.neo4j.lineage import open_neo4j


def test_a_missing_driver_is_named_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "neo4j", None)  # as Python itself marks what cannot be imported
    with pytest.raises(ForgeError) as caught:
        open_neo4j("bolt://localhost:7687", "neo4j", "", "neo4j", MemoryLineage())
    assert caught.value.code == "E811"
    assert "pip install 'forge[neo4j]'" in str(caught.value.fix)


@pytest.mark.slow
@pytest.mark.parametrize(
    "url", ["localhost:7687", "http://localhost:7474", "bolt://localhost:port", "bolt://me:secret@localhost"]
)
def test_what_is_no_address_is_told_with_an_example(url: str) -> None:
    with pytest.raises(ForgeError) as caught:
        open_neo4j(url, "neo4j", "", "neo4j", MemoryLineage())
    assert (caught.value.code, caught.value.where) == ("E811", "lineage.neo4j.url")
    assert "bolt://localhost:7687" in str(caught.value.fix)
    assert "secret" not in str(caught.value)


@pytest.mark.slow
def test_nothing_is_connected_before_the_first_question() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))  # taken, and nobody listens
        url = f"bolt://127.0.0.1:{probe.getsockname()[1]}"
        answers = open_neo4j(url, "neo4j", "secret", "neo4j", MemoryLineage())
        with pytest.raises(ForgeError) as caught:
            answers.walk(TraversalRequest(start="core.orders"))
        answers.close()
    assert caught.value.code == "E811"
    assert url in caught.value.what
    assert "secret" not in str(caught.value)
