"""Writes docs/reference/ from the code, so that the pages cannot say what the code does not do.

`python scripts/reference.py` writes, `--check` only says which pages are out of date."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from forge.model.error_code import ErrorCode

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "reference"
EXITS = "Exit status: 0 fine, 1 findings, 2 usage, 3 could not run, 4 not allowed, 5 cannot connect, 130 interrupted."


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell(value) for value in line)} |\n" for line in lines)


def code(text: object) -> str:
    return f"`{text}`" if text not in ("", None) else ""


def type_name(annotation: Any) -> str:
    """`int`, `text`, `list of text`, `one of a, b`: the words of a settings file, not of Python."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return type_name(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return " or ".join(type_name(part) for part in arguments if part is not type(None))
    if origin is typing.Literal:
        return "one of " + ", ".join(str(value) for value in arguments)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "one of " + ", ".join(str(member.value) for member in annotation)
    if origin in (list, tuple, set, frozenset):
        return "list of " + type_name(arguments[0])
    if origin is not None and len(arguments) == 2:
        return f"mapping of {type_name(arguments[0])} to {type_name(arguments[1])}"
    if hasattr(annotation, "model_fields"):
        return "keys as below"
    names = {"str": "text", "float": "number", "int": "whole number", "bool": "true or false", "object": "any value"}
    name = getattr(annotation, "__name__", str(annotation))
    return names.get(name, name)


