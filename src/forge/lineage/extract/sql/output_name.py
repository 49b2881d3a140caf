"""Default names of columns without an alias, by engine. Spark's follow its analyser: `ResolveAliases` and pretty
SQL."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp
from sqlglot.dialects.spark import Spark

from forge.lineage.extract.sql.scope import QueryScope, name_of
from forge.lineage.extract.sql.text import text_of

_FUNCTION_NAMES = {"postgres", "redshift"}
_DEEPEST = 50


def output_name(node: exp.Expr, dialect: str, scope: QueryScope | None = None) -> str:
    """Of others than Spark and Postgres it is the text of the expression. `scope`: where its columns are looked up; a
    field of a struct and a column with the name of its table are written alike."""
    if isinstance(node, exp.Alias):
        return name_of(node.args["alias"])
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Query):
        return "scalarsubquery()"
    if dialect.startswith(("spark", "databricks")) or dialect in ("hive", ""):
        return _SparkName(dialect, scope).of_column(node)
    if isinstance(node, exp.Column | exp.Dot):
        last = node.this if isinstance(node, exp.Column) else node.expression
        if isinstance(last, exp.Identifier):
            return name_of(last)
    if dialect in _FUNCTION_NAMES:
        return _postgres_name(node)
    return text_of(node, dialect)


def _postgres_name(node: exp.Expr) -> str:
    while isinstance(node, exp.Cast | exp.Window | exp.Filter):
        node = node.this
    if isinstance(node, exp.Column):
        return str(node.name).lower()
    if isinstance(node, exp.Case):
        return "case"
    return _function_name(node) if isinstance(node, exp.Func) else "?column?"


_OTHER_NAMES: dict[type[exp.Expr], str] = {
    exp.ArrayAgg: "collect_list",
    exp.ArrayUniqueAgg: "collect_set",
    exp.ApproxDistinct: "approx_count_distinct",
    exp.Stddev: "stddev",
    exp.StddevSamp: "stddev_samp",
    exp.LogicalOr: "bool_or",
    exp.LogicalAnd: "bool_and",
    exp.Transform: "transform",
}


def _function_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    written = node.meta.get("name") if node._meta else None
    if written:
        return str(written).lower()
    return _OTHER_NAMES.get(type(node)) or (node.sql_name().lower() if isinstance(node, exp.Func) else node.key)


_SIGNS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "div",
    exp.Mod: "%",
    exp.EQ: "=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.NullSafeEQ: "<=>",
    exp.And: "AND",
    exp.Or: "OR",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
}
# What Spark writes of arguments that were left out.
_DEFAULTS: dict[str, tuple[int, tuple[str, ...]]] = {
    "percentile_approx": (3, ("10000",)),
    "approx_percentile": (3, ("10000",)),
    "split": (3, ("-1",)),
    "regexp_replace": (4, ("1",)),
    "months_between": (3, ("true",)),
    "lag": (3, ("1", "NULL")),
    "lead": (3, ("1", "NULL")),
}
_NULLNESS = {"isnull": "NULL", "isnotnull": "NOT NULL"}
_CASTS = ("cast", "try_cast")
_RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile)


def is_function_cast(node: exp.Expr) -> bool:
    """`int(a)`: a cast that Spark does not write."""
    written = str(node.meta.get("name") or "").lower() if node._meta else ""
    return isinstance(node, exp.Cast) and bool(written) and written not in _CASTS


class _SparkName:
    """Operators in parentheses, functions in lower case, columns unqualified, no quotes."""

    def __init__(self, dialect: str, scope: QueryScope | None) -> None:
        self.dialect = dialect
        self.scope = scope
        self.depth = 0

    def of_column(self, node: exp.Expr) -> str:
        """A column and a field keep their name; so does a column that is cast."""
        if isinstance(node, exp.Column | exp.Dot):
            path = self._path(node)
            if path:
                return path[-1]
        if isinstance(node, exp.Cast) and not _is_typed_literal(node):
            inner = node.this
            while isinstance(inner, exp.Paren):
                inner = inner.this
            path = self._path(inner) if isinstance(inner, exp.Column | exp.Dot) else ()
            if len(path) == 1:
                return path[0]
        return self(node)

    def __call__(self, node: exp.Expr) -> str:
        if self.depth > _DEEPEST:
            return "…"
        self.depth += 1
        try:
            return self._write(node)
        finally:
            self.depth -= 1

    def _write(self, node: exp.Expr) -> str:
        cls = type(node)
        sign = _SIGNS.get(cls)
        if sign is not None:
            text = f"{self(node.this)} {sign} {self(node.expression)}"
            moved = cls in (exp.Add, exp.Sub) and isinstance(node.expression, exp.Interval)
            return text if moved else f"({text})"
        writer = _WRITERS.get(cls)
        if writer is not None:
            return writer(self, node)
        if isinstance(node, exp.Query):
            return "scalarsubquery()"
        if isinstance(node, exp.Func):
            return self._call(node)
        return text_of(node, self.dialect)

    def _path(self, node: exp.Expr) -> tuple[str, ...]:
        """The name of a column, and of the fields that are taken out of it; empty: it is none."""
        names: list[str] = []
        while isinstance(node, exp.Dot):
            if not isinstance(node.expression, exp.Identifier):
                return ()
            names.insert(0, name_of(node.expression))
            node = node.this
        if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
            return ()
        parts = (*(name_of(part) for part in node.parts), *names)
        found = self.scope.resolve(parts, node) if self.scope is not None and len(parts) > 1 else None
        if isinstance(found, tuple):
            return (found[0].name, *found[1])
        return parts[-1:]

    def column(self, node: exp.Expr) -> str:
        path = self._path(node)
        if path:
            return ".".join(path)
        if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
            return f"{self(node.this)}.{node.expression.name}"
        return text_of(node, self.dialect)

    def _call(self, node: exp.Expr) -> str:
        name = _function_name(node)
        if name in _NULLNESS and len(_arguments(node)) == 1:
            return f"({self(_arguments(node)[0])} IS {_NULLNESS[name]})"
        known = isinstance(node, exp.Anonymous) or type(node) in _OTHER_NAMES or (node._meta and node.meta.get("name"))
        if not known:
            return text_of(node, self.dialect)
        arguments = [self(one) for one in _arguments(node)]
        most, added = _DEFAULTS.get(name, (0, ()))
        missing = most - len(arguments)
        if 0 < missing <= len(added):
            arguments.extend(added[-missing:])
        return f"{name}({', '.join(arguments)})"

    def cast(self, node: exp.Expr) -> str:
        inner = node.this
        if _is_typed_literal(node):
            return f"{node.args['to'].sql('spark').upper()} '{inner.name}'"
        if is_function_cast(node):
            return self(inner)
        word = "TRY_CAST" if node.args.get("safe") else "CAST"
        return f"{word}({self(inner)} AS {node.args['to'].sql('spark').upper().replace(', ', ',')})"

    def case(self, node: exp.Expr) -> str:
        subject, default = node.args.get("this"), node.args.get("default")
        parts = ["CASE"]
        for branch in node.args["ifs"]:
            condition = self(branch.this) if subject is None else f"({self(subject)} = {self(branch.this)})"
            parts.append(f"WHEN {condition} THEN {self(branch.args['true'])}")
        if default is not None:
            parts.append(f"ELSE {self(default)}")
        return " ".join((*parts, "END"))

    def negated(self, node: exp.Expr) -> str:
        inner = node.this
        is_null = isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null)
        return f"({self(inner.this)} IS NOT NULL)" if is_null else f"(NOT {self(inner)})"

    def listed(self, node: exp.Expr) -> str:
        if not node.expressions:
            return text_of(node, self.dialect)
        return f"({self(node.this)} IN ({', '.join(self(one) for one in node.expressions)}))"

    def when(self, node: exp.Expr) -> str:
        parts = [node.this, node.args.get("true"), node.args.get("false") or exp.Null()]
        return f"(IF({', '.join(self(one) for one in parts if one is not None)}))"

    def struct(self, node: exp.Expr) -> str:
        named = _function_name(node) == "named_struct"
        parts: list[str] = []
        for one in node.expressions:
            if not isinstance(one, exp.PropertyEQ):
                parts.append(self(one))
            elif named:
                parts.extend((one.this.name, self(one.expression)))
            else:
                parts.append(self(one.expression))
        return f"{'named_struct' if named else 'struct'}({', '.join(parts)})"

    def map(self, node: exp.Expr) -> str:
        keys, values = node.args.get("keys"), node.args.get("values")
        if keys is None or values is None:
            return text_of(node, self.dialect)
        pairs = zip(keys.expressions, values.expressions, strict=False)
        return f"map({', '.join(self(one) for pair in pairs for one in pair)})"

    def window(self, node: exp.Expr) -> str:
        base, function = node.args.get("alias"), node.this
        if base is not None:
            named = self.scope.windows.get(base.name.lower()) if self.scope is not None else None
            if named is None:
                return text_of(node, self.dialect)
            node = named
        keys, order = node.args.get("partition_by") or (), node.args.get("order")
        parts = [f"PARTITION BY {', '.join(self(one) for one in keys)}"] if keys else []
        if order is not None:
            parts.append(f"ORDER BY {', '.join(self.ordered(one) for one in order.expressions)}")
        parts.append(self._rows(node, function, has_order=order is not None))
        return f"{self(function)} OVER ({' '.join(parts)})"

    def _rows(self, node: exp.Expr, function: exp.Expr, *, has_order: bool) -> str:
        spec = node.args.get("spec")
        if spec is not None:
            return text_of(spec, self.dialect)
        if isinstance(function, exp.Lag | exp.Lead):
            offset = function.args.get("offset")
            step = self(offset) if offset is not None else "1"
            step = step if isinstance(function, exp.Lead) else f"-{step}"
            return f"ROWS BETWEEN {step} FOLLOWING AND {step} FOLLOWING"
        if not has_order:
            return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
        ranks = isinstance(function, _RANKS)
        return f"{'ROWS' if ranks else 'RANGE'} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"

    def bracket(self, node: exp.Expr) -> str:
        inner = ", ".join(self(one) for one in node.expressions)
        if node._meta and node.meta.get("name"):  # element_at
            return f"{_function_name(node)}({self(node.this)}, {inner})"
        return f"{self(node.this)}[{inner}]"

    def ordered(self, node: exp.Expr) -> str:
        if not isinstance(node, exp.Ordered):
            return f"{self(node)} ASC NULLS FIRST"
        order = "DESC" if node.args.get("desc") else "ASC"
        return f"{self(node.this)} {order} NULLS {'FIRST' if node.args.get('nulls_first') else 'LAST'}"

    def lambda_(self, node: exp.Expr) -> str:
        variables = {one.name.lower() for one in node.expressions}

        def named(inner: exp.Expr) -> exp.Expr:
            is_variable = isinstance(inner, exp.Column | exp.Identifier) and inner.name.lower() in variables
            return exp.Anonymous(this="namedlambdavariable") if is_variable else inner

        body = node.this.copy().transform(named)
        return f"lambdafunction({', '.join([self(body), *['namedlambdavariable()'] * len(variables)])})"


def _is_typed_literal(node: exp.Expr) -> bool:
    """`DATE '2020-01-01'`"""
    return (
        type(node) is exp.Cast
        and isinstance(node.this, exp.Literal)
        and node.this.is_string
        and not (node._meta and node.meta.get("name"))
    )


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    """As they were written: sqlglot adds conversions and units, and puts them in an order of its own."""
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    if isinstance(node, exp.Initcap):
        return [node.this]
    if isinstance(node, exp.TimeToStr | exp.UnixToStr | exp.StrToUnix | exp.TsOrDsToDate | exp.StrToTime):
        return [_unconverted(node.this), *_format(node)]
    if isinstance(node, exp.TsOrDsAdd) and _function_name(node) == "date_sub":
        return [_unconverted(node.this), _negated(node.expression)]
    if isinstance(node, exp.FromJson):
        return [node.this]
    found = [_unconverted(one) for one in node.iter_expressions()]
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc) and len(found) > 1:
        return [exp.Literal.string(found[1].name.lower()), found[0]]
    if isinstance(node, exp.JSONExtractScalar) and isinstance(node.expression, exp.JSONPath):
        return [found[0], exp.Literal.string(node.expression.sql("spark").strip("'"))]
    return [one for one in found if not isinstance(one, exp.Var)]


def _unconverted(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.TsOrDsToDate | exp.TimeStrToTime) and not node.meta.get("name") else node


def _negated(node: exp.Expr) -> exp.Expr:
    """What is subtracted: sqlglot multiplies it by -1."""
    inner = node.this if isinstance(node, exp.Mul) else node
    return inner.this if isinstance(inner, exp.Paren) else inner


def _format(node: exp.Expr) -> list[exp.Expr]:
    """The pattern of a time as Spark writes it."""
    given = node.args.get("format")
    if given is None:
        return []
    if not isinstance(given, exp.Literal):
        return [given]
    return [exp.Literal.string(str(Spark().generator().format_time(node)).strip("'"))]


def _concat(name: _SparkName, node: exp.Expr) -> str:
    """Adjacent string literals, 'it' 's', are one."""
    if not (node._meta and node.meta.get("name")) and all(isinstance(one, exp.Literal) for one in node.expressions):
        return "".join(one.name for one in node.expressions)
    return f"concat({', '.join(name(one) for one in node.expressions)})"


def _liked(name: _SparkName, node: exp.Expr) -> str:
    left, right = name(node.this), name(node.expression)
    text = f"ilike({left}, {right})" if isinstance(node, exp.ILike) else f"{left} LIKE {right}"
    return f"(NOT {text})" if node.args.get("negate") else text


_WRITERS: dict[type[exp.Expr], Callable[[_SparkName, exp.Expr], str]] = {
    **dict.fromkeys((exp.Column, exp.Dot), _SparkName.column),
    **dict.fromkeys((exp.Cast, exp.TryCast), _SparkName.cast),
    **dict.fromkeys((exp.Paren, exp.Ordered), lambda name, node: name(node.this)),
    exp.Literal: lambda name, node: str(node.name),
    exp.Null: lambda name, node: "NULL",
    exp.Boolean: lambda name, node: "true" if node.this else "false",
    exp.Star: lambda name, node: "1" if isinstance(node.parent, exp.Count) else "*",
    exp.NEQ: lambda name, node: f"(NOT ({name(node.this)} = {name(node.expression)}))",
    exp.Distinct: lambda name, node: "DISTINCT " + ", ".join(name(one) for one in node.expressions),
    exp.Case: _SparkName.case,
    exp.Is: lambda name, node: f"({name(node.this)} IS {name(node.expression)})",
    exp.Not: _SparkName.negated,
    exp.Neg: lambda name, node: f"(- {name(node.this)})",
    exp.BitwiseNot: lambda name, node: f"~{name(node.this)}",
    exp.DPipe: lambda name, node: f"concat({name(node.this)}, {name(node.expression)})",
    exp.Collate: lambda name, node: f"collate({name(node.this)}, {node.expression.name})",
    exp.Concat: _concat,
    exp.Bracket: _SparkName.bracket,
    **dict.fromkeys((exp.IgnoreNulls, exp.RespectNulls), lambda name, node: name(node.this)),
    exp.Between: lambda name, node: f"between({name(node.this)}, {name(node.args['low'])}, {name(node.args['high'])})",
    exp.In: _SparkName.listed,
    exp.Like: _liked,
    exp.ILike: _liked,
    exp.RegexpLike: lambda name, node: f"RLIKE({name(node.this)}, {name(node.expression)})",
    exp.If: _SparkName.when,
    exp.Struct: _SparkName.struct,
    **dict.fromkeys((exp.Map, exp.VarMap), _SparkName.map),
    exp.Window: _SparkName.window,
    exp.Filter: lambda name, node: f"{name(node.this)} FILTER (WHERE {name(node.expression.this)})",
    exp.Lambda: _SparkName.lambda_,
    exp.Extract: lambda name, node: f"extract({node.this.name} FROM {name(node.expression)})",
}
