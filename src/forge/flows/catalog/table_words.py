"""What the project says of its tables: headers of transforms, contracts, owners; else what their last run recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from forge.contracts.contract import Contract, TableContract
from forge.flows.runs.project import Project
from forge.flows.runs.records import AssetRecord
from forge.model.canonical_json import digest_of
from forge.model.errors import ForgeError
from forge.model.names import TableName


@dataclass(frozen=True, slots=True)
class TableWords:
    description: str = ""
    owner: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)  # name in lower case → description
    primary_key: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        parts = [self.description, self.owner, self.domain, self.tags, dict(self.columns), self.primary_key]
        return digest_of(parts, "replace")


def find_table_words(project: Project, records: Iterable[AssetRecord]) -> dict[str, TableWords]:
    """By the name of the table."""
    known = {record.table: record for record in records}
    whole = _contracts_by_table(project)
    tables = {*project.transforms, *project.contracts, *known}
    return {str(table): _words(table, project, known.get(table), whole.get(table)) for table in tables}


def _words(table: TableName, project: Project, record: AssetRecord | None, contract: Contract | None) -> TableWords:
    transform, promised = project.transforms.get(table), project.contracts.get(table)
    columns = {str(one["name"]).lower(): str(one.get("description") or "") for one in record.columns} if record else {}
    if promised is not None:
        columns |= {one.column.lower(): one.description for one in promised.columns if one.description}
    if transform is not None:
        columns |= {name.lower(): text for name, text in transform.columns.items() if text}
    descriptions = (
        transform.description if transform else "",
        promised.description if promised else "",
        record.description if record else "",
    )
    tags = (*(transform.tags if transform else record.tags if record else ()), *(contract.tags if contract else ()))
    return TableWords(
        description=next(filter(None, descriptions), ""),
        owner=project.owner(table) or (contract.owner if contract else None) or (record.owner if record else None),
        domain=contract.domain if contract else None,
        tags=tuple(dict.fromkeys(tags)),
        columns={name: text for name, text in columns.items() if text},
        primary_key=_key(promised),
    )


def _key(promised: TableContract | None) -> tuple[str, ...]:
    parts = [one for one in promised.columns if one.primary_key] if promised else []
    return tuple(one.column for one in sorted(parts, key=lambda one: one.primary_key_position or 0))


def _contracts_by_table(project: Project) -> dict[TableName, Contract]:
    found: dict[TableName, Contract] = {}
    for one in project.standing:
        for table in one.effective.tables:
            try:
                found[TableName.parse(table.table)] = one.effective
            except ForgeError:  # a contract may be of something that is no table of the lake
                continue
    return found
