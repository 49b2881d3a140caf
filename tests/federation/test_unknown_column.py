"""Columns that no table of a query has, told without Spark; what may be right is left to it. `tests/spark` asks it the
same."""

from __future__ import annotations

from collections.abc import Mapping

from column_cases import COLUMNS, RIGHT, UNKNOWN
from each_case import each_case
from federated_plans import columns_of
from federated_queries import Question, questions
from retail_world import tables
from sqlglot import exp, parse_one

from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import LAKE
from forge.federation.unknown_column import find_unknown_column, near_columns
from forge.model.types import parse_type

TABLES = {name: f"core.{name}" for name in COLUMNS}


def relation(name: str, columns: Mapping[str, str]) -> SourceRelation:
    found = tuple(SourceColumn(one, parse_type(type_)) for one, type_ in columns.items())
    return SourceRelation(RelationName(LAKE, ("core", name)), found)


RELATIONS = tuple(relation(name, columns) for name, columns in COLUMNS.items())
RETAIL = tuple(
    SourceRelation(RelationName(LAKE, ("retail", name)), columns_of(table.schema)) for name, table in tables().items()
)
MORE_UNKNOWN = {  # with names that a test on Spark's own views does not have
    "SELECT core.orders.amont FROM core.orders": "amont",
    "SELECT ORDERS.amont FROM core.orders": "amont",
    "SELECT cor.orders.amount FROM core.orders": "cor",
}
UNDECIDED = (
    "SELECT a FROM (SELECT named_struct('a', id).a FROM core.orders)",
    "SELECT x FROM (SELECT from_json(note, 'x INT').* FROM core.orders)",
    "SELECT current_catalog, current_database, current_schema, localtimestamp FROM core.orders",
    "SELECT forge.core.orders.amount FROM core.orders",
    "SELECT _file, _pos, _metadata.file_path, _row_id FROM core.orders",
    "SELECT system.session.x FROM core.orders",
    "SELECT text FROM (SELECT :text FROM core.orders)",
    "SELECT my_own(amont) FROM core.orders",
    "SELECT `a b` FROM core.orders",
    "SELECT orders.* FROM core.orders",
    "SELECT core.orders.* FROM core.orders",
)


def found_in(query: str, relations: tuple[SourceRelation, ...] = RELATIONS) -> exp.Identifier | None:
    tree = parse_one(query, read="spark")
    return find_unknown_column(tree, tree, relations)


@each_case([*UNKNOWN, *MORE_UNKNOWN])
def test_a_name_that_is_nowhere_is_no_column(query: str) -> None:
    text = query.format(**TABLES)
    found = found_in(text)
    assert found is not None
    assert found.name == {**UNKNOWN, **MORE_UNKNOWN}[query]
    assert text[found.meta["start"] :].strip("`").startswith(found.name)


@each_case([*(one for one in RIGHT if "|>" not in one), *UNDECIDED])  # pipes are not asked for
def test_what_may_be_right_is_left_to_spark(query: str) -> None:
    assert found_in(query.format(**TABLES)) is None


@each_case(questions(), lambda question: question.title)
def test_no_question_of_the_corpus_names_an_unknown_column(question: Question) -> None:
    assert found_in(question.sql({name: f"retail.{name}" for name in tables()}), RETAIL) is None


@each_case(questions(), lambda question: question.title)
def test_a_column_less_is_an_unknown_one_or_left_to_spark(question: Question) -> None:
    """Nothing else of the query is ever taken for a column."""
    text = question.sql({name: f"retail.{name}" for name in tables()})
    for gone in {column.name.lower() for column in parse_one(text, read="spark").find_all(exp.Column)}:
        less = tuple(
            SourceRelation(one.name, tuple(each for each in one.columns if each.name.lower() != gone)) for one in RETAIL
        )
        found = found_in(text, less)
        assert found is None or found.name.lower() == gone


def test_the_nearest_names_are_told() -> None:
    tree = parse_one("SELECT amount AS total FROM core.orders o", read="spark")
    assert near_columns("amont", tree, RELATIONS) == "Did you mean amount?"
    assert "total" in (near_columns("TOTL", tree, RELATIONS) or "")
    assert near_columns("zzzzzz", tree, RELATIONS) is None
