"""What it costs to lint contracts and to judge them by all policies, beside datacontract-cli on the same files."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from bench.contracts.generate import SOURCE, contract_text, write_project
from bench.table import aligned
from forge.contracts.linter.lint import lint
from forge.contracts.policy.coverage import covered_tables
from forge.contracts.policy.governance import CoveragePolicy, DocumentationPolicy, Enforcement, Governance, NamingPolicy
from forge.flows.contracts.compile.project import CompilePorts, compile_project
from forge.model.names import TableName

MODELS, COLUMNS, MANY = 50, 50, 1000
POLICIES = "forge: lint and policies"
WITH_SQL = "forge: the same with as many SQL models"
IN_ONE = "forge: lint, all models in one file"
OWNER = "ada@shop.example"
POLICIES_SECONDS, MANY_SECONDS = 0.25, 5.0


@dataclass(frozen=True)
class Line:
    what: str
    contracts: int
    columns: int
    seconds: float
    limit: float | None = None

    @property
    def is_missed(self) -> bool:
        return self.limit is not None and self.seconds > self.limit


def cpu_of(work: Callable[[], object], times: int) -> float:
    """Seconds of CPU of the best of some times; the first warms the caches and counts as well."""
    found = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def lint_all(files: Sequence[Path]) -> None:
    for file in files:
        violations = lint(file.read_bytes(), file.name, "strict")
        if violations:
            raise SystemExit(f"a generated contract is not right: {violations[0]}")


def compile_all(root: Path, models: int) -> None:
    """All policies on as many tables that transforms make, each with a contract; any finding throws the times away."""
    governance = Governance(
        enforcement=Enforcement.STRICT,
        required_for=("core.*",),
        naming=(NamingPolicy(tables="^[a-z_0-9]+$", columns="^[a-z_0-9]+$"),),
        coverage=(CoveragePolicy(),),
        documentation=(DocumentationPolicy(),),
    )
    source = TableName.parse(SOURCE)
    ports = CompilePorts(
        root=root,
        governance=governance,
        owner_of=lambda table: OWNER,
        clock=lambda: datetime.now(UTC),
        known=lambda: [source],
    )
    compiled = compile_project(ports)
    judged = len(covered_tables(compiled.facts, ()))
    if judged != models or len(compiled.facts.contracts) != models:
        raise SystemExit(f"{judged} tables were judged, not {models}")
    if compiled.findings:
        raise SystemExit(f"a generated project is not right: {compiled.findings[0].violation}")


def peer_lint(files: Sequence[Path]) -> None:
    tool = import_module("datacontract.data_contract")
    for file in files:
        run = tool.DataContract(data_contract_file=str(file), inline_references=False).lint()
        if run.result != "passed":
            raise SystemExit(f"datacontract-cli: {run.result} for {file.name}")


def measure(options: argparse.Namespace) -> list[Line]:
    with tempfile.TemporaryDirectory() as folder:
        small, whole, many = (Path(folder) / name for name in ("small", "whole", "many"))
        files = write_project(small, options.models, options.columns, transforms="functions")
        write_project(whole, options.models, options.columns, transforms="sql")
        shape = (options.models, options.columns)
        one = Path(folder) / "one.odcs.yaml"
        one.write_text(contract_text(0, options.columns, options.models), encoding="utf-8")
        lines = [
            Line(IN_ONE, 1, options.columns, cpu_of(lambda: lint_all([one]), options.times)),
            Line("forge: lint", *shape, cpu_of(lambda: lint_all(files), options.times)),
            Line(POLICIES, *shape, cpu_of(lambda: compile_all(small, options.models), options.times), POLICIES_SECONDS),
            Line(WITH_SQL, *shape, cpu_of(lambda: compile_all(whole, options.models), options.times)),
        ]
        if options.peer:
            import_module("datacontract.data_contract")
            seconds = cpu_of(lambda: peer_lint([one]), options.times)
            lines.append(Line("datacontract-cli: lint, all models in one file", 1, options.columns, seconds))
            lines.append(Line("datacontract-cli: lint", *shape, cpu_of(lambda: peer_lint(files), options.times)))
        crowd = write_project(many, options.many, options.many_columns)
        seconds = cpu_of(lambda: lint_all(crowd), 1)
        lines.append(Line("forge: lint", options.many, options.many_columns, seconds, MANY_SECONDS))
    return lines


def shown(lines: Sequence[Line]) -> str:
    rows = [["", "contracts", "columns", "CPU s", "bound", ""]]
    for line in lines:
        bound = f"{line.limit:.2f}" if line.limit is not None else ""
        missed = "missed" if line.is_missed else ""
        rows.append([line.what, f"{line.contracts:,}", str(line.columns), f"{line.seconds:.3f}", bound, missed])
    return aligned(rows, right={1, 2, 3, 4})


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.contracts.bench", description=__doc__)
    parser.add_argument("--models", type=int, default=MODELS)
    parser.add_argument("--columns", type=int, default=COLUMNS)
    parser.add_argument("--many", type=int, default=MANY, help="contracts of the large set")
    parser.add_argument("--many-columns", type=int, default=COLUMNS)
    parser.add_argument("--times", type=int, default=3, help="the best of so many counts")
    parser.add_argument("--without-peer", dest="peer", action="store_false", help="do not ask datacontract-cli")
    parser.add_argument("--limits", action="store_true", help="exit 1 when a bound is missed")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> int:
    lines = measure(options)
    print(shown(lines))
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in lines], indent=2), encoding="utf-8")
    return int(options.limits and any(line.is_missed for line in lines))


if __name__ == "__main__":
    sys.exit(run(parse(sys.argv[1:])))
