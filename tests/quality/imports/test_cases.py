"""Files of other tools as they are written, and what becomes of each line of them. `cases/NAME.txt` is the outcome of
`cases/NAME.…`: the line, then the check it gives, or `?` and why it gives none."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.cli.quality.checks_yaml import check_text
from forge.model.names import TableName
from forge.quality.imports import ImportedChecks, TableNames, read_dbt_file, read_gx_suite, read_soda_file

CASES = Path(__file__).parent / "cases"
FILES = sorted(path.name for path in CASES.iterdir() if path.suffix != ".txt")
READERS = {"dbt": read_dbt_file, "gx": read_gx_suite, "soda": read_soda_file}
KNOWN = frozenset(map(TableName.parse, ("core.orders", "core.customers", "core.people", "raw.events")))
NAMES = TableNames(KNOWN, "core")


def told(found: ImportedChecks) -> str:
    lines = [
        (one.place, f"{one.table}  {check_text(one.spec)}" + (f"  # {one.note}" if one.note else ""))
        for one in found.mapped
    ]
    lines += [(one.place, f"?  {one.what}: {one.why}") for one in found.unmapped]
    numbered = sorted(((int(place.rpartition(":")[2]), text) for place, text in lines), key=lambda pair: pair[0])
    return "".join(f"{number}  {text}\n" for number, text in numbered)


@pytest.mark.parametrize("name", FILES)
def test_each_line_of_the_file_becomes_what_is_written_beside_it(name: str) -> None:
    reader = READERS[name.partition("_")[0].partition(".")[0]]
    found = reader((CASES / name).read_text("utf-8"), name, NAMES)
    assert told(found) == (CASES / name).with_suffix(".txt").read_text("utf-8")


def test_there_is_a_case_for_each_tool() -> None:
    assert {name.partition("_")[0].partition(".")[0] for name in FILES} == set(READERS)
