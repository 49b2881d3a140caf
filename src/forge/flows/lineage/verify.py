"""`forge lineage verify`: compares the lineage read from each SQL statement of a codebase with that of an analyser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from forge.lineage.agreement import SparkAgreement, StatementComparison, compare
from forge.lineage.edge import Extraction, IndirectEdge
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.codebase import CodebaseContext, Run, SourceUnit, read_codebase, read_sequentially
from forge.lineage.extract.flatten import edges_of, flatten_steps
from forge.lineage.extract.program import Program
from forge.lineage.extract.sql.syntax.split import split
from forge.model.errors import ForgeError

COMPARABLE = ("spark", "databricks", "hive")
_END = 2**31
_RENAME = re.compile(r"\s*alter\s+(?:table|view)\s+([\w.`]+)\s+rename\s+(?:to|column)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AnalysedWrite:
    """What an analyser finds that a statement writes into one table; nothing is written."""

    target: str
    extraction: Extraction


@dataclass(frozen=True, slots=True)
class AnalysisFailure:
    """The analyser rejected the statement."""

    reason: str


class Analyser(Protocol):
    """Knows the tables of a catalog, all empty, and the views, functions and tables made by earlier statements of
    the file."""

    def analyse(self, statement: str, result: str = "") -> tuple[AnalysedWrite, ...] | AnalysisFailure:
        """`result`: what a bare SELECT makes; empty: it makes nothing."""


class AnalyserFactory(Protocol):
    def __call__(self, catalog: TableCatalog) -> Analyser:
        """A new one for each file."""


def verify(
    units: Sequence[SourceUnit], shared: CodebaseContext, analysers: AnalyserFactory, run: Run = read_sequentially
) -> Iterator[tuple[str, SparkAgreement]]:
    """(file, what was found), file by file. Only SQL is compared."""
    if shared.dialect not in COMPARABLE:
        raise ForgeError(
            "E822",
            f"{shared.dialect} cannot be verified",
            why="Spark analyses the statements, and it reads its own SQL only.",
            fix=f"Use --dialect with one of {', '.join(COMPARABLE)}.",
        )
    done = read_codebase(units, shared, run)
    programs = {program.file: program for one in done.values() for program in one.programs}
    found = (definition for program in programs.values() for definition in program.definitions)
    catalog = shared.catalog.with_(found)
    for unit in units:
        for file, text in unit.texts.items() if unit.language == "sql" else ():
            program = programs.get(file)
            if program is not None:
                yield file, verify_file(text, program, analysers(catalog), shared.dialect, unit.result)


def verify_file(
    text: str, program: Program, analyser: Analyser, dialect: str = "spark", result: str = ""
) -> SparkAgreement:
    pieces = split(text, dialect)
    extracted = list(_extractions(program))
    renamed = {found[1].replace("`", "").lower() for piece in pieces if (found := _RENAME.match(piece.text))}
    lines = sorted({piece.line for piece in pieces})
    compared = []
    for line, following in pairwise((*lines, _END)):
        static = [one for at, one in extracted if line <= at < following]
        seen = _together([analyser.analyse(piece.text, result) for piece in pieces if piece.line == line])
        if not isinstance(seen, AnalysisFailure) and renamed.intersection(_tables(seen)):
            seen = AnalysisFailure("a table of it is renamed in this file, so the two sides use different names")
        one = _compare(program.file, line, static, seen)
        if one is not None:
            compared.append(one)
    return SparkAgreement(tuple(compared))


def _tables(seen: Sequence[AnalysedWrite]) -> set[str]:
    """All that are written or read."""
    direct = (edge.source.table for one in seen for edge in one.extraction.edges)
    indirect = (edge.source.table for one in seen for edge in one.extraction.indirect)
    return {name.lower() for name in (*(one.target for one in seen), *direct, *indirect)}


def _together(
    analysed: Sequence[tuple[AnalysedWrite, ...] | AnalysisFailure],
) -> tuple[AnalysedWrite, ...] | AnalysisFailure:
    """Groups statements by line: a step has only its line."""
    for one in analysed:
        if isinstance(one, AnalysisFailure):
            return one
    return tuple(seen for one in analysed if not isinstance(one, AnalysisFailure) for seen in one)


def _compare(
    file: str, line: int, static: Sequence[Extraction], seen: tuple[AnalysedWrite, ...] | AnalysisFailure
) -> StatementComparison | None:
    """None: neither side writes anything."""
    if isinstance(seen, AnalysisFailure):
        return StatementComparison(file=file, line=line, reason=seen.reason) if static else None
    if not static and not seen:
        return None
    return compare(file, line, _all(static), _all(one.extraction for one in seen))


def _extractions(program: Program) -> Iterator[tuple[int, Extraction]]:
    """What each statement makes, apart from what others make: (line, edges)."""
    for step, joined in flatten_steps(program.steps):
        indirect = tuple(IndirectEdge(source, step.target, subtype) for source, subtype in joined.shaped)
        yield step.line, Extraction(tuple(edges_of(step, joined)), indirect)


def _all(extractions: Iterable[Extraction]) -> Extraction:
    given = tuple(extractions)
    return Extraction(
        tuple(edge for one in given for edge in one.edges),
        tuple(edge for one in given for edge in one.indirect),
        gaps=tuple(gap for one in given for gap in one.gaps),
    )
