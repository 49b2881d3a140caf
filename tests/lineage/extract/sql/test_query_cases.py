"""The cases that Spark's own analyser agrees with, read statically."""

from __future__ import annotations

from pathlib import Path

import pytest
from sql_around import catalog_of, extract

from forge.lineage.edge import Extraction

CASES = Path(__file__).parents[2] / "cases"
CATALOG = catalog_of(CASES / "tables.sql")


def blocks() -> list[tuple[str, str, list[str]]]:
    found = []
    for path in sorted(CASES.glob("*.txt")):
        for block in path.read_text().split("\n== "):
            head, _, expected = block.removeprefix("== ").partition("\n--\n")
            name, _, query = head.partition("\n")
            lines = [line.strip() for line in expected.splitlines() if line.strip()]
            found.append((f"{path.stem}: {name.strip()}", query.strip(), lines))
    return found


def lines_of(found: Extraction) -> set[str]:
    """What came out, as a case writes it."""
    lines = set()
    for edge in found.edges:
        target = ".".join(part for part in (edge.target.column, edge.target.field) if part)
        masked = ",masked" if edge.masking else ""
        lines.add(f"{target} <- {edge.source} {edge.transformation}{masked}")
    lines |= {f"~ {edge.subtype} {edge.source}" for edge in found.indirect}
    return lines


def without_text(line: str) -> str:
    return line if line.startswith("~") else " ".join(line.split(" ")[:4])


@pytest.mark.parametrize(("name", "query", "expected"), [pytest.param(*one, id=one[0]) for one in blocks()])
def test_case(name: str, query: str, expected: list[str]) -> None:
    found = extract(query, CATALOG)
    told = [line for line in expected if line.split(" ")[0] not in ("reads", "gap")]
    assert lines_of(found) == {without_text(line) for line in told}
    reads = next((set(line.split()[1:]) for line in expected if line.split(" ")[0] == "reads"), None)
    if reads is not None:
        assert {edge.source for edge in found.table_edges} == reads
    gaps = [line.partition(" ")[2] for line in expected if line.startswith("gap ")]
    assert len(found.gaps) == len(gaps), found.gaps
    assert all(words in gap.reason for gap, words in zip(found.gaps, gaps, strict=True))
