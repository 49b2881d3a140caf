"""Statements known as text only: those sqlglot does not parse, and dynamic SQL."""

from __future__ import annotations

import re

from sqlglot import exp

from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.sql.names import split_name
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.statements.create import alter_columns, write_whole
from forge.lineage.extract.sql.statements.fallback import is_harmless, scan_tables
from forge.lineage.extract.sql.statements.file import load_text, outfile, unload
from forge.lineage.extract.sql.statements.rename import rename
from forge.lineage.extract.sql.target import WriteContent

_IMMEDIATE = re.compile(r"\A\s*EXECUTE\s+IMMEDIATE\s+(?P<what>.*)\Z", re.IGNORECASE | re.DOTALL)


_CALL = re.compile(r"\A\s*(?:CALL|EXEC|EXECUTE|PERFORM)\s+([\w.`\"\[\]]+)", re.IGNORECASE)


_APPEND = re.compile(r"\A\s*ALTER\s+TABLE\s+([\w.\"]+)\s+APPEND\s+FROM\s+([\w.\"]+)", re.IGNORECASE)


_TASK = re.compile(
    r"\ACREATE\s+(?:OR\s+REPLACE\s+)?(?:TASK|PIPE)\s.*?\bAS\s+((?:INSERT|MERGE|UPDATE|DELETE|CREATE|CALL|WITH|COPY)\b.*)\Z",
    re.IGNORECASE | re.DOTALL,
)


_STREAM = re.compile(
    r"\ACREATE\s+(?:OR\s+REPLACE\s+)?STREAM\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.\"]+)\s"
    r".*?\bON\s+(?:EXTERNAL\s+)?(?:TABLE|VIEW)\s+([\w.\"]+)",
    re.IGNORECASE | re.DOTALL,
)


_BODY = re.compile(
    r"\ACREATE\s+(?:OR\s+REPLACE\s+)?(?:FUNCTION|PROCEDURE)\s.*?\bAS\s+\$(?P<tag>\w*)\$(?P<body>.*)\$(?P=tag)\$",
    re.IGNORECASE | re.DOTALL,
)


_SYNONYM = re.compile(
    r"\ACREATE\s+(?:OR\s+REPLACE\s+)?(?:PUBLIC\s+)?SYNONYM\s+([\w.\"\[\]]+)\s+FOR\s+([\w.\"\[\]]+)\s*\Z", re.IGNORECASE
)


_RENAMES = re.compile(r"([\w.`]+)\s+TO\s+([\w.`]+)", re.IGNORECASE)


_STRING = re.compile(
    r"\A\s*[NnRr]?(?:'(?P<single>(?:[^'\\]|''|\\.)*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\"|\$(?P<tag>\w*)\$(?P<body>.*?)\$(?P=tag)\$)"
    r"(?P<rest>.*)\Z",
    re.DOTALL,
)


def command(state: SessionState, node: exp.Command) -> None:
    text = state.statement
    word = str(node.this).upper()
    if word == "RENAME":
        for old, new in _RENAMES.findall(text):
            rename(state, split_name(old), split_name(new))
    elif word == "DO":
        _anonymous_block(state, text)
    elif word == "CREATE" and (found := _TASK.match(text)):
        state.script(found[1], state.first_line + text.count("\n", 0, found.start(1)))
    elif word == "CREATE" and (found := _STREAM.match(text)):
        relation = state.named(split_name(found[2]))
        write_whole(state, state.created(split_name(found[1]), OutputKind.VIEW), relation, view=True)
    else:
        not_parsed(state, text, f"{head_of(text)} … is not understood")


def not_parsed(state: SessionState, text: str, reason: str) -> None:
    """A statement that sqlglot refuses, or of which it makes nothing."""
    found = _IMMEDIATE.match(text)
    if found is not None:
        _immediate(state, found["what"])
        return
    if _CALL.match(text):
        call(state, text)
        return
    known = (_routine, _synonym, unload, load_text, outfile, append)
    if any(read(state, text) for read in known) or is_harmless(text):
        return
    state.gap(0, reason)
    scan_tables(state, text)


def _routine(state: SessionState, text: str) -> bool:
    """A routine whose head sqlglot does not know: its body is read."""
    found = _BODY.match(text)
    if found is None or not re.search(r"\bLANGUAGE\s+'?(?:plpgsql|sql)\b", text, re.IGNORECASE):
        return False
    state.script(found["body"], state.first_line + text.count("\n", 0, found.start("body")))
    return True


def _synonym(state: SessionState, text: str) -> bool:
    found = _SYNONYM.match(text)
    if found is not None:
        relation = state.named(split_name(found[2]))
        write_whole(state, state.created(split_name(found[1]), OutputKind.VIEW), relation, view=True)
    return found is not None


