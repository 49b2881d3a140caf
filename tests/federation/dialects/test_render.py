"""What a source is asked for the fragment of a plan."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from forge.federation.dialects.render import render
from forge.federation.names import find_relations
from forge.federation.plan import SourceQuery
from forge.federation.planner import plan_query
from forge.federation.relation import SourceColumn, SourceRelation
from forge.federation.source import ConnectorKind
from forge.model.types import parse_type


def asked(sql: str, kind: ConnectorKind) -> str:
    tree = sqlglot.parse_one(sql, read="spark")
    assert isinstance(tree, exp.Query)
    columns = (SourceColumn("id", parse_type("int")), SourceColumn("f", parse_type("float")))
    relations = {name: SourceRelation(name, columns) for name in find_relations(tree, ("shop",))}
    kinds: dict[str, Any] = {"shop": kind}
    (fragment,) = plan_query(tree, relations, kinds, sources=("shop",)).fragments
    found = render(fragment, kind, {})
    assert isinstance(found, SourceQuery)
    return found.text


@pytest.mark.parametrize(("kind", "is_exact"), [(ConnectorKind.MYSQL, True), (ConnectorKind.POSTGRESQL, False)])
def test_mysql_is_asked_for_a_float_as_a_double_which_it_does_not_round(kind: ConnectorKind, is_exact: bool) -> None:
    text = asked("SELECT id, f FROM shop.t WHERE id > 1", kind)
    assert ("+ 0e0 AS" in text) is is_exact
    assert text.count("0e0") == int(is_exact)
