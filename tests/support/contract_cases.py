"""Reads the cases of tests/contracts/cases (see the README there) and holds what was found against what they expect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from forge.contracts.contract import Violation

CASES = Path(__file__).resolve().parent.parent / "contracts" / "cases"
SECTION = re.compile(r"^--- # (\w+)\n", re.MULTILINE)
MARK = re.compile(r"#! (.+?)\s*$")
SEVERITIES = ("error", "warning", "info")
NAMES = ("name", "property", "id")
HEADER = {"case", "judgement", "findings", "others", "write", "count", "profile", "fix", "mode", "effective", "origins"}
HEADER |= {"bump", "changed", "changes", "not_required", "not_actual"}


@dataclass(frozen=True, slots=True)
class Expected:
    """One finding that has to be there: any of the codes, any of the words in its path or message."""

    severity: str
    codes: tuple[str, ...]
    words: tuple[str, ...]
    line: int | None

    def fits(self, found: Violation) -> bool:
        told = f"{found.path} {found.message}".lower()
        return (
            found.severity == self.severity
            and found.code in self.codes
            and self.line in (None, found.line)
            and any(word.lower() in told for word in self.words)
        )


@dataclass(frozen=True, slots=True)
class Case:
    """A case file: what is expected, and the texts by their names, in their order."""

    name: str
    header: Mapping[str, object]
    texts: Mapping[str, bytes]

    def words(self, key: str) -> tuple[str, ...]:
        found = self.header.get(key, ())
        return tuple(str(word) for word in found) if isinstance(found, list) else ()

    def pairs(self, key: str) -> Mapping[str, object]:
        found = self.header.get(key, {})
        return found if isinstance(found, dict) else {}

    def text(self, name: str) -> str:
        return self.texts[name].decode("utf-8")

    def expected(self, name: str) -> tuple[Expected, ...]:
        """What the header names, and what is marked in the text of that name."""
        lines = self.texts[name].decode("utf-8", errors="replace").split("\n")
        marks = ((found[1], number) for number, line in enumerate(lines, 1) if (found := MARK.search(line)))
        return (
            *(expected_of(words) for words in self.words("findings")),
            *(expected_of(part, number) for mark, number in marks for part in mark.split("; ")),
        )


def expected_of(words: str, line: int | None = None) -> Expected:
    """`[line N] [severity] CODE[|CODE] [word[|word]]`; a code `-` is a finding without one."""
    rest = words.split()
    if rest[0] == "line":
        line, rest = int(rest[1]), rest[2:]
    severity = rest.pop(0) if rest[0] in SEVERITIES else "info" if rest[0] == "E532" else "error"
    codes = tuple("" if code == "-" else code for code in rest[0].split("|"))
    return Expected(severity, codes, tuple(" ".join(rest[1:]).split("|")), line)


def load_cases(folder: str) -> tuple[Case, ...]:
    return tuple(load_case(path) for path in sorted((CASES / folder).glob("*.yaml")))


def load_case(path: Path) -> Case:
    head, *parts = SECTION.split(path.read_text("utf-8"))
    header = yaml.safe_load(head)
    assert header.keys() <= HEADER, f"{path.name}: unknown words {header.keys() - HEADER}"
    written = {mark: bytes_of(what) for mark, what in header.get("write", {}).items()}
    texts = {name: replaced(text.encode(), written) for name, text in zip(parts[::2], parts[1::2], strict=True)}
    return Case(path.stem, header, texts)


def bytes_of(what: Mapping[str, object]) -> bytes:
    """What an editor would not show: bytes in hex, or a text many times over."""
    return bytes.fromhex(str(what["hex"])) if "hex" in what else str(what["repeat"]).encode() * int(str(what["times"]))


def replaced(text: bytes, written: Mapping[str, bytes]) -> bytes:
    for mark, what in written.items():
        text = text.replace(mark.encode(), what)
    return text


def complaints(
    case: Case, expected: Sequence[Expected], found: Sequence[Violation], judged: Iterable[str]
) -> list[str]:
    """What was expected and is not there, what is there and nobody expected, what is told badly. Empty: all is well."""
    severities = set() if case.header.get("others") == "allowed" else set(judged)
    missing = [f"not found: {each}" for each in expected if not any(each.fits(one) for one in found)]
    surplus = [
        f"not expected: {one}"
        for one in found
        if one.severity in severities and not any(each.fits(one) for each in expected)
    ]
    badly = [f"told badly: {one}" for one in found if one.severity == "error" and not is_well_told(one)]
    count = case.header.get("count", len(found))
    return [*missing, *surplus, *badly, *([] if count == len(found) else [f"{len(found)} findings, not {count}"])]


def is_well_told(found: Violation) -> bool:
    return bool(found.message and found.fix and found.file and found.line >= 1 and found.column >= 1)


def value_at(document: object, path: str) -> object:
    """`schema.orders.amount.required`: members of lists are named by their name, property or id."""
    value = document
    for step in path.split("."):
        value = step_into(value, step)
    return value


def step_into(value: object, step: str) -> object:
    if isinstance(value, Mapping) and step in value:
        return value[step]
    members = value.get("properties", ()) if isinstance(value, Mapping) else value
    assert isinstance(members, Sequence), f"no {step} in {value}"
    named = [one for one in members if str(step).lower() in {str(one.get(key)).lower() for key in NAMES}]
    assert len(named) == 1, f"{len(named)} times {step} in {members}"
    return named[0]
