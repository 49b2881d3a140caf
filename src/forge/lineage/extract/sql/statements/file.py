"""Statements between tables and files: COPY, LOAD DATA, UNLOAD, EXPORT DATA."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.errors import SqlglotError

from forge.lineage.extract.paths import plain_path
from forge.lineage.extract.program import BY_POSITION, OutputKind
from forge.lineage.extract.relation import Relation, copy_of
from forge.lineage.extract.sql.names import path_of, word_of
from forge.lineage.extract.sql.rows import InsertMapping, fitted, rows_of
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.statements.insert import partitions
from forge.lineage.extract.sql.syntax.grammar import dialect_of
from forge.lineage.extract.sql.target import WriteContent, WriteTarget
from forge.lineage.extract.value import NOTHING

_UNLOAD = re.compile(r"\A\s*UNLOAD\s*\((?P<query>.*)\)\s*TO\s+'(?P<path>[^']*)'", re.IGNORECASE | re.DOTALL)
_LOAD = re.compile(
    r"\ALOAD\s+DATA\s+.*?IN(?:FILE|PATH)\s+'(?P<path>[^']*)'.*?INTO\s+TABLE\s+(?P<table>[\w.`]+)"
    r"(?:.*?\((?P<columns>[^()']*)\))?",
    re.IGNORECASE | re.DOTALL,
)


def copy(state: SessionState, node: exp.Copy) -> None:
    into = node.this
    files = [one for one in node.args.get("files") or () if isinstance(one, exp.Expr)]
    if not files or into is None:
        return
    out = path_of(into) or None if isinstance(into, exp.Table) else None
    if node.args.get("kind") and out is None:
        _load(state, into, files)
        return
    # COPY … TO 'file', or COPY INTO @stage FROM t
    source, path = (files[0], out) if out is not None else (into, _path(files[0]))
    if path is None:
        state.gap(0, "the file of this COPY is not known")
        return
    to_file(state, path, rows_of(state, source))


def _path(one: exp.Expr) -> str | None:
    if isinstance(one, exp.Literal):
        return str(one.this)
    if isinstance(one, exp.Table):
        return path_of(one) or one.name or None
    return one.name or None


def to_file(state: SessionState, path: str, relation: Relation) -> None:
    columns = {one.name: one.value for one in relation.columns}
    written = WriteContent(columns, relation.shaped, relation.reads, relation.open)
    state.put(WriteTarget(plain_path(path), None, OutputKind.FILE), written, whole=True)


def _load(state: SessionState, into: exp.Expr, files: list[exp.Expr]) -> None:
    table = into.this if isinstance(into, exp.Schema) else into
    if not isinstance(table, exp.Table):
        state.gap(0, "the target of this COPY is not understood")
        return
    target = state.target(table)
    listed = tuple(word_of(one) for one in into.expressions) if isinstance(into, exp.Schema) else ()
    first = files[0]
    if isinstance(first, exp.Subquery) and isinstance(first.this, exp.Query):
        relation = rows_of(state, first.this)
        fit = InsertMapping(by_name=state.dialect in ("databricks", "spark"), columns=listed)
        state.put(target, fitted(state, target, relation, fit))
        return
    for one in files:
        path = _path(one)
        if path is None:
            state.gap(0, "the file of this COPY is not known")
            continue
        from_file(state, target, path, listed)


def from_file(
    state: SessionState, target: WriteTarget, path: str, columns: tuple[str, ...] = (), fixed: tuple[str, ...] = ()
) -> None:
    """What columns a file has is known only where the statement lists them."""
    path = plain_path(path)
    values = {
        **{name: copy_of(path, name, confidence=BY_POSITION) for name in columns},
        **dict.fromkeys(fixed, NOTHING),
    }
    state.put(target, WriteContent(values, reads=frozenset({path}), open=() if columns else (path,)))


def load(state: SessionState, node: exp.LoadData) -> None:
    if not isinstance(node.this, exp.Table):
        state.gap(0, "the target of this LOAD DATA is not understood")
        return
    target = state.target(node.this)
    fixed, _ = partitions(node.args.get("partition"))
    path = node.args.get("inpath")
    files = node.args.get("files")
    paths = [str(path.this)] if isinstance(path, exp.Literal) else []
    if isinstance(files, exp.Expr):
        uris = [one for one in files.find_all(exp.Property) if one.name.lower() == "uris"]
        paths += [str(one.this) for uri in uris for one in uri.find_all(exp.Literal)]
    if not paths:
        state.gap(0, "the file of this LOAD DATA is not known")
    for one in paths:
        from_file(state, target, one, (), fixed)


def export(state: SessionState, node: exp.Export) -> None:
    options = node.args.get("options")
    found = [one for one in options.expressions if one.name.lower() == "uri"] if isinstance(options, exp.Expr) else []
    value = found[0].args.get("value") if found else None
    if not isinstance(value, exp.Literal) or not isinstance(node.this, exp.Query):
        state.gap(0, "the file of this EXPORT DATA is not known")
        return
    to_file(state, str(value.this), rows_of(state, node.this))


_OUTFILE = re.compile(
    r"\bINTO\s+(?:OUTFILE|DUMPFILE)\s+'(?P<path>[^']*)'(?:\s+(?:CHARACTER\s+SET|FIELDS|COLUMNS|LINES)\b.*?)?(?=\s+FROM\b|\s*\Z)",
    re.IGNORECASE | re.DOTALL,
)


def unload(state: SessionState, text: str) -> bool:
    """UNLOAD ('query' | query) TO 'path', which sqlglot does not parse."""
    found = _UNLOAD.match(text)
    if found is None:
        return False
    inner = found["query"].strip()
    if inner.startswith("'") and inner.endswith("'"):
        inner = inner[1:-1].replace("''", "'").replace("\\'", "'")
    elif inner.startswith("$$") and inner.endswith("$$"):
        inner = inner[2:-2]
    return _query_to_file(state, inner, found["path"])


def outfile(state: SessionState, text: str) -> bool:
    """MySQL's SELECT … INTO OUTFILE 'path', before FROM or at the end, which sqlglot does not parse."""
    found = _OUTFILE.search(text)
    if found is None:
        return False
    return _query_to_file(state, f"{text[: found.start()]} {text[found.end() :]}", found["path"])


def _query_to_file(state: SessionState, text: str, path: str) -> bool:
    try:
        tree = dialect_of(state.dialect).parse(text)[0]
    except SqlglotError:
        return False
    if not isinstance(tree, exp.Query):
        return False
    to_file(state, path, rows_of(state, tree))
    return True


def load_text(state: SessionState, text: str) -> bool:
    """MySQL's LOAD DATA INFILE, which sqlglot does not parse."""
    found = _LOAD.match(text)
    if found is None:
        return False
    target = state.target(exp.to_table(found["table"], dialect=state.dialect))
    columns = tuple(one.strip(" `\n\t").lower() for one in (found["columns"] or "").split(",") if one.strip())
    from_file(state, target, found["path"], tuple(one for one in columns if not one.startswith("@")))
    return True
