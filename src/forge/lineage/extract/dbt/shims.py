"""Lineage-equivalent SQL for common macros of dbt and dbt_utils.

Macros that dispatch by adapter become a neutral function (`dbt_dateadd`) with the same inputs and output. What depends
on a database is reported and omitted."""

# ruff: noqa: S608 - what is written here is read, never run

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from forge.lineage.extract.dbt.relation import DbtColumn, DbtRelation
from forge.lineage.extract.template_undefined import quoted

ColumnsOf = Callable[[object], list[DbtColumn] | None]
Shims = Mapping[str, Callable[..., object]]
COMPILE = "Run dbt compile, so that target/manifest.json tells it"


def _list(values: object) -> list[str]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        return [str(values)]
    return [str(one) for one in values]


def _call(name: str) -> Callable[..., str]:
    """A function of the arguments as they are."""
    return lambda *args, **kwargs: f"{name}({', '.join(str(one) for one in (*args, *kwargs.values()))})"


def _with_unit(name: str) -> Callable[..., str]:
    """The same with the unit of time in quotes, so that it is not taken for a column."""

    def call(datepart: object, *args: object, **kwargs: object) -> str:
        unit = str(datepart).strip("'\"")
        return _call(name)(f"'{unit}'", *args, **kwargs)

    return call


def _unit_last(name: str) -> Callable[..., str]:
    return lambda date, datepart: _with_unit(name)(datepart, date)


def _word(text: str) -> Callable[..., str]:
    return lambda *args, **kwargs: text


def _escaped(value: object) -> str:
    return str(value).replace("'", "''")


DBT: Shims = {
    **{f"type_{name}": _word(name) for name in ("string", "int", "bigint", "float", "boolean", "timestamp")},
    "type_numeric": _word("numeric(28,6)"),
    "current_timestamp": _word("current_timestamp"),
    "current_timestamp_backcompat": _word("current_timestamp"),
    "current_timestamp_in_utc_backcompat": _word("current_timestamp"),
    "except": _word("except"),
    "intersect": _word("intersect"),
    "dateadd": _with_unit("dbt_dateadd"),
    "datediff": lambda first_date, second_date, datepart: _with_unit("dbt_datediff")(datepart, first_date, second_date),
    "date_trunc": _with_unit("dbt_date_trunc"),
    "last_day": _unit_last("dbt_last_day"),
    "date": _call("dbt_date"),
    "concat": lambda fields: f"concat({', '.join(_list(fields))})",
    "hash": lambda field: f"md5(cast({field} as string))",
    "safe_cast": lambda field, type: f"try_cast({field} as {type})",
    "cast": lambda field, type: f"cast({field} as {type})",
    "cast_bool_to_text": lambda field: f"cast({field} as string)",
    "replace": _call("replace"),
    "right": _call("right"),
    "length": _call("length"),
    "position": _call("dbt_position"),
    "split_part": _call("dbt_split_part"),
    "any_value": _call("any_value"),
    "bool_or": _call("max"),
    "array_construct": lambda inputs=(), data_type="": f"array({', '.join(_list(inputs))})",
    "array_append": _call("dbt_array_append"),
    "array_concat": _call("dbt_array_concat"),
    "listagg": lambda measure, *args, **kwargs: f"array_agg({measure})",
    "string_literal": lambda value: f"'{value}'",
    "escape_single_quotes": _escaped,
}


