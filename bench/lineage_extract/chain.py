"""Thirty common table expressions, one on top of the other, of two hundred columns each."""

from __future__ import annotations

from bench.lineage_extract.cases import Asked, Question


def chained(ctes: int, columns: int) -> Asked:
    """Each column of a link is the same one of the link before, some of them together with their neighbour."""
    names = [f"c{place}" for place in range(columns)]
    parts = [f"l0 AS (SELECT {', '.join(names)} FROM wide.base WHERE c0 > 0)"]
    for link in range(1, ctes):
        items = [f"c{at} + c{at - 1} AS c{at}" if at % 10 == link % 10 and at else f"c{at}" for at in range(columns)]
        parts.append(f"l{link} AS (SELECT {', '.join(items)} FROM l{link - 1})")
    separator = ",\n"
    script = f"CREATE TABLE wide.made AS WITH {separator.join(parts)}\nSELECT {', '.join(names)} FROM l{ctes - 1}"
    reached = {name: frozenset({name}) for name in names}
    for link in range(1, ctes):
        reached = {
            f"c{at}": reached[f"c{at}"] | reached[f"c{at - 1}"] if at % 10 == link % 10 and at else reached[f"c{at}"]
            for at in range(columns)
        }
    truth = frozenset((f"wide.base.{source}", f"wide.made.{name}") for name in names for source in reached[name])
    question = Question("chain", f"{ctes} × {columns}", "chain", script, truth, "wide")
    return Asked([question], {"wide": {"wide.base": dict.fromkeys(names, "int")}})
