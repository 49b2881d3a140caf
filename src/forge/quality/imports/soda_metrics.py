"""SodaCL metrics with thresholds, and the equivalent checks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from forge.model.duration import parse_duration
from forge.quality.imports.expectations import REPEATED, MappedSpecs, metric_query
from forge.quality.imports.mapping import MappingError, Spec, inner, select, sql_name, sql_value, sql_values

_NUMBER = r"[-+]?[\d,_]*\.?\d+(?:[eE][-+]?\d+)?"
_COMPARED = re.compile(rf"(<=|>=|!=|<>|=|<|>)\s*({_NUMBER})\s*%?")
_BETWEEN = re.compile(rf"(not\s+)?between\s*([(\[]?)\s*({_NUMBER})\s*%?\s*and\s*({_NUMBER})\s*%?\s*([)\]]?)")


@dataclass(frozen=True, slots=True)
class Threshold:
    """The condition on a number: `least` and `most`, inclusive unless `over` or `under`; or outside of them."""

    least: float | None = None
    most: float | None = None
    over: bool = False  # more than `least`
    under: bool = False  # less than `most`
    outside: bool = False

    @property
    def equal(self) -> bool:
        return self.least is not None and self.least == self.most and not self.outside

    def is_zero(self, *, share: bool) -> bool:
        """Nothing is tolerated. Less than one row is none; less than one percent is not."""
        below_one = self.under and self.most == 1 and not share
        return not self.outside and self.most is not None and (self.most == 0 or below_one)

    def turned(self) -> Threshold:
        """An alert states when it fails; this states when it passes."""
        if self.outside or (self.least is not None and self.most is not None):
            return replace(self, outside=not self.outside)
        return Threshold(self.most, self.least, not self.under, not self.over)

    def sql(self, subject: str = "value") -> str:
        parts = []
        if self.least is not None:
            parts.append(f"{subject} {'>' if self.over else '>='} {sql_value(_plain(self.least))}")
        if self.most is not None:
            parts.append(f"{subject} {'<' if self.under else '<='} {sql_value(_plain(self.most))}")
        if self.equal:
            parts = [f"{subject} = {sql_value(_plain(self.least))}"]
        held = " AND ".join(parts)
        return f"NOT ({held})" if self.outside else held


def _plain(number: float | None) -> object:
    return int(number) if number is not None and float(number).is_integer() else number


def read_threshold(text: str) -> Threshold:
    """`= 0`, `< 5%`, `between 1 and 10`; Raises CannotMap."""
    condition = " ".join(text.split())
    if match := _COMPARED.fullmatch(condition):
        number = _number(match[2])
        match match[1]:
            case "<" | "<=" as sign:
                return Threshold(most=number, under=sign == "<")
            case ">" | ">=" as sign:
                return Threshold(least=number, over=sign == ">")
            case "=":
                return Threshold(number, number)
            case _:
                return Threshold(number, number, outside=True)
    if match := _BETWEEN.fullmatch(condition):
        low, high = _number(match[3]), _number(match[4])
        return Threshold(low, high, match[2] == "(", match[5] == ")", bool(match[1]))
    raise MappingError(f"the threshold '{condition}' is not understood" if condition else "it has no threshold")


def _number(text: str) -> float:
    return float(text.replace(",", "").replace("_", ""))


def read_age(text: str) -> float:
    """`3d`, `1d6h30m` in hours."""
    parts = re.findall(r"(\d+(?:\.\d+)?)([dhm])", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise MappingError(f"'{text}' is no age like 1d, 6h or 1d6h30m")
    lengths = [parse_duration(number, unit) for number, unit in parts]
    return float(sum(length.seconds for length in lengths if length) / 3600)


@dataclass(frozen=True, slots=True)
class SodaMetric:
    name: str
    columns: tuple[str, ...]
    options: Mapping[str, object]
    table: str
    where: str | None = None

    def column(self) -> str:
        if len(self.columns) != 1:
            raise MappingError(f"{self.name} is of one column, and here are {len(self.columns)}")
        return self.columns[0]

    def query(self, metric: str, threshold: Threshold) -> Spec:
        return metric_query(metric, self.table, threshold.sql(), self.where)


def map_metric(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    for key in ("samples limit", "samples columns", "attributes", "identity", "collect failed rows"):
        if key in metric.options:
            metric = replace(metric, options={k: v for k, v in metric.options.items() if k != key})
    own = metric.options.get(f"{metric.name} query"), metric.options.get(f"{metric.name} expression")
    if isinstance(own[0], str):
        given = f"({own[0].strip().rstrip(';')}) AS t(value)"
        return [({"type": "query", "query": select("value", given, f"NOT ({threshold.sql()})")}, None)]
    if isinstance(own[1], str):
        return [(metric.query(own[1].strip(), threshold), None)]
    known = _METRICS.get(metric.name)
    if known is None:
        raise MappingError(f"there is no counterpart of the metric {metric.name}")
    return known(metric, threshold)


def _rows(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    if threshold.outside:
        if threshold.least == threshold.most == 0:
            return [({"type": "row_count", "min": 1}, None)]
        return [(metric.query("count(*)", threshold), None)]
    low = None if threshold.least is None else math.floor(threshold.least) + 1 if threshold.over else threshold.least
    high = None if threshold.most is None else math.ceil(threshold.most) - 1 if threshold.under else threshold.most
    spec: Spec = {"type": "row_count"}
    spec |= {"min": None if low is None else math.ceil(low), "max": None if high is None else math.floor(high)}
    return [(spec, None)]


def _missing(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    column = metric.column()
    if unknown := [key for key in metric.options if not key.startswith("missing ")]:
        raise MappingError(f"`{unknown[0]}` has no counterpart")
    subject = sql_name(column)
    missing = [f"{subject} IS NULL"]
    if "missing values" in metric.options:
        missing.append(f"{subject} IN ({sql_values(metric.options['missing values'])})")
    if "missing regex" in metric.options:
        missing.append(f"{subject} RLIKE {sql_value(metric.options['missing regex'])}")
    if "missing format" in metric.options:
        raise MappingError("`missing format` has no counterpart; write it as a regex")
    share = metric.name == "missing_percent"
    if len(missing) == 1 and (threshold.is_zero(share=share) or (share and _tolerant(threshold))):
        spec: Spec = {"type": "not_null", "column": column}
        return [({**spec, "max_null_percentage": _tolerated(threshold, share)}, _edge(threshold, share))]
    condition = " OR ".join(missing)
    if threshold.is_zero(share=share):
        return [({"type": "expression", "sql": f"NOT coalesce({condition}, false)"}, None)]
    return [(metric.query(_counted(condition, share), threshold), None)]


def _tolerant(threshold: Threshold) -> bool:
    return threshold.least is None and threshold.most is not None and not threshold.outside


def _tolerated(threshold: Threshold, share: bool) -> float | None:
    return threshold.most if share and threshold.most and not threshold.equal else None


def _edge(threshold: Threshold, share: bool) -> str | None:
    return f"exactly {threshold.most:g} percent passes, too" if share and threshold.under and threshold.most else None


def _counted(condition: str, share: bool) -> str:
    return f"100 * count_if({condition}) / nullif(count(*), 0)" if share else f"count_if({condition})"


def _duplicates(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    if not metric.columns:
        raise MappingError("it names no column")
    share = metric.name == "duplicate_percent"
    if threshold.is_zero(share=share):
        return [({"type": "unique", "columns": list(metric.columns)}, None)]
    if share:
        if not _tolerant(threshold):
            raise MappingError("only a share that is tolerated maps: duplicate_percent(…) < 5")
        spec: Spec = {"type": "unique", "columns": list(metric.columns), "max_violation_percentage": threshold.most}
        return [(spec, "; ".join(note for note in (REPEATED, _edge(threshold, share)) if note))]
    names = ", ".join(sql_name(column) for column in metric.columns)
    kept = [f"{sql_name(column)} IS NOT NULL" for column in metric.columns] + ([metric.where] if metric.where else [])
    keys = select("1", metric.table, f"{' AND '.join(kept)} GROUP BY {names} HAVING count(*) > 1")
    query = select("value", inner(select("count(*) AS value", inner(keys))), f"NOT ({threshold.sql()})")
    return [({"type": "query", "query": query}, None)]


_FORMATS = {
    "email": r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$",
    "uuid": r"^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$",
    "ip address": r"^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$",
    "ipv4 address": r"^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$",
    "phone number": r"^\+?[0-9 ().-]{6,20}$",
    "integer": r"^[-+]?\d+$",
    "positive integer": r"^\+?\d+$",
    "negative integer": r"^-\d+$",
    "decimal": r"^[-+]?(\d+([.,]\d*)?|[.,]\d+)$",
    "positive decimal": r"^\+?(\d+([.,]\d*)?|[.,]\d+)$",
    "negative decimal": r"^-(\d+([.,]\d*)?|[.,]\d+)$",
    "percentage": r"^[-+]?\d+([.,]\d+)? ?%$",
    "positive percentage": r"^\+?\d+([.,]\d+)? ?%$",
    "negative percentage": r"^-\d+([.,]\d+)? ?%$",
    "date iso 8601": r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$",
    "date eu": r"^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}$",
    "date us": r"^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}$",
    "date inverse": r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$",
    "time 24h": r"^([01]?\d|2[0-3]):[0-5]\d$",
    "time 24h with seconds": r"^([01]?\d|2[0-3]):[0-5]\d:[0-5]\d$",
    "time 12h": r"^(0?\d|1[0-2]):[0-5]\d ?[AaPp]\.?[Mm]\.?$",
    "credit card number": r"^\d{4}([ -]?\d{4}){3}$",
}
_VALID = frozenset(
    f"{side} {what}"
    for side in ("valid", "invalid")
    for what in ("values", "regex", "format", "min", "max", "length", "min length", "max length")
) - {f"invalid {what}" for what in ("min", "max", "length", "min length", "max length")}


def _invalid(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    """One check for each constraint on a value."""
    if unknown := [key for key in metric.options if key not in _VALID and not key.startswith("missing")]:
        raise MappingError(f"`{unknown[0]}` has no counterpart")
    if any(key.startswith("missing") for key in metric.options):
        raise MappingError("values that stand for a missing one have no counterpart here")
    share = metric.name == "invalid_percent"
    rules = _rules(metric)
    if not rules:
        raise MappingError("it does not say what is valid")
    if not threshold.is_zero(share=share) and not (share and _tolerant(threshold)):
        bad = " OR ".join(f"NOT ({sql})" for _, sql in rules)
        return [(metric.query(_counted(bad, share), threshold), None)]
    if len(rules) > 1 and not threshold.is_zero(share=share):
        sql = " AND ".join(f"({rule})" for _, rule in rules)
        spec: Spec = {"type": "expression", "sql": sql, "max_violation_percentage": _tolerated(threshold, share)}
        return [(spec, _edge(threshold, share))]
    return [
        ({**spec, "max_violation_percentage": _tolerated(threshold, share)}, _edge(threshold, share))
        for spec, _ in rules
    ]


def _rules(metric: SodaMetric) -> list[tuple[Spec, str]]:
    """Each rule as a check and as an SQL predicate of valid values."""
    column = metric.column()
    subject, options = sql_name(column), metric.options
    found: list[tuple[Spec, str]] = []
    if "valid values" in options:
        spec: Spec = {"type": "accepted_values", "column": column, "values": options["valid values"]}
        found.append((spec, f"{subject} IN ({sql_values(options['valid values'])})"))
    if "invalid values" in options:
        found.append(_rule(f"{subject} NOT IN ({sql_values(options['invalid values'])})"))
    for key in ("valid regex", "valid format"):
        if key in options:
            pattern = _pattern(options[key], key)
            spec = {"type": "regex", "column": column, "pattern": pattern}
            found.append((spec, f"{subject} RLIKE {sql_value(pattern)}"))
    for key in ("invalid regex", "invalid format"):
        if key in options:
            found.append(_rule(f"NOT ({subject} RLIKE {sql_value(_pattern(options[key], key))})"))
    low, high = options.get("valid min"), options.get("valid max")
    if low is not None or high is not None:
        parts = [f"{subject} >= {sql_value(low)}"] if low is not None else []
        parts += [f"{subject} <= {sql_value(high)}"] if high is not None else []
        found.append(({"type": "range", "column": column, "min": low, "max": high}, " AND ".join(parts)))
    for key, sign in (("valid length", "="), ("valid min length", ">="), ("valid max length", "<=")):
        if key in options:
            found.append(_rule(f"length({subject}) {sign} {sql_value(options[key])}"))
    return found


def _rule(sql: str) -> tuple[Spec, str]:
    return {"type": "expression", "sql": sql}, sql


def _pattern(value: object, key: str) -> str:
    if key.endswith("regex"):
        return str(value)
    pattern = _FORMATS.get(str(value).strip().lower())
    if pattern is None:
        raise MappingError(f"the format '{value}' has no counterpart; write it as a regex")
    return pattern


def _mean(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    return _statistic("mean", "avg", metric, threshold)


def _deviation(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    return _statistic("std", "stddev_samp", metric, threshold)


def _statistic(kind: str, function: str, metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    column = metric.column()
    if threshold.outside or threshold.over or threshold.under:
        return [(metric.query(f"{function}({sql_name(column)})", threshold), None)]
    return [({"type": kind, "column": column, "min": threshold.least, "max": threshold.most}, None)]


def _quantile(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    if len(metric.columns) != 2:
        raise MappingError("a percentile is like percentile(amount, 0.95)")
    column, share = metric.columns[0], float(metric.columns[1])
    if threshold.outside or threshold.over or threshold.under:
        return [(metric.query(f"percentile({sql_name(column)}, {share})", threshold), None)]
    spec: Spec = {"type": "quantile", "column": column, "quantile": share}
    return [({**spec, "min": threshold.least, "max": threshold.most}, None)]


def _extreme(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
    """Minimum at least 0 means that all values are."""
    column = metric.column()
    one_sided = not (threshold.outside or threshold.over or threshold.under)
    if one_sided and metric.name == "min" and threshold.most is None:
        return [({"type": "range", "column": column, "min": _plain(threshold.least)}, None)]
    if one_sided and metric.name == "max" and threshold.least is None:
        return [({"type": "range", "column": column, "max": _plain(threshold.most)}, None)]
    return [(metric.query(f"{metric.name}({sql_name(column)})", threshold), None)]


def _aggregate(function: str) -> Callable[[SodaMetric, Threshold], MappedSpecs]:
    def make(metric: SodaMetric, threshold: Threshold) -> MappedSpecs:
        return [(metric.query(function.replace("{}", sql_name(metric.column())), threshold), None)]

    return make


_METRICS: dict[str, Callable[[SodaMetric, Threshold], MappedSpecs]] = {
    "row_count": _rows,
    "missing_count": _missing,
    "missing_percent": _missing,
    "duplicate_count": _duplicates,
    "duplicate_percent": _duplicates,
    "invalid_count": _invalid,
    "invalid_percent": _invalid,
    "avg": _mean,
    "mean": _mean,
    "stddev": _deviation,
    "stddev_samp": _deviation,
    "percentile": _quantile,
    "min": _extreme,
    "max": _extreme,
    "sum": _aggregate("sum({})"),
    "stddev_pop": _aggregate("stddev_pop({})"),
    "variance": _aggregate("var_samp({})"),
    "var_samp": _aggregate("var_samp({})"),
    "var_pop": _aggregate("var_pop({})"),
    "avg_length": _aggregate("avg(length({}))"),
    "min_length": _aggregate("min(length({}))"),
    "max_length": _aggregate("max(length({}))"),
}