def default_of(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(list(value) if isinstance(value, tuple) else value)


# --- settings --------------------------------------------------------------------------------------------------------


def _settings_rows(model: Any, prefix: str = "") -> Iterable[Sequence[str]]:
    from pydantic import BaseModel

    for name, field in model.model_fields.items():
        key = f"{prefix}{field.alias or name}"
        nested = [part for part in (field.annotation, *typing.get_args(field.annotation)) if isinstance(part, type)]
        inner = next((part for part in nested if issubclass(part, BaseModel)), None)
        if inner is not None and typing.get_origin(field.annotation) in (None, typing.Union, types.UnionType):
            yield from _settings_rows(inner, f"{key}.")
            if inner.model_config.get("extra") == "allow":
                yield code(f"{key}.<key>"), "any value", "", "", f"{inner.__doc__ or ''} {field.description or ''}"
            continue
        default = "" if field.is_required() else default_of(field.get_default(call_default_factory=True))
        kind = type_name(field.annotation)
        # Names chosen by the user keep their case, which a variable's name cannot show.
        variable = "" if "<" in key or default == "{}" else "FORGE_" + key.upper().replace(".", "__")
        yield code(key), kind, code(default), code(variable), field.description or ""
        if inner is not None:
            yield from _settings_rows(inner, f"{key}.<name>.")


def settings_page() -> str:
    from forge.settings import Keys

    rows = tuple(_settings_rows(Keys))
    return (
        "# Settings\n\nKeys of `forge.yaml`. A flag goes before the `FORGE_*` variable, that before `./forge.yaml`,\n"
        "that before `~/.config/forge/config.yaml`. The whole file is shown in [the guide](../guide/project.md).\n\n"
        + table(("key", "type", "default", "variable", "meaning"), rows)
    )


# --- errors ----------------------------------------------------------------------------------------------------------


def _exit(entry: ErrorCode) -> str:
    return f"{entry.exit}; as a finding {entry.found}" if entry.found else str(entry.exit)


def errors_page() -> str:
    from forge.model.codes import CODES

    parts = [
        "# Errors\n\nEvery error has a stable code; `forge explain E101` prints the same text in the terminal.\n\n"
        f"{EXITS}\n\n"
    ]
    rows = [
        (f"`FORGE-{name}`", entry.title, str(entry.kind.value), _exit(entry), entry.meaning)
        for name, entry in sorted(CODES.items())
    ]
    return "".join((*parts, table(("code", "what", "kind", "exit", "meaning"), rows)))


# --- checks ----------------------------------------------------------------------------------------------------------


def _check_rows(keys: Iterable[Any]) -> Iterable[Sequence[str]]:
    for key in keys:
        kind = f"one of {', '.join(key.words)}" if key.words else str(key.kind)
        kind = kind.replace("one of", "any of") if key.kind == "choices" else kind
        default = "required" if key.required else code(default_of(key.default))
        example = f"Example: {code(key.example)}." if key.example else ""
        yield code(key.name), kind, default, " ".join(part for part in (key.help, example) if part)
        for alias in key.aliases:
            yield code(alias), f"another way to write {code(key.name)}", "", ""


def _spelled(spelling: Any) -> str:
    if spelling.key is None:
        return code(spelling.word)
    return f"{code(spelling.word)} with {code(spelling.key + (f': {spelling.value}' if spelling.value else ''))}"


def checks_page() -> str:
    from forge.quality.description import describe_checks, describe_common

    head = ("key", "kind of value", "default", "meaning")
    parts = [
        "# Checks\n\nWhat can stand under `checks:` of a transform or source, or in `checks/*.yaml` and "
        "`quality/*.yaml`; examples are in [the guide](../guide/project.md#checks).\n\n"
        "Percentages are percent everywhere. A column may be a field of a struct, as `address.city`; a column\n"
        "whose own name has that dot goes before it, and a name with a dot can be put in backticks. Fields inside\n"
        "arrays and maps are not measured. A new type is [three files](../guide/add-a-check.md).\n\n"
        "## Keys of every check\n\n",
        table(head, _check_rows(describe_common())),
    ]
    for check in describe_checks():
        ways = ", ".join(map(_spelled, check.spellings))
        also = f" May also be written {ways}." if ways else ""
        without = ", ".join(map(code, check.without))
        parts.append(f"\n## {check.type}\n\n{check.text}{also}{f' It has no {without}.' if without else ''}\n\n")
        parts.append(table(head, _check_rows(check.keys)))
    return "".join(parts)


# --- impact ----------------------------------------------------------------------------------------------------------


def impact_page() -> str:
    from forge.lineage.graph.weights import Weights

    weights = Weights()
    lists = {
        "base": "Of the change.",
        "entity": "Of what is hit.",
        "use": "Of what the changed column is used for there.",
        "direction": "Of a change of type, for what it does not break; what it breaks weighs 1.",
        "effort": "Hours for the change.",
        "effort_entity": "Of what is hit, for the hours.",
    }
    single = {
        "high": "Least score of the severity high.",
        "medium": "Least score of the severity medium; below it is low.",
        "depth_step": "What each step of distance takes from 1.",
        "depth_floor": "What distance leaves at least.",
        "effort_limit": "The most that a score multiplies hours by.",
        "raise_above": "More entities of severity high than this raise the risk by a step.",
    }
    assert {*lists, *single} == {field.name for field in dataclasses.fields(weights)}
    parts = [
        "# Impact\n\nHow `forge impact` weighs what a change hits "
        "([the guide](../guide/lineage.md#what-breaks-if-i-change-it)).\n"
        "Every number can be set under `lineage.weights` in `forge.yaml`.\n\n"
        "- score = base × entity × confidence of the path × depth factor × use × direction (of a change of type)\n"
        "- depth factor = max(`depth_floor`, 1 − `depth_step` · depth); a direct consumer has depth 1\n"
        "- hours = effort × effort_entity × min(`effort_limit`, score / 2)\n"
    ]
    for name, words in lists.items():
        values: Mapping[str, float] = getattr(weights, name)
        rows = [(code(key), f"{value:g}") for key, value in values.items()]
        parts.append(f"\n## {name}\n\n{words}\n\n" + table(("of", "weight"), rows))
    rows_of = [(code(name), f"{getattr(weights, name):g}", words) for name, words in single.items()]
    parts.append("\n## Limits\n\n" + table(("name", "value", "meaning"), rows_of))
    return "".join(parts)


# --- commands --------------------------------------------------------------------------------------------------------


def _commands(command: Any, path: str) -> Iterable[tuple[str, Any]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield path, command
        return
    if getattr(command, "invoke_without_command", False) and path != "forge":
        yield path, command
    for name in sorted(children):
        if not children[name].hidden:
            yield from _commands(children[name], f"{path} {name}")


def _parameter_row(parameter: Any) -> Sequence[str]:
    if parameter.param_type_name == "argument":
        name = parameter.name.upper() + ("…" if parameter.nargs == -1 else "")
        return (
            code(parameter.metavar or (name if parameter.required else f"[{name}]")),
            "",
            getattr(parameter, "help", None) or "",
        )
    default = (
        "" if parameter.default in (None, False, 0, (), []) or callable(parameter.default) else str(parameter.default)
    )
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    value = "" if parameter.is_flag or parameter.count else f" {parameter.metavar or parameter.name.upper()}"
    return code(names + value), code(default), parameter.help or ""


def commands_page() -> str:
    import typer.main

    from forge.cli.main import app

    head = ("parameter", "default", "meaning")
    commands = {
        path: (
            command,
            [tuple(_parameter_row(each)) for each in command.params if not each.hidden and each.name != "help"],
        )
        for path, command in _commands(typer.main.get_command(app), "forge")
    }
    first = next(iter(commands.values()))[1]
    shared = [row for row in first if all(row in rows for _, rows in commands.values())]
    parts = [f"# Commands\n\n{EXITS}\n\n## Every command\n\n", table(head, shared)]
    for path, (command, rows) in commands.items():
        parts.append(f"\n## {path}\n\n{(command.help or '').strip()}\n")
        if command.epilog:
            parts.append(f"\n{command.epilog.replace('Example:  ', 'Example: `')}`\n")
        own = [row for row in rows if row not in shared]
        if own:
            parts.append("\n" + table(head, own))
    return "".join(parts)


# --- HTTP ------------------------------------------------------------------------------------------------------------


def _schema_name(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        return f"page of {name[5:-1]}" if name.startswith("Page_") else name
    if "anyOf" in schema:
        return " or ".join(_schema_name(part) for part in schema["anyOf"] if part.get("type") != "null")
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_schema_name(schema.get('items', {}))}"
    names = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    return "time" if schema.get("format") == "date-time" else names.get(str(schema.get("type")), "any value")


def _answer_of(operation: Mapping[str, Any]) -> str:
    """`200, RunDetail`: the answer when all went well."""
    status = next(code_ for code_ in operation["responses"] if code_.startswith("2"))
    content = operation["responses"][status].get("content", {})
    kind = next(iter(content), "")
    name = _schema_name(content[kind].get("schema", {})) if kind == "application/json" else kind
    return f"{status}, {name}" if name else status


def _http_rows(operation: Mapping[str, Any]) -> Iterable[Sequence[str]]:
    for parameter in operation.get("parameters", ()):
        schema = parameter["schema"]
        default = schema.get("default")
        words = parameter.get("description") or ""
        shown = "required" if parameter.get("required") else code(default_of(default))
        yield code(parameter["name"]), parameter["in"], _schema_name(schema), shown, words
    for media in operation.get("requestBody", {}).get("content", {}).values():
        yield "the body", "body", _schema_name(media["schema"]), "required", ""


def http_page() -> str:
    from forge.api.app import create_app
    from forge.settings import Keys, Settings
    from forge.wiring import Wiring

    document = create_app(Wiring(Settings(ROOT, Keys(), {"USER": "nobody"}))).openapi()
    parts = [
        "# HTTP\n\nWhat `forge serve` answers; shapes are in its `/openapi.json`. Every address below wants a token or "
        "a session\n([how](../guide/server.md)). Errors are `application/problem+json` with the fields of "
        "[every error](errors.md).\n"
    ]
    tag = ""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if operation["tags"][0] != tag:
                tag = operation["tags"][0]
                parts.append(f"\n## {tag}\n")
            parts.append(f"\n### `{method.upper()} {path}`\n\n")
            words = operation.get("description") or f"{operation.get('summary', '')}."
            parts.append(f"{' '.join(words.split())} Answers {_answer_of(operation)}.\n")
            rows = tuple(_http_rows(operation))
            if rows:
                parts.append("\n" + table(("name", "in", "type", "default", "meaning"), rows))
    return "".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    "settings": settings_page,
    "errors": errors_page,
    "checks": checks_page,
    "impact": impact_page,
    "commands": commands_page,
    "http": http_page,
}


def page(name: str) -> str:
    text = PAGES[name]()
    return text.replace("\n\n\n", "\n\n") + "\n<!-- Written by `make docs` from the code. -->\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is out of date")
    options = parser.parse_args(arguments)
    FOLDER.mkdir(parents=True, exist_ok=True)
    stale = []
    for name in PAGES:
        file, text = FOLDER / f"{name}.md", page(name)
        if file.exists() and file.read_text("utf-8") == text:
            continue
        stale.append(name)
        if not options.check:
            file.write_text(text, "utf-8")
        print(f"{'out of date' if options.check else 'written'}: {file.relative_to(ROOT)}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
