"""A million assets in the search index of the catalog: questions and suggestions by tantivy, with all facets, beside
SQLite's FTS5 on the same documents in the same run; then the same questions by the flow that HTTP takes, from a store
that holds the assets, with what the first search after a change pays."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from bench.catalog.flow import FlowMeasurements, measure_flow
from bench.catalog.fts5 import Fts5Catalog
from bench.catalog.generate import CatalogMaker
from bench.catalog.queries import asked_prefixes, asked_queries
from bench.table import aligned
from forge.catalog.search.document import SearchDocument
from forge.stores.tantivy.asset_index import TantivyAssetIndex

TANTIVY, FTS5 = "tantivy", "FTS5"
QUERY_MS, SUGGEST_MS = 20.0, 5.0  # bounds of p95
FLOW_MS, CHANGE_MS = 30.0, 500.0  # the same by the flow, and of the first search after a change
_SUGGESTIONS = 10


@dataclass(frozen=True, slots=True)
class Measurements:
    """Milliseconds of each question and each suggestion, by tool; `kinds` of the questions."""

    assets: int
    kinds: list[str]
    built: dict[str, dict[str, float]]
    asked: dict[str, list[float]]
    typed: dict[str, list[float]]
    flow: FlowMeasurements | None = None


def measure(ask: Callable[[], object]) -> float:
    began = time.perf_counter()
    ask()
    return (time.perf_counter() - began) * 1000


def p(values: Sequence[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def size_of(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def build(folder: Path, name: str, make: Callable[[], object], size: Callable[[], float]) -> dict[str, float]:
    """Seconds and megabytes; of a folder that is kept, those of the first time."""
    kept = folder / f"{name}.json"
    if not kept.is_file():
        took = measure(make) / 1000
        kept.write_text(json.dumps({"seconds": took, "megabytes": size()}))
        note(f"{name}: built in {took:.0f} s, {size():.0f} MB")
    found: dict[str, float] = json.loads(kept.read_text())
    return found


def _samples(assets: int) -> list[SearchDocument]:
    """Documents that are there, to ask for."""
    some = min(assets, 20_000)
    return list(islice(CatalogMaker(assets).documents(), 0, some, max(1, some // 80)))


def run(assets: int, folder: Path, *, with_peer: bool, only_build: bool = False, flow_assets: int = 0) -> Measurements:
    maker = CatalogMaker(assets)
    samples = _samples(assets)
    queries, prefixes = asked_queries(samples, maker.tags, maker.owners), asked_prefixes(samples)
    index = TantivyAssetIndex(folder / "tantivy")
    built = build(folder, "tantivy", lambda: index.rebuild(maker.documents(), 1), lambda: size_of(folder / "tantivy"))
    found = Measurements(assets, [one.kind for one in queries], {TANTIVY: built}, {}, {})
    peer = Fts5Catalog(folder / "fts5.db") if with_peer else None
    if peer is not None:
        file = folder / "fts5.db"
        documents = CatalogMaker(assets).documents()
        found.built[FTS5] = build(folder, "fts5", lambda: peer.build(documents), lambda: file.stat().st_size / 1e6)
    if not only_build:
        index.suggest("a", 1)
        found.asked[TANTIVY] = [measure(partial(index.search, one.query)) for one in queries]
        found.typed[TANTIVY] = [measure(partial(index.suggest, prefix, _SUGGESTIONS)) for prefix in prefixes]
        if peer is not None:
            found.asked[FTS5] = [measure(partial(peer.search, one.query)) for one in queries]
            found.typed[FTS5] = [measure(partial(peer.suggest, prefix, _SUGGESTIONS)) for prefix in prefixes]
    index.close()
    if peer is not None:
        peer.close()
    if flow_assets and not only_build:
        there = _samples(flow_assets)
        asked = asked_queries(there, maker.tags, maker.owners)
        return replace(found, flow=measure_flow(flow_assets, folder / "flow", asked))
    return found


def shown(found: Measurements) -> str:
    rows = [["", "questions", "tantivy p50", "p95", "worst", "FTS5 p50", "p95", "p95 ratio"]]
    for kind in (*dict.fromkeys(found.kinds), None):
        times = {
            tool: [ms for one, ms in zip(found.kinds, asked, strict=True) if kind in (one, None)]
            for tool, asked in found.asked.items()
        }
        rows.append(_row(kind or "all questions", times))
    rows.append(_row("suggestions", found.typed))
    sizes = "; ".join(f"{tool}: {one['seconds']:.0f} s, {one['megabytes']:.0f} MB" for tool, one in found.built.items())
    told = f"{found.assets:,} assets. {sizes}. Milliseconds, one process, all seven facets with each question."
    return f"{aligned(rows, range(1, 8))}\n\n{told}{_flow_shown(found.flow) if found.flow else ''}"


def _flow_shown(flow: FlowMeasurements) -> str:
    rows = [["by the flow", "searches", "p50", "p95", "worst"]]
    for name, times in (("questions", flow.asked), ("after an edit", flow.edited), ("after use", flow.used)):
        told = (statistics.median(times), p(times, 95), max(times))
        rows.append([name, str(len(times)), *(f"{one:.1f}" for one in told)])
    built = f"written in {flow.stored:.0f} s, indexed from it in {flow.indexed:.0f} s"
    return f"\n\n{aligned(rows, range(1, 5))}\n\n{flow.assets:,} assets in the store: {built}."


def _row(name: str, times: Mapping[str, Sequence[float]]) -> list[str]:
    own, peer = times[TANTIVY], times.get(FTS5, ())
    row = [name, str(len(own)), f"{statistics.median(own):.1f}", f"{p(own, 95):.1f}", f"{max(own):.1f}"]
    if not peer:
        return [*row, "", "", ""]
    return [*row, f"{statistics.median(peer):.1f}", f"{p(peer, 95):.1f}", f"{p(peer, 95) / p(own, 95):.1f}"]


def missed(found: Measurements) -> list[str]:
    asked, typed = p(found.asked[TANTIVY], 95), p(found.typed[TANTIVY], 95)
    told = []
    if asked > QUERY_MS:
        told.append(f"p95 of questions is {asked:.1f} ms, {QUERY_MS:g} is the bound")
    if typed > SUGGEST_MS:
        told.append(f"p95 of suggestions is {typed:.1f} ms, {SUGGEST_MS:g} is the bound")
    if found.flow is not None:
        told += _missed_by_flow(found.flow)
    return told


def _missed_by_flow(flow: FlowMeasurements) -> list[str]:
    limits = {"questions by the flow": (flow.asked, FLOW_MS), "the search after an edit": (flow.edited, CHANGE_MS)}
    limits["the search after use"] = (flow.used, CHANGE_MS)
    return [
        f"p95 of {name} is {p(times, 95):.1f} ms, {limit:g} is the bound"
        for name, (times, limit) in limits.items()
        if p(times, 95) > limit
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--assets", type=int, default=1_000_000)
    parser.add_argument(
        "--flow-assets", type=int, help="in the store of the leg by the flow; default: as many; 0 leaves it out"
    )
    parser.add_argument("--without-peer", action="store_true", help="leave FTS5 out")
    parser.add_argument("--folder", type=Path, help="where the indices are built, or were built before")
    parser.add_argument("--only-build", action="store_true", help="build the indices in --folder, and ask nothing")
    parser.add_argument("--limits", action="store_true", help="fail on a missed bound")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="forge-bench-catalog-"))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        found = run(
            given.assets,
            folder,
            with_peer=not given.without_peer,
            only_build=given.only_build,
            flow_assets=given.assets if given.flow_assets is None else given.flow_assets,
        )
    finally:
        if given.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    if given.only_build:
        return
    print(json.dumps(asdict(found)) if given.json else shown(found))
    bad = missed(found)
    for line in bad:
        print(line, file=sys.stderr)
    if given.limits and bad:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
