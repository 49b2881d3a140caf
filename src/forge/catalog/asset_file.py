"""Documentation in files of the project, `catalog/*.yaml`: what is written there holds, and each field knows its line.

assets:
  core.orders:
    description: One row for each order.
    owner: carlos@shop.example
    columns:
      amount: What the customer pays, in euros     # short for {description: …}
      email: {tags: [pii], term: email_address}"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forge.catalog.asset import FileDocumentation
from forge.catalog.asset_json import read_documentation
from forge.catalog.edit import read_edit
from forge.model.errors import ForgeError, ForgeErrors, errors_of
from forge.model.name_suggestions import did_you_mean
from forge.model.yaml_file import YamlFile, load_yaml

_LONGEST_NAME = 1000


@dataclass(frozen=True, slots=True)
class AssetFile:
    """What one file says of assets, by name, and all that is wrong in it."""

    assets: Mapping[str, FileDocumentation]
    errors: tuple[ForgeError, ...] = ()


def load_asset_file(text: str, file: str) -> AssetFile:
    try:
        yaml = load_yaml(text, file)
    except ForgeError as error:
        return AssetFile({}, errors_of(error))
    if yaml.data is None:
        return AssetFile({})
    data = yaml.data
    assets = data.get("assets", {}) if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(assets, dict):
        fix = "Begin with `assets:`, and the names of assets below it."
        return AssetFile(
            {}, (ForgeError("E851", "A file of the catalog is a mapping under `assets:`", where=yaml.where(), fix=fix),)
        )
    errors = [_unknown_key(str(key), yaml) for key in data if key != "assets"]
    found: dict[str, FileDocumentation] = {}
    for name, entry in assets.items():
        try:
            found[str(name)] = _read(str(name), entry, yaml, name)
        except ForgeError as error:
            errors += errors_of(error)
    return AssetFile(found, tuple(errors))


def _read(name: str, entry: object, yaml: YamlFile, key: str) -> FileDocumentation:
    where = yaml.where("assets", key)
    if not name or len(name) > _LONGEST_NAME:
        raise ForgeError("E851", "The name of an asset is a text of at most 1,000 letters", where=where)
    if not isinstance(entry, Mapping):
        raise ForgeError("E851", f"What is said of {name} is a mapping", where=where, fix="description: …")
    given = dict(entry)
    columns = given.get("columns")
    if isinstance(columns, Mapping):
        given["columns"] = {
            str(column): {"description": parts} if isinstance(parts, str) else parts
            for column, parts in columns.items()
        }
    try:
        fields = read_edit({str(field): value for field, value in given.items()})
    except ForgeError as error:
        raise _placed(error, yaml, key) from error
    kept = {path: value for path, value in fields.items() if value is not None}
    return FileDocumentation(read_documentation(kept), {path: _place(path, yaml, key) for path in kept})


def _place(path: str, yaml: YamlFile, key: str) -> str:
    """file:line of a field; of one of a column, wherever its case differs from the file's."""
    if not path.startswith("columns."):
        return yaml.where("assets", key, path)
    column, _, part = path.removeprefix("columns.").rpartition(".")
    assert isinstance(yaml.data, dict)
    written = yaml.data["assets"][key]["columns"]
    name = next((one for one in written if str(one).lower() == column), column)
    return yaml.where("assets", key, "columns", name, part)


def _placed(error: ForgeError, yaml: YamlFile, key: str) -> ForgeError:
    """With the line of the field that the message begins with."""
    placed = [one.but(where=yaml.where("assets", key, *_words(one.what))) for one in errors_of(error)]
    return placed[0] if len(placed) == 1 else ForgeErrors(placed)


def _words(message: str) -> tuple[str, ...]:
    """columns.amount.tags of a message; a field that there is not is its last word before `to`."""
    if message.startswith("There is no field "):
        return (message.removeprefix("There is no field ").partition(" ")[0],)
    return tuple(message.partition(" ")[0].split("."))


def _unknown_key(key: str, yaml: YamlFile) -> ForgeError:
    return ForgeError(
        "E104",
        f"unknown key '{key}'",
        where=yaml.where(key),
        why="A file of the catalog has one key, assets.",
        fix=did_you_mean(key, ("assets",)) or "Remove it.",
    )
