"""dbt tests: generic tests of properties files (`schema.yml`) with their configuration, and singular tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from forge.model.names import TableName
from forge.model.word_list import words
from forge.model.yaml_file import YamlFile, load_yaml
from forge.quality.imports.dbt_tests import map_dbt_test
from forge.quality.imports.expectations import MappedSpecs
from forge.quality.imports.mapping import Collector, ImportedChecks, MappingError, Spec, TableNames, with_common

_KINDS = ("models", "seeds", "snapshots")
_SEVERITY = {"warn": "warning", "error": "error"}
_CONFIG = frozenset(
    words(
        "severity where error_if warn_if fail_calc enabled limit tags meta schema alias store_failures "
        "store_failures_as database group"
    )
)
_NO_CONFIG_OF_OURS = {
    "error_if": "tolerates a number of rows; here a share of them can be tolerated: max_violation_percentage",
    "fail_calc": "counts failures in a way of its own",
}
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class _Test:
    """One test as written in a file."""

    table: str
    column: str | None
    name: str
    arguments: Mapping[str, object]
    config: Mapping[str, object]
    place: str

    @property
    def what(self) -> str:
        return f"{self.name} on {self.table}{f'.{self.column}' if self.column else ''}"


def read_dbt_file(text: str, file: str, names: TableNames) -> ImportedChecks:
    """The tests of a properties file; none for other YAML files. Raises E103 for invalid YAML."""
    document = load_yaml(text, file)
    collector = Collector(names)
    if isinstance(document.data, dict):
        for test in _tests(document, document.data, collector):
            collector.add(test.table, test.place, test.what, lambda table, test=test: _checks(test, table, names))  # type: ignore[misc]
    return collector.done()


def _tests(document: YamlFile, data: Mapping[str, object], collector: Collector) -> Iterator[_Test]:
    for kind in _KINDS:
        for number, model in _listed(data.get(kind)):
            yield from _of_model(document, model, str(model.get("name")), (kind, number), collector)
    for number, source in _listed(data.get("sources")):
        schema = source.get("schema") or source.get("name")
        for inner, table in _listed(source.get("tables")):
            name = f"{schema}.{table.get('identifier') or table.get('name')}"
            path: Path = ("sources", number, "tables", inner)
            yield from _of_model(document, table, name, path, collector)
            _freshness(document, source, table, name, path, collector)


def _listed(value: object) -> Iterator[tuple[int, Mapping[str, object]]]:
    if isinstance(value, list):
        yield from ((number, one) for number, one in enumerate(value) if isinstance(one, dict))


def _of_model(
    document: YamlFile, model: Mapping[str, object], name: str, path: Path, collector: Collector
) -> Iterator[_Test]:
    yield from _of(document, model, name, None, path, collector)
    for number, column in _listed(model.get("columns")):
        yield from _of(document, column, name, str(column.get("name")), (*path, "columns", number), collector)


def _of(
    document: YamlFile, holder: Mapping[str, object], table: str, column: str | None, path: Path, collector: Collector
) -> Iterator[_Test]:
    for key in ("tests", "data_tests"):
        given = holder.get(key)
        for number, item in enumerate(given if isinstance(given, list) else ()):
            place = document.where(*path, key, number)
            try:
                name, arguments, config = _parts(item)
            except MappingError as error:
                on = f"{table}.{column}" if column else table
                collector.refuse(place, f"a test on {on}", str(error))
                continue
            yield _Test(table, column, name, arguments, config, place)


def _parts(item: object) -> tuple[str, Mapping[str, object], Mapping[str, object]]:
    """Name, arguments and configuration: `unique`, {unique: {…}}, or {name: …, test_name: unique, …}."""
    if isinstance(item, str):
        return item, {}, {}
    if not isinstance(item, dict) or not item:
        raise MappingError(f"it is neither a name nor a mapping: {item!r}")
    if "test_name" in item:
        name = str(item["test_name"])
        given = {key: value for key, value in item.items() if key != "test_name"}
    else:
        name, inner = next(iter(item.items()))
        siblings = {key: value for key, value in item.items() if key != name}
        given = {**siblings, **(inner if isinstance(inner, dict) else {})}
    nested, config = given.pop("arguments", None), given.pop("config", None)
    inline = {key: given.pop(key) for key in list(given) if key in _CONFIG}
    arguments = {**given, **(nested if isinstance(nested, dict) else {})}
    return str(name), arguments, {**inline, **(config if isinstance(config, dict) else {})}


def _checks(test: _Test, table: TableName, names: TableNames) -> MappedSpecs:
    common = _common(test.config)
    given = test.arguments.get("name")
    if isinstance(given, str):
        common["name"] = given
    condition = test.arguments.get("row_condition")
    if isinstance(condition, str):
        common["where"] = f"({common['where']}) AND ({condition})" if common.get("where") else condition
    arguments = {key: value for key, value in test.arguments.items() if key not in ("name", "row_condition")}
    _refuse_jinja(arguments, common)
    found = []
    for spec, note in map_dbt_test(test.name, test.column, arguments, table, names):
        if common.get("where") and spec["type"] in ("query", "schema"):
            raise MappingError("it has a `where`, which a check by a query cannot take")
        found.append(with_common((spec, note), common))
    return found


def _common(config: Mapping[str, object]) -> dict[str, object]:
    for key, why in _NO_CONFIG_OF_OURS.items():
        if config.get(key) not in (None, "!= 0", "!=0", "> 0", ">0"):
            raise MappingError(f"`{key}: {config[key]}` {why}")
    if config.get("enabled") is False:
        raise MappingError("it is disabled")
    severity = str(config.get("severity", "error")).lower()
    if severity not in _SEVERITY:
        raise MappingError(f"the severity {severity} is not known")
    common: dict[str, object] = {"where": config.get("where")}
    if severity == "warn":
        common["severity"] = _SEVERITY[severity]
    return common


def _refuse_jinja(arguments: Mapping[str, object], common: Mapping[str, object]) -> None:
    """`to: ref('orders')` is no template; {{ … }} anywhere else is."""
    for key, value in (*arguments.items(), *common.items()):
        if isinstance(value, str) and ("{{" in value or "{%" in value) and key not in ("to", "compare_model"):
            raise MappingError(f"{key} is a template, which only dbt can fill: {value.strip()[:60]}")


def _freshness(
    document: YamlFile,
    source: Mapping[str, object],
    table: Mapping[str, object],
    name: str,
    path: Path,
    collector: Collector,
) -> None:
    """freshness: of a source, with its column. Warn and error are two checks."""
    given = table.get("freshness", source.get("freshness"))
    config = table.get("config", source.get("config"))
    if given is None and isinstance(config, dict):
        given = config.get("freshness")
    if not isinstance(given, dict):
        return
    column = table.get("loaded_at_field", source.get("loaded_at_field"))
    place = document.where(*path, "freshness") if "freshness" in table else document.where(*path[:2], "freshness")
    collector.add(name, place, f"freshness of {name}", lambda found: _ages(given, column))


def _ages(given: Mapping[str, object], column: object) -> MappedSpecs:
    from forge.quality.imports.expectations import hours_of

    if not isinstance(column, str) or not re.fullmatch(r"\w+", column):
        raise MappingError(f"loaded_at_field must be a column, and is {column!r}")
    found: list[tuple[Spec, str | None]] = []
    for key, severity in (("warn_after", "warning"), ("error_after", None)):
        limit = given.get(key)
        if isinstance(limit, dict) and limit.get("count") is not None:
            hours = hours_of(limit.get("count"), limit.get("period"))
            spec: Spec = {"type": "freshness", "timestamp_column": column, "max_age_hours": hours}
            found.append(({**spec, "severity": severity, "where": given.get("filter")}, None))
    if not found:
        raise MappingError("it has neither warn_after nor error_after")
    return found


_REF = re.compile(r"\{\{-?\s*ref\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"]([^'\"]+)['\"][^)]*\)\s*-?\}\}")
_SOURCE = re.compile(r"\{\{-?\s*source\(\s*['\"]([^'\"]+)['\"]\s*,\s*['\"]([^'\"]+)['\"]\s*\)\s*-?\}\}")
_CONFIG_CALL = re.compile(r"\{\{-?\s*config\((.*?)\)\s*-?\}\}", re.DOTALL)
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)


def read_dbt_test(text: str, file: str, names: TableNames) -> ImportedChecks:
    """A singular test: SQL that returns failing rows. It becomes a query check of the first table that it reads."""
    collector = Collector(names)
    body = _COMMENT.sub("", text)
    first = _REF.search(body) or _SOURCE.search(body)
    line = text.count("\n", 0, text.find(first[0])) + 1 if first else 1
    place, what = f"{file}:{line}", f"the test {file.rpartition('/')[2].removesuffix('.sql')}"
    if first is None:
        why = "it reads no table by ref() or source(), so it is not known whose test it is"
        collector.refuse(place, what, "it defines a generic test" if "{% test" in body else why)
        return collector.done()
    table = ".".join(first.groups())
    collector.add(table, place, what, lambda found: _query(body, file, names))
    return collector.done()


def _query(body: str, file: str, names: TableNames) -> MappedSpecs:
    common: dict[str, object] = {}
    if match := _CONFIG_CALL.search(body):
        pairs = re.findall(r"(\w+)\s*=\s*['\"]?([^,'\"]+)['\"]?", match[1])
        common = _common({key: False if value == "false" else value for key, value in pairs})
        if common.pop("where", None):
            raise MappingError("it has a `where`, which a check by a query cannot take")
    sql = _CONFIG_CALL.sub("", body)
    sql = _REF.sub(lambda match: str(names.find(match[1])), sql)
    sql = _SOURCE.sub(lambda match: str(names.find(f"{match[1]}.{match[2]}")), sql)
    if "{{" in sql or "{%" in sql:
        left = sql[min(at for at in (sql.find("{{"), sql.find("{%")) if at >= 0) :][:40].split("\n")[0]
        raise MappingError(f"it has templates that only dbt can fill: {left}…")
    text = sql.strip().rstrip(";").strip()
    name = file.rpartition("/")[2].removesuffix(".sql").replace("_", " ")
    return [with_common(({"type": "query", "query": text}, None), {"name": name, **common})]


def is_properties(data: object) -> bool:
    return isinstance(data, dict) and any(isinstance(data.get(kind), list) for kind in (*_KINDS, "sources"))
