"""Spark's rules for types (ANSI mode): which type two values have in common, and what arithmetic gives."""

from __future__ import annotations

from sqlglot import exp

from forge.engines.datafusion.allow_list import NotInProcess
from forge.model.types import DataType, parse_type

BOOLEAN = DataType("boolean")
INT = DataType("int")
BIGINT = DataType("bigint")
FLOAT = DataType("float")
DOUBLE = DataType("double")
STRING = DataType("string")
DATE = DataType("date")
TIMESTAMP = DataType("timestamp")
TIMESTAMP_NTZ = DataType("timestamp_ntz")
VOID = DataType("void")

INTEGERS = ("tinyint", "smallint", "int", "bigint")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_COMPARABLE = frozenset({*INTEGERS, "boolean", "float", "double", "decimal", "string", "date", "timestamp"})
COMPARABLE = _COMPARABLE | {"timestamp_ntz", "binary", "void"}
_SQL_NAMES = {"tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INT", "bigint": "BIGINT", "float": "REAL"}
_SQL_NAMES |= {"double": "DOUBLE", "string": "VARCHAR", "date": "DATE", "boolean": "BOOLEAN"}
MAX_PRECISION = 38
WIDE = 76  # digits of a decimal of 256 bits


def decimal(precision: int, scale: int) -> DataType:
    return DataType("decimal", (precision, scale))


def plain(of: DataType) -> DataType:
    """Types of columns: a varchar is compared as the string that it is."""
    if of.name == "varchar":
        return STRING
    if of.name == "char":  # Spark pads them
        raise NotInProcess("a column of type char is not read in-process")
    if of.name == "decimal" and not (of.size and 0 < of.size[0] <= MAX_PRECISION and 0 <= of.size[1] <= of.size[0]):
        raise NotInProcess(f"a column of type {of} is not read in-process")
    if of.name not in COMPARABLE and not of.is_nested:
        raise NotInProcess(f"a column of type {of} is not read in-process")
    return DataType(of.name, of.size, of.fields)


def cast_to(sql: str, to: DataType) -> str:
    """A cast that DataFusion does; whether it means the same in Spark is for the caller to know."""
    if to.name == "decimal":
        return f"CAST({sql} AS DECIMAL({to.size[0]},{to.size[1]}))"
    if to.name == "timestamp":
        return f"""arrow_cast({sql}, 'Timestamp(Microsecond, Some("UTC"))')"""
    if to.name == "timestamp_ntz":
        return f"arrow_cast({sql}, 'Timestamp(Microsecond, None)')"
    if to.name == "binary":
        return f"arrow_cast({sql}, 'Binary')"
    if to.name not in _SQL_NAMES:
        raise NotInProcess(f"a cast to {to} is not computed in-process")
    return f"CAST({sql} AS {_SQL_NAMES[to.name]})"


def written_type(node: exp.DataType) -> DataType:
    """The type of a CAST."""
    found = parse_type(node.sql(dialect="spark"))
    if found.name in (*_SQL_NAMES, "decimal", "timestamp", "timestamp_ntz"):
        return plain(DataType(found.name, found.size))
    raise NotInProcess(f"a cast to {found} is not computed in-process")


def as_decimal(of: DataType) -> DataType | None:
    """The decimal that holds every value of an integer or decimal type."""
    if of.name == "decimal":
        return of
    return decimal(_DIGITS[of.name], 0) if of.name in INTEGERS else None


def common_type(left: DataType, right: DataType) -> DataType:
    """Into which Spark casts both. Refused where that could lose digits, or is not simple."""
    if left == right or right == VOID:
        return left
    if left == VOID:
        return right
    names = {left.name, right.name}
    if names <= set(INTEGERS):
        return max(left, right, key=lambda each: INTEGERS.index(each.name))
    if names <= {*INTEGERS, "decimal"}:
        one, other = as_decimal(left), as_decimal(right)
        if one is None or other is None:
            raise AssertionError(names)
        scale = max(one.size[1], other.size[1])
        digits = max(one.size[0] - one.size[1], other.size[0] - other.size[1])
        if scale + digits > MAX_PRECISION:
            raise NotInProcess(f"{left} beside {right}, which would lose digits, is not computed in-process")
        return decimal(scale + digits, scale)
    if names <= {*INTEGERS, "decimal", "double"} or names == {"float", "double"}:
        return DOUBLE
    if names <= {"date", "timestamp"}:
        return TIMESTAMP
    if names <= {"date", "timestamp_ntz"}:
        return TIMESTAMP_NTZ
    raise NotInProcess(f"{left} beside {right} is not computed in-process")


def adjusted(precision: int, scale: int) -> DataType:
    """Spark's rule where a result would have more than 38 digits: it gives up digits of the fraction, not below 6."""
    if precision <= MAX_PRECISION:
        return decimal(precision, scale)
    digits = precision - scale
    return decimal(MAX_PRECISION, max(MAX_PRECISION - digits, min(scale, 6)))


def arithmetic_type(operator: type[exp.Expr], left: DataType, right: DataType) -> DataType:
    """Of two decimals."""
    (p1, s1), (p2, s2) = left.size, right.size
    scale = max(s1, s2)
    if operator in (exp.Add, exp.Sub):
        return adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale)
    if operator is exp.Mul:
        return adjusted(p1 + p2 + 1, s1 + s2)
    if operator is exp.Mod:
        return adjusted(min(p1 - s1, p2 - s2) + scale, scale)
    scale = max(6, s1 + p2 + 1)
    return adjusted(p1 - s1 + s2 + scale, scale)
