"""Forge and the others, each in a process of its own that gets the same questions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.lineage_extract.cases import Asked, Pair

ROOT = Path(__file__).resolve().parents[2]
WORKERS = Path(__file__).parent / "workers"


@dataclass(frozen=True, slots=True)
class Tool:
    """`peers`: it is in the environment of those whose packages do not go together with ours."""

    name: str
    worker: str
    peers: bool = True


FORGE = Tool("Forge", "of_forge.py", peers=False)
PEERS = (
    Tool("sqlglot.lineage", "of_sqlglot.py", peers=False),
    Tool("sqllineage", "of_sqllineage.py"),
    Tool("openlineage-sql", "of_openlineage.py"),
    Tool("DataHub", "of_datahub.py"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """`error`: why a tool says that it could not read it."""

    pairs: tuple[Pair, ...]
    seconds: float
    error: str


def python_of(tool: Tool) -> str:
    if not tool.peers:
        return sys.executable
    made = subprocess.run([str(ROOT / "scripts" / "peers.sh"), "peers"], capture_output=True, text=True, check=True)
    return f"{made.stdout.strip()}/bin/python"


def ask(tool: Tool, asked: Asked, limit: float) -> list[Answer]:
    """One answer to each question, in order; `limit` seconds for each. What a tool dies of counts as not read, and it
    goes on with the next."""
    answers: list[Answer] = []
    while len(answers) < len(asked.questions):
        answers += _answers(tool, asked, len(answers), limit)
        if len(answers) < len(asked.questions):
            answers.append(Answer((), limit, "the process died of it"))
    return answers


def _answers(tool: Tool, asked: Asked, first: int, limit: float) -> Sequence[Answer]:
    cases = [
        {
            "id": number,
            "script": one.script,
            "dialect": one.dialect,
            "schema": one.schema,
            "db": one.db,
            "default_schema": one.default_schema,
        }
        for number, one in enumerate(asked.questions[first:])
    ]
    job = json.dumps({"cases": cases, "schemas": asked.schemas, "limit": limit})
    words = [python_of(tool), str(WORKERS / tool.worker)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        # A tool that does not heed the limit is ended; what it had answered counts.
        try:
            out, _ = process.communicate(job, timeout=60 + 2 * limit + len(cases) * min(limit, 2.0))
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
    lines = [json.loads(line) for line in out.splitlines() if line.endswith("}")]
    return [
        Answer(tuple((source, target) for source, target in one["pairs"]), one["seconds"], one["error"])
        for one in lines
    ]
