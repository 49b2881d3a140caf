"""A SQL session: the statements of one file or Python program in order, with the definitions they leave."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from sqlglot import exp

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import TableDefinition
from forge.lineage.extract.paths import plain_path
from forge.lineage.extract.program import OutputKind, Program, ProgramStep
from forge.lineage.extract.relation import Relation
from forge.lineage.extract.sql.expression import value_of_expression
from forge.lineage.extract.sql.names import parts_of, split_name
from forge.lineage.extract.sql.output_name import output_name
from forge.lineage.extract.sql.rows import InsertMapping, fitted, renamed, rows_of
from forge.lineage.extract.sql.scope import QueryScope
from forge.lineage.extract.sql.state import SessionState
from forge.lineage.extract.sql.statements.create import declared, is_temporary, table_of, write_whole
from forge.lineage.extract.sql.statements.ddl import altered
from forge.lineage.extract.sql.statements.handlers import run_tree
from forge.lineage.extract.sql.statements.routines import begin_routine, declaration, loop
from forge.lineage.extract.sql.statements.text import not_parsed
from forge.lineage.extract.sql.syntax.parse import LARGEST, UnparsedStatement, deep, parse
from forge.lineage.extract.sql.syntax.split import ScriptStatement, StatementKind, split
from forge.lineage.extract.sql.target import WriteTarget
from forge.lineage.extract.value import ColumnValue

ParsedStatement = tuple[ScriptStatement, exp.Expr | UnparsedStatement]
_SETTING = re.compile(r"\ASET\s+(?:hivevar:|hiveconf:|env:)?([\w.]+)\s*=\s*(.*)\Z", re.IGNORECASE | re.DOTALL)
_PLACE = re.compile(r"\$\{(?:hivevar:|hiveconf:|env:|system:)?([\w.]+)\}")
_ROUTINE = re.compile(
    r"\A\s*(?:CREATE|ALTER)\s+(?:OR\s+\w+\s+)?(?:\w+\s+)?(?:PROCEDURE|PROC|FUNCTION)\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    r"([\w.`\"\[\]]+)",
    re.IGNORECASE,
)
_PART = r"(?:'[^'|]*'|:?\w+)"
_JOINED = re.compile(rf"\bIDENTIFIER\s*\(\s*({_PART}(?:\s*\|\|\s*{_PART})+)\s*\)", re.IGNORECASE)
_DEEPEST_SCRIPT = 5  # scripts that run scripts


class SqlSession(SessionState):
    def __init__(
        self,
        catalog: TableCatalog,
        dialect: str = "spark",
        file: str = "",
        *,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(catalog, dialect, file, variables or {})
        self.in_branch = False  # of a program in another language: what runs now may never run
        self._scripts = 0
        self._made: dict[str, TableDefinition] = {}

    def run(
        self, text: str, line: int = 1, *, result: str | None = None, frames: Mapping[str, Relation] | None = None
    ) -> Relation | None:
        """A script. Gives the rows of its last query; under the name `result` they are written."""
        reason = _unreadable(text)
        if reason:
            self._begin("", line, maybe=False)
            self.counts.statements += 1
            self.gap(0, reason)
            return None
        before = self.frames
        self.frames = {**before, **{name.lower(): relation for name, relation in (frames or {}).items()}}
        try:
            return self._run(text, line, result)
        finally:
            self.frames = before

    def _run(self, text: str, line: int, result: str | None) -> Relation | None:
        parsed = self._parse(text, line)
        self._collect(parsed)
        last = None
        queries = [place for place, (_, tree) in enumerate(parsed) if isinstance(tree, exp.Query)]
        for place, (piece, tree) in enumerate(parsed):
            wanted = result if queries and place == queries[-1] else None
            relation = self._statement(piece, tree, wanted)
            last = relation if relation is not None else last
        return last

    def _parse(self, text: str, line: int) -> list[ParsedStatement]:
        found: list[ParsedStatement] = []
        for piece in split(text, self.dialect, line):
            if "${" in piece.text or "identifier" in piece.text.lower():
                piece = replace(piece, text=self._filled(piece.text))
            setting = _SETTING.match(piece.text)
            if setting:
                self.texts[setting[1].lower()] = setting[2].strip().strip("'\"")
            found.append((piece, self._tree(piece)))
        return found

    def _filled(self, text: str) -> str:
        """With the values of ${x}, and with the names that IDENTIFIER('a' || x) puts together."""
        filled = _PLACE.sub(lambda match: self.texts.get(match[1].lower(), match[0]), text)
        return _JOINED.sub(self._put_together, filled)

    def _put_together(self, match: re.Match[str]) -> str:
        parts = [part.strip() for part in match[1].split("||")]
        known = [part[1:-1] if part[0] == "'" else self.texts.get(part.lstrip(":").lower()) for part in parts]
        return match[0] if None in known else f"IDENTIFIER('{''.join(one for one in known if one is not None)}')"

    def _tree(self, piece: ScriptStatement) -> exp.Expr | UnparsedStatement:
        if piece.kind in (StatementKind.ROUTINE, StatementKind.DECLARATION):
            return UnparsedStatement("")
        if piece.kind is StatementKind.LOOP:
            return UnparsedStatement("")
        return parse(piece, self.dialect)

    def _collect(self, parsed: list[ParsedStatement]) -> None:
        """What the whole text says of its tables, so that a statement before the CREATE knows them too."""
        kept, self.used = self.used, self.used
        current = dict(self.current)
        for piece, tree in parsed:
            self._begin(piece.text, piece.line, maybe=False)
            routine = _ROUTINE.match(piece.text)
            if routine:
                self.routines.add(".".join(split_name(routine[1])))
            if isinstance(tree, exp.Create | exp.Alter | exp.Use):
                self._guarded(lambda tree=tree: self._collect_one(tree))  # type: ignore[misc]
        self.used = kept
        new = {name: one for name, one in self.current.items() if current.get(name) is not one}
        self.current = current
        self._made.update(new)
        if new:
            self.local = TableCatalog(tuple(self._made.values()), self.catalog.db, self.catalog.default_schema)

    def _collect_one(self, tree: exp.Expr) -> None:
        if isinstance(tree, exp.Use):
            run_tree(self, tree)
        elif isinstance(tree, exp.Alter) and isinstance(tree.this, exp.Table):
            self._collect_alter(tree)
        elif isinstance(tree, exp.Create) and _lists_columns(tree):
            parts = table_of(tree, self)
            definition = declared(self, tree, parts) if parts and not is_temporary(tree, parts) else None
            if definition is not None:
                self.current[definition.name.lower()] = definition

    def _collect_alter(self, tree: exp.Alter) -> None:
        meant = self.find(parts_of(tree.this))
        if meant.definition is None or meant.definition.given:
            return
        changed = meant.definition
        for action in tree.args.get("actions") or ():
            changed = altered(changed, action, self.complete)
        if changed is not meant.definition:
            self.current[meant.name.lower()] = replace(changed, name=meant.name)

    def _begin(self, text: str, line: int, *, maybe: bool) -> None:
        self.statement = text
        self.first_line = line
        self.offset = line - 1
        self.maybe = maybe or self.in_branch

    def _statement(
        self, piece: ScriptStatement, tree: exp.Expr | UnparsedStatement, result: str | None
    ) -> Relation | None:
        outer, frames = (self.statement, self.first_line, self.maybe), self.frames
        self._begin(piece.text, piece.line, maybe=piece.maybe or (self._scripts > 0 and outer[2]))
        gaps, steps = len(self.gaps), len(self.steps)
        relation = self._guarded(lambda: self._one(piece, tree, result))
        self.frames = frames
        if not self._scripts and piece.kind in (StatementKind.STATEMENT, StatementKind.UNCLOSED):
            self.counts.statements += 1
            clear = len(self.gaps) == gaps and not any(step.open and step.made.real for step in self.steps[steps:])
            self.counts.understood += clear
            self.counts.queries += isinstance(tree, exp.Query) and len(self.steps) == steps
        if self._scripts:
            self._begin(*outer[:2], maybe=outer[2])
        return relation

    def _guarded(self, work: Callable[[], Relation | None]) -> Relation | None:
        """One statement. Whatever happens in it is a gap of its own, and the rest of the script is still read."""
        try:
            with deep():
                return work()
        except RecursionError:
            self.gap(0, "it is nested too deep to be read")
        except Exception as error:  # our own bug must not hide the other statements; reported
            self.gap(0, f"it could not be read: {type(error).__name__}: {error}")
        return None

    def _one(self, piece: ScriptStatement, tree: exp.Expr | UnparsedStatement, result: str | None) -> Relation | None:
        if piece.kind is StatementKind.LOOP:
            loop(self, piece)
            return None
        if piece.kind is StatementKind.ROUTINE:
            begin_routine(self, piece.text)
            return None
        if piece.kind is StatementKind.DECLARATION:
            declaration(self, piece)
            return None
        if isinstance(tree, UnparsedStatement):
            # A variable that has got its value since may make it readable.
            filled = self._filled(piece.text)
            again = parse(replace(piece, text=filled), self.dialect) if filled != piece.text else tree
            if isinstance(again, UnparsedStatement):
                not_parsed(self, piece.text, again.reason)
                return None
            tree = again
        relation = run_tree(self, tree)
        if relation is not None and result is not None:
            write_whole(self, self.created(split_name(result), OutputKind.TABLE), relation, view=False)
        return relation

    def view(self, key: str, label: str, query: exp.Expr, names: tuple[str, ...]) -> None:
        before, self.seen = self.seen, {}
        relation = renamed(rows_of(self, query.copy()), names)
        self.define(key, label, relation)
        seen = tuple((name, one) for name, one in self.seen.items() if name != key)
        self.temporary[key] = replace(self.temporary[key], query=query, names_of_query=names, seen=seen)
        self.seen = before

    def script(self, text: str, line: int) -> None:
        """SQL in SQL: the body of a procedure, EXECUTE IMMEDIATE."""
        if self._scripts >= _DEEPEST_SCRIPT:
            self.gap(0, "scripts run scripts too deep to be followed")
            return
        self._scripts += 1
        try:
            for piece, tree in self._parse(text, line):
                self._statement(piece, tree, None)
        finally:
            self._scripts -= 1

    # for Python

    def read_table(self, name: str, line: int) -> Relation:
        self._begin("", line, maybe=self.maybe)
        return self.named(split_name(name))

    def define_view(self, name: str, relation: Relation, line: int, *, label_global: bool = False) -> None:
        self._begin("", line, maybe=self.maybe)
        parts = split_name(name)
        self.define(self.key_of((*(("global_temp",) if label_global else ()), *parts)), parts[-1], relation)

    def drop_view(self, name: str) -> None:
        self.temporary.pop(self.key_of(split_name(name)), None)

    def write(
        self,
        name: str,
        relation: Relation,
        line: int,
        *,
        by: Literal["position", "name"],
        made: OutputKind = OutputKind.TABLE,
        whole: bool,
        statement: str = "",
    ) -> None:
        self._begin(statement, line, maybe=self.maybe)
        if made is OutputKind.FILE:
            write_whole(self, WriteTarget(plain_path(name), None, made), relation, view=False)
            return
        if whole:
            write_whole(self, self.created(split_name(name), made), relation, view=made is OutputKind.VIEW)
            return
        target = self.target_named(split_name(name))
        self.put(target, fitted(self, target, relation, InsertMapping(by_name=by == "name")))

    def expression(self, text: str, relation: Relation, line: int) -> tuple[tuple[str, ColumnValue], ...]:
        """An expression of SQL over the columns of a relation, `*` among them; `alias` after it names it."""
        self._begin(text, line, maybe=self.maybe)
        tree = parse(ScriptStatement(f"SELECT {text}", line), self.dialect)
        if not isinstance(tree, exp.Select):
            self.gap(0, tree.reason if isinstance(tree, UnparsedStatement) else "it is not an expression")
            return ()
        before = self.frames
        self.frames = {**before, "__rows": relation}
        try:
            if any(one.find(exp.Star) for one in tree.expressions):
                tree.set("from_", exp.From(this=exp.Table(this=exp.to_identifier("__rows"))))
                found = rows_of(self, tree)
                return tuple((one.name, one.value) for one in found.columns)
            scope = QueryScope.of(relation, self)
            return tuple(
                (output_name(one, self.dialect, scope), value_of_expression(one, scope)) for one in tree.expressions
            )
        finally:
            self.frames = before

    def finish(self, language: str) -> Program:
        definitions = {**self._made, **self.current}
        return Program(
            file=self.file,
            language=language,
            steps=tuple(_without(step, self.hidden) for step in self.steps) if self.hidden else tuple(self.steps),
            gaps=tuple(self.gaps),
            definitions=tuple(one for one in definitions.values() if not one.given),
            statements=self.counts.statements,
            understood=self.counts.understood,
            queries=self.counts.queries,
            unknown=frozenset(self.unknown),
        )


def _without(step: ProgramStep, hidden: set[str]) -> ProgramStep:
    """A step without sources from unknown tables."""

    def value(one: ColumnValue) -> ColumnValue:
        sources = {column: trace for column, trace in one.sources.items() if column.table not in hidden}
        return ColumnValue(sources, {name: value(member) for name, member in one.members.items()})

    return replace(
        step,
        columns={name: value(one) for name, one in step.columns.items()},
        shaped=frozenset((column, subtype) for column, subtype in step.shaped if column.table not in hidden),
        open=tuple(one for one in step.open if one not in hidden),
    )


def _lists_columns(tree: exp.Create) -> bool:
    return str(tree.args.get("kind")).upper() == "TABLE" and not isinstance(tree.expression, exp.Query)


def _unreadable(text: str) -> str:
    if "\0" in text:
        return "this is not text"
    if len(text) > LARGEST:
        return f"the text has {len(text):,} characters; at most {LARGEST:,} are read"
    return ""
