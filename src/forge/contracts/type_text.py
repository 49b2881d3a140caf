"""Types as texts: how Spark, Iceberg and SQL write them, read into one tree and written in Spark's words.

`long`, `NUMERIC(12, 2)`, `text[]`, `ROW(a int)` and Iceberg's `struct<1: a: required int>` are all understood. A type
nobody knows has its own text as name and equals itself only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

_DEPTH = 64  # nobody's table is deeper; a hostile text is


_BEGINS = ("struct", "array", "map")
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_TOKEN = re.compile(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'|\"[^\"]*\"|[^\s<>(),:\[\]`'\"]+|[<>(),:\[\]]")
_ENDS = frozenset({"not", "null", "comment", "default"})
_SYNONYMS: Mapping[str, str] = {
    "byte": "tinyint",
    "int1": "tinyint",
    "short": "smallint",
    "int2": "smallint",
    "int16": "smallint",
    "integer": "int",
    "int4": "int",
    "int32": "int",
    "long": "bigint",
    "int8": "bigint",  # eight bytes, as PostgreSQL means it
    "int64": "bigint",
    "real": "float",
    "float4": "float",
    "float32": "float",
    "double precision": "double",
    "float8": "double",
    "float64": "double",
    "numeric": "decimal",
    "number": "decimal",
    "dec": "decimal",
    "bool": "boolean",
    "text": "string",
    "clob": "string",
    "character": "char",
    "bpchar": "char",
    "nchar": "char",
    "character varying": "varchar",
    "varchar2": "varchar",
    "nvarchar": "varchar",
    "nvarchar2": "varchar",
    "timestamptz": "timestamp",
    "timestamp_ltz": "timestamp",
    "timestamp_tz": "timestamp",
    "timestamp with time zone": "timestamp",
    "timestamp with local time zone": "timestamp",
    "timestamp without time zone": "timestamp_ntz",
    "time without time zone": "time",
    "datetime": "timestamp_ntz",
    "bytea": "binary",
    "varbinary": "binary",
    "blob": "binary",
    "bytes": "binary",
    "list": "array",
    "row": "struct",
    "record": "struct",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct; also the `element` of an array, the `key` and `value` of a map."""

    name: str
    type: Type
    nullable: bool = True

    def __str__(self) -> str:
        return f"{_quoted(self.name)}:{self.type}"


@dataclass(frozen=True, slots=True)
class Type:
    """`size`: precision and scale, or a length. As text: the type in Spark's words; `written` is the word it had."""

    name: str
    size: tuple[int, ...] = ()
    fields: tuple[Field, ...] = ()
    written: str = field(default="", compare=False)

    def get(self, name: str) -> Field | None:
        """The field of that name; case makes no difference."""
        return next((f for f in self.fields if f.name.lower() == name.lower()), None)

    @property
    def is_nested(self) -> bool:
        return self.name in ("struct", "array", "map")

    def __str__(self) -> str:
        if self.name == "struct":
            return f"struct<{','.join(str(f) for f in self.fields)}>"
        if self.fields:
            return f"{self.name}<{','.join(str(f.type) for f in self.fields)}>"
        return f"{self.name}({','.join(str(n) for n in self.size)})" if self.size else self.name


@lru_cache(maxsize=4096)
def parse_type(text: str) -> Type:
    """A type that is not understood has its own text as name: it equals itself only."""
    tokens = _TOKEN.findall(text)
    parser = _Parser(tokens)
    try:
        found = parser.type(0)
        parser.nullable()
    except _Unknown:
        found = None
    if found is None or not parser.at_end:
        return Type(" ".join(text.lower().split()))
    return found


