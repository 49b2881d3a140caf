"""The plan of a federated query: fragments, each asked of one source, and the rest, which an engine computes over
their rows. The trees are sqlglot's, in the meaning of Spark: a fragment holds only what its source is proved to
compute as Spark would."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from sqlglot import exp

from forge.federation.delta_version import DeltaVersion
from forge.federation.relation import RelationName, SourceColumn
from forge.federation.source import LAKE

QueryPart = Literal["filter", "join", "aggregate", "distinct", "order", "limit", "set", "projection"]


@dataclass(frozen=True, slots=True)
class PushDecision:
    """Whether a part of the query is computed by a source. `prefilter`: the source drops some of the rows, and the
    engine looks at the others again. `partial`: the source aggregates groups of rows, and the engine these. `why`: of
    what is not pushed, or only in part."""

    part: QueryPart
    text: str  # in Spark's SQL
    source: str
    pushed: bool
    why: str = ""
    _: KW_ONLY
    prefilter: bool = False
    partial: bool = False

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {"part": self.part, "text": self.text, "source": self.source, "pushed": self.pushed}
        if self.prefilter:
            found["prefilter"] = True
        if self.partial:
            found["partial"] = True
        return found | ({"why": self.why} if self.why else {})


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """The values of a column of an earlier fragment, by which a later one is filtered (a dynamic filter)."""

    column: str  # output column of the fragment that is filtered
    by_fragment: str
    by_column: str


@dataclass(frozen=True, slots=True)
class RowGuard:
    """What is done with rows as they come out of a source, before an engine sees one: rows are dropped, and columns
    masked. `filter`: over the names of the fragment's columns and of `extra`, which are read for it alone; None: the
    source drops them."""

    filter: exp.Expr | None = None
    extra: tuple[SourceColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class Fragment:
    """`query` reads relations by their full names, each with an alias, and its projections have the names of
    `columns`, and then those of the guard. The rest of the query calls the rows by `name`."""

    name: str
    source: str
    query: exp.Query
    columns: tuple[SourceColumn, ...]
    _: KW_ONLY
    relations: tuple[RelationName, ...]
    rows: int | None = None  # estimated
    scanned: int | None = None  # estimated, before they are grouped; None: as `rows`
    keys: tuple[KeyFilter, ...] = ()
    splits: bool = False  # its rows may be read in several parts at once
    guard: RowGuard | None = None  # of what not everyone may see
    delta: DeltaVersion | None = None  # whose rows these are

    @property
    def by_engine(self) -> bool:
        """Whether an engine that knows the lake may read it itself."""
        return self.source == LAKE and self.guard is None

    @property
    def read_columns(self) -> tuple[SourceColumn, ...]:
        """As the source gives them."""
        return (*(one.raw for one in self.columns), *(self.guard.extra if self.guard else ()))


@dataclass(frozen=True, slots=True)
class JoinStep:
    """`rows`: of the table alone; None where nobody knows, or not all of them are for who asks. `joined`: of all so
    far, by estimate."""

    table: str
    rows: int | None
    joined: int

    def to_dict(self) -> dict[str, object]:
        return {"table": self.table, "rows": self.rows}


@dataclass(frozen=True, slots=True)
class JoinOrder:
    """Tables as they are joined, where that is not the order of the text."""

    steps: tuple[JoinStep, ...]

    def to_dict(self) -> dict[str, object]:
        return {"tables": [one.to_dict() for one in self.steps], "why": self.why}

    @property
    def why(self) -> str:
        first = self.steps[0]
        held = max(one.joined for one in self.steps[:-1])
        known = f" because it has about {_rows(first.rows)}" if first.rows is not None else ""
        told = "" if any(one.rows is None for one in self.steps) else f": at most about {_rows(held)} in between"
        return f"{first.table} is joined first{known}, then what leaves the fewest rows{told}"


def _rows(number: int) -> str:
    return "one row" if number == 1 else f"{number:,} rows"


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """`fragments` are in the order in which they are read: small ones first, so that their keys can filter others.
    `rest` reads only fragments, by name. `join_orders`: of SELECTs of the rest. `whole`: one source computes
    everything, and `rest` passes its rows on."""

    text: str
    fragments: tuple[Fragment, ...]
    rest: exp.Query
    decisions: tuple[PushDecision, ...] = ()
    join_orders: tuple[JoinOrder, ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """What is sent to a database: text of its own dialect and the values that are bound, in the order of their
    placeholders. No value from outside is ever part of the text."""

    text: str
    values: tuple[object, ...] = ()
    split: SplitQuery | None = None


@dataclass(frozen=True, slots=True)
class SplitQuery:
    """The same query of a part of its rows: two more values are bound, where the part begins and where the next one
    does. `path`: of the table whose rows they are."""

    text: str
    path: tuple[str, ...]


ScanOperator = Literal["=", "<>", "<", "<=", ">", ">=", "in", "is null", "is not null"]


@dataclass(frozen=True, slots=True)
class ScanFilter:
    column: str
    operator: ScanOperator
    values: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Scan:
    """What is asked of files and of the lake, which understand no SQL: columns of one relation, all filters true."""

    relation: RelationName
    columns: tuple[str, ...]
    filters: tuple[ScanFilter, ...] = ()
    limit: int | None = None
