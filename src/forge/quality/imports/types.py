"""Types of other tools as Spark types."""

from __future__ import annotations

from forge.model.types import KNOWN_TYPES, parse_type
from forge.quality.imports.mapping import MappingError

_PANDAS = {"object": "string", "datetime64[ns]": "timestamp"}  # as Spark reads such columns
_TEXTS = ("varchar", "char")  # of which a table keeps no length
_UNSURE = ("decimal", "decimaltype", "numeric", "number")  # without a size they are something else in every system


def spark_type(word: str) -> str:
    text = " ".join(word.strip().lower().removesuffix("()").split())
    found = parse_type(_PANDAS.get(text, text))
    if found.name not in KNOWN_TYPES or found.is_nested or text in _UNSURE:
        raise MappingError(f"the type {word} has no certain counterpart in Spark")
    return "string" if found.name in _TEXTS else str(found)
