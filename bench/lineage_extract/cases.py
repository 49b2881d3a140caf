"""What all tools are asked: scripts with known schemas, and the pairs of columns that are the truth."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "support"))

from random_queries import TABLES as RANDOM_TABLES  # noqa: E402
from random_queries import random_query  # noqa: E402
from sql_cases import EDGE, all_cases, known_tables  # noqa: E402

Pair = tuple[str, str]
Schemas = Mapping[str, Mapping[str, str]]

OURS_ALONE = frozenset({"ddl", "function", "gaps", "pipe", "scripting"})
"""Topics that no other tool claims to read: SQL functions, scripting, pipes, and what is told of gaps."""


@dataclass(frozen=True)
class Question:
    """`schema` names the tables that are known. `common`: every tool could in principle read it."""

    set: str
    topic: str
    name: str
    script: str
    truth: frozenset[Pair]
    schema: str
    dialect: str = "spark"
    db: str = ""
    default_schema: str = ""
    common: bool = True


@dataclass(frozen=True)
class Asked:
    questions: Sequence[Question]
    schemas: Mapping[str, Schemas] = field(default_factory=dict)


def written() -> Asked:
    """The text cases of the tests, their direct edges between columns."""
    found = []
    for file, case in all_cases():
        settings = case.settings
        script = case.script
        if "result" in settings:
            script = f"CREATE VIEW {settings['result']} AS\n{script}"
        edges = [match for line in case.lines if not line.startswith("~") and (match := EDGE.fullmatch(line))]
        found.append(
            Question(
                "written",
                file,
                case.name,
                script,
                frozenset((edge["source"], edge["target"]) for edge in edges),
                "cases",
                settings.get("dialect", "spark"),
                settings.get("db", ""),
                settings.get("default-schema", ""),
                file not in OURS_ALONE and not case.gaps and "result" not in settings,
            )
        )
    return Asked(found, {"cases": known_tables()})


def composed(count: int, seed: int) -> Asked:
    """Queries put together at random, whose edges are known by how they were put together."""
    found = []
    for number in range(count):
        made = random_query(seed + number)
        found.append(Question("random", made.topic, str(seed + number), made.sql, made.pairs, "random"))
    return Asked(found, {"random": RANDOM_TABLES})


def together(*all_asked: Asked) -> Asked:
    schemas = {name: schema for asked in all_asked for name, schema in asked.schemas.items()}
    return Asked([question for asked in all_asked for question in asked.questions], schemas)


_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def statements_of(question: Question) -> int:
    """How many; only to tell a time per statement."""
    text = _COMMENT.sub(" ", question.script)
    return max(1, sum(1 for piece in re.sub(r"'[^']*'", "", text).split(";") if piece.strip()))
