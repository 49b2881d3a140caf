"""Which classification holds for assets: what people set, what their personal data asks for, and what they derive
from along lineage, unless it arrives masked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from forge.catalog.classification import EffectiveClassification, InheritedLevel, classify
from forge.flows.catalog.asset_store import AssetStore
from forge.flows.catalog.personal_data import carries_values
from forge.lineage.edge import Edge
from forge.model.classification import ClassificationLevel, strictest


@dataclass(frozen=True, slots=True)
class ClassificationFlow:
    """Which assets get values of which; `masked`: only hashed, masked or counted ones."""

    masked: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)  # target → source → masked
    targets: Mapping[str, frozenset[str]] = field(default_factory=dict)  # source → where its values arrive unmasked

    @classmethod
    def of(cls, edges: Iterable[Edge]) -> ClassificationFlow:
        masked: dict[str, dict[str, bool]] = defaultdict(dict)
        for edge in edges:
            source, target = edge.source.table, edge.target.table
            if source != target:
                masked[target][source] = masked[target].get(source, True) and not carries_values(edge)
        targets: dict[str, set[str]] = defaultdict(set)
        for target, sources in masked.items():
            for source, is_masked in sources.items():
                if not is_masked:
                    targets[source].add(target)
        return cls(dict(masked), {source: frozenset(found) for source, found in targets.items()})

    def above(self, names: Iterable[str]) -> frozenset[str]:
        """These, and all that their values come from."""
        return _reached(names, lambda name: (one for one, masked in self.masked.get(name, {}).items() if not masked))

    def below(self, names: Iterable[str]) -> frozenset[str]:
        """These, and all that their values arrive in."""
        return _reached(names, lambda name: self.targets.get(name, ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassificationPorts:
    """`column_level`: the strictest that the columns of each asset ask for, by their personal data."""

    assets: AssetStore
    flow: Callable[[], ClassificationFlow]
    column_level: Callable[[Collection[str]], Mapping[str, ClassificationLevel]]


def find_classifications(names: Collection[str], ports: ClassificationPorts) -> dict[str, EffectiveClassification]:
    """Of each of these. Personal data of columns is followed along lineage by the findings themselves."""
    flow = ports.flow()
    above = flow.above(names)
    declared = {
        name: asset.documentation.classification
        for name, asset in ports.assets.assets_named(sorted(above)).items()
        if asset.documentation.classification is not None
    }
    carried = _carried(declared, flow, above)
    columns = ports.column_level(names)
    return {
        name: classify(
            declared.get(name),
            [columns.get(name)],
            [
                InheritedLevel(carried[source], masked)
                for source, masked in flow.masked.get(name, {}).items()
                if source in carried
            ],
        )
        for name in names
    }


def _carried(
    declared: Mapping[str, ClassificationLevel], flow: ClassificationFlow, among: frozenset[str]
) -> dict[str, ClassificationLevel]:
    """What people set, carried to all that derives from it. Public is no floor: nothing is public for it."""
    found: dict[str, ClassificationLevel] = {}
    for name, level in declared.items():
        if level is not ClassificationLevel.PUBLIC:
            for target in flow.below([name]) & among:
                found[target] = strictest((found.get(target), level)) or level
    return found


def _reached(names: Iterable[str], following: Callable[[str], Iterable[str]]) -> frozenset[str]:
    seen = set(names)
    todo = list(seen)
    while todo:
        new = [name for name in following(todo.pop()) if name not in seen]
        seen.update(new)
        todo += new
    return frozenset(seen)
