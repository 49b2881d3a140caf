"""Results that are also tables: in pandas, and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import pandas

Row = dict[str, object]


class Tabular:
    """Something with rows."""

    __slots__ = ()

    def rows(self) -> list[Row]:
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(self.rows())

    def _repr_html_(self) -> str:
        return _table(self.rows())


class DictRecord(Protocol):
    def to_dict(self) -> Row: ...


RecordType = TypeVar("RecordType", bound=DictRecord)


class TabularTuple(tuple[RecordType, ...], Tabular):
    """A tuple of records that is also a table."""

    __slots__ = ()

    def rows(self) -> list[Row]:
        return [item.to_dict() for item in self]

    def to_dict(self) -> Row:
        return {"items": self.rows()}


def _table(rows: Sequence[Row]) -> str:
    """Columns without a value in any row are left out."""
    import html

    texts = [{name: _text(value) for name, value in row.items()} for row in rows]
    names = list(dict.fromkeys(name for row in texts for name, text in row.items() if text))
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(row.get(name, ''))}</td>" for name in names) + "</tr>" for row in texts
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case dict():
            return ", ".join(f"{name} {_text(one)}" for name, one in value.items())
        case list():
            return ", ".join(_text(one) for one in value)
    return str(value)
