"""Contracts of ODCS v2 become v3: renamed, clean, and with a word on what v3 has no place for."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from forge.contracts.linter.lint import lint
from forge.contracts.odcs_v2 import from_version2, is_version2
from forge.contracts.write import write_contract

TEXT = """\
apiVersion: v2.2.2
kind: DataContract
uuid: 53581432
version: 1.1.0
status: current
datasetDomain: seller
quantumName: payments
datasetName: views
type: tables
description: {purpose: Views for sellers, limitations: null}
username: somebody
password: hunter2
dataset:
  - table: tbl
    physicalName: tbl_1
    dataGranularity: One row a day
    columns:
      - {column: day, isPrimary: true, primaryKeyPosition: 1, logicalType: date, isNullable: false,
         partitionStatus: true, partitionKeyPosition: 1, clusterStatus: false, sampleValues: ['2022-10-03']}
      - {column: id, isPrimary: false, primaryKeyPosition: -1, logicalType: string, physicalType: varchar(18),
         isNullable: true, criticalDataElementStatus: true, encryptedColumnName: enc_id,
         quality: [{templateName: NullCheck, toolName: Elevate, toolRuleName: DQ.null, dimension: completeness,
                    scheduleCronExpression: 0 20 * * *}, {code: words, description: No nulls, dimension: other}]}
stakeholders:
  - {username: ada, role: Owner, comment: Keeper}
slaProperties:
  - {property: latency, value: 4, unit: d, column: tbl.day}
"""


@pytest.fixture(scope="module")
def made() -> tuple[dict[str, Any], tuple[str, ...]]:
    converted = from_version2(yaml.safe_load(TEXT))
    return dict(converted.data), converted.notes


def test_it_is_clean_in_v3(made: tuple[dict[str, Any], tuple[str, ...]]) -> None:
    assert lint(write_contract(made[0])) == ()


def test_the_head_has_its_new_names(made: tuple[dict[str, Any], tuple[str, ...]]) -> None:
    data = made[0]
    names = ("apiVersion", "id", "name", "version", "status", "domain", "dataProduct")
    assert [data[key] for key in names] == ["v3.1.0", "53581432", "views", "1.1.0", "active", "seller", "payments"]
    assert data["description"] == {"purpose": "Views for sellers"}
    assert data["team"] == {"members": [{"username": "ada", "role": "Owner", "description": "Keeper"}]}
    assert data["slaProperties"] == [{"property": "latency", "value": 4, "unit": "d", "element": "tbl.day"}]


def test_columns_become_properties(made: tuple[dict[str, Any], tuple[str, ...]]) -> None:
    (table,) = made[0]["schema"]
    assert (table["physicalName"], table["dataGranularityDescription"]) == ("tbl_1", "One row a day")
    day, key = table["properties"]
    assert (day["required"], day["primaryKeyPosition"], day["partitionKeyPosition"]) == (True, 1, 1)
    assert day["examples"] == ["2022-10-03"]
    assert (key["required"], key["criticalDataElement"], key["encryptedName"]) == (False, True, "enc_id")
    assert "primaryKeyPosition" not in key


def test_rules_of_a_tool_stay_that_tools(made: tuple[dict[str, Any], tuple[str, ...]]) -> None:
    tool, words = made[0]["schema"][0]["properties"][1]["quality"]
    assert (tool["type"], tool["engine"], tool["implementation"]) == ("custom", "elevate", "DQ.null")
    assert (tool["scheduler"], tool["schedule"]) == ("cron", "0 20 * * *")
    assert words == {"name": "words", "description": "No nulls", "type": "text"}


def test_what_has_no_place_is_told_without_its_value(made: tuple[dict[str, Any], tuple[str, ...]]) -> None:
    told = "\n".join(made[1])
    assert "password" in told
    assert "clusterStatus" in told
    assert "hunter2" not in told + write_contract(made[0])


def test_version_2_is_known_by_its_version() -> None:
    assert is_version2({"apiVersion": "v2.2.0"})
    assert not is_version2({"apiVersion": "v3.0.0"})
    assert not is_version2({"models": {}})
