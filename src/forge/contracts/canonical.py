"""The canonical form of a contract, independent of order, case and spacing of its file, and hashes over it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from forge.contracts.contract import Contract
from forge.contracts.document.file import Document
from forge.model.canonical_json import canonical_json, digest_of

# Documentation without effect on the schema.
_TALK = frozenset(
    {
        *("description", "businessName", "tags", "examples", "authoritativeDefinitions", "customProperties"),
        *("dataGranularityDescription", "transformDescription", "transformLogic", "transformSourceObjects", "id"),
    }
)
_NAMES = ("name", "physicalName")
_TYPES = ("physicalType", "logicalType")
_NODES = ("items", "map", "key", "value")


def schema_hash(contract: Contract | Document | Mapping[str, object]) -> str:
    """`sha256:…` over the schema: tables and columns with types, keys and constraints. Descriptions, tags, ids and
    order do not change it."""
    return f"sha256:{digest_of(canonical_schema(data_of(contract)))}"


def content_hash(contract: Contract | Document | Mapping[str, object]) -> str:
    """`sha256:…` over the contract's content; the layout of the file does not change it."""
    return hash_of(data_of(contract))


def data_of(contract: Contract | Document | Mapping[str, object]) -> Mapping[str, object]:
    document = contract.document if isinstance(contract, Contract) else contract
    if document is None:
        raise ValueError("the contract was not read from a document")
    return document.data if isinstance(document, Document) else document


def canonical_schema(data: Mapping[str, object]) -> list[object]:
    tables = data.get("schema")
    return _list([table for table in tables if isinstance(table, dict)]) if isinstance(tables, list) else []


def hash_of(value: object, errors: str = "strict") -> str:
    return f"sha256:{digest_of(_plain(value), errors)}"


def _node(node: Mapping[str, object]) -> dict[str, object]:
    """A table or property without documentation and without default values."""
    found: dict[str, object] = {}
    for key, value in node.items():
        if value is None or value is False or value == [] or value == {} or key in _TALK:
            continue
        found[key] = _value(key, value)
    return found


def _value(key: str, value: object) -> object:
    if isinstance(value, str):
        if key in _NAMES:
            return value.strip().lower()
        return "".join(value.lower().split()) if key in _TYPES else value
    if isinstance(value, list):
        return _list(value)
    if isinstance(value, dict) and key in _NODES:
        return _node(value)
    return _plain(value)


def _list(values: list[object]) -> list[object]:
    """Sorted by name, else by content."""
    found = [_node(each) if isinstance(each, dict) else _plain(each) for each in values]
    found.sort(key=_order)
    return found


def _order(plain: object) -> tuple[str, str]:
    name = plain.get("name") if isinstance(plain, dict) else None
    return (name, "") if isinstance(name, str) else ("", canonical_json(plain))


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return value.isoformat() if isinstance(value, date) else str(value)
