"""Lineage that people declare in YAML files, with an author and a reason.

```yaml
author: ada@example.com
reason: The job of the billing team is not in this repository.
nodes:
  - {id: "dashboard:revenue", attributes: {url: "https://example.com/revenue"}}
edges:
  - {source: core.orders.amount, target: "billing:db.public.invoices.total", transformation: aggregation}
```
Author and reason may stand at the top, at an edge, or both; the edge's own counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.manual_name import entity_of_text, is_named
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.kind import RELATIONSHIP_OF, EdgeKind, EdgeRelationship, EdgeType, relationship_of
from forge.lineage.node import UNPREFIXED, Entity, NodeType
from forge.model.errors import ForgeError, raise_errors
from forge.model.name_suggestions import did_you_mean
from forge.model.word_list import words
from forge.model.yaml_file import YamlFile, load_yaml

DECLARED = "declared:"  # the producer of what a file declares begins so
EXTRACTOR = "declared"

_TOP = ("author", "reason", "nodes", "edges")
_NODE = ("id", "type", "table", "attributes")
_EDGE = words("source target type relationship transformation expression masking confidence indirect author reason")
_ALIASES = {"direct": Transformation.IDENTITY, "expression": Transformation.TRANSFORMATION}

_Word = TypeVar("_Word", bound=StrEnum)
Path = tuple[str | int, ...]
Find = Callable[[str], Entity | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredEdge:
    source: str
    target: str
    line: int
    type: EdgeType = EdgeType.DERIVES_FROM
    relationship: EdgeRelationship | None = None
    transformation: Transformation = Transformation.UNKNOWN
    expression: str = ""
    masking: bool = False
    confidence: float | None = None
    indirect: IndirectType | None = None
    author: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LineageDeclaration:
    """The declarations of one file."""

    file: str
    edges: tuple[DeclaredEdge, ...] = ()
    nodes: tuple[NodeClaim, ...] = ()
    author: str = ""


def read_declared(text: str, file: str) -> LineageDeclaration:
    """E820 with file and line of each fault, all at once."""
    try:
        document = load_yaml(text, file)
    except ForgeError as error:
        raise ForgeError("E820", error.what, where=error.where, why=error.why, fix=error.fix) from error
    reader = _Reader(document)
    declared = reader.read()
    raise_errors(reader.errors)
    return declared


def claims_of_declared(
    declared: LineageDeclaration, find: Find = lambda name: None
) -> tuple[tuple[EdgeClaim, ...], tuple[NodeClaim, ...]]:
    """`find` resolves a name in the graph. A name unknown to it and to the file is interpreted by its parts."""
    own = {node.entity.id: node.entity for node in declared.nodes}

    def end(name: str) -> Entity:
        return own.get(name) or find(name) or entity_of_text(name)

    return tuple(
        _claim(edge, end(edge.source), end(edge.target), declared.file) for edge in declared.edges
    ), declared.nodes


def _claim(edge: DeclaredEdge, source: Entity, target: Entity, file: str) -> EdgeClaim:
    usual = (
        RELATIONSHIP_OF[edge.indirect] if edge.indirect else relationship_of(edge.transformation, masking=edge.masking)
    )
    relationship = (edge.relationship or usual) if edge.type is EdgeType.DERIVES_FROM else None
    return EdgeClaim(
        source=source,
        target=target,
        kind=EdgeKind(edge.type, relationship, edge.indirect),
        transformation=edge.transformation,
        expression=edge.expression,
        masking=edge.masking,
        confidence=edge.confidence,
        evidence=(Evidence(basis=Basis.DECLARED, extractor=EXTRACTOR, file=file, line=edge.line),),
        metadata={"author": edge.author, "reason": edge.reason},
    )


@dataclass(slots=True)
class _Reader:
    document: YamlFile
    errors: list[ForgeError] = field(default_factory=list)

    def read(self) -> LineageDeclaration:
        top = self._mapping(self.document.data, (), _TOP)
        author, reason = (self._text(top, key, ()) for key in ("author", "reason"))
        nodes = tuple(
            node for number, item in self._items(top, "nodes") if (node := self._node(item, ("nodes", number)))
        )
        edges = []
        for number, item in self._items(top, "edges"):
            edge = self._edge(item, ("edges", number), author, reason)
            if edge is not None:
                edges.append(edge)
        if not self.errors and not edges and not nodes:
            self._fault((), "The file declares neither edges nor nodes", "Begin with edges:")
        return LineageDeclaration(self.document.file, tuple(edges), nodes, author)

    def _node(self, item: object, path: Path) -> NodeClaim | None:
        given = self._mapping(item, path, _NODE)
        name, table = self._text(given, "id", path, needed=True), self._text(given, "table", path)
        type_ = self._word(given, "type", path, NodeType)
        details = given.get("attributes") or {}
        if not isinstance(details, Mapping) or not all(isinstance(key, str) for key in details):
            self._fault((*path, "attributes"), "Attributes are a mapping of names to values")
            return None
        if not name:
            return None
        return NodeClaim(_declared_entity(name, type_, table), dict(details))

    def _edge(self, item: object, path: Path, author: str, reason: str) -> DeclaredEdge | None:
        before = len(self.errors)
        given = self._mapping(item, path, _EDGE)
        source, target = (self._end(given, key, path) for key in ("source", "target"))
        who, why = self._text(given, "author", path) or author, self._text(given, "reason", path) or reason
        for key, value in (("author", who), ("reason", why)):
            if not value and given:
                self._fault(path, f"The edge has no {key}", f"Give the file or the edge one: {key}: …")
        type_ = self._word(given, "type", path, EdgeType) or EdgeType.DERIVES_FROM
        edge = DeclaredEdge(
            source=source,
            target=target,
            line=self.document.line_of(*path),
            type=type_,
            relationship=self._word(given, "relationship", path, EdgeRelationship),
            transformation=self._transformation(given, path),
            expression=self._text(given, "expression", path),
            masking=self._switch(given, "masking", path),
            confidence=self._fraction(given, "confidence", path),
            indirect=self._word(given, "indirect", path, IndirectType),
            author=who,
            reason=why,
        )
        if type_ is not EdgeType.DERIVES_FROM and (edge.relationship or edge.indirect):
            self._fault(path, f"Only derives_from has a relationship or is indirect, not {type_}")
        return edge if len(self.errors) == before else None

    def _end(self, given: Mapping[str, object], key: str, path: Path) -> str:
        name = self._text(given, key, path, needed=True)
        if name and not is_named(name):
            self._fault((*path, key), f"'{name}' is not the name of anything", "Write it like core.orders.amount")
        return name

    def _transformation(self, given: Mapping[str, object], path: Path) -> Transformation:
        word = given.get("transformation")
        if isinstance(word, str) and word in _ALIASES:
            return _ALIASES[word]
        return self._word(given, "transformation", path, Transformation) or Transformation.UNKNOWN

    def _mapping(self, value: object, path: Path, keys: Iterable[str]) -> Mapping[str, object]:
        if not isinstance(value, Mapping):
            what = (
                "An edge or node is a mapping of keys to values" if path else "The file is no mapping of keys to values"
            )
            self._fault(path, what, None if path else "Begin with edges:")
            return {}
        known = tuple(keys)
        for key in value:
            if key not in known:
                near = did_you_mean(str(key), known)
                self._fault(
                    (*path, str(key)), f"There is no key '{key}' here", near or f"There are: {', '.join(known)}."
                )
        return value

    def _items(self, given: Mapping[str, object], key: str) -> Iterable[tuple[int, object]]:
        value = given.get(key)
        if value is not None and not isinstance(value, list):
            self._fault((key,), f"{key} is no list", "Begin each with -")
            return ()
        return enumerate(value or ())

    def _text(self, given: Mapping[str, object], key: str, path: Path, *, needed: bool = False) -> str:
        value = given.get(key)
        if value is None:
            if needed and given:
                self._fault(path, f"{key} is missing")
            return ""
        if not isinstance(value, str) or not value.strip():
            self._fault((*path, key), f"{key} is no text")
            return ""
        return value.strip()

    def _switch(self, given: Mapping[str, object], key: str, path: Path) -> bool:
        value = given.get(key)
        if value is not None and not isinstance(value, bool):
            self._fault((*path, key), f"{key} is true or false")
        return value is True

    def _fraction(self, given: Mapping[str, object], key: str, path: Path) -> float | None:
        value = given.get(key)
        if value is None:
            return None
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not (math.isfinite(float(str(value))) and 0 <= float(str(value)) <= 1):
            self._fault((*path, key), f"{key} is a number from 0 to 1")
            return None
        return float(str(value))

    def _word(self, given: Mapping[str, object], key: str, path: Path, words: type[_Word]) -> _Word | None:
        value = given.get(key)
        if value is None:
            return None
        found = next((word for word in words if value == word.value), None)
        if found is None:
            known = [str(word.value) for word in words]
            near = did_you_mean(str(value), known) or f"There are: {', '.join(known)}."
            self._fault((*path, key), f"'{value}' is no {key}", near)
        return found

    def _fault(self, path: Path, what: str, fix: str | None = None) -> None:
        self.errors.append(ForgeError("E820", what, where=self.document.where(*path), fix=fix))


def _declared_entity(name: str, type_: NodeType | None, table: str) -> Entity:
    if type_ is None:
        return entity_of_text(name)
    if type_ in (NodeType.COLUMN, NodeType.FIELD):
        owner = table or name.rpartition(".")[0]
        return Entity(type_, name.removeprefix(f"{owner}."), owner)
    return Entity(type_, name if type_ in UNPREFIXED else name.removeprefix(f"{type_}:"))