def balanced(text: str) -> bool:
    """Whether every bracket of the text is closed; brackets in backticks and quotes are none."""
    depth = 0
    for token in _TOKEN.findall(text):
        depth += (token in ("<", "(", "[")) - (token in (">", ")", "]"))
    return depth == 0


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[^\s<>(),:`]+(?: [^\s<>(),:`]+)*", name) else "`" + name.replace("`", "``") + "`"


class _Unknown(Exception):
    """The text is no type of this grammar."""


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._tokens)

    def type(self, depth: int) -> Type:
        if depth > _DEPTH:
            raise _Unknown
        found = self._plain(depth)
        while self._take("["):
            self._expect("]")
            found = Type("array", (), (Field("element", found),))
        return found

    def nullable(self) -> bool:
        """Reads what may stand behind a type: NOT NULL and a comment."""
        nullable = True
        if self._take("not"):
            self._expect("null")
            nullable = False
        if self._take("comment"):
            self._next()
        return nullable

    def _plain(self, depth: int) -> Type:
        name = self._word()
        kind = _SYNONYMS.get(name, name)
        if kind in _BEGINS and self._peek() in ("<", "("):
            closing = {"<": ">", "(": ")"}[self._next()]
            return self._nested(kind, closing, depth + 1)
        words, size = self._words([name]), self._size()
        return _plain_type(" ".join(self._words(words)), size)

    def _nested(self, kind: str, closing: str, depth: int) -> Type:
        fields: list[Field] = []
        while not self._take(closing):
            if fields:
                self._expect(",")
            if kind == "struct":
                fields.append(self._field(depth))
            else:
                inner = self.type(depth)
                fields.append(Field("element", inner, self.nullable()))
        if kind == "array" and len(fields) == 1:
            return Type(kind, (), tuple(fields))
        if kind == "map" and len(fields) == 2:
            key, value = fields
            return Type(kind, (), (Field("key", key.type, False), Field("value", value.type, value.nullable)))
        if kind == "struct":
            return Type(kind, (), tuple(fields))
        raise _Unknown

    def _field(self, depth: int) -> Field:
        """`a: int`, `a int not null`, or Iceberg's `1: a: required int`."""
        if self._peek().isdigit() and self._tokens[self._at + 1 : self._at + 4 : 2] == [":", ":"]:
            self._at += 2
        name = self._field_name()
        required = self._take("required")
        if not required:
            self._take("optional")
        inner = self.type(depth)
        return Field(name, inner, self.nullable() and not required)

    def _field_name(self) -> str:
        words = [self._next()]
        if words[0].startswith(("`", '"')):
            self._take(":")
            quote = words[0][0]
            return words[0][1:-1].replace(quote * 2, quote)
        ahead = self._at  # a name may have spaces where a colon ends it
        while ahead < len(self._tokens) and self._tokens[ahead] not in "<>(),:[]":
            ahead += 1
        if ahead < len(self._tokens) and self._tokens[ahead] == ":":
            words += self._tokens[self._at : ahead]
            self._at = ahead + 1
        return " ".join(words)

    def _words(self, words: list[str]) -> list[str]:
        while not self.at_end and self._peek()[0] not in "<>(),:[]`'\"" and self._peek() not in _ENDS:
            words.append(self._word())
        return words

    def _size(self) -> tuple[int, ...]:
        if not self._take("("):
            return ()
        numbers: list[int] = []
        while not self._take(")"):
            if numbers:
                self._expect(",")
            number = self._next()
            if number.lower() == "max":  # varchar(max): as long as it gets
                self._expect(")")
                return ()
            if not number.lstrip("-").isdecimal() or len(number) > 9:
                raise _Unknown
            numbers.append(int(number))
        return tuple(numbers)

    def _peek(self) -> str:
        return "" if self.at_end else self._tokens[self._at].lower()

    def _next(self) -> str:
        if self.at_end:
            raise _Unknown
        self._at += 1
        return self._tokens[self._at - 1]

    def _word(self) -> str:
        word = self._next().lower()
        if word[0] in "<>(),:[]`'\"":
            raise _Unknown
        return word

    def _take(self, token: str) -> bool:
        found = self._peek() == token
        self._at += found
        return found

    def _expect(self, token: str) -> None:
        if not self._take(token):
            raise _Unknown


def _plain_type(words: str, size: tuple[int, ...]) -> Type:
    name = _SYNONYMS.get(words, words)
    if name == "decimal":
        bare = (38, 0) if words == "number" else (10, 0)  # what they are in Oracle and Snowflake; in Spark
        return Type(name, (*size, 0)[:2] if size else bare, written=words)
    if name == "varchar" and not size:
        return Type("string", written=words)
    if name == "char" and not size:
        return Type(name, (1,), written=words)
    unsized = (*_WHOLE, "float", "double", "string", "binary")
    return Type(name, () if name in unsized else size, written=words)
