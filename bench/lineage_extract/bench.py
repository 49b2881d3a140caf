"""Lineage out of code: how much of the truth Forge finds and how fast, beside sqlglot.lineage, sqllineage,
openlineage-sql and DataHub's parser, which are asked the same."""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.lineage_extract.cases import Asked, Question, composed, statements_of, together, written
from bench.lineage_extract.chain import chained
from bench.lineage_extract.codebase import FILES, write_codebase
from bench.lineage_extract.score import Score, score_of
from bench.lineage_extract.tools import FORGE, PEERS, Answer, Tool, ask
from bench.lineage_extract.tpc import known, tpc
from bench.table import aligned

Answers = Mapping[str, Sequence[Answer]]  # by tool
F1, MEDIAN, CHAIN, CODEBASE = 0.97, 5.0, 1.0, 30.0  # bounds: share, milliseconds, seconds, seconds
SETS = {
    "written": "cases of the tests that every tool could read",
    "random": "queries put together at random",
    "TPC": "TPC-DS and TPC-H, Spark's answer",
    "alone": "the other cases of the tests",
}


@dataclass(frozen=True, slots=True)
class Line:
    """What one tool did with one set of questions. Times are milliseconds of CPU per statement."""

    set: str
    tool: str
    questions: int
    precision: float
    recall: float
    f1: float
    unread: float
    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class Bound:
    what: str
    measured: float
    bound: str
    ok: bool


# --- what is measured ------------------------------------------------------------------------------------------------


def group_of(question: Question) -> str:
    return question.set if question.common else "alone"


def scored(question: Question, answer: Answer) -> Score:
    found = known(answer.pairs) if question.set == "TPC" else answer.pairs
    return score_of(found, question.truth)


def line_of(name: str, tool: str, pairs: Sequence[tuple[Question, Answer]]) -> Line:
    total = sum((scored(question, answer) for question, answer in pairs), Score())
    times = sorted(1000 * answer.seconds / statements_of(question) for question, answer in pairs)
    unread = sum(bool(answer.error) for _, answer in pairs) / len(pairs)
    return Line(
        name,
        tool,
        len(pairs),
        total.precision,
        total.recall,
        total.f1,
        unread,
        statistics.median(times),
        times[int(0.95 * (len(times) - 1))],
    )


def lines_of(asked: Asked, answers: Answers) -> list[Line]:
    found = []
    for name in SETS:
        for tool, given in answers.items():
            pairs = [(q, a) for q, a in zip(asked.questions, given, strict=True) if group_of(q) == name]
            if pairs:
                found.append(line_of(name, tool, pairs))
    return found


def by_part(asked: Asked, answers: Answers, part: Callable[[Question], str]) -> dict[str, dict[str, tuple[int, float]]]:
    """How many questions, and F1, per part and tool."""
    found: dict[str, dict[str, tuple[int, float]]] = {}
    for tool, given in answers.items():
        parts: dict[str, list[tuple[Question, Answer]]] = {}
        for question, answer in zip(asked.questions, given, strict=True):
            parts.setdefault(part(question), []).append((question, answer))
        for name, pairs in parts.items():
            total = sum((scored(question, answer) for question, answer in pairs), Score())
            found.setdefault(name, {})[tool] = (len(pairs), total.f1)
    return found


def chain_of(tools: Sequence[Tool], options: argparse.Namespace) -> list[tuple[str, float, float, str]]:
    """Tool, seconds, F1, error."""
    asked = chained(options.ctes, options.columns)
    question = asked.questions[0]
    found = []
    for tool in tools:
        answer = ask(tool, asked, options.chain_limit)[0]
        found.append((tool.name, answer.seconds, score_of(answer.pairs, question.truth).f1, answer.error))
    return found


@dataclass(frozen=True, slots=True)
class Codebase:
    files: int
    bytes: int
    statements: int
    edges: int
    gaps: int
    seconds: float
    cpu: float


def codebase_of(options: argparse.Namespace) -> Codebase:
    """As `forge lineage extract` reads it, with as many processes as it is given."""
    from forge.connection.lineage.code import extract_code, options_of

    with tempfile.TemporaryDirectory() as folder:
        size = write_codebase(Path(folder), options.files)
        before, began = _cpu(), time.monotonic()
        found = extract_code([folder], options_of(), processes=options.processes)
        seconds = time.monotonic() - began
    return Codebase(
        options.files,
        size,
        sum(program.statements for program in found.programs),
        len(found.extraction.edges),
        len(found.extraction.gaps),
        seconds,
        _cpu() - before,
    )


