"""The timeout of a query over a real PostgreSQL: it is ended there, too."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from migrated import lay_database
from source_worlds import postgres_world

from forge.connection.runs.project import Connection
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.wiring import Wiring

pytestmark = pytest.mark.services("postgres")


def test_a_query_over_its_time_runs_no_longer_in_the_database(
    tmp_path: Path, new_postgres: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PG", "postgres")
    world = postgres_world(new_postgres(), tmp_path)
    world.execute("CREATE VIEW slow AS SELECT 1::bigint AS i FROM pg_sleep(600)")
    (tmp_path / "forge.yaml").write_text("project: x\nuser: {name: Ada, email: ada@example.com}\n")
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as wiring:
        f = Connection(wiring, wiring.default_branch)
        f.sources.add("crm", "postgresql", url=f"jdbc:{world.source.url}", user="env:PG")
        seen: list[int] = []

        def watch() -> None:
            while not (seen and seen[-1]):
                seen.append(world.running())
                time.sleep(0.05)

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        with pytest.raises(ForgeError) as caught:
            f.query("SELECT i FROM crm.slow", timeout=3)
        assert caught.value.code == "E916"
        watcher.join(1)
    assert seen[-1] == 1, "it never ran in the database"
    ends = time.monotonic() + 10
    while world.running():
        assert time.monotonic() < ends, "it still runs in the database"
        time.sleep(0.05)
