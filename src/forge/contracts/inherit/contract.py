"""Effective contracts (enterprise → domain → product): omitted terms are inherited, restated terms may only be
stricter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from forge.contracts.contract import Contract, FilePlace, Violation
from forge.contracts.document.file import Document, Path, path_text
from forge.contracts.inherit.column import merge_named
from forge.contracts.inherit.sla import merge_slas, with_elements
from forge.contracts.inherit.table import merge_schema, shared_tables, without_places
from forge.contracts.inherit.translate import translated
from forge.contracts.inherit.unknown_keys import drop_unknown_keys
from forge.contracts.load import load_contract
from forge.contracts.pattern.inclusion import pattern_budget
from forge.contracts.tree import ContractSource, InheritanceFindings, TreeNode, data_of, node_at, tree_of, walk

MODES = ("strict", "permissive")

# Identity, location and lifecycle of a contract are not inherited.
_OWN = (
    *("apiVersion", "kind", "id", "name", "version", "status", "dataProduct", "contractCreatedTs", "servers"),
    "slaDefaultElement",
)
_OWN_PROPERTIES = ("forge.extends", "forge.deprecation")
_NAMED = {
    "tags": "",
    "customProperties": "property",
    "authoritativeDefinitions": "url",
    "support": "channel",
    "roles": "role",
}


@dataclass(frozen=True, slots=True)
class EffectiveContract:
    """A contract with all inherited terms. `origins` maps paths of the document to the contract they come from (its id;
    its file where ids repeat)."""

    document: Document
    origins: Mapping[str, str]
    violations: tuple[Violation, ...] = ()


@pattern_budget()
def effective_of(
    chain: Sequence[Contract | str],
    mode: str = "strict",
    *,
    sets: Collection[str] = (),
    judge_all: bool = True,
) -> EffectiveContract:
    """The chain is outermost first, the contract itself last; texts are parsed. In permissive mode E510 is a warning.
    `sets`: files of contracts that apply to a whole level. Their tables count only where the child has them, and they
    are not judged among themselves. `judge_all`: also report where a parent weakens its own parent."""
    if mode not in MODES:
        raise ValueError(f"the mode is {' or '.join(MODES)}, not {mode}")
    contracts = [
        load_contract(each, f"contract {at}") if isinstance(each, str) else each for at, each in enumerate(chain, 1)
    ]
    sources = _sources(contracts)
    own = sources[-1]
    if len(sources) == 1:
        return EffectiveContract(own.document, _Origins(tree_of(own)))
    findings, unheard = InheritanceFindings(severity="error" if mode == "strict" else "warning"), InheritanceFindings()
    trees = _cut([with_elements(translated(tree_of(source))) for source in sources], contracts, sets)
    root = trees[0]
    for contract, tree in zip(contracts[1:], trees[1:], strict=True):
        is_judged = contract is contracts[-1] or (judge_all and contract.file not in sets)
        root = _merged(root, tree, findings if is_judged else unheard)
    root = drop_unknown_keys(root, own)
    return EffectiveContract(_document(root, own), _Origins(root), tuple(findings.found))


def _sources(contracts: Sequence[Contract]) -> list[ContractSource]:
    if not contracts:
        raise ValueError("a chain has at least the contract itself")
    ids = [contract.id for contract in contracts]
    target = contracts[-1].api_version
    found = []
    for contract in contracts:
        if contract.document is None:
            raise ValueError(f"the contract {contract.id} was not read from a document")
        is_clear = bool(contract.id) and ids.count(contract.id) == 1
        name = contract.id if is_clear else contract.file
        found.append(ContractSource(name, contract.document, contract.api_version, target))
    return found


def _cut(trees: list[TreeNode], contracts: Sequence[Contract], sets: Collection[str]) -> list[TreeNode]:
    """The contracts of a level without tables that no contract below has."""
    below = [tree for tree, contract in zip(trees, contracts, strict=True) if contract.file not in sets]
    return [
        shared_tables(tree, below) if contract.file in sets and tree is not trees[-1] else tree
        for tree, contract in zip(trees, contracts, strict=True)
    ]


def _merged(parent: TreeNode, child: TreeNode, findings: InheritanceFindings) -> TreeNode:
    changes: dict[str, TreeNode | None] = {}
    for key, part in _inheritable(parent).parts.items():
        own = child.get(key)
        if own is None:
            changes[key] = part
        elif key in _NAMED:
            changes[key] = merge_named(part, own, _NAMED[key])
        elif key == "description" and isinstance(part.value, dict) and isinstance(own.value, dict):
            changes[key] = own.with_({k: v for k, v in part.parts.items() if k not in own.parts})
    schema = merge_schema(parent.get("schema"), child.get("schema"), findings)
    changes["schema"] = schema
    tables = schema.value if schema and isinstance(schema.value, list) else []
    changes["slaProperties"] = merge_slas(parent, child, tables, findings)
    return child.with_(changes)


def _inheritable(parent: TreeNode) -> TreeNode:
    custom = [
        each
        for each in without_places(parent).items("customProperties")
        if each.text("property") not in _OWN_PROPERTIES
    ]
    listed = parent.listing("customProperties", custom) if custom else None
    return parent.with_({**dict.fromkeys(_OWN), "customProperties": listed})


def _document(root: TreeNode, own: ContractSource) -> Document:
    data = data_of(root)
    return Document(
        data if isinstance(data, dict) else {},
        own.document.file,
        lambda path: node_at(root, path).place,
        lambda path: _value_place(root, path),
    )


def _value_place(root: TreeNode, path: Path) -> FilePlace:
    node = node_at(root, path)
    return node.source.document.value_place_of(node.path)


class _Origins(Mapping[str, str]):
    """Computed on first use: most contracts are compiled without it."""

    def __init__(self, root: TreeNode) -> None:
        self._root = root

    @cached_property
    def _names(self) -> dict[str, str]:
        return {path_text(path): node.source.name for path, node in walk(self._root)}

    def __getitem__(self, path: str) -> str:
        return self._names[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
