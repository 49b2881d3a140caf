"""The standard's own examples are right, nothing is fetched, and our explanation agrees with the standard's schemas."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from forge.contracts.contract import FilePlace
from forge.contracts.document.file import Document, read_document
from forge.contracts.linter.explain import explain
from forge.contracts.linter.finding import LintFindings
from forge.contracts.linter.lint import lint, lint_document
from forge.contracts.linter.standard_schema import GRAMMARS, is_valid, schema_of

FOLDER = Path(__file__).parent / "standard"
CASES = Path(__file__).parent / "cases" / "lint"
EXAMPLES = sorted(FOLDER.rglob("*.odcs.yaml"))
HEAD = "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\n"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the linter opened a socket")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("file", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_an_example_of_the_standard_is_right(file: Path) -> None:
    assert lint(file.read_bytes(), file.name) == ()


def test_there_are_examples_of_every_grammar() -> None:
    versions = {GRAMMARS[str(read_document(path.read_bytes(), "").data["apiVersion"])] for path in EXAMPLES}
    assert versions == set(GRAMMARS.values())


@pytest.mark.usefixtures("no_network")
def test_what_lies_elsewhere_is_not_fetched() -> None:
    text = f"""{HEAD}authoritativeDefinitions:
  - {{type: definition, url: 'http://example.com/never.yaml'}}
schema:
  - name: orders
    properties:
      - {{name: a, relationships: [{{to: 'https://example.com/x.yaml#/schema/b/properties/c'}}]}}
"""
    assert lint(text) == ()


@pytest.mark.services  # for pydantic takes half a second to load
def test_what_the_linter_lets_pass_the_models_of_the_standard_can_read() -> None:
    from open_data_contract_standard.model import OpenDataContractStandard

    cases = [path.read_text("utf-8").partition("--- # contract\n")[2] for path in CASES.glob("*.yaml")]
    texts = [text for text in (*cases, *(path.read_text("utf-8") for path in EXAMPLES)) if lint(text) == ()]
    assert len(texts) > 50
    for text in texts:
        OpenDataContractStandard.model_validate(read_document(text, "a.yaml").data)


# --- the explanation and the schema ---

VALUES: tuple[Any, ...] = (
    *(None, "", 0, -1, 2.5, True, "text", [], {}, ["a"], {"a": 1}, [{}], [1, 2], "a.b", "v3.1.0"),
    *("object", "array", "map", "vector", "string", "timestamp", "integer", "number", "sql", "library", "custom", "s3"),
)
KEYS = (
    *("name", "id", "logicalType", "logicalTypeOptions", "type", "metric", "rule", "mustBe", "query", "properties"),
    *("items", "map", "enum", "relationships", "to", "from", "format", "minimum", "foo", "value", "host", "members"),
)


def _nodes(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Each value below with its container and its key."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(pairs):
        yield value, key, item
        yield from _nodes(item)


def _changed(data: Any, chance: random.Random) -> Any:
    changed = deepcopy(data)
    container, key, item = chance.choice(list(_nodes(changed)))
    match chance.randrange(3):
        case 0:
            container[key] = deepcopy(chance.choice(VALUES))
        case 1:
            del container[key]
        case _ if isinstance(item, dict):
            item[chance.choice(KEYS)] = deepcopy(chance.choice(VALUES))
    return changed


@pytest.mark.parametrize("version", ["v3.0.2", "v3.1.0", "v3.2.0"])
def test_the_explanation_finds_something_where_the_schema_says_no_and_nothing_where_it_says_yes(version: str) -> None:
    chance = random.Random(version)
    examples = [dict(read_document(path.read_bytes(), "").data) for path in EXAMPLES if path.stem != "full-example"]
    refused = 0
    for _ in range(60):
        data = _changed(chance.choice(examples), chance)
        findings = LintFindings(Document(data, "a.yaml", lambda path: FilePlace("a.yaml", 1)))
        explain(findings, version, frozenset())
        # An empty text where a name must be is our own rule; the schema lets it pass.
        found = [each for each in findings.violations if "is empty" not in each.message]
        assert not [each for each in found if "See the schema" in each.fix], (data, found)
        if is_valid(version, data):
            assert found == [], data
        else:
            refused += 1
            assert findings.violations, data
    assert refused > 10


def test_the_schemas_are_those_of_their_versions() -> None:
    for version in GRAMMARS:
        assert version in schema_of(version)["properties"]["apiVersion"]["enum"]
        assert schema_of(version)["title"].startswith("Open Data Contract Standard")


def test_a_text_is_held_against_the_version_it_declares() -> None:
    text = HEAD + "schema:\n  - name: a\n    properties:\n      - {name: b, logicalType: timestamp}\n"
    assert [each.code for each in lint(text.replace("v3.1.0", "v3.0.2"))] == ["E503"]
    assert lint_document(read_document(text, "a.yaml")) == ()
