"""Expressions of virtual tables: text that is parsed once, judged node by node, and from then on a tree."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from forge.federation.scalar_nodes import SCALARS

# What the parser raises beside its own errors.
_TRIPPED = (AssertionError, IndexError, KeyError, AttributeError, TypeError, ValueError)
_DIALECT = "spark"
LONGEST = 4_000
_MOST_NODES = 500


class NotScalarError(Exception):
    """Why a text is no expression of a virtual table, in words."""


@lru_cache(maxsize=512)
def _read(text: str) -> exp.Expr:
    if len(text) > LONGEST:
        raise NotScalarError(f"it is longer than {LONGEST:,} characters")
    tree = _parse(text)
    selected = tree.expressions if isinstance(tree, exp.Select) else []
    if len(selected) != 1 or any(value for key, value in tree.args.items() if key != "expressions"):
        raise NotScalarError("it is more than one expression")
    found: exp.Expr = selected[0]
    _check(found)
    return found


def _parse(text: str) -> exp.Expr:
    """Read here, and never sent anywhere: the tree is what is judged and what runs."""
    try:
        tokens = sqlglot.tokenize(text, read=_DIALECT)
        # Spark reads `'it''s'` as one text, the parser as two.
        if any(one.token_type == other.token_type == TokenType.STRING for one, other in pairwise(tokens)):
            raise NotScalarError("two texts stand beside each other; a quote within one is written \\'")
        trees = sqlglot.parse(f"SELECT {text}", read=_DIALECT)
    except RecursionError as error:
        raise NotScalarError("it is nested too deeply") from error
    except (SqlglotError, *_TRIPPED) as error:
        raise NotScalarError("it cannot be read") from error
    if len(trees) != 1 or trees[0] is None:
        raise NotScalarError("it is more than one expression")
    return trees[0]


def read_scalar(text: str) -> exp.Expr:
    """A new tree, of nodes on the list alone. NotScalarError."""
    found = _read(text).copy()
    for node in found.walk():
        node.comments = None  # a comment can tell the parser's library how to read a name
    return found


def _check(tree: exp.Expr) -> None:
    for count, node in enumerate(tree.walk()):
        allowed = SCALARS.get(type(node))
        if count > _MOST_NODES:
            raise NotScalarError("it is too large")
        if allowed is None:
            raise NotScalarError(f"{_word(node)} is not possible here")
        for key, value in node.args.items():
            if value is not None and value is not False and value != [] and key not in allowed:
                raise NotScalarError(f"{_word(node)} with {key.strip('_')} is not possible here")
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Identifier):
            raise NotScalarError("a star is not possible here")


def _word(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return str(node.this).lower()[:60]
    return node.sql_name().lower() if isinstance(node, exp.Func) else node.key.upper()
