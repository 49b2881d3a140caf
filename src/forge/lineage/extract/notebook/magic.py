"""Notebook magics in Python cells, and SQL cells as calls."""

from __future__ import annotations

import re
from collections.abc import Sequence

# What may precede SQL text, and what marks its beginning.
_OPTION = re.compile(r"\s*(?:--?[A-Za-z][\w-]*)(?:[= ]\s*(?!-)(?P<value>[^\s-]\S*))?")
_INTO = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*=?\s*<<\s*")
_SQL_WORD = re.compile(
    r"\s*(?:\(|--|/\*|(?:select|with|insert|create|merge|update|delete|from|drop|alter|replace|truncate|use|set|show"
    r"|describe|desc|explain|call|values|copy|cache|refresh|begin|declare|grant|analyze|optimize|vacuum|table|pivot)\b)",
    re.IGNORECASE,
)
_FILL = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}|\{([A-Za-z_]\w*)\}")

_ASSIGNED = re.compile(r"(?P<before>\s*[A-Za-z_][\w.,\s\[\]]*=\s*)(?P<mark>[%!])(?P<rest>.*)$", re.DOTALL)
_MAGIC = re.compile(r"(?P<before>\s*)%{1,2}(?P<word>[A-Za-z_]\w*)(?P<rest>.*)$", re.DOTALL)
_SHELL = re.compile(r"(?P<before>\s*)(?:!|\?)")
_HELP = re.compile(r"(?P<before>\s*)[\w.%]+\?{1,2}\s*$")
_RUN = re.compile(r"""\s*(?:-\w+\s+)*(?:"(?P<double>[^"]+)"|'(?P<single>[^']+)'|(?P<plain>[^\s{]+))""")
_STATEMENT = frozenset({"time", "timeit", "prun", "memit"})


def sql_text_of(rest: str) -> tuple[str, str]:
    """The rest of a `%sql` line: the result variable, and the beginning of the SQL."""
    name = "_sqldf"
    while True:
        into = _INTO.match(rest)
        if into is not None:
            name, rest = into["name"], rest[into.end() :]
            continue
        option = _OPTION.match(rest)
        if option is None or rest.lstrip().startswith("-- "):
            break
        if rest.lstrip().startswith(("-o", "--output", "--save")) and (option["value"] or "").isidentifier():
            name = option["value"]
        rest = rest[option.end() :]
    if rest.strip() and not _SQL_WORD.match(rest):
        words = rest.split()
        if len(words) == 1 and words[0].isidentifier():
            name = words[0]  # %%bigquery df
        rest = ""  # the address of a database
    return name, rest.strip()


def sql_call(rows: Sequence[str], first: int, name: str, *, filled: bool) -> list[str]:
    """The rows as a text in a call, in as many lines. `filled`: Python variables in braces are filled in, as extensions
    of Jupyter do."""
    escaped = [row.replace("\\", "\\\\").replace('"', '\\"') for row in rows]
    mark = ""
    if filled and any(_FILL.search(row) for row in rows):
        mark = "f"
        escaped = [_filled(row) for row in escaped]
    escaped[first] = f'{name} = spark.sql({mark}"""{escaped[first]}'
    escaped[-1] += '""")'
    return escaped


def _filled(row: str) -> str:
    """`{{name}}` and `{name}` stay open for the variable, other braces are themselves."""
    pieces: list[str] = []
    at = 0
    for found in _FILL.finditer(row):
        pieces += [_doubled(row[at : found.start()]), "{", found[1] or found[2], "}"]
        at = found.end()
    return "".join([*pieces, _doubled(row[at:])])


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def to_python_lines(rows: Sequence[str]) -> list[str]:
    """Lines of magic as Python; all other lines as they are."""
    found: list[str] = []
    inside = _Inside()
    waiting: list[str] = []  # of a magic that goes on in the next line
    for row in rows:
        if waiting or (not inside.text and not inside.depth and _is_magic(row)):
            waiting.append(row)
            if not row.rstrip().endswith("\\"):
                found += _magic(waiting)
                waiting = []
            continue
        inside.go_on(row)
        found.append(row)
    return [*found, *_magic(waiting)] if waiting else found


def _is_magic(row: str) -> bool:
    return any(form.match(row) for form in (_MAGIC, _SHELL, _HELP, _ASSIGNED))


def _magic(rows: Sequence[str]) -> list[str]:
    whole = " ".join(row.rstrip().removesuffix("\\").rstrip() for row in rows)
    return [_line(whole), *("" for _ in rows[1:])]


def _line(row: str) -> str:
    assigned = _ASSIGNED.match(row)
    if assigned is not None:
        if assigned["mark"] == "%":
            inner = _MAGIC.match("%" + assigned["rest"])
            if inner is not None:
                return assigned["before"] + _value(inner["word"].lower(), inner["rest"])
        return assigned["before"] + "None"
    magic = _MAGIC.match(row)
    if magic is None:
        indent = len(row) - len(row.lstrip())
        return row[:indent] + "pass"
    word, rest = magic["word"].lower(), magic["rest"]
    if word == "sql":
        name, text = sql_text_of(rest)
        return magic["before"] + (f"{name} = {_call(text)}" if text else "pass")
    if word == "run":
        found = _RUN.match(rest)
        if found is not None:
            path = found["double"] or found["single"] or found["plain"]
            return f"{magic['before']}__forge_run__({path!r})"
    if word in _STATEMENT and rest.strip() and not rest.lstrip().startswith("-"):
        return magic["before"] + rest.strip()
    return magic["before"] + "pass"


def _value(word: str, rest: str) -> str:
    if word == "sql":
        _, text = sql_text_of(rest)
        return _call(text) if text else "None"
    return rest.strip() if word in _STATEMENT and rest.strip() else "None"


def _call(text: str) -> str:
    return "".join(sql_call([text], 0, "_", filled=True)).removeprefix("_ = ")


class _Inside:
    """Whether a line begins within a string or bracket of the lines before."""

    def __init__(self) -> None:
        self.text = ""  # the quotes that end it
        self.depth = 0

    def go_on(self, row: str) -> None:
        at = 0
        while at < len(row):
            if self.text:
                at = self._to_the_end_of_text(row, at)
                continue
            letter = row[at]
            if letter == "#":
                break
            if letter in "\"'":
                self.text = letter * 3 if row.startswith(letter * 3, at) else letter
                at += len(self.text)
                continue
            self.depth = max(0, self.depth + (letter in "([{") - (letter in ")]}"))
            at += 1
        if len(self.text) == 1 and not row.endswith("\\"):
            self.text = ""  # a text in one line ends with it

    def _to_the_end_of_text(self, row: str, at: int) -> int:
        while at < len(row):
            if row[at] == "\\":
                at += 2
            elif row.startswith(self.text, at):
                at += len(self.text)
                self.text = ""
                return at
            else:
                at += 1
        return at
