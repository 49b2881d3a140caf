"""Time travel: rows as a commit, tag, branch, time or version has them, by filters or SQL, personal data left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from kept_folder import KeptFolder
from version_world import MAIN, VersionWorld, kept_world

from forge.flows.versioning.read import RevisionReader, commit_at
from forge.flows.versioning.tags import create_tag
from forge.flows.versioning.time_travel import HistoricalRows, masked_pin, name_table, travel
from forge.model.errors import ForgeError
from forge.model.names import TableName

PEOPLE = "core.people"
NAME = TableName.parse(PEOPLE)


@pytest.fixture
def travel_world(world_folder: KeptFolder) -> Iterator[VersionWorld]:
    yield from kept_world(world_folder, "people", add_people)


def add_people(world: VersionWorld) -> None:
    first = pa.table({"id": [1, 2], "email": ["a@x.org", "b@x.org"], "born": [date(1990, 1, 1), date(1991, 1, 1)]})
    world.commit_rows(PEOPLE, first, key=["id"])
    world.commit_rows(PEOPLE, pa.table({"id": [3], "email": ["c@x.org"], "born": [date(1990, 1, 1)]}))


def ids(found: HistoricalRows) -> list[Any]:
    place = found.schema.names.index("id")
    return sorted(row[place] for row in found.rows)


def refused(travel_world: VersionWorld, at: str = "main", **options: Any) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        travel(travel_world.ports, NAME, at, **options)
    return caught.value


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "expected"),
    [
        pytest.param("main", [1, 2, 3], id="branch"),
        pytest.param("main~1", [1, 2], id="commit before"),
        pytest.param("before", [1, 2], id="tag"),
        pytest.param("core.people@v1", [1, 2], id="version"),
        pytest.param("v2", [1, 2, 3], id="version of the table asked for"),
        pytest.param("2026-11-15", [1, 2, 3], id="day"),
    ],
)
def test_rows_at_a_revision(travel_world: VersionWorld, at: str, expected: list[int]) -> None:
    create_tag(
        travel_world.metadata,
        "before",
        "main~1",
        current=MAIN,
        author=travel_world.ports.author,
        clock=travel_world.ports.clock,
    )
    assert ids(travel(travel_world.ports, NAME, at)) == expected


def test_a_commit_by_its_id_and_by_its_time(travel_world: VersionWorld) -> None:
    first = travel_world.metadata.log(travel_world.head())[1]  # type: ignore[arg-type]
    assert ids(travel(travel_world.ports, NAME, first.id[:12])) == [1, 2]
    assert ids(travel(travel_world.ports, NAME, first.time.isoformat())) == [1, 2]


def test_a_tag_that_is_called_like_a_version_wins(travel_world: VersionWorld) -> None:
    create_tag(
        travel_world.metadata,
        "v2",
        "main~1",
        current=MAIN,
        author=travel_world.ports.author,
        clock=travel_world.ports.clock,
    )
    assert ids(travel(travel_world.ports, NAME, "v2")) == [1, 2]


def test_a_reader_pins_versions_too(travel_world: VersionWorld) -> None:
    reader = RevisionReader(travel_world.metadata, travel_world.lake, MAIN, MAIN)
    first, second = travel_world.version(PEOPLE, "main~1"), travel_world.version(PEOPLE)
    assert first is not None
    assert second is not None
    assert reader.pin(NAME, "core.people@v1").snapshot_id == first.snapshot_id
    assert reader.pin(NAME, "v2").snapshot_id == second.snapshot_id
    pins = reader.pins("SELECT * FROM core.people", "core.people@v1")
    assert pins[NAME].snapshot_id == first.snapshot_id


def test_a_version_that_does_not_exist_is_refused(travel_world: VersionWorld) -> None:
    assert refused(travel_world, "core.people@v9").code == "E601"
    with pytest.raises(ForgeError) as caught:  # no table to count the versions of
        commit_at(travel_world.metadata, "v1", MAIN)
    assert caught.value.code == "E601"


def test_filters_take_values_of_the_column_types(travel_world: VersionWorld) -> None:
    assert ids(travel(travel_world.ports, NAME, "main", where={"born": "1990-01-01"})) == [1, 3]
    assert ids(travel(travel_world.ports, NAME, "main", where={"born": "1990-01-01", "id": "3"})) == [3]
    assert ids(travel(travel_world.ports, NAME, "main", where={"id": "77"})) == []
    assert travel_world.engine.asked == []


def test_large_files_are_filtered_by_the_engine_with_bound_values(travel_world: VersionWorld) -> None:
    ports = replace(travel_world.ports, small_bytes=0)
    assert ids(travel(ports, NAME, "main", where={"email": "b@x.org' OR '1'='1"})) == []
    assert ids(travel(ports, NAME, "main", where={"email": "b@x.org"})) == [2]
    assert all("x.org" not in sql for sql in travel_world.engine.asked)


@pytest.mark.parametrize(
    ("where", "code"),
    [
        pytest.param({"id": "x"}, "E105", id="no number"),
        pytest.param({"emial": "x"}, "E108", id="no such column"),
    ],
)
def test_a_filter_that_does_not_fit_is_refused(travel_world: VersionWorld, where: dict[str, str], code: str) -> None:
    assert refused(travel_world, where=where).code == code


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT id FROM data WHERE id > 1", id="data"),
        pytest.param("SELECT data.id FROM data WHERE data.id > 1", id="data as a qualifier"),
        pytest.param("SELECT p.id FROM DATA AS p WHERE p.id > 1", id="data with an alias"),
        pytest.param("SELECT id FROM core.people WHERE id > 1", id="the full name"),
        pytest.param("SELECT people.id FROM people WHERE id > 1", id="the name without the schema"),
        pytest.param("WITH x AS (SELECT * FROM data) SELECT id FROM x WHERE id > 1", id="in a CTE"),
        pytest.param("SELECT id FROM data WHERE id IN (SELECT max(id) FROM data UNION SELECT 2)", id="twice"),
    ],
)
def test_sql_may_call_the_table_by_its_name_or_data(travel_world: VersionWorld, sql: str) -> None:
    assert ids(travel(travel_world.ports, NAME, "main", sql=sql)) == [2, 3]
    assert ids(travel(travel_world.ports, NAME, "main~1", sql=sql)) == [2]


def test_a_cte_called_data_is_meant_itself() -> None:
    sql = "WITH data AS (SELECT 1 AS id) SELECT * FROM data"
    assert name_table(sql, NAME) == sql


def test_other_tables_are_read_at_the_same_commit(travel_world: VersionWorld) -> None:
    travel_world.commit_rows("core.city", [{"id": 1, "city": "Ulm"}])
    then = travel_world.head()
    travel_world.commit_rows("core.city", [{"id": 2, "city": "Bonn"}])
    sql = "SELECT p.id FROM data AS p JOIN core.city AS c ON c.id = p.id"
    assert ids(travel(travel_world.ports, NAME, str(then), sql=sql)) == [1]
    assert ids(travel(travel_world.ports, NAME, "main", sql=sql)) == [1, 2]
    assert refused(travel_world, "main~2", sql=sql).code == "E108"


@pytest.mark.parametrize("sql", ["DELETE FROM core.people", "DROP TABLE core.people", "INSERT INTO data SELECT 1"])
def test_nothing_but_a_query_is_taken(travel_world: VersionWorld, sql: str) -> None:
    assert refused(travel_world, sql=sql).code == "E213"


def test_rows_are_limited_and_it_is_said_that_there_are_more(travel_world: VersionWorld) -> None:
    for options in ({}, {"sql": "SELECT * FROM data"}, {"where": {"born": "1990-01-01"}}):
        found = travel(travel_world.ports, NAME, "main", limit=1, **options)
        assert (len(found.rows), found.truncated) == (1, True)
    assert not travel(travel_world.ports, NAME, "main", limit=3).truncated


@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_limit_out_of_bounds_is_refused(travel_world: VersionWorld, limit: int) -> None:
    assert refused(travel_world, limit=limit).code == "E105"


def test_personal_data_is_left_out(travel_world: VersionWorld) -> None:
    travel_world.flag(PEOPLE, "email")
    plain = travel(travel_world.ports, NAME, "main")
    filtered = travel(travel_world.ports, NAME, "main", where={"id": "1"})
    for found in (plain, filtered):
        place = found.schema.names.index("email")
        assert {row[place] for row in found.rows} == {None}
        assert found.masked == {"email"}


def test_personal_data_cannot_be_filtered_by(travel_world: VersionWorld) -> None:
    travel_world.flag(PEOPLE, "email")
    error = refused(travel_world, where={"email": "a@x.org"})
    assert error.code == "E631"
    assert ids(travel(travel_world.ports, NAME, "main", where={"email": "a@x.org"}, mask=False)) == [1]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        pytest.param("SELECT id, email FROM data WHERE id = 1", ((1, None),), id="as a column"),
        pytest.param("SELECT id, upper(email) || '!' FROM data WHERE id = 1", ((1, None),), id="in an expression"),
        pytest.param("SELECT id FROM data WHERE email = 'a@x.org'", (), id="in a filter"),
        pytest.param("SELECT count(email) FROM data", ((0,),), id="counted"),
        pytest.param("SELECT max(EMAIL) FROM core.people", ((None,),), id="in capitals"),
    ],
)
def test_a_query_has_no_personal_data_to_work_with(travel_world: VersionWorld, sql: str, rows: object) -> None:
    travel_world.flag(PEOPLE, "email")
    found = travel(travel_world.ports, NAME, "main", sql=sql)
    assert found.rows == rows
    assert found.masked == {"email"}


def test_a_table_that_is_not_there_yet_is_refused(travel_world: VersionWorld) -> None:
    travel_world.commit_rows("core.later", [{"id": 1}])
    with pytest.raises(ForgeError) as caught:
        travel(travel_world.ports, TableName.parse("core.later"), "main~1")
    assert caught.value.code == "E108"


def test_what_an_upload_calls_a_field_never_becomes_sql(travel_world: VersionWorld) -> None:
    """The text that hides a column is run as SQL of Forge's own, past the gate."""
    field = "a int>) AS x, (SELECT TRANSFORM(1) USING 'touch mark' AS (y STRING)) AS z, CAST(NULL AS struct<b"
    travel_world.commit_rows("core.homes", pa.table({"id": [1], "home": [{field: 1}]}))
    homes = TableName.parse("core.homes")
    pin = RevisionReader(travel_world.metadata, travel_world.ports.lake, MAIN, MAIN).pin(homes, None)
    masked, names = masked_pin(travel_world.ports, pin, frozenset({"home"}))
    assert names == frozenset({"home"})
    assert masked.view_sql == "SELECT `id`, CASE WHEN FALSE THEN `home` END AS `home` FROM core.homes"


def test_a_name_with_a_backtick_is_one_name_in_a_filter(travel_world: VersionWorld) -> None:
    name = "id` = `id` OR `id"
    travel_world.commit_rows("core.odd", pa.table({"id": [1, 2], name: [1, 2]}))
    asked: list[str] = []

    class Engine:
        def query(self, sql: str, *_: object) -> tuple[None, tuple[()]]:
            asked.append(sql)
            return None, ()

    engine: Any = Engine()
    ports = replace(travel_world.ports, engine=lambda: engine, tables_=None)
    travel(ports, TableName.parse("core.odd"), "main", where={name: "1"})
    assert "WHERE `id`` = ``id`` OR ``id` = :" in asked[0]


@pytest.mark.parametrize("sql", ["SELECT * FROM :data", "SELECT 1 FROM core.people, :people"])
def test_a_parameter_in_the_place_of_the_table_is_told_as_that(travel_world: VersionWorld, sql: str) -> None:
    assert refused(travel_world, sql=sql).code == "E202"
