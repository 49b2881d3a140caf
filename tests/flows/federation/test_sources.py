"""Declared sources in a store: who may change what, and what is remembered of their columns."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlite_source import alter, lay_shop, open_sqlite

from forge.federation.limits import SourceLimits
from forge.federation.source import Source, SourceOrigin
from forge.flows.federation import sources as flow
from forge.flows.federation.ports import SourceConnector
from forge.flows.federation.source_files import read_file_sources
from forge.flows.federation.sources import SourcePorts
from forge.model.errors import ForgeError, errors_of
from forge.stores.connectors.proposed_columns import propose_columns
from forge.stores.memory.declared_sources import MemoryDeclaredSources

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
TILL = {"name": "till", "connector": "sqlite", "path": "data/till.db"}
FILE = "sources:\n  - {name: crm, connector: sqlite, path: data/till.db}\n"
EVE = "eve@example.com"


@pytest.fixture
def ports(tmp_path: Path) -> SourcePorts:
    lay_shop(tmp_path / "data" / "till.db")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "crm.yaml").write_text(FILE)
    return SourcePorts(
        declared=MemoryDeclaredSources(),
        files=lambda: read_file_sources(tmp_path),
        schemas=lambda: {"core": "the lake has core.orders"},
        open_connector=lambda source: open_sqlite(source, tmp_path, lambda reference: reference),
        propose_columns=lambda source: propose_columns(source, tmp_path),
        clock=lambda: NOW,
        actor="ada@example.com",
    )


def over_http(ports: SourcePorts, actor: str = "ada@example.com") -> SourcePorts:
    limits = SourceLimits(("db.example.com",), ("FORGE_SOURCE_*",), ("data",))
    return replace(ports, origin=SourceOrigin.HTTP, actor=actor, limits=limits)


def refused(code: str, call: Any, *given: Any, **named: Any) -> ForgeError:
    with pytest.raises(ForgeError) as raised:
        call(*given, **named)
    assert raised.value.code == code, str(raised.value)
    return raised.value


def names(ports: SourcePorts) -> list[tuple[str, SourceOrigin]]:
    return [(one.name, one.source.origin) for one in flow.list_sources(ports).sources]


def test_a_source_is_created_changed_and_dropped_with_an_audit_row_each(ports: SourcePorts) -> None:
    made = flow.create_source({**TILL, "description": "Tills"}, ports)
    assert (made.version, made.created_by, made.source.origin) == (1, "ada@example.com", SourceOrigin.COMMAND)
    changed = flow.change_source("TILL", {"readers": ["ada@example.com"], "description": ""}, ports, version=1)
    assert (changed.version, changed.source.description, changed.source.path) == (2, "", "data/till.db")
    assert flow.change_source("till", {"readers": ["ada@example.com"]}, ports) == changed
    assert names(ports) == [("crm", SourceOrigin.FILE), ("till", SourceOrigin.COMMAND)]
    assert flow.change_source("till", {"url": "jdbc:sqlite:data/other.db"}, ports).source.path == "data/other.db"
    flow.drop_source("till", ports)
    assert names(ports) == [("crm", SourceOrigin.FILE)]
    assert isinstance(ports.declared, MemoryDeclaredSources)
    assert [(one.action, one.subject, one.detail.get("changed")) for one in ports.declared.audit] == [
        ("source.create", "till", None),
        ("source.change", "till", ["description", "readers"]),
        ("source.change", "till", ["path"]),
        ("source.drop", "till", None),
    ]


def test_what_is_wrong_changes_nothing(ports: SourcePorts) -> None:
    flow.create_source(TILL, ports)
    before = flow.list_sources(ports)
    refused("E882", flow.create_source, TILL, ports)
    refused("E882", flow.create_source, {**TILL, "name": "Crm"}, ports)
    refused("E882", flow.create_source, {**TILL, "name": "core"}, ports)
    refused("E882", flow.create_source, {**TILL, "name": "lake"}, ports)
    refused("E880", flow.create_source, {**TILL, "name": "x", "path": ""}, ports)
    refused("E106", flow.change_source, "till", {"options": {"password": "hunter2"}}, ports)
    refused("E880", flow.change_source, "till", {"name": "other"}, ports)
    refused("E104", flow.change_source, "till", {"pth": "x"}, ports)
    refused("E883", flow.change_source, "till", {"description": "x"}, ports, version=7)
    refused("E883", flow.drop_source, "till", ports, version=2)
    assert "Did you mean till?" in str(refused("E881", flow.drop_source, "tilt", ports))
    assert flow.list_sources(ports) == before


def test_what_someone_else_changed_meanwhile_is_not_overwritten(ports: SourcePorts) -> None:
    made = flow.create_source(TILL, ports)

    class Late(MemoryDeclaredSources):
        """Reads what is not there any more."""

        def sources(self) -> Any:
            return (made,)

    late = replace(ports, declared=Late())
    refused("E883", flow.change_source, "till", {"description": "x"}, late)
    refused("E883", flow.drop_source, "till", late)


def test_a_source_of_a_file_is_changed_in_its_file(ports: SourcePorts) -> None:
    for over in (ports, over_http(ports)):
        error = refused("E884", flow.change_source, "crm", {"description": "x"}, over)
        assert error.where == "sources/crm.yaml:2"
        assert refused("E884", flow.drop_source, "crm", over).where == "sources/crm.yaml:2"


def test_a_file_wins_over_the_store_and_it_is_told(ports: SourcePorts, tmp_path: Path) -> None:
    flow.create_source({**TILL, "description": "stored"}, ports)
    (tmp_path / "sources" / "till.yaml").write_text("sources: [{name: till, connector: sqlite, path: x.db}]")
    found = flow.list_sources(ports)
    assert [one.source.path for one in found.sources if one.name == "till"] == ["x.db"]
    (error,) = found.errors
    assert (error.code, error.why) == ("E882", "sources/till.yaml:1 declares it too.")


def test_a_schema_that_came_later_hides_a_source_rather_than_be_hidden(ports: SourcePorts) -> None:
    flow.create_source(TILL, ports)
    later = replace(ports, schemas=lambda: {"till": "the lake has till.sales"})
    assert names(later) == [("crm", SourceOrigin.FILE)]
    assert "till.sales" in str(refused("E881", flow.find_source, "till", later))


def test_over_http_only_what_the_operator_allows_is_created(ports: SourcePorts) -> None:
    http = over_http(ports)
    db = {"name": "db", "connector": "postgresql", "url": "jdbc:postgresql://db.example.com/d"}
    as_told = {"user": "env:FORGE_SOURCE_U", "password": "env:FORGE_SOURCE_X"}
    refused("E886", flow.create_source, db, http)
    assert flow.create_source({**db, **as_told}, http).source.origin is SourceOrigin.HTTP
    wrong = {
        "name": "no",
        "url": "jdbc:postgresql://evil.example/d",
        "user": "env:HOME",
        "password": "file:/etc/shadow",
    }
    error = refused("E886", flow.create_source, {**db, **wrong}, http)
    assert [one.where for one in errors_of(error)] == ["user", "password", "url"]
    refused("E886", flow.create_source, {**TILL, "path": "sources/crm.yaml"}, http)
    refused("E886", flow.change_source, "db", {"url": "jdbc:postgresql://evil.example/d"}, http)
    refused("E886", flow.change_source, "db", {"password": ""}, http)
    refused(
        "E886",
        flow.change_source,
        "db",
        {"connector": "sqlite", "url": "", "user": "", "password": "", "path": "/x"},
        http,
    )
    (stored,) = ports.declared.sources()
    assert stored.source.url == "jdbc:postgresql://db.example.com/d"


def test_over_http_a_source_of_a_command_is_not_changed_to_send_its_secrets_elsewhere(ports: SourcePorts) -> None:
    flow.create_source({**TILL, "hidden": ["customers.email"]}, ports)
    given: tuple[dict[str, object], ...] = ({"path": "data/other.db"}, {"hidden": []}, {"readers": [EVE]})
    for fields in given:
        refused("E884", flow.change_source, "till", fields, over_http(ports, EVE))
    refused("E884", flow.drop_source, "till", over_http(ports, EVE))


def test_over_http_who_may_not_read_a_source_cannot_let_himself_in(ports: SourcePorts) -> None:
    flow.create_source({**TILL, "readers": ["ada@example.com"]}, over_http(ports))
    refused("E885", flow.change_source, "till", {"readers": [EVE]}, over_http(ports, EVE))
    refused("E885", flow.drop_source, "till", over_http(ports, EVE))
    assert flow.change_source("till", {"readers": ["ada@example.com", EVE]}, over_http(ports)).version == 2


def test_a_command_may_change_what_came_over_http_within_its_limits(ports: SourcePorts) -> None:
    flow.create_source(TILL, over_http(ports))
    limited = replace(ports, limits=over_http(ports).limits)
    changed = flow.change_source("till", {"description": "x"}, limited)
    assert changed.source.origin is SourceOrigin.HTTP
    refused("E886", flow.change_source, "till", {"path": "/etc/passwd"}, limited)


def test_a_test_says_what_answered_and_what_has_changed_since_the_last(ports: SourcePorts, tmp_path: Path) -> None:
    first = flow.probe_source("crm", ports)
    assert first.answered.startswith("SQLite 3.")
    assert (first.tables, first.changes) == (2, ())
    alter(tmp_path / "data" / "till.db", "ALTER TABLE customers ADD COLUMN phone TEXT")
    (change,) = flow.probe_source("crm", ports).changes or ()
    assert (change.change, change.table, change.column, change.after) == ("added", "customers", "phone", "TEXT")
    assert flow.probe_source("crm", ports).changes == ()


def test_drift_is_told_until_the_source_is_tested_and_looking_does_not_hide_it(
    ports: SourcePorts, tmp_path: Path
) -> None:
    assert flow.find_source_drift("crm", ports).seen_at is None
    alter(
        tmp_path / "data" / "till.db",
        "ALTER TABLE customers DROP COLUMN city",
        "DROP TABLE orders",
        "CREATE TABLE orders (id TEXT, amount REAL)",
        "CREATE TABLE refunds (id INTEGER)",
    )
    expected = [
        ("removed", "customers", "city"),
        ("retyped", "orders", "id"),
        ("added", "refunds", None),
    ]
    flow.describe_source("crm", ports)
    for _ in range(2):
        drift = flow.find_source_drift("crm", ports)
        assert drift.seen_at == NOW
        found = [(one.change, one.table, one.column) for one in drift.changes]
        assert [one for one in found if one[1] != "refunds"] == expected[:2]
    flow.probe_source("crm", ports)
    assert flow.find_source_drift("crm", ports).changes == ()


def test_tables_and_columns_are_described_with_what_is_hidden(ports: SourcePorts) -> None:
    flow.create_source({**TILL, "hidden": ["customers.email", "other.orders.amount"]}, ports)
    found = flow.describe_source("till", ports, offset=0, limit=1)
    assert (found.total, [one.name.path for one in found.tables]) == (2, [("customers",)])
    assert found.tables[0].hidden == {"email"}
    assert flow.describe_source_table("till", "orders", ports).hidden == {"amount"}
    error = refused("E887", flow.describe_source_table, "till", "ordrs", ports)
    assert "Did you mean orders?" in str(error)


def test_who_may_not_read_a_source_learns_nothing_of_its_tables(ports: SourcePorts) -> None:
    flow.create_source({**TILL, "readers": [EVE]}, ports)
    told = {
        str(refused("E885", flow.describe_source_table, "till", table, ports)) for table in ("customers", "not_there")
    }
    told |= {str(refused("E885", call, "till", ports)) for call in (flow.describe_source, flow.find_source_drift)}
    assert len(told) == 1
    found = flow.probe_source("till", ports)
    assert (found.tables, found.changes) == (None, None)
    assert ports.declared.seen("till") is None


def test_a_connector_is_closed_also_after_an_error(
    ports: SourcePorts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    def opened(source: Source) -> SourceConnector:
        found = open_sqlite(source, tmp_path, lambda reference: reference)
        monkeypatch.setattr(type(found), "close", lambda self: closed.append("x"))
        return found

    (tmp_path / "data" / "till.db").unlink()
    refused("E308", flow.probe_source, "crm", replace(ports, open_connector=opened))
    assert closed == ["x"]


def test_columns_are_proposed_by_the_first_rows_of_csv_and_json(ports: SourcePorts, tmp_path: Path) -> None:
    lines = "day,rate,zip,city,open\n2026-01-31,1.5,00420,,true\n2026-02-01,2,10115,Berlin,FALSE\n"
    (tmp_path / "data" / "rates.csv").write_text(lines)
    found = flow.propose_columns({"path": "data/rates.csv"}, ports)
    assert dict(found.columns) == {
        "day": "date",
        "rate": "double",
        "zip": "string",
        "city": "string",
        "open": "boolean",
    }
    assert found.options["header"] == "true"
    (tmp_path / "data" / "a.json").write_text('{"id": 1, "at": "2026-01-31", "tags": [1]}\n{"id": 2.5, "at": null}\n')
    assert dict(flow.propose_columns({"path": "data/a.json"}, ports).columns) == {"id": "double", "at": "date"}
    with pytest.raises(ForgeError, match="E208"):
        flow.propose_columns({"path": "data/none*.csv"}, ports)
    with pytest.raises(ForgeError, match="say their columns themselves"):
        flow.propose_columns({"path": "data/x.parquet"}, ports)


def test_over_http_columns_are_proposed_of_allowed_folders_alone(ports: SourcePorts, tmp_path: Path) -> None:
    (tmp_path / "secrets.csv").write_text("key\nx\n")
    for path in ("secrets.csv", "../secrets.csv", "data/../secrets.csv", "/etc/passwd.csv"):
        with pytest.raises(ForgeError, match="E886"):
            flow.propose_columns({"path": path}, over_http(ports))
