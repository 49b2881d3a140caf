"""Files that mean no good: nothing crashes, nothing hangs, each is told in one line, and all others are read."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hostile_code import BAD, ODD, TABLES, Bad, good_sql, write_bad, write_bomb, write_odd_files

from forge.engines.local.code_reader import CodeReaderPool
from forge.flows.lineage.code.extract import extract
from forge.flows.lineage.code.ports import IngestOptions
from forge.lineage.edge import Extraction, Gap
from forge.lineage.extract.codebase import read_sequentially

OPTIONS = IngestOptions(schemas=TABLES)
ENDLESS = "from pyspark.sql import functions as F\nc = F.col('a')\nfor i in range(60):\n    c = c + c\n"
ENDLESS += "spark.table('src.s').withColumn('x', c).write.saveAsTable('out.x')\n"


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Extraction]:
    """All of it at once, as one codebase, in this process: nothing here needs to be ended from outside."""
    folder = tmp_path_factory.mktemp("hostile")
    write_bad(folder)
    write_odd_files(folder)
    write_bomb(folder / "bomb")
    return folder, extract([folder], OPTIONS, read_sequentially)[0]


def gaps_of(read: tuple[Path, Extraction], name: str) -> list[Gap]:
    folder, found = read
    return [gap for gap in found.gaps if gap.place == f"{folder}/{name}"]


def targets(found: Extraction) -> set[str]:
    return {str(edge.target) for edge in found.edges}


@pytest.mark.slow
@pytest.mark.parametrize("bad", [pytest.param(one, id=one.name) for one in BAD])
def test_a_bad_file_is_told_in_one_line_and_what_is_good_in_it_is_read(read: tuple[Path, Extraction], bad: Bad) -> None:
    gaps = gaps_of(read, bad.name)
    assert [bad.words in gap.reason for gap in gaps] == ([True] if bad.words else []), gaps
    assert (f"out.{Path(bad.name).stem}.a" in targets(read[1])) is bad.read


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_what_is_no_file_is_told_and_not_waited_for(read: tuple[Path, Extraction], name: str) -> None:
    (gap,) = gaps_of(read, name)
    assert ODD[name] in gap.reason


@pytest.mark.slow
def test_folders_are_looked_into_whatever_they_are_called_and_loops_of_links_end(
    read: tuple[Path, Extraction],
) -> None:
    folder, found = read
    assert "out.below.a" in targets(found)
    assert not any("/loop/" in edge.file for edge in found.edges)
    assert [edge.file for edge in found.edges if str(edge.target) == "out.name.a"] == [f"{folder}/n\\xffme.sql"]


@pytest.mark.slow
def test_a_bad_dbt_project_does_not_take_its_good_models_along(read: tuple[Path, Extraction]) -> None:
    assert {one for one in targets(read[1]) if one.endswith("good.a")}
    (gap,) = gaps_of(read, "bomb/models/range.sql")
    assert "cannot be rendered" in gap.reason
    (gap,) = gaps_of(read, "bomb/target/manifest.json")
    assert "cannot be read" in gap.reason
    assert gaps_of(read, "bomb/models/loop.sql")


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_given_up_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(f"from pyspark.sql import SparkSession\nspark = SparkSession()\n{ENDLESS}")
    for name in ("one", "two"):
        (tmp_path / f"{name}.sql").write_text(good_sql(name))
    with CodeReaderPool(1, limit=0.5) as readers:
        found, programs = extract([tmp_path], OPTIONS, readers)
    assert targets(found) == {"out.one.a", "out.two.a"}
    assert found.gaps == (Gap(f"{tmp_path}/endless.py", 0, "it takes longer than 0.5 s to read"),)
    assert {program.file: program.understood for program in programs}[f"{tmp_path}/endless.py"] == 0


@pytest.mark.slow
def test_a_reader_that_dies_is_replaced_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(f"from pyspark.sql import SparkSession\nspark = SparkSession()\n{ENDLESS}")
    (tmp_path / "one.sql").write_text(good_sql("one"))
    with CodeReaderPool(1, limit=60) as readers:
        killer = threading.Timer(1.0, lambda: readers._workers[0].process.kill())
        killer.start()
        found, _ = extract([tmp_path], OPTIONS, readers)
        killer.join()
    assert targets(found) == {"out.one.a"}
    assert [(gap.place, gap.reason) for gap in found.gaps] == [(f"{tmp_path}/endless.py", "the reader died of it")]


def test_a_folder_that_cannot_be_listed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    scan = os.scandir

    def refusing(folder: Path) -> object:
        if Path(folder).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    (tmp_path / "closed").mkdir()
    (tmp_path / "one.sql").write_text(good_sql("one"))
    monkeypatch.setattr("forge.flows.lineage.code.files.os.scandir", refusing)
    found, _ = extract([tmp_path], OPTIONS, read_sequentially)
    assert targets(found) == {"out.one.a"}
    assert found.gaps == (Gap(f"{tmp_path}/closed", 0, "the folder cannot be read: Permission denied"),)


def test_a_file_that_was_named_and_is_no_code_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("SELECT 1")
    (gap,) = extract([tmp_path / "notes.txt"], OPTIONS, read_sequentially)[0].gaps
    assert "no code" in gap.reason
    assert extract([tmp_path], OPTIONS, read_sequentially)[0].gaps == ()
