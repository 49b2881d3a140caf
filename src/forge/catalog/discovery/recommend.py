"""Recommendations for one user from four sources: people who used the same, neighbours in the lineage, the same domain
or tags, and what is popular. Each result says why. The same questions give the same answers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from forge.catalog.discovery.usage import AssetUsage, UsageCell
from forge.model.record_json import record_json

MOST_SEEDS = 20
"""So many of the assets that a user used most count."""
MOST_OF_A_SOURCE = 100
_RANK_OFFSET = 10  # of reciprocal rank fusion: how much the first places differ


class RecommendationSource(StrEnum):
    PEOPLE = "people"
    LINEAGE = "lineage"
    DOMAIN = "domain"
    POPULAR = "popular"


_WEIGHTS = {
    RecommendationSource.PEOPLE: 1.0,
    RecommendationSource.LINEAGE: 0.9,
    RecommendationSource.DOMAIN: 0.6,
    RecommendationSource.POPULAR: 0.5,
}


@dataclass(frozen=True, slots=True)
class RecommendationReason:
    source: RecommendationSource
    text: str

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


@dataclass(frozen=True, slots=True)
class AssetProposal:
    """What one source proposes; `score` counts within the source."""

    asset: str
    score: float
    reason: RecommendationReason


@dataclass(frozen=True, slots=True)
class Recommendation:
    asset: str
    score: float
    reasons: tuple[RecommendationReason, ...]

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


@dataclass(frozen=True, slots=True)
class AssetLabels:
    """What groups assets."""

    name: str
    domain: str | None = None
    tags: tuple[str, ...] = ()


def seeds_of(cells: Iterable[UsageCell], actor: str, context: str | None = None) -> tuple[str, ...]:
    """What a user used, most first, with the asset that is looked at before all."""
    mine = sorted((one for one in cells if one.actor == actor), key=lambda one: (-one.uses, one.asset))
    names = ([context] if context else []) + [one.asset for one in mine]
    return tuple(dict.fromkeys(names))[:MOST_SEEDS]


def item_similarity(cells: Iterable[UsageCell], seeds: Sequence[str]) -> dict[str, dict[str, float]]:
    """The cosine between each seed and every other asset, over the people who used them: seed → asset → 0 to 1.
    Many uses count as their logarithm, so that one busy person does not decide."""
    by_actor: dict[str, dict[str, float]] = defaultdict(dict)
    squares: dict[str, list[float]] = defaultdict(list)
    for one in cells:
        weight = math.log1p(one.uses)
        by_actor[one.actor][one.asset] = weight
        squares[one.asset].append(weight * weight)
    norms = {asset: math.sqrt(math.fsum(values)) for asset, values in squares.items()}
    dots: dict[str, dict[str, float]] = {seed: defaultdict(float) for seed in seeds}
    for _, used in sorted(by_actor.items()):
        for seed in seeds:
            mine = used.get(seed)
            if mine is None:
                continue
            for asset, weight in used.items():
                if asset != seed:
                    dots[seed][asset] += mine * weight
    return {
        seed: {asset: dot / (norms[seed] * norms[asset]) for asset, dot in found.items()}
        for seed, found in dots.items()
    }


def propose_by_people(cells: Sequence[UsageCell], actor: str, seeds: Sequence[str]) -> tuple[AssetProposal, ...]:
    """What others used who used the same. The user alone makes nothing similar."""
    others = [one for one in cells if one.actor != actor]
    similar = item_similarity(others, seeds)
    scores: dict[str, float] = defaultdict(float)
    through: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for seed in seeds:
        for asset, cosine in similar[seed].items():
            scores[asset] += cosine / len(seeds)
            through[asset].append((-cosine, seed))
    found = []
    for asset, score in scores.items():
        names = [seed for _, seed in sorted(through[asset])[:2]]
        reason = f"people who used {' and '.join(names)} also used it"
        found.append(AssetProposal(asset, score, RecommendationReason(RecommendationSource.PEOPLE, reason)))
    return _best(found)


def propose_by_lineage(neighbours: Mapping[str, Iterable[tuple[str, str]]]) -> tuple[AssetProposal, ...]:
    """Seed, in its order, → neighbours and where they stand: `upstream` or `downstream`. Neighbours of several seeds
    come first."""
    scores: dict[str, float] = defaultdict(float)
    reasons: dict[str, str] = {}
    for place, (seed, found) in enumerate(neighbours.items()):
        for asset, direction in found:
            scores[asset] += 1 / (1 + place)
            flow = f"{seed} is made from it" if direction == "upstream" else f"it is made from {seed}"
            reasons.setdefault(asset, f"{flow}, which you used")
    return _best(
        AssetProposal(asset, score, RecommendationReason(RecommendationSource.LINEAGE, reasons[asset]))
        for asset, score in scores.items()
    )


def propose_by_domain(seeds: Iterable[AssetLabels], candidates: Iterable[AssetLabels]) -> tuple[AssetProposal, ...]:
    """Of the same domain, or with the same tags, as what the user used."""
    domains: dict[str, int] = defaultdict(int)
    tags: dict[str, int] = defaultdict(int)
    for seed in seeds:
        if seed.domain:
            domains[seed.domain] += 1
        for tag in seed.tags:
            tags[tag] += 1
    most = max((*domains.values(), *tags.values()), default=1)
    found = []
    for one in candidates:
        shared = sorted((tag for tag in one.tags if tag in tags), key=lambda tag: (-tags[tag], tag))
        score = domains.get(one.domain or "", 0) / most
        score += sum(tags[tag] for tag in shared) / most / 2
        words = [f"of the domain {one.domain}"] if one.domain in domains else []
        words += [f"tagged {', '.join(shared[:3])}"] if shared else []
        if words:
            reason = f"{' and '.join(words)}, like what you used"
            found.append(AssetProposal(one.name, score, RecommendationReason(RecommendationSource.DOMAIN, reason)))
    return _best(found)


def propose_popular(popular: Sequence[AssetUsage]) -> tuple[AssetProposal, ...]:
    """Most used first."""
    found = []
    for place, one in enumerate(popular):
        times = one.views + one.queries
        used = f"{one.users} {'person' if one.users == 1 else 'people'} used it" if times else "runs read it"
        often = times or one.runs
        reason = f"popular: {used} {often} {'time' if often == 1 else 'times'} in the last 30 days"
        made = RecommendationReason(RecommendationSource.POPULAR, reason)
        found.append(AssetProposal(one.asset, 1 / (1 + place), made))
    return _best(found)


def blend(
    proposals: Iterable[Sequence[AssetProposal]], *, seen: Iterable[str] = (), limit: int = 10
) -> tuple[Recommendation, ...]:
    """Reciprocal rank fusion: what stands high with several sources comes first. `seen` is left out."""
    known = set(seen)
    scores: dict[str, float] = defaultdict(float)
    reasons: dict[str, list[RecommendationReason]] = defaultdict(list)
    for source in proposals:
        fresh = [one for one in source if one.asset not in known]
        for place, one in enumerate(fresh):
            scores[one.asset] += _WEIGHTS[one.reason.source] * _RANK_OFFSET / (_RANK_OFFSET + place)
            reasons[one.asset].append(one.reason)
    best = sorted(scores, key=lambda asset: (-scores[asset], asset))[:limit]
    return tuple(Recommendation(asset, round(scores[asset], 4), tuple(reasons[asset])) for asset in best)


def _best(found: Iterable[AssetProposal]) -> tuple[AssetProposal, ...]:
    # Rounded, so that the order of a sum of floats does not decide.
    return tuple(sorted(found, key=lambda one: (-round(one.score, 9), one.asset))[:MOST_OF_A_SOURCE])
