"""Sources from Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from migrated import lay_database
from sqlite_source import alter, lay_shop

from forge.connection.runs.project import Connection
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring


@pytest.fixture
def f(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    lay_shop(tmp_path / "data" / "till.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        yield Connection(wiring, wiring.default_branch)


def test_a_source_from_its_making_to_its_end(f: Connection) -> None:
    made = f.sources.add("till", "sqlite", path="data/till.db", hidden=["customers.email"])
    assert (made.name, made.created_by, f.sources.get("TILL")) == ("till", "ada@example.com", made)
    assert f.sources.test("till").tables == 2
    assert [one.to_dict()["table"] for one in f.sources.show("till")] == ["customers", "orders"]
    assert f.sources.show("till", "customers").hidden == {"email"}
    alter(f.wiring.root / "data" / "till.db", "ALTER TABLE orders ADD COLUMN note TEXT")
    assert [one.column for one in f.sources.drift("till").changes] == ["note"]
    assert f.sources.edit("till", expected_version=1, description="Tills").version == 2
    with pytest.raises(ForgeError, match="has changed since"):
        f.sources.edit("till", expected_version=1, description=None)
    assert f.sources.list().to_pandas()["description"].tolist() == ["Tills"]
    f.sources.remove("till")
    assert f.sources.list() == ()


def test_errors_of_files_are_told_beside_the_sources_that_are_right(f: Connection) -> None:
    (f.wiring.root / "sources").mkdir()
    (f.wiring.root / "sources" / "a.yaml").write_text(
        "sources:\n  - {name: crm, connector: sqlite, path: data/till.db}\n  - {name: y}\n"
    )
    assert [one.name for one in f.sources.list()] == ["crm"]
    assert [error.where for error in f.sources.errors()] == ["sources/a.yaml:3"]
