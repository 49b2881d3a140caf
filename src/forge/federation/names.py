"""The relations that a query reads, by the names in its FROM clauses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sqlglot import exp

from forge.federation.relation import RelationName
from forge.federation.source import LAKE
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

PINNED = "forge_relation"  # the mark of a table that is what it names, whatever CTEs there are
# Of a table in FROM, what can stand beside its name. All else (versions, partitions, changes) is refused.
_TABLE_ARGS = frozenset({"this", "alias", "db", "catalog", "joins", "laterals", "pivots", "sample"})
_VERSIONS = ("VERSION", "TIMESTAMP")  # AS OF


def find_relations(tree: exp.Expr, sources: Collection[str]) -> tuple[RelationName, ...]:
    """Each once, in the order of the text. E108: a name that is no CTE, no table of a source, and no `schema.table`
    of the lake."""
    found = (resolve_relation(table, sources, ctes) for table, ctes in base_tables(tree))
    return tuple(dict.fromkeys(found))


def resolve_relation(table: exp.Table, sources: Collection[str], ctes: Collection[str] = ()) -> RelationName:
    """`source.table` and `source.schema.table` where the first part is a source in any case, or the source alone, which
    is that of files; else `schema.table` of the lake. E216: a version that no table has, or a source."""
    parts = [part.name for part in table.parts]
    source = _find_source(parts[0], sources)
    at = ref_of(table)
    if source is not None:
        refuse_clauses(table)
        return RelationName(source, tuple(parts[1:]))
    refuse_clauses(table, beside=("version",) if at else ())
    if len(parts) == 2:
        return RelationName(LAKE, tuple(parts), at)
    raise _unknown(parts, sources, ctes)


def ref_of(table: exp.Table) -> str:
    """The branch, tag, commit or time of `core.orders@dev` and `core.orders VERSION AS OF 'dev'`; empty: none is said
    as a text."""
    version = table.args.get("version")
    if not isinstance(version, exp.Version) or version.name.upper() not in _VERSIONS:
        return ""
    said = version.args.get("expression")
    return said.name.strip() if isinstance(said, exp.Literal) and said.is_string else ""


def set_ref(table: exp.Table, at: str) -> None:
    said = exp.Version(this="VERSION", kind="AS OF", expression=exp.Literal.string(at)) if at else None
    table.set("version", said)


def base_tables(tree: exp.Expr) -> Iterator[tuple[exp.Table, frozenset[str]]]:
    """The tables of all FROM clauses that are no CTEs and no functions, each with the CTEs that it could name."""
    yield from _base_tables(tree, frozenset())


def _base_tables(node: exp.Expr, ctes: frozenset[str]) -> Iterator[tuple[exp.Table, frozenset[str]]]:
    with_ = node.args.get("with_")
    if isinstance(with_, exp.With):
        for cte in with_.expressions:
            name = cte.alias.lower()
            yield from _base_tables(cte.this, ctes | {name} if with_.recursive else ctes)
            ctes |= {name}
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier | exp.Dot):
        is_cte = (
            len(node.parts) == 1 and node.name.lower() in ctes and not isinstance(node.meta.get(PINNED), RelationName)
        )
        if not is_cte:
            yield node, ctes
        elif node.args.get("version"):
            refuse_clauses(node)
    for child in node.iter_expressions():
        if child is not with_ and not isinstance(child, exp.Hint):  # which names tables of FROM again
            yield from _base_tables(child, ctes)


def _find_source(name: str, sources: Collection[str]) -> str | None:
    return next((one for one in sources if one == name), None) or next(
        (one for one in sources if one.lower() == name.lower()), None
    )


def refuse_clauses(table: exp.Table, beside: Collection[str] = ()) -> None:
    for name, value in table.args.items():
        if value and name not in _TABLE_ARGS and name not in beside:
            raise ForgeError(
                "E216",
                f"`{table.sql('spark')}` asks for more than a table",
                why="A table is read as it is now; one of the lake also at a branch, tag, commit or time.",
                fix="Write its name alone; of the lake, schema.table@branch.",
            )


def _unknown(parts: Sequence[str], sources: Collection[str], ctes: Collection[str]) -> ForgeError:
    written = ".".join(parts)
    near = did_you_mean(parts[0], (*sources, *ctes))
    if len(parts) == 1:
        why = "A table has the name schema.table in the lake, and source.table or source.schema.table elsewhere."
        return ForgeError("E108", f"unknown table {written}", why=why, fix=near)
    declared = f"There are {', '.join(sorted(sources))}." if sources else "None is declared."
    return ForgeError("E108", f"unknown source {parts[0]} of {written}", why=declared, fix=near)
