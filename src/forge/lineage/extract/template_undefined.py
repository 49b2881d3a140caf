"""Undefined names in templates: scheduler variables, missing macros.

Rendering leaves a mark for each. Its position then decides the substitute: any value inside quotes or next to a
comparison; in a table name the variable itself (`${schema}.orders`), which is reported; elsewhere nothing, which is
reported too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from jinja2 import Undefined

OPEN, CLOSE = "\ue010", "\ue011"
_MARK = re.compile(f"{OPEN}(\\d+){CLOSE}")
_WORD = f"(?:[\\w$]|{OPEN}\\d+{CLOSE})*{OPEN}\\d+{CLOSE}(?:[\\w$]|{OPEN}\\d+{CLOSE})*"
_PIECE = re.compile(
    rf"(?P<comment>--[^\n]*|/\*.*?\*/)|(?P<single>'(?:[^'\\]|\\.|'')*')|(?P<double>\"(?:[^\"\\]|\\.|\"\")*\")"
    rf"|(?P<back>`[^`]*`)|(?P<word>{_WORD})",
    re.DOTALL,
)
_NAMES = re.compile(
    r"\b(?:from|join|into|table|view|update|overwrite|exists|using|database|schema|use|merge|describe|truncate)\s*$",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"(?:[=<>+*/%|-]|\b(?:like|limit|between|interval|then|else|offset|date|timestamp|top|as\s+of"
    r"|between\s+\S+\s+and)\b)\s*\(?\s*$|\bin\s*\((?:[^()]*,)?\s*$",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"(?:[,(=<>+*/%|-]|\b(?:select|where|and|or|on|by|distinct|set|when|not|in|having))\s*$", re.IGNORECASE
)
_IN = re.compile(r"\bin\s*$", re.IGNORECASE)
_STRINGS_IN_DOUBLE_QUOTES = frozenset({"spark", "spark2", "databricks", "hive", "bigquery", "mysql", "doris"})
_BACKTICKS = _STRINGS_IN_DOUBLE_QUOTES | {"clickhouse"}


@dataclass(slots=True)
class RenderState:
    """The state of one rendering. `truth`: the value of conditions on undefined names; `tested`: there was one, so
    that the other value gives another text."""

    truth: bool = False
    tested: bool = False
    names: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # macros, and why they give no text

    def mark(self, name: str) -> str:
        if name not in self.names:
            self.names.append(name)
        return f"{OPEN}{self.names.index(name)}{CLOSE}"

    def decide(self) -> bool:
        self.tested = True
        return self.truth


class UndefinedName(Undefined):
    """An undefined name that passes through expressions and remembers its label. (Jinja types the refusals of its
    own class as never returning.)"""

    __slots__ = ("_asked", "_label")
    _asked: RenderState
    _label: str

    def __getattr__(self, name: str) -> UndefinedName:
        if name.startswith("_") or name in ("unsafe_callable", "alters_data", "contextfunction", "jinja_pass_arg"):
            raise AttributeError(name)
        return self._next(f"{self._label}.{name}")

    def _next(self, label: str) -> UndefinedName:
        return unknown(type(self), self._asked, label)

    def __str__(self) -> str:
        return self._asked.mark(self._label)

    def __html__(self) -> str:
        return str(self)

    def __call__(self, *args: object, **kwargs: object) -> UndefinedName | str:  # type: ignore[override]
        """What is inside of `{% call macro() %}` stays: the macro most likely puts something around it."""
        made = self._next(f"{self._label.removesuffix('()')}()")
        caller = kwargs.get("caller")
        return f"{made}\n{caller()}" if callable(caller) else made

    def __getitem__(self, key: object) -> UndefinedName:  # type: ignore[override]
        return self._next(f"{self._label}[{key}]" if isinstance(key, int) else f"{self._label}.{key}")

    def __iter__(self) -> Iterator[object]:
        """One round of a loop shows what each would do."""
        return iter((self._next(f"{self._label}[]"),))

    def __len__(self) -> int:
        return 1

    def __bool__(self) -> bool:
        return self._asked.decide()

    def __eq__(self, other: object) -> bool:
        return self._asked.decide()

    def __ne__(self, other: object) -> bool:
        return self._asked.decide()

    def __lt__(self, other: object) -> bool:  # type: ignore[override]
        return self._asked.decide()

    __le__ = __gt__ = __ge__ = __contains__ = __lt__  # type: ignore[assignment]

    def __hash__(self) -> int:
        return hash(self._label)

    def __int__(self) -> int:  # type: ignore[override]
        return 0

    def __index__(self) -> int:
        return 0

    def __float__(self) -> float:  # type: ignore[override]
        return 0.0

    def _same(self, *args: object) -> UndefinedName:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same  # type: ignore[assignment]
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __pos__ = _same  # type: ignore[assignment]


def unknown(kind: type[UndefinedName], asked: RenderState, label: str) -> UndefinedName:
    made = kind(name=label)
    object.__setattr__(made, "_asked", asked)
    object.__setattr__(made, "_label", label)
    return made


@dataclass(frozen=True, slots=True)
class TextNote:
    """A note on a line of a text."""

    line: int
    reason: str


def without_marks(text: str, asked: RenderState) -> str:
    """For what is not SQL: each mark as a variable is written."""
    return _MARK.sub(lambda found: _shown(asked, found[1]), text)


def settle(text: str, asked: RenderState, dialect: str) -> tuple[str, tuple[TextNote, ...]]:
    """SQL without marks, on the same lines, and what is not known in it."""
    if OPEN not in text:
        return text, ()
    found: list[str] = []
    notes: list[TextNote] = []
    at = 0
    for piece in _PIECE.finditer(text):
        found.append(text[at : piece.start()])
        at = piece.end()
        content = piece.group()
        if OPEN not in content:
            found.append(content)
            continue
        names = [asked.names[int(number)] for number in _MARK.findall(content)]
        shown = _MARK.sub(lambda mark: _shown(asked, mark[1]), content)
        note = ""
        if piece["word"] is None:
            found.append(shown)
            quoted_name = piece["back"] or (piece["double"] and dialect not in _STRINGS_IN_DOUBLE_QUOTES)
            note = _name_note(shown[1:-1], names) if quoted_name else ""
        else:
            new, note = _bare("".join(found), shown, text[at : at + 200], names, content, dialect, asked)
            found.append(new)
        note = note or "; ".join(_macro_note(name, asked) for name in names if name.endswith("()"))
        if note:
            notes.append(TextNote(text.count("\n", 0, piece.start()) + 1, note))
    found.append(text[at:])
    return "".join(found), tuple(dict.fromkeys(notes))


_WORD_BEFORE = re.compile(r"([\w$]+|[)'\"`\]])\s*$")
_WANTS_MORE = re.compile(
    r"all|and|any|as|between|by|case|cast|cross|cube|distinct|else|except|exists|filter|from|full|group|having|ilike|in"
    r"|inner|intersect|interval|into|is|join|lateral|left|like|limit|merge|minus|natural|not|offset|on|or|order|outer|over"
    r"|overwrite|partition|qualify|range|regexp|right|rlike|rollup|rows?|select|set|similar|table|then|top|union|unnest"
    r"|update|using|values|view|when|where|window|with|within",
    re.IGNORECASE,
)
_UNITED = re.compile(r"\b(?:union|intersect|except|minus)(?:\s+(?:all|distinct))?\s*$", re.IGNORECASE)
_TYPE = re.compile(r"(?:::|\bcast\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\bas)\s*$", re.IGNORECASE)
_ALIAS = re.compile(r"\bas\s*$", re.IGNORECASE)


def _of_macro(tail: str, shown: str, after: str, dialect: str) -> str | None:
    """The substitute of an unknown call where no value is allowed; None: a value is."""
    if _TYPE.search(tail):
        return "string"
    if _ALIAS.search(tail) and not after.lstrip().startswith("("):
        return quoted(shown, dialect)
    if _UNITED.search(tail):
        return " ".join(("select * from", quoted(shown, dialect)))
    word = _WORD_BEFORE.search(tail)
    return "" if word is not None and not _WANTS_MORE.fullmatch(word[1]) else None


def _bare(
    before: str, shown: str, after: str, names: list[str], marked: str, dialect: str, asked: RenderState
) -> tuple[str, str]:
    """The text outside of quotes."""
    tail = before[-200:]
    only = _MARK.fullmatch(marked) is not None
    macro = any(name.endswith("()") for name in names)
    if not macro and (not only or tail.endswith(".") or after.startswith(".") or _NAMES.search(tail)):
        return quoted(shown, dialect), _name_note(shown, names)
    what = "; ".join(_macro_note(name, asked) if name.endswith("()") else _part_note(name) for name in names)
    if _NAMES.search(tail):
        return quoted(shown, dialect), what
    line_before, line_after = before.rpartition("\n")[2], after.partition("\n")[0]
    if not line_before.strip() and not line_after.strip(" ;\t\r") and not _OPENED.search(tail):
        return "", what
    if _VALUES.search(tail) and not macro:
        return "0", ""
    hole = _of_macro(tail, shown, after, dialect) if macro else None
    if hole is not None:
        return hole, what
    return ("(null)" if _IN.search(tail) else "null"), what


def _name_note(shown: str, names: list[str]) -> str:
    return f"the name {shown} holds {' and '.join(names)}, of which no value is known; give it as a variable"


def _part_note(name: str) -> str:
    return f"no value is known for {name}, and what it stands for was left out; give it as a variable"


def _macro_note(name: str, asked: RenderState) -> str:
    why = f"gives no text ({asked.failed[name]})" if name in asked.failed else "is not known"
    return f"the macro {name.removesuffix('()')} {why}, and its call was left out"


def _shown(asked: RenderState, number: str) -> str:
    return "${" + re.sub(r"\W+", "_", asked.names[int(number)]).strip("_") + "}"


def quoted(name: str, dialect: str) -> str:
    """An identifier that keeps its letters."""
    if dialect in _BACKTICKS:
        return "`" + name.replace("`", "``") + "`"
    if dialect == "tsql":
        return "[" + name.replace("]", "]]") + "]"
    return '"' + name.replace('"', '""') + '"'
