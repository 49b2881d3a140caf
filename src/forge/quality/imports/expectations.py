"""Expectations by name, as in Great Expectations and dbt_expectations, and the equivalent checks.

Each function takes the arguments of one expectation and returns specs, each with a note where it is not exactly
equivalent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from forge.model.duration import parse_duration
from forge.quality.imports.mapping import (
    MappingError,
    Spec,
    compare_counts,
    inner,
    number_of,
    percent_left,
    select,
    sql_name,
    sql_value,
    sql_values,
    text_of,
)
from forge.quality.imports.types import spark_type

Arguments = Mapping[str, object]
MappedSpecs = Iterable[tuple[Spec, str | None]]


def map_expectation(name: str, arguments: Arguments, table: object) -> MappedSpecs:
    """Raises where no check is equivalent."""
    known = EXPECTATIONS.get(name)
    if known is not None:
        return known(arguments)
    of_table = OF_TABLE.get(name)
    if of_table is not None:
        return of_table(arguments, str(table))
    raise MappingError(UNFIT.get(name, "no check says this"))


def _column(arguments: Arguments) -> str:
    return text_of(arguments.get("column"), "column")


def _columns(arguments: Arguments, key: str = "column_list") -> list[str]:
    value = arguments.get(key)
    if not isinstance(value, list) or not value:
        raise MappingError(f"{key} is no list of columns: {value!r}")
    return [text_of(one, key) for one in value]


def _tolerance(arguments: Arguments) -> Spec:
    left = percent_left(arguments.get("mostly"))
    return {"max_violation_percentage": left} if left else {}


def _bounds(arguments: Arguments, least: str = "min_value", most: str = "max_value") -> tuple[object, object, bool]:
    """Both ends, and whether one of them is exclusive."""
    low, high = arguments.get(least), arguments.get(most)
    if low is None and high is None:
        raise MappingError(f"neither {least} nor {most} is given")
    for bound in (low, high):
        if isinstance(bound, dict | list):
            raise MappingError(f"the bound {bound!r} is a parameter; only plain values map")
    strict = any(arguments.get(key) for key in ("strict_min", "strict_max", "strictly"))
    return low, high, strict


def _between(arguments: Arguments) -> MappedSpecs:
    column = _column(arguments)
    low, high, strict = _bounds(arguments)
    if not strict:
        return [({"type": "range", "column": column, "min": low, "max": high, **_tolerance(arguments)}, None)]
    return [(_rule(_within(sql_name(column), arguments), arguments), None)]


def _within(subject: str, arguments: Arguments) -> str:
    low, high, _ = _bounds(arguments)
    parts = []
    if low is not None:
        sign = ">" if arguments.get("strict_min") or arguments.get("strictly") else ">="
        parts.append(f"{subject} {sign} {sql_value(low)}")
    if high is not None:
        sign = "<" if arguments.get("strict_max") or arguments.get("strictly") else "<="
        parts.append(f"{subject} {sign} {sql_value(high)}")
    return " AND ".join(parts)


def _rule(sql: str, arguments: Arguments) -> Spec:
    return {"type": "expression", "sql": sql, **_tolerance(arguments)}


def _not_null(arguments: Arguments) -> MappedSpecs:
    left = percent_left(arguments.get("mostly"))
    return [({"type": "not_null", "column": _column(arguments), "max_null_percentage": left}, None)]


def _null(arguments: Arguments) -> MappedSpecs:
    return [(_rule(f"{sql_name(_column(arguments))} IS NULL", arguments), None)]


REPEATED = "rows beyond the first of a key are counted; there all that share one"


def _unique(arguments: Arguments) -> MappedSpecs:
    left = percent_left(arguments.get("mostly"))
    spec: Spec = {"type": "unique", "columns": [_column(arguments)], "max_violation_percentage": left}
    return [(spec, REPEATED if left else None)]


def _unique_columns(arguments: Arguments) -> MappedSpecs:
    left = percent_left(arguments.get("mostly"))
    note = REPEATED if left else None
    if arguments.get("ignore_row_if", "all_values_are_missing") != "any_value_is_missing":
        note = "rows with a NULL in the key are left out" + (f"; {note}" if note else "")
    return [({"type": "unique", "columns": _columns(arguments), "max_violation_percentage": left}, note)]


def _in_set(arguments: Arguments) -> MappedSpecs:
    values = arguments.get("value_set", arguments.get("values"))
    sql_values(values)  # raises where it is no list of single values
    return [
        ({"type": "accepted_values", "column": _column(arguments), "values": values, **_tolerance(arguments)}, None)
    ]


def _not_in_set(arguments: Arguments) -> MappedSpecs:
    values = sql_values(arguments.get("value_set", arguments.get("values")))
    return [(_rule(f"{sql_name(_column(arguments))} NOT IN ({values})", arguments), None)]


def _regex(arguments: Arguments) -> MappedSpecs:
    pattern = _java(text_of(arguments.get("regex"), "regex"))
    return [({"type": "regex", "column": _column(arguments), "pattern": pattern, **_tolerance(arguments)}, None)]


def _java(pattern: str) -> str:
    if "(?P=" in pattern:
        raise MappingError("a back reference by name, (?P=…), is not known to Java's regular expressions")
    return pattern.replace("(?P<", "(?<")


def _not_regex(arguments: Arguments) -> MappedSpecs:
    pattern = _java(text_of(arguments.get("regex"), "regex"))
    return [(_rule(f"NOT ({sql_name(_column(arguments))} RLIKE {sql_value(pattern)})", arguments), None)]


def _regex_list(arguments: Arguments) -> MappedSpecs:
    value = arguments.get("regex_list")
    if not isinstance(value, list) or not value:
        raise MappingError(f"regex_list is no list: {value!r}")
    patterns = [_java(text_of(one, "regex_list")) for one in value]
    if arguments.get("match_on", "any") == "all":
        return [found for one in patterns for found in _regex({**arguments, "regex": one})]
    return _regex({**arguments, "regex": "|".join(f"(?:{one})" for one in patterns)})


def _like(arguments: Arguments) -> MappedSpecs:
    pattern = sql_value(text_of(arguments.get("like_pattern"), "like_pattern"))
    return [(_rule(f"{sql_name(_column(arguments))} LIKE {pattern}", arguments), None)]


def _not_like(arguments: Arguments) -> MappedSpecs:
    pattern = sql_value(text_of(arguments.get("like_pattern"), "like_pattern"))
    return [(_rule(f"{sql_name(_column(arguments))} NOT LIKE {pattern}", arguments), None)]


def _lengths_between(arguments: Arguments) -> MappedSpecs:
    return [(_rule(_within(f"length({sql_name(_column(arguments))})", arguments), arguments), None)]


def _length(arguments: Arguments) -> MappedSpecs:
    length = sql_value(number_of(arguments.get("value"), "value"))
    return [(_rule(f"length({sql_name(_column(arguments))}) = {length}", arguments), None)]


_STRFTIME = {"%Y": "yyyy", "%m": "MM", "%d": "dd", "%H": "HH", "%M": "mm", "%S": "ss"}


def _strftime(arguments: Arguments) -> MappedSpecs:
    form = text_of(arguments.get("strftime_format"), "strftime_format")
    written = form
    for code, java in _STRFTIME.items():
        written = written.replace(code, java)
    if "%" in written or "'" in written:
        raise MappingError(f"the format {form} has parts other than {', '.join(_STRFTIME)}")
    column = sql_name(_column(arguments))
    sql = f"{column} IS NULL OR try_to_timestamp(CAST({column} AS STRING), '{written}') IS NOT NULL"
    return [(_rule(sql, arguments), None)]


def _exists(arguments: Arguments) -> MappedSpecs:
    """A column exists if it can be measured at all."""
    column = _column(arguments)
    note = "a column that is missing makes the check not measured, which blocks"
    return [({"type": "not_null", "column": column, "max_null_percentage": 100}, note)]


def _of_type(arguments: Arguments) -> MappedSpecs:
    word = text_of(arguments.get("type_", arguments.get("column_type")), "the type")
    return [({"type": "schema", "columns": {_column(arguments): spark_type(word)}}, None)]


def _of_types(arguments: Arguments) -> MappedSpecs:
    listed = arguments.get("type_list", arguments.get("column_type_list"))
    types = {spark_type(str(one)) for one in listed} if isinstance(listed, list) else set()
    if len(types) != 1:
        raise MappingError(f"the list {listed!r} is not of one type")
    return [({"type": "schema", "columns": {_column(arguments): types.pop()}}, None)]


def _row_count(arguments: Arguments) -> MappedSpecs:
    low, high, strict = _bounds(arguments)
    step = 1 if strict else 0
    return [({"type": "row_count", "min": _whole(low, step), "max": _whole(high, -step)}, None)]


def _whole(value: object, step: int) -> int | None:
    if value is None:
        return None
    number = number_of(value, "the number of rows")
    if number != int(number):
        raise MappingError(f"{value} is no number of rows")
    return int(number) + step


def _row_count_is(arguments: Arguments) -> MappedSpecs:
    count = _whole(number_of(arguments.get("value"), "value"), 0)
    return [({"type": "row_count", "min": count, "max": count}, None)]


def _statistic(kind: str) -> Callable[[Arguments], MappedSpecs]:
    def make(arguments: Arguments) -> MappedSpecs:
        low, high, strict = _bounds(arguments)
        note = "the ends of the range are allowed" if strict else None
        return [({"type": kind, "column": _column(arguments), "min": low, "max": high}, note)]

    return make


def _median(arguments: Arguments) -> MappedSpecs:
    low, high, strict = _bounds(arguments)
    note = "the ends of the range are allowed" if strict else None
    spec: Spec = {"type": "quantile", "column": _column(arguments), "quantile": 0.5, "min": low, "max": high}
    return [(spec, note)]


def _quantiles(arguments: Arguments) -> MappedSpecs:
    given = arguments.get("quantile_ranges", arguments)
    shares = given.get("quantiles") if isinstance(given, Mapping) else None
    ranges = given.get("value_ranges") if isinstance(given, Mapping) else None
    if isinstance(arguments.get("quantile"), int | float):  # dbt_expectations has one
        shares, ranges = [arguments["quantile"]], [[arguments.get("min_value"), arguments.get("max_value")]]
    if not isinstance(shares, list) or not isinstance(ranges, list) or len(shares) != len(ranges):
        raise MappingError("quantile_ranges needs quantiles and value_ranges of the same length")
    found: list[tuple[Spec, str | None]] = []
    for share, pair in zip(shares, ranges, strict=True):
        low, high = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        spec: Spec = {"type": "quantile", "column": _column(arguments), "quantile": share, "min": low, "max": high}
        found.append((spec, None))
    return found


def _extreme(kind: str) -> Callable[[Arguments, str], MappedSpecs]:
    """Of min or max: a one-sided bound is a range check; bounds of the extreme itself are a query."""

    def make(arguments: Arguments, table: str) -> MappedSpecs:
        column = _column(arguments)
        low, high, strict = _bounds(arguments)
        if not strict and kind == "min" and high is None:
            return [({"type": "range", "column": column, "min": low}, None)]
        if not strict and kind == "max" and low is None:
            return [({"type": "range", "column": column, "max": high}, None)]
        return [(metric_query(f"{kind}({sql_name(column)})", table, _within("value", arguments)), None)]

    return make


def _sum(arguments: Arguments, table: str) -> MappedSpecs:
    return [(metric_query(f"sum({sql_name(_column(arguments))})", table, _within("value", arguments)), None)]


def _distinct_count(arguments: Arguments, table: str) -> MappedSpecs:
    given = {**arguments, "min_value": arguments["value"], "max_value": arguments["value"]}
    limits = given if "value" in arguments else arguments
    return [(metric_query(f"count(DISTINCT {sql_name(_column(arguments))})", table, _within("value", limits)), None)]


def _distinct_share(arguments: Arguments, table: str) -> MappedSpecs:
    column = sql_name(_column(arguments))
    metric = f"count(DISTINCT {column}) / nullif(count({column}), 0)"
    return [(metric_query(metric, table, _within("value", arguments)), None)]


def metric_query(metric: str, table: str, holds: str, where: object = None) -> Spec:
    """A query on an aggregate of the whole table: it returns a row with the value where the rule is violated."""
    counted = select(f"{metric} AS value", table, where)
    return {"type": "query", "query": select("value", inner(counted), f"NOT ({holds})")}


def _distinct_in_set(arguments: Arguments) -> MappedSpecs:
    return _in_set({key: value for key, value in arguments.items() if key != "mostly"})


def _contains_set(arguments: Arguments, table: str) -> MappedSpecs:
    column, values = sql_name(_column(arguments)), arguments.get("value_set")
    listed = sql_values(values)
    wanted = len(set(map(str, values))) if isinstance(values, list) else 0
    found = f"{column} IN ({listed})"
    return [(metric_query(f"count(DISTINCT {column})", table, f"value >= {wanted}", found), None)]


def _equals_set(arguments: Arguments, table: str) -> MappedSpecs:
    return [*_distinct_in_set(arguments), *_contains_set(arguments, table)]


def _pair_greater(arguments: Arguments) -> MappedSpecs:
    first, second = (text_of(arguments.get(key), key) for key in ("column_A", "column_B"))
    sign = ">=" if arguments.get("or_equal") else ">"
    return [(_rule(f"{sql_name(first)} {sign} {sql_name(second)}", arguments), None)]


def _pair_equal(arguments: Arguments) -> MappedSpecs:
    first, second = (text_of(arguments.get(key), key) for key in ("column_A", "column_B"))
    return [(_rule(f"{sql_name(first)} = {sql_name(second)}", arguments), None)]


def _unique_within_record(arguments: Arguments) -> MappedSpecs:
    names = [sql_name(one) for one in _columns(arguments)]
    pairs = [f"{a} <> {b}" for number, a in enumerate(names) for b in names[number + 1 :]]
    return [(_rule(" AND ".join(pairs), arguments), None)]


def _row_sum(arguments: Arguments) -> MappedSpecs:
    total = " + ".join(sql_name(one) for one in _columns(arguments))
    wanted = sql_value(number_of(arguments.get("sum_total"), "sum_total"))
    return [(_rule(f"{total} = {wanted}", arguments), None)]


def _row_count_other(arguments: Arguments, table: str) -> MappedSpecs:
    other = text_of(arguments.get("other_table_name"), "other_table_name")
    return [(compare_counts(table, other, "rows = others"), None)]


def _no_rows(arguments: Arguments, table: str) -> MappedSpecs:
    """GX 1.x: a query of failing rows; {batch} is the table."""
    query = text_of(arguments.get("unexpected_rows_query"), "unexpected_rows_query").strip().rstrip(";")
    query = query.replace("{batch}", table)
    if "{" in query:
        raise MappingError("its query has placeholders other than {batch}")
    return [({"type": "query", "query": query, "name": arguments.get("description")}, None)]


def _recent(arguments: Arguments) -> MappedSpecs:
    """dbt_expectations: expect_row_values_to_have_recent_data."""
    hours = hours_of(arguments.get("interval"), arguments.get("datepart"))
    return [({"type": "freshness", "timestamp_column": _column(arguments), "max_age_hours": hours}, None)]


def hours_of(number: object, unit: object) -> float:
    length = parse_duration(1, str(unit))
    if length is None:
        raise MappingError(f"{unit!r} is no length of time")
    return number_of(number, "interval") * float(length.shortest / 3600)


EXPECTATIONS: dict[str, Callable[[Arguments], MappedSpecs]] = {
    "expect_column_values_to_not_be_null": _not_null,
    "expect_column_values_to_be_null": _null,
    "expect_column_values_to_be_unique": _unique,
    "expect_compound_columns_to_be_unique": _unique_columns,
    "expect_multicolumn_values_to_be_unique": _unique_columns,
    "expect_column_values_to_be_in_set": _in_set,
    "expect_column_values_to_not_be_in_set": _not_in_set,
    "expect_column_distinct_values_to_be_in_set": _distinct_in_set,
    "expect_column_values_to_be_between": _between,
    "expect_column_values_to_match_regex": _regex,
    "expect_column_values_to_not_match_regex": _not_regex,
    "expect_column_values_to_match_regex_list": _regex_list,
    "expect_column_values_to_match_like_pattern": _like,
    "expect_column_values_to_not_match_like_pattern": _not_like,
    "expect_column_values_to_match_strftime_format": _strftime,
    "expect_column_value_lengths_to_be_between": _lengths_between,
    "expect_column_value_lengths_to_equal": _length,
    "expect_column_values_to_be_of_type": _of_type,
    "expect_column_values_to_be_in_type_list": _of_types,
    "expect_column_to_exist": _exists,
    "expect_column_mean_to_be_between": _statistic("mean"),
    "expect_column_stdev_to_be_between": _statistic("std"),
    "expect_column_median_to_be_between": _median,
    "expect_column_quantile_values_to_be_between": _quantiles,
    "expect_column_pair_values_a_to_be_greater_than_b": _pair_greater,
    "expect_column_pair_values_to_be_equal": _pair_equal,
    "expect_select_column_values_to_be_unique_within_record": _unique_within_record,
    "expect_multicolumn_sum_to_equal": _row_sum,
    "expect_table_row_count_to_be_between": _row_count,
    "expect_table_row_count_to_equal": _row_count_is,
    "expect_row_values_to_have_recent_data": _recent,
}

OF_TABLE: dict[str, Callable[[Arguments, str], MappedSpecs]] = {
    "expect_column_min_to_be_between": _extreme("min"),
    "expect_column_max_to_be_between": _extreme("max"),
    "expect_column_sum_to_be_between": _sum,
    "expect_column_unique_value_count_to_be_between": _distinct_count,
    "expect_column_distinct_count_to_equal": _distinct_count,
    "expect_column_proportion_of_unique_values_to_be_between": _distinct_share,
    "expect_column_distinct_values_to_contain_set": _contains_set,
    "expect_column_distinct_values_to_equal_set": _equals_set,
    "expect_table_row_count_to_equal_other_table": _row_count_other,
    "unexpected_rows_expectation": _no_rows,
}

UNFIT: dict[str, str] = {
    "expect_table_columns_to_match_ordered_list": "the order of columns is not checked; a contract says which there "
    "are",
    "expect_table_columns_to_match_set": "names without types are no schema here; a contract says which columns "
    "there are",
    "expect_table_column_count_to_equal": "columns are not counted; a contract says which there are",
    "expect_table_column_count_to_be_between": "columns are not counted; a contract says which there are",
    "expect_column_kl_divergence_to_be_less_than": "its reference is a partition object; `drift` compares with a "
    "version of the table",
    "expect_column_values_to_be_increasing": "rows of a table have no order",
    "expect_column_values_to_be_decreasing": "rows of a table have no order",
    "expect_column_value_z_scores_to_be_less_than": "`zscore` says it with a share of outliers; write it by hand",
    "expect_column_most_common_value_to_be_in_set": "no check looks at the most common value",
    "expect_column_values_to_be_dateutil_parseable": "what dateutil takes for a date cannot be said in SQL",
    "expect_column_values_to_be_json_parseable": "write it as an expression with from_json and a schema",
    "expect_column_values_to_match_json_schema": "no check knows JSON Schema",
}
