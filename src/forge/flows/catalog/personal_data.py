"""Which columns hold personal data: the single source of truth for everything that shows a cell.

A column is personal if a contract declares it (a file of the project, or the registry), if the catalog flags it, if a
scan found it and nobody rejected that, or if lineage connects it with one of these, up to where it is masked or
counted. What a person rejected is not personal, unless a contract declares it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Protocol

from forge.contracts.contract import TableContract, pii_columns
from forge.flows.runs.project import referenced_tables
from forge.lineage.edge import Edge, Transformation
from forge.model.errors import CellError, ForgeError
from forge.model.names import BranchName, CommitId, TableName
from forge.quality.checks import FunctionCheck, QueryCheck

if TYPE_CHECKING:
    from forge.catalog.pii.review import PiiRecord
    from forge.flows.catalog.ports import Assets
    from forge.flows.ports import Metadata
    from forge.flows.quality.ports import RunHistory
    from forge.flows.runs.pin import Pin
    from forge.flows.runs.ports import Runs
    from forge.flows.runs.records import AssetRecord
    from forge.flows.versioning.record_ports import CommitHistory
    from forge.quality.check import Check
    from forge.versioning.changes import RowChange, TableDiff
    from forge.versioning.commit import Tree

    class _Records(Assets, Runs, Protocol): ...


Key = tuple[str, str]
"""A table and one of its columns, in small letters."""
DeclaredColumns = Callable[[], frozenset[Key]]
"""What is called personal now, by contracts or scans; read again on each call."""

PastColumns = Callable[["Tree"], frozenset[Key]]
"""What findings that are closed now hide in a tree."""

HIDDEN = "***"
_MOST = 64  # answers that are kept
_COUNT = re.compile(r"\bcount\(|\bapprox_count_distinct\(")


class UnscannedColumns(Protocol):
    """What names and values say about versions that no scan looked at; asked only for what is about to be shown."""

    def of(self, table: str) -> frozenset[str]:
        """In lower case."""

    def of_pin(self, pin: Pin) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class PersonalColumns:
    """Columns whose values are not shown. `keys` are known; `unscanned` looks at what is not. `ruled`: tables of which
    a mask, a row filter or its readers keep something back; `closed`: those of which it is rows, so that no row is
    shown where its owner is unknown."""

    keys: frozenset[Key] = frozenset()
    unscanned: UnscannedColumns | None = None
    _: KW_ONLY
    ruled: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()

    def of(self, table: TableName | str, columns: Iterable[str] = ()) -> frozenset[str]:
        """In lower case. `columns`: all that the table has, which are hidden where rows are kept back."""
        every = {name.lower() for name in columns} if self.closes(table) else set[str]()
        known = frozenset(column for name, column in self.keys if name == str(table)) | every
        return known if self.unscanned is None else known | self.unscanned.of(str(table))

    def of_pin(self, pin: Pin, columns: Iterable[str] = ()) -> frozenset[str]:
        """The same, of a snapshot that perhaps no commit has: another engine wrote it."""
        known = self.of(pin.table, columns)
        return known if self.unscanned is None else known | self.unscanned.of_pin(pin)

    def hides(self, table: TableName | str | None, column: str) -> bool:
        name, column = str(table or ""), column.lower()
        if (name, column) in self.keys or self.closes(name):
            return True
        return self.unscanned is not None and column in self.unscanned.of(name)

    def closes(self, table: TableName | str) -> bool:
        return str(table) in self.closed

    def refuse_rows(self, *tables: TableName | str) -> None:
        """E879 for a table of which rows are kept back, at a door that cannot tell which."""
        for table in tables:
            if self.closes(table):
                raise ForgeError(
                    "E879",
                    f"Rows of {table} are not shown here",
                    why="It has a row filter, or names its readers, and only queries tell whose rows are whose.",
                    fix=f"Ask for them by a query of {table}: forge query, or POST /api/v1/federation/query.",
                )

    def refuse_pinned(self, pin: Pin) -> None:
        """The same of a view, also where columns of what is below it are masked."""
        self.refuse_rows(pin.table)
        for one in pin.view_inputs:
            below = replace(self, closed=self.ruled | self.closed)
            below.refuse_pinned(one)

    def with_rules(self, other: PersonalColumns) -> PersonalColumns:
        return replace(
            self, keys=self.keys | other.keys, ruled=self.ruled | other.ruled, closed=self.closed | other.closed
        )


@dataclass(frozen=True, slots=True)
class ReviewedColumns:
    """What findings say: personal by a scan or a person, and cleared by a person. The rest is about other versions than
    those that were scanned last: `past` findings hide columns of them, what was `rejected` (table or its key, column,
    type) does not; `scanned` versions by table, and the `revision` of all this."""

    personal: frozenset[Key] = frozenset()
    cleared: frozenset[Key] = frozenset()
    past: tuple[PiiRecord, ...] = field(default=(), compare=False)
    rejected: frozenset[tuple[str, str, str | None]] = field(default=frozenset(), compare=False)
    scanned: Mapping[str, str] = field(default_factory=dict, compare=False)
    revision: int = field(default=0, compare=False)

    def of(self, table: TableName) -> frozenset[str]:
        """The personal ones, in lower case."""
        return frozenset(column for name, column in self.personal if name == str(table))


@dataclass(frozen=True, slots=True)
class KnownPersonalData:
    """Declared by contracts or found by scans."""

    declared: DeclaredColumns
    found: Callable[[str | None], ReviewedColumns]  # by the mark of the records, where it is known
    past: PastColumns = lambda tree: frozenset()
    ruled: PersonalColumns = PersonalColumns()  # what rules of the lake keep back

    def __call__(self) -> frozenset[Key]:
        return self.declared() | self.found(None).personal

    def parts(self, mark: str | None = None) -> tuple[frozenset[Key], ReviewedColumns]:
        """What is declared, and what else was found; a contract weighs more than a person who clears a column."""
        declared, found = self.declared(), self.found(mark)
        return declared, replace(found, personal=found.personal - declared, cleared=found.cleared - declared)


def _parts(declared: DeclaredColumns, mark: str | None = None) -> tuple[frozenset[Key], ReviewedColumns]:
    return declared.parts(mark) if isinstance(declared, KnownPersonalData) else (declared(), ReviewedColumns())


PersonalAt = Callable[..., PersonalColumns]
"""Of commits: `personal_at` of some metadata."""


class OtherVersions(Protocol):
    """Versions of tables that the newest scans do not stand for."""

    def find_past(self, tree: Tree, head: Tree, reviewed: ReviewedColumns) -> frozenset[Key]:
        """`head`: the tree of the default branch, about which findings are."""

    def over(
        self, trees: Callable[[], tuple[Tree, ...]], reviewed: ReviewedColumns, mark: Hashable
    ) -> UnscannedColumns:
        """`mark` stands for all of it."""


@dataclass(slots=True)
class PersonalData:
    """Over some trees, which are read once. `made`: the lineage of tables that a run has built and not yet
    published."""

    metadata: _Records
    declared: DeclaredColumns
    trees: Callable[[], Iterable[Tree]]
    made: dict[TableName, tuple[Edge, ...]] = field(default_factory=dict)
    _known: tuple[frozenset[Key], ReviewedColumns] | None = None
    _edges: tuple[tuple[tuple[Edge, ...], frozenset[Key]], ...] | None = None

    def of(self, table: TableName, columns: Iterable[str] = ()) -> frozenset[str]:
        """As `PersonalColumns.of`."""
        return self.columns().of(table, columns)

    def in_errors(self, table: TableName) -> frozenset[str] | None:
        """Whose values no error may quote; None: those of all columns."""
        known = self.columns()
        return None if known.closes(table) else known.of(table)

    def columns(self) -> PersonalColumns:
        """With what rules of the lake keep back."""
        ruled = self.declared.ruled if isinstance(self.declared, KnownPersonalData) else PersonalColumns()
        return self.personal().with_rules(ruled)

    def personal(self) -> PersonalColumns:
        """Personal in one of the trees is personal."""
        if self._known is None:
            declared, reviewed = _parts(self.declared)
            self._known = declared | (find_flagged(self.metadata.assets()) - reviewed.cleared), reviewed
        flagged, reviewed = self._known
        if not flagged and not reviewed.personal and not reviewed.past:
            return PersonalColumns()
        made = tuple(edge for edges in self.made.values() for edge in edges)
        found = (
            find_personal(flagged, (*edges, *made), replace(reviewed, personal=reviewed.personal | past))
            for edges, past in self._known_edges() or (((), frozenset()),)
        )
        return PersonalColumns(frozenset[Key]().union(*found))

    def _known_edges(self) -> tuple[tuple[tuple[Edge, ...], frozenset[Key]], ...]:
        """By tree, with what was personal then."""
        from forge.flows.quality.incidents.impact import edges_at  # it imports runs, which import this

        if self._edges is None:
            past = self.declared.past if isinstance(self.declared, KnownPersonalData) else lambda tree: frozenset()
            self._edges = tuple((edges_at(self.metadata, tree), past(tree)) for tree in self.trees())
        return self._edges


def personal_at(
    metadata: Metadata, declared: DeclaredColumns, default: BranchName, *commits: CommitId | None
) -> PersonalColumns:
    """At one of the commits, or now on the default branch: what is known to be personal now was so before."""
    personal = PersonalData(metadata, declared, lambda: trees_at(metadata, default, commits))
    personal.made |= _blocked_edges(metadata, default)
    return personal.columns()


def trees_at(metadata: CommitHistory, default: BranchName, commits: Iterable[CommitId | None]) -> tuple[Tree, ...]:
    """Of the commits and of the default branch."""
    main = metadata.branch(default)
    wanted = dict.fromkeys((*commits, main.head if main else None))
    return tuple(metadata.tree(commit) for commit in wanted if commit is not None)


class PersonalDataCache:
    """`personal_at`, computed once per change of the records and of the declarations."""

    def __init__(
        self, metadata: Metadata, declared: DeclaredColumns, default: BranchName, versions: OtherVersions | None = None
    ) -> None:
        self._metadata, self._declared, self._default, self._versions = metadata, declared, default, versions
        self._found: dict[Hashable, PersonalColumns] = {}

    def __call__(self, *commits: CommitId | None) -> PersonalColumns:
        main = self._metadata.branch(self._default)
        mark = self._metadata.mark()
        declared, reviewed = _parts(self._declared, mark)
        # A commit never changes; the mark covers the catalog and blocked attempts.
        key = (mark, main.head if main else None, commits, declared, reviewed)
        known = self._found.get(key)
        if known is None:
            known = self._find(declared, reviewed, commits, main.head if main else None)
            kept = self._found if len(self._found) < _MOST else {}
            self._found = {**kept, key: known}
        return known

    def _find(
        self,
        declared: frozenset[Key],
        reviewed: ReviewedColumns,
        commits: tuple[CommitId | None, ...],
        head: CommitId | None,
    ) -> PersonalColumns:
        versions, tree = self._versions, cache(self._metadata.tree)

        def past(then: Tree) -> frozenset[Key]:
            if versions is None or not reviewed.past:
                return frozenset()
            return versions.find_past(then, tree(head), reviewed)

        now = KnownPersonalData(lambda: declared, lambda _: reviewed, past)
        known = personal_at(self._metadata, now, self._default, *commits)
        if versions is None:
            return known
        # What is about to be shown; the default branch is looked at only where it is asked for.
        shown = tuple(dict.fromkeys(head if one is None else one for one in commits or (None,)))
        unscanned = versions.over(lambda: tuple(map(tree, shown)), reviewed, (shown, reviewed.revision))
        return replace(known, unscanned=unscanned)


def _blocked_edges(metadata: RunHistory, default: BranchName) -> dict[TableName, tuple[Edge, ...]]:
    """Edges of outputs that the newest attempts built and blocked, whose verdicts are shown as well."""
    held = metadata.blocked(default)
    pairs = {(run.id, table) for run, table in held}
    found = metadata.lineage(dict.fromkeys(run.id for run, _ in held)) if held else ()
    return {one.table: one.edges for run_id, one in found if (run_id, one.table) in pairs}


def named_by(contracts: Iterable[TableContract]) -> frozenset[Key]:
    """Columns that contracts declare personal. A contract without a valid table name is ignored."""
    found: set[Key] = set()
    for contract in contracts:
        try:
            table = str(TableName.parse(contract.table))
        except ForgeError:
            continue
        found |= {(table, column.lower()) for column in pii_columns(contract)}
    return frozenset(found)


def declared_with(contracts: Collection[TableContract], declared: DeclaredColumns) -> DeclaredColumns:
    """The declared columns, and those of these contracts."""
    if isinstance(declared, KnownPersonalData):
        return replace(declared, declared=declared_with(contracts, declared.declared))
    return lambda: declared() | named_by(contracts)


def find_flagged(assets: Iterable[AssetRecord]) -> frozenset[Key]:
    """The columns that the catalog flags as personal data."""
    return frozenset((str(a.table), str(c["name"]).lower()) for a in assets for c in a.columns if c.get("pii"))


NOTHING_REVIEWED = ReviewedColumns()


def find_personal(
    flagged: frozenset[Key], edges: Iterable[Edge], reviewed: ReviewedColumns = NOTHING_REVIEWED
) -> frozenset[Key]:
    """The flagged columns, all up- and downstream of them, and other copies of the origin of a flagged copy. A
    masking or counting edge stops the propagation, and so does a column that was cleared.

    Of what a scan found, only the same data is personal upstream: the city in `name || city` was scanned, too."""
    stops = reviewed.cleared - flagged
    open_edges = [e for e in edges if not e.masking and not (stops and stops.intersection(_ends(e)))]
    sources = Counter(_key(e.target.table, e.target.column) for e in open_edges)
    values = [e for e in open_edges if not _is_count(e)]
    # The only input of a column is the same data, like lower(trim(email)); one of many inputs may be only a small
    # part of it, and is no reason to hide its own copies elsewhere.
    same = [
        e
        for e in values
        if e.transformation is Transformation.IDENTITY or sources[_key(e.target.table, e.target.column)] == 1
    ]
    known = flagged | reviewed.personal
    origins = _walk(known, same, upstream=True)
    return _walk(known, values) | _walk(flagged, values, upstream=True) | _walk(origins, same)


def _walk(start: Iterable[Key], edges: Iterable[Edge], *, upstream: bool = False) -> frozenset[Key]:
    following: Mapping[Key, list[Key]] = defaultdict(list)
    for edge in edges:
        source, target = _key(edge.source.table, edge.source.column), _key(edge.target.table, edge.target.column)
        following[target if upstream else source].append(source if upstream else target)
    seen, todo = set(start), list(start)
    while todo:
        new = [key for key in following.get(todo.pop(), ()) if key not in seen]
        seen.update(new)
        todo += new
    return frozenset(seen)


def _key(table: str, column: str) -> Key:
    return table, column.lower()


def _ends(edge: Edge) -> tuple[Key, Key]:
    return _key(edge.source.table, edge.source.column), _key(edge.target.table, edge.target.column)


def carries_values(edge: Edge) -> bool:
    """Not where it masks, hashes or counts them."""
    return not edge.masking and not _is_count(edge)


def _is_count(edge: Edge) -> bool:
    return edge.transformation in (Transformation.AGGREGATION, Transformation.WINDOW) and bool(
        _COUNT.search(edge.expression.lower())
    )


def find_private(personal: PersonalData, table: TableName, checks: Iterable[Check]) -> frozenset[TableName]:
    """The table and others that its queries and functions read, as far as they hold personal data."""
    free = [check for check in checks if isinstance(check, QueryCheck | FunctionCheck)]
    asked = {table, *(other for check in free for other in referenced_tables(check))} if free else set()
    hidden = personal.columns() if asked else PersonalColumns()
    return frozenset(one for one in asked if hidden.of(one) or hidden.closes(one))


@contextmanager
def hiding_values(hidden: Callable[[], frozenset[str] | None]) -> Iterator[None]:
    """Errors raised inside are rewritten without the values of personal columns. `hidden`: those of the table it is
    about, in lower case, or None for all of its columns; called only where an error contains values."""
    try:
        yield
    except CellError as error:
        personal = hidden()
        if personal is None or (personal and (not error.columns or error.columns & personal)):
            raise error.without_values() from None
        raise


def hide_in_diffs(diffs: Sequence[TableDiff], personal: PersonalColumns) -> tuple[TableDiff, ...]:
    """Row diffs without the values of personal columns."""
    return tuple(_hide(diff, personal.of(diff.table, (f.name for f in diff.fields))) for diff in diffs)


def _hide(diff: TableDiff, columns: frozenset[str]) -> TableDiff:
    if not columns:
        return diff
    return replace(diff, rows=replace(diff.rows, rows=tuple(_row(row, columns) for row in diff.rows.rows)))


def _row(row: RowChange, columns: frozenset[str]) -> RowChange:
    def shown(values: Mapping[str, object] | None) -> dict[str, object] | None:
        if values is None:
            return None
        return {n: HIDDEN if n.lower() in columns and v is not None else v for n, v in values.items()}

    return replace(row, key=shown(row.key) or {}, before=shown(row.before), after=shown(row.after))
