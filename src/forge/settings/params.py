"""Values of run parameters."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

from forge.model.time import as_utc


def typed_value(type_: str, value: object) -> object:
    """`value`, a text or a YAML value, converted to the parameter's type; ValueError says what is expected."""
    text = value.isoformat() if isinstance(value, date) else spark_text(value)
    try:
        match type_:
            case "boolean":
                return {"true": True, "false": False}[text.lower()]
            case "int" | "long":
                number, bits = int(text), 31 if type_ == "int" else 63
                return number if -(2**bits) <= number < 2**bits else int("too large")
            case "float" | "double":
                return float(text)
            case "decimal":
                return Decimal(text)
            case "date":
                return date.fromisoformat(text)
            case "timestamp":
                return as_utc(datetime.fromisoformat(text))
    except (ValueError, KeyError, ArithmeticError):
        raise ValueError(f"'{text}' is no {type_}") from None
    return text


def spark_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
