"""A contract's file becomes plain data, and everything in it keeps its place."""

from __future__ import annotations

import pytest

from forge.contracts.document.file import ContractError, parse_document, path_text, read_document

TEXT = """\
# a comment
id: a
name: "two words"
schema:
  - name: orders
    properties:
      - {name: x, required: true}
"""


def places(text: str, *paths: tuple[str | int, ...]) -> list[tuple[int, int]]:
    document = read_document(text, "a.yaml")
    return [(place.line, place.column) for place in map(document.place_of, paths)]


def test_a_key_and_an_entry_have_their_place() -> None:
    paths = ((), ("id",), ("schema",), ("schema", 0), ("schema", 0, "properties", 0, "required"))
    assert places(TEXT, *paths) == [(2, 1), (2, 1), (4, 1), (5, 5), (7, 19)]


def test_what_is_missing_is_at_what_lacks_it() -> None:
    assert places(TEXT, ("version",), ("schema", 0, "id"), ("schema", 7)) == [(2, 1), (5, 5), (4, 1)]


def test_the_place_of_a_value_is_where_its_text_begins() -> None:
    document = read_document(TEXT, "a.yaml")
    found = [document.value_place_of(path) for path in (("name",), ("schema",), ("schema", 0, "properties", 0, "name"))]
    assert [(place.line, place.column) for place in found] == [(3, 7), (4, 1), (7, 16)]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", True),
        ("Off", False),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-1_000", -1000),
        ("0x1F", 31),
        ("017", 15),
        ("1.50", 1.5),
        ("1.5e+3", 1500.0),
        ("2024-01-31", "2024-01-31"),
        ("2024-01-31 10:00:00", "2024-01-31 10:00:00"),
        ("9:30", "9:30"),
        ("1e6", "1e6"),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("|\n  two\n  lines\n", "two\nlines\n"),
    ],
)
def test_values_are_those_of_yaml_and_dates_are_texts(written: str, value: object) -> None:
    data = read_document(f"a: {written}", "a.yaml").data
    assert data == {"a": value}
    assert type(data["a"]) is type(value)


def test_keys_are_texts_as_they_are_written() -> None:
    assert list(read_document("{1: a, on: b, 2024-01-01: c, ~: d}", "a.yaml").data) == ["1", "on", "2024-01-01", "~"]


def test_a_number_is_told_as_it_was_written() -> None:
    document = read_document("a: 1.10 # why\nb: {c: NO, d: 007}\n", "a.yaml")
    assert [document.written(path) for path in (("a",), ("b", "c"), ("b", "d"))] == ["1.10", "NO", "007"]


def test_aliases_stand_for_their_anchors_and_merged_keys_for_theirs() -> None:
    text = """\
base: &base
  name: a
  required: true
one: *base
two:
  <<: *base
  name: b
three:
  <<: [{name: c}, *base]
"""
    document = read_document(text, "a.yaml")
    assert document.data["one"] == {"name": "a", "required": True}
    assert document.data["two"] == {"name": "b", "required": True}
    assert document.data["three"] == {"name": "c", "required": True}
    found = [document.place_of(path) for path in (("one",), ("one", "name"), ("two", "required"), ("two", "name"))]
    assert [(place.line, place.column) for place in found] == [(4, 1), (2, 3), (3, 3), (7, 3)]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: 1\n\tb: 2", 2, 1, "tab"),
        ("a: 'x", 1, 4, "never closed"),
        ("a: .nan", 1, 4, ".nan"),
        ("a: 1.0e+999", 1, 4, "number"),
        (f"a: {'9' * 301}", 1, 4, "too long"),
        ("a: &x [*x]", 1, 8, "contains itself"),
        ("a: *x", 1, 4, "names nothing"),
        ("a: !!set {b}", 1, 4, "!!set"),
        ("a: {<<: 3}", 1, 5, "merged"),
        ("? [a]\n: b", 1, 3, "plain text"),
        ("a: 1\n---\nb: 2", 2, 1, "second document"),
        ("a: \x07", 1, 4, "U+0007"),
        ("a: \ud800", 1, 4, "UTF-8"),
        ("é: b: c", 1, 5, "mapping values"),
        ('a: "\u2028"\nb: c: d', 2, 5, "mapping values"),
    ],
)
def test_what_cannot_be_read_has_its_place(text: str, line: int, column: int, words: str) -> None:
    document, (violation,) = parse_document(text, "a.yaml")
    assert document is None
    assert (violation.code, violation.line, violation.column) == ("E502", line, column)
    assert words in violation.message
    assert violation.fix


def test_bytes_are_utf8_with_or_without_a_mark() -> None:
    assert read_document("\ufeffa: é".encode(), "a.yaml").data == {"a": "é"}
    document, (violation,) = parse_document("a: 1\nb: é".encode("latin-1"), "a.yaml")
    assert (document, violation.line, violation.column) == (None, 2, 4)


def test_lines_are_counted_as_editors_do() -> None:
    text = 'a: "one\u2028two"\nb: "\u2029 x"\nc: 1\n'
    assert places(text, ("a",), ("b",), ("c",)) == [(1, 1), (2, 1), (3, 1)]


def test_keys_given_twice_are_all_told_and_the_rest_is_read() -> None:
    document, violations = parse_document("a: 1\na: 2\nb: {c: 1, c: 2}", "a.yaml")
    assert document is not None
    assert document.data == {"a": 2, "b": {"c": 2}}
    assert [(each.line, each.column, each.path) for each in violations] == [(2, 1, "a"), (3, 11, "b.c")]
    with pytest.raises(ContractError):
        read_document("a: 1\na: 2", "a.yaml")


def test_a_path_reads_as_people_write_it() -> None:
    assert path_text(("schema", 0, "properties", 2, "name")) == "schema[0].properties[2].name"
    assert path_text(()) == ""


@pytest.mark.parametrize("escape", ["\\0", "\\x01", "\\b", "\\e", "\\u001f", "\\v"])
@pytest.mark.parametrize("text", ['id: a\nname: "x{}y"\n', 'id: a\n"x{}y": 1\n', 'id: a\ntags: [b, "{}"]\n'])
def test_control_characters_are_refused_at_their_text(text: str, escape: str) -> None:
    with pytest.raises(ContractError) as caught:
        read_document(text.replace("{}", escape), "a.yaml")
    (found,) = caught.value.violations
    assert (found.code, found.line) == ("E502", 2)
    assert "control character U+00" in found.message


def test_tabs_and_line_ends_are_no_control_characters() -> None:
    assert read_document('name: "a\\tb\\nc\\rd"\n', "a.yaml").data == {"name": "a\tb\nc\rd"}
