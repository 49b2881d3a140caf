"""Queries put together at random, with the edges they must give: whoever composes a query knows what goes where, and no
parser is asked. Fields of structs are told as `table.column.field`.

What tools may rightly see otherwise is left out: the right side of EXCEPT, keys of USING, and names that Spark itself
gives to expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random

Sources = frozenset[str]
NONE: Sources = frozenset()

TABLES: Mapping[str, Mapping[str, str]] = {
    "shop.orders": {
        "id": "bigint",
        "customer_id": "bigint",
        "status": "string",
        "amount": "int",
        "day": "string",
        "address": "struct<city:string,zip:string>",
        "tags": "array<string>",
    },
    "shop.customers": {"id": "bigint", "name": "string", "email": "string", "country": "string", "since": "string"},
    "shop.lines": {"order_id": "bigint", "line": "int", "sku": "string", "price": "int", "qty": "int"},
    "ref.countries": {"code": "string", "name": "string", "region": "string"},
    "ref.rates": {"currency": "string", "day": "string", "rate": "double"},
    "hr.staff": {"id": "bigint", "name": "string", "boss_id": "bigint", "pay": "int", "contact": "struct<mail:string>"},
    "mart.wide": {f"w{place}": "string" for place in range(1, 13)},
}
READ = tuple(name for name in TABLES if not name.startswith("mart."))
DEPTH = 3  # of queries in queries
FIELDS = {"address": ("city", "zip"), "contact": ("mail",)}
TOPICS = (
    *("select", "join", "cte", "recursive", "subquery", "set", "window", "aggregate"),
    *("star", "struct", "lateral", "scalar", "alias", "lambda", "script"),
)


@dataclass(frozen=True)
class Column:
    """`kind`: scalar, struct or array. `origin`: what a struct was called where it comes from."""

    name: str
    sources: Sources
    kind: str = "scalar"
    origin: str = ""


@dataclass(frozen=True)
class Rows:
    """Rows under a name in FROM."""

    alias: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Query:
    sql: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Made:
    """A statement, what it is about, and (source column, target column) of all its direct edges."""

    sql: str
    topic: str
    pairs: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Scope:
    """What a SELECT can name. `ctes` are those around it."""

    rows: tuple[Rows, ...]
    ctes: Mapping[str, tuple[Column, ...]] = field(default_factory=dict)

    @property
    def all(self) -> list[tuple[Rows, Column]]:
        return [(rows, column) for rows in self.rows for column in rows.columns]

    def is_plain(self, name: str) -> bool:
        """Whether the name alone is enough."""
        return sum(column.name == name for _, column in self.all) == 1


def random_query(seed: int) -> Made:
    chance = Random(seed)
    topic = TOPICS[seed % len(TOPICS)]
    return _Composer(chance, topic).statement()


class _Composer:
    def __init__(self, chance: Random, topic: str) -> None:
        self.chance = chance
        self.topic = topic
        self.count = 0

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def odds(self, share: float, topic: str = "") -> bool:
        return self.chance.random() < (0.75 if topic == self.topic else share)

    # --- statements ------------------------------------------------------------------------------------------------

    def statement(self) -> Made:
        views: dict[str, tuple[Column, ...]] = {}
        before = self.temporary_views(views) if self.odds(0.03, "script") else ""
        query = self.query(views, DEPTH)
        wide = list(TABLES["mart.wide"])
        fits = len(query.columns) <= len(wide)
        ways = {"create": 12, "view": 4, "listed": 2, "columns": 2 * fits, "insert": 2 * fits}
        way = self.chance.choices(list(ways), list(ways.values()))[0]
        names = [column.name for column in query.columns]
        target = "mart.made"
        match way:
            case "create":
                sql = f"CREATE TABLE mart.made AS\n{query.sql}"
            case "view":
                sql = f"CREATE VIEW mart.made AS\n{query.sql}"
            case "listed":
                names = [self.fresh("v") for _ in names]
                sql = f"CREATE OR REPLACE VIEW mart.made ({', '.join(names)}) AS\n{query.sql}"
            case "columns":
                names = self.chance.sample(wide, len(names))
                target = "mart.wide"
                sql = f"INSERT INTO mart.wide ({', '.join(names)})\n{query.sql}"
            case _:
                target = "mart.wide"
                rest = ["NULL"] * (len(wide) - len(names))
                inner = self.fresh("q")
                items = ", ".join([f"{inner}.*", *rest])
                sql = f"INSERT INTO mart.wide\nSELECT {items} FROM (\n{query.sql}\n) AS {inner}"
                names = wide[: len(names)]
        sql = before + sql
        pairs = {(s, f"{target}.{n}") for n, column in zip(names, query.columns, strict=True) for s in column.sources}
        return Made(sql, self.topic, frozenset(pairs))

    def temporary_views(self, views: dict[str, tuple[Column, ...]]) -> str:
        """A later one of the same name replaces the other. Each may read those before it that stay: Spark reads a view
        anew whenever it is used."""
        text = ""
        names = self.chance.choices(["view_a", "view_b"], k=self.chance.randint(1, 3))
        for place, name in enumerate(names):
            query = self.query({one: views[one] for one in views if one not in names[place:]}, 1)
            text += f"CREATE OR REPLACE TEMPORARY VIEW {name} AS\n{query.sql};\n"
            views[name] = query.columns
        return text

    # --- queries ---------------------------------------------------------------------------------------------------

    def query(self, ctes: Mapping[str, tuple[Column, ...]], depth: int, width: int = 0) -> Query:
        """`width`: so many scalar columns; 0: as it comes."""
        if depth > 0 and (self.odds(0.15, "cte") or (self.topic == "recursive" and depth == DEPTH)):
            return self.with_ctes(ctes, depth, width)
        if depth > 0 and self.odds(0.1, "set"):
            return self.set_operation(ctes, depth, width)
        return self.select(ctes, depth, width)

    def with_ctes(self, outer: Mapping[str, tuple[Column, ...]], depth: int, width: int) -> Query:
        """Names come from a small pool, so an inner one often hides an outer one."""
        ctes = dict(outer)
        parts: list[str] = []
        count = self.chance.randint(1, 3)
        names = self.chance.sample(["base", "picked", "joined", "final", "ranked"], count)
        walk = self.chance.randrange(count) if self.odds(0.02, "recursive") else -1
        for place, name in enumerate(names):
            if place == walk:
                ctes[name] = self.walk(name, parts)
                continue
            # In a recursive list a name is itself; elsewhere it is the one outside until it is made.
            around = {one: columns for one, columns in ctes.items() if walk < 0 or one != name}
            query = self.query(around, depth - 1)
            columns, listed = self.relabelled(query.columns)
            parts.append(f"{name}{listed} AS (\n{query.sql}\n)")
            ctes[name] = columns
        # One made just now is read, so that it is not for nothing.
        body = self.select(ctes, depth - 1, width, first=name)
        return Query(f"WITH {'RECURSIVE ' * (walk >= 0)}{', '.join(parts)}\n{body.sql}", body.columns)

    def walk(self, name: str, parts: list[str]) -> tuple[Column, ...]:
        """Up a hierarchy."""
        parts.append(
            f"{name} AS (\nSELECT id, boss_id, name AS path, 0 AS level FROM hr.staff WHERE boss_id IS NULL\n"
            f"UNION ALL\nSELECT s.id, s.boss_id, concat(r.path, '/', s.name), r.level + 1 FROM hr.staff AS s "
            f"JOIN {name} AS r ON s.boss_id = r.id\n)"
        )
        plain = [Column(one, frozenset({f"hr.staff.{one}"})) for one in ("id", "boss_id")]
        return (*plain, Column("path", frozenset({"hr.staff.name"})), Column("level", NONE))

    def relabelled(self, columns: tuple[Column, ...]) -> tuple[tuple[Column, ...], str]:
        """Sometimes under other names, as `name(a, b)` gives them."""
        if not self.odds(0.2):
            return columns, ""
        named = tuple(replace(column, name=self.fresh("n")) for column in columns)
        return named, f"({', '.join(column.name for column in named)})"

    def set_operation(self, ctes: Mapping[str, tuple[Column, ...]], depth: int, width: int) -> Query:
        first = self.select(ctes, depth - 1, width or self.chance.randint(1, 4), scalar=True)
        columns = first.columns
        text = first.sql
        for _ in range(self.chance.randint(1, 2)):
            word = self.chance.choice(["UNION ALL", "UNION", "UNION ALL", "INTERSECT"])
            other = self.select(ctes, depth - 1, len(columns), scalar=True)
            text = f"({text})\n{word}\n({other.sql})" if self.odds(0.5) else f"{text}\n{word}\n{other.sql}"
            both = zip(columns, other.columns, strict=True)
            columns = tuple(Column(one.name, one.sources | two.sources) for one, two in both)
        return Query(text, columns)

    def select(
        self,
        ctes: Mapping[str, tuple[Column, ...]],
        depth: int,
        width: int = 0,
        first: str = "",
        scalar: bool = False,
    ) -> Query:
        scope, source = self.tables(ctes, depth, first)
        if self.odds(0.15, "aggregate"):
            return self.grouped(scope, source, width)
        wanted = width or self.chance.randint(1, 6)
        items: list[tuple[str, list[Column]]] = []
        if not width and not scalar and self.odds(0.15, "star"):
            items += self.star(scope)
        taken = {column.name for _, columns in items for column in columns}
        while len(items) < wanted if not width else sum(len(columns) for _, columns in items) < width:
            named = [columns[0] for _, columns in items if columns[0].name.startswith("a") and len(columns) == 1]
            if named and self.odds(0.03, "alias"):
                text, column = self.lateral_alias(scope, self.chance.choice(named))
            else:
                text, column = self.item(scope, taken, scalar or bool(width))
            taken.add(column.name)
            items.append((text, [column]))
        clause = ""
        if not width and self.odds(0.03, "window"):
            item, clause = self.named_window(scope)
            items.append(item)
        text = f"SELECT {'DISTINCT ' * self.odds(0.08)}{', '.join(one for one, _ in items)}\nFROM {source}"
        text += self.where(scope) + clause
        return Query(text, tuple(column for _, columns in items for column in columns))

    def grouped(self, scope: Scope, source: str, width: int) -> Query:
        keys = [self.reference(scope, *self.pick(scope)) for _ in range(self.chance.randint(1, 2))]
        items: list[tuple[str, Column]] = []
        for text, sources in keys[: width or None]:
            name = self.fresh("k")
            items.append((f"{text} AS {name}", Column(name, sources)))
        while len(items) < (width or len(keys) + 2):
            text, sources = self.aggregate(scope)
            name = self.fresh("m")
            items.append((f"{text} AS {name}", Column(name, sources)))
        text = f"SELECT {', '.join(one for one, _ in items)}\nFROM {source}{self.where(scope)}"
        text += f"\nGROUP BY {', '.join(text for text, _ in keys)}"
        if self.odds(0.3):
            text += f"\nHAVING {self.aggregate(scope)[0]} IS NOT NULL"
        return Query(text, tuple(column for _, column in items))

    # --- FROM ------------------------------------------------------------------------------------------------------

    def tables(self, ctes: Mapping[str, tuple[Column, ...]], depth: int, first: str) -> tuple[Scope, str]:
        rows, text = self.table(ctes, depth, first)
        all_rows = [rows]
        visible = 0  # from here on, for ON: a comma binds less than JOIN
        for _ in range(self.chance.choice([1, 1, 2]) if self.odds(0.35, "join") else 0):
            other, source = self.table(ctes, depth, "")
            left, right = self.pick(Scope(tuple(all_rows[visible:]))), self.pick(Scope((other,)))
            condition = f"{self.qualified(*left)} = {self.qualified(*right)}"
            match self.chance.choice(["JOIN", "LEFT JOIN", "FULL OUTER JOIN", "CROSS JOIN", ","]):
                case "CROSS JOIN":
                    text += f"\nCROSS JOIN {source}"
                case ",":
                    text += f", {source}"
                    visible = len(all_rows)
                case word:
                    text += f"\n{word} {source} ON {condition}"
            all_rows.append(other)
        arrays = [(one, column) for one in all_rows for column in one.columns if column.kind == "array"]
        if arrays and self.odds(0.1, "lateral"):
            owner, column = self.chance.choice(arrays)
            alias, name = self.fresh("x"), self.fresh("e")
            text += f"\nLATERAL VIEW explode({self.qualified(owner, column)}) {alias} AS {name}"
            all_rows.append(Rows(alias, (Column(name, column.sources),)))
        return Scope(tuple(all_rows), ctes), text

    def table(self, ctes: Mapping[str, tuple[Column, ...]], depth: int, first: str) -> tuple[Rows, str]:
        alias = self.fresh("t")
        if first or (ctes and self.odds(0.5)):
            name = first or self.chance.choice(sorted(ctes))
            if first and self.odds(0.3):
                return Rows(name, ctes[name]), name
            return Rows(alias, ctes[name]), f"{name} {'AS ' * self.odds(0.7)}{alias}"
        if depth > 0 and self.odds(0.15, "subquery"):
            query = self.query(ctes, depth - 1)
            columns, listed = self.relabelled(query.columns)
            return Rows(alias, columns), f"(\n{query.sql}\n) AS {alias}{listed}"
        if self.odds(0.03):
            names = [self.fresh("c") for _ in range(2)]
            listed = f"(VALUES (1, 'a'), (2, 'b')) AS {alias}({', '.join(names)})"
            return Rows(alias, tuple(Column(one, NONE) for one in names)), listed
        some = {"lateral": ["shop.orders"], "lambda": ["shop.orders"], "struct": ["shop.orders", "hr.staff"]}
        name = self.chance.choice(some.get(self.topic, READ))
        return Rows(alias, columns_of(name)), f"{name} {'AS ' * self.odds(0.5)}{alias}"

    # --- SELECT ----------------------------------------------------------------------------------------------------

    def star(self, scope: Scope) -> list[tuple[str, list[Column]]]:
        names = [column.name for _, column in scope.all]
        if len(set(names)) == len(names) and self.odds(0.5):
            return [("*", [column for _, column in scope.all])]
        rows = self.chance.choice(scope.rows)
        if len(rows.columns) > 1 and self.odds(0.3):
            gone = self.chance.choice(rows.columns)
            kept = [column for column in rows.columns if column is not gone]
            return [(f"{rows.alias}.* EXCEPT ({gone.name})", kept)]
        return [(f"{rows.alias}.*", list(rows.columns))]

    def item(self, scope: Scope, taken: set[str], scalar: bool) -> tuple[str, Column]:
        structs = [(rows, column) for rows, column in scope.all if column.kind == "struct"]
        if structs and not scalar and self.odds(0.1):
            rows, column = self.chance.choice(structs)
            name = self.fresh("s")
            return f"{self.qualified(rows, column)} AS {name}", replace(column, name=name)
        if self.odds(0.35):
            rows, column = self.pick(scope)
            text, sources = self.reference(scope, rows, column)
            if column.name not in taken and self.odds(0.6):
                return text, Column(column.name, sources)
        else:
            text, sources = self.expression(scope, 2)
        name = self.fresh("a")
        word = " AS " if self.odds(0.8) else " "
        return f"{text}{word}{name}", Column(name, sources)

    def lateral_alias(self, scope: Scope, earlier: Column) -> tuple[str, Column]:
        """A column by the name it was given a moment before in the same SELECT, if nothing in FROM is called so."""
        if any(column.name == earlier.name for _, column in scope.all):
            return self.item(scope, {earlier.name}, scalar=True)
        name = self.fresh("z")
        return f"concat({earlier.name}, '!') AS {name}", Column(name, earlier.sources)

    def named_window(self, scope: Scope) -> tuple[tuple[str, list[Column]], str]:
        (key, by), (text, sources) = self.reference(scope, *self.pick(scope)), self.reference(scope, *self.pick(scope))
        name, window = self.fresh("a"), self.fresh("win")
        column = Column(name, by | sources)
        return (f"sum({text}) OVER {window} AS {name}", [column]), f"\nWINDOW {window} AS (PARTITION BY {key})"

    def where(self, scope: Scope) -> str:
        if not self.odds(0.4):
            return ""
        rows, column = self.pick(scope)
        text, _ = self.reference(scope, rows, column)
        if self.odds(0.25):
            inner, found = self.fresh("i"), self.chance.choice(READ)
            key = self.chance.choice([one.name for one in columns_of(found) if one.kind == "scalar"])
            same = f"{inner}.{key} = {self.qualified(rows, column)}"
            return f"\nWHERE EXISTS (SELECT 1 FROM {found} AS {inner} WHERE {same})"
        return f"\nWHERE {text} {self.chance.choice(['IS NOT NULL', '> 10', 'IN (1, 2, 3)'])}"

    # --- expressions -----------------------------------------------------------------------------------------------

    def expression(self, scope: Scope, depth: int) -> tuple[str, Sources]:
        if depth == 0 or self.odds(0.2):
            return self.leaf(scope)
        if self.odds(0.12, "window"):
            return self.window(scope)
        if self.odds(0.05, "scalar"):
            return self.scalar(scope)
        return self.chance.choice(_FORMS)(self, scope, depth - 1)

    def leaf(self, scope: Scope) -> tuple[str, Sources]:
        structs = [(rows, column) for rows, column in scope.all if column.kind == "struct"]
        if structs and self.odds(0.2, "struct"):
            rows, column = self.chance.choice(structs)
            inner = self.chance.choice(FIELDS[column.origin])
            return f"{self.qualified(rows, column)}.{inner}", frozenset(f"{one}.{inner}" for one in column.sources)
        arrays = [(rows, column) for rows, column in scope.all if column.kind == "array"]
        if arrays and self.odds(0.05, "lambda"):
            rows, column = self.chance.choice(arrays)
            other, more = self.reference(scope, *self.pick(scope))
            each = f"transform({self.qualified(rows, column)}, one -> concat(one, {other}))"
            return f"concat_ws(',', {each})", column.sources | more
        if self.odds(0.1):
            return self.chance.choice(["1", "'x'", "NULL", "version()"]), NONE
        return self.reference(scope, *self.pick(scope))

    def several(self, scope: Scope, depth: int, count: int) -> tuple[list[str], Sources]:
        parts = [self.expression(scope, depth) for _ in range(count)]
        return [text for text, _ in parts], frozenset().union(*(sources for _, sources in parts))

    def aggregate(self, scope: Scope) -> tuple[str, Sources]:
        text, sources = self.leaf(scope)
        match self.chance.choice(["sum", "max", "distinct", "star", "filter", "case"]):
            case "distinct":
                return f"count(DISTINCT {text})", sources
            case "star":
                return "count(*)", NONE
            case "filter":
                other, more = self.reference(scope, *self.pick(scope))
                return f"sum({text}) FILTER (WHERE {other} IS NOT NULL)", sources | more
            case "case":
                other, more = self.reference(scope, *self.pick(scope))
                return f"sum(CASE WHEN {other} IS NOT NULL THEN {text} ELSE 0 END)", sources | more
            case word:
                return f"{word}({text})", sources

    def window(self, scope: Scope) -> tuple[str, Sources]:
        (key, by), (order, sort) = (self.reference(scope, *self.pick(scope)) for _ in range(2))
        over = f"OVER (PARTITION BY {key} ORDER BY {order} DESC)"
        match self.chance.choice(["rank", "lag", "sum"]):
            case "rank":
                return f"row_number() {over}", by | sort
            case "lag":
                text, sources = self.leaf(scope)
                return f"lag({text}, 1) {over}", sources | by | sort
            case _:
                text, sources = self.leaf(scope)
                return f"sum({text}) OVER (PARTITION BY {key})", sources | by

    def scalar(self, scope: Scope) -> tuple[str, Sources]:
        name = self.chance.choice(READ)
        inner = Rows(self.fresh("i"), columns_of(name))
        rows, column = self.pick(Scope((inner,)))
        _, key = self.pick(Scope((inner,)))
        outer = self.qualified(*self.pick(scope))
        where = f"{inner.alias}.{key.name} = {outer}"
        return (
            f"(SELECT max({self.qualified(rows, column)}) FROM {name} AS {inner.alias} WHERE {where})",
            column.sources,
        )

    # --- names -----------------------------------------------------------------------------------------------------

    def pick(self, scope: Scope) -> tuple[Rows, Column]:
        found = [(rows, column) for rows, column in scope.all if column.kind == "scalar"]
        return self.chance.choice(found or scope.all)

    def reference(self, scope: Scope, rows: Rows, column: Column) -> tuple[str, Sources]:
        """Without its table where that is enough, in another case now and then."""
        if not scope.is_plain(column.name) or self.odds(0.5):
            return self.qualified(rows, column), column.sources
        name = column.name.upper() if self.odds(0.1) else column.name
        return (f"`{column.name}`" if self.odds(0.05) else name), column.sources

    def qualified(self, rows: Rows, column: Column) -> str:
        return f"{rows.alias}.{column.name}"


def _call(word: str, count: int) -> Callable[[_Composer, Scope, int], tuple[str, Sources]]:
    def form(composer: _Composer, scope: Scope, depth: int) -> tuple[str, Sources]:
        parts, sources = composer.several(scope, depth, count)
        return f"{word}({', '.join(parts)})", sources

    return form


def _sum(composer: _Composer, scope: Scope, depth: int) -> tuple[str, Sources]:
    parts, sources = composer.several(scope, depth, 2)
    if composer.odds(0.5):
        return f"({parts[0]} || {parts[1]})", sources
    return f"(length({parts[0]}) {composer.chance.choice('+-*')} length({parts[1]}))", sources


def _cast(composer: _Composer, scope: Scope, depth: int) -> tuple[str, Sources]:
    text, sources = composer.expression(scope, depth)
    return f"CAST({text} AS STRING)", sources


def _case(composer: _Composer, scope: Scope, depth: int) -> tuple[str, Sources]:
    parts, sources = composer.several(scope, depth, 3)
    return f"CASE WHEN {parts[0]} = '1' THEN {parts[1]} ELSE {parts[2]} END", sources


_FORMS = (_sum, _cast, _case, _call("coalesce", 2), _call("concat", 3), _call("upper", 1))


def columns_of(table: str) -> tuple[Column, ...]:
    return tuple(_columns(table))


def _columns(table: str) -> Iterator[Column]:
    for name, kind in TABLES[table].items():
        source = frozenset({f"{table}.{name}"})
        shape = kind.partition("<")[0]
        yield Column(name, source, shape if shape in ("struct", "array") else "scalar", name)
