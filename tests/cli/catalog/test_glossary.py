"""`forge catalog glossary` in the terminal."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from catalog_world import CatalogWorld, table

from forge.wiring import Wiring

pytestmark = pytest.mark.slow


def glossary(house: Any, *words: str, status: int = 0) -> Any:
    ended = house("catalog", "glossary", *words)
    assert ended.status == status, ended.err
    return ended


def terms(house: Any, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = glossary(house, *words, "--json").json["terms"]
    return found


def add_net(house: Any) -> None:
    words = ("--domain", "sales", "--synonym", "turnover", "--definition", "What was billed", "--owner", "fin")
    assert "Added sales.net-revenue." in glossary(house, "add", "Net revenue", *words).err


def test_a_term_is_added_shown_edited_and_removed(house: Any) -> None:
    add_net(house)
    (found,) = terms(house, "show", "net revenue")
    assert (found["id"], found["version"], found["synonyms"]) == ("sales.net-revenue", 1, ["turnover"])
    assert glossary(house, "show", "sales.net-revenue").out.splitlines()[0] == "Net revenue  (sales, draft)"
    edit = ("edit", "sales.net-revenue", "--state", "approved", "--expected-version", "1")
    assert "version 2" in glossary(house, *edit).err
    glossary(house, "edit", "sales.net-revenue", "--owner", "x", "--expected-version", "1", status=1)
    assert [one["state"] for one in terms(house, "list", "turn", "--domain", "sales")] == ["approved"]
    assert terms(house, "list", "--state", "draft") == []
    glossary(house, "remove", "sales.net-revenue", "--expected-version", "1", status=1)
    glossary(house, "remove", "sales.net-revenue", "--expected-version", "2")
    glossary(house, "show", "sales.net-revenue", status=2)


def test_export_and_import_are_a_round_trip(house: Any) -> None:
    add_net(house)
    text = glossary(house, "export", "--as", "csv").out
    assert next(csv.DictReader(io.StringIO(text, newline="")))["synonyms"] == "turnover"
    for name in ("terms.csv", "terms.yaml"):
        file = str(house.root / name)
        glossary(house, "export", "--out", file)
        assert "0 added, 0 changed, 1 as they were" in glossary(house, "import", file).err
    (house.root / "more.csv").write_text("name,domain,owner\nNet revenue,sales,bob\nGross,sales,\n")
    more = str(house.root / "more.csv")
    assert "Nothing was written" in glossary(house, "import", more, "--dry-run").err
    assert len(terms(house, "list")) == 1
    done = glossary(house, "import", more, "--json").json
    assert [(one["term"], one["change"]) for one in done["terms"]] == [
        ("sales.gross", "added"),
        ("sales.net-revenue", "changed"),
    ]


def test_an_import_with_errors_names_each_line_and_takes_nothing(house: Any) -> None:
    (house.root / "bad.csv").write_text("name,state\nA,draft\nB,nope\nC,worse\n")
    ended = glossary(house, "import", str(house.root / "bad.csv"), status=2)
    assert "bad.csv:3" in ended.err
    assert "bad.csv:4" in ended.err
    assert terms(house, "list") == []
    glossary(house, "import", "terms.txt", status=2)
    glossary(house, "import", str(house.root / "nowhere.csv"), status=2)


def test_terms_of_the_projects_files_are_listed_and_changed_there_only(house: Any) -> None:
    (house.root / "glossary").mkdir()
    file = house.root / "glossary" / "sales.yaml"
    file.write_text("domain: sales\nterms:\n- name: Margin\n")
    assert [one["file"] for one in terms(house, "list")] == ["glossary/sales.yaml"]
    assert "E866" in glossary(house, "edit", "sales.margin", "--owner", "x", status=4).err
    file.write_text("terms: [")
    ended = glossary(house, "list")
    assert "glossary/sales.yaml:" in ended.err
    assert "Margin" in ended.out


def test_terms_are_suggested_and_one_in_use_is_kept(house: Any) -> None:
    add_net(house)
    wiring = Wiring.of(house.root)
    world = CatalogWorld(wiring.catalog.assets)
    world.crawl(table("core.sales", "id:bigint turnover_eur:double"))
    found = glossary(house, "suggest", "core.sales", "--json").json["suggestions"]
    assert [(one["column"], one["term"]) for one in found] == [("turnover_eur", "sales.net-revenue")]
    world.say("core.sales", **{"columns.turnover_eur.term": "sales.net-revenue"})
    wiring.close()
    assert "core.sales.turnover_eur" in glossary(house, "remove", "sales.net-revenue", status=1).err
    assert "describes core.sales.turnover_eur" in glossary(house, "show", "sales.net-revenue").out
    glossary(house, "remove", "sales.net-revenue", "--force")
    glossary(house, "suggest", "core.nope", status=2)


def test_control_characters_are_refused_and_bidi_marks_are_data(house: Any) -> None:
    glossary(house, "add", "a\x1b[31m", status=2)
    glossary(house, "add", "plain", "--definition", "\u202egnp.exe")
    assert terms(house, "list")[0]["definition"] == "\u202egnp.exe"
