"""The state of a session: tables, temporary relations, functions, variables, and the steps so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from forge.lineage.edge import Gap, Transformation
from forge.lineage.extract.catalog import ResolvedName, TableCatalog
from forge.lineage.extract.definition import ColumnDefinition, TableDefinition
from forge.lineage.extract.paths import plain_path
from forge.lineage.extract.program import MAYBE, OutputKind, ProgramStep
from forge.lineage.extract.relation import Relation, RelationColumn, Shape, relation_of
from forge.lineage.extract.sql.context import QueryReader, SqlFunction, read_from, types_of, types_of_columns
from forge.lineage.extract.sql.names import parts_of, path_of, split_name
from forge.lineage.extract.sql.reader import SqlReader
from forge.lineage.extract.sql.target import StatementCounts, TemporaryRelation, WriteContent, WriteTarget, merged
from forge.lineage.extract.value import NOTHING, ColumnValue, SourceTrace, through
from forge.model.names import ColumnName

_MAYBE = SourceTrace(Transformation.IDENTITY, "", confidence=MAYBE)
_READERS = frozenset(
    word
    for line in (
        "read_csv read_csv_auto read_parquet read_json read_json_auto read_ndjson parquet_scan csv_scan read_files",
        "cloud_files read_xlsx read_text iceberg_scan delta_scan openrowset",
    )
    for word in line.split()
)


class SessionState(ABC):
    """Implements `Around`."""

    def __init__(self, catalog: TableCatalog, dialect: str, file: str, variables: Mapping[str, str]) -> None:
        self.dialect = dialect
        self.reader: QueryReader = SqlReader()
        self.file = file
        self.catalog = catalog
        self.local = TableCatalog((), catalog.db, catalog.default_schema)  # what the whole text defines
        self.current: dict[str, TableDefinition] = {}  # what it has defined so far
        self.dropped: set[str] = set()
        self.hidden: set[str] = set()  # ambiguous or unknown names
        self.seen: dict[str, TemporaryRelation] = {}  # temporary things that the statement at hand has read
        self.used: tuple[str, ...] = ()  # USE
        self.used_db = ""  # USE CATALOG
        self.routines: set[str] = set()
        self.cursors: dict[str, str] = {}  # the queries of cursors, by name
        self.triggered: Relation | None = None  # the table whose rows a trigger sees as inserted, deleted, NEW, OLD
        self.temporary: dict[str, TemporaryRelation] = {}
        self.frames: dict[str, Relation] = {}
        self.functions: dict[str, SqlFunction] = {}
        self.texts: dict[str, str] = {name.lower(): text for name, text in variables.items()}
        self.values: dict[str, ColumnValue] = {}
        self.held: set[str] = set()  # what variables hold, as things in between
        self.steps: list[ProgramStep] = []
        self.gaps: dict[Gap, None] = {}
        self.unknown: set[str] = set()
        self.counts = StatementCounts()
        self.maybe = False
        self.offset = 0  # of the lines of the statement at hand
        self.first_line = 1
        self.statement = ""
        self._ids: dict[str, int] = {}
        self._types: dict[str, Mapping[str, str]] = {}
        self._written: set[str] = set()

    # Around

    def table(self, table: exp.Table) -> Relation:
        path = path_of(table)
        if path:
            return relation_of(path, None)
        parts = parts_of(table)
        if not parts:
            return self._from_function(table)
        key = ".".join(parts).lower()
        held = self.frames.get(key) if len(parts) == 1 else None
        if held is None and key in ("inserted", "deleted"):
            held = self.triggered
        if held is not None:
            return held
        made = self.fresh(self.key_of(parts))
        if made is not None:
            self.seen[self.key_of(parts)] = made
            return made.relation
        meant = self.find(parts)
        if meant.candidates:
            self._ambiguous(meant, parts, _line(table))
        if meant.definition is None:
            self.unknown.add(meant.name)
            return relation_of(meant.name, None)
        return relation_of(meant.name, meant.definition.names)

    def _from_function(self, table: exp.Table) -> Relation:
        call = table.this
        named = isinstance(call, exp.Func) and not isinstance(call, exp.Anonymous)
        name = (call.sql_name() if named else call.name).lower()
        arguments = [call.this, *call.expressions] if not isinstance(call, exp.Anonymous) else call.expressions
        if name == "identifier" and arguments:
            text = self.text_of(arguments[0])
            if text is None:
                written = f"IDENTIFIER({arguments[0].sql(self.dialect)})"
                return self._nobody(
                    written, _line(table), f"the name in {written} is not known; only constants are followed"
                )
            return self.named(split_name(text))
        if name in _READERS:
            found = [
                one
                for argument in arguments
                if isinstance(argument, exp.Expr)
                for one in argument.find_all(exp.Literal)
            ]
            paths = [str(one.this) for one in found if one.is_string]
            if paths:
                return relation_of(plain_path(paths[0]), None)
        if name == "table_changes" and arguments and (text := self.text_of(arguments[0])):
            changed = self.named(split_name(text))
            added = (RelationColumn(one, NOTHING) for one in ("_change_type", "_commit_version", "_commit_timestamp"))
            return changed.with_columns((*changed.columns, *added))
        if name == "generator":  # Snowflake: rows without columns
            return Relation()
        return self._nobody(f"{name}()", _line(table), f"the table function {name} is not known")

    def new_id(self, label: str, line: int) -> str:
        base = f"{label}@{self.line(line)}"
        count = self._ids[base] = self._ids.get(base, 0) + 1
        return base if count == 1 else f"{base}:{count}"

    def hold(self, name: str, column: str, relation: Relation) -> None:
        """What a variable holds: the rows it came from count wherever it is used."""
        value = relation.value(column)
        if value is None or not (value.sources or relation.reads):
            self.values[name.lower()] = NOTHING
            return
        reading = self.between(name.partition(".")[0], OutputKind.TEMPORARY, relation, 0)
        self.held |= reading.reads
        self.values[name.lower()] = reading.value(column) or NOTHING

    def _all_reads(self, values: Iterable[ColumnValue], shaped: Shape, reads: frozenset[str]) -> frozenset[str]:
        if not self.held:
            return reads
        named = {source.table for value in values for source in value.sources} | {source.table for source, _ in shaped}
        return reads | (self.held & named)

    def between(self, label: str, made: OutputKind, relation: Relation, line: int, target: str = "") -> Relation:
        target = target or self.new_id(label, line)
        self._types[target] = types_of(relation, self)
        columns: dict[str, ColumnValue] = {}
        for column in relation.columns:
            columns.setdefault(column.name, self._sure(column.value))
        reads = self._all_reads(columns.values(), relation.shaped, relation.reads)
        self.steps.append(
            ProgramStep(
                target=target,
                made=made,
                columns=columns,
                shaped=relation.shaped,
                reads=reads,
                open=relation.open,
                whole=True,
                file=self.file,
                line=self.line(line),
                statement=self.statement,
                label=label,
            )
        )
        return read_from(target, relation)

    def function(self, name: str) -> SqlFunction | None:
        return self.functions.get(name.lower()) or self.functions.get(name.lower().rpartition(".")[2])

    def variable(self, name: str) -> ColumnValue | None:
        key = name.lower().lstrip("@:$")
        value = self.values.get(key)
        if value is None and key in self.texts:
            return NOTHING
        if value is None and self.triggered is not None and key.startswith(("new.", "old.")):
            return self.triggered.value(key[4:])
        return value

    def type_of(self, column: ColumnName) -> str:
        kept = self._types.get(column.table)
        if kept is not None:
            return kept.get(column.column.lower(), "")
        definition = self.find(column.table.split(".")).definition
        wanted = column.column.lower()
        return next((one.type for one in definition.columns if one.name.lower() == wanted), "") if definition else ""

    def gap(self, line: int, reason: str) -> None:
        self.gaps[Gap(self.file, self.line(line), reason)] = None

    # names

    def line(self, line: int) -> int:
        return line + self.offset if line else self.first_line

    def complete(self, parts: Sequence[str]) -> str:
        return self.catalog.complete(self._full(parts))

    def _full(self, parts: Sequence[str]) -> tuple[str, ...]:
        if len(parts) == 1 and self.used:
            return (*self.used, *parts)
        return (self.used_db, *parts) if len(parts) == 2 and self.used_db else tuple(parts)

    def find(self, parts: Sequence[str]) -> ResolvedName:
        """The table that is meant: as it is defined so far, else as the text defines it anywhere, else as others do."""
        full = self._full(parts)
        outer = self.catalog.find(full)
        if outer.definition is not None and outer.definition.given:
            return outer
        whole = self.catalog.complete(full)
        present = self.current.get(whole.lower())
        if present is not None:
            return ResolvedName(present.name, present)
        if whole.lower() in self.dropped:
            return ResolvedName(whole)
        inner = self.local.find(full)
        if inner.definition is not None:
            now = self.current.get(inner.name.lower())
            inner = ResolvedName(inner.name, now or inner.definition)
            exact = outer.definition is not None and outer.name.lower() == self.catalog.complete(full).lower()
            if not exact or outer.definition is None or inner.name.lower() == outer.name.lower():
                return inner
        if outer.definition is None and len(full) != len(parts):
            loose = self.catalog.find(parts)
            if loose.definition is not None and loose.definition.given:
                return loose
        return outer

    def _ambiguous(self, meant: ResolvedName, parts: Sequence[str], line: int) -> None:
        several = ", ".join(meant.candidates)
        self.hidden.add(meant.name)
        self.gap(line, f"{'.'.join(parts)} may be {several}; write more of its name or set --default-schema")

    def _nobody(self, name: str, line: int, reason: str) -> Relation:
        """A relation of which nothing is known, not even its name: whatever is read from it leads nowhere."""
        self.gap(line, reason)
        self.hidden.add(name)
        return replace(relation_of(name, None), reads=frozenset())

    def named(self, parts: Sequence[str]) -> Relation:
        identifiers = [exp.to_identifier(part, quoted=True) for part in parts]
        if len(identifiers) > 3:
            identifiers = [*identifiers[-3:]]
        return self.table(exp.Table(**dict(zip(("this", "db", "catalog"), reversed(identifiers), strict=False))))

    def temporary_of(self, parts: Sequence[str]) -> TemporaryRelation | None:
        return self.temporary.get(self.key_of(parts))

    def fresh(self, key: str, known: dict[str, TemporaryRelation | None] | None = None) -> TemporaryRelation | None:
        """A view as it is now: one that reads another view means what that one means when it is read."""
        known = {} if known is None else known
        if key in known:
            return known[key]
        made = known[key] = self.temporary.get(key)
        if made is not None and made.query is not None:
            now = [(was, self.fresh(name, known)) for name, was in made.seen]
            if any(one is not None and one is not was for was, one in now):
                self.view(key, made.label, made.query, made.names_of_query)
                known[key] = self.temporary.get(key)
        return known[key]

    @abstractmethod
    def view(self, key: str, label: str, query: exp.Expr, names: tuple[str, ...]) -> None:
        """Defines a view by its query."""

    def key_of(self, parts: Sequence[str]) -> str:
        return ".".join(parts).lower()

    def text_of(self, expression: exp.Expr) -> str | None:
        """The text of a constant, or of variables whose values are known."""
        if isinstance(expression, exp.Literal | exp.RawString | exp.National):
            return str(expression.this)
        if isinstance(expression, exp.Paren | exp.Cast | exp.Heredoc):
            return str(expression.this) if isinstance(expression, exp.Heredoc) else self.text_of(expression.this)
        if isinstance(expression, exp.DPipe | exp.Add):
            left, right = self.text_of(expression.left), self.text_of(expression.right)
            return None if left is None or right is None else left + right
        if isinstance(expression, exp.Concat):
            parts = [self.text_of(one) for one in expression.expressions]
            known = [one for one in parts if one is not None]
            return "".join(known) if len(known) == len(parts) else None
        if isinstance(
            expression, exp.Column | exp.Parameter | exp.Placeholder | exp.SessionParameter | exp.Identifier | exp.Var
        ):
            return self.texts.get(expression.name.lower().lstrip("@:$"))
        return None

    @abstractmethod
    def script(self, text: str, line: int) -> None:
        """Runs SQL that a statement holds as text."""

    # writing

    def target(self, table: exp.Table) -> WriteTarget:
        """A table that is there."""
        path = path_of(table)
        if path:
            return WriteTarget(path, None, OutputKind.FILE)
        if isinstance(table.this, exp.Anonymous) and table.this.name.lower() == "identifier":
            text = self.text_of(table.this.expressions[0]) if table.this.expressions else None
            if text is None:
                self.gap(_line(table), "the name in IDENTIFIER(…) is not known; only constants are followed")
                return WriteTarget("", None)
            return self.target_named(split_name(text))
        return self.target_named(parts_of(table))

    def target_named(self, parts: Sequence[str]) -> WriteTarget:
        made = self.temporary_of(parts)
        if made is not None and made.changes:
            return WriteTarget(made.label, made.names, OutputKind.TEMPORARY, self.key_of(parts))
        if parts and parts[-1].startswith(("#", "@")):
            return WriteTarget(parts[-1], None, OutputKind.TEMPORARY, self.key_of(parts))
        meant = self.find(parts)
        if meant.candidates:
            self._ambiguous(meant, parts, 0)
        if meant.definition is None:
            self.unknown.add(meant.name)
            return WriteTarget(meant.name, None)
        made_as = OutputKind.VIEW if meant.definition.kind == "view" else OutputKind.TABLE
        return WriteTarget(meant.name, meant.definition.names, made_as)

    def created(self, parts: Sequence[str], made: OutputKind) -> WriteTarget:
        """A table that a statement makes; one that is known gives the spelling."""
        full = self.complete(parts)
        meant = self.catalog.find(self._full(parts))
        if meant.definition is not None and meant.name.lower() == full.lower():
            return WriteTarget(meant.name, meant.definition.names if meant.definition.given else None, made)
        return WriteTarget(full, None, made)

    def put(self, target: WriteTarget, written: WriteContent, line: int = 0, *, whole: bool = False) -> None:
        """Makes the step that writes into a target; of a temporary table that makes its next version."""
        if not target.name:
            return
        columns = {name: self._sure(value) for name, value in written.columns.items()}
        if target.name in self.hidden:
            columns = {}
        if target.temporary:
            self._put_temporary(target, replace(written, columns=columns), line, whole=whole)
            return
        self._written.add(target.name)
        reads = self._all_reads(columns.values(), written.shaped, written.reads)
        self.steps.append(
            ProgramStep(
                target=target.name,
                made=target.made,
                columns=columns,
                shaped=written.shaped,
                reads=reads,
                open=written.open,
                whole=whole,
                file=self.file,
                line=self.line(line),
                statement=self.statement,
            )
        )

    def _put_temporary(self, target: WriteTarget, written: WriteContent, line: int, *, whole: bool) -> None:
        before = self.temporary.get(target.temporary)
        relation = Relation(
            tuple(RelationColumn(name, value) for name, value in written.columns.items()),
            written.open,
            shaped=written.shaped,
            reads=written.reads,
        )
        if before is not None and not whole:
            relation = merged(before.relation, relation)
        label = before.label if before is not None else target.name
        self.define(target.temporary, label, relation, line, changes=True)

    def define(self, key: str, label: str, relation: Relation, line: int = 0, *, changes: bool = False) -> Relation:
        """A temporary view or table, in a new version."""
        reading = self.between(label, OutputKind.TEMPORARY, relation, line)
        names = None if relation.open else relation.names
        self.temporary[key] = TemporaryRelation(label=label, relation=reading, names=names, changes=changes)
        return reading

    def declare(self, key: str, label: str, columns: Sequence[ColumnDefinition], line: int = 0) -> None:
        """A temporary table without rows."""
        relation = Relation(tuple(RelationColumn(one.name, NOTHING) for one in columns))
        reading = self.define(key, label, relation, line, changes=True)
        for table in reading.reads:
            self._types[table] = {one.name.lower(): one.type for one in columns if one.type}

    def settle(self, definition: TableDefinition) -> None:
        """A table that is there from here on."""
        self.current[definition.name.lower()] = definition
        self.dropped.discard(definition.name.lower())

    def infer(self, name: str, relation: Relation, *, view: bool, line: int = 0) -> None:
        """Infers the columns of a table from the query that makes it."""
        if relation.open or not relation.columns:
            self.current.pop(name.lower(), None)
            return
        types = types_of_columns(((one.name, one.value) for one in relation.columns), self)
        columns = tuple(ColumnDefinition(one.name, types.get(one.name.lower(), "")) for one in relation.columns)
        kind = "view" if view else "physical"
        self.settle(
            TableDefinition(name=name, columns=columns, kind=kind, file=self.file, line=self.line(line), inferred=True)
        )

    def _sure(self, value: ColumnValue) -> ColumnValue:
        return through(value, _MAYBE) if self.maybe else value


def _line(expression: exp.Expr) -> int:
    for part in expression.find_all(exp.Identifier):
        line = part.meta.get("line")
        if line:
            return int(line)
    return 0
