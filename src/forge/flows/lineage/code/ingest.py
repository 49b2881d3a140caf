"""Incremental ingestion of a codebase: only files that changed, or whose dependencies changed, are read again. Each
file is a producer: edges it no longer has are closed. The graph is written before the record of the file, so a
crash in between reads that file once more and changes nothing."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forge.flows.lineage.code.claims import claims_of_program
from forge.flows.lineage.code.digest import digests_of
from forge.flows.lineage.code.files import Codebase, find_code, printable_path
from forge.flows.lineage.code.lineage_files import record_lineage_files
from forge.flows.lineage.code.ports import IngestOptions, IngestPorts, IngestProgress, with_progress
from forge.flows.lineage.code.records import SourceGap, SourceRecord, file_id, producer_of
from forge.flows.lineage.write import total_of
from forge.lineage.edge import Gap
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.codebase import CodebaseContext, UnitResult, modules_of, read_codebase, uses_of
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.manual import DECLARED
from forge.lineage.extract.program import Program
from forge.lineage.facts.claim import ClaimBatch, WriteCounts

_FILES = 50  # in one transaction
_LINE = 160  # characters of the source line of a gap
_SECRET = re.compile(r"(?i)(pass(?:word|wd)?|secret|token|api_?key|credentials?)(\W{1,6})[^\s,;)]+")


@dataclass(frozen=True, slots=True)
class IngestReport:
    """`files` were read, `unchanged` skipped. `recorded`: changes of the graph."""

    root: str
    files: tuple[SourceRecord, ...]
    unchanged: tuple[SourceRecord, ...]
    removed: tuple[str, ...]
    recorded: WriteCounts
    seconds: float

    @property
    def everything(self) -> tuple[SourceRecord, ...]:
        return tuple(sorted((*self.files, *self.unchanged), key=lambda one: one.path))

    @property
    def gaps(self) -> int:
        return sum(len(one.gaps) for one in self.everything)

    def to_dict(self) -> dict[str, object]:
        everything = self.everything
        return {
            "root": self.root,
            "files": len(everything),
            "read": len(self.files),
            "unchanged": len(self.unchanged),
            "removed": list(self.removed),
            "statements": sum(one.statements for one in everything),
            "understood": sum(one.understood for one in everything),
            "queries": sum(one.queries for one in everything),
            "edges": sum(one.edges for one in everything),
            "gaps": self.gaps,
            "seconds": round(self.seconds, 3),
            "recorded": {
                "added": self.recorded.added,
                "changed": self.recorded.changed,
                "closed": self.recorded.closed,
                "seen_again": self.recorded.extended,
            },
            "sources": [one.to_dict() for one in everything],
        }


def ingest(
    ports: IngestPorts,
    path: Path,
    options: IngestOptions | None = None,
    on_progress: Callable[[IngestProgress], None] = lambda progress: None,
    *,
    root: str | None = None,
) -> IngestReport:
    """`root` is what the folder is called in the record. E816 where there is nothing to read."""
    began = time.monotonic()
    asked = options or IngestOptions()
    name = root if root is not None else printable_path(path if os.path.isdir(path) else path.parent)
    code = find_code(path)
    before = {one.path: one for one in ports.sources.sources(name)}
    digests = digests_of(code, asked)
    same = {
        where: before[where]
        for where, digest in digests.items()
        if not asked.again and where in before and before[where].digest == digest
    }
    done, read = _read(ports, code, asked, same, on_progress)
    kept = tuple(same[where] for where in sorted(same) if where not in read)
    gone = tuple(sorted(before.keys() - digests.keys())) if code.whole else ()
    records, recorded = _write(ports, name, code, digests, read, gone, done)
    from_files = record_lineage_files(
        ports, name, code, {where: mark for where, mark in digests.items() if where not in same}
    )
    ports.sources.keep(from_files)
    ports.sources.forget(name, gone)
    return IngestReport(name, (*records, *from_files), kept, gone, recorded, time.monotonic() - began)


def catalog_of(ports: IngestPorts, options: IngestOptions) -> TableCatalog:
    known = (*ports.known(), *definitions_of(options.schemas))
    return TableCatalog(known, options.db, options.default_schema)


@dataclass(frozen=True, slots=True)
class _ReadCode:
    """Results with timings, and the catalog after reading."""

    catalog: TableCatalog
    seconds: Mapping[str, float]


def _read(
    ports: IngestPorts,
    code: Codebase,
    options: IngestOptions,
    same: Mapping[str, SourceRecord],
    on_progress: Callable[[IngestProgress], None],
) -> tuple[_ReadCode, dict[str, Program]]:
    """Units with a changed file, and then those that build on what has changed with it."""
    shared = CodebaseContext(catalog_of(ports, options), options.dialect, modules_of(code.modules))
    waiting = [unit for unit in code.units if any(path not in same for path in code.files_of(unit))]
    found = {path: program for path, program in code.refused.items() if path not in same}
    seconds: dict[str, float] = {}
    catalog = shared.catalog
    while waiting:
        names = {path for unit in waiting for path in code.files_of(unit)}
        kept = [one for where, one in same.items() if where not in names and where not in found]
        others = [one for record in kept for one in record.definitions]
        earlier = [one for program in found.values() for one in program.definitions if program.file not in names]
        counted = with_progress(ports.read, on_progress, len(waiting))
        for done in read_codebase(waiting, shared, counted, (*others, *earlier)).values():
            found.update(_apart(done, code))
            seconds.update(dict.fromkeys((program.file for program in done.programs), done.seconds))
        catalog = shared.catalog.with_((*others, *(d for program in found.values() for d in program.definitions)))
        stale = {one.path for one in kept if any(_now(catalog, table) != mark for table, mark in one.uses.items())}
        waiting = [unit for unit in code.units if stale & set(code.files_of(unit))]
    return _ReadCode(catalog, seconds), found


def _apart(done: UnitResult, code: Codebase) -> dict[str, Program]:
    """By file. A file of a project that makes nothing itself (a macro) was read all the same."""
    unit = next(unit for unit in code.units if unit.name == done.unit)
    found = {path: Program(file=path, language=unit.language) for path in code.files_of(unit)}
    for program in done.programs:
        before = found.get(program.file)
        found[program.file] = program if before is None else _both(before, program)
    return found


def _both(one: Program, other: Program) -> Program:
    """Merges two records of one file: a model, and its exposures."""
    return replace(
        other,
        steps=(*one.steps, *other.steps),
        gaps=(*one.gaps, *other.gaps),
        definitions=(*one.definitions, *other.definitions),
        statements=one.statements + other.statements,
        understood=one.understood + other.understood,
        queries=one.queries + other.queries,
        unknown=one.unknown | other.unknown,
        edges=(*one.edges, *other.edges),
        nodes=(*one.nodes, *other.nodes),
    )


def _now(catalog: TableCatalog, table: str) -> str:
    return uses_of(Program(file="", language="", unknown=frozenset({table})), catalog)[table]


def _write(
    ports: IngestPorts,
    root: str,
    code: Codebase,
    digests: Mapping[str, str],
    programs: Mapping[str, Program],
    gone: Sequence[str],
    read: _ReadCode,
) -> tuple[tuple[SourceRecord, ...], WriteCounts]:
    lineage, at = ports.lineage, ports.lineage.clock()
    records: list[SourceRecord] = []
    recorded: list[WriteCounts] = []
    paths = sorted(programs)
    for start in range(0, len(paths), _FILES):
        batches, some = [], []
        for path in paths[start : start + _FILES]:
            program = programs[path]
            claims = claims_of_program(program, root)
            producer = producer_of(root, path)
            batches.append(
                ClaimBatch(producer=producer, at=at, edges=claims.edges, nodes=claims.nodes, actor=lineage.actor)
            )
            some.append(
                SourceRecord(
                    root=root,
                    path=path,
                    language=program.language,
                    digest=digests.get(path, ""),
                    read_at=at,
                    seconds=round(read.seconds.get(path, 0.0), 4),
                    statements=program.statements,
                    understood=program.understood,
                    queries=program.queries,
                    edges=claims.direct,
                    gaps=gaps_of(program, code.text_of(path)),
                    definitions=program.definitions,
                    uses=uses_of(program, read.catalog),
                )
            )
        recorded.append(lineage.store.record(batches))
        ports.sources.keep(some)
        records += some
    known = frozenset(lineage.store.producers()) if gone else frozenset()
    ended = [one for path in gone for one in (producer_of(root, path), DECLARED + file_id(root, path)) if one in known]
    if ended:
        recorded.append(
            lineage.store.record([ClaimBatch(producer=producer, at=at, actor=lineage.actor) for producer in ended])
        )
    return tuple(records), total_of(recorded, lineage.store)


def gaps_of(program: Program, text: str) -> tuple[SourceGap, ...]:
    """All gaps of a file, those that only show when its steps are joined included, with their lines of code."""
    from forge.lineage.extract.flatten import flatten_steps, in_order, open_gap

    found: dict[Gap, None] = dict.fromkeys(program.gaps)
    found.update(dict.fromkeys(open_gap(step, joined) for step, joined in flatten_steps(program.steps) if joined.open))
    lines = text.splitlines()
    return tuple(SourceGap(gap.line, gap.reason, _code(lines, gap.line)) for gap in in_order(found))


def _code(lines: Sequence[str], line: int) -> str:
    """With secrets redacted: more people read the records than the code."""
    text = lines[line - 1].strip()[:_LINE] if 0 < line <= len(lines) else ""
    return _SECRET.sub(r"\1\2…", text)
