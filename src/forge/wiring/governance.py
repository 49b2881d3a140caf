"""The `governance:` of the settings in the form of the flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from forge.contracts.policy.governance import (
    CoveragePolicy,
    DocumentationPolicy,
    Enforcement,
    FactCondition,
    Governance,
    NamingPolicy,
    PlatformLevel,
    PolicyRule,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from forge.settings import Settings
    from forge.settings.governance_keys import (
        ConditionKeys,
        CoverageKeys,
        DocumentationKeys,
        NamingKeys,
        RuleKeys,
    )

T = TypeVar("T")


def governance_of(settings: Settings) -> Governance:
    """Lists of all levels add up, and each level's policies are kept besides those of the levels below it: what a
    platform file requires holds whatever the project says."""
    whole = [level.whole for level in settings.levels] or [settings.governance]
    contracts = whole[-1].contracts
    drift = contracts.drift
    is_set = "enforcement" in contracts.model_fields_set
    return Governance(
        enforcement=Enforcement(contracts.enforcement) if is_set else None,
        drift_enabled=drift.enabled,
        drift_enforcement=Enforcement(drift.enforcement) if drift.enforcement else None,
        inheritance=contracts.inheritance,
        auto_generation=contracts.auto_generation,
        required_for=_distinct(pattern for each in whole for pattern in each.contracts.required_for),
        naming=_distinct(_naming(each.naming) for each in whole if each.naming),
        coverage=_distinct(_coverage(each.coverage) for each in whole if each.coverage),
        documentation=_distinct(_documentation(each.documentation) for each in whole if each.documentation),
        custom=_distinct(_rule(rule) for each in whole for rule in each.custom),
        levels=_levels(settings),
    )


def _levels(settings: Settings) -> tuple[PlatformLevel, ...]:
    """Files that the project extends; the project itself where it names parent contracts."""
    levels = [PlatformLevel(level.name, level.folder, tuple(level.own.contracts.set)) for level in settings.levels]
    return tuple(levels if levels and levels[-1].set else levels[:-1])


def _naming(keys: NamingKeys) -> NamingPolicy:
    return NamingPolicy(keys.schemas, keys.tables, keys.columns, keys.by_table, tuple(keys.only), keys.severity)


def _coverage(keys: CoverageKeys) -> CoveragePolicy:
    return CoveragePolicy(keys.min_checks, keys.unique_key, keys.min_percentage, tuple(keys.only), keys.severity)


def _documentation(keys: DocumentationKeys) -> DocumentationPolicy:
    return DocumentationPolicy(
        keys.tables, keys.columns, keys.owner, keys.min_percentage, tuple(keys.only), keys.severity
    )


def _rule(keys: RuleKeys) -> PolicyRule:
    return PolicyRule(
        name=keys.name,
        message=keys.message,
        fix=keys.fix,
        each=keys.each,
        only=tuple(keys.only),
        when=_conditions(keys.when),
        require=_conditions(keys.require),
        forbid=_conditions(keys.forbid),
        severity=keys.severity,
    )


def _conditions(keys: Mapping[str, ConditionKeys]) -> dict[str, FactCondition]:
    return {fact: _condition(condition) for fact, condition in keys.items()}


def _condition(keys: ConditionKeys) -> FactCondition:
    declared = keys.model_fields_set
    return FactCondition(
        matches=keys.matches,
        equals=(keys.equals,) if "equals" in declared else (),
        one_of=tuple(keys.one_of),
        contains=(keys.contains,) if "contains" in declared else (),
        min=keys.min,
        max=keys.max,
        exists=keys.exists,
    )


def _distinct(found: Iterable[T]) -> tuple[T, ...]:
    """In order, each once; some hold mappings, which have no hash."""
    kept: list[T] = []
    for each in found:
        if each not in kept:
            kept.append(each)
    return tuple(kept)
