"""Ontology objects, `ontology/*.yaml`: what the business speaks of, its properties and links, and the tables behind it.

types:
  Customer:
    description: Somebody who has bought something.
    backed_by: core.customers
    key: customer_id
    properties:
      name: {type: string, column: full_name, description: First and last name}
      country: string
    links:
      orders: {to: Order, description: What they have bought}"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.text import clean_text
from forge.model.errors import ForgeError, errors_of
from forge.model.name_suggestions import did_you_mean
from forge.model.yaml_file import YamlFile, load_yaml

ONTOLOGY = "ontology"
_OF_TYPE = ("description", "owner", "domain", "tags", "backed_by", "key", "properties", "links")
_OF_PROPERTY = ("type", "column", "description", "required")
_OF_LINK = ("to", "description")
_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class OntologyFile:
    """The objects of one file as assets, and all that is wrong in it."""

    assets: tuple[CrawledAsset, ...] = ()
    links: tuple[tuple[str, str], ...] = ()  # file:line, and the type that it leads to
    errors: tuple[ForgeError, ...] = ()


def asset_name(type_: str) -> str:
    return f"{ONTOLOGY}:{type_}"


def load_ontology(text: str, file: str) -> OntologyFile:
    try:
        yaml = load_yaml(text, file)
    except ForgeError as error:
        return OntologyFile(errors=errors_of(error))
    data = {} if yaml.data is None else yaml.data
    types = data.get("types", {}) if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(types, dict):
        return OntologyFile(errors=(_bad("An ontology is a mapping under `types:`", yaml.where()),))
    errors = [_unknown(str(key), ("types",), yaml.where(str(key))) for key in data if key != "types"]
    assets: list[CrawledAsset] = []
    links: list[tuple[str, str]] = []
    for name, entry in types.items():
        found = _read(str(name), entry, yaml, errors)
        if found is not None:
            assets.append(found[0])
            links += found[1]
    return OntologyFile(tuple(assets), tuple(links), tuple(errors))


def find_loose_links(files: Mapping[str, OntologyFile]) -> tuple[ForgeError, ...]:
    """Links to types that no file has."""
    known = {asset.qualified_name.removeprefix(f"{ONTOLOGY}:") for one in files.values() for asset in one.assets}
    return tuple(
        _bad(f"There is no type {target} to link to", where, did_you_mean(target, known))
        for one in files.values()
        for where, target in one.links
        if target not in known
    )


def _read(
    name: str, entry: object, yaml: YamlFile, errors: list[ForgeError]
) -> tuple[CrawledAsset, list[tuple[str, str]]] | None:
    where = yaml.where("types", name)
    if not isinstance(entry, Mapping):
        errors.append(_bad(f"What is said of {name} is a mapping", where))
        return None
    before = len(errors)
    errors += [
        _unknown(str(key), _OF_TYPE, yaml.where("types", name, str(key))) for key in entry if key not in _OF_TYPE
    ]
    properties = [
        _property(str(key), one, yaml.where("types", name, "properties", str(key)), errors)
        for key, one in _mapping(entry, "properties", where, errors).items()
    ]
    links = {
        str(key): _link(str(key), one, yaml.where("types", name, "links", str(key)), errors)
        for key, one in _mapping(entry, "links", where, errors).items()
    }
    texts = {key: _text(entry, key, where, errors) for key in ("description", "owner", "domain")}
    tags, backed_by, key = (_texts(entry, part, where, errors) for part in ("tags", "backed_by", "key"))
    if len(errors) > before:
        return None
    linked = [CrawledColumn(f"→ {one}", asset_name(to), True, words) for one, (to, words) in links.items()]
    asset = CrawledAsset(
        qualified_name=asset_name(name),
        type=AssetType.DATASET,
        source=ONTOLOGY,
        system=ONTOLOGY,
        location=where.rpartition(":")[0],
        description=texts["description"],
        owner=texts["owner"] or None,
        domain=texts["domain"] or None,
        tags=tags,
        columns=(*(one for one in properties if one is not None), *linked),
        primary_key=key,
        backed_by=tuple(dict.fromkeys((*backed_by, *(asset_name(to) for to, _ in links.values())))),
    )
    return asset, [(yaml.where("types", name, "links", one), to) for one, (to, _) in links.items()]


def _property(name: str, entry: object, where: str, errors: list[ForgeError]) -> CrawledColumn | None:
    """A word is its type."""
    given = {"type": entry} if isinstance(entry, str) else entry
    if not isinstance(given, Mapping):
        errors.append(_bad(f"The property {name} is a type, or a mapping", where))
        return None
    errors += [_unknown(str(key), _OF_PROPERTY, where) for key in given if key not in _OF_PROPERTY]
    type_, column, words = (_text(given, key, where, errors) for key in ("type", "column", "description"))
    behind = f"(column {column})" if column else ""
    return CrawledColumn(name, type_, not given.get("required", False), " ".join(filter(None, (words, behind))))


def _link(name: str, entry: object, where: str, errors: list[ForgeError]) -> tuple[str, str]:
    """A word is the type that it leads to."""
    given = {"to": entry} if isinstance(entry, str) else entry
    if not isinstance(given, Mapping) or not isinstance(given.get("to"), str):
        errors.append(_bad(f"The link {name} says `to:` which type it leads", where))
        return "", ""
    errors += [_unknown(str(key), _OF_LINK, where) for key in given if key not in _OF_LINK]
    return str(given["to"]), _text(given, "description", where, errors)


def _mapping(entry: Mapping[str, object], key: str, where: str, errors: list[ForgeError]) -> Mapping[str, object]:
    found = entry.get(key) or {}
    if isinstance(found, Mapping):
        return found
    errors.append(_bad(f"{key} is a mapping", where))
    return {}


def _text(entry: Mapping[str, object], key: str, where: str, errors: list[ForgeError]) -> str:
    found = entry.get(key)
    if found is None or (isinstance(found, str) and len(found) <= _LONGEST):
        return clean_text(found or "")
    errors.append(_bad(f"{key} is a text of at most {_LONGEST:,} letters", where))
    return ""


def _texts(entry: Mapping[str, object], key: str, where: str, errors: list[ForgeError]) -> tuple[str, ...]:
    found = entry.get(key) or []
    listed = [found] if isinstance(found, str) else found
    if isinstance(listed, list) and all(isinstance(one, str) and one for one in listed):
        return tuple(clean_text(one) for one in listed)
    errors.append(_bad(f"{key} is a text, or a list of texts", where))
    return ()


def _bad(what: str, where: str, fix: str | None = None) -> ForgeError:
    return ForgeError("E103", what, where=where, fix=fix)


def _unknown(key: str, known: tuple[str, ...], where: str) -> ForgeError:
    fix = did_you_mean(key, known) or f"Known are {', '.join(known)}."
    return ForgeError("E104", f"unknown key '{key}'", where=where, fix=fix)
