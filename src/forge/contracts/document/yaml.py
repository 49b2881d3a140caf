"""The YAML of a contract. Its values are those of YAML 1.1, as other tools of the standard read them, except that dates
and clock times stay texts; so do keys."""

from __future__ import annotations

import math
import re
from typing import Any

from forge.model.yaml_reader import STANDARD_TAG, YamlReader, at

_CONSTANTS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_STARTS_NUMBER = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class ContractYaml(YamlReader):
    noun = "a contract"

    def key(self, event: Any) -> str:
        if event.style == '"':
            _refuse_control(event)
        return str(event.value)

    def value(self, event: Any) -> object:
        """What looks like a date or a clock time is a text."""
        if event.style == '"':
            _refuse_control(event)
        text: str = event.value
        tag: str | None = event.tag
        if tag is None or tag == "!":
            if event.style or not event.implicit[0] or tag == "!":
                return text
            if text in _CONSTANTS:
                return _CONSTANTS[text]
            return _number_of(event, text) if text[0] in _STARTS_NUMBER else text
        match tag.removeprefix(STANDARD_TAG):
            case "str" | "timestamp":
                return text
            case "null" | "bool" if text in _CONSTANTS:
                return _CONSTANTS[text]
            case "int" | "float" if not isinstance(number := _number_of(event, text), str):
                return number
        raise self.forbidden_tag(event)


def _refuse_control(event: Any) -> None:
    """Only a text in double quotes can hold one."""
    if control := _CONTROL.search(event.value):
        raise at(event, f"a text holds the control character U+{ord(control[0]):04X}", "Take it out of the text.")


def _number_of(event: Any, text: str) -> object:
    if _INTEGER.fullmatch(text):
        if len(text) > 300:
            raise at(event, "the number is too long", "Put it in quotes if it is a text.")
        return _whole(text.replace("_", ""))
    is_endless = _ENDLESS.fullmatch(text) is not None
    if not is_endless and not _FLOAT.fullmatch(text):
        return text
    number = math.inf if is_endless else float(text.replace("_", ""))
    if math.isinf(number):
        raise at(event, f"{text[:20]} is no number that a contract can hold", "Put it in quotes, or use a number.")
    return number


def _whole(text: str) -> int:
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-")
    if digits.startswith(("0b", "0x")):
        return sign * int(digits[2:] or "0", 2 if digits[1] == "b" else 16)
    return sign * int(digits, 8 if len(digits) > 1 and digits[0] == "0" else 10)
