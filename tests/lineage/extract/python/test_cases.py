"""Programs and their edges, from the text files in tests/lineage/python_cases; its README says how to write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from each_case import each_case

from forge.lineage.edge import Extraction
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.python import read_python

CASES = Path(__file__).parents[2] / "python_cases"
CATALOG = TableCatalog(definitions_of(yaml.safe_load((CASES / "tables.yaml").read_text())))
EDGE = re.compile(r"(?P<target>.+?) <- (?P<source>\S+) (?P<kind>[a-z]+)(?P<masked>,masked)?(?: (?P<sure>0\.\d+))?")
FILE = re.compile(r"^-- file (\S+)\n", re.MULTILINE)

Direct = tuple[str, str, str, bool]


@dataclass
class Case:
    name: str
    files: dict[str, str]
    edges: dict[Direct, float | None] = field(default_factory=dict)
    indirect: set[tuple[str, str, str]] = field(default_factory=set)
    reads: set[tuple[str, str]] = field(default_factory=set)
    gaps: list[str] = field(default_factory=list)


def read_cases(text: str) -> Iterator[Case]:
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, expected = block.split("\n--\n")
        name, _, program = head.partition("\n")
        yield expect(Case(name.strip(), files_of(program)), expected.splitlines())


def files_of(program: str) -> dict[str, str]:
    first, *others = FILE.split(program)
    files = dict(zip(others[::2], others[1::2], strict=True))
    return {"job.py": first, **files} if first.strip() else files


def expect(case: Case, lines: Iterable[str]) -> Case:
    for line in filter(None, (line.strip() for line in lines)):
        word, _, rest = line.partition(" ")
        if word == "~":
            how, source, _, target = rest.split()
            case.indirect.add((how, source, target))
        elif word == "reads":
            source, _, target = rest.split()
            case.reads.add((source, target))
        elif word == "gap":
            case.gaps.append(rest)
        elif found := EDGE.fullmatch(line):
            key = (found["source"], found["target"], found["kind"], bool(found["masked"]))
            case.edges[key] = float(found["sure"]) if found["sure"] else None
        else:
            raise ValueError(f"{case.name}: cannot read {line!r}")
    return case


def check(case: Case, found: Extraction) -> None:
    """Everything that came out, and nothing else, is in the case."""
    seen = {(str(e.source), str(e.target), str(e.transformation), e.masking): e.confidence for e in found.edges}
    assert set(seen) == set(case.edges), found.gaps
    sure = {key: value for key, value in case.edges.items() if value is not None}
    assert {key: seen[key] for key in sure} == sure
    assert {(str(e.subtype), str(e.source), e.target) for e in found.indirect} == case.indirect, found.gaps
    through_columns = {(e.source.table, e.target.table) for e in found.edges}
    through_rows = {(e.source.table, e.target) for e in found.indirect}
    tables = {(e.source, e.target) for e in found.table_edges}
    expected = through_columns | through_rows | case.reads
    assert _others(tables) == _others(expected)
    assert len(found.gaps) == len(case.gaps), found.gaps
    for words in case.gaps:
        assert any(words in gap.reason for gap in found.gaps), found.gaps


def _others(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Without a table that a MERGE into it reads itself."""
    return {(source, target) for source, target in pairs if source != target}


ALL = [(path.stem, case) for path in sorted(CASES.glob("*.txt")) for case in read_cases(path.read_text())]


@each_case(ALL, lambda each: f"{each[0]}: {each[1].name}")
def test_a_program_gives_exactly_its_edges(each: tuple[str, Case]) -> None:
    _, case = each
    check(case, flatten(read_python(case.files, CATALOG)))


def test_no_two_cases_have_one_name() -> None:
    names = [f"{file}: {case.name}" for file, case in ALL]
    assert len(names) == len(set(names))
