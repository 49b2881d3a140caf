"""`from forge.datalineage import query`, on the project of the current folder. No JVM."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_history import write_history

from forge.connection import connect
from forge.datalineage import ingest, query
from forge.model.errors import ForgeError
from forge.wiring import Wiring


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    root = tmp_path / "shop"
    root.mkdir()
    (root / "forge.yaml").write_text("project: shop\n")
    wiring = Wiring.of(root)
    write_history(wiring)
    wiring.close()
    return root


def test_questions_go_to_the_project_of_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert query.upstream("revenue", "revenue").items[0].name == "raw.orders.amount"
    assert [item.name for item in query.downstream("raw.orders", depth=1).items] == ["marts.revenue.revenue"]
    assert [table.name for table in query.erd("marts").tables] == ["marts.revenue"]


def test_or_to_another_one(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert query(folder).upstream("marts.revenue").total == 2
    with pytest.raises(ForgeError):
        query.upstream("marts.revenue")


def test_it_has_a_short_name_of_its_own(folder: Path) -> None:
    import datalineage

    assert datalineage.query is query


def test_an_export_of_one_project_is_ingested_by_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with connect(folder) as forge:
        (tmp_path / "out").mkdir()
        forge.lineage.export(tmp_path / "out" / "lineage.jsonl")
    other = tmp_path / "other"
    other.mkdir()
    (other / "forge.yaml").write_text("project: other\n")
    monkeypatch.chdir(other)
    (done,) = ingest(tmp_path / "out")
    assert done.written > 0
    assert query.upstream("revenue", "revenue").items[0].name == "raw.orders.amount"
    (again,) = ingest(tmp_path / "out" / "lineage.jsonl")
    assert again.written == 0


def test_a_folder_without_an_export_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ForgeError, match="E813"):
        ingest(tmp_path / "empty", project=folder)
