"""Which tables an unreadable file would make, as far as its path and text show."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from forge.model.names import TableName, find_table_names

_DECLARED = re.compile(r"""^[ \t{-]*["']?output["']?\s*:\s*["']?([\w.]+)""", re.MULTILINE)
_ARGUMENT = re.compile(r"""\boutput\s*=\s*["']([\w.]+)["']""")
_FUNCTION = re.compile(r"^def\s+(\w+)", re.MULTILINE)


def output_by_path(file: str) -> TableName | None:
    """`transforms/core/orders.sql` writes `core.orders`; None where the path names no table."""
    parts = PurePosixPath(file).with_suffix("").parts[1:]
    return next(iter(find_table_names([".".join(parts[-2:])])), None)


def find_outputs(text: str, file: str) -> frozenset[TableName]:
    """From `output` in the text; else from its path, and in Python its folder and functions."""
    path = PurePosixPath(file)
    if path.suffix == ".py":
        named = [f"{path.parent.name}.{name}" for name in _FUNCTION.findall(text)] if len(path.parts) > 2 else []
        return find_table_names([*_ARGUMENT.findall(text), *named])
    declared = find_table_names(_DECLARED.findall(text))
    if path.suffix == ".sql":
        own = output_by_path(file)
        return declared or frozenset({own} if own else ())
    return declared
