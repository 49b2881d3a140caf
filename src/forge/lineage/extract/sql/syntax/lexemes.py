"""A minimal lexer: words, strings and signs, enough to find the ends of statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

Lexeme = tuple[str, int, int]
"""What it is, where it begins and ends."""


BACKSLASH = frozenset({"spark", "spark2", "databricks", "hive", "mysql", "bigquery", "snowflake", "clickhouse"})


_HASH_COMMENT = frozenset({"mysql", "bigquery"})


@lru_cache
def _pattern(dialect: str) -> re.Pattern[str]:
    inner = r"(?:[^'\\]++|\\.|'')*+" if dialect in BACKSLASH else r"(?:[^']++|'')*+"
    double = r"(?:[^\"\\]++|\\.|\"\")*+" if dialect in BACKSLASH else r"(?:[^\"]++|\"\")*+"
    hash_ = r"|\#[^\n]*" if dialect in _HASH_COMMENT else ""
    bracket = r"|\[(?:[^\]\n]|\]\])*\]" if dialect in ("tsql", "fabric") else ""
    oracle = r"|[qQ]'(?:\[.*?\]|\{.*?\}|\(.*?\)|<.*?>|(?P<o>[^\[{(<\s]).*?(?P=o))'" if dialect == "oracle" else ""
    raw = r"|\b[rR]'[^']*'|\b[rR]\"[^\"]*\"" if dialect in ("spark", "databricks", "bigquery") else ""
    triple = r"|'''(?:.|\n)*?'''|\"\"\"(?:.|\n)*?\"\"\"" if dialect == "bigquery" else ""
    return re.compile(
        rf"(?P<skip>--[^\n]*{hash_}|/\*(?:.|\n)*?\*/|\s+)"
        rf"|(?P<solid>\${{1}}(?P<tag>[A-Za-z_0-9]*)\$(?:.|\n)*?\$(?P=tag)\$|\$\{{[^}}\n]*\}}{triple}{oracle}{raw}"
        rf"|'{inner}'|\"{double}\"|`(?:[^`]|``)*`{bracket})"
        r"|(?P<word>[A-Za-z_@#][\w@#$]*)"
        r"|(?P<unclosed>['\"`]|/\*)"
        r"|(?P<end>;)|(?P<open>\()|(?P<close>\))"
        r"|(?P<other>[^\sA-Za-z_@#'\"`;()/$\[-]+|.)",
        re.DOTALL,
    )


def lexemes_of(text: str, dialect: str) -> Iterator[Lexeme]:
    delimiter = ""
    match_at = _pattern(dialect).match
    place, size = 0, len(text)
    while place < size:
        if delimiter and text.startswith(delimiter, place):
            yield "cut", place, place + len(delimiter)
            place += len(delimiter)
            continue
        found = match_at(text, place)
        if found is None:  # cannot be: the last alternative takes any character
            place += 1
            continue
        kind = found.lastgroup or "solid"
        if kind in ("tag", "o"):
            kind = "solid"
        end = found.end()
        if kind == "word" and end - place <= 9:
            cut = _cut(text, place, end)
            if cut is not None:
                delimiter, end = cut if cut[0] else (delimiter, cut[1])
                yield "cut", place, end
                place = end
                continue
        elif kind == "other" and found.group() == "/" and _alone(text, place, end):
            kind = "cut"
        if kind != "skip":
            yield kind, place, end
        place = end


def _cut(text: str, start: int, end: int) -> tuple[str, int] | None:
    """GO and DELIMITER on a line of their own: the new delimiter if any, and where the line ends."""
    word = text[start:end].upper()
    if word not in ("GO", "DELIMITER"):
        return None
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    rest = text[end:stop].strip()
    if text[text.rfind("\n", 0, start) + 1 : start].strip():
        return None
    if word == "GO":
        return ("", stop) if not rest or rest.isdigit() else None
    return (rest if rest != ";" else "\0", stop) if rest and " " not in rest else None


def _alone(text: str, start: int, end: int) -> bool:
    stop = text.find("\n", end)
    around = text[text.rfind("\n", 0, start) + 1 : start] + text[end : len(text) if stop < 0 else stop]
    return not around.strip()
