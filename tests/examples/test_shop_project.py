"""The files of the demo shop: what a newcomer reads first has to be right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from forge.contracts.contract import pii_columns
from forge.contracts.load import by_table, load_all
from forge.flows.runs.project import Project, load_project
from forge.model.names import TableName
from forge.settings import load_settings
from forge.transforms.dag import downstream_of
from forge.transforms.transform import PythonFunction, TransformKind

SHOP = Path(__file__).parents[2] / "examples" / "shop"
CONTRACTS = sorted((SHOP / "contracts").glob("*.odcs.yaml"))

# From the standard, v3.1.0: what a contract must have, and what it may have.
REQUIRED = {"apiVersion", "kind", "id", "version", "status"}
ALLOWED = REQUIRED | {
    *("name", "tenant", "tags", "servers", "dataProduct", "description", "domain", "schema", "support", "price"),
    *("team", "roles", "slaProperties", "authoritativeDefinitions", "customProperties", "contractCreatedTs"),
}
LOGICAL_TYPES = {"string", "date", "timestamp", "time", "number", "integer", "object", "array", "boolean"}
OPTIONS = {
    "string": {"minLength", "maxLength", "pattern", "format"},
    "number": {"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "format"},
    "integer": {"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "format"},
}


@pytest.fixture(scope="module")
def project() -> Project:
    settings = load_settings(SHOP)
    return load_project(SHOP, lambda table: settings.owner_of(str(table)))


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def columns_of(contract: Any) -> Iterator[Any]:
    return (column for table in contract["schema"] for column in table["properties"])


def test_every_yaml_file_is_a_mapping() -> None:
    files = [path for path in SHOP.rglob("*.yaml") if ".forge" not in path.parts]
    assert len(files) >= 9
    assert [path.name for path in files if not isinstance(read(path), dict)] == []


def test_the_query_page_of_the_demo_shows_as_many_rows_as_its_grid_can() -> None:
    assert load_settings(SHOP).server.reads.rows == 100_000


@pytest.mark.slow
def test_the_project_loads_without_a_note(project: Project) -> None:
    assert project.notes == ()


def test_it_is_small_enough_to_read_at_once(project: Project) -> None:
    sources = [t for t in project.transforms.values() if t.is_source]
    others = [t for t in project.transforms.values() if not t.is_source]
    assert (len(sources), len(others)) == (5, 12)
    assert sum(isinstance(t.body, PythonFunction) for t in others) == 3


def test_each_kind_of_transform_is_shown(project: Project) -> None:
    assert {t.kind for t in project.transforms.values() if not t.is_source} == set(TransformKind)


def test_every_table_has_a_description_and_an_owner_of_the_shop(project: Project) -> None:
    for table, transform in project.transforms.items():
        assert transform.description, table
        assert (project.owner(table) or "").endswith("@shop.example"), table


def test_a_daily_run_of_the_orders_touches_six_tables(project: Project) -> None:
    path = downstream_of(project.transforms, TableName.parse("raw.orders")) | {TableName.parse("raw.orders")}
    marts = {"marts.daily_revenue", "marts.customer_value", "marts.country_performance"}
    assert {str(table) for table in path} == {"raw.orders", "staging.orders", "core.orders", *marts}


def test_a_foreign_key_looks_up_a_table_the_transform_reads(project: Project) -> None:
    """Else the first run could meet the check before the table it needs."""
    looked_up = {table: project.references(table) for table in project.transforms}
    assert sum(len(references) for references in looked_up.values()) == 3
    for table, references in looked_up.items():
        assert references <= set(project.transforms[table].inputs), table


def test_the_day_is_a_parameter_with_a_default() -> None:
    day = load_settings(SHOP).params["day"]
    assert day.type == "date"
    assert str(day.default) == "2026-11-14"


@pytest.mark.parametrize("path", CONTRACTS, ids=lambda path: path.name)
def test_a_contract_follows_the_standard(path: Path) -> None:
    contract = read(path)
    assert set(contract) >= REQUIRED
    assert set(contract) <= ALLOWED
    assert (contract["apiVersion"], contract["kind"], contract["status"]) == ("v3.1.0", "DataContract", "active")
    assert [m for m in contract["team"]["members"] if m["role"] == "owner" and m["username"].endswith("@shop.example")]
    assert all({"property", "value"} <= set(sla) for sla in contract["slaProperties"])
    for column in columns_of(contract):
        assert column["logicalType"] in LOGICAL_TYPES
        assert set(column.get("logicalTypeOptions", {})) <= OPTIONS.get(column["logicalType"], set())
        assert column["description"]


def test_contract_and_transform_name_the_same_owner(project: Project) -> None:
    for path in CONTRACTS:
        contract = read(path)
        (owner,) = [member["username"] for member in contract["team"]["members"] if member["role"] == "owner"]
        for table in contract["schema"]:
            assert project.owner(TableName.parse(table["physicalName"])) == owner


def test_five_tables_have_a_contract_and_the_file_is_called_like_the_table() -> None:
    assert set(by_table(load_all(SHOP))) == {path.name.removesuffix(".odcs.yaml") for path in CONTRACTS}
    assert len(CONTRACTS) == 5


def test_three_columns_are_personal_and_marketing_s_table_has_none_of_them() -> None:
    contracts = by_table(load_all(SHOP))
    personal = {str(name): pii_columns(contract) for name, contract in contracts.items()}
    assert personal.pop("core.customers") == {"full_name", "email", "phone"}
    assert set().union(*personal.values()) == set()


def test_the_readme_names_each_table(project: Project) -> None:
    text = (SHOP / "README.md").read_text(encoding="utf-8")
    assert [str(table) for table in project.transforms if str(table) not in text] == []
