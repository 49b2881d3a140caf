"""The text cases of tests/lineage/sql_cases: how they are written is in the README beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

CASES = Path(__file__).parents[1] / "lineage" / "sql_cases"
CASE = re.compile(r"^== ", flags=re.MULTILINE)
SETTING = re.compile(r"\[(dialect|db|default-schema|result): ([^\]]+)\]")
EDGE = re.compile(r"(?P<target>.+?) <- (?P<source>.+) (?P<kind>[a-z]+)(?P<masked>,masked)?")
INDIRECT = re.compile(r"~ (?P<kind>[a-z_]+) (?P<source>.+) -> (?P<target>.+)")
GAP = re.compile(r"gap (?P<line>\d+) ?(?P<words>.*)")
TABLE = re.compile(r"table (?P<source>.+) -> (?P<target>.+)")

Line = str  # of what a case expects


@dataclass
class Case:
    name: str
    script: str
    settings: dict[str, str]
    lines: set[Line] = field(default_factory=set)
    tables: set[Line] | None = None
    gaps: list[tuple[int, str]] = field(default_factory=list)


def known_tables() -> dict[str, dict[str, str]]:
    """table → {column: type}"""
    found: dict[str, dict[str, str]] = yaml.safe_load((CASES / "tables.yaml").read_text())
    return found


def all_cases() -> list[tuple[str, Case]]:
    """With the file that each is in."""
    return [(path.stem, case) for path in sorted(CASES.glob("*.txt")) for case in read_cases(path.read_text())]


def read_cases(text: str) -> Iterator[Case]:
    for block in CASE.split(text)[1:]:
        head, _, expected = f"{block}\n".partition("\n--\n")
        title, _, script = head.partition("\n")
        case = Case(SETTING.sub("", title).strip(), script, dict(SETTING.findall(title)))
        for line in filter(None, (line.strip() for line in expected.splitlines())):
            expect(case, line)
        yield case


def expect(case: Case, line: Line) -> None:
    if found := GAP.fullmatch(line):
        case.gaps.append((int(found["line"]), found["words"]))
    elif line == "table" or TABLE.fullmatch(line):
        case.tables = (case.tables or set()) | ({line} - {"table"})
    elif INDIRECT.fullmatch(line) or EDGE.fullmatch(line):
        assert line not in case.lines, f"{case.name}: {line!r} twice"
        case.lines.add(line)
    else:
        raise ValueError(f"{case.name}: cannot read {line!r}")