def _cpu() -> float:
    """Of this process and of all that have ended."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


def bounds_of(
    lines: Sequence[Line], chain: Sequence[tuple[str, float, float, str]], codebase: Codebase | None
) -> list[Bound]:
    ours = [line for line in lines if line.tool == FORGE.name]
    found = [Bound(f"F1, {SETS[line.set]}", line.f1, f"≥ {F1}", line.f1 >= F1) for line in ours]
    cases = [line for line in ours if line.set == "written"]
    found += [Bound("median, ms a statement", one.median, f"≤ {MEDIAN:g}", one.median <= MEDIAN) for one in cases]
    if chain:
        found.append(Bound("chained CTEs, s", chain[0][1], f"≤ {CHAIN:g}", chain[0][1] <= CHAIN and chain[0][2] == 1))
    if codebase is not None:
        seconds = codebase.seconds
        found.append(Bound("codebase, s", seconds, f"≤ {CODEBASE:g}", seconds <= CODEBASE))
    return found


# --- printing --------------------------------------------------------------------------------------------------------


def table_of(lines: Sequence[Line]) -> str:
    heads = ("", "precision", "recall", "F1", "not read", "median ms", "p95 ms", "median, of ours")
    rows: list[Sequence[str]] = []
    for name in dict.fromkeys(line.set for line in lines):
        some = [line for line in lines if line.set == name]
        ours = next((line.median for line in some if line.tool == FORGE.name), None)
        rows.append((f"{SETS[name]} ({some[0].questions})", *heads[1:]))
        rows += [
            (
                f"  {line.tool}",
                *(f"{number:.3f}" for number in (line.precision, line.recall, line.f1)),
                f"{100 * line.unread:.1f} %",
                *(f"{number:.2f}" for number in (line.median, line.p95)),
                f"{line.median / ours:.2f}×" if ours else "",
            )
            for line in some
        ]
    return aligned(rows, range(1, 8))


def parts_table(title: str, parts: Mapping[str, Mapping[str, tuple[int, float]]]) -> str:
    tools = list(next(iter(parts.values())))
    rows = [(f"F1 by {title}", "questions", *tools)]
    for name, found in parts.items():
        count = next(iter(found.values()))[0]
        rows.append((f"  {name}", str(count), *(f"{found[tool][1]:.3f}" for tool in tools)))
    return aligned(rows, range(1, 2 + len(tools)))


def chain_table(chain: Sequence[tuple[str, float, float, str]], options: argparse.Namespace) -> str:
    rows = [(f"{options.ctes} chained CTEs × {options.columns} columns", "s", "of ours", "F1", "")]
    rows += [
        (f"  {tool}", f"{seconds:.3f}", f"{seconds / chain[0][1]:.2f}×", f"{f1:.3f}", error)
        for tool, seconds, f1, error in chain
    ]
    return aligned(rows, (1, 2, 3))


def codebase_table(found: Codebase, options: argparse.Namespace) -> str:
    head = f"codebase of {found.files:,} files, {found.bytes / 1e6:.1f} MB, on {options.processes} processes"
    rows = [
        (head, ""),
        ("  seconds", f"{found.seconds:.2f}"),
        ("  seconds of CPU, of all processes", f"{found.cpu:.2f}"),
        ("  statements", f"{found.statements:,}"),
        ("  edges between columns", f"{found.edges:,}"),
        ("  gaps", f"{found.gaps:,}"),
    ]
    return aligned(rows, (1,))


def bounds_table(bounds: Sequence[Bound]) -> str:
    rows = [(one.what, f"{one.measured:.3f}", one.bound, "ok" if one.ok else "MISSED") for one in bounds]
    return aligned([("bounds", "", "", ""), *rows], (1,))


# --- running ---------------------------------------------------------------------------------------------------------


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, default=2000, help="queries put together at random (default 2000)")
    parser.add_argument("--seed", type=int, default=1_000_000, help="of the first of them; the tests use small ones")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for one question")
    parser.add_argument("--ctes", type=int, default=30)
    parser.add_argument("--columns", type=int, default=200)
    parser.add_argument("--chain-limit", type=float, default=60.0, help="seconds for the chain")
    parser.add_argument("--files", type=int, default=FILES, help="of the codebase; 0: none")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--without-peers", action="store_true", help="only Forge")
    parser.add_argument("--without-tpc", action="store_true", help="no Spark")
    parser.add_argument("--limits", action="store_true", help="exit 1 when a bound is missed")
    parser.add_argument("--json", type=Path, help="also write the numbers there")
    return parser.parse_args(words)


def main(options: argparse.Namespace) -> int:
    tools = (FORGE,) if options.without_peers else (FORGE, *PEERS)
    queries = None if options.without_tpc else tpc()
    asked = together(written(), composed(options.random, options.seed), *([queries] if queries else []))
    codebase = codebase_of(options) if options.files else None
    chain = chain_of(tools, options)
    answers: dict[str, Sequence[Answer]] = {}
    for tool in tools:
        print(f"  asking {tool.name}: {len(asked.questions):,} questions", file=sys.stderr)
        answers[tool.name] = ask(tool, asked, options.limit)
    lines = lines_of(asked, answers)
    topics = by_part(asked, answers, lambda question: f"{question.set}: {question.topic}")
    dialects = by_part(asked, answers, lambda question: question.dialect)
    bounds = bounds_of(lines, chain, codebase)
    said = [table_of(lines), parts_table("topic", topics), parts_table("dialect", dialects)]
    said += [chain_table(chain, options), codebase_table(codebase, options) if codebase else ""]
    print("\n\n".join(filter(None, [*said, bounds_table(bounds)])))
    if options.json:
        numbers = {
            "lines": [asdict(line) for line in lines],
            "topics": topics,
            "dialects": dialects,
            "chain": chain,
            "codebase": asdict(codebase) if codebase else None,
            "bounds": [asdict(one) for one in bounds],
        }
        options.json.write_text(json.dumps(numbers, indent=2))
    return int(options.limits and not all(one.ok for one in bounds))


if __name__ == "__main__":
    sys.exit(main(parse()))
