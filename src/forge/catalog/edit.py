"""Edits of documentation: which fields a person may change, and what they may say. A crawled field is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from forge.catalog.asset import CatalogAsset, Documentation
from forge.catalog.asset_json import Fields, documentation_fields, read_documentation
from forge.catalog.text import clean_text
from forge.model.classification import ClassificationLevel
from forge.model.errors import ForgeError, NamedError, raise_errors
from forge.model.name_suggestions import did_you_mean

LONGEST_DESCRIPTION = 1_000_000  # bytes in UTF-8
LONGEST_TEXT = 1_000  # of an owner, a tag, a reason
MOST_VALUES = 200  # of tags, stewards, terms
MOST_COLUMNS = 10_000
_TEXTS = ("description", "owner", "team", "domain", "deprecated")
_LISTS = ("stewards", "tags", "terms", "primary_key")
_COLUMN_PARTS = ("description", "tags", "term")
EDITABLE = (*_TEXTS, *_LISTS, "classification", "columns")
_CRAWLED = frozenset(
    {
        "qualified_name",
        "name",
        "id",
        "uid",
        "type",
        "source",
        "key",
        "system",
        "location",
        "schema",
        "row_count",
        "size_bytes",
        "updated_at",
        "created_at",
        "freshness_hours",
        "state",
        "former_names",
        "backed_by",
        "version",
    }
)


class StaleVersionError(ForgeError):
    """The asset was changed since it was read."""

    def __init__(self, name: str, expected: int, current: int) -> None:
        super().__init__(
            "E853",
            f"{name} was changed meanwhile: its documentation is at version {current}, not {expected}",
            why="Someone else edited it after you read it. Nothing was changed.",
            fix="Read it again, and send the edit with the version that you then see.",
        )
        self.current = current


class UnknownAssetError(NamedError):
    code = "E850"


class UnknownProposalError(NamedError):
    code = "E856"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetEdit:
    """One change of documentation: the fields that changed, as they were and as they are, by path. None: there
    was no value."""

    uid: str
    version: int  # that it made
    at: datetime
    by: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    undoes: int | None = None  # the version whose edit it takes back
    approved_by: str | None = None

    def to_dict(self) -> Fields:
        return {
            "documentation_version": self.version,
            "at": self.at.isoformat(),
            "by": self.by,
            "before": dict(self.before),
            "after": dict(self.after),
            "undoes": self.undoes,
            "approved_by": self.approved_by,
        }


def read_edit(given: Mapping[str, Any]) -> Fields:
    """The fields by path, checked. E851 or E852 with all that is wrong."""
    faults: list[ForgeError] = []
    changes: Fields = {}
    for name, value in given.items():
        if name == "columns":
            changes |= _read_columns(value, faults)
        elif name in EDITABLE:
            changes[name] = _read(name, name, value, faults)
        else:
            faults.append(_unknown(name))
    raise_errors(faults)
    return changes


def plan_edit(
    asset: CatalogAsset, changes: Mapping[str, Any], at: datetime, by: str, *, undoes: int | None = None
) -> AssetEdit | None:
    """None: it says this already. E854 where a file of the project has one of the fields."""
    raise_errors(_filed(asset, path) for path in changes if path in asset.places)
    key = () if undoes is not None else changes.get("primary_key") or ()  # it may have had columns that are gone by now
    raise_errors(_unknown_columns(asset, changes, key))
    now = documentation_fields(asset.edited)
    changed = {path: value for path, value in changes.items() if now.get(path) != (value or None)}
    if not changed:
        return None
    return AssetEdit(
        uid=asset.uid,
        version=asset.version + 1,
        at=at,
        by=by,
        before={path: now.get(path) for path in changed},
        after={path: value or None for path, value in changed.items()},
        undoes=undoes,
    )


def documented(documentation: Documentation, after: Mapping[str, Any]) -> Documentation:
    """With what an edit says; None takes a field away."""
    fields = {**documentation_fields(documentation), **after}
    return read_documentation({path: value for path, value in fields.items() if value is not None})


def _read_columns(given: object, faults: list[ForgeError]) -> Fields:
    if not isinstance(given, Mapping) or len(given) > MOST_COLUMNS:
        faults.append(_bad("columns", f"is a mapping of at most {MOST_COLUMNS:,} columns to what is said of each"))
        return {}
    changes: Fields = {}
    for column, parts in given.items():
        path = f"columns.{str(column).lower()}"
        if not isinstance(parts, Mapping):
            faults.append(_bad(path, "is a mapping of description, tags and term"))
            continue
        for part, value in parts.items():
            if part not in _COLUMN_PARTS:
                fix = did_you_mean(str(part), _COLUMN_PARTS)
                code = "E852" if part in ("type", "nullable", "name") else "E851"
                faults.append(_bad(f"{path}.{part}", "cannot be edited", fix=fix, code=code))
            else:
                changes[f"{path}.{part}"] = _read(f"{path}.{part}", part, value, faults)
    return changes


def _read(path: str, name: str, value: object, faults: list[ForgeError]) -> Any:
    if value is None:
        return None
    if name == "classification":
        return _read_level(path, value, faults)
    if name in _LISTS:
        return _read_list(path, value, faults)
    if not isinstance(value, str):
        faults.append(_bad(path, "is a text"))
        return None
    longest = LONGEST_DESCRIPTION if name in ("description", "deprecated") else LONGEST_TEXT
    return _text(path, value, longest, faults)


def _read_level(path: str, value: object, faults: list[ForgeError]) -> str | None:
    levels = [level.value for level in ClassificationLevel]
    if value in levels:
        return str(value)
    faults.append(_bad(path, f"is one of {', '.join(levels)}"))
    return None


def _read_list(path: str, value: object, faults: list[ForgeError]) -> list[str]:
    if not isinstance(value, list | tuple) or len(value) > MOST_VALUES:
        faults.append(_bad(path, f"is a list of at most {MOST_VALUES} texts"))
        return []
    texts = [one.strip() for one in value if isinstance(one, str) and one.strip()]
    if len(texts) != len(value):
        faults.append(_bad(path, "is a list of texts, none of them empty"))
    return list(dict.fromkeys(_text(path, one, LONGEST_TEXT, faults) for one in texts))


def _text(path: str, value: str, longest: int, faults: list[ForgeError]) -> str:
    clean = clean_text(value)
    if len(clean.encode()) > longest:
        faults.append(_bad(path, f"is longer than {longest:,} bytes"))
        return ""
    return clean


def _bad(path: str, message: str, *, fix: str | None = None, code: str = "E851") -> ForgeError:
    return ForgeError(code, f"{path} {message}", why="Nothing was changed.", fix=fix)


def _unknown(name: str) -> ForgeError:
    if name in _CRAWLED:
        return ForgeError(
            "E852",
            f"{name} cannot be edited",
            why="It is what a crawler saw; only the source of the asset changes it.",
            fix=f"What can be edited: {', '.join(EDITABLE)}.",
        )
    fix = did_you_mean(name, EDITABLE) or f"What can be edited: {', '.join(EDITABLE)}."
    return ForgeError("E851", f"There is no field {name} to edit", why="Nothing was changed.", fix=fix)


def _filed(asset: CatalogAsset, path: str) -> ForgeError:
    place = asset.places[path]
    return ForgeError(
        "E854",
        f"{path} of {asset.qualified_name} is written in a file of the project",
        where=place,
        why="Only the file changes it, so that file and catalog never disagree.",
        fix=f"Change it there: {place}",
    )


def _unknown_columns(asset: CatalogAsset, changes: Iterable[str], key: Iterable[str]) -> list[ForgeError]:
    """Only where the columns are known; the documentation of a column that is gone can still be taken back."""
    known = {column.name.lower() for column in asset.crawled.columns} | set(asset.edited.columns)
    named = {path.removeprefix("columns.").rpartition(".")[0] for path in changes if path.startswith("columns.")}
    if not asset.crawled.columns:
        return []
    return [
        ForgeError(
            "E851",
            f"{asset.qualified_name} has no column {name}",
            why=did_you_mean(name, known),
            fix=f"`forge catalog show {asset.qualified_name}` lists them.",
        )
        for name in sorted((named | {column.lower() for column in key}) - known)
    ]
