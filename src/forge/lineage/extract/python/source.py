"""Parses Python files."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache

LARGEST = 10_000_000  # characters


@dataclass(frozen=True, slots=True)
class UnparsedSource:
    line: int
    reason: str


@lru_cache(maxsize=512)
def parse(text: str) -> ast.Module | UnparsedSource:
    if len(text) > LARGEST:
        return UnparsedSource(1, f"the file has {len(text):,} characters; files above {LARGEST:,} are not read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(text.removeprefix("\ufeff"))
    except SyntaxError as error:
        return UnparsedSource(error.lineno or 1, f"this is not valid Python: {error.msg}")
    except ValueError as error:  # null bytes
        return UnparsedSource(1, f"this is not valid Python: {error}")
    except (RecursionError, MemoryError):
        return UnparsedSource(1, "the code is nested too deeply to be followed")


_WORD = re.compile(r"[A-Za-z_]\w*")


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """All names that appear in a text."""
    return frozenset(_WORD.findall(text))
