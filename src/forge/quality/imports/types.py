"""The types of other tools, as Spark calls them."""

from __future__ import annotations

import re

from forge.quality.imports.mapped import CannotMap

_TYPES = {
    **dict.fromkeys(
        ("string", "stringtype", "str", "object", "varchar", "text", "character varying", "char"), "string"
    ),
    **dict.fromkeys(("int", "integer", "integertype", "int32", "int4"), "int"),
    **dict.fromkeys(("bigint", "long", "longtype", "int64", "int8", "biginteger"), "bigint"),
    **dict.fromkeys(("smallint", "shorttype", "int16", "int2"), "smallint"),
    **dict.fromkeys(("double", "doubletype", "float64", "float8", "double precision"), "double"),
    **dict.fromkeys(("float", "floattype", "float32", "real", "float4"), "float"),
    **dict.fromkeys(("boolean", "booleantype", "bool"), "boolean"),
    **dict.fromkeys(("date", "datetype"), "date"),
    **dict.fromkeys(
        ("timestamp", "timestamptype", "datetime", "datetime64[ns]", "timestamptz", "timestamp with time zone"),
        "timestamp",
    ),
    **dict.fromkeys(("timestamp_ntz", "timestampntztype", "timestamp without time zone"), "timestamp_ntz"),
    **dict.fromkeys(("binary", "binarytype", "bytea", "bytes"), "binary"),
}
_DECIMAL = re.compile(r"(?:decimal|decimaltype|numeric|number)\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)")


def spark_type(word: str) -> str:
    text = " ".join(word.strip().lower().removesuffix("()").split())
    if match := _DECIMAL.fullmatch(text):
        return f"decimal({match[1]},{match[2]})"
    known = _TYPES.get(text) or _TYPES.get(re.sub(r"\s*\(\d+\)$", "", text))
    if known is None:
        raise CannotMap(f"the type {word} has no certain counterpart in Spark")
    return known
