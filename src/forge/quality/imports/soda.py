"""Checks in SodaCL: `checks for orders:`, metrics with thresholds and alerts, filters, schema, references, rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.yaml_file import YamlFile, load_yaml
from forge.quality.imports.expectations import MappedSpecs
from forge.quality.imports.mapping import (
    Collector,
    ImportedChecks,
    MappingError,
    Spec,
    TableNames,
    compare_counts,
    inner,
    select,
    with_common,
)
from forge.quality.imports.soda_metrics import SodaMetric, Threshold, map_metric, read_age, read_threshold
from forge.quality.imports.types import spark_type

_CHECKS = re.compile(r"checks for ([^\[\]]+?)(?:\s*\[([^\]]+)\])?")
_FILTER = re.compile(r"filter ([^\[\]]+?)\s*\[([^\]]+)\]")
_EACH = re.compile(r"for each dataset (\w+)")
_METRIC = re.compile(r"(\w+)\s*(?:\(\s*([^)]*?)\s*\))?\s*(.*)", re.DOTALL)
_FRESH = re.compile(r"freshness\s*(?:\(\s*([^,)]+?)\s*(,[^)]*)?\)|using\s+(\w+)(\s+with\s+\w+)?)\s*(?:<=?)\s*(\S+)")
_REFERENCE = re.compile(r"values in \(?\s*(.+?)\s*\)? must( not)? exist in (\S+) \(?\s*(.+?)\s*\)?")
_SAME = re.compile(r"row_count same as (\S+)(.*)")
_ANOMALY = re.compile(r"anomaly (?:detection|score) for (\w+)\s*(?:\(\s*(\w+)\s*\))?(?:\s*<\s*default)?")
_METRICS = {"row_count": "row_count", "missing_percent": "null_percentage", "duplicate_count": "duplicates"}
_METRICS |= {"avg": "mean", "mean": "mean", "min": "min", "max": "max", "stddev": "std"}
_CHANGE = re.compile(r"change percent for row_count\s*(.*)")
_KEPT = ("name", "filter", "warn", "fail")  # of a check's own keys; those of its metric are looked at there
_UNMAPPED_CHECKS = (
    (r"distribution_difference", "its reference is a file; `ks_test` and `drift` compare with a version of the table"),
    (r"change .*for", "only `change percent for row_count` maps, to max_change_percentage"),
    (r"group by|group evolution", "`partition_by` judges each group; write it by hand"),
    (r"duplicate_(count|percent) .*same as|reconciliation", "it compares two sources"),
)


@dataclass(frozen=True, slots=True)
class _Block:
    """One `checks for …`: its table, its filter, its checks."""

    table: str
    where: str | None
    items: object
    path: tuple[str | int, ...]


@dataclass(slots=True)
class _Reading:
    document: YamlFile
    collector: Collector
    filters: dict[tuple[str, str], str] = field(default_factory=dict)


def read_soda_file(text: str, file: str, names: TableNames) -> ImportedChecks:
    """Raises E103 for invalid YAML, and E716 where it holds no SodaCL."""
    document = load_yaml(text, file)
    data = document.data
    if not isinstance(data, dict) or not any(_CHECKS.fullmatch(str(key)) or _EACH.fullmatch(str(key)) for key in data):
        raise _no_soda(data, file)
    reading = _Reading(document, Collector(names))
    for key, value in data.items():
        if match := _FILTER.fullmatch(str(key)):
            where = value.get("where") if isinstance(value, dict) else None
            reading.filters[match[1].strip(), match[2].strip()] = " ".join(str(where or "").split())
    for key, value in data.items():
        for block in _blocks(str(key), value, reading):
            _read_block(block, reading)
    return reading.collector.done()


def _no_soda(data: object, file: str) -> ForgeError:
    contract = isinstance(data, dict) and "dataset" in data
    return ForgeError(
        "E716",
        "It has no checks in SodaCL",
        where=file,
        why="It looks like a data contract of Soda 4, which is another language."
        if contract
        else "A file of SodaCL has keys like `checks for orders:`.",
        fix="Give a file with `checks for orders:`.",
    )


def _blocks(key: str, value: object, reading: _Reading) -> list[_Block]:
    if match := _CHECKS.fullmatch(key):
        table, name = match[1].strip(), (match[2] or "").strip()
        where = reading.filters.get((table, name)) if name else None
        if name and where is None:
            place = reading.document.where(key)
            reading.collector.refuse(place, key, f"there is no `filter {table} [{name}]` in this file")
            return []
        return [_Block(table, where or None, value, (key,))]
    if _EACH.fullmatch(key) and isinstance(value, dict):
        tables = value.get("datasets")
        found = [_Block(str(t), None, value.get("checks"), (key, "checks")) for t in tables or () if _plain(t)]
        left = [str(t) for t in tables or () if not _plain(t)]
        if left:
            why = "names with % and excludes are found by Soda only; list the tables"
            reading.collector.refuse(reading.document.where(key), ", ".join(left), why)
        return found
    if not _FILTER.fullmatch(key):
        reading.collector.refuse(reading.document.where(key), key, "it sets Soda up and checks nothing")
    return []


def _plain(table: object) -> bool:
    return isinstance(table, str) and not re.search(r"%|\bexclude\b|\binclude\b", table)


def _read_block(block: _Block, reading: _Reading) -> None:
    if not isinstance(block.items, list):
        reading.collector.refuse(reading.document.where(*block.path), block.table, "its checks are no list")
        return
    for number, item in enumerate(block.items):
        place = reading.document.where(*block.path, number)
        text, options = _split(item)
        what = f"{text} on {block.table}"
        reading.collector.add(
            block.table,
            place,
            what,
            lambda table, text=text, options=options: _checks(text, options, table, block, reading),  # type: ignore[misc]
        )


def _split(item: object) -> tuple[str, Mapping[str, object]]:
    if isinstance(item, dict) and len(item) == 1:
        text, options = next(iter(item.items()))
        return " ".join(str(text).split()), options if isinstance(options, dict) else {}
    return " ".join(str(item).split()), {}


def _checks(
    text: str, options: Mapping[str, object], table: TableName, block: _Block, reading: _Reading
) -> MappedSpecs:
    if "${" in f"{text} {options}" or "${" in (block.where or ""):
        raise MappingError("it has a variable, ${…}, which only Soda can fill")
    where = _where(block.where, options.get("filter"))
    common: dict[str, object] = {"name": options.get("name")}
    found = []
    for spec, note in _of(text, options, table, where, reading.collector.names):
        if where and spec["type"] == "schema":
            raise MappingError("a schema has no filter")
        own = common if spec["type"] in ("query", "schema") else {**common, "where": where}  # a query has it within
        found.append(with_common((spec, note), own))
    return found


def _where(block: str | None, own: object) -> str | None:
    parts = [part for part in (block, own) if isinstance(part, str) and part.strip()]
    return " AND ".join(f"({part})" for part in parts) if len(parts) > 1 else (parts[0] if parts else None)


def _of(
    text: str, options: Mapping[str, object], table: TableName, where: str | None, names: TableNames
) -> MappedSpecs:
    if text == "schema":
        return _schema(options)
    if text.startswith("failed rows"):
        return _failed_rows(options, names)
    if match := _REFERENCE.fullmatch(text):
        return _reference(match, table, where, names)
    if match := _SAME.fullmatch(text):
        if match[2].strip():
            raise MappingError("it compares with another data source")
        return [(compare_counts(table, names.find(match[1]), "rows = others"), None)]
    if match := _FRESH.fullmatch(text):
        if match[2] or match[4]:
            raise MappingError("its `now` is a variable; here it is the clock of the run")
        return [(_fresh((match[1] or match[3]).strip(), match[5]), None)]
    if match := _ANOMALY.fullmatch(text):
        return _anomaly(match[1], match[2])
    if match := _CHANGE.fullmatch(text):
        return _change(match[1])
    for pattern, why in _UNMAPPED_CHECKS:
        if re.match(pattern, text):
            raise MappingError(why)
    return _metric(text, options, table, where)


def _metric(text: str, options: Mapping[str, object], table: TableName, where: str | None) -> MappedSpecs:
    match = _METRIC.fullmatch(text)
    if match is None:
        raise MappingError("no check says this")
    columns = tuple(part.strip() for part in (match[2] or "").split(",") if part.strip())
    own = {str(key): value for key, value in options.items() if key not in _KEPT}
    metric = SodaMetric(match[1], columns, own, str(table), where)
    if match[1] == "freshness":
        return _fresh_alerts(columns[0] if columns else "", options)
    return [
        ({**spec, "severity": severity}, note)
        for severity, threshold in _thresholds(match[3], options)
        for spec, note in map_metric(metric, threshold)
    ]


def _thresholds(text: str, options: Mapping[str, object]) -> list[tuple[str | None, Threshold]]:
    """The condition to hold. An alert states the opposite: `fail: when > 5`."""
    if text.strip():
        return [(None, read_threshold(text))]
    found: list[tuple[str | None, Threshold]] = []
    for key, severity in (("fail", None), ("warn", "warning")):
        if key in options:
            condition = str(options[key]).strip()
            if not condition.startswith("when"):
                raise MappingError(f"{key}: {condition} does not begin with `when`")
            found.append((severity, read_threshold(condition.removeprefix("when")).turned()))
    if not found:
        raise MappingError("it has no threshold")
    return found


def _fresh(column: str, age: str) -> Spec:
    return {"type": "freshness", "timestamp_column": column, "max_age_hours": read_age(age)}


def _fresh_alerts(column: str, options: Mapping[str, object]) -> MappedSpecs:
    found: list[tuple[Spec, str | None]] = []
    for key, severity in (("fail", None), ("warn", "warning")):
        match = re.fullmatch(r"when\s*>=?\s*(\S+)", str(options.get(key, "")).strip())
        if match:
            found.append(({**_fresh(column, match[1]), "severity": severity}, None))
    if not found or not column:
        raise MappingError("a freshness check is like freshness(loaded_at) < 1d, or has alerts like fail: when > 1d")
    return found


def _anomaly(metric: str, column: str | None) -> MappedSpecs:
    if metric not in _METRICS:
        raise MappingError(f"the history of {metric} is not kept; those of {', '.join(_METRICS)} are")
    note = "by weekday, trend and what is usual, not by the model that Soda trains"
    return [({"type": "anomaly", "metric": _METRICS[metric], "column": column}, note)]


def _change(text: str) -> MappedSpecs:
    threshold = read_threshold(text)
    bound = threshold.most
    if threshold.equal or bound is None or (threshold.least is not None and threshold.least != -bound):
        raise MappingError("the number of rows may change by so much both up and down; this says something else")
    note = "a loss of so many rows fails, too" if threshold.least is None else None
    return [({"type": "row_count", "max_change_percentage": bound}, note)]


def _reference(match: re.Match[str], table: TableName, where: str | None, names: TableNames) -> MappedSpecs:
    columns = [part.strip() for part in match[1].split(",")]
    other, named = names.find(match[3]), [part.strip() for part in match[4].split(",")]
    if match[2]:
        joined = " AND ".join(f"o.{there} = t.{here}" for here, there in zip(columns, named, strict=True))
        mine = inner(select("*", str(table), where))
        query = select("t.*", f"{mine} t LEFT SEMI JOIN {other} o ON {joined}")
        return [({"type": "query", "query": query}, None)]
    spec: Spec = {"type": "foreign_key", "columns": columns, "references": {"table": str(other), "columns": named}}
    return [(spec, "a NULL refers to nothing and is no violation; Soda counts it as one")]


def _failed_rows(options: Mapping[str, object], names: TableNames) -> MappedSpecs:
    condition, query = options.get("fail condition"), options.get("fail query")
    if isinstance(condition, str):
        return [({"type": "expression", "sql": f"NOT ({' '.join(condition.split())})"}, None)]
    if not isinstance(query, str):
        raise MappingError("it has neither `fail condition` nor `fail query`")
    if any(key in options for key in ("warn", "fail")):
        raise MappingError("it tolerates a number of rows")
    return [({"type": "query", "query": _with_tables(query.strip().rstrip(";"), names)}, None)]


def _with_tables(sql: str, names: TableNames) -> str:
    """Resolves tables after FROM and JOIN; unknown ones stay as they are."""

    def put(match: re.Match[str]) -> str:
        try:
            return f"{match[1]}{names.find(match[2])}" if "." not in match[2] else match[0]
        except MappingError:
            return match[0]

    return re.sub(r"(\b(?:from|join)\s+)([A-Za-z_][\w.]*)", put, sql, flags=re.IGNORECASE)


def _schema(options: Mapping[str, object]) -> MappedSpecs:
    """Column types; the rest of a Soda schema check belongs into a contract."""
    found: list[tuple[Spec, str | None]] = []
    for key, severity in (("fail", None), ("warn", "warning")):
        given = options.get(key)
        for rule, value in given.items() if isinstance(given, dict) else ():
            if rule == "when wrong column type" and isinstance(value, dict):
                types = {str(column): spark_type(str(type_)) for column, type_ in value.items()}
                found.append(({"type": "schema", "columns": types, "severity": severity}, None))
            elif rule == "when required column missing" and isinstance(value, list):
                note = "a column that is missing makes the check not measured"
                found.extend(({**_there(str(column)), "severity": severity}, note) for column in value)
            else:
                raise MappingError(f"`{rule}`: a contract says which columns there are")
    if not found:
        raise MappingError("it has neither `warn` nor `fail`")
    return found


def _there(column: str) -> Spec:
    return {"type": "not_null", "column": column, "max_null_percentage": 100}
