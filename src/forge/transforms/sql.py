"""The inputs of a query, and the same query over pinned versions. The text is spliced, never regenerated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean, did_you_mean_table
from forge.model.names import TableName
from forge.transforms.sql_parse import ParsedQuery, parse_query, place_of, refuse_table_argument
from forge.transforms.transform import InputRef

CATALOG = "forge"


@dataclass(frozen=True, slots=True)
class ParameterRef:
    name: str
    line: int
    column: int


def find_inputs(text: str, file: str, known: Iterable[TableName] = ()) -> tuple[InputRef, ...]:
    """Every place where a table is read, in the order of the text. CTEs are no tables. `known`: existing tables, to
    suggest a schema for an unqualified name."""
    query = parse_query(text, file)
    references = _find_references(query, tuple(map(str, known)))
    _qualified_columns(query, references)
    return tuple(InputRef(r.table, *place_of(text, r.start)) for r in references)


def find_parameters(text: str, file: str) -> tuple[ParameterRef, ...]:
    """The first use of each `:parameter`, in the order of the text."""
    query = parse_query(text, file)
    used = {node.args.get("this") for node in query.tree.find_all(exp.Placeholder)}
    if None in used:
        mark = next(
            (t for t in query.tokens if t.token_type in (TokenType.PLACEHOLDER, TokenType.L_BRACE)), query.tokens[0]
        )
        raise ForgeError(
            "E206",
            f"'{mark.text}' is not a parameter here",
            where=query.where(mark.start),
            why="Parameters are bound by name.",
            fix="Write :name, and declare it under `params:` in forge.yaml.",
        )
    found: dict[str, ParameterRef] = {}
    for colon, name in pairwise(query.tokens):
        adjacent = colon.token_type == TokenType.COLON and name.start == colon.end + 1
        if adjacent and name.text in used and name.text not in found:
            found[name.text] = ParameterRef(name.text, *place_of(text, colon.start))
    return tuple(found.values())


def pin(text: str, places: Mapping[TableName, str], file: str = "query") -> str:
    """The query with every table replaced by its fragment of SQL, such as a table `VERSION AS OF` a snapshot.

    A table without an alias gets its own name as one, and columns written `core.orders.amount` become
    `orders.amount`. A closing `;` is dropped, so that the result can stand in parentheses. All else is kept."""
    query = parse_query(text, file)
    references = _find_references(query)
    splices: list[tuple[int, int, str]] = []
    for reference in references:
        splices += _splices_of(query, reference, places)
    splices += _qualified_columns(query, references)
    splices += [(t.start, t.end + 1, "") for t in query.tokens if t.token_type == TokenType.SEMICOLON]
    for start, end, new in sorted(splices, reverse=True):
        text = text[:start] + new + text[end:]
    return text


@dataclass(frozen=True)
class _Reference:
    """One real table in the text; `end` is the offset after its name."""

    table: TableName
    name: str  # the last part as written
    node: exp.Table
    start: int
    end: int

    @property
    def has_alias(self) -> bool:
        return self.node.args.get("alias") is not None

    @property
    def query(self) -> exp.Expr | None:
        return self.node.find_ancestor(exp.Select)


def _find_references(query: ParsedQuery, known: tuple[str, ...] = ()) -> tuple[_Reference, ...]:
    """In the order of the text. All errors about the tables of a query are raised together."""
    for call in query.tree.find_all(exp.Anonymous):
        if call.name.upper() == "TABLE":
            column = call.find(exp.Column)
            raise refuse_table_argument(query.text, query.file, column.parts[0].meta["start"] if column else 0)
    found: dict[int, _Reference] = {}
    errors: dict[int, ForgeError] = {}
    for node in query.tree.find_all(exp.Table):
        start = int(node.parts[0].meta.get("start", 0))
        if node.find_ancestor(exp.Hint) or start in found:  # pipes copy parts of the tree
            continue
        try:
            reference = _read_reference(query, node, start, known)
        except ForgeError as error:
            errors[start] = error
            continue
        if reference:
            found[start] = reference
    raise_errors(error for _, error in sorted(errors.items()))
    return tuple(reference for _, reference in sorted(found.items()))


def _read_reference(query: ParsedQuery, node: exp.Table, start: int, known: tuple[str, ...]) -> _Reference | None:
    parts = node.parts
    if isinstance(node.this, exp.Func):
        if node.name.upper() == "IDENTIFIER" or node.this.name.upper() == "IDENTIFIER":
            raise _unpinnable(
                query, start, "IDENTIFIER(…) hides which table is read", "Write the name of the table itself."
            )
        return None  # a table function such as range(10) or explode(xs)
    names = [part.name for part in parts]
    if any("end" not in part.meta for part in parts):  # a parameter, or what the parser made up
        raise _unknown(query, start, ".".join(names), "The name of a table is written out.")
    if len(names) == 1:
        _require_cte(query, node, names[0], start, known)
        return None
    if node.args.get("version") or node.args.get("when"):
        raise _unpinnable(
            query,
            start,
            f"{'.'.join(names)} is read at a version of its own",
            "Remove the AS OF clause; run on a branch, or read it with f.table(…, at=…) in Python.",
        )
    if names[0].lower() == CATALOG and len(names) == 3:
        names = names[1:]
    if len(names) != 2:
        raise _unknown(
            query, start, ".".join(names), f"Tables are named schema.table; only {CATALOG}. may stand before."
        )
    try:
        table = TableName.parse(".".join(names))
    except ForgeError as error:
        raise _unknown(
            query, start, ".".join(names), "A file or a name with other characters is no table of the lake."
        ) from error
    return _Reference(table, names[-1], node, start, int(parts[-1].meta["end"]) + 1)


def _require_cte(query: ParsedQuery, node: exp.Table, name: str, start: int, known: tuple[str, ...]) -> None:
    visible = tuple(_visible_ctes(node))
    if name.lower() in (cte.lower() for cte in visible):
        return
    near = did_you_mean(name, visible) or did_you_mean_table(name, known)
    raise ForgeError(
        "E202",
        f"unknown table '{name}'",
        where=query.where(start),
        why="A name of one part must be a CTE of this query; tables are named schema.table.",
        fix=near or f"Write the schema too, such as core.{name}.",
    )


def _visible_ctes(node: exp.Expr) -> Iterator[str]:
    """Innermost first. A CTE sees those written before it, and itself only when the WITH is recursive."""
    child: exp.Expr = node
    parent = node.parent
    while parent is not None:
        if isinstance(parent, exp.With):
            for cte in parent.expressions:
                if cte is child and not parent.args.get("recursive"):
                    break
                yield cte.alias
                if cte is child:
                    break
        elif (with_ := parent.args.get("with_")) is not None and with_ is not child:
            yield from (cte.alias for cte in with_.expressions)
        child, parent = parent, parent.parent


def _unknown(query: ParsedQuery, start: int, name: str, why: str) -> ForgeError:
    return ForgeError(
        "E202",
        f"'{name}' is not a table of the lake",
        where=query.where(start),
        why=why,
        fix="Write it like core.orders, or declare the data under sources/.",
    )


def _unpinnable(query: ParsedQuery, start: int, what: str, fix: str) -> ForgeError:
    return ForgeError(
        "E206",
        what,
        where=query.where(start),
        why="A run pins every input to one version itself, so that its result can be traced and repeated.",
        fix=fix,
    )


def _splices_of(
    query: ParsedQuery, reference: _Reference, places: Mapping[TableName, str]
) -> Iterator[tuple[int, int, str]]:
    if reference.table not in places:
        near = did_you_mean(str(reference.table), map(str, places))
        raise ForgeError("E202", f"unknown table {reference.table}", where=query.where(reference.start), fix=near)
    before = max((t.start for t in query.tokens if t.end < reference.start), default=-1)
    if before in query.table_words:  # Spark takes only a bare name after TABLE
        yield before, before + len("TABLE"), "SELECT * FROM"
    alias = "" if reference.has_alias else f" AS {_quoted(reference.name)}"
    at = _end_of_sample(query, reference)
    if at == reference.end:
        yield reference.start, reference.end, places[reference.table] + alias
    else:
        yield reference.start, reference.end, places[reference.table]
        yield at, at, alias


def _end_of_sample(query: ParsedQuery, reference: _Reference) -> int:
    """Where an alias may follow: after the name, and after TABLESAMPLE (…) REPEATABLE (…) if present."""
    end = reference.end
    depth = 0
    inside = False
    for token in query.tokens:
        if token.start < reference.end:
            continue
        if depth == 0 and token.token_type != TokenType.L_PAREN:
            if token.token_type != TokenType.TABLE_SAMPLE and not (inside and token.text.upper() == "REPEATABLE"):
                break
            inside = True
        elif not inside:
            break
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        end = token.end + 1
    return end


def _qualified_columns(query: ParsedQuery, references: tuple[_Reference, ...]) -> tuple[tuple[int, int, str], ...]:
    """Splices that drop the schema from columns such as `core.orders.amount`: the alias of the table has none."""
    bare = [reference for reference in references if not reference.has_alias]
    found: set[tuple[int, int, str]] = set()
    for column in query.tree.find_all(exp.Column):
        parts = column.parts
        names = [part.name.lower() for part in parts]
        skipped = 1 if names[0] == CATALOG and len(names) > 3 else 0
        if len(names) < skipped + 3:
            continue
        wanted = tuple(names[skipped : skipped + 2])
        selects = list(_selects_around(column))
        for owner in (r for r in bare if (r.table.schema, r.table.name) == wanted):
            if owner.query in selects or query.has_pipes:
                start, end = int(parts[0].meta["start"]), int(parts[skipped + 1].meta["start"])
                _refuse_capture(query, owner, selects, start)
                found.add((start, end, ""))
                break
    return tuple(found)


def _selects_around(node: exp.Expr) -> Iterator[exp.Expr]:
    """The SELECTs whose tables a column can name, innermost first. A CTE sees nothing of the query around it."""
    parent = node.parent
    while parent is not None and not isinstance(parent, exp.CTE):
        if isinstance(parent, exp.Select):
            yield parent
        parent = parent.parent


def _refuse_capture(query: ParsedQuery, owner: _Reference, selects: list[exp.Expr], start: int) -> None:
    """`core.orders.id` may become `orders.id` only where no other relation is called `orders`."""
    called_the_same = 0
    for select in selects:
        called_the_same += sum(
            source.alias_or_name.lower() == owner.table.name
            for source in select.find_all(exp.Table, exp.Subquery, exp.Lateral, exp.Values)
            if source.find_ancestor(exp.Select) is select and not source.find_ancestor(exp.Hint)
        )
        if select is owner.query:
            break
    if called_the_same > 1:
        raise ForgeError(
            "E206",
            f"two relations here are called {owner.table.name}, and a column is told apart by its schema only",
            where=query.where(start),
            why="Every table is read under an alias, which has no schema.",
            fix=f"Give each an alias: {owner.table} AS a, and write a.… for its columns.",
        )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
