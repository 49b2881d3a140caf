"""Which relations a query reads, by their names in FROM."""

from __future__ import annotations

import pytest
import sqlglot
from each_case import each_case

from forge.federation.names import find_relations
from forge.model.errors import ForgeError

_CASES = {
    "SELECT 1": [],
    "SELECT * FROM crm.t": ["crm.t"],
    "SELECT * FROM crm.public.t": ["crm.public.t"],
    "SELECT * FROM CRM.public.T": ["crm.public.T"],
    "SELECT * FROM `Two`.`a.b`": ["Two.a.b"],
    "SELECT * FROM core.t": ["core.t"],
    "SELECT * FROM core.t a JOIN core.t b ON a.id = b.id, crm.t": ["core.t", "crm.t"],
    "SELECT * FROM core.t WHERE id IN (SELECT id FROM crm.t) AND EXISTS (SELECT 1 FROM core.u)": [
        "core.t",
        "crm.t",
        "core.u",
    ],
    "WITH t AS (SELECT * FROM core.t) SELECT * FROM t": ["core.t"],
    "WITH crm AS (SELECT * FROM core.t) SELECT * FROM CRM JOIN crm.t": ["core.t", "crm.t"],
    "WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b": [],
    "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a WHERE n < 3) SELECT * FROM a": [],
    "SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x JOIN core.t": ["core.t"],
    "SELECT /*+ BROADCAST(t) */ * FROM core.t": ["core.t"],
    "SELECT * FROM range(3)": [],
    "SELECT * FROM core.t VERSION AS OF 'dev' a JOIN core.t b": ["core.t@dev", "core.t"],
    "SELECT * FROM core.t TIMESTAMP AS OF '2026-01-01'": ["core.t@2026-01-01"],
    "VALUES (1)": [],
    "SELECT * FROM core.t UNION SELECT * FROM crm.deep.er.t": ["core.t", "crm.deep.er.t"],
}
_UNKNOWN = {
    "SELECT * FROM t": "unknown table t",
    "SELECT * FROM crn.public.t": "unknown source crn of crn.public.t",
    "SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x JOIN a": "unknown table a",
    "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a": "unknown table b",
    "SELECT * FROM lake.core.t": "unknown source lake of lake.core.t",
}


@each_case(list(_CASES), str)
def test_relations_are_found_by_name(query: str) -> None:
    found = find_relations(sqlglot.parse_one(query, read="spark"), ("crm", "Two"))
    assert [str(one) for one in found] == _CASES[query]


@each_case(list(_UNKNOWN), str)
def test_other_names_are_refused(query: str) -> None:
    with pytest.raises(ForgeError) as error:
        find_relations(sqlglot.parse_one(query, read="spark"), ("crm", "Two"))
    assert (error.value.code, error.value.what) == ("E108", _UNKNOWN[query])


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(ForgeError) as error:
        find_relations(sqlglot.parse_one("SELECT * FROM crn.public.t", read="spark"), ("crm", "shop"))
    assert error.value.fix == "Did you mean crm?"


def test_a_source_is_found_as_it_is_spelled_before_any_other_case() -> None:
    (found,) = find_relations(sqlglot.parse_one("SELECT * FROM CRM.t", read="spark"), ("crm", "CRM"))
    assert found.source == "CRM"
