"""Converts contracts of ODCS v2 (`dataset`, `columns`, `stakeholders`) to v3. Whatever v3 has no place for is
reported."""

from __future__ import annotations

from collections.abc import Mapping

from forge.contracts.shorthand.contract import ConvertedContract, from_shorthand

_HEAD = {
    "uuid": "id",
    "datasetName": "name",
    "datasetDomain": "domain",
    "quantumName": "dataProduct",
    "slaDefaultColumn": "slaDefaultElement",
}
_COLUMN = {
    "column": "name",
    "isPrimary": "primaryKey",
    "isPrimaryKey": "primaryKey",
    "partitionStatus": "partitioned",
    "criticalDataElementStatus": "criticalDataElement",
    "encryptedColumnName": "encryptedName",
    "transformSourceTables": "transformSourceObjects",
    "sampleValues": "examples",
}
_MEMBER = ("username", "name", "role", "dateIn", "dateOut", "replacedByUsername")
_RULE = {"code": "name", "templateName": "name"}
_RULE_KEPT = (
    *("name", "description", "dimension", "severity", "businessImpact", "schedule", "scheduler", "tags", "method"),
    "customProperties",
)
_DIMENSIONS = ("accuracy", "completeness", "conformity", "consistency", "coverage", "timeliness", "uniqueness")
_NO_WORDS = ("type", "userConsumptionMode", "isDeleted")  # expressed differently in v3, or not at all


def is_version2(data: Mapping[str, object]) -> bool:
    return str(data.get("apiVersion", "")).startswith("v2.") and "schema" not in data


def from_version2(data: Mapping[str, object]) -> ConvertedContract:
    """Renames its keys, then converts it as the shorthand."""
    notes: list[str] = []
    given = {_HEAD.get(key, key): value for key, value in data.items() if key not in _NO_WORDS}
    if str(given.get("status")) == "current":
        given["status"] = "active"
    given["models"] = [_table(each) for each in _mappings(given.pop("dataset", None))]
    if not isinstance(given.get("slaProperties"), Mapping):  # which the shorthand understands
        services = _mappings(given.get("slaProperties"))
        given["slaProperties"] = [_renamed(each, {"column": "element"}) for each in services]
    members = [_member(each) for each in _mappings(given.pop("stakeholders", None))]
    if members:
        given["team"] = {"members": members}
    if not members or not any(str(each.get("role", "")).lower() == "owner" for each in members):
        notes.append("stakeholders: none has the role owner; the strict profile wants one in team.members")
    made = from_shorthand(given)
    return ConvertedContract(made.data, (*made.notes, *notes))


def _table(given: Mapping[str, object]) -> dict[str, object]:
    found = _renamed(given, {"table": "name", "columns": "elements", "dataGranularity": "dataGranularityDescription"})
    found["elements"] = [_column(each) for each in _mappings(found.get("elements"))]
    return found | _quality(given)


def _column(given: Mapping[str, object]) -> dict[str, object]:
    """v2 writes -1 for the position of non-key columns."""
    found = _renamed(given, _COLUMN)
    for position, flag in (("primaryKeyPosition", "primaryKey"), ("partitionKeyPosition", "partitioned")):
        value = found.get(position)
        if not found.get(flag) or not isinstance(value, int) or value < 1:
            found.pop(position, None)
    if isinstance(nullable := found.pop("isNullable", None), bool):
        found["required"] = not nullable
    return found | _quality(given)


def _quality(given: Mapping[str, object]) -> dict[str, object]:
    rules = [_rule(each) for each in _mappings(given.get("quality"))]
    return {"quality": rules} if rules else {}


def _rule(given: Mapping[str, object]) -> dict[str, object]:
    """A rule of a tool belongs to that tool; one without a tool is text."""
    renamed = _renamed(given, _RULE)
    found = {key: renamed[key] for key in _RULE_KEPT if renamed.get(key) is not None}
    if found.get("dimension") not in _DIMENSIONS:
        found.pop("dimension", None)
    if "scheduleCronExpression" in given:
        found |= {"scheduler": "cron", "schedule": given["scheduleCronExpression"]}
    tool, name = given.get("toolName"), given.get("toolRuleName")
    if tool and name:
        return {**found, "type": "custom", "engine": str(tool).lower(), "implementation": str(name)}
    text = found.get("description") or found.get("name") or "a rule without words"
    return {**found, "type": "text", "description": text}


def _member(given: Mapping[str, object]) -> dict[str, object]:
    found = {key: given[key] for key in _MEMBER if given.get(key) is not None}
    return found | ({"description": given["comment"]} if given.get("comment") else {})


def _renamed(given: Mapping[str, object], names: Mapping[str, str]) -> dict[str, object]:
    return {names.get(str(key), str(key)): value for key, value in given.items() if value is not None}


def _mappings(given: object) -> list[Mapping[str, object]]:
    return [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
