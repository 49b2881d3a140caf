"""Drafts of contracts for outputs that have none, where `governance.contracts.auto_generation` asks for them."""

from __future__ import annotations

from dataclasses import dataclass

from forge.contracts.draft import Known, KnownColumn, draft_contract
from forge.contracts.policy.facts import TableFacts
from forge.flows.contracts.compile.project import Compiled
from forge.model.names import TableName


@dataclass(frozen=True, slots=True)
class Draft:
    """`text` is None for a table that is not there yet: its columns are known after its first run."""

    table: str
    file: str
    text: str | None

    def to_dict(self) -> dict[str, object]:
        return {"table": self.table, "file": self.file, "text": self.text}


def find_drafts(compiled: Compiled, project: str) -> tuple[Draft, ...]:
    """By table. What the transform and the settings tell is in them: owner, descriptions, tags, key."""
    return tuple(_draft(compiled, compiled.facts.tables[name], project) for name in sorted(compiled.unpromised))


def _draft(compiled: Compiled, facts: TableFacts, project: str) -> Draft:
    file = f"contracts/{facts.table}.odcs.yaml"
    if facts.schema is None:
        return Draft(facts.table, file, None)
    table = TableName.parse(facts.table)
    transform = compiled.project.transforms.get(table)
    known = Known(
        project=project,
        description=facts.description,
        owner=facts.owner,
        tags=facts.tags,
        key=transform.unique_key if transform else (),
        columns={each.name: KnownColumn(description=each.description) for each in facts.columns if each.description},
    )
    return Draft(facts.table, file, draft_contract(table, facts.schema, known))