@dataclass(frozen=True, slots=True)
class DbtUtils:
    """dbt_utils. `columns`: of a relation, None if unknown."""

    columns: ColumnsOf
    dialect: str
    note: Callable[[str], None]

    def shims(self) -> Shims:
        own: dict[str, Callable[..., object]] = {
            "star": self.star,
            "get_filtered_columns_in_relation": self.filtered,
            "union_relations": self.union_relations,
            "unpivot": self.unpivot,
            "pivot": self.pivot,
            "deduplicate": self.deduplicate,
            "generate_surrogate_key": self.surrogate_key,
            "surrogate_key": lambda *fields: self.surrogate_key(
                fields[0] if len(fields) == 1 and not isinstance(fields[0], str) else fields
            ),
            "date_spine": self.date_spine,
            **{
                name: self._from_the_database(name)
                for name in (
                    "get_column_values",
                    "get_single_value",
                    "get_query_results_as_dict",
                    "get_relations_by_pattern",
                    "get_relations_by_prefix",
                    "get_tables_by_pattern_sql",
                    "get_table_types_sql",
                )
            },
            "generate_series": _word("select 1 as generated_number"),
            "group_by": lambda n: "group by " + ", ".join(str(place + 1) for place in range(int(n))),
            "safe_add": lambda *fields: self._coalesced(fields, " + "),
            "safe_subtract": lambda *fields: self._coalesced(fields, " - "),
            "safe_divide": lambda numerator, denominator: f"({numerator}) / nullif(({denominator}), 0)",
            "nullcheck": lambda cols: [self._null_if_empty(one) for one in _list(cols)],
            "width_bucket": _call("width_bucket"),
            "slugify": lambda text: re.sub(r"[^a-z0-9_]+", "", re.sub(r"[ -]+", "_", str(text).lower())),
            "pretty_time": _word(""),
            "pretty_log_format": _word(""),
            "log_info": _word(""),
            "get_url_host": lambda field: f"dbt_url_host({field})",
            "get_url_path": lambda field: f"dbt_url_path({field})",
            "get_url_parameter": lambda field, url_parameter: f"dbt_url_parameter({field}, '{url_parameter}')",
        }
        # Before dbt had them itself, dbt_utils had them.
        return {**DBT, **own}

    def _known(self, relation: object, macro: str) -> list[DbtColumn] | None:
        found = self.columns(relation)
        if found is None:
            self.note(f"dbt_utils.{macro} needs the columns of {_name(relation)}, which are not known")
        return found

    def _from_the_database(self, macro: str) -> Callable[..., object]:
        def ask(*args: object, **options: object) -> object:
            self.note(f"dbt_utils.{macro} asks the database; what depends on the answer is missing. {COMPILE}")
            return options.get("default") or []

        return ask

    def filtered(self, relation: object = None, **options: object) -> list[str]:
        """Also called with the words `from` and `except`, which Python keeps for itself."""
        relation = options.get("from", relation)
        left_out = {one.lower() for one in _list(options.get("except") or ())}
        known = self._known(relation, "star") or []
        return [one.name for one in known if one.name.lower() not in left_out]

    def star(self, relation: object = None, *rest: object, **options: object) -> str:
        names = ("relation_alias", "except", "prefix", "suffix", "quote_identifiers")
        given = {**dict(zip(names, rest, strict=False)), **options}
        relation = given.get("from", relation)
        left_out = _list(given.get("except") or ())
        owner = f"{given['relation_alias']}." if given.get("relation_alias") else ""
        prefix, suffix = str(given.get("prefix") or ""), str(given.get("suffix") or "")
        if self.columns(relation) is None and not prefix and not suffix:
            excluded = ", ".join(quoted(one, self.dialect) for one in left_out)
            return f"{owner}* except ({excluded})" if excluded else f"{owner}*"
        names_left = self.filtered(relation, **{"except": left_out})
        if not names_left:
            return "*" if self.columns(relation) is not None else "null"
        renamed = prefix or suffix
        return ", ".join(
            owner
            + quoted(name, self.dialect)
            + (f" as {quoted(prefix + name + suffix, self.dialect)}" if renamed else "")
            for name in names_left
        )

    def surrogate_key(self, field_list: object) -> str:
        fields = _list(field_list)
        kept = [f"coalesce(cast({one} as string), '_dbt_utils_surrogate_key_null_')" for one in fields]
        return f"md5(cast({_joined(kept)} as string))"

    def pivot(
        self,
        column: object,
        values: object,
        alias: bool = True,
        agg: str = "sum",
        cmp: str = "=",
        prefix: str = "",
        suffix: str = "",
        then_value: object = 1,
        else_value: object = 0,
        quote_identifiers: bool = True,
        distinct: bool = False,
    ) -> str:
        cases = []
        for value in _list(values):
            word = "distinct " if distinct else ""
            otherwise = f" else {else_value}" if not distinct else ""
            case = f"case when {column} {cmp} '{_escaped(value)}' then {then_value}{otherwise} end"
            name = prefix + value + suffix
            called = quoted(name, self.dialect) if quote_identifiers else re.sub(r"\W+", "_", name.lower())
            cases.append(f"{agg}({word}{case})" + (f" as {called}" if alias else ""))
        return ", ".join(cases)

    def unpivot(self, relation: object = None, cast_to: str = "varchar", **options: object) -> str:
        relation = options.get("table", relation)
        kept = {one.lower() for one in _list(options.get("exclude") or ())}
        removed = {one.lower() for one in _list(options.get("remove") or ())}
        field_name, value_name = options.get("field_name") or "field_name", options.get("value_name") or "value"
        known = self._known(relation, "unpivot")
        if known is None:
            return f"select null from {relation}"
        columns = [one.name for one in known if one.name.lower() not in removed]
        staying = "".join(f"{quoted(one, self.dialect)}, " for one in columns if one.lower() in kept)
        parts = [
            f"select {staying}cast('{_escaped(one)}' as string) as {field_name}, "
            f"cast({quoted(one, self.dialect)} as {cast_to}) as {value_name} from {relation}"
            for one in columns
            if one.lower() not in kept
        ]
        return " union all ".join(parts)

    def union_relations(
        self,
        relations: Sequence[object],
        column_override: Mapping[str, str] | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        source_column_name: str | None = "_dbt_source_relation",
        where: str | None = None,
    ) -> str:
        each = [(one, self._known(one, "union_relations") or []) for one in relations]
        types: dict[str, tuple[str, str]] = {}
        for _, columns in each:
            for column in columns:
                types.setdefault(column.name.lower(), (column.name, column.data_type))
        wanted = {one.lower() for one in include} or set(types)
        wanted -= {one.lower() for one in exclude}
        parts = []
        for relation, columns in each:
            has = {one.name.lower() for one in columns}
            chosen = (
                []
                if source_column_name is None
                else [f"cast('{_escaped(relation)}' as string) as {source_column_name}"]
            )
            for key, (name, type_) in types.items():
                if key not in wanted:
                    continue
                called, type_ = quoted(name, self.dialect), (column_override or {}).get(name, type_)
                value = called if key in has else "null"
                chosen.append(f"cast({value} as {type_}) as {called}" if type_ else f"{value} as {called}")
            parts.append(f"(select {', '.join(chosen)} from {relation}" + (f" where {where}" if where else "") + ")")
        return " union all ".join(parts)

    def deduplicate(self, relation: object, partition_by: object, order_by: object, **options: object) -> str:
        order = f"row_number() over (partition by {partition_by} order by {order_by})"
        return f"select * from {relation} qualify {order} = 1"

    def date_spine(self, datepart: object, start_date: object, end_date: object) -> str:
        return f"select cast({start_date} as date) as date_{datepart}"

    def _coalesced(self, fields: Sequence[object], between: str) -> str:
        flat = _list(fields[0]) if len(fields) == 1 and not isinstance(fields[0], str) else _list(fields)
        return between.join(f"coalesce({one}, 0)" for one in flat)

    def _null_if_empty(self, column: str) -> str:
        return f"nullif({column}, '') as {column}"


def _joined(parts: Sequence[str]) -> str:
    return " || '-' || ".join(parts)


def _name(relation: object) -> str:
    return relation.dotted if isinstance(relation, DbtRelation) else str(relation)
