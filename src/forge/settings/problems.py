"""Errors in settings, each with the place where the value was given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.secret import FORM, is_reference
from forge.settings.alert_problems import alert_problems, is_channel_secret
from forge.settings.governance import governance_problems
from forge.settings.keys import SPARK_DEFAULTS, Keys
from forge.settings.lake_rule_problems import lake_rule_problems
from forge.settings.layers import KeyPath, Layer, leaves
from forge.settings.params import typed_value
from forge.settings.settings import SECRET_KEY

_PASSWORD = re.compile(r"://[^/@\s]*:[^/@\s]+@|[?&;](password|passwd|pwd)=", re.IGNORECASE)


def plain_secrets(layer: Layer) -> Iterator[ForgeError]:
    for path, value in leaves(layer.data):
        is_named_secret = (
            path[:1] in (("spark",), ("catalog",)) and SECRET_KEY.search(str(path[-1]))
        ) or is_channel_secret(path, value)
        if not isinstance(value, str) or is_reference(value):
            continue
        if is_named_secret or _PASSWORD.search(value):
            fix = FORM if path != ("database",) else "Write database: env:FORGE_DATABASE_URL and set that variable."
            shown = ".".join(map(str, path))
            yield ForgeError("E106", f"{shown} holds a secret as plain text", where=layer.place(path), fix=fix)


def _place(path: KeyPath, layers: tuple[Layer, ...]) -> tuple[Layer, str]:
    """Where the effective value was given; for a missing key, where its section was."""
    for length in range(len(path), 0, -1):
        for layer in layers:
            if layer.holds(path[:length]):
                return layer, layer.place(path[:length])
    return layers[-1], layers[-1].place(())


def problem_of(details: ErrorDetails, layers: tuple[Layer, ...]) -> ForgeError:
    path = tuple(details["loc"])
    if details["type"] == "extra_forbidden":
        return _unknown(path, _known_keys(path[:-1]), layers)
    _, where = _place(path, layers)
    fix = None
    if details["type"] == "literal_error":
        allowed = str(details.get("ctx", {}).get("expected", "")).replace("'", "")
        fix = did_you_mean(str(details["input"]), re.split(r", | or ", allowed))
    return ForgeError("E105", f"{'.'.join(map(str, path))}: {_message_of(details)}", where=where, fix=fix)


def _message_of(details: ErrorDetails) -> str:
    expected = {
        "missing": "is required",
        "string_type": "must be a text; put it in quotes",
        "int_type": "must be a whole number",
        "dict_type": "must be a mapping",
        "model_type": "must be a mapping",
    }.get(details["type"])
    return expected or details["msg"].replace("Input should be", "must be")


def _unknown(path: KeyPath, known: tuple[str, ...], layers: tuple[Layer, ...]) -> ForgeError:
    layer, where = _place(path, layers)
    spelled = {layer.spell((*path[:-1], key)): key for key in known}
    fix = did_you_mean(layer.spell(path), spelled) or f"Known are {', '.join(spelled)}."
    return ForgeError("E104", f"unknown setting '{'.'.join(map(str, path))}'", where=where, fix=fix)


def _known_keys(path: KeyPath) -> tuple[str, ...]:
    model: type[BaseModel] = Keys
    for step in path:
        annotation = model.model_fields[step].annotation if step in model.model_fields else None
        inner = [a for a in (annotation, *get_args(annotation)) if isinstance(a, type) and issubclass(a, BaseModel)]
        model = inner[0] if inner else model  # the step below `params` is a name, not a key
    return tuple(model.model_fields)


def spark_problems(section: object, layers: tuple[Layer, ...]) -> Iterator[ForgeError]:
    for key, value in section.items() if isinstance(section, Mapping) else ():
        path = ("spark", str(key))
        if key != "master" and not str(key).startswith("spark."):
            yield _unknown(path, ("master", f"spark.{key}", *SPARK_DEFAULTS), layers)
        elif not isinstance(value, str | int | float):
            what = f"spark.{key}: must be a text, a number, true or false"
            yield ForgeError("E105", what, where=_place(path, layers)[1])


def problems_beyond_types(keys: Keys, layers: tuple[Layer, ...]) -> Iterator[ForgeError]:
    catalog = keys.catalog
    if catalog.type in ("rest", "hive", "sql") and not catalog.uri:
        where = _place(("catalog", "type"), layers)[1]
        yield ForgeError("E105", f"catalog: the type {catalog.type} needs a uri", where=where, fix="Add uri: …")
    if catalog.type == "embedded" and catalog.uri:
        where = _place(("catalog", "uri"), layers)[1]
        yield ForgeError("E105", "catalog: the embedded catalog has no uri", where=where, fix="Set type: rest, or sql.")
    if not is_reference(keys.database) and keys.database != "sqlite" and "://" not in keys.database:
        where = _place(("database",), layers)[1]
        fix = "Write sqlite, env:FORGE_DATABASE_URL or postgresql+psycopg://user@host/db."
        yield ForgeError("E105", "database: this is no address of a database", where=where, fix=fix)
    for path, what, fix in governance_problems(keys.governance):
        full: KeyPath = ("governance", *path)
        shown = ".".join(map(str, full))
        yield ForgeError("E105", f"{shown}: {what}", where=_place(full, layers)[1], fix=fix)
    yield from lake_rule_problems(keys, lambda path: _place(path, layers)[1])
    yield from alert_problems(keys.alerts, lambda path: _place(path, layers)[1])
    if keys.pii.types:
        from forge.settings.pii_types import pii_type_problems  # its words take their time to load

        yield from pii_type_problems(keys.pii, lambda path: _place(path, layers)[1])
    for name, param in keys.params.items():
        try:
            if param.default is not None:
                typed_value(param.type, param.default)
        except ValueError as error:
            where = _place(("params", name, "default"), layers)[1]
            yield ForgeError("E105", f"params.{name}.default: {error}", where=where)
