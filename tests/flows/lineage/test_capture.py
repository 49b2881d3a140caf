"""What a script was seen to write comes into the graph."""

from __future__ import annotations

from datetime import timedelta

import pytest
from committed_lineage import CommittedLineage

from forge.flows.lineage.capture import ScriptCapture, fail_if_failed, record_captured
from forge.flows.lineage.reader import open_graph
from forge.lineage.edge import Edge, Extraction, IndirectEdge, IndirectType, TableEdge, Transformation
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.observation import ObservedWrite
from forge.lineage.extract.program import OutputKind
from forge.model.errors import ForgeError
from forge.model.names import ColumnName


def seen(target: str, source: str, column: str = "a", made: OutputKind = OutputKind.TABLE) -> ObservedWrite:
    edge = Edge(
        source=ColumnName(source, column),
        target=ColumnName(target, column),
        transformation=Transformation.IDENTITY,
        expression=column,
    )
    shaped = IndirectEdge(ColumnName(source, "k"), target, IndirectType.FILTER)
    return ObservedWrite(target, made, Extraction((edge,), (shaped,), (TableEdge(source, target),)))


def upstream(world: CommittedLineage, name: str) -> set[str]:
    found = open_graph(world.ports).walk(name, direction="upstream", depth=1)
    return {item.name for item in found.items}


def test_what_was_seen_is_certain() -> None:
    world = CommittedLineage()
    record_captured(world.ports, ScriptCapture("jobs/load.py", (seen("mart.b", "sales.a"),)), TableCatalog())
    facts = world.ports.store.edge_facts(producer="capture:jobs/load.py")
    (edge,) = [one for one in facts if one.target.id == "mart.b.a"]
    assert edge.confidence == 1.0
    assert [(str(one.basis), one.file) for one in edge.evidence] == [("observed", "jobs/load.py")]


def test_names_are_those_of_the_catalog() -> None:
    world = CommittedLineage()
    record_captured(
        world.ports, ScriptCapture("load.py", (seen("default.b", "sales.a"),)), TableCatalog((), "db", "public")
    )
    assert upstream(world, "db.public.b.a") == {"db.sales.a.a"}


def test_a_script_that_succeeds_takes_back_what_it_no_longer_writes_and_one_that_fails_does_not() -> None:
    world = CommittedLineage()
    both = (seen("mart.b", "sales.a"), seen("mart.c", "sales.a"))
    record_captured(world.ports, ScriptCapture("load.py", both), TableCatalog())
    world.now += timedelta(minutes=1)
    record_captured(world.ports, ScriptCapture("load.py", both[:1], exit_code=3), TableCatalog())
    assert upstream(world, "mart.c.a") == {"sales.a.a"}
    world.now += timedelta(minutes=1)
    record_captured(world.ports, ScriptCapture("load.py", both[:1]), TableCatalog())
    assert upstream(world, "mart.c.a") == set()
    assert upstream(world, "mart.b.a") == {"sales.a.a"}


def test_a_failure_is_told_after_all_is_recorded() -> None:
    with pytest.raises(ForgeError) as failed:
        fail_if_failed(ScriptCapture("load.py", (), exit_code=3))
    assert failed.value.code == "E821"
    fail_if_failed(ScriptCapture("load.py", ()))


def test_files_are_outside() -> None:
    world = CommittedLineage()
    record_captured(
        world.ports, ScriptCapture("load.py", (seen("/out/b", "/in/a", made=OutputKind.FILE),)), TableCatalog()
    )
    assert upstream(world, "/out/b.a") == {"/in/a.a"}


def test_files_below_the_folder_it_ran_in_are_called_as_code_calls_them() -> None:
    world = CommittedLineage()
    files = (seen("/lake/out/b", "/lake/in/a", made=OutputKind.FILE),)
    record_captured(world.ports, ScriptCapture("load.py", files), TableCatalog(), here="/lake")
    [fact] = [one for one in world.ports.store.edge_facts() if one.target.owner]
    assert (fact.source.owner, fact.target.owner) == ("in/a", "out/b")
