"""Names and types of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from forge.model.name_suggestions import did_you_mean
from forge.model.schema import Schema
from forge.model.types import KNOWN_TYPES, TYPE_WORDS, DataType, parse_type, same_type
from forge.quality.check import Check, Context, Finding
from forge.quality.keys import InvalidKey, Key, KeyKind, Keys, flag, reads, types
from forge.quality.measure import Measure, Readings
from forge.quality.paths import UnknownField, find_field

_SHOWN = 20


@reads(KeyKind.MAPPING)
def _known_types(value: object) -> tuple[tuple[str, str], ...]:
    """A type nearly equal to one of Spark's is a typo; an unknown one may be newer than this list."""
    named = types(value)
    for name, type_ in named:
        for word in _unknown_words(parse_type(type_)):
            near = did_you_mean(word, TYPE_WORDS)
            if near:
                raise InvalidKey(f"gives {name} the type '{type_}', and there is no type '{word}'. {near}")
    return named


def _unknown_words(of: DataType) -> tuple[str, ...]:
    own = () if of.name in KNOWN_TYPES else (of.name,)
    return (*own, *(word for field in of.fields for word in _unknown_words(field.type)))


@dataclass(frozen=True, slots=True)
class SchemaCheck(Check):
    """The table has these `columns` with these types; a field of a struct is `address.city`. Upper and lower case are
    the same, and so are all spellings of a type (int and integer, long, int64 and bigint) and the order of a struct's
    fields. Other columns are allowed, unless `allow_extra` is false. No rows are read."""

    type: ClassVar[str] = "schema"
    words: ClassVar[tuple[str, ...]] = ("schema",)
    keys: ClassVar[Keys] = {
        "columns": Key(_known_types, "columns", required=True, label="Columns and types", example="order_id: bigint"),
        "allow_extra": Key(flag, "allow_extra", label="More columns are allowed"),
    }
    without: ClassVar[frozenset[str]] = frozenset({"where", "partition_by", "since"})

    columns: tuple[tuple[str, str], ...]
    allow_extra: bool = True

    def targets(self) -> tuple[str, ...]:
        """None: a missing column is for `decide` to report."""
        return ()

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset()

    def decide(self, readings: Readings, context: Context) -> Finding:
        missing: list[str] = []
        wrong: list[dict[str, str]] = []
        expected: set[str] = set()
        for name, type_ in self.columns:
            try:
                found = find_field(context.schema, name)
            except UnknownField:
                missing.append(name)
                continue
            expected.add(found.parts[0].lower())
            if not same_type(found.type, type_):
                wrong.append({"column": name, "expected": type_, "found": found.type})
        extra = [name for name in context.schema.names if name.lower() not in expected]
        faults = [
            *([f"missing {_listed(missing)}"] if missing else []),
            *(f"{one['column']} is {one['found']} and should be {one['expected']}" for one in wrong[:_SHOWN]),
            *([f"and {len(wrong) - _SHOWN:,} more types"] if len(wrong) > _SHOWN else []),
            *([f"not expected {_listed(extra)}"] if extra and not self.allow_extra else []),
        ]
        count = len(self.columns)
        message = (
            "; ".join(faults) or f"all {count:,} columns are there with their types" if count > 1 or faults else ""
        )
        return Finding(
            bool(faults),
            f"schema: {message or 'the column is there with its type'}",
            {"columns": dict(self.columns), "allow_extra": self.allow_extra},
            more={"missing": missing, "wrong_type": wrong, "extra": extra},
        )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
