"""Rewrites tokens before sqlglot parses them: keywords used as names, and spellings that the parser does not know."""

from __future__ import annotations

from itertools import pairwise

from sqlglot.tokenizer_core import Token, TokenType

_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)
# Words of functions that need no brackets; Spark looks for a column of that name first.
_WITHOUT_BRACKETS = {
    TokenType.CURRENT_DATE,
    TokenType.CURRENT_TIMESTAMP,
    TokenType.CURRENT_USER,
    TokenType.CURRENT_ROLE,
    TokenType.SESSION_USER,
}
_AFTER_A_COLUMN = {
    TokenType.COMMA,
    TokenType.FROM,
    TokenType.R_PAREN,
    TokenType.ALIAS,
    TokenType.PIPE_GT,
    TokenType.SEMICOLON,
}
_SET_OPERATIONS = {TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT}
_AFTER_A_TABLE = {
    *_SET_OPERATIONS,
    TokenType.R_PAREN,
    TokenType.PIPE_GT,
    TokenType.SEMICOLON,
    TokenType.ORDER_BY,
    TokenType.SORT_BY,
    TokenType.LIMIT,
    TokenType.OFFSET,
}


def spelled_out(tokens: list[Token], *, spark: bool) -> list[Token]:
    for token, following in pairwise(tokens):
        if token.token_type is TokenType.WINDOW and following.token_type is TokenType.L_PAREN:
            token.token_type = TokenType.VAR
    if spark:
        _words_as_names(tokens)
        tokens = _table_queries(tokens)
    return with_scripts(tokens)


def _words_as_names(tokens: list[Token]) -> None:
    """`SELECT all, current_date FROM t`: columns, if there are such."""
    for place, token in enumerate(tokens):
        after = tokens[place + 1].token_type if place + 1 < len(tokens) else TokenType.SEMICOLON
        bare = token.token_type in _WITHOUT_BRACKETS and after is not TokenType.L_PAREN
        word = token.token_type in (TokenType.ALL, TokenType.VALUES)
        named = word and after in _AFTER_A_COLUMN and not _quantifies(tokens, place)
        if bare or named:
            token.token_type = TokenType.VAR
        elif token.text.upper() == "ANY" and after is not TokenType.L_PAREN:
            token.token_type, token.text = TokenType.IDENTIFIER, token.text.lower()


def _quantifies(tokens: list[Token], place: int) -> bool:
    """GROUP BY ALL, ORDER BY ALL, UNION ALL."""
    before = tokens[place - 1].token_type if place else None
    return before in (*_SET_OPERATIONS, TokenType.GROUP_BY, TokenType.ORDER_BY, TokenType.SORT_BY)


def _table_queries(tokens: list[Token]) -> list[Token]:
    """`TABLE t` in place of a query is `SELECT * FROM t`."""
    found: list[Token] = []
    for place, token in enumerate(tokens):
        found.append(token)
        if token.token_type is TokenType.TABLE and _is_query(tokens, place):
            found[-1:] = [
                _like(token, TokenType.SELECT, "SELECT"),
                _like(token, TokenType.STAR, "*"),
                _like(token, TokenType.FROM, "FROM"),
            ]
    return found


def _is_query(tokens: list[Token], place: int) -> bool:
    end = place + 1
    while end + 1 < len(tokens) and tokens[end + 1].token_type is TokenType.DOT:
        end += 2
    if end >= len(tokens) or tokens[end].token_type in (TokenType.L_PAREN, TokenType.STRING):
        return False
    if end + 1 < len(tokens) and tokens[end + 1].token_type not in _AFTER_A_TABLE:
        return False
    if place == 0:
        return True
    before = tokens[place - 1].token_type
    if before in (TokenType.ALL, TokenType.DISTINCT):
        before = tokens[place - 2].token_type
    if before is TokenType.L_PAREN:  # of a query, not of the columns of a table
        return place < 2 or tokens[place - 2].token_type not in _NAMES
    if before in (*_NAMES, TokenType.R_PAREN):  # INSERT INTO t TABLE s, WITH … TABLE s
        return tokens[0].token_type in (TokenType.INSERT, TokenType.WITH)
    return before in _SET_OPERATIONS or before in (TokenType.ALIAS, TokenType.PIPE_GT)


def with_scripts(tokens: list[Token]) -> list[Token]:
    """Hive's `MAP a, b USING 'job' AS x, y` is `SELECT TRANSFORM (a, b) USING 'job' AS (x, y)`; so is REDUCE."""
    for place, token in enumerate(tokens):
        if token.text.upper() in ("MAP", "REDUCE") and _is_script(tokens, place):
            using = _next_word(tokens, place, "USING")
            if using is None:
                continue
            made = [*tokens[:place], _like(token, TokenType.SELECT, "SELECT"), _like(token, TokenType.VAR, "TRANSFORM")]
            made += [
                _like(token, TokenType.L_PAREN, "("),
                *tokens[place + 1 : using],
                _like(token, TokenType.R_PAREN, ")"),
            ]
            return with_scripts([*made, *_with_names(tokens[using:])])
    return tokens


def _is_script(tokens: list[Token], place: int) -> bool:
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    before = tokens[place - 1] if place else None
    if following is None or following.token_type not in (TokenType.VAR, TokenType.STAR, TokenType.IDENTIFIER):
        return False
    ends = (TokenType.VAR, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.L_PAREN)
    return before is None or before.token_type in ends


def _next_word(tokens: list[Token], start: int, word: str) -> int | None:
    """The next position of the word in the same brackets, before another query starts."""
    depth = 0
    for place in range(start, len(tokens)):
        kind = tokens[place].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth < 0 or kind in (TokenType.SELECT, TokenType.FROM, TokenType.JOIN, TokenType.SEMICOLON):
            return None
        if depth == 0 and tokens[place].text.upper() == word:
            return place
    return None


def _with_names(tokens: list[Token]) -> list[Token]:
    """`USING 'job' AS x, y` with its names in brackets."""
    as_ = next((place for place, token in enumerate(tokens[:4]) if token.token_type is TokenType.ALIAS), None)
    if as_ is None or tokens[as_ + 1].token_type is TokenType.L_PAREN:
        return tokens
    end = as_ + 1
    while end < len(tokens) and tokens[end].token_type in (TokenType.VAR, TokenType.IDENTIFIER, TokenType.COMMA):
        end += 1
    opened, closed = _like(tokens[as_], TokenType.L_PAREN, "("), _like(tokens[as_], TokenType.R_PAREN, ")")
    return [*tokens[: as_ + 1], opened, *tokens[as_ + 1 : end], closed, *tokens[end:]]


def _like(token: Token, kind: TokenType, text: str) -> Token:
    return Token(kind, text, token.line, token.col, token.start, token.end)
