"""Upstream lineage in sentences: sources with commit, owner and verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from forge.lineage.edge import level_of
from forge.lineage.graph.traversal import Link, ReachedNode, Traversal

MOST_NAMES = 8


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Metadata of a table. `verdicts`: check → passed, failed, …"""

    owner: str = ""
    commit: str = ""
    message: str = ""
    verdicts: Mapping[str, str] = field(default_factory=dict)


def explain(traversal: Traversal, facts_of: Callable[[str], SourceFacts]) -> list[str]:
    """One sentence on the whole, one or two on each table nearest first, then what limits the answer."""
    if not traversal.items:
        subject = "Nothing that it comes from" if traversal.direction == "upstream" else "Nothing that comes from it"
        return [f"{subject} is recorded for {traversal.start}.", *_limits(traversal)]
    by_table: dict[str, list[ReachedNode]] = defaultdict(list)
    for item in traversal.items:
        by_table[item.table].append(item)
    tables = sorted(by_table, key=lambda name: (min(item.depth for item in by_table[name]), name))
    words = [_first(traversal, tables)]
    for table in tables:
        words += _table(table, by_table[table], facts_of(table))
    words += _masked(traversal.links)
    words += _begins(traversal, tables)
    return [*words, *_limits(traversal)]


def _first(traversal: Traversal, tables: Sequence[str]) -> str:
    verb = {"upstream": "comes from", "downstream": "goes to", "both": "is joined with"}[traversal.direction]
    return f"{traversal.start} {verb} {_listed(tables)}."


def _table(table: str, items: Sequence[ReachedNode], facts: SourceFacts) -> list[str]:
    depth, sure = min(item.depth for item in items), max(item.confidence for item in items)
    columns = sorted({item.column for item in items if item.column})
    part = f" ({_listed(columns)})" if columns else ""
    words = [f"{table}{part} is {_count(depth, 'step')} away; the way there is {level_of(sure)} ({sure:.2f})."]
    clauses = []
    if facts.owner:
        clauses.append(f"belongs to {facts.owner}")
    if facts.commit:
        message = f" ({facts.message.splitlines()[0]})" if facts.message.strip() else ""
        clauses.append(f"is at commit {facts.commit}{message}")
    if facts.verdicts:
        clauses.append(_judged(facts.verdicts))
    if clauses:
        words.append(f"It {_and(clauses)}.")
    return words


def _judged(verdicts: Mapping[str, str]) -> str:
    counts = Counter(verdicts.values())
    passed = counts.pop("passed", 0)
    if not counts:
        return f"passed {'its only check' if passed == 1 else f'all its {passed} checks'}"
    others = [f"{count} {word}: {_listed(_named(verdicts, word))}" for word, count in sorted(counts.items())]
    return f"has {_count(len(verdicts), 'check')}, of which {passed} passed ({'; '.join(others)})"


def _named(verdicts: Mapping[str, str], verdict: str) -> list[str]:
    return sorted(name for name, word in verdicts.items() if word == verdict)


def _masked(links: Iterable[Link]) -> list[str]:
    masked = sorted({(link.source, link.target) for link in links if link.masking})
    return [f"{target} has {source} masked only." for source, target in masked]


def _begins(traversal: Traversal, tables: Sequence[str]) -> list[str]:
    """The root tables, if the traversal reached them."""
    reached_limit = traversal.depth is not None and traversal.greatest_depth >= traversal.depth
    if traversal.direction != "upstream" or reached_limit or traversal.truncated:
        return []
    table_of = {item.node.id: item.table for item in traversal.items}
    fed = {table_of.get(link.target, link.target) for link in traversal.links}
    first = [table for table in tables if table not in fed]
    return [f"Nothing is recorded before {_listed(first)}: there the data begins."] if first else []


def _limits(traversal: Traversal) -> list[str]:
    words = []
    if traversal.depth is not None and traversal.items and traversal.greatest_depth >= traversal.depth:
        words.append(f"It was followed for {_count(traversal.depth, 'step')} only; there may be more.")
    if traversal.truncated:
        words.append(f"Only the nearest {len(traversal.items)} of {traversal.total} are told.")
    if traversal.hidden:
        least = traversal.ask.edges.min_confidence
        verb = "was" if traversal.hidden == 1 else "were"
        words.append(f"{_count(traversal.hidden, 'edge')} below the confidence {least:g} {verb} not followed.")
    return words


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMES:
        return f"{', '.join(names[: MOST_NAMES - 1])} and {len(names) - MOST_NAMES + 1} more"
    return _and(names)


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
