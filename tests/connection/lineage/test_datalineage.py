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


@pytest.mark.slow
def test_questions_go_to_the_project_of_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert query.upstream("revenue", "revenue").items[0].name == "raw.orders.amount"
    assert [item.name for item in query.downstream("raw.orders", depth=1).items] == ["marts.revenue.revenue"]
    assert [table.name for table in query.erd("marts").tables] == ["marts.revenue"]


@pytest.mark.slow
def test_or_to_another_one(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert query(folder).upstream("marts.revenue").total == 2
    with pytest.raises(ForgeError):
        query.upstream("marts.revenue")


@pytest.mark.slow
def test_it_has_a_short_name_of_its_own(folder: Path) -> None:
    import datalineage

    assert datalineage.query is query


@pytest.mark.slow
def test_code_is_read_with_names_completed_and_columns_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "jobs").mkdir()
    (folder / "jobs" / "users.sql").write_text("CREATE TABLE users AS SELECT lower(mail) AS email, note FROM people;")
    done = ingest("jobs", db="analytics", default_schema="public", schema={"people": {"mail": "text", "note": "text"}})
    assert (len(done.files), done.gaps, done.root) == (1, 0, "jobs")
    found = query.upstream("users", "email")
    assert [item.name for item in found.items] == ["analytics.public.people.mail"]
    again = ingest("jobs", db="analytics", default_schema="public", schema={"people": {"mail": "text", "note": "text"}})
    assert (len(again.files), len(again.unchanged), again.recorded.added) == (0, 1, 0)


@pytest.mark.slow
def test_the_dialect_and_the_project_may_be_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "top.sql").write_text("SELECT TOP 3 [mail] INTO dbo.few FROM dbo.people;")
    done = ingest(tmp_path / "top.sql", dialect="tsql", project=folder)
    assert done.gaps == 0
    assert [item.name for item in query(folder).upstream("dbo.few", "mail").items] == ["dbo.people.mail"]


@pytest.mark.slow
def test_what_was_read_is_a_table(folder: Path) -> None:
    (folder / "a.sql").write_text("INSERT INTO core.b SELECT x FROM core.a;\nFROBNICATE;")
    done = ingest(folder / "a.sql", project=folder)
    frame = done.to_pandas()
    assert list(frame["path"]) == ["a.sql"]
    assert frame["statements"][0] == 2
    assert "<td>a.sql</td>" in done._repr_html_()
    assert "FROBNICATE" in done._repr_html_()
    with connect(folder) as forge:
        sources = forge.lineage.sources()
    assert list(sources.to_pandas()["coverage"]) == [0.5]
    assert "<td>a.sql</td>" in sources._repr_html_()


@pytest.mark.slow
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
    done = ingest(tmp_path / "out")
    assert [(one.language, one.understood) for one in done.files] == [("export", 1)]
    assert query.upstream("revenue", "revenue").items[0].name == "raw.orders.amount"
    again = ingest(tmp_path / "out" / "lineage.jsonl")
    assert (again.files, len(again.unchanged)) == ((), 1)


@pytest.mark.slow
def test_what_is_not_there_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match="E816"):
        ingest(tmp_path / "nowhere", project=folder)
