"""Qualified names in SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from forge.lineage.extract.paths import plain_path

_FORMATS = frozenset({"parquet", "csv", "json", "orc", "delta", "text", "avro", "binaryfile", "xml", "iceberg", "hudi"})
_FILE = re.compile(r"\.(csv|tsv|parquet|json|jsonl|ndjson|orc|avro|xml|txt|xlsx|gz)\Z", re.IGNORECASE)


def word_of(part: exp.Expr | str | None) -> str:
    """An identifier: in lower case unless quoted; #temporary and @variable keep their sign."""
    if part is None:
        return ""
    if isinstance(part, str):
        return part.lower()
    if isinstance(part, exp.Identifier):
        name = str(part.this) if part.args.get("quoted") else str(part.this).lower()
        return f"#{name}" if part.args.get("temporary") and not name.startswith("#") else name
    if isinstance(part, exp.Parameter):
        return f"${{{part.name}}}" if "expression" in part.args else f"@{part.name.lower()}"
    if isinstance(part, exp.Literal):
        return str(part.this)
    if isinstance(part, exp.Column | exp.ColumnDef | exp.Ordered | exp.Cast):
        return word_of(part.this)
    return part.name.lower() if not isinstance(part, exp.Var) else str(part.this)


def parts_of(table: exp.Table) -> tuple[str, ...]:
    """Empty: it is not a name but a function."""
    if isinstance(table.this, exp.Func | exp.Anonymous):
        return ()
    return tuple(word for part in table.parts if (word := word_of(part)))


def path_of(table: exp.Table) -> str:
    """The path in place of a table name (`parquet.`/data/x``, '/data/x.csv', @stage/x); else empty."""
    parts = parts_of(table)
    if not parts:
        return ""
    quoted = isinstance(table.this, exp.Literal | exp.Var) or bool(table.this.args.get("quoted"))
    last = parts[-1]
    if len(parts) == 2 and parts[0].lower() in _FORMATS and quoted:
        return plain_path(last) if "/" in last or ":" in last or _FILE.search(last) else ""
    if len(parts) == 1 and (last.startswith("@") and not isinstance(table.this, exp.Parameter)):
        return plain_path(last)
    if len(parts) == 1 and quoted and ("/" in last or _FILE.search(last)):
        return plain_path(last)
    return ""


def split_name(text: str) -> tuple[str, ...]:
    """A name as code writes it in a string: a.b, `a`.`b c`."""
    parts = re.findall(r'`((?:[^`]|``)*)`|"((?:[^"]|"")*)"|\[([^\]]*)\]|([^.`"\[\]]+)', text.strip())
    found = []
    for back, double, bracket, plain in parts:
        found.append(plain.strip().lower() if plain else back.replace("``", "`") or double or bracket)
    return tuple(part for part in found if part)


def table_named(parts: Sequence[str]) -> exp.Table:
    identifiers = [exp.to_identifier(part, quoted=True) for part in parts]
    return exp.Table(**dict(zip(("this", "db", "catalog"), reversed(identifiers[-3:]), strict=False)))
