"""A proposed change, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.widening import TypeChange, classify, widens


class ChangeType(StrEnum):
    DROP = "drop"
    RENAME = "rename"
    TYPE = "type"
    ADD = "add"
    DROP_TABLE = "drop-table"
    LOCATION = "location"
    PERMISSION = "permission"
    FORMAT = "format"
    SCHEMA = "schema"
    SEMANTICS = "semantics"


_SYNONYMS: dict[ChangeType, str] = {
    ChangeType.DROP: "drop-column column-drop column-dropped remove remove-column column-removal column-removed delete "
    "delete-column column-deletion",
    ChangeType.RENAME: "rename-column column-rename column-renamed rename-table table-rename",
    ChangeType.TYPE: "type-change change-type data-type data-type-change alter-type modify-type column-type-change",
    ChangeType.ADD: "add-column column-add column-added column-addition new-column",
    ChangeType.DROP_TABLE: "table-drop table-dropped remove-table table-removal table-removed delete-table "
    "table-deletion",
    ChangeType.LOCATION: "location-change change-location move",
    ChangeType.PERMISSION: "permissions permission-change permissions-change access access-change",
    ChangeType.FORMAT: "format-change change-format file-format",
    ChangeType.SCHEMA: "schema-change change-schema",
    ChangeType.SEMANTICS: "semantic semantic-change semantics-change meaning logic logic-change",
}
_WORDS = {
    **{word: change for change, words in _SYNONYMS.items() for word in words.split()},
    **{str(change): change for change in ChangeType},
}
OF_TABLES = frozenset({ChangeType.DROP_TABLE, ChangeType.LOCATION, ChangeType.FORMAT})  # columns cannot have them
NEED_TO = frozenset({ChangeType.RENAME, ChangeType.TYPE})


def change_type_of(text: str) -> ChangeType:
    """E810 for a word that means no change."""
    found = _WORDS.get(text.strip().lower().replace("_", "-").replace(" ", "-"))
    if found is None:
        raise ForgeError(
            "E810",
            f"'{text}' is not a change",
            why=f"Changes are {', '.join(ChangeType)}.",
            fix=did_you_mean(text.strip().lower(), _WORDS) or "Write --change drop, for example.",
        )
    return found


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """`entity`: the id of a column or table; for `add`, of the new column. `to`: the new name, type, location or
    format. `old_type`: of the column before a type change, if known."""

    type: ChangeType
    entity: str
    to: str | None = None
    old_type: str | None = None

    @classmethod
    def of(
        cls, type_: str | ChangeType, entity: str, to: str | None = None, old_type: str | None = None
    ) -> ProposedChange:
        return cls(change_type_of(str(type_)), entity, to or None, old_type)

    @property
    def direction(self) -> TypeChange | None:
        """Of a change of type, for its readers; None where the old type is not known. It is narrower wherever a value
        may be lost."""
        if self.type is not ChangeType.TYPE or not self.to or not self.old_type:
            return None
        found = classify(self.old_type, self.to, "reader")
        loses = found is TypeChange.UNRELATED and widens(self.to, self.old_type, "value")
        return TypeChange.NARROWING if loses else found

    @property
    def name(self) -> str:
        return self.entity.rpartition(".")[2]

    def to_dict(self) -> dict[str, object]:
        return {
            "type": str(self.type),
            "entity": self.entity,
            "to": self.to,
            "direction": str(self.direction) if self.direction else None,
        }
