"""A contract as a tree whose nodes keep their source contract and line, also after merging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from forge.contracts.contract import WEAKER_THAN_PARENT, FilePlace, Violation, ViolationSeverity
from forge.contracts.document.file import Document, Path, path_text

_DEPTH = 200  # deeper than any contract; aliases of YAML may form a circle

_TAKEN_APART = object()

Value = object  # a text, number, boolean or None; list[Node]; dict[str, Node]


@dataclass(frozen=True, slots=True)
class ContractSource:
    """A contract of the chain, and its name in messages."""

    name: str
    document: Document
    api_version: str  # its own
    target: str  # of the effective contract


class TreeNode:
    """A part of a contract. Made from plain data, it is expanded on access: most of a contract is merged as a whole."""

    __slots__ = ("_plain", "_value", "path", "source")

    def __init__(self, source: ContractSource, path: Path, value: Value) -> None:
        self.source = source
        self.path = path
        self._plain: object = _TAKEN_APART
        self._value = value

    @classmethod
    def of(cls, source: ContractSource, path: Path, plain: object) -> TreeNode:
        """A part as in a file."""
        node = cls(source, path, None)
        node._plain = plain
        return node

    @property
    def value(self) -> Value:
        if self._plain is not _TAKEN_APART:
            self._value = _children(self.source, self.path, self._plain)
            self._plain = _TAKEN_APART
        return self._value

    @property
    def data(self) -> object:
        """The part as plain data."""
        if self._plain is not _TAKEN_APART:
            return self._plain
        if isinstance(self._value, dict):
            return {key: child.data for key, child in self._value.items()}
        return [item.data for item in self._value] if isinstance(self._value, list) else self._value

    @property
    def place(self) -> FilePlace:
        return self.source.document.place_of(self.path)

    @property
    def where(self) -> str:
        """`enterprise.odcs.yaml:12`, as in messages."""
        return str(self.place)

    def get(self, key: str) -> TreeNode | None:
        """The part under a key; None where it is absent. An empty key (`required:`) counts as absent."""
        value = self.value
        found = value.get(key) if isinstance(value, dict) else None
        return found if found is not None and found.value is not None else None

    def word(self, key: str) -> TreeNode | None:
        """The string or number under a key; None for other types."""
        found = self.get(key)
        return None if found is None or isinstance(found.value, list | dict) else found

    def text(self, key: str) -> str:
        """The stripped string under a key; empty where there is none."""
        found = self.word(key)
        return str(found.value).strip() if found else ""

    def plain(self, key: str) -> object:
        """The plain value under a key; None where it is absent."""
        found = self.get(key)
        return data_of(found) if found else None

    def items(self, key: str) -> tuple[TreeNode, ...]:
        """The mappings of the list under a key."""
        found = self.get(key)
        values = found.value if found and isinstance(found.value, list) else []
        return tuple(item for item in values if isinstance(item, TreeNode) and isinstance(item.value, dict))

    @property
    def parts(self) -> dict[str, TreeNode]:
        """The parts of a mapping, by key."""
        found = self.value if isinstance(self.value, dict) else {}
        return {key: node for key, node in found.items() if node.value is not None}

    def with_(self, changes: Mapping[str, TreeNode | None]) -> TreeNode:
        """The mapping with some keys set, or removed where the change is None."""
        old = self.value if isinstance(self.value, dict) else {}
        merged = {**old, **changes}
        return TreeNode(self.source, self.path, {key: node for key, node in merged.items() if node is not None})

    def listing(self, key: str, items: tuple[TreeNode, ...] | list[TreeNode]) -> TreeNode:
        """A list for a key of this mapping."""
        return TreeNode(self.source, (*self.path, key), list(items))

    def leaf(self, key: str, value: object) -> TreeNode:
        """A value for a key, with this mapping's place."""
        return TreeNode(self.source, (*self.path, key), value)


def tree_of(source: ContractSource) -> TreeNode:
    return TreeNode.of(source, (), source.document.data)


def _children(source: ContractSource, path: Path, plain: object) -> Value:
    if len(path) > _DEPTH:
        return None
    if isinstance(plain, Mapping):
        return {str(key): TreeNode.of(source, (*path, str(key)), value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [TreeNode.of(source, (*path, index), item) for index, item in enumerate(plain)]
    return plain


def placed(at: TreeNode, data: object) -> TreeNode:
    """Data derived from something else: all of it has the place of `at`."""
    if isinstance(data, TreeNode):
        return data
    if isinstance(data, Mapping):
        return TreeNode(at.source, at.path, {str(key): placed(at, value) for key, value in data.items()})
    return TreeNode(at.source, at.path, [placed(at, item) for item in data] if isinstance(data, list) else data)


def data_of(node: TreeNode) -> object:
    """The tree as plain data."""
    return node.data


def node_at(root: TreeNode, path: Path) -> TreeNode:
    """The part at a path of the merged tree, or its nearest ancestor."""
    node = root
    for step in path:
        value = node.value
        if isinstance(value, dict) and step in value:
            node = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            node = value[step]
        else:
            break
    return node


def walk(node: TreeNode, path: Path = ()) -> Iterator[tuple[Path, TreeNode]]:
    """All parts with their paths in the merged tree, without the root."""
    if path:
        yield path, node
    if isinstance(node.value, dict):
        for key, child in node.value.items():
            yield from walk(child, (*path, key))
    elif isinstance(node.value, list):
        for index, item in enumerate(node.value):
            yield from walk(item, (*path, index))


@dataclass(slots=True)
class InheritanceFindings:
    """Violations of a child against its parents, in the order found."""

    severity: ViolationSeverity = "error"
    found: list[Violation] = field(default_factory=list)

    def weaker(self, at: TreeNode, message: str, parent: TreeNode, fix: str) -> None:
        """E510: the child removes or loosens a term of the parent."""
        self._add(WEAKER_THAN_PARENT, self.severity, at, f"{message} ({parent.where})", fix)

    def unclear(self, at: TreeNode, message: str, parent: TreeNode, fix: str) -> None:
        """It is undecidable whether it is weaker: a warning without a code, which blocks nothing."""
        self._add("", "warning", at, f"{message} ({parent.where})", fix)

    def _add(self, code: str, severity: ViolationSeverity, at: TreeNode, message: str, fix: str) -> None:
        place = at.place
        found = Violation(
            code=code,
            severity=severity,
            file=place.file,
            line=place.line,
            column=place.column,
            path=path_text(at.path),
            message=message,
            fix=fix,
        )
        if found not in self.found:
            self.found.append(found)
