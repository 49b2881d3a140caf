from __future__ import annotations

import pytest

from forge.model.errors import ForgeError, errors_of
from forge.transforms.header import body_of, read_header
from forge.transforms.transform import TransformKind

# The example of the guide, word for word.
GUIDE = """\
/* forge
output: core.orders          # default: from the path, the last two parts
kind: full                   # full | append | incremental_by_time_range | incremental_by_unique_key | view
unique_key: [order_id]       # of incremental_by_unique_key
time_column: ordered_at      # of incremental_by_time_range; :start and :end are set from the run's range
partitioned_by: [days(ordered_at)]   # Iceberg partition transforms
tags: [gold]
owner: sales@example.com
description: One row per order, in euros.
columns: {amount: The order's total in euros}     # column descriptions
checks:                      # see below
  - {type: range, column: amount, min: 0, max: 5000, severity: critical}
*/
SELECT o.order_id, o.amount FROM staging.orders o WHERE o.day = :day
"""


def test_the_guides_example_is_read() -> None:
    header = read_header(GUIDE, "orders.sql")
    options = header.options
    assert options.output == "core.orders"
    assert options.kind is TransformKind.FULL
    assert options.unique_key == ["order_id"]
    assert options.time_column == "ordered_at"
    assert options.partitioned_by == ["days(ordered_at)"]
    assert options.tags == ["gold"]
    assert options.owner == "sales@example.com"
    assert options.description == "One row per order, in euros."
    assert options.columns == {"amount": "The order's total in euros"}
    assert options.checks == [{"type": "range", "column": "amount", "min": 0, "max": 5000, "severity": "critical"}]
    assert header.yaml.line_of("checks", 0) == 12
    assert body_of(GUIDE, header).strip().startswith("SELECT o.order_id")


@pytest.mark.parametrize(
    "text",
    ["SELECT 1", "", "/* forgery */ SELECT 1", "-- forge\nSELECT 1", "/* forge */ SELECT 1", "/* forge\n*/SELECT 1"],
)
def test_no_header_or_an_empty_one_gives_the_defaults(text: str) -> None:
    header = read_header(text, "a.sql")
    assert (header.options.kind, header.options.output, header.options.tags) == (TransformKind.FULL, None, [])


def test_line_comments_may_stand_before_the_header() -> None:
    assert read_header("\ufeff-- licence\n\n/* forge\nowner: ada\n*/ SELECT 1", "a.sql").options.owner == "ada"


WRONG = [
    ("/* forge\nkind: full\nownr: ada\n*/ SELECT 1", "E104", "a.sql:3", "owner"),
    ("\n\n/* forge\ntag: [gold]\n*/ SELECT 1", "E104", "a.sql:4", "tags"),
    ("/* forge\nkind: ful\n*/ SELECT 1", "E206", "a.sql:2", "full"),
    ("/* forge\nkind: full\ntags: gold\n*/ SELECT 1", "E206", "a.sql:3", "list"),
    ("/* forge\ntags:\n  - gold\n  - 3\n*/ SELECT 1", "E206", "a.sql:4", "string"),
    ("/* forge\nchecks:\n  - not_null\n*/ SELECT 1", "E206", "a.sql:3", "mapping"),
    ("/* forge\nowner: ada\nkind: incremental_by_unique_key\n*/ SELECT 1", "E206", "a.sql:3", "unique_key"),
    ("/* forge\nkind: incremental_by_time_range\n*/ SELECT 1", "E206", "a.sql:2", "time_column"),
    ("/* forge\npartitioned_by:\n  - day\n  - dys(at)\n*/ SELECT 1", "E206", "a.sql:4", "days"),
    ("/* forge\npartitioned_by: [bucket(id)]\n*/ SELECT 1", "E206", "a.sql:2", "bucket"),
    ("/* forge this is prose */ SELECT 1", "E206", "a.sql:1", "mapping"),
    ("/* forge\nowner: ada\nSELECT 1", "E206", "a.sql:1", "*/"),
    ("/* forge\ndescription: data/*.csv\n*/ SELECT 1", "E206", "a.sql:2", "/*"),
    ("SELECT 1\n/* forge\nowner: ada\n*/", "E206", "a.sql:2", "top"),
    ("/* forge\nowner: a\n*/\nSELECT 1\n/* forge\nkind: view\n*/", "E206", "a.sql:5", "one"),
    ("/* forge\nowner: [ada\n*/ SELECT 1", "E103", "a.sql:3:1", "YAML"),
    ("/* forge\nowner: ada\nowner: eve\n*/ SELECT 1", "E103", "a.sql:3:1", "twice"),
]


@pytest.mark.parametrize(("text", "code", "where", "word"), WRONG)
def test_a_wrong_header_is_refused_with_its_line_and_a_hint(text: str, code: str, where: str, word: str) -> None:
    with pytest.raises(ForgeError) as raised:
        read_header(text, "a.sql")
    error = raised.value
    assert (error.code, error.where) == (code, where)
    assert word in f"{error.what} {error.why} {error.fix}"


def test_all_mistakes_of_a_header_are_told_at_once() -> None:
    with pytest.raises(ForgeError) as raised:
        read_header("/* forge\nownr: a\nkind: ful\ntags: x\n*/", "a.sql")
    assert sorted((e.code, e.where) for e in errors_of(raised.value)) == [
        ("E104", "a.sql:2"),
        ("E206", "a.sql:3"),
        ("E206", "a.sql:4"),
    ]


@pytest.mark.parametrize(
    "partition",
    ["day", "days(at)", "hours( at )", "months(at)", "years(at)", "bucket(16, id)", "truncate(4, s.name)", "day(at)"],
)
def test_icebergs_partition_transforms_are_accepted(partition: str) -> None:
    header = read_header(f"/* forge\npartitioned_by: ['{partition}']\n*/", "a.sql")
    assert header.options.partitioned_by == [partition]
