"""Drops inherited keys that the child's version of the standard does not have."""

from __future__ import annotations

from forge.contracts.document.file import Path
from forge.contracts.linter.standard_schema import GRAMMARS, is_valid, misfits
from forge.contracts.tree import ContractSource, TreeNode, data_of, node_at

_ROUNDS = 12


def drop_unknown_keys(root: TreeNode, own: ContractSource) -> TreeNode:
    """The child's own keys are kept: the linter judges them."""
    if own.target not in GRAMMARS:
        return root
    for _ in range(_ROUNDS):
        data = data_of(root)
        if is_valid(own.target, data):
            return root
        gone = {path for path in misfits(own.target, data) if node_at(root, path).source is not own}
        if not gone:
            return root
        root = _without(root, gone, ())
    return root


def _without(node: TreeNode, gone: set[Path], at: Path) -> TreeNode:
    if isinstance(node.value, dict):
        kept = {k: _without(v, gone, (*at, k)) for k, v in node.value.items() if (*at, k) not in gone}
        return TreeNode(node.source, node.path, kept)
    if isinstance(node.value, list):
        items = [_without(v, gone, (*at, i)) for i, v in enumerate(node.value) if (*at, i) not in gone]
        return TreeNode(node.source, node.path, items)
    return node
