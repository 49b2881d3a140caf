"""Great Expectations suites: the JSON of 0.x (`expectation_type`) and of 1.x (`type`, `severity`)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import PurePath

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.yaml_file import YamlFile, load_yaml
from forge.quality.imports.expectations import MappedSpecs, map_expectation
from forge.quality.imports.mapping import Collector, ImportedChecks, MappingError, TableNames, percent_left, with_common

_SEVERITY = {"critical": "critical", "warning": "warning", "info": "info"}
_SHARE = "the share is of all rows; there it was of those that are not NULL"


def read_gx_suite(text: str, file: str, names: TableNames) -> ImportedChecks:
    """Raises E716 where it is no suite, or its table is unknown."""
    suite = _suite(text, file)
    table = _table_of(suite, file, names)
    lines = _lines(text, file)
    collector = Collector(TableNames(names.known, names.schema, table))
    expectations = suite["expectations"]
    assert isinstance(expectations, list)
    for number, one in enumerate(expectations):
        place = f"{file}:{lines.line_of('expectations', number) if lines else 1}"
        _read(one, place, collector)
    return collector.done()


def _suite(text: str, file: str) -> Mapping[str, object]:
    try:
        suite = json.loads(text)
    except json.JSONDecodeError as error:
        raise ForgeError(
            "E716",
            f"It is no JSON: {error.msg}",
            where=f"{file}:{error.lineno}:{error.colno}",
            fix="Give a suite as Great Expectations writes it: gx/expectations/orders.json",
        ) from error
    if not isinstance(suite, dict) or not isinstance(suite.get("expectations"), list):
        raise ForgeError(
            "E716",
            "It is no suite of Great Expectations",
            where=file,
            why="A suite is a JSON object with a list of `expectations`.",
            fix="Give a file of the folder gx/expectations or great_expectations/expectations.",
        )
    return suite


def _lines(text: str, file: str) -> YamlFile | None:
    """JSON is mostly YAML; where it is not, lines are unknown."""
    try:
        return load_yaml(text, file)
    except ForgeError:
        return None


def _table_of(suite: Mapping[str, object], file: str, names: TableNames) -> TableName:
    """The requested table, else the name of the suite or its file."""
    if names.table is not None:
        return names.table
    called = [str(suite.get(key)) for key in ("name", "expectation_suite_name") if suite.get(key)]
    called.append(PurePath(file).stem)
    for name in called:
        for end in ("", "_suite", ".warning", ".critical", "_expectations", "_expectation_suite"):
            short = name.removesuffix(end)
            if TableName.parse(short) in names.known if _is_table(short) else _is_known(short, names):
                return names.find(short)
    raise ForgeError(
        "E716",
        f"Which table is the suite '{called[0]}' of?",
        where=file,
        why="A suite does not name its table, and none of the project is called so.",
        fix=f"forge quality import gx {file} --table core.orders",
    )


def _is_table(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*\.[A-Za-z_]\w*", name) is not None


def _is_known(name: str, names: TableNames) -> bool:
    return any(table.name == name.lower() for table in names.known)


def _read(one: object, place: str, collector: Collector) -> None:
    if not isinstance(one, dict):
        collector.refuse(place, str(one)[:80], "an expectation is a JSON object")
        return
    name = one.get("type", one.get("expectation_type"))
    arguments = one.get("kwargs", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        collector.refuse(place, str(one)[:80], "it has no `type` (or `expectation_type`) and `kwargs`")
        return
    on = arguments.get("column") or arguments.get("column_list") or ""
    what = f"{name} {', '.join(on) if isinstance(on, list) else on}".strip()
    collector.add("", place, what, lambda table: _checks(name, arguments, one, table))


def _checks(name: str, arguments: Mapping[str, object], one: Mapping[str, object], table: TableName) -> MappedSpecs:
    common: dict[str, object] = {
        "severity": _SEVERITY.get(str(one.get("severity", ""))),
        "where": _where(arguments),
        "name": _description(one),
    }
    found = []
    for spec, note in map_expectation(name.lower(), arguments, table):
        if common["where"] and spec["type"] in ("query", "schema"):
            raise MappingError("it has a row_condition, which this check cannot take")
        if percent_left(arguments.get("mostly")) and "max_violation_percentage" in spec and spec["type"] != "unique":
            note = f"{note}; {_SHARE}" if note else _SHARE
        found.append(with_common((spec, note), common))
    return found


def _description(one: Mapping[str, object]) -> str | None:
    """The author's description, or plain notes."""
    meta = one.get("meta")
    notes = one.get("description") or one.get("notes") or (meta.get("notes") if isinstance(meta, dict) else None)
    return " ".join(notes.split())[:100] if isinstance(notes, str) and notes.strip() else None


_COLUMN = re.compile(r"col\(\s*[\"']([^\"']+)[\"']\s*\)")
_TEXT = re.compile(r'"([^"]*)"')


def _where(arguments: Mapping[str, object]) -> str | None:
    """A row_condition as SQL. Spark's is SQL already; the others are a small language of their own."""
    given = arguments.get("row_condition")
    if not given:
        return None
    if not isinstance(given, str):
        raise MappingError("its row_condition is an object; only conditions written as text map")
    if arguments.get("condition_parser") == "spark":
        return given
    text = _COLUMN.sub(r"\1", given)
    text = re.sub(r"([\w`.]+)\.notNull\(\)", r"\1 IS NOT NULL", text)
    text = _TEXT.sub(lambda match: "'" + match[1].replace("'", "''") + "'", text.replace("==", "="))
    if re.search(r"[&|~@]|\.\w+\(", text):
        raise MappingError(f"its row_condition is no SQL: {given}")
    return text
