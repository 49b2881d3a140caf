"""Meaning of `format` of a logical type: a pattern for strings, bounds for integers."""

from __future__ import annotations

_HEX = "[0-9A-Fa-f]{1,4}"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"(?:{_OCTET}\.){{3}}{_OCTET}"
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"


def _ipv6() -> str:
    """Eight groups, of which `::` may replace one or more; the last two may be an IPv4 address."""
    forms = [f"(?:{_HEX}:){{7}}{_HEX}", f"(?:{_HEX}:){{6}}{_IPV4}"]
    for left in range(8):
        head = f"{_HEX}(?::{_HEX}){{{left - 1}}}" if left else ""
        tail = f"(?:{_HEX}(?::{_HEX}){{0,{6 - left}}})?" if left < 7 else ""
        forms.append(f"{head}::{tail}")
        if left < 6:
            forms.append(f"{head}::(?:{_HEX}:){{0,{5 - left}}}{_IPV4}")
    return "^(?:" + "|".join(forms) + ")$"


TEXT_PATTERNS: dict[str, str] = {
    "email": r"^[^@\s]+@[^@\s]+$",
    "uuid": "^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$",
    "hostname": rf"^(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*$",
    "ipv4": f"^{_IPV4}$",
    "ipv6": _ipv6(),
    "byte": "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
}

# Formats of display or storage, which no value can violate.
FREE_TEXT_FORMATS = ("password", "binary")

# None: wider than any column of integers.
INTEGER_BOUNDS: dict[str, tuple[int | None, int | None]] = {
    "i8": (-(2**7), 2**7 - 1),
    "i16": (-(2**15), 2**15 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "i64": (None, None),
    "i128": (None, None),
    "u8": (0, 2**8 - 1),
    "u16": (0, 2**16 - 1),
    "u32": (0, 2**32 - 1),
    "u64": (0, None),
    "u128": (0, None),
}
