"""The reference says what the code does: the committed pages are those the generator writes now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Annotated, Literal

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["settings", "errors", "checks", "impact", "commands", "http"])
def test_the_committed_page_is_up_to_date(reference: ModuleType, name: str) -> None:
    committed = (ROOT / "docs" / "reference" / f"{name}.md").read_text("utf-8")
    assert committed == reference.page(name), "run `make docs`"


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (str, "text"),
        (int | None, "whole number"),
        (list[str], "list of text"),
        (tuple[str, ...], "list of text"),
        (dict[str, float], "mapping of text to number"),
        (Literal["all", "passing"], "one of all, passing"),
        (Annotated[bool, "a note"], "true or false"),
        (str | list[int], "text or list of whole number"),
    ],
)
def test_types_are_said_in_plain_words(reference: ModuleType, annotation: object, words: str) -> None:
    assert reference.type_name(annotation) == words


def test_a_bar_in_a_cell_does_not_break_the_table(reference: ModuleType) -> None:
    assert reference.table(("a",), [("x | y\nz",)]) == "| a |\n| --- |\n| x \\| y z |\n"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "format": "date-time"}, "time"),
        ({"type": "array", "items": {"type": "integer"}}, "list of whole number"),
        ({"enum": ["read", "write"], "type": "string"}, "one of read, write"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text"),
        ({"$ref": "#/components/schemas/RunStart"}, "RunStart"),
        ({"$ref": "#/components/schemas/Page_RunView_"}, "page of RunView"),
    ],
    ids=["text", "time", "list", "choice", "optional", "shape", "page"],
)
def test_shapes_of_http_are_said_in_plain_words(reference: ModuleType, schema: dict[str, object], words: str) -> None:
    assert reference._schema_name(schema) == words
