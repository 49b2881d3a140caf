"""The worked examples of the guides are carried out: what they say to write is written, and then it works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from followed_guide import files_of, follow

from forge.quality.spec import validate_checks

FILES = {
    "add-a-check.md": [
        "src/forge/quality/checks/distinct_count.py",
        "src/forge/quality/checks/__init__.py",
        "tests/quality/checks/test_distinct_count.py",
    ],
    "add-a-command.md": [
        "src/forge/cli/versioning/authors.py",
        "src/forge/cli/command_table.py",
        "tests/cli/versioning/test_authors.py",
    ],
    "add-a-store.md": [
        "src/forge/stores/files/__init__.py",
        "src/forge/stores/files/states.py",
        "tests/ports/test_states.py",
        "docs/ports.md",
    ],
}
WHAT_KNOWS_THE_CHECK = """
import json, sys

sys.path.insert(0, "scripts")
from reference import checks_page
from forge.api.quality.routes.check_types import check_types
from forge.model.names import TableName
from forge.quality.spec import load_checks, validate_checks

table = TableName("core", "orders")
written = {"type": "distinct_count", "column": "status", "max": 3}
page = checks_page()
print(json.dumps({
    "read": repr(load_checks([written], table=table, where="checks/core.yaml:1")[0]),
    "wrong": [[one.path, one.message] for one in validate_checks([{**written, "max": -1}])],
    "form": next(one.model_dump(mode="json") for one in check_types().types if one.type == "distinct_count"),
    "reference": page[page.index("## distinct_count") : page.index("## not_null")],
}))
"""


@pytest.mark.parametrize("guide", FILES)
def test_a_guide_has_these_files_and_no_more(guide: str) -> None:
    assert list(files_of(guide)) == FILES[guide]


@pytest.mark.slow
def test_a_new_check_is_known_to_files_validation_forms_and_the_reference(tmp_path: Path) -> None:
    written = {"type": "distinct_count", "column": "a", "max": 1}
    assert "there is no check of type 'distinct_count'" in validate_checks([written])[0].message
    copy = follow("add-a-check.md", tmp_path)
    assert copy.test("tests/quality/checks/test_distinct_count.py").startswith("3 passed")
    known = json.loads(copy.run("-c", WHAT_KNOWS_THE_CHECK))
    assert "DistinctCountCheck(" in known["read"]
    assert known["wrong"] == [["[0].max", "distinct_count: 'max' must be a whole number from 0, and is -1"]]
    form = known["form"]
    assert (form["label"], form["summary"]) == (
        "Distinct count",
        "The number of different values lies in [min, max].",
    )
    assert [(key["name"], key["label"], key["kind"], key["required"]) for key in form["keys"]] == [
        ("column", "Column", "column", True),
        ("min", "At least", "number", False),
        ("max", "At most", "number", False),
    ]
    assert form["spellings"] == [{"word": "cardinality", "key": None, "value": None}]
    assert "May also be written `cardinality`." in known["reference"]
    assert "| `column` | column | required |" in known["reference"]


@pytest.mark.slow
def test_a_new_command_answers_and_is_in_the_help(tmp_path: Path) -> None:
    copy = follow("add-a-command.md", tmp_path)
    assert copy.test("tests/cli/versioning/test_authors.py").startswith("2 passed")
    assert "how many commits each author made" in copy.run("-m", "forge.cli.main", "--help")


@pytest.mark.slow
def test_a_new_store_passes_the_suite_of_its_port_and_stands_in_the_list(tmp_path: Path) -> None:
    copy = follow("add-a-store.md", tmp_path)
    assert copy.test("tests/ports/test_states.py", "-k", "files").startswith("4 passed")
    copy.test("tests/test_ports.py", "-k", "StateStore")
