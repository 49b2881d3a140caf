"""Files that mean no good, as a person at a terminal meets them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hostile_code import ODD, good_sql, write_odd_files
from migrated import lay_database

BROKEN = {"binary.sql": b"\0" * 9, "empty.py": b"", "syntax.sql": b"SELEC * FRM x WHERE;"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a folder of such files."""
    root = tmp_path_factory.mktemp("hostile")
    (root / "forge.yaml").write_text("user: {name: Ada, email: ada@example.com}\n")
    lay_database(root / ".forge" / "forge.db")
    folder = root / "code"
    folder.mkdir()
    write_odd_files(folder)
    for name, data in BROKEN.items():
        (folder / name).write_bytes(data)
    (folder / "good.sql").write_text(good_sql("good"))
    return root


@pytest.mark.slow
@pytest.mark.parametrize(("words", "status"), [((), 0), (("--strict",), 1)])
def test_bad_files_are_told_one_line_each_and_fail_only_where_that_is_asked_for(
    forge: Any, hostile: Path, words: tuple[str, ...], status: int
) -> None:
    ended = forge("lineage", "extract", "code", "--processes", "1", "--json", *words, at=hostile)
    assert ended.status == status
    assert sorted(gap["file"] for gap in ended.json["gaps"]) == sorted(f"code/{name}" for name in (*BROKEN, *ODD))
    assert {edge["target"] for edge in ended.json["edges"]} == {"out.good.a", "out.below.a", "out.name.a"}


@pytest.mark.slow
def test_they_are_read_into_the_graph_once(forge: Any, hostile: Path) -> None:
    ended = forge("ingest", "code", "--processes", "1", "--strict", "--json", at=hostile)
    assert ended.status == 1
    found = ended.json
    assert found["gaps"] == len(BROKEN) + len(ODD)
    assert "n\\xffme.sql" in {one["path"] for one in found["sources"]}
    again = forge("ingest", "code", "--json", at=hostile)
    assert (again.status, again.json["read"], again.json["unchanged"]) == (0, 0, found["read"])
