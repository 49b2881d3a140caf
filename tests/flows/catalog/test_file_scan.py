"""Files are scanned for personal data where they lie; what is no table is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forge.flows.catalog.file_scan import scan_file
from forge.model.errors import ForgeError

ROWS = [
    {"id": number, "mail": f"p{number}@example.org", "at": {"ip": f"81.2.69.{number + 100}"}} for number in range(9)
]


def write(path: Path) -> Path:
    match path.suffix:
        case ".parquet":
            pq.write_table(pa.Table.from_pylist(ROWS), path)
        case ".json":
            path.write_text(json.dumps(ROWS))
        case ".jsonl" | ".ndjson":
            path.write_text("\n".join(map(json.dumps, ROWS)) + "\n\n")
        case _:
            mark = "\t" if path.suffix == ".tsv" else ";"
            lines = [
                mark.join((str(row["id"]), str(row["mail"]), json.dumps(row["at"]).replace('"', '""'))) for row in ROWS
            ]
            path.write_text("\ufeff" + "\n".join([mark.join(("id", "mail", "at")), *lines]))
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "jsonl", "ndjson", "parquet"])
def test_every_format_gives_the_same(ending: str, tmp_path: Path) -> None:
    found = scan_file(write(tmp_path / f"people.{ending}"))
    assert (found.rows, found.complete) == (9, True)
    types = {finding.column: finding.type for finding in found.findings}
    assert (types["id"], types["mail"]) == (None, "email")
    if ending not in ("csv", "tsv"):
        assert types["at"] == "ip_address"


def test_only_the_first_rows_are_looked_at_and_that_is_told(tmp_path: Path) -> None:
    found = scan_file(write(tmp_path / "people.jsonl"), rows=4)
    assert (found.rows, found.complete) == (4, False)
    assert scan_file(tmp_path / "people.jsonl", rows=9).complete


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("list.jsonl", b"[1, 2]\n"),
        ("broken.jsonl", b'{"a": 1}\n{"a": \n'),
        ("bytes.csv", b"a,b\n\xff\xfe\x00,1\n"),
        ("no.parquet", b"PAR1 nothing"),
        ("table.xlsx", b"PK"),
        ("deep.json", b"[" * 100_000),
    ],
)
def test_what_is_no_table_is_refused(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ForgeError) as caught:
        scan_file(tmp_path / name)
    assert caught.value.code == "E629"
    assert caught.value.fix


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("no.csv", "pipe.csv", "folder.csv"):
        with pytest.raises(ForgeError) as caught:
            scan_file(tmp_path / name)
        assert (caught.value.code, caught.value.why) == ("E629", "There is no such file.")
