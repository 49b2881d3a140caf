"""A codebase comes into the graph, and again only what changed. In memory, without processes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from committed_lineage import CommittedLineage, edge

from forge.flows.lineage.code.extract import extract
from forge.flows.lineage.code.ingest import IngestReport, ingest
from forge.flows.lineage.code.lake_definitions import definitions_in_lake
from forge.flows.lineage.code.ports import IngestOptions, IngestPorts, IngestProgress
from forge.flows.lineage.code.records import producer_of
from forge.flows.lineage.disagreements import find_disagreements
from forge.flows.lineage.reader import open_graph
from forge.lineage.exchange import write_export
from forge.lineage.extract.codebase import CodebaseContext, SourceUnit, UnitResult, read_sequentially
from forge.model.errors import ForgeError
from forge.stores.memory.lineage_sources import MemorySources


class Code:
    """A folder of code and the graph it is read into; `read` are the units that were read last."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = CommittedLineage()
        self.sources = MemorySources()
        self.read: list[str] = []

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            path = self.folder / name.replace("__", "/").replace("_sql", ".sql").replace("_py", ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def ingest(self, options: IngestOptions | None = None, root: str = "jobs") -> IngestReport:
        self.read = []
        self.world.now += timedelta(minutes=1)

        def run(units: Sequence[SourceUnit], shared: CodebaseContext) -> Iterable[UnitResult]:
            for one in read_sequentially(units, shared):
                self.read.append(one.unit)
                yield one

        ports = self.world.ports
        known = IngestPorts(ports, self.sources, run, lambda: definitions_in_lake(ports))
        return ingest(known, self.folder, options, root=root)

    def upstream(self, name: str, **options: bool) -> set[str]:
        found = open_graph(self.world.ports).walk(name, direction="upstream", depth=1, **options)  # type: ignore[arg-type]
        return {item.name for item in found.items}


@pytest.fixture
def code(tmp_path: Path) -> Code:
    (tmp_path / "code").mkdir()
    return Code(tmp_path / "code")


DDL = "CREATE TABLE raw.orders (id BIGINT NOT NULL PRIMARY KEY, amount DOUBLE, status STRING);"
STAR = "CREATE VIEW core.orders AS SELECT * FROM raw.orders;"
MART = """CREATE TABLE mart.daily AS
WITH ok AS (SELECT * FROM core.orders WHERE status = 'ok') SELECT amount AS net FROM ok;"""


@pytest.mark.slow
def test_files_are_read_together_whatever_their_order(code: Code) -> None:
    code.write(a_sql=MART, b_sql=STAR, c_sql=DDL)
    done = code.ingest()
    assert done.gaps == 0
    assert code.upstream("mart.daily.net") == {"core.orders.amount"}
    assert code.upstream("core.orders.amount") == {"raw.orders.amount"}


def test_a_file_that_did_not_change_is_not_read_again(code: Code) -> None:
    code.write(a_sql=MART, b_sql=STAR, c_sql=DDL)
    code.ingest()
    before = code.world.store.revision()
    done = code.ingest()
    assert (code.read, len(done.files), len(done.unchanged)) == ([], 0, 3)
    assert code.world.store.revision() == before
    code.write(d_sql="INSERT INTO mart.other SELECT id FROM raw.orders;")
    code.ingest()
    assert code.read == ["d.sql"]


def test_what_a_file_no_longer_says_ends_and_what_was_stays_in_the_history(code: Code) -> None:
    code.write(a_sql="CREATE TABLE m.t AS SELECT amount AS x FROM raw.orders;", c_sql=DDL)
    code.ingest()
    then = code.world.now
    code.write(a_sql="CREATE TABLE m.t AS SELECT id AS x FROM raw.orders;")
    done = code.ingest()
    assert code.upstream("m.t.x") == {"raw.orders.id"}
    assert done.recorded.closed > 0
    found = open_graph(code.world.ports, then.isoformat()).walk("m.t.x", direction="upstream")
    assert {item.name for item in found.items} == {"raw.orders.amount"}


def test_a_file_that_is_gone_takes_back_what_it_said(code: Code) -> None:
    code.write(a_sql="CREATE TABLE m.t AS SELECT amount AS x FROM raw.orders;", c_sql=DDL)
    code.ingest()
    (code.folder / "a.sql").unlink()
    done = code.ingest()
    assert done.removed == ("a.sql",)
    assert code.upstream("raw.orders.amount") == set()
    assert not open_graph(code.world.ports).walk("raw.orders.amount", direction="downstream").items
    assert [one.path for one in code.sources.sources()] == ["c.sql"]


def test_a_file_is_read_again_when_a_table_it_reads_is_defined_otherwise(code: Code) -> None:
    code.write(a_sql="CREATE TABLE m.t AS SELECT * FROM raw.orders;", c_sql=DDL, z_sql="SELECT 1;")
    code.ingest()
    code.write(c_sql="CREATE TABLE raw.orders (id BIGINT, total DOUBLE);")
    code.ingest()
    assert set(code.read) == {"a.sql", "c.sql"}
    assert code.upstream("m.t.total") == {"raw.orders.total"}


def test_a_program_is_read_again_when_a_module_it_imports_changed(code: Code) -> None:
    code.write(
        util_py="def clean(df):\n    return df.withColumnRenamed('amount', 'net')\n",
        job_py="from util import clean\nclean(spark.table('raw.orders')).write.saveAsTable('m.t')\n",
        alone_py="spark.table('raw.orders').select('id').write.saveAsTable('m.u')\n",
        c_sql=DDL,
    )
    code.ingest()
    assert code.upstream("m.t.net") == {"raw.orders.amount"}
    code.write(util_py="def clean(df):\n    return df.withColumnRenamed('amount', 'gross')\n")
    code.ingest()
    assert "job.py" in code.read
    assert "alone.py" not in code.read
    assert code.upstream("m.t.gross") == {"raw.orders.amount"}


def test_other_options_read_everything_again(code: Code) -> None:
    code.write(a_sql="INSERT INTO t SELECT x FROM s;")
    code.ingest()
    code.ingest(IngestOptions(db="shop", default_schema="public"))
    assert code.read == ["a.sql"]
    assert code.upstream("shop.public.t.x") == {"shop.public.s.x"}


def test_what_lies_inside_a_program_is_shown_only_when_asked_for(code: Code) -> None:
    code.write(a_sql=MART, b_sql=STAR, c_sql=DDL)
    code.ingest()
    hidden = code.upstream("mart.daily.net", intermediate=True) - code.upstream("mart.daily.net")
    assert len(hidden) == 1
    assert hidden.pop().startswith("code:jobs/a.sql#ok@")


def test_tables_come_with_their_types_keys_and_file(code: Code) -> None:
    code.write(c_sql=DDL)
    code.ingest()
    found = open_graph(code.world.ports)
    table, column = found.node("raw.orders"), found.node("raw.orders.id")
    assert table is not None
    assert column is not None
    assert (table.details["source_file"], table.details["primary_key"]) == ("jobs/c.sql", ["id"])
    assert (column.details["data_type"], column.details["nullable"]) == ("bigint", False)


def test_evidence_names_the_file_and_the_line(code: Code) -> None:
    code.write(c_sql=DDL, a_sql="\n\nINSERT INTO m.t (x)\nSELECT amount FROM raw.orders;")
    code.ingest()
    found = open_graph(code.world.ports).edge("raw.orders.amount->m.t.x#copied")
    assert [one.place for fact in found.facts for one in fact.evidence] == ["jobs/a.sql:3"]
    assert found.confidence == 0.95


def test_the_tables_of_the_lake_are_known(code: Code) -> None:
    code.world.commit({"core.orders": []}, columns={"core.orders": {"a": "int", "b": "int"}})
    code.write(a_sql="CREATE TABLE m.t AS SELECT * FROM core.orders")
    assert code.ingest().gaps == 0
    assert code.upstream("m.t.b") == {"core.orders.b"}


def test_an_edge_that_is_in_code_and_in_runs_is_confirmed(code: Code) -> None:
    code.world.commit({"core.t": [edge("raw.x.a", "core.t.a"), edge("raw.x.b", "core.t.b")]})
    code.write(a_sql="CREATE TABLE core.t AS SELECT x.a, x.c AS b FROM raw.x AS x;")
    code.ingest()
    view = open_graph(code.world.ports)
    assert view.edge("raw.x.a->core.t.a#copied").confirmed
    assert view.edge("raw.x.a->core.t.a#copied").confidence == 1.0
    assert not view.edge("raw.x.c->core.t.b#copied").confirmed
    found = find_disagreements(view.store)
    assert (found.tables, found.agreed) == (1, 1)
    assert [(one.side, one.source, one.target) for one in found.disagreements] == [
        ("code", "raw.x.c", "core.t.b"),
        ("runs", "raw.x.b", "core.t.b"),
    ]
    assert found.disagreements[0].place == "jobs/a.sql:1"


def test_gaps_are_kept_with_their_line_and_without_secrets(code: Code) -> None:
    code.write(a_sql="SELEC x;\nSELEC y FROM z WHERE password = 'hunter2';\nINSERT INTO m.t SELECT a FROM s.u;")
    done = code.ingest()
    [record] = done.files
    assert (record.statements, record.understood) == (3, 1)
    assert [gap.line for gap in record.gaps] == [1, 2]
    assert record.gaps[0].code == "SELEC x;"
    assert "hunter2" not in record.gaps[1].code
    assert code.upstream("m.t.a") == {"s.u.a"}


def test_a_single_file_leaves_the_others_of_its_folder_alone(code: Code) -> None:
    code.write(a_sql="INSERT INTO m.t SELECT a FROM s.u;", b_sql="INSERT INTO m.v SELECT a FROM s.u;")
    code.ingest()
    ports = IngestPorts(code.world.ports, code.sources)
    code.world.now += timedelta(minutes=1)
    done = ingest(ports, code.folder / "a.sql", root="jobs")
    assert (done.removed, [one.path for one in done.unchanged]) == ((), ["a.sql"])
    assert code.upstream("m.v.a") == {"s.u.a"}


def test_nothing_to_read_is_told(code: Code) -> None:
    with pytest.raises(ForgeError, match="E816"):
        ingest(IngestPorts(code.world.ports, code.sources), code.folder / "missing")
    code.write(orders_sql="SELECT 1")
    with pytest.raises(ForgeError) as told:
        ingest(IngestPorts(code.world.ports, code.sources), code.folder / "odrers.sql")
    assert told.value.fix == "Did you mean orders.sql?"


def test_progress_counts_each_file_once(code: Code) -> None:
    code.write(a_sql=MART, b_sql=STAR, c_sql=DDL)
    told: list[IngestProgress] = []
    ingest(IngestPorts(code.world.ports, code.sources), code.folder, None, told.append, root="jobs")
    assert (told[-1].done, told[-1].total) == (3, 3)
    assert all(one.done <= one.total for one in told)


def test_two_folders_do_not_speak_for_each_other(code: Code) -> None:
    code.write(a_sql="INSERT INTO m.t SELECT a FROM s.u;")
    code.ingest(root="one")
    code.ingest(root="two")
    (code.folder / "a.sql").write_text("")
    code.ingest(root="two")
    assert code.upstream("m.t.a") == {"s.u.a"}
    assert {producer_of("one", "a.sql"), producer_of("two", "a.sql")} <= set(code.world.store.producers())


DECLARED = """author: ada
edges:
  - {source: core.orders.amount, target: "dashboard:board", type: consumes, reason: the page of the board}
nodes:
  - {id: "dashboard:board", type: dashboard}
"""


def test_edges_that_people_wrote_are_told_apart_and_end_with_their_file(code: Code) -> None:
    code.write(c_sql="CREATE TABLE core.orders (amount DOUBLE);")
    (code.folder / "by_hand.yaml").write_text(DECLARED)
    done = code.ingest()
    assert {one.path: (one.language, one.edges) for one in done.files}["by_hand.yaml"] == ("yaml", 1)
    assert code.upstream("dashboard:board") == {"core.orders.amount"}
    found = open_graph(code.world.ports).edge("core.orders.amount->dashboard:board#consumes")
    assert [str(one.basis) for fact in found.facts for one in fact.evidence] == ["declared"]
    (code.folder / "by_hand.yaml").unlink()
    code.ingest()
    assert code.upstream("dashboard:board") == set()


def test_a_fault_in_a_file_of_edges_is_a_gap_with_its_line(code: Code) -> None:
    (code.folder / "by_hand.yaml").write_text("author: ada\nedges:\n  - {source: a.b.c, taget: d.e.f, reason: x}\n")
    [record] = code.ingest().files
    assert [gap.line for gap in record.gaps] == [3] * len(record.gaps)
    assert record.gaps


def test_an_export_of_another_graph_is_taken_in(code: Code) -> None:
    other = CommittedLineage()
    other.commit({"core.t": [edge("raw.x.a", "core.t.a")]})
    lines = write_export(open_graph(other.ports).store)
    (code.folder / "other.jsonl").write_text("\n".join(lines))
    code.ingest()
    assert code.upstream("core.t.a") == {"raw.x.a"}


def test_the_select_of_a_transform_of_the_project_makes_its_table(code: Code) -> None:
    """By its path or its header, and whichever folder of the project is given."""
    (code.folder / "forge.yaml").write_text("project: shop\n")
    code.write(transforms__core__t_sql="/* forge\nkind: full\n*/\nSELECT x.a FROM raw.x AS x")
    code.write(transforms__core__u_sql="/* forge\noutput: marts.u\n*/\nSELECT t.a FROM core.t AS t")
    code.write(other__core__v_sql="SELECT t.a FROM core.t AS t")
    code.ingest()
    assert code.upstream("core.t.a") == {"raw.x.a"}
    assert code.upstream("marts.u.a") == {"core.t.a"}
    with pytest.raises(ForgeError, match=r"'core\.v' is not in the lineage graph"):
        code.upstream("core.v")  # not below transforms/
    extraction, _ = extract([code.folder / "transforms" / "core" / "t.sql"], IngestOptions(), read_sequentially)
    assert [str(one.target) for one in extraction.edges] == ["core.t.a"]


def test_a_transform_in_sql_has_the_name_that_runs_give_it(code: Code) -> None:
    (code.folder / "forge.yaml").write_text("project: shop\n")
    code.write(
        transforms__core__t_sql="SELECT x.a FROM raw.x AS x",
        transforms__core__u_py="""
from forge import transform

@transform(inputs={"t": "core.t"})
def u(t):
    return t.select("a")
""",
    )
    code.ingest()
    nodes = {fact.entity.id for fact in open_graph(code.world.ports).store.node_facts()}
    assert {name for name in nodes if name.startswith(("transform:", "pipeline:"))} == {
        "transform:core.t",
        "transform:core.u",
    }
