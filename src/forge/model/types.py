"""Data types: one class, one parser for every spelling, one canonical text.

`long`, `NUMERIC(12, 2)`, `text[]`, `ROW(a int)`, Iceberg's `struct<1: a: required int>` and Arrow's `timestamp[us,
tz=UTC]` are all parsed; the canonical text is Spark's. Two names differ between systems: `timestamp` has a zone in
Spark and none in Iceberg and SQL, `int8` has eight bytes in PostgreSQL and one in Arrow. They are parsed as in Spark
and PostgreSQL; `DataType.written` keeps the original word for callers that know the system, and objects of Iceberg and
Arrow are converted at the edge, not by text. An unknown type has its own text as name and equals itself only.

Which type may replace another is defined in `forge.model.widening`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

_DEPTH = 64  # nobody's table is deeper; a hostile text is
_SIGNS = "<>(),:[]`'\""
_TOKEN = re.compile(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.|'')*'|\"[^\"]*\"|[^\s<>(),:\[\]`'\"][^\s<>(),:\[\]`]*|\S")
_PLAIN_NAME = re.compile(r"[^\s<>(),:\[\]`'\"]+(?: [^\s<>(),:\[\]`'\"]+)*")
_ENDS = frozenset({"not", "null", "comment", "default", "options"})
_NESTED = ("struct", "array", "map")
_COUNTED = ("fixed", "fixed_size_binary", ">")  # which have a number in square brackets and are no arrays
_MICROSECONDS = (6,)  # what a time has where its precision is left out
# Canonical name → its other spellings: Spark's classes, Iceberg, Arrow, SQL databases, JDBC.
_SPELLINGS: Mapping[str, str] = {
    "boolean": "bool|bit|booleantype",
    "tinyint": "byte|int1|bytetype",
    "smallint": "short|int2|int16|smallserial|serial2|shorttype",
    "int": "integer|int4|int32|mediumint|serial|serial4|integertype",
    "bigint": "long|int8|int64|bigserial|serial8|biginteger|longtype",
    "uint8": "tinyint unsigned|utinyint",
    "uint16": "smallint unsigned|usmallint",
    "uint32": "int unsigned|integer unsigned|uinteger",
    "uint64": "bigint unsigned|ubigint",
    "halffloat": "float16",
    "float": "real|float4|float32|floattype",
    "double": "double precision|float8|float64|binary_double|doubletype",
    "decimal": "numeric|number|dec|decimal32|decimal64|decimal128|decimal256|decimaltype",
    "string": "text|str|utf8|large_utf8|large_string|string_view|clob|nclob|ntext|tinytext|mediumtext|longtext|"
    "longvarchar|longnvarchar|stringtype",
    "char": "character|bpchar|nchar|chartype",
    "varchar": "character varying|char varying|varchar2|nvarchar|nvarchar2|national character varying|varchartype",
    "uuid": "uniqueidentifier",
    "binary": "bytea|varbinary|blob|tinyblob|mediumblob|longblob|longvarbinary|bytes|raw|image|large_binary|"
    "binary_view|binarytype",
    "fixed": "fixed_size_binary",
    "date": "date32|datetype",
    "time": "time without time zone|time32|time64",
    "timestamp": "timestamptz|timestamp_ltz|timestamp_tz|timestamp with time zone|timestamp with local time zone|"
    "timestamp_with_timezone|datetimeoffset|timestamptype",
    "timestamp_ntz": "timestamp without time zone|datetime|datetime2|smalldatetime|timestampntztype",
    "timestamp_ns": "",
    "timestamptz_ns": "",
    "interval": "",
    "variant": "",
    "void": "null|unknown|nulltype",
    "struct": "row|record",
    "array": "list|large_list|list_view|large_list_view|fixed_size_list",
    "map": "",
}
_SYNONYMS = {word: name for name, words in _SPELLINGS.items() for word in words.split("|") if word}
KNOWN_TYPES = frozenset(_SPELLINGS)
TYPE_WORDS = (*_SPELLINGS, *_SYNONYMS)  # with which a type can begin
_UNSIZED = frozenset({"boolean", "tinyint", "smallint", "int", "bigint", "uint8", "uint16", "uint32", "uint64"})
_UNSIZED |= {"halffloat", "float", "double", "string", "binary", "date"}
_ICEBERG = {"tinyint": "int", "smallint": "int", "bigint": "long", "varchar": "string", "char": "string"}
_ICEBERG |= {"timestamp": "timestamptz", "timestamp_ntz": "timestamp", "void": "unknown"}


@dataclass(frozen=True, slots=True)
class TypeField:
    """A field of a struct; also the `element` of an array, the `key` and `value` of a map. Comparison of types
    ignores whether their parts may be NULL."""

    name: str
    type: DataType
    nullable: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        return f"{_quoted(self.name)}:{self.type}"


@dataclass(frozen=True, slots=True)
class DataType:
    """`size`: precision and scale, or a length. `str` is the canonical text, in Spark's words; `written` is the
    original word."""

    name: str
    size: tuple[int, ...] = ()
    fields: tuple[TypeField, ...] = ()
    written: str = field(default="", compare=False)

    def get(self, name: str) -> TypeField | None:
        """The field of that name; case makes no difference."""
        return next((f for f in self.fields if f.name.lower() == name.lower()), None)

    @property
    def is_nested(self) -> bool:
        return self.name in _NESTED

    def __str__(self) -> str:
        if self.name == "struct":
            return f"struct<{','.join(str(f) for f in self.fields)}>"
        if self.fields:
            return f"{self.name}<{','.join(str(f.type) for f in self.fields)}>"
        return f"{self.name}({','.join(str(n) for n in self.size)})" if self.size else self.name


def as_type(of: str | DataType) -> DataType:
    return parse_type(of) if isinstance(of, str) else of


@lru_cache(maxsize=4096)
def parse_type(text: str) -> DataType:
    """An unknown type has its own text as name."""
    parser = _Parser(_TOKEN.findall(text))
    try:
        found = parser.type(0)
        parser.nullable()
    except _Unknown:
        found = None
    return found if found is not None and parser.at_end else DataType(" ".join(text.lower().split()))


def same_type(old: str | DataType, new: str | DataType) -> bool:
    """Equal apart from spelling, and the order and case of a struct's fields."""
    return _ordered(as_type(old)) == _ordered(as_type(new))


