"""How a conflict is resolved, in the words that settings, the terminal, Python and HTTP share: a side, a value by hand,
or a function of the three sides."""

from __future__ import annotations

from collections.abc import Mapping

from forge.model.errors import ForgeError
from forge.model.nearest import did_you_mean
from forge.versioning.conflict import Rule, Take

SIDES = {take.value: take for take in (Take.OURS, Take.THEIRS, Take.BASE)}
FUNCTIONS = {"max": "greatest(ours, theirs)", "min": "least(ours, theirs)", "sum": "ours + theirs - base"}
"""Short names of what is asked for most. `sum`: what both sides added, on top of the base."""
WORDS = (*SIDES, Take.MANUAL.value, *FUNCTIONS)
_HELP = "Take ours, theirs or base; max, min or sum; SQL like greatest(ours, theirs); or manual, with a value."


UNSAID: object = object()  # null is a value


def parse_rule(
    word: str, table: str | None = None, column: str | None = None, *, value: object = UNSAID, is_checked: bool = True
) -> Rule:
    """The rule that a word says. `manual` takes `value`, and so does `expression`, its text; SQL may stand in place of
    the word. E619 and E625 where it says nothing; `is_checked` False leaves SQL to be read when a conflict asks."""
    name = word.strip().lower()
    if name in SIDES:
        return Rule(SIDES[name], table, column)
    if name == Take.MANUAL:
        if value is UNSAID:
            raise ForgeError("E619", "The value is missing", fix="`manual` needs one; null is one, too.")
        return Rule(Take.MANUAL, table, column, value)
    text = value if name == Take.EXPRESSION else FUNCTIONS.get(name, word.strip())
    if not isinstance(text, str) or not text.strip():
        raise ForgeError("E619", "The expression is missing", fix="Write it like greatest(ours, theirs).")
    if name.isidentifier() and name not in FUNCTIONS and name != Take.EXPRESSION:
        raise ForgeError("E619", f"'{word}' is no resolution", why=did_you_mean(name, WORDS), fix=_HELP)
    if is_checked:
        from forge.versioning.expression.parse import parse_expression  # with sqlglot, which most commands never need

        parse_expression(text)
    return Rule(Take.EXPRESSION, table, column, text)


def standing_rules(given: Mapping[str, Mapping[str, str]]) -> tuple[Rule, ...]:
    """Rules as settings write them: table → column → a word. SQL is read when a conflict asks for it."""
    return tuple(
        parse_rule(text, table, column, is_checked=False)
        for table, columns in given.items()
        for column, text in columns.items()
    )
