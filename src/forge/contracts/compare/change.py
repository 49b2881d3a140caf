"""A change between two versions of a contract, and how it affects readers of the table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from forge.contracts.contract import FilePlace
from forge.contracts.document.file import Document, Path, path_text
from forge.model.canonical_json import canonical_json


class Bump(StrEnum):
    """The part of the version that must be incremented, least first."""

    NONE = "none"
    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"

    @property
    def rank(self) -> int:
        return list(Bump).index(self)


def highest(bumps: Iterable[Bump]) -> Bump:
    return max(bumps, key=lambda bump: bump.rank, default=Bump.NONE)


class ContractChangeKind(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    TYPE = "type"  # another type, which readers of the old one cannot take
    PROMOTED = "promoted"  # a wider type, which they can
    TIGHTENED = "tightened"
    LOOSENED = "loosened"
    CHANGED = "changed"


_NOWHERE = FilePlace("", 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractChange:
    """`element`: what changed (column, required, sla…), `subject`: its owner (orders.amount). `place` is in the new
    file; of removed elements it is the parent's."""

    kind: ContractChangeKind
    element: str
    subject: str
    bump: Bump
    message: str
    old: object = None
    new: object = None
    path: str = ""
    place: FilePlace = _NOWHERE
    fix: str = ""
    table: str = ""  # the table of the old contract that it concerns, by its name there; empty: all of them
    column: str = ""  # and the column, as the table calls it; empty: the whole table

    @property
    def is_breaking(self) -> bool:
        return self.bump is Bump.MAJOR

    def to_dict(self) -> dict[str, object]:
        return {
            "kind": self.kind.value,
            "element": self.element,
            "subject": self.subject,
            "bump": self.bump.value,
            "breaking": self.is_breaking,
            "message": self.message,
            "old": self.old,
            "new": self.new,
            "path": self.path,
            "file": self.place.file,
            "line": self.place.line,
            "column": self.place.column,
        }


@dataclass(frozen=True, slots=True)
class ContractPart:
    """A mapping of a contract with its place. Malformed values read as absent; `lint` reports them."""

    document: Document
    at: Path
    data: Mapping[str, object]

    @classmethod
    def root(cls, document: Document) -> ContractPart:
        return cls(document, (), document.data)

    @property
    def path(self) -> str:
        return path_text(self.at)

    def place(self, *steps: str | int) -> FilePlace:
        """Its start; with a key, that of the key's value."""
        path = (*self.at, *steps)
        return self.document.value_place_of(path) if steps else self.document.place_of(path)

    def text(self, key: str) -> str:
        """A string; empty for none. Numbers are accepted as strings where quotes were forgotten."""
        value = self.data.get(key)
        return "" if value is None or isinstance(value, Mapping | list) else str(value).strip()

    def flag(self, key: str) -> bool:
        return self.data.get(key) is True

    def part(self, *keys: str) -> ContractPart | None:
        value: object = self.data
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        return ContractPart(self.document, (*self.at, *keys), value) if isinstance(value, Mapping) else None

    def parts(self, key: str) -> list[ContractPart]:
        value = self.data.get(key)
        items = enumerate(value) if isinstance(value, list) else ()
        return [ContractPart(self.document, (*self.at, key, i), item) for i, item in items if isinstance(item, Mapping)]


@dataclass(frozen=True, slots=True)
class PartPair:
    """The same part in the old and the new contract."""

    old: ContractPart
    new: ContractPart
    subject: str

    def differ(self, key: str) -> bool:
        return canonical(self.old.data.get(key)) != canonical(self.new.data.get(key))

    def change(
        self, kind: ContractChangeKind, element: str, bump: Bump, message: str, *, key: str | None = None, fix: str = ""
    ) -> ContractChange:
        """A change of the value at `key`, by default the element's name."""
        key = element if key is None else key
        steps = (key,) if key in self.new.data else ()
        return ContractChange(
            kind=kind,
            element=element,
            subject=self.subject,
            bump=bump,
            message=message,
            old=self.old.data.get(key),
            new=self.new.data.get(key),
            path=path_text((*self.new.at, *steps)),
            place=self.new.place(*steps),
            fix=fix,
        )

    def removed(
        self, element: str, subject: str, message: str, old: object, *, key: str | None, fix: str = ""
    ) -> ContractChange:
        """A part that the old contract alone has. Its place is where the new one has others of its kind."""
        steps = (key,) if key in self.new.data else ()
        return ContractChange(
            kind=ContractChangeKind.REMOVED,
            element=element,
            subject=subject,
            bump=Bump.MAJOR,
            message=message,
            old=old,
            path=path_text((*self.new.at, *steps)),
            place=self.new.place(*steps),
            fix=fix,
        )


def added(new: ContractPart, element: str, subject: str, message: str, value: object = None) -> ContractChange:
    """A part that the new contract alone has. `value`: what is shown of it, by default all."""
    return ContractChange(
        kind=ContractChangeKind.ADDED,
        element=element,
        subject=subject,
        bump=Bump.MINOR,
        message=message,
        new=dict(new.data) if value is None else value,
        path=new.path,
        place=new.place(),
    )


Key = Callable[[ContractPart], str]


def pairs_of(
    old: Sequence[ContractPart], new: Sequence[ContractPart], keys: Sequence[Key]
) -> Iterator[tuple[ContractPart | None, ContractPart | None]]:
    """Matches entries of both sides by the first key that is equal, in the order of the new side; removed ones last.
    Case-insensitive; empty keys are ignored; entries without keys match where they are equal."""
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for key in (*keys, _all_of):
        known: dict[str, list[int]] = {}
        for index in range(len(old) - 1, -1, -1):
            if index not in taken and (name := key(old[index])):
                known.setdefault(name.lower(), []).append(index)
        for index, part in enumerate(new):
            candidates = known.get(key(part).lower()) if index not in partner and known else None
            if candidates:
                partner[index] = candidates.pop()
                taken.add(partner[index])
    for index, part in enumerate(new):
        yield (old[partner[index]] if index in partner else None), part
    yield from ((part, None) for index, part in enumerate(old) if index not in taken)


def _all_of(part: ContractPart) -> str:
    return canonical(part.data)


def canonical(value: object) -> str:
    """Equal for equivalent values: the order of keys and entries does not matter."""
    return canonical_json(_sorted(value))


def folded(value: object) -> str:
    """As `canonical`, case-insensitive."""
    return canonical(_lower(value))


def _lower(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _lower(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_lower(item) for item in value]
    return value.lower() if isinstance(value, str) else value


def _sorted(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _sorted(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return sorted((_sorted(item) for item in value), key=canonical_json)
    if isinstance(value, str):
        return " ".join(value.split())
    return int(value) if isinstance(value, float) and value.is_integer() else value


def shown(value: object) -> str:
    """A value as displayed in a changelog."""
    if isinstance(value, list | tuple):
        texts = [shown(item) for item in value]
        return ", ".join(texts) if len(texts) <= 6 else f"{', '.join(texts[:5])} and {len(texts) - 5} more"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        value = json.dumps(_sorted(value), sort_keys=True, ensure_ascii=False, default=str)
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
