"""`forge contract init`: a draft of what the table, its rows and the project say. No JVM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from forge.contracts.linter.lint import lint

STATUSES = ("new", "paid", "paid", "sent")
PEOPLE = "customer_id,mail,contact,country\n" + "".join(
    f"{n},person{n}@example.com,person{n}@example.com,DE\n" for n in range(1, 151)
)
SALES = "order_id,customer_id,amount,status\n" + "".join(
    f"{n},{n % 150 + 1},{n % 90}.50,{STATUSES[n % 4]}\n" for n in range(1, 801)
)


@pytest.fixture
def undescribed_shop(checked: Any, house_folder: Any) -> Any:
    """800 sales of 150 people; Python measures, in place of Spark. No scan has looked for personal data yet."""

    def make(root: Path) -> None:
        checked.commit(PEOPLE, table="core.people", name="people.csv")
        checked.commit(SALES, table="core.sales", name="sales.csv")
        (checked.root / "checks" / "orders.yaml").write_text("core.people:\n  - {type: unique, column: customer_id}\n")

    house_folder.lay("contract-init", make)
    return checked


def drafted(undescribed_shop: Any, table: str, *words: str) -> tuple[dict[str, Any], Any]:
    ended = undescribed_shop("contract", "init", table, "--dry-run", "--json", *words)
    assert ended.status == 0, ended.err
    text = ended.json["text"]
    assert lint(text) == ()
    return {each["name"]: each for each in yaml.safe_load(text)["schema"][0]["properties"]}, ended.json


@pytest.mark.slow
def test_it_is_written_beside_the_other_contracts_and_never_twice(undescribed_shop: Any) -> None:
    ended = undescribed_shop("contract", "init", "core.sales")
    assert ended.status == 0, ended.err
    file = undescribed_shop.root / "contracts" / "core.sales.odcs.yaml"
    text = file.read_text("utf-8")
    assert lint(text) == ()
    assert yaml.safe_load(text)["id"] == "house-core-sales"
    assert "contracts/core.sales.odcs.yaml written: 4 columns of 800 rows" in ended.err
    again = undescribed_shop("contract", "init", "core.sales")
    assert (again.status, "FORGE-E109" in again.err, file.read_text("utf-8")) == (2, True, text)
    assert again.err.splitlines()[0] == "FORGE-E109 contracts/core.sales.odcs.yaml is there already"
    assert undescribed_shop("contract", "lint").status == 0


@pytest.mark.slow
def test_all_rows_are_asked_for_what_they_show_beyond_doubt(undescribed_shop: Any) -> None:
    columns, document = drafted(undescribed_shop, "core.sales", "--profile")
    assert columns["order_id"]["primaryKey"] is True
    assert columns["customer_id"]["relationships"] == [{"type": "foreignKey", "to": "people.customer_id"}]
    assert columns["status"]["quality"][0]["arguments"]["validValues"] == ["paid", "new", "sent"]
    assert "logicalTypeOptions" not in columns["amount"], "a range that leaves room is a guess, no promise"
    assert (document["rows"], document["looked_at"]) == (800, "rows")


@pytest.mark.slow
def test_personal_data_is_found_by_value_and_its_values_stay_out(undescribed_shop: Any) -> None:
    columns, document = drafted(undescribed_shop, "core.people", "--profile")
    assert [one["column"] for one in document["personal"]] == ["mail", "contact"]
    for name in ("mail", "contact"):
        assert (columns[name]["classification"], columns[name]["tags"]) == ("pii", ["pii:email"])
        assert columns[name]["logicalTypeOptions"] == {"format": "email"}
    assert "classification" not in columns["country"]
    assert "example.com" not in document["text"]


def test_without_a_profile_no_row_is_read(undescribed_shop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from forge.stores.lake.iceberg import IcebergLake
    from forge.wiring import Wiring

    monkeypatch.setattr(IcebergLake, "rows", lambda *given: pytest.fail("rows were read"))
    monkeypatch.setattr(Wiring, "engine", property(lambda self: pytest.fail("Spark was asked for")))
    columns, document = drafted(undescribed_shop, "core.people", "--no-profile")
    assert columns["mail"]["classification"] == "pii", "its name says so"
    assert "classification" not in columns["contact"], "nothing says so but the values"
    assert columns["customer_id"]["required"] is True, "the manifests count the NULLs"
    assert (document["looked_at"], document["rows"]) == ("metadata", 150)


def test_what_is_still_to_be_filled_in_is_told(undescribed_shop: Any) -> None:
    ended = undescribed_shop("contract", "init", "core.sales", "--dry-run", "--no-profile")
    assert "To fill in, for the strict profile:" in ended.err
    assert "amount has no description" in ended.err
    assert undescribed_shop("contract", "init", "core.sales", "--out", "-", "--no-profile").out == ended.out


def test_a_table_has_one_contract(undescribed_shop: Any) -> None:
    (undescribed_shop.root / "contracts").mkdir(exist_ok=True)
    undescribed_shop(
        "contract",
        "init",
        "core.sales",
        "--no-profile",
        "--out",
        str(undescribed_shop.root / "contracts" / "mine.odcs.yaml"),
    )
    ended = undescribed_shop("contract", "init", "core.sales", "--no-profile")
    assert (ended.status, "has a contract already" in ended.err) == (2, True)
    assert not (undescribed_shop.root / "contracts" / "core.sales.odcs.yaml").exists()
    assert undescribed_shop("contract", "init", "core.sales", "--no-profile", "--dry-run").status == 0


def test_an_unknown_table_is_told_with_the_nearest(undescribed_shop: Any) -> None:
    ended = undescribed_shop("contract", "init", "core.sale")
    assert ended.status != 0
    assert "Did you mean core.sales" in ended.err
