"""Writes a contract as YAML: keys in conventional order, short entries on one line. Reading it gives the same data."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

_HEAD = (
    *("apiVersion", "kind", "id", "name", "version", "status", "tenant", "domain", "dataProduct", "tags"),
    *("description", "team", "roles", "support", "price", "servers", "schema", "slaDefaultElement", "slaProperties"),
    *("authoritativeDefinitions", "customProperties", "contractCreatedTs"),
)
_ELEMENT = (
    *("id", "name", "physicalName", "logicalType", "physicalType", "businessName", "required", "unique"),
    *("primaryKey", "primaryKeyPosition", "partitioned", "partitionKeyPosition", "classification", "encryptedName"),
    *("criticalDataElement", "tags", "logicalTypeOptions", "enum", "description"),
)
_LAST = ("properties", "items", "map", "quality", "relationships", "authoritativeDefinitions", "customProperties")
_ON_ONE_LINE = 110


class _Flow(dict[str, object]):
    """A mapping that is written on one line."""


class _FlowList(list[object]):
    """A list that is written on one line."""


class _Dumper(yaml.SafeDumper):
    """Lists are indented below their key; no anchors, so that equal values are repeated."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    is_block = "\n" in value and not any(line != line.rstrip() for line in value.split("\n")) and "\t" not in value
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if is_block else None)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(
    _Flow, lambda dumper, value: dumper.represent_mapping("tag:yaml.org,2002:map", value, flow_style=True)
)
_Dumper.add_representer(
    _FlowList, lambda dumper, value: dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True)
)


def write_contract(data: Mapping[str, object]) -> str:
    """The YAML of a contract's data."""
    ordered = {key: _shaped(key, value) for key, value in _in_order(data, _HEAD).items()}
    return yaml.dump(ordered, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def _in_order(data: Mapping[str, object], first: tuple[str, ...], last: tuple[str, ...] = ()) -> dict[str, object]:
    keys = [key for key in first if key in data]
    keys += [key for key in data if key not in first and key not in last]
    keys += [key for key in last if key in data]
    return {key: data[key] for key in keys}


def _shaped(key: str, value: object) -> object:
    if isinstance(value, Mapping):
        inner = _in_order(value, _ELEMENT, _LAST) if key in ("schema", "properties", "items", "key", "value") else value
        shaped = {name: _shaped(name, each) for name, each in inner.items()}
        is_short = key not in ("", "description", "team") and _is_short(shaped)
        return _Flow(shaped) if is_short and key not in ("schema", "properties") else shaped
    if isinstance(value, list):
        items = [_shaped(key, each) for each in value]
        return _FlowList(items) if _is_short(items) and not any(isinstance(i, Mapping) for i in items) else items
    return value


def _is_short(value: Mapping[str, object] | list[object]) -> bool:
    parts = list(value.values()) if isinstance(value, Mapping) else value
    if any(isinstance(part, dict | list) and not isinstance(part, _Flow | _FlowList) for part in parts):
        return False
    return "\n" not in str(value) and len(str(value)) <= _ON_ONE_LINE
