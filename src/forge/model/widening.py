"""Which type may take the place of another. That is three questions, and the caller says which one is asked.

- `iceberg`: may a column become it in place, without rewriting files? A number becomes a longer one of its kind, a
  decimal gets more digits at the same scale, and a column of nothing but NULL anything (`unknown`, of format 3). The
  rest of format 3 (date → timestamp) is out: tables have format 2. Fields inside a nested type are columns of their
  own there, changed one by one, so a nested type never becomes another one as a whole.
- `reader`: can those who read the old type go on unchanged? As above, a text may become longer, and it holds inside
  arrays, maps and structs too; a struct may get more fields. Whole numbers do not become floats or decimals, a decimal
  keeps its scale, dates do not become timestamps: sums, joins, filters and texts of readers change with them. A char
  keeps its length, it is filled up with spaces.
- `value`: is every value of the old type, exactly, one of the new? `int` → `double` is (31 bits fit 53), `bigint` →
  `double` is not; `decimal(10,2)` → `decimal(12,3)` is, 8 digits before the point fit 9 and 2 behind it fit 3.

What `iceberg` or `reader` allow, `value` does too (but for a bare `array` or `map`, which says nothing of its values).
Equal types are no widening."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Literal

from forge.model.types import DataType, as_type, same_type

Policy = Literal["iceberg", "reader", "value"]
_Rule = Callable[[DataType, DataType], bool]

_RANGES = {f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)}
_SIGNED = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_RANGES |= {name: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for name, bits in _SIGNED.items()}
_MANTISSA = {"halffloat": 11, "float": 24, "double": 53}
_CHAINS = (tuple(_SIGNED), ("uint8", "uint16", "uint32", "uint64"), tuple(_MANTISSA))
_TIMES = ("time", "timestamp", "timestamp_ntz")


class TypeChange(StrEnum):
    SAME = "same"
    WIDENING = "widening"
    NARROWING = "narrowing"
    UNRELATED = "unrelated"


def widens(old: str | DataType, new: str | DataType, policy: Policy) -> bool:
    """Whether `new` is wider than `old` under that policy."""
    before, after = as_type(old), as_type(new)
    return not same_type(before, after) and _RULES[policy](before, after)


def classify(old: str | DataType, new: str | DataType, policy: Policy) -> TypeChange:
    """The kind of change from type `old` to `new` under that policy."""
    if same_type(old, new):
        return TypeChange.SAME
    if widens(old, new, policy):
        return TypeChange.WIDENING
    return TypeChange.NARROWING if widens(new, old, policy) else TypeChange.UNRELATED


def _iceberg(old: DataType, new: DataType) -> bool:
    return old.name == "void" or _is_longer(old, new)


def _reader(old: DataType, new: DataType) -> bool:
    if old.is_nested and old.name == new.name:
        return _inside(old, new, _reader)
    if old.name == "varchar":
        return new.name == "string" or (new.name == "varchar" and new.size >= old.size)
    return old == new or _is_longer(old, new)


def _value(old: DataType, new: DataType) -> bool:
    if old.name == new.name == "struct" or (old.is_nested and old.name == new.name and old.fields):
        return _inside(old, new, _value)
    if old == new or old.name == "void":
        return True
    if old.name in ("char", "varchar"):
        return new.name == "string" or (new.name == "varchar" and new.size >= old.size)
    if old.name == "date":
        return new.name in ("timestamp", "timestamp_ntz")  # at midnight
    if old.name in _TIMES and old.name == new.name:
        return (old.size or (6,)) <= (new.size or (6,))
    return (old.name, new.name) == ("fixed", "binary") or _is_number(old, new)


_RULES: dict[Policy, _Rule] = {"iceberg": _iceberg, "reader": _reader, "value": _value}


def _inside(old: DataType, new: DataType, rule: _Rule) -> bool:
    """Every part is there, by name, and follows the rule."""
    pairs = [(field.type, new.get(field.name)) for field in old.fields]
    return all(after is not None and rule(before, after.type) for before, after in pairs)


def _is_longer(old: DataType, new: DataType) -> bool:
    """A longer number of the same kind."""
    if old.name == new.name == "decimal":
        return new.size[1] == old.size[1] and new.size[0] >= old.size[0]
    return any(old.name in chain and new.name in chain[chain.index(old.name) :] for chain in _CHAINS)


def _is_number(old: DataType, new: DataType) -> bool:
    """Whether every number of `old` is one of `new`."""
    if old.name in _RANGES:
        low, high = _RANGES[old.name]
        if new.name in _RANGES:
            return _RANGES[new.name][0] <= low and high <= _RANGES[new.name][1]
        if new.name == "decimal":
            return new.size[1] >= 0 and max(-low, high) < 10 ** (new.size[0] - new.size[1])
        return new.name in _MANTISSA and max(-low, high) <= 2 ** _MANTISSA[new.name]
    if old.name != "decimal":
        return _is_longer(old, new)
    precision, scale = old.size
    if new.name == "decimal":
        return new.size[0] - new.size[1] >= precision - scale and new.size[1] >= scale
    if scale != 0:
        return False
    if new.name in _RANGES:
        return _RANGES[new.name][0] < 0 and 10**precision - 1 <= _RANGES[new.name][1]
    return new.name in _MANTISSA and 10**precision - 1 <= 2 ** _MANTISSA[new.name]
