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
    if ending in ("csv", "tsv"):  # a text
        assert types["at"] == "ip_address"
    else:
        assert types["at.ip"] == "ip_address"


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


def test_the_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_text('\n{"mail": "a@example.org"}\n\n{"mail": }\n')
    with pytest.raises(ForgeError) as caught:
        scan_file(tmp_path / "cut.jsonl")
    assert caught.value.why == "Line 4 is no JSON: Expecting value, at letter 10."


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    for name in ("no.csv", "pipe.csv", "folder.csv"):
        with pytest.raises(ForgeError) as caught:
            scan_file(tmp_path / name)
        assert (caught.value.code, caught.value.why) == ("E629", "There is no such file.")


def types_of(path: Path) -> dict[str, str | None]:
    return {finding.column: finding.type for finding in scan_file(path).findings}


MAILS = [f"p{number}@example.org" for number in range(9)]


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_fields_of_nested_objects_are_columns_of_their_own(ending: str, tmp_path: Path) -> None:
    rows = [{"id": n, "who": {"mail": mail, "is": {"ssn": "078-05-1120", "age": n}}} for n, mail in enumerate(MAILS)]
    file = tmp_path / f"people.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), file)
    else:
        file.write_text("\n".join(map(json.dumps, rows)))
    assert types_of(file) == {"id": None, "who.mail": "email", "who.is.ssn": "ssn", "who.is.age": None}


@pytest.mark.parametrize(
    "objects",
    [
        [{mail: {"seen": 3}} for mail in MAILS],  # keys that are values
        [{"ada": 3, "bo": 1}],  # of one object nobody can tell
        [{"ada": 3}, {"bo": 1}, {"cy": 7}],
        [{"Ada Lovelace": "p1@example.org"}, {"Ada Lovelace": "p2@example.org"}],
    ],
)
def test_no_column_is_named_after_a_key_that_may_be_somebody(objects: list[object], tmp_path: Path) -> None:
    (tmp_path / "seen.jsonl").write_text("\n".join(json.dumps({"seen": one}) for one in objects))
    assert list(types_of(tmp_path / "seen.jsonl")) == ["seen"]


def test_nested_objects_and_columns_of_one_name_are_judged_together(tmp_path: Path) -> None:
    rows = [{"who": {"mail": mail}, "who.mail": "wood"} for mail in MAILS]
    (tmp_path / "people.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (found,) = scan_file(tmp_path / "people.jsonl").findings
    assert (found.column, found.evidence[-1]) == ("who.mail", "9 of 18 values look like it")


def test_objects_are_as_deep_and_as_long_as_they_like(tmp_path: Path) -> None:
    deep: object = {"mail": "ada@example.org"}
    for _ in range(200):
        deep = {"a": deep}
    long = {"mail": "ada@example.org", "text": "x" * 50_000}
    (tmp_path / "odd.jsonl").write_text("\n".join([json.dumps({"deep": deep, "long": long})] * 3))
    assert [name.count(".") <= 8 for name in types_of(tmp_path / "odd.jsonl")] == [True, True]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_text_is_read_in_the_encoding_it_was_written_in(encoding: str, tmp_path: Path) -> None:
    lines = ["Straße;größe", *(f"Königstraße {number};{number}" for number in range(1, 9))]
    (tmp_path / "orte.csv").write_bytes("\n".join(lines).encode(encoding))
    assert types_of(tmp_path / "orte.csv") == {"Straße": "address", "größe": None}


@pytest.mark.parametrize("name", ["no_rows.csv", "no_rows.parquet"])
def test_a_table_without_rows_has_columns_all_the_same(name: str, tmp_path: Path) -> None:
    if name.endswith("csv"):
        (tmp_path / name).write_text("email,count\n")
    else:
        pq.write_table(
            pa.table({"email": pa.array([], pa.string()), "count": pa.array([], pa.int64())}), tmp_path / name
        )
    assert types_of(tmp_path / name) == {"email": "email", "count": None}
    assert scan_file(tmp_path / name).rows == 0


def test_a_column_does_not_hide_another_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "twice.csv").write_text("value,value,\n" + "".join(f"{mail},7,x\n" for mail in MAILS))
    assert types_of(tmp_path / "twice.csv") == {"value": "email", "value (2)": None, "": None}


def test_large_cells_rows_of_other_lengths_and_excels_first_line_are_read(tmp_path: Path) -> None:
    rows = "".join(f"{mail};{'x' * 1_200_000}\n" for mail in MAILS[:3])
    (tmp_path / "large.csv").write_text(f"\n{'mail;text'}\n{rows}short\nlonger@example.org;2;3;4\n")
    assert types_of(tmp_path / "large.csv") == {"mail": "email", "text": None}
    (tmp_path / "excel.csv").write_text("sep=;\nmail;count\n" + "".join(f"{mail};1,5\n" for mail in MAILS))
    assert types_of(tmp_path / "excel.csv") == {"mail": "email", "count": None}


def test_one_object_over_many_lines_is_one_row(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps({"email": MAILS[0], "count": 1}, indent=2))
    assert (scan_file(tmp_path / "one.json").rows, types_of(tmp_path / "one.json")["email"]) == (1, "email")


def test_parquet_may_hold_what_python_cannot(tmp_path: Path) -> None:
    table = pa.table(
        {
            "far": pa.array([2**62] * 9, pa.timestamp("us")),
            "nested": [{"mail": mail, "raw": b"\xff\x00"} for mail in MAILS],
            "bytes": [mail.encode() for mail in MAILS],
            "nothing": pa.nulls(9),
        }
    )
    pq.write_table(table, tmp_path / "odd.parquet")
    assert types_of(tmp_path / "odd.parquet") == {
        "far": None,
        "nested.raw": None,
        "nested.mail": "email",
        "bytes": "email",
        "nothing": None,
    }
