"""An ERD as text: Mermaid and Graphviz. Characters that the grammar does not allow in names are replaced, with the real
name as label."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forge.lineage.erd.diagram import Erd, ErdColumn, ErdForeignKey, ErdTable
    from forge.lineage.erd.join import ErdJoin

# Mermaid reads `direction LR` anywhere on a line as an instruction, and PK, FK and UK as keys.
_DIRECTION = re.compile(r"(direction)\s+(TB|BT|RL|LR)", re.IGNORECASE)
_KEY = re.compile(r"(pk|fk|uk)(?![A-Za-z0-9_])", re.IGNORECASE)
_MERMAID_ENDS = {"one_to_one": "|o..o|", "many_to_one": "}o..o|", "unknown": "}o..o{"}
_DOT_ENDS = {
    "one_to_one": "arrowhead=teeodot, arrowtail=teeodot",
    "many_to_one": "arrowhead=teeodot, arrowtail=crowodot",
    "unknown": "arrowhead=crowodot, arrowtail=crowodot",
}


def mermaid_of(erd: Erd) -> str:
    names = _unique((table.name, _entity(table.name)) for table in erd.tables)
    lines = ["erDiagram"]
    for table in erd.tables:
        lines += _mermaid_table(table, names[table.name])
    for key in erd.foreign_keys:
        ends = "|o" if key.one else "}o"
        lines += _mermaid_evidence(key)
        lines.append(f'    "{names[key.table]}" {ends}--|| "{names[key.to_table]}" : "{_label(_key_label(key))}"')
    for join in erd.joins:
        ends = _MERMAID_ENDS[join.cardinality]
        label = _label(f"inferred: {_key_label(join)}")
        lines += _mermaid_evidence(join)
        lines.append(f'    "{names[join.table]}" {ends} "{names[join.to_table]}" : "{label}"')
    for flow in erd.flows:
        how = f"lineage, {flow.edges} edges" if flow.edges > 1 else "lineage"
        lines.append(f'    "{names[flow.source]}" ||..o{{ "{names[flow.target]}" : "{how}"')
    return "\n".join(lines) + "\n"


def _mermaid_evidence(key: ErdForeignKey | ErdJoin) -> list[str]:
    """As comments: a relation has no room for more than its label."""
    return [f"    %% {re.sub('[{}]', '_', _label(one.text))}" for one in key.evidence]


def _mermaid_table(table: ErdTable, name: str) -> list[str]:
    if not table.columns:
        return [f'    "{name}"']
    words = _unique((column.name, _word(column.name)) for column in table.columns)
    return [f'    "{name}" {{', *(_mermaid_column(column, words[column.name]) for column in table.columns), "    }"]


def _mermaid_column(column: ErdColumn, word: str) -> str:
    kind = _type(column.data_type)
    keys = ", ".join(key for key, is_so in (("PK", column.primary_key), ("FK", column.foreign_key)) if is_so)
    real = [column.name] if word != column.name else []
    real += [column.data_type] if kind != column.data_type and column.data_type else []
    comment = f'"{_label(" ".join(real))}"' if real else ""
    return " ".join(part for part in (f"        {kind} {word}", keys, comment) if part)


def _entity(name: str) -> str:
    return _tame(re.sub(r'["%\\\x00-\x1f\x7f]', "_", name)) or "_"


def _label(text: str) -> str:
    """Mermaid strips `%%{` … `}%%`, also here."""
    return _tame(re.sub(r"[%\\\x00-\x1f\x7f]", "_", text.replace('"', "'")))


def _tame(text: str) -> str:
    return _DIRECTION.sub(r"\1_\2", text)


def _word(name: str) -> str:
    """Letters, digits and underscores, first a letter or an underscore, and no key word."""
    word = re.sub(r"[^A-Za-z0-9_\u00c0-\u1fff\u3040-\ud7ff]", "_", name)
    return word if re.match(r"[A-Za-z_\u00c0-\u1fff\u3040-\ud7ff]", word) and not _KEY.match(word) else f"_{word}"


def _type(data_type: str) -> str:
    """`decimal(18, 2)` as decimal(18-2); of a struct only that it is one."""
    plain = re.sub(r"\s*,\s*", "-", data_type.strip())
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_\-()\[\]]*", plain) and not _KEY.match(plain):
        return plain
    first = re.match(r"[A-Za-z_][A-Za-z0-9_]*", plain)
    return first[0] if first and not _KEY.match(first[0]) else "unknown"


def _unique(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Equal names get a number."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name, made in names:
        number, free = 1, made
        while free.lower() in taken:
            number += 1
            free = f"{made}_{number}"
        taken.add(free.lower())
        found[name] = free
    return found


def dot_of(erd: Erd) -> str:
    lines = ["digraph erd {", "  rankdir=LR;", '  node [shape=plain, fontname="sans-serif"];']
    lines += [_dot_table(table) for table in erd.tables]
    lines += [
        f"  {quoted(key.table)} -> {quoted(key.to_table)} "
        f"[arrowhead=tee, arrowtail={'teeodot' if key.one else 'crowodot'}, dir=both, label={quoted(_key_label(key))}"
        + (f", tooltip={quoted(_evidence_text(key))}];" if key.evidence else "];")
        for key in erd.foreign_keys
    ]
    lines += [
        f"  {quoted(join.table)} -> {quoted(join.to_table)} "
        f"[style=dotted, {_DOT_ENDS[join.cardinality]}, dir=both, label={quoted(f'inferred: {_key_label(join)}')}, "
        f"tooltip={quoted(_evidence_text(join))}];"
        for join in erd.joins
    ]
    lines += [
        f"  {quoted(flow.source)} -> {quoted(flow.target)} [style=dashed, label={quoted(f'{flow.edges}')}];"
        for flow in erd.flows
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _dot_table(table: ErdTable) -> str:
    style = ' STYLE="DASHED"' if table.outside else ""
    rows = "".join(
        f'<TR><TD ALIGN="LEFT">{_html(column.name)}</TD><TD ALIGN="LEFT">{_html(column.data_type)}</TD>'
        f"<TD>{keys_of(column)}</TD></TR>"
        for column in table.columns
    )
    head = f'<TR><TD COLSPAN="3"><B>{_html(table.name)}</B></TD></TR>'
    return f'  {quoted(table.name)} [label=<<TABLE BORDER="1" CELLBORDER="0"{style}>{head}{rows}</TABLE>>];'


def keys_of(column: ErdColumn) -> str:
    return " ".join(key for key, is_so in (("PK", column.primary_key), ("FK", column.foreign_key)) if is_so)


def _html(text: str) -> str:
    """Graphviz refuses an element without text in some places, so that nothing is a blank."""
    return escape(re.sub(r"[\x00-\x1f\x7f]", " ", text)) or " "


def _key_label(key: ErdForeignKey | ErdJoin) -> str:
    return f"{', '.join(key.columns)} → {', '.join(key.to_columns)}" if key.to_columns else ", ".join(key.columns)


def _evidence_text(key: ErdForeignKey | ErdJoin) -> str:
    return " | ".join(one.text for one in key.evidence)


def quoted(text: str) -> str:
    """A text of the DOT language. Backslashes are escapes in labels."""
    safe = re.sub(r"[\x00-\x1f\x7f]", " ", text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"'
