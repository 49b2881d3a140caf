"""A contract as a tree whose every part knows the contract and the line it comes from, also after merging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from forge.contracts.contract import WEAKER_THAN_PARENT, Place, Violation, ViolationSeverity
from forge.contracts.document.file import Document, Path, path_text

_DEPTH = 200  # deeper than any contract; aliases of YAML may form a circle

_TAKEN_APART = object()

Value = object  # a text, number, boolean or None; list[Node]; dict[str, Node]


@dataclass(frozen=True, slots=True)
class Source:
    """A contract of the chain and the name that says so."""

    name: str
    document: Document
    api_version: str  # its own
    target: str  # of the effective contract


class Node:
    """A part of a contract. Made from plain data, it is taken apart when somebody looks inside: most of a contract is
    merged as a whole."""

    __slots__ = ("_plain", "_value", "path", "source")

    def __init__(self, source: Source, path: Path, value: Value) -> None:
        self.source = source
        self.path = path
        self._plain: object = _TAKEN_APART
        self._value = value

    @classmethod
    def of(cls, source: Source, path: Path, plain: object) -> Node:
        """A part as a file says it."""
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
        """What the part says, as plain data."""
        if self._plain is not _TAKEN_APART:
            return self._plain
        if isinstance(self._value, dict):
            return {key: child.data for key, child in self._value.items()}
        return [item.data for item in self._value] if isinstance(self._value, list) else self._value

    @property
    def place(self) -> Place:
        return self.source.document.place_of(self.path)

    @property
    def where(self) -> str:
        """`enterprise.odcs.yaml:12`, as messages name it."""
        return str(self.place)

    def get(self, key: str) -> Node | None:
        """The part under a key; None where nothing is said. An empty key (`required:`) says nothing."""
        value = self.value
        found = value.get(key) if isinstance(value, dict) else None
        return found if found is not None and found.value is not None else None

    def word(self, key: str) -> Node | None:
        """The part under a key that has to be a text or a number; one of another form says nothing."""
        found = self.get(key)
        return None if found is None or isinstance(found.value, list | dict) else found

    def text(self, key: str) -> str:
        """The text under a key, without spaces around it; empty where there is none."""
        found = self.word(key)
        return str(found.value).strip() if found else ""

    def plain(self, key: str) -> object:
        """What the file says under a key; None where nothing is said."""
        found = self.get(key)
        return data_of(found) if found else None

    def items(self, key: str) -> tuple[Node, ...]:
        """The mappings of the list under a key."""
        found = self.get(key)
        values = found.value if found and isinstance(found.value, list) else []
        return tuple(item for item in values if isinstance(item, Node) and isinstance(item.value, dict))

    @property
    def parts(self) -> dict[str, Node]:
        """What a mapping says, by key."""
        found = self.value if isinstance(self.value, dict) else {}
        return {key: node for key, node in found.items() if node.value is not None}

    def with_(self, changes: Mapping[str, Node | None]) -> Node:
        """The same mapping with some keys set, or left out where the change is None."""
        old = self.value if isinstance(self.value, dict) else {}
        merged = {**old, **changes}
        return Node(self.source, self.path, {key: node for key, node in merged.items() if node is not None})

    def listing(self, key: str, items: tuple[Node, ...] | list[Node]) -> Node:
        """A list to stand under a key of this mapping."""
        return Node(self.source, (*self.path, key), list(items))

    def said(self, key: str, value: object) -> Node:
        """A value to stand under a key, as if it were written there."""
        return Node(self.source, (*self.path, key), value)


def tree_of(source: Source) -> Node:
    return Node.of(source, (), source.document.data)


def _children(source: Source, path: Path, plain: object) -> Value:
    if len(path) > _DEPTH:
        return None
    if isinstance(plain, Mapping):
        return {str(key): Node.of(source, (*path, str(key)), value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [Node.of(source, (*path, index), item) for index, item in enumerate(plain)]
    return plain


def placed(at: Node, data: object) -> Node:
    """Data that stands for something written otherwise: all of it has the place of `at`."""
    if isinstance(data, Node):
        return data
    if isinstance(data, Mapping):
        return Node(at.source, at.path, {str(key): placed(at, value) for key, value in data.items()})
    return Node(at.source, at.path, [placed(at, item) for item in data] if isinstance(data, list) else data)


def data_of(node: Node) -> object:
    """What the tree says, as plain data."""
    return node.data


def node_at(root: Node, path: Path) -> Node:
    """The part at a path of the merged tree, or the nearest part around it."""
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


def walk(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """All parts with their paths in the merged tree, the root left out."""
    if path:
        yield path, node
    if isinstance(node.value, dict):
        for key, child in node.value.items():
            yield from walk(child, (*path, key))
    elif isinstance(node.value, list):
        for index, item in enumerate(node.value):
            yield from walk(item, (*path, index))


@dataclass(slots=True)
class Findings:
    """What a child says against its parents, in the order found."""

    severity: ViolationSeverity = "error"
    found: list[Violation] = field(default_factory=list)

    def weaker(self, at: Node, message: str, parent: Node, fix: str) -> None:
        """E510: the child takes back or loosens what the parent, at its place, promises."""
        self._add(WEAKER_THAN_PARENT, self.severity, at, f"{message} ({parent.where})", fix)

    def unclear(self, at: Node, message: str, parent: Node, fix: str) -> None:
        """Nobody can tell whether it is weaker: a warning without a code, which stops nothing."""
        self._add("", "warning", at, f"{message} ({parent.where})", fix)

    def _add(self, code: str, severity: ViolationSeverity, at: Node, message: str, fix: str) -> None:
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
