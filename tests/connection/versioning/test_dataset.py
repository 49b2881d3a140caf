"""`f.dataset`: data pinned to a commit, or the conditions that failed. No JVM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from migrated import lay_database

import forge
from forge.connection import Connection
from forge.model.errors import ForgeError

ROWS = [{"order_id": 1, "amount": 10.0}, {"order_id": 2, "amount": 20.0}]
CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
name: orders
schema:
  - name: orders
    physicalName: core.orders
    properties:
      - {name: order_id, logicalType: integer}
      - {name: amount, logicalType: number, classification: pii}
"""


@pytest.fixture
def f(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    lay_database(tmp_path / ".forge" / "forge.db")
    (tmp_path / "forge.yaml").write_text("project: shop\nuser: {name: Ada, email: ada@example.com}\n")
    with forge.connect(tmp_path) as connection:
        connection.commit("core.orders", rows=ROWS, key="order_id", message="First load")
        yield connection


def test_data_is_pinned_to_the_commit_it_was_found_at(f: Connection) -> None:
    dataset = f.dataset("core.orders", require={"max_age": 1})
    f.commit("core.orders", rows=[{"order_id": 3, "amount": 30.0}], mode="append")
    assert dataset.to_arrow().to_pylist() == ROWS
    again = f.dataset(dataset.pinned)
    assert (again.commit, again.to_pandas()["order_id"].tolist()) == (dataset.commit, [1, 2])
    assert len(f.dataset("core.orders").to_arrow()) == 3
    assert "max_age: written" in repr(dataset)
    told = dataset.to_dict()
    assert (told["fit"], told["pinned"], len(told["conditions"])) == (True, f"core.orders@{dataset.commit}", 1)


def test_data_that_is_not_fit_does_not_come(f: Connection, tmp_path: Path) -> None:
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "orders.odcs.yaml").write_text(CONTRACT)
    with pytest.raises(ForgeError) as caught:
        f.dataset("core.orders", "main", require={"min_score": 95, "no_pii": True})
    error = caught.value
    assert (error.code, error.what) == ("E743", "core.orders at main is not fit: min_score, no_pii failed")
    assert (error.why or "").splitlines()[1] == "no_pii: personal data in amount (contract)"
    assert f.dataset("core.orders", "main", require={"max_age": 1}).fitness.is_fit


def test_a_requirement_that_nobody_knows_is_refused(f: Connection) -> None:
    with pytest.raises(ForgeError) as caught:
        f.dataset("core.orders", require={"min_scores": 95})
    assert caught.value.code == "E744"