def iceberg_text(of: str | DataType) -> str:
    """The type as Iceberg's own words say it: `long`, `timestamptz`, `list<int>`."""
    found = as_type(of)
    if found.name == "struct":
        return f"struct<{', '.join(f'{f.name}: {iceberg_text(f.type)}' for f in found.fields)}>"
    if found.fields:
        inside = ", ".join(iceberg_text(f.type) for f in found.fields)
        return f"{'list' if found.name == 'array' else found.name}<{inside}>"
    if found.name == "decimal":
        return f"decimal({', '.join(str(n) for n in found.size)})"
    if found.name == "fixed" and found.size:
        return f"fixed[{found.size[0]}]"
    return _ICEBERG.get(found.name, str(found))


def balanced(text: str) -> bool:
    """Whether every bracket of the text is closed; brackets in backticks and quotes are none."""
    return sum((sign in "<([") - (sign in ">)]") for sign in _TOKEN.findall(text)) == 0


def _ordered(of: DataType) -> DataType:
    fields = tuple(TypeField(f.name.lower(), _ordered(f.type)) for f in of.fields)
    return DataType(of.name, of.size, tuple(sorted(fields, key=lambda f: f.name)) if of.name == "struct" else fields)


def _quoted(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"


class _Unknown(Exception):
    """The text is no type of this grammar."""


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._tokens)

    def type(self, depth: int) -> DataType:
        if depth > _DEPTH:
            raise _Unknown
        found = self._plain(depth)
        while self._take("["):  # int[], int[3]
            if self._peek().isdecimal():
                self._next()
            self._expect("]")
            found = DataType("array", (), (TypeField("element", found),))
        return found

    def nullable(self) -> bool:
        """Parses what may follow a type: NOT NULL, a comment, a default, options."""
        nullable = True
        while self._peek() in _ENDS:
            match self._word():
                case "not":
                    self._expect("null")
                    nullable = False
                case "comment":
                    self._next()
                case "default" | "options":
                    self._skip()
        return nullable

    def _skip(self) -> None:
        depth = 0
        while not self.at_end and (depth or self._peek() not in (",", ">", ")")):
            depth += (self._peek() == "(") - (self._peek() == ")")
            self._at += 1

    def _plain(self, depth: int) -> DataType:
        name = self._word()
        kind = "struct" if name == "object" else _SYNONYMS.get(name, name)
        if kind in _NESTED and self._peek() in ("<", "("):
            closing = {"<": ">", "(": ")"}[self._next()]
            found = self._nested(kind, closing, depth + 1)
            if name == "fixed_size_list":
                self._unit()
            return found
        words, size = self._words([name]), self._size()
        spelled = " ".join(self._words(words))
        return _plain_type(spelled, size, self._unit())

    def _nested(self, kind: str, closing: str, depth: int) -> DataType:
        fields: list[TypeField] = []
        while not self._take(closing):
            if fields:
                self._expect(",")
            if kind == "struct":
                fields.append(self._field(depth))
            else:
                if self._tokens[self._at + 1 : self._at + 2] == [":"]:  # Arrow's list<item: int64>
                    self._at += 2
                inner = self.type(depth)
                fields.append(TypeField("element", inner, self.nullable()))
        if kind == "map" and len(fields) == 2:
            key, value = fields
            fields = [TypeField("key", key.type, False), TypeField("value", value.type, value.nullable)]
        elif kind != "struct" and len(fields) > (kind == "array"):
            raise _Unknown
        return DataType(kind, (), tuple(fields))

    def _field(self, depth: int) -> TypeField:
        """`a: int`, `a int not null`, or Iceberg's `1: a: required int`."""
        if self._peek().isdigit() and self._tokens[self._at + 1 : self._at + 4 : 2] == [":", ":"]:
            self._at += 2
        name = self._field_name()
        required = self._take("required")
        if not required:
            self._take("optional")
        inner = self.type(depth)
        return TypeField(name, inner, self.nullable() and not required)

    def _field_name(self) -> str:
        words = [self._next()]
        if words[0][0] in _SIGNS and len(words[0]) < 2:  # no name, or a quote that is never closed
            raise _Unknown
        if words[0].startswith(("`", '"')):
            self._take(":")
            quote = words[0][0]
            return words[0][1:-1].replace(quote * 2, quote)
        ahead = self._at  # a name may have spaces where a colon ends it
        while ahead < len(self._tokens) and self._tokens[ahead] not in _SIGNS:
            ahead += 1
        if ahead < len(self._tokens) and self._tokens[ahead] == ":":
            words += self._tokens[self._at : ahead]
            self._at = ahead + 1
        return " ".join(words)

    def _words(self, words: list[str]) -> list[str]:
        while not self.at_end and self._peek()[0] not in _SIGNS and self._peek() not in _ENDS:
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
            if not re.fullmatch(r"-?[0-9]{1,9}", number):
                raise _Unknown
            numbers.append(int(number))
            if self._peek() in ("char", "byte"):  # Oracle's varchar2(20 char)
                self._next()
        return tuple(numbers)

    def _unit(self) -> str:
        """The square brackets of Arrow, pandas and Iceberg: `us, tz=UTC`, `16`; empty where it is an array."""
        if self._peek() != "[" or "]" not in self._tokens[self._at :]:
            return ""
        end = self._tokens.index("]", self._at)
        unit = "".join(self._tokens[self._at + 1 : end]).lower()
        if not unit or (unit.isdecimal() and self._tokens[self._at - 1].lower() not in _COUNTED):
            return ""
        self._at = end + 1
        return unit

    def _peek(self) -> str:
        return "" if self.at_end else self._tokens[self._at].lower()

    def _next(self) -> str:
        if self.at_end:
            raise _Unknown
        self._at += 1
        return self._tokens[self._at - 1]

    def _word(self) -> str:
        word = self._next().lower()
        if word[0] in _SIGNS:
            raise _Unknown
        return word

    def _take(self, token: str) -> bool:
        found = self._peek() == token
        self._at += found
        return found

    def _expect(self, token: str) -> None:
        if not self._take(token):
            raise _Unknown


