"""Converts the shorthand that some teams write (`models`, `elements`, `owner`) to ODCS. Whatever has no place in the
standard is reported, never dropped silently."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from forge.contracts.shorthand.element import element_of, kept
from forge.contracts.shorthand.rules import Notes, table_rules
from forge.model.duration import parse_duration

_MODELS = ("models", "model")
_HEAD = ("id", "name", "version", "status", "domain", "tenant", "dataProduct", "tags", "contractCreatedTs")
_ODCS = ("support", "roles", "price", "servers", "slaDefaultElement", "customProperties", "authoritativeDefinitions")
_OF_TABLE = ("id", "physicalName", "physicalType", "description", "tags", "businessName", "dataGranularityDescription")
_SERVICES = ("freshness", "availability", "latency", "retention", "frequency")


@dataclass(frozen=True, slots=True)
class ConvertedContract:
    """The contract's data, and what did not map: each with its path and the reason."""

    data: Mapping[str, object]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Source:
    data: Mapping[str, object]
    notes: Notes = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def take(self, *keys: str) -> object:
        """The value of the first existing key; all of them are marked as read."""
        self.used.update(keys)
        return next((self.data[key] for key in keys if self.data.get(key) is not None), None)

    def entries(self, key: str) -> list[dict[str, object]]:
        """A list of mappings; other entries are reported."""
        given = self.take(key)
        found = given if isinstance(given, list) else [] if given is None else [given]
        self.notes += [f"{key}: {each!r} was left out" for each in found if not isinstance(each, Mapping)]
        return [dict(each) for each in found if isinstance(each, Mapping)]


def is_shorthand(data: Mapping[str, object]) -> bool:
    return "schema" not in data and any(key in data for key in (*_MODELS, "elements", "owner"))


def from_shorthand(data: Mapping[str, object]) -> ConvertedContract:
    """Converts the shorthand to ODCS 3.1.0. Missing required keys get a harmless value, and a note."""
    source = _Source(data)
    contract: dict[str, object] = {"apiVersion": "v3.1.0", "kind": "DataContract"}
    source.take("apiVersion", "kind", "dataContractSpecification")
    contract |= {key: _headed(key, source.take(key)) for key in _HEAD if data.get(key) is not None}
    contract |= _info(source)
    _fill_in(contract, source)
    for key, value in (
        ("description", _description(source)),
        ("team", _team(source)),
        ("slaProperties", list(_services(source))),
        ("authoritativeDefinitions", _links(source)),
        ("customProperties", _custom(source)),
        ("schema", list(_tables(source))),
    ):
        if value:
            contract[key] = value
    contract |= {key: source.take(key) for key in _ODCS if key in data and key not in contract}
    for key, value in data.items():
        if key not in source.used and value is not None:
            source.notes.append(f"{key}: has no place in the standard that Forge knows, and was left out")
    return ConvertedContract(contract, tuple(source.notes))


def _headed(key: str, value: object) -> object:
    """Header values as strings: `id: 17` is a string, `tags: gold` a list of one."""
    if key == "tags":
        return [str(each) for each in (value if isinstance(value, list) else [value])]
    return str(value) if isinstance(value, int | float) else value


def _info(source: _Source) -> dict[str, object]:
    """Some put the header below `info`, with `title` for the name."""
    info = source.take("info")
    if not isinstance(info, Mapping):
        return {}
    names = {"title": "name", "name": "name", "version": "version", "status": "status", "domain": "domain"}
    found = {names[key]: value for key, value in info.items() if key in names}
    for key in ("owner", "description"):
        if key in info and key not in source.data:
            source.data = {**source.data, key: info[key]}
    source.notes += [f"info.{k}: was left out" for k in info if k not in (*names, "owner", "description")]
    return found


def _fill_in(contract: dict[str, object], source: _Source) -> None:
    if not contract.get("name") and contract.get("id"):
        contract["name"] = contract["id"]
    if not contract.get("id"):
        contract["id"] = re.sub(r"[^a-z0-9]+", "-", str(contract.get("name") or "contract").lower()).strip("-")
    if not contract.get("version"):
        contract["version"] = "1.0.0"
        source.notes.append("version: is missing; 1.0.0 was taken")
    contract["version"] = full_version(str(contract["version"]))
    if not contract.get("status"):
        contract["status"] = "draft"
        source.notes.append("status: is missing; draft was taken")


def full_version(text: str) -> str:
    """`1.2` and `v1` with three numbers; anything else unchanged, for `lint` to judge."""
    if not re.fullmatch(r"v?\d+(\.\d+){0,2}", text):
        return text
    return ".".join([*(str(int(number)) for number in text.removeprefix("v").split(".")), "0", "0"][:3])


def _description(source: _Source) -> dict[str, object]:
    """`description` as text is the purpose; `terms` hold usage and limitations."""
    given = source.take("description")
    found: dict[str, object] = {"purpose": given} if given else {}
    if isinstance(given, Mapping):
        found = {key: value for key, value in given.items() if value is not None}
    terms = source.take("terms")
    if isinstance(terms, str):
        found.setdefault("usage", terms)
    elif isinstance(terms, Mapping):
        for key, value in terms.items():
            if key in ("usage", "purpose", "limitations"):
                found.setdefault(key, str(value))
            elif key == "retention":
                continue  # a promise about time: below, with the services
            else:
                found["limitations"] = "\n".join(
                    [*([str(found["limitations"])] if "limitations" in found else []), f"{key}: {value}"]
                )
    return found


