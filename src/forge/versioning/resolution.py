"""Resolutions of conflicts, in the words shared by settings, terminal, Python and HTTP: a side, a manual value, or a
function of the three sides."""

from __future__ import annotations

from collections.abc import Mapping

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.versioning.conflict import ResolutionChoice, ResolutionRule

SIDES = {take.value: take for take in (ResolutionChoice.OURS, ResolutionChoice.THEIRS, ResolutionChoice.BASE)}
FUNCTIONS = {"max": "greatest(ours, theirs)", "min": "least(ours, theirs)", "sum": "ours + theirs - base"}
"""Short names of what is asked for most. `sum`: what both sides added, on top of the base."""
WORDS = (*SIDES, ResolutionChoice.MANUAL.value, *FUNCTIONS)
_HELP = "Take ours, theirs or base; max, min or sum; SQL like greatest(ours, theirs); or manual, with a value."


UNSET: object = object()  # null is a value


def parse_rule(
    word: str, table: str | None = None, column: str | None = None, *, value: object = UNSET, is_checked: bool = True
) -> ResolutionRule:
    """The rule of a word. `manual` takes `value`, and so does `expression`, its text; SQL may replace the word. E619
    and E625 where it is invalid; `is_checked` False defers parsing SQL until a conflict needs it."""
    name = word.strip().lower()
    if name in SIDES:
        return ResolutionRule(SIDES[name], table, column)
    if name == ResolutionChoice.MANUAL:
        if value is UNSET:
            raise ForgeError("E619", "The value is missing", fix="`manual` needs one; null is one, too.")
        return ResolutionRule(ResolutionChoice.MANUAL, table, column, value)
    text = value if name == ResolutionChoice.EXPRESSION else FUNCTIONS.get(name, word.strip())
    if not isinstance(text, str) or not text.strip():
        raise ForgeError("E619", "The expression is missing", fix="Write it like greatest(ours, theirs).")
    if name.isidentifier() and name not in FUNCTIONS and name != ResolutionChoice.EXPRESSION:
        raise ForgeError("E619", f"'{word}' is no resolution", why=did_you_mean(name, WORDS), fix=_HELP)
    if is_checked:
        from forge.versioning.expression.parse import parse_expression  # with sqlglot, which most commands never need

        parse_expression(text)
    return ResolutionRule(ResolutionChoice.EXPRESSION, table, column, text)


def standing_rules(given: Mapping[str, Mapping[str, str]]) -> tuple[ResolutionRule, ...]:
    """Rules of the settings: table → column → a word. SQL is parsed when a conflict needs it."""
    return tuple(
        parse_rule(text, table, column, is_checked=False)
        for table, columns in given.items()
        for column, text in columns.items()
    )