def _plain_type(words: str, size: tuple[int, ...], unit: str = "") -> DataType:
    name = _SYNONYMS.get(words, words)
    if unit:
        return _with_unit(name, f"{words}[{unit}]", unit)
    if name == "decimal":
        bare = (38, 0) if words == "number" else (10, 0)  # what they are in Oracle and Snowflake; in Spark
        return DataType(name, (*size, 0)[:2] if size else bare, written=words)
    if name == "varchar" and not size:
        return DataType("string", written=words)
    if name == "char" and not size:
        return DataType(name, (1,), written=words)
    if words == "float" and size > (24,):  # by the standard of SQL, the digits of the binary fraction
        return DataType("double", written=words)
    if words == "bit" and size > (1,):
        return DataType("bit", size, written=words)
    if name in ("time", "timestamp", "timestamp_ntz") and size == _MICROSECONDS:
        size = ()
    return DataType(name, () if name in _UNSIZED else size, written=words)


def _with_unit(name: str, written: str, unit: str) -> DataType:
    if name == "timestamp" or written.startswith("datetime64"):
        is_zoned, is_nano = "," in unit, unit.startswith("ns") and name == "timestamp"
        named = {(True, True): "timestamptz_ns", (False, True): "timestamp_ns", (True, False): "timestamp"}
        return DataType(named.get((is_zoned, is_nano), "timestamp_ntz"), written=written)
    if name == "fixed" and unit.isdecimal():
        return DataType(name, (int(unit),), written=written)
    return DataType(name if name in ("date", "time") else written, written=written)