def call(state: SessionState, text: str) -> None:
    """A procedure is read where it is defined; of one that is defined elsewhere nothing is known here."""
    found = _CALL.match(text)
    name = ".".join(split_name(found[1])) if found else ""
    if not name or name.startswith(("system.", "sys.", "sp_", "xp_", "dbms_")) or ".system." in name:
        return
    if name not in state.routines and name.rpartition(".")[2] not in state.routines:
        state.gap(0, f"what {name} does is not known: it is not defined in this script")


def append(state: SessionState, text: str) -> bool:
    """Redshift: ALTER TABLE t APPEND FROM s moves the rows, by name."""
    found = _APPEND.match(text)
    if found is None:
        return False
    target = state.target_named(split_name(found[1]))
    relation = state.named(split_name(found[2]))
    names = target.names if target.names is not None else relation.names
    # Both have the same columns, so those of the target are written.
    columns = {name: value for name in names if (value := relation.value(name)) is not None}
    state.put(target, WriteContent(columns, reads=relation.reads, open=() if columns else relation.open))
    return True


def head_of(text: str) -> str:
    return " ".join(text.split()[:4])[:60]


def _anonymous_block(state: SessionState, text: str) -> None:
    found = re.search(r"\$(\w*)\$(.*)\$\1\$", text, re.DOTALL)
    if found:
        state.script(found[2], state.first_line + text.count("\n", 0, found.start(2)))


def _immediate(state: SessionState, what: str) -> None:
    """The text that a program builds and runs: a constant, constants put together, or a variable that holds one."""
    text = _constant(state, what)
    if text is None:
        shortened = " ".join(what.split())[:60]
        state.gap(0, f"the text that EXECUTE IMMEDIATE {shortened} runs is not known; only constants are followed")
        return
    state.script(text, state.first_line)


def _constant(state: SessionState, what: str) -> str | None:
    what = (
        re.split(r"\s+(?:INTO|USING)\s", what, maxsplit=1, flags=re.IGNORECASE)[0]
        if not what.lstrip().startswith(("'", '"', "$", "r'", "N'"))
        else what
    )
    found = _STRING.match(what)
    if found is not None:
        text = found["body"] if found["body"] is not None else _unquoted(found["single"], found["double"])
        rest = found["rest"].strip()
        joined = re.match(r"(?:\|\||\+)(.*)\Z", rest, re.DOTALL)
        if joined:
            more = _constant(state, joined[1])
            return None if more is None else text + more
        return text
    name = re.match(r"\A\s*[@:$]?(\w+)\s*(?:(?:\|\||\+)(.*))?\Z", what, re.DOTALL)
    known = state.texts.get(name[1].lower()) if name else None
    if name and name[2] and known is not None:
        more = _constant(state, name[2])
        return None if more is None else known + more
    return known


def _unquoted(single: str | None, double: str | None) -> str:
    text = single if single is not None else double or ""
    return re.sub(r"\\(.)", r"\1", text.replace("''", "'"))


def execute(state: SessionState, node: exp.Execute) -> None:
    """T-SQL: EXEC sp_executesql N'…', EXEC('…'), EXEC sp_rename 'a', 'b'. Any other procedure is read where it is
    defined."""
    inner = node.this
    name = inner.name.lower() if isinstance(inner, exp.Table) else ""
    arguments = [one.expression if isinstance(one, exp.EQ) else one for one in node.expressions]
    if name == "sp_rename" and len(arguments) >= 2:
        old, new = (state.text_of(one) for one in arguments[:2])
        if old and new and len(arguments) == 2:
            parts = split_name(old)
            rename(state, parts, (*parts[:-1], *split_name(new)))
        elif old and new and (state.text_of(arguments[2]) or "").upper() == "COLUMN":
            *table, column = split_name(old)
            alter_columns(state, tuple(table), exp.RenameColumn(this=exp.column(column), to=exp.column(new)))
        return
    if isinstance(inner, exp.Subquery | exp.Paren):
        text = str(inner.this.name) if isinstance(inner.this, exp.Table) else state.text_of(inner.this)
        if isinstance(inner.this, exp.Table) and isinstance(inner.this.this, exp.Parameter):
            text = state.texts.get(inner.this.name.lower())
    elif name == "sp_executesql" and arguments:
        text = state.text_of(arguments[0])
    else:
        call(state, state.statement)
        return
    if text is None:
        state.gap(0, "the text that EXEC runs is not known; only constants are followed")
        return
    state.script(text, state.first_line)
