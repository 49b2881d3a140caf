"""`forge quality suggest`, `import` and `validate` on a project. Python measures, in place of Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

STATUSES = ("new", "paid", "paid", "sent")
PEOPLE = "customer_id,mail\n" + "".join(f"{n},person{n}@example.com\n" for n in range(1, 151))
SALES = "order_id,customer_id,amount,status\n" + "".join(
    f"{n},{n % 150 + 1},{n % 90}.50,{STATUSES[n % 4]}\n" for n in range(1, 301)
)


@pytest.fixture
def suggestion_shop(checked: Any, house_folder: Any) -> Any:
    """300 sales of 150 people; what tells people apart is known."""

    def make(_: Path) -> None:
        checked.commit(PEOPLE, table="core.people", name="people.csv")
        checked.commit(SALES, table="core.sales", name="sales.csv")
        (checked.root / "checks" / "orders.yaml").write_text("core.people:\n  - {type: unique, column: customer_id}\n")

    house_folder.lay("sales", make)
    return checked


def found(suggestion_shop: Any, table: str, *words: str) -> dict[str, dict[str, Any]]:
    ended = suggestion_shop("quality", "suggest", table, "--json", *words)
    assert ended.status == 0, ended.err
    return {f"{one['check']['type']} {_of(one['check'])}".strip(): one for one in ended.json["suggestions"]}


def _of(check: dict[str, Any]) -> str:
    return str(check.get("column") or ", ".join(check.get("columns", ())))


@pytest.mark.slow
def test_checks_that_fit_the_table_are_suggested_with_reasons(suggestion_shop: Any) -> None:
    suggestions = found(suggestion_shop, "core.sales")
    assert set(suggestions) == {
        "row_count",
        "not_null order_id",
        "not_null customer_id",
        "not_null amount",
        "not_null status",
        "unique order_id",
        "accepted_values status",
        "range amount",
        "foreign_key customer_id",
    }
    assert suggestions["accepted_values status"]["check"]["values"] == ["paid", "new", "sent"]
    assert suggestions["range amount"]["check"] == {"type": "range", "column": "amount", "min": 0, "max": 140}
    assert suggestions["foreign_key customer_id"]["check"]["references"] == "core.people.customer_id"
    assert "150 distinct values" in suggestions["foreign_key customer_id"]["reason"]
    assert "regex mail" in found(suggestion_shop, "core.people")


@pytest.mark.slow
def test_less_sure_ones_can_be_left_out(suggestion_shop: Any) -> None:
    assert "range amount" not in found(suggestion_shop, "core.sales", "--min-confidence", "0.8")


def test_what_is_written_holds_and_is_not_suggested_again(suggestion_shop: Any) -> None:
    ended = suggestion_shop("quality", "suggest", "core.sales", "--write")
    assert ended.status == 0, ended.err
    assert "quality/core.sales.yaml" in ended.err
    text = (suggestion_shop.root / "quality" / "core.sales.yaml").read_text()
    assert "# 300 rows and no value twice, and it is named like a key" in text
    assert len(yaml.safe_load(text)["checks"]["core.sales"]) == 9
    judged = suggestion_shop("quality", "run", "core.sales", "--json")
    assert judged.status == 0, judged.err
    assert judged.json["summary"] == {"checks": 9, "passed": 9, "failed": 0, "not_measured": 0}
    again = suggestion_shop("quality", "suggest", "core.sales", "--write")
    assert (again.status, "What would fit, it has already." in again.err) == (0, True)


def test_a_file_that_is_there_is_not_overwritten(suggestion_shop: Any) -> None:
    (suggestion_shop.root / "quality").mkdir()
    (suggestion_shop.root / "quality" / "core.sales.yaml").write_text("checks: {}\n")
    ended = suggestion_shop("quality", "suggest", "core.sales", "--write")
    assert (ended.status, "FORGE-E109" in ended.err) == (2, True)
    assert (suggestion_shop.root / "quality" / "core.sales.yaml").read_text() == "checks: {}\n"


def test_a_wrong_name_is_answered_with_the_nearest(suggestion_shop: Any) -> None:
    ended = suggestion_shop("quality", "suggest", "core.sale")
    assert (ended.status, "Did you mean core.sales" in ended.err) == (2, True)
    assert suggestion_shop("quality", "suggest", "sales").status == 2
    assert suggestion_shop("quality", "suggest", "core.sales", "--at", "HEAD~99").status == 2


# import

SODA = "checks for sales:\n  - row_count > 0\n  - distribution_difference(a) > 0.05\n"


def test_checks_of_another_tool_become_checks_of_the_project(suggestion_shop: Any) -> None:
    (suggestion_shop.root / "soda.yml").write_text(SODA)
    ended = suggestion_shop("quality", "import", "soda", "soda.yml", "--write", "quality/soda.yaml", "--json")
    assert ended.status == 0, ended.err
    (mapped,), (left,) = ended.json["mapped"], ended.json["unmapped"]
    assert (mapped["table"], mapped["check"]) == ("core.sales", {"type": "row_count", "min": 1})
    assert (left["place"], "its reference is a file" in left["why"]) == ("soda.yml:3", True)
    assert "# did not map: soda.yml:3" in (suggestion_shop.root / "quality" / "soda.yaml").read_text()
    judged = suggestion_shop("quality", "run", "core.sales", "--json")
    assert judged.json["results"][0]["place"] == "quality/soda.yaml:6"
    again = suggestion_shop("quality", "import", "soda", "soda.yml", "--write", "quality/soda.yaml")
    assert (again.status, "FORGE-E109" in again.err) == (2, True)


def test_a_folder_is_read_with_all_its_files_and_one_that_is_broken_is_told(suggestion_shop: Any) -> None:
    folder = suggestion_shop.root / "dbt"
    (folder / "models").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "target").mkdir()
    (folder / "models" / "sales.yml").write_text(
        "models:\n  - name: sales\n    columns:\n      - {name: amount, tests: [not_null]}\n"
    )
    (folder / "models" / "broken.yml").write_text("models: [\n")
    (folder / "models" / "sales.sql").write_text("select 1")
    (folder / "target" / "compiled.yml").write_text("models: [{name: sales, tests: [unique]}]")
    (folder / "tests" / "positive.sql").write_text("select * from {{ ref('sales') }} where amount < 0")
    ended = suggestion_shop("quality", "import", "dbt", "dbt", "--json")
    assert ended.status == 0, ended.err
    assert [one["place"] for one in ended.json["mapped"]] == ["dbt/models/sales.yml:4", "dbt/tests/positive.sql:1"]
    assert [one["place"] for one in ended.json["unmapped"]] == ["dbt/models/broken.yml:2:1"]


def test_piped_it_is_the_file_to_keep(suggestion_shop: Any) -> None:
    (suggestion_shop.root / "soda.yml").write_text(SODA)
    ended = suggestion_shop("quality", "import", "soda", "soda.yml")
    assert yaml.safe_load(ended.out) == {"checks": {"core.sales": [{"type": "row_count", "min": 1}]}}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("dbt", "nowhere"), "nowhere is not there"),
        (("gx", "sales.csv"), "no JSON"),
        (("soda", "checks"), "Nothing of Soda was found"),
        (("soda", "sales.csv", "--table", "sales"), "not a table name"),
    ],
)
def test_what_cannot_be_imported_is_told(suggestion_shop: Any, words: tuple[str, ...], told: str) -> None:
    ended = suggestion_shop("quality", "import", *words)
    assert (ended.status, told in ended.err) == (2, True), ended.err


def test_files_can_be_imported_without_a_project(forge: Any, tmp_path: Path) -> None:
    (tmp_path / "soda.yml").write_text(SODA)
    ended = forge("quality", "import", "soda", "soda.yml", "--schema", "core", "--json")
    assert ended.status == 0, ended.err
    assert ended.json["mapped"][0]["table"] == "core.sales"


# validate


def test_all_that_is_wrong_is_told_at_once_and_nothing_is_run(suggestion_shop: Any) -> None:
    (suggestion_shop.root / "checks" / "orders.yaml").write_text(
        "core.people:\n  - {type: uniqe, column: a}\n  - {type: range, column: a}\n  - {type: not_null, column: a}\n"
    )
    ended = suggestion_shop("quality", "validate", "--json")
    assert ended.status == 1
    assert ended.json["valid"] is False
    assert [one["where"] for one in ended.json["problems"]] == ["checks/orders.yaml:2", "checks/orders.yaml:3"]
    one_file = suggestion_shop("quality", "validate", "checks/orders.yaml", "--json")
    assert (one_file.status, one_file.json["checks"]) == (1, 3)


def test_a_sound_project_is_said_to_be_so(suggestion_shop: Any) -> None:
    ended = suggestion_shop("quality", "validate", "--json")
    assert (ended.status, ended.json) == (0, {"schema_version": 1, "checks": 1, "valid": True, "problems": []})
    assert "1 check, all well" in ended.err
