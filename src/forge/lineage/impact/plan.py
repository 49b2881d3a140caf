"""The plan for a change: migration steps, actions, and a summary."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from forge.lineage.edge import IndirectType
from forge.lineage.graph.order import dependency_order
from forge.lineage.impact.change import ChangeType, ProposedChange
from forge.lineage.impact.path import DataUse, ImpactPaths, copies_name
from forge.lineage.impact.report import AffectedEntity, OwnerNotice
from forge.lineage.kind import EdgeType
from forge.model.widening import TypeChange

_STEPS = 100  # assets that are named one by one
_SURE = 0.8


@dataclass(frozen=True, slots=True)
class _Plan:
    """`met`: done in each asset where the change arrives. A drop begins at the leaves: nothing may read what is
    removed."""

    first: str
    met: str
    last: str
    far_end_first: bool = False


_PLANS = {
    ChangeType.DROP: _Plan(
        "{table}: mark {name} as deprecated, and keep it until the steps below are done.",
        "{asset}: stop using it in {what}, or give that another source.",
        "{table}: drop {name} when nothing reads it any more (`forge downstream {entity}`).",
        far_end_first=True,
    ),
    ChangeType.DROP_TABLE: _Plan(
        "{entity}: mark the table as deprecated, and keep it until the steps below are done.",
        "{asset}: stop using it in {what}, or give that another source.",
        "{entity}: drop the table when nothing reads it any more (`forge downstream {entity}`).",
        far_end_first=True,
    ),
    ChangeType.RENAME: _Plan(
        "Expand: give {entity} the new name {to} beside the old one, with the same values.",
        "Migrate {asset}: read {to} instead of {name} in {what}.",
        "Contract: take the old name {entity} away when nothing reads it any more.",
    ),
    ChangeType.TYPE: _Plan(
        "{table}: change {name} to {to} on a branch, and check that every value fits.",
        "{asset}: check {what} with {to}, and cast where it needs the old type.",
        "{table}: merge the new type of {name} once all of the above are built with it.",
    ),
    ChangeType.ADD: _Plan(
        "{table}: add {name}.",
        "{asset}: name the columns in its query, or take {name} into its contract.",
        "{table}: fill {name} for the rows that were there before.",
    ),
    ChangeType.LOCATION: _Plan(
        "{entity}: copy the data to {to}, and keep the old place until the steps below are done.",
        "{asset}: read {what} from {to} if it names the place.",
        "{entity}: remove the old place.",
    ),
    ChangeType.PERMISSION: _Plan(
        "{entity}: list who may read it now.",
        "{asset}: see that who runs it may still read {what}.",
        "{entity}: change the permissions.",
    ),
    ChangeType.FORMAT: _Plan(
        "{entity}: write it as {to} beside the old format.",
        "{asset}: read {what} in the new format.",
        "{entity}: stop writing the old format.",
    ),
    ChangeType.SCHEMA: _Plan(
        "{entity}: make the new schema on a branch.",
        "{asset}: check {what} against the new schema.",
        "{entity}: merge the branch once all of the above are built on it.",
    ),
    ChangeType.SEMANTICS: _Plan(
        "{entity}: write down the old and the new meaning, and from when on the new one holds.",
        "{asset}: check whether {what} is still right.",
        "{entity}: make the change, and tell from when on the figures are not comparable.",
    ),
}


def plan_steps(change: ProposedChange, affected: Sequence[AffectedEntity], paths: ImpactPaths) -> tuple[str, ...]:
    """In topological order; reversed where something is removed."""
    if not affected:
        return ()
    plan = _PLANS[change.type]
    by_asset: dict[str, list[AffectedEntity]] = defaultdict(list)
    for one in sorted(affected, key=lambda one: (one.depth, one.node.id)):
        if not (one.link.kind.parallel or one.link.kind.type is EdgeType.EXECUTES):  # reported with its output
            by_asset[one.asset].append(one)
    nodes = (*paths.starts.values(), *(item.node for item in paths.items.values()))
    tables = {node.id: node.table or node.id for node in nodes}
    order = dependency_order(paths.links, lift=lambda name: tables.get(name, name), names=by_asset).names
    assets = [asset for asset in order if asset in by_asset]
    if plan.far_end_first:
        assets.reverse()
    words = {"entity": change.entity, "name": change.name, "to": change.to or "the new one"}
    words["table"] = paths.changed.table or paths.changed.id
    steps = [plan.first.format(**words)]
    steps += [_step(plan, change, asset, by_asset[asset], words) for asset in assets[:_STEPS]]
    if len(assets) > _STEPS:
        steps.append(f"The same in {len(assets) - _STEPS} more assets; `affected` names them.")
    return (*steps, plan.last.format(**words))


def _step(plan: _Plan, change: ProposedChange, asset: str, hit: Sequence[AffectedEntity], words: dict[str, str]) -> str:
    met = [one for one in hit if one.met]
    if not met:
        return f"{asset}: nothing to change; build it again after what it is made from."
    what = ", ".join(dict.fromkeys(_what(one, asset) for one in met[:5]))
    more = f" and {len(met) - 5} more" if len(met) > 5 else ""
    text = plan.met.format(asset=asset, what=what + more, **words)
    if change.type is ChangeType.RENAME and any(copies_name(one.link) for one in met):
        text += f" A copy taken by * changes its name as well; write {change.to} AS {change.name} to keep it."
    return text


_SHAPES = {
    IndirectType.JOIN: "join",
    IndirectType.FILTER: "filter",
    IndirectType.GROUP_BY: "grouping",
    IndirectType.SORT: "order",
    IndirectType.WINDOW: "window",
}


def _what(one: AffectedEntity, asset: str) -> str:
    """`net = SUM(amount)`, `its filter on status`."""
    link = one.link
    if link.kind.indirect is not None:
        return f"its {_SHAPES[link.kind.indirect]} by {link.source}"
    if link.kind.type is EdgeType.CONSUMES:
        return f"what it reads of {link.source}"
    if one.node.column and link.target == one.node.id:
        same = link.expression.strip() in ("", one.node.column)
        return one.node.column if same else f"{one.node.column} = {' '.join(link.expression.split())[:80]}"
    return f"what it takes from {link.source}"


def plan_actions(
    change: ProposedChange,
    affected: Sequence[AffectedEntity],
    owners: Sequence[OwnerNotice],
    risk: str,
    hidden: int,
    truncated: bool,
) -> Iterable[str]:
    if any(one.is_breaking for one in affected):
        branch = re.sub(r"[^a-z0-9]+", "-", f"{change.type} {change.name}".lower()).strip("-")
        yield f"Try it on a branch: forge branch create {branch}, make the change, forge run --branch {branch}."
    if risk in ("high", "critical"):
        yield "Do not make it in one step: follow the migration steps, and merge when the last reader has moved."
    if owners:
        listed = "; ".join(f"{one.owner} ({_list(one.assets)})" for one in owners)
        yield f"Tell the owners before the change: {listed}."
    unowned = dict.fromkeys(one.asset for one in affected if not one.owner)
    if unowned:
        yield f"Name an owner for {_list(tuple(unowned))}: nobody would be told."
    joined = dict.fromkeys(one.asset for one in affected if one.use is DataUse.JOIN_KEY and one.met)
    if joined:
        yield f"Check both sides of the joins in {_list(tuple(joined))}."
    unsure = dict.fromkeys(one.node.id for one in affected if one.confidence < _SURE)
    if unsure:
        yield f"Check by hand: the way to {_list(tuple(unsure))} is not certain."
    if hidden:
        edges = _count(hidden, "edge was", "edges were")
        yield f"{hidden} {edges} not followed, not being sure enough: ask again with a lower least confidence."
    if truncated:
        yield "More is affected than this report holds: mend the nearest first, then ask again."
    if not affected and not hidden:
        yield "Nothing to do: no recorded edge leads on from here."


def _list(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


_VERBS = {
    ChangeType.DROP: "Dropping {entity}",
    ChangeType.DROP_TABLE: "Dropping the table {entity}",
    ChangeType.RENAME: "Renaming {entity} to {to}",
    ChangeType.TYPE: "Changing the type of {entity} to {to}",
    ChangeType.ADD: "Adding {entity}",
    ChangeType.LOCATION: "Moving {entity}",
    ChangeType.PERMISSION: "Changing the permissions of {entity}",
    ChangeType.FORMAT: "Changing the format of {entity}",
    ChangeType.SCHEMA: "Changing the schema of {entity}",
    ChangeType.SEMANTICS: "Changing the meaning of {entity}",
}


def summary_of(
    changes: Sequence[ProposedChange], change: ProposedChange, affected: Sequence[AffectedEntity], risk: str
) -> str:
    subject = _VERBS[change.type].format(entity=change.entity, to=change.to)
    if change.direction in (TypeChange.WIDENING, TypeChange.NARROWING):
        subject += f" (a {change.direction})"
    hits = "hits"
    if len(changes) > 1:
        subject, hits = f"{len(changes)} changes of {change.entity}", "hit"
    if not affected:
        return f"{subject} {hits} nothing that is known."
    broken = sum(one.is_breaking for one in affected)
    assets = len({one.asset for one in affected})
    hours = sum(one.effort_hours for one in affected)
    entities = f"{len(affected)} {_count(len(affected), 'entity', 'entities')}"
    breaks = "breaks" if hits == "hits" else "break"
    return (
        f"{subject} {hits} {entities} in {assets} {_count(assets, 'asset', 'assets')} and {breaks} "
        f"{broken or 'none'} of them. Risk {risk}, about {hours:.1f} hours of work."
    )


def _count(number: int, one: str, many: str) -> str:
    return one if number == 1 else many
