"""Pages of a list: `limit`, an opaque `cursor`, or an `offset` up to 10,000."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends, Query

from forge.api.wire import Page
from forge.model.errors import ForgeError

T = TypeVar("T")
U = TypeVar("U")
MOST = 500
FARTHEST = 10_000


@dataclass(frozen=True, slots=True)
class Window:
    """The requested part of a list."""

    limit: int
    offset: int

    @property
    def needed(self) -> int:
        """How many to fetch to fill the page and know whether more follow."""
        return self.offset + self.limit + 1

    def page(self, found: Sequence[T], show: Callable[[T], U], *, total: int | None = None) -> Page[U]:
        """The page out of everything found from the beginning of the list."""
        part = found[self.offset : self.offset + self.limit]
        more = len(found) > self.offset + self.limit
        cursor = offset_cursor(self.offset + self.limit) if more else None
        return Page(items=[show(item) for item in part], next_cursor=cursor, has_more=more, total_count=total)


def best_of(found: Sequence[U]) -> Page[U]:
    """A short list that was asked for by its length and has no pages, like the most used ten."""
    return Page(items=list(found), total_count=len(found))


def offset_cursor(offset: int) -> str | None:
    """The cursor of the page that begins there; None beyond the farthest."""
    return encode_cursor("o", str(offset)) if offset <= FARTHEST else None


def offset_of(cursor: str) -> int:
    text = decode_cursor("o", cursor)
    offset = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= offset <= FARTHEST:
        raise unknown_cursor()
    return offset


def encode_cursor(kind: str, text: str) -> str:
    """`kind` is a letter: what the position in the list is expressed in."""
    return base64.urlsafe_b64encode(f"{kind}{text}".encode()).decode().rstrip("=")


def decode_cursor(kind: str, cursor: str) -> str:
    try:
        text = base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)).decode()
    except ValueError:
        raise unknown_cursor() from None
    if not text.startswith(kind) or "\x00" in text:
        raise unknown_cursor()
    return text.removeprefix(kind)


def unknown_cursor() -> ForgeError:
    return ForgeError(
        "E105", "The cursor is not one that a list gave", fix="Take next_cursor of the page before, as it is."
    )


async def _window(  # async, for a plain function would cost a thread per request
    limit: Annotated[int, Query(ge=1, le=MOST, description="How many at most.")] = 50,
    cursor: Annotated[str | None, Query(max_length=100, description="`next_cursor` of the page before.")] = None,
    offset: Annotated[int, Query(ge=0, le=FARTHEST, description="How many to leave out, without a cursor.")] = 0,
) -> Window:
    return Window(limit, offset_of(cursor) if cursor else offset)


AWindow = Annotated[Window, Depends(_window)]
