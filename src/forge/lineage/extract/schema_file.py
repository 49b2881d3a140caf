"""Schema files of users: YAML or JSON, table → {column: type}, optionally nested by database and schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from forge.lineage.extract.definition import Schemas
from forge.model.errors import ForgeError
from forge.model.yaml_file import YamlFile, load_yaml


def load_schemas(text: str, file: str) -> Schemas:
    """E817 with the place of the fault."""
    try:
        document = load_yaml(text, file)
    except ForgeError as error:
        raise ForgeError("E817", error.what, where=error.where, why=error.why, fix=error.fix) from error
    if document.data is None:
        return {}
    if not isinstance(document.data, Mapping):
        raise _bad(document, (), "It holds no tables")
    return dict(_tables(document, document.data, ()))


def _tables(
    document: YamlFile, value: Mapping[object, object], above: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, str]]]:
    for key, inside in value.items():
        path = (*above, str(key))
        if not isinstance(inside, Mapping):
            raise _bad(document, path, f"{'.'.join(path)} has no columns")
        kinds = {isinstance(one, Mapping) for one in inside.values()}
        if kinds == {True}:
            yield from _tables(document, inside, path)
        elif True in kinds:
            raise _bad(document, path, f"{'.'.join(path)} holds both columns and tables")
        else:
            yield ".".join(path), {str(name): _type(document, (*path, str(name)), one) for name, one in inside.items()}


def _type(document: YamlFile, path: tuple[str, ...], value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise _bad(document, path, f"The type of {path[-1]} is no text")


def _bad(document: YamlFile, path: tuple[str, ...], why: str) -> ForgeError:
    return ForgeError(
        "E817",
        f"{document.file} is no file of schemas",
        where=document.where(*path),
        why=f"{why}.",
        fix="Write table: {column: type}, like  sales.orders: {id: bigint, amount: 'decimal(12,2)'}",
    )
