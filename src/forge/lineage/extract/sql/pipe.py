"""Pipe syntax: each `|>` is a query over its input.

sqlglot turns some operators into CTEs with generated names. Here all become subqueries in FROM, so that the lineage has
only names from the code, and a table alias stays valid after the pipe."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import TokenType


class PipeParser(Parser):
    def _parse_pipe_syntax_query(self, query: exp.Query) -> exp.Query | None:
        here = _as_select(query)
        while self._match(TokenType.PIPE_GT):
            here = self._operator(here)
        return here

    def _operator(self, query: exp.Select) -> exp.Select:
        word = self._curr.text.upper() if self._curr else ""
        clauses = {
            "WHERE": self._pipe_where,
            "SELECT": self._pipe_select,
            "EXTEND": self._pipe_extend,
            "SET": self._pipe_set,
            "DROP": self._pipe_drop,
            "RENAME": self._pipe_rename,
            "AS": self._pipe_as,
            "AGGREGATE": self._pipe_aggregate,
            "DISTINCT": self._pipe_distinct,
            "PIVOT": self._pipe_pivot,
            "UNPIVOT": self._pipe_pivot,
            "LATERAL": self._pipe_lateral,
            "TABLESAMPLE": self._pipe_sample,
            "LIMIT": self._pipe_modifiers,
            "OFFSET": self._pipe_modifiers,
            "ORDER BY": self._pipe_modifiers,
            "SORT BY": self._pipe_modifiers,
            "CLUSTER BY": self._pipe_modifiers,
            "DISTRIBUTE BY": self._pipe_modifiers,
        }
        clause = clauses.get(word)
        return clause(query) if clause is not None else self._pipe_other(query, word)

    def _pipe_where(self, query: exp.Select) -> exp.Select:
        query = _plain(query)
        where = self._parse_where()
        before = query.args.get("where")
        if before is not None and where is not None:
            where = exp.Where(this=exp.And(this=before.this, expression=where.this))
        query.set("where", where)
        return query

    def _pipe_select(self, query: exp.Select) -> exp.Select:
        select = self._parse_select(consume_pipe=False, parse_set_operation=False)
        query = _plain(query)
        if isinstance(select, exp.Select):
            for part in ("expressions", "distinct", "windows", "hint"):
                query.set(part, select.args.get(part))
        return query

    def _pipe_extend(self, query: exp.Select) -> exp.Select:
        self._match_text_seq("EXTEND")
        query = _plain(query)
        query.set("expressions", [exp.Star(), *self._parse_expressions()])
        return query

    def _pipe_set(self, query: exp.Select) -> exp.Select:
        self._match_text_seq("SET")
        for assignment in self._parse_csv(self._parse_assigned):
            query = _plain(query, wrap=_is_changed(query))
            query.set("expressions", [exp.Star(replace=[assignment])])
        return query

    def _parse_assigned(self) -> exp.Expr | None:
        column = self._parse_id_var()
        self._match(TokenType.EQ)
        return self.expression(exp.Alias(this=self._parse_disjunction(), alias=column))

    def _pipe_drop(self, query: exp.Select) -> exp.Select:
        self._match_text_seq("DROP")
        query = _plain(query)
        names = self._parse_csv(self._parse_id_var)
        query.set("expressions", [exp.Star(except_=[exp.Column(this=name) for name in names])])
        return query

    def _pipe_rename(self, query: exp.Select) -> exp.Select:
        self._match_text_seq("RENAME")
        query = _plain(query)
        pairs = self._parse_csv(lambda: self._parse_alias(self._parse_column(), explicit=True))
        query.set("expressions", [exp.Star(rename=pairs)])
        return query

    def _pipe_as(self, query: exp.Select) -> exp.Select:
        alias = self._parse_table_alias()
        return _over(exp.Subquery(this=query, alias=alias))

    def _pipe_aggregate(self, query: exp.Select) -> exp.Select:
        self._match_text_seq("AGGREGATE")
        query = _plain(query)
        grouped = (TokenType.GROUP_BY, TokenType.PIPE_GT, TokenType.R_PAREN, TokenType.SEMICOLON)
        starts = self._curr is not None and self._curr.token_type not in grouped
        made = self._parse_csv(self._parse_projected) if starts else []
        keys: list[exp.Expr] = []
        if self._match(TokenType.GROUP_BY) or self._match_text_seq("GROUP", "AND"):
            self._match(TokenType.ORDER_BY)
            keys = self._parse_csv(self._parse_projected)
        query.set("expressions", [*keys, *made])
        query.set("group", exp.Group(expressions=[exp.Paren(this=_bare(key).copy()) for key in keys]) if keys else None)
        return query

    def _parse_projected(self) -> exp.Expr | None:
        this = self._parse_alias(self._parse_disjunction())
        self._match_set((TokenType.ASC, TokenType.DESC))
        if self._match_text_seq("NULLS"):
            self._match_texts(("FIRST", "LAST"))
        return this

    def _pipe_distinct(self, query: exp.Select) -> exp.Select:
        self._advance()
        query = _plain(query)
        query.set("distinct", exp.Distinct())
        return query

    def _pipe_pivot(self, query: exp.Select) -> exp.Select:
        pivots = self._parse_pivots()
        query = _plain(query)
        if (
            query.args.get("where") is not None
            or query.args.get("joins")
            or query.args["from_"].this.args.get("pivots")
        ):
            query = _over(exp.Subquery(this=query))
        query.args["from_"].this.set("pivots", pivots)
        return query

    def _pipe_lateral(self, query: exp.Select) -> exp.Select:
        query = _plain(query)
        lateral = self._parse_lateral()
        if lateral is not None:
            query.append("laterals", lateral)
        return query

    def _pipe_sample(self, query: exp.Select) -> exp.Select:
        self._parse_table_sample(as_modifier=True)
        return query

    def _pipe_modifiers(self, query: exp.Select) -> exp.Select:
        query = _plain(query)
        for name, found in (
            ("order", self._parse_order()),
            ("sort", self._parse_sort(exp.Sort, TokenType.SORT_BY)),
            ("cluster", self._parse_sort(exp.Cluster, TokenType.CLUSTER_BY)),
            ("distribute", self._parse_sort(exp.Distribute, TokenType.DISTRIBUTE_BY)),
            ("limit", self._parse_limit()),
            ("offset", self._parse_offset()),
        ):
            if found is not None:
                if name in ("order", "sort") and query.args.get(name) is not None:
                    query = _over(exp.Subquery(this=query))
                query.set(name, found)
        return query

    def _pipe_other(self, query: exp.Select, word: str) -> exp.Select:
        """A set operation or a join: both may start with the same words."""
        start = self._index
        join = self._parse_join()
        if join is not None:
            query = _plain(query)
            query.append("joins", join)
            return query
        self._retreat(start)
        united = self.parse_set_operation(exp.Subquery(this=query))
        if united is None:
            self._retreat(start)
            self.raise_error(f"Unsupported pipe syntax operator: '{word}'.")
            return query
        while self._match(TokenType.COMMA):
            more = self._parse_paren()
            united = type(united)(this=united, expression=more, **_setting(united))
        return _over(exp.Subquery(this=united))


def _setting(united: exp.Expr) -> dict[str, object]:
    return {key: united.args.get(key) for key in ("distinct", "by_name", "side", "kind", "on")}


def _bare(key: exp.Expr) -> exp.Expr:
    inner: exp.Expr = key.this if isinstance(key, exp.Alias) else key
    return inner


def _as_select(query: exp.Query) -> exp.Select:
    if isinstance(query, exp.Select) and query.args.get("from_") is not None:
        return query
    return _over(query if isinstance(query, exp.Subquery) else exp.Subquery(this=query))


def _over(item: exp.Expr) -> exp.Select:
    """CTEs of what is below can be seen from here too."""
    select = exp.Select(expressions=[exp.Star()], from_=exp.From(this=item))
    with_ = item.this.args.get("with_") if isinstance(item, exp.Subquery) else None
    if with_ is not None:
        select.set("with_", with_.pop())
    return select


_CLAUSES = ("group", "having", "qualify", "distinct", "limit", "offset", "windows", "into", "kind")


def _is_changed(query: exp.Select) -> bool:
    """It does more than hand on what is in FROM."""
    expressions = query.expressions
    star = len(expressions) == 1 and type(expressions[0]) is exp.Star and not any(expressions[0].args.values())
    return not star or any(query.args.get(clause) for clause in _CLAUSES)


def _plain(query: exp.Select, *, wrap: bool = True) -> exp.Select:
    """One that an operator can be added to: what was selected, grouped or cut off before is below it. The name of the
    only table goes on to be that of what was made from it."""
    if not wrap or not _is_changed(query):
        return query
    alias = None
    if not query.args.get("joins") and not query.args.get("group"):
        item = query.args["from_"].this
        name = item.args.get("alias").this if item.args.get("alias") is not None else None
        if name is None and isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier):
            name = item.this
        if name is not None:
            alias = exp.TableAlias(this=name.copy())
    return _over(exp.Subquery(this=query, alias=alias))
