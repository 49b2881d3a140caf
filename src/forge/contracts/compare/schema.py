"""Changed tables and columns, including fields of structs, items of arrays, keys and values of maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from forge.contracts.classification import LEVELS, Classification, parse_classification
from forge.contracts.compare.change import (
    Bump,
    ContractChange,
    ContractChangeKind,
    ContractPart,
    Key,
    PartPair,
    added,
    canonical,
    folded,
    pairs_of,
    shown,
)
from forge.contracts.compare.keys import key_changes, relationship_changes
from forge.contracts.compare.options import enum_changes, option_changes
from forge.contracts.compare.quality import quality_changes
from forge.contracts.compare.type import type_changes

_KEYS: tuple[Key, ...] = (
    lambda part: part.text("id"),
    lambda part: part.text("name"),
    lambda part: part.text("physicalName"),
)
_JUDGED = {  # by a rule of their own
    *("id", "name", "physicalName", "logicalType", "physicalType", "logicalTypeOptions", "required", "unique"),
    *("primaryKey", "primaryKeyPosition", "classification", "enum", "relationships", "quality"),
    *("properties", "items", "map", "semanticType", "deprecated", "encryptedName"),
}
_MINOR = {"partitioned", "partitionKeyPosition", "criticalDataElement", "transformLogic", "transformSourceObjects"}
_WORDS = {
    "businessName": "business name",
    "transformLogic": "how it is made",
    "transformSourceObjects": "what it is made of",
    "criticalDataElement": "whether it is critical",
    "authoritativeDefinitions": "links",
    "customProperties": "custom properties",
    "dataGranularityDescription": "what a row is",
}


def schema_changes(both: PartPair) -> Iterator[ContractChange]:
    for old, new in pairs_of(both.old.parts("schema"), both.new.parts("schema"), _KEYS):
        if old is None and new is not None:
            name = new.text("name")
            yield added(new, "table", name, f"table {name}", name)
        elif new is None and old is not None:
            yield replace(_gone(both, old, "table", "schema", old.text("name")), table=old.text("name"))
        elif old is not None and new is not None and old.data != new.data:
            for change in _table_changes(PartPair(old, new, new.text("name"))):
                yield replace(change, table=old.text("name"))


def _table_changes(both: PartPair) -> Iterator[ContractChange]:
    yield from _renamed(both, "table")
    yield from _table_form(both)
    yield from key_changes(both, _same_columns(both))
    yield from _property_list(both)
    yield from relationship_changes(both)
    yield from quality_changes(both)
    yield from _deprecation(both)
    yield from _other_changes(both)


def _property_list(both: PartPair) -> Iterator[ContractChange]:
    """Columns of a table, fields of a struct."""
    noun = "column" if len(both.new.at) == 2 else "field"
    for part, change in _each_change(both, noun):
        is_column = noun == "column"
        yield replace(change, column=part.text("physicalName") or part.text("name")) if is_column else change


def _each_change(both: PartPair, noun: str) -> Iterator[tuple[ContractPart, ContractChange]]:
    """Each with its subject, named as in the old contract where it exists there."""
    for old, new in pairs_of(both.old.parts("properties"), both.new.parts("properties"), _KEYS):
        if old is None and new is not None:
            yield new, _new_column(both, new, noun)
        elif new is None and old is not None:
            yield old, _gone(both, old, noun, "properties", f"{both.subject}.{old.text('name')}")
        elif old is not None and new is not None and old.data != new.data:
            pair = PartPair(old, new, f"{both.subject}.{new.text('name')}")
            for change in (*_renamed(pair, noun), *_property_changes(pair)):
                yield old, change


def _same_columns(both: PartPair) -> dict[str, str]:
    """Old name → new name of each column that still exists."""
    pairs = pairs_of(both.old.parts("properties"), both.new.parts("properties"), _KEYS)
    return {old.text("name").lower(): new.text("name").lower() for old, new in pairs if old and new}


def _property_changes(both: PartPair) -> Iterator[ContractChange]:
    yield from type_changes(both)
    yield from _required(both)
    yield from _unique(both)
    if both.old.text("logicalType").lower() == both.new.text("logicalType").lower():  # else bounds are meaningless
        yield from option_changes(both)
        yield from enum_changes(both)
    yield from _classification(both)
    yield from _semantics(both)
    yield from _encrypted_name(both)
    yield from relationship_changes(both)
    yield from quality_changes(both)
    yield from _nested_changes(both)
    yield from _deprecation(both)
    yield from _other_changes(both)


def _nested_changes(both: PartPair) -> Iterator[ContractChange]:
    yield from _property_list(both)
    for keys, suffix in ((("items",), "[]"), (("map", "key"), "{key}"), (("map", "value"), "{value}")):
        old, new = both.old.part(*keys), both.new.part(*keys)
        subject = both.subject + suffix
        if old is not None and new is not None:
            yield from _property_changes(PartPair(old, new, subject))
        elif new is not None:
            change = added(new, "type", subject, f"{subject}: now described", new.text("logicalType"))
            yield replace(change, kind=ContractChangeKind.TIGHTENED)
        elif old is not None:
            message = f"{subject}: what is inside is no longer promised"
            was = PartPair(old, both.new, subject)
            yield was.change(ContractChangeKind.LOOSENED, "type", Bump.MAJOR, message, key="")


def _new_column(both: PartPair, new: ContractPart, noun: str) -> ContractChange:
    kind = new.text("physicalType") or new.text("logicalType")
    subject = f"{both.subject}.{new.text('name')}"
    text = f"{subject} ({kind}{', required' if new.flag('required') else ''})" if kind else subject
    return added(new, noun, subject, f"{noun} {text}", kind)


def _gone(both: PartPair, old: ContractPart, noun: str, key: str, subject: str) -> ContractChange:
    note = " (it was deprecated)" if old.flag("deprecated") else ""
    kind = old.text("physicalType") or old.text("logicalType") or old.text("name")
    fix = f"Keep {subject}; mark it deprecated first and remove it with the next MAJOR version."
    if not note and noun != "table" and not old.text("id"):
        fix += " Was it renamed? Give both versions the same id."
    message = f"{noun} {subject} is gone{note}"
    return both.removed(noun, subject, message, kind, key=None if both.new.at else key, fix=fix)


def _renamed(both: PartPair, noun: str) -> Iterator[ContractChange]:
    """Readers use the physical name; other contracts use the logical one."""
    old, new = both.old, both.new
    names = old.text("name"), new.text("name")
    physical = _physical_name(old), _physical_name(new)
    is_renamed = names[0].lower() != names[1].lower()
    if not _is_one_name(*physical):
        before, after = names if is_renamed else physical
        prefix = both.subject.rpartition(".")[0]
        subject = f"{prefix}.{before}" if prefix and not is_renamed else both.subject
        message = f"{noun} {f'{prefix}.' if prefix else ''}{before} is called {after} now"
        key = "name" if is_renamed else "physicalName"
        fix = f"Keep {before} beside {after} until the next MAJOR version."
        change = PartPair(old, new, subject).change(
            ContractChangeKind.RENAMED, noun, Bump.MAJOR, message, key=key, fix=fix
        )
        yield replace(change, old=before, new=after)
    elif is_renamed:
        message = f"{noun} {both.subject}: called {names[0]} before; in the table it keeps its name {physical[1]}"
        yield both.change(ContractChangeKind.RENAMED, noun, Bump.MINOR, message, key="name")
    if old.text("id").lower() != new.text("id").lower():
        message = f"{both.subject}: id {old.text('id') or 'none'} → {new.text('id') or 'none'}"
        yield both.change(ContractChangeKind.CHANGED, "id", Bump.PATCH, message)


def _physical_name(part: ContractPart) -> str:
    return (part.text("physicalName") or part.text("name")).lower()


def _is_one_name(one: str, other: str) -> bool:
    """`orders` and `core.orders` are the same, the one without its schema."""
    if "." in one and "." in other:
        return one == other
    return one.rpartition(".")[2] == other.rpartition(".")[2]


def _table_form(both: PartPair) -> Iterator[ContractChange]:
    before, after = (part.text("logicalType").lower() or "object" for part in (both.old, both.new))
    if before != after:
        message = f"{both.subject}: {before} → {after}"
        yield both.change(ContractChangeKind.TYPE, "type", Bump.MAJOR, message, key="logicalType")
    before, after = (part.text("physicalType").lower() for part in (both.old, both.new))
    if before != after:
        message = f"{both.subject}: {before or 'not said'} → {after or 'not said'}"
        bump = Bump.MINOR if before and after else Bump.PATCH
        yield both.change(ContractChangeKind.CHANGED, "type", bump, message, key="physicalType")


def _required(both: PartPair) -> Iterator[ContractChange]:
    before, after = both.old.flag("required"), both.new.flag("required")
    if before == after:
        return
    if both.new.flag("primaryKey") and (before or both.old.flag("primaryKey")):
        message = f"{both.subject}: required is {shown(after)} now; as a key it is never empty anyway"
        yield both.change(ContractChangeKind.CHANGED, "required", Bump.PATCH, message)
    elif after:
        yield both.change(ContractChangeKind.TIGHTENED, "required", Bump.MINOR, f"{both.subject}: never empty now")
    else:
        fix = f"Keep required: true for {both.subject}."
        message = f"{both.subject}: may be empty now, readers did not expect NULL"
        yield both.change(ContractChangeKind.LOOSENED, "required", Bump.MAJOR, message, fix=fix)


def _unique(both: PartPair) -> Iterator[ContractChange]:
    before, after = both.old.flag("unique"), both.new.flag("unique")
    if before and not after and _is_whole_key(both.new):
        message = f"{both.subject}: unique is {shown(after)} now; as the key it never repeats anyway"
        yield both.change(ContractChangeKind.CHANGED, "unique", Bump.PATCH, message)
    elif before and not after:
        message = f"{both.subject}: values may repeat now, joins on it may multiply rows"
        fix = f"Keep unique: true for {both.subject}."
        yield both.change(ContractChangeKind.LOOSENED, "unique", Bump.MAJOR, message, fix=fix)
    elif after and not before:
        yield both.change(
            ContractChangeKind.TIGHTENED, "unique", Bump.MINOR, f"{both.subject}: values never repeat now"
        )


def _is_whole_key(column: ContractPart) -> bool:
    table = ContractPart.root(column.document).data.get("schema")
    at = column.at[1] if len(column.at) == 4 else None  # schema, i, properties, j: a column, not a field of one
    found = table[at] if isinstance(table, list) and isinstance(at, int) else None
    listed = found.get("properties") if isinstance(found, Mapping) else None
    keys = [each for each in listed or () if isinstance(each, Mapping) and each.get("primaryKey") is True]
    return keys == [column.data]


def _classification(both: PartPair) -> Iterator[ContractChange]:
    """Less protection is a loosened promise; more is an obligation for readers."""
    before, after = (part.text("classification").lower() for part in (both.old, both.new))
    if before == after:
        return
    old, new = parse_classification(before), parse_classification(after)
    arrow = f"{both.subject}: classification {before or 'none'} → {after or 'none'}"
    order = _level(new) - _level(old)
    is_lower = not after or not old.marks <= new.marks or (order < 0 and (new.level or not old.marks < new.marks))
    if is_lower and before:
        message = f"{arrow} (less protected)"
        yield both.change(ContractChangeKind.LOOSENED, "classification", Bump.MAJOR, message)
    elif order >= 0 and (order or old.marks < new.marks or not before):
        message = f"{arrow} (more protected)"
        yield both.change(ContractChangeKind.TIGHTENED, "classification", Bump.MINOR, message)
    else:
        yield both.change(ContractChangeKind.CHANGED, "classification", Bump.MINOR, arrow)


def _level(of: Classification) -> int:
    return LEVELS.index(of.level) if of.level else -1


def _semantics(both: PartPair) -> Iterator[ContractChange]:
    before, after = (part.text("semanticType").lower() or "column" for part in (both.old, both.new))
    if before == after:
        return
    message = f"{both.subject}: {before} → {after}"
    if after == "measure":
        yield both.change(
            ContractChangeKind.LOOSENED, "semanticType", Bump.MAJOR, f"{message} (no column of the table any more)"
        )
    else:
        bump = Bump.MINOR if before == "measure" else Bump.PATCH
        yield both.change(ContractChangeKind.CHANGED, "semanticType", bump, message)


def _encrypted_name(both: PartPair) -> Iterator[ContractChange]:
    """It is a column too, for readers without access to the plain one."""
    before, after = (part.text("encryptedName") for part in (both.old, both.new))
    if before.lower() == after.lower():
        return
    message = f"{both.subject}: encrypted as {before or 'nothing'} → {after or 'nothing'}"
    kind = (
        ContractChangeKind.ADDED
        if not before
        else ContractChangeKind.REMOVED
        if not after
        else ContractChangeKind.RENAMED
    )
    yield both.change(kind, "encryptedName", Bump.MAJOR if before else Bump.MINOR, message)


def _deprecation(both: PartPair) -> Iterator[ContractChange]:
    before, after = both.old.flag("deprecated"), both.new.flag("deprecated")
    if before != after:
        status = "deprecated: readers should leave it" if after else "no longer deprecated"
        yield both.change(ContractChangeKind.CHANGED, "deprecated", Bump.MINOR, f"{both.subject}: {status}")


def _other_changes(both: PartPair) -> Iterator[ContractChange]:
    """Documentation, and a few minor keys."""
    for key in sorted(str(key) for key in both.old.data.keys() | both.new.data.keys()):
        if key in _JUDGED or not _differs(both, key):
            continue
        bump = Bump.MINOR if key in _MINOR else Bump.PATCH
        message = f"{both.subject}: {_WORDS.get(key, key)}"
        yield both.change(ContractChangeKind.CHANGED, key, bump, message)


def _differs(both: PartPair, key: str) -> bool:
    before, after = both.old.data.get(key), both.new.data.get(key)
    if not before and not after:
        return False
    if key == "tags":
        return folded(before) != folded(after)
    return canonical(before) != canonical(after)