def _team(source: _Source) -> object:
    owner, team = source.take("owner", "owners"), source.take("team")
    if isinstance(team, list):  # before v3.1
        team = {"members": team}
    if owner is None:
        return team
    owners = owner if isinstance(owner, list) else [owner]
    found: dict[str, object] = dict(team) if isinstance(team, Mapping) else {"name": team} if team else {}
    members = list(found["members"]) if isinstance(found.get("members"), list) else []  # type: ignore[call-overload]
    for each in owners:
        if isinstance(each, Mapping):
            name = each.get("username") or each.get("email") or each.get("name")
            members.append({"username": str(name), "role": "owner"})
        elif "@" in str(each):
            members.append({"username": str(each), "role": "owner"})
        else:
            found.setdefault("name", str(each))
    return found | ({"members": members} if members else {})


def _services(source: _Source) -> Iterator[dict[str, object]]:
    listed = source.data.get("slaProperties")
    if isinstance(listed, Mapping) and "property" not in listed:  # {freshness: 6h, availability: 99.9%}
        source.used.add("slaProperties")
        yield from (_service(str(key), value, source) for key, value in listed.items())
    else:
        yield from source.entries("slaProperties")
    groups = [source.data, *(source.take(key) for key in ("sla", "slas", "servicelevels", "serviceLevels"))]
    terms = source.data.get("terms")
    groups.append({"retention": terms["retention"]} if isinstance(terms, Mapping) and "retention" in terms else None)
    for group in groups:
        if not isinstance(group, Mapping):
            continue
        for key, value in group.items():
            if key in _SERVICES:
                source.used.add(key)
                yield _service(key, value, source)
            elif group is not source.data:
                source.notes.append(f"sla.{key}: is no service level that Forge knows, and was left out")


def _service(name: str, value: object, source: _Source) -> dict[str, object]:
    """`freshness: 6h`, `availability: 99.9%`, or a mapping with value and element."""
    entry: dict[str, object] = {"property": name}
    if isinstance(value, Mapping):
        amount = next(
            (value[k] for k in ("value", "threshold", "percentage", "period", "interval") if k in value), None
        )
        entry |= kept(value, "unit", "element", "driver", "description")
        field_name = value.get("timestampField")
        entry |= {"element": field_name} if field_name else {}
    else:
        amount = value
    text = str(amount).strip()
    if percentage := re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", text):
        number = float(percentage[1])
        return entry | {"value": int(number) if number.is_integer() else number, "unit": "percent"}
    if counted := re.fullmatch(r"(\d+)\s*([A-Za-z]+)", text):
        if parse_duration(text) is not None:
            return entry | {"value": int(counted[1]), "unit": counted[2]}
    elif parse_duration(text) is None and name != "availability" and "unit" not in entry:
        source.notes.append(f"{name}: '{text}' is no duration; it was kept as it is, and lint will name it")
    return entry | {"value": amount}


def _links(source: _Source) -> list[dict[str, object]]:
    links = source.take("links")
    if isinstance(links, Mapping):
        return [{"type": str(name), "url": str(url)} for name, url in links.items()]
    found: list[dict[str, object]] = []
    for each in links if isinstance(links, list) else [] if links is None else [links]:
        if isinstance(each, Mapping):
            url = each.get("url") or each.get("href")
            found.append({"type": str(each.get("type") or each.get("name") or "documentation"), "url": str(url)})
        else:
            found.append({"type": "documentation", "url": str(each)})
    return found


def _custom(source: _Source) -> list[dict[str, object]]:
    deprecation = source.take("deprecation")
    found = source.entries("customProperties")
    return [*found, {"property": "forge.deprecation", "value": deprecation}] if deprecation is not None else found


def _tables(source: _Source) -> Iterator[dict[str, object]]:
    models = source.take(*_MODELS)
    if models is None and source.data.get("elements") is not None:
        models = [{"name": source.data.get("name"), "elements": source.take("elements")}]
    if models is not None and not isinstance(models, list | Mapping):
        source.notes.append(f"models: {models!r} are none, and were left out")
    whole = source.take("quality")
    for name, model in _named(models):
        path = f"models.{name}"
        table: dict[str, object] = {"name": name, "logicalType": "object"}
        table |= kept(model, *_OF_TABLE)
        elements = next((model[key] for key in ("elements", "fields", "columns", "properties") if key in model), None)
        if elements is not None and not isinstance(elements, list | Mapping):
            source.notes.append(f"{path}: {elements!r} are no elements, and were left out")
        table["properties"] = [element_of(n, e, f"{path}.{n}", source.notes) for n, e in _named(elements)]
        columns = table["properties"]
        assert isinstance(columns, list)
        rules = [*table_rules(model.get("quality"), path, columns, source.notes)]
        rules += table_rules(whole, "", columns, source.notes)
        known = (*_OF_TABLE, "name", "quality", "type", "elements", "fields", "columns", "properties")
        source.notes += [f"{path}.{key}: was left out" for key in model if key not in known]
        yield table | ({"quality": rules} if rules else {})


def _named(given: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Entries of a list by their `name`, or of a mapping by their key."""
    if isinstance(given, Mapping):
        for name, each in given.items():
            yield str(name), each if isinstance(each, Mapping) else {"type": each}
    for each in given if isinstance(given, list) else []:
        if isinstance(each, Mapping):
            yield str(each.get("name") or each.get("element") or ""), each
        else:
            yield str(each), {}
