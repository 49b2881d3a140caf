"""Virtual tables from Python: a SELECT becomes one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from migrated import lay_database
from sqlite_source import lay_shop

from forge.connection.runs.project import Connection
from forge.settings import load_settings
from forge.wiring import Wiring


def test_what_is_drafted_is_what_is_created(tmp_path: Path) -> None:
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    lay_shop(tmp_path / "data" / "till.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        f = Connection(wiring, wiring.default_branch)
        f.sources.add("till", "sqlite", path="data/till.db")
        sql = "SELECT c.id, c.city AS town FROM till.customers AS c WHERE c.id > 0"
        draft = f.virtual_tables.draft(sql).to_dict()
        noted = wiring.metadata.audit(limit=1)[0]
        assert (noted.action, noted.detail["text"]) == ("query.draft", sql)
        f.virtual_tables.create("people", **draft)
        assert f.query("SELECT * FROM virtual.people").rows == f.query(sql).rows == ((1, "London"),)
