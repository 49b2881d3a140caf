"""Drafts of contracts for outputs without one, where `governance.contracts.auto_generation` is set."""

from __future__ import annotations

from dataclasses import dataclass

from forge.contracts.draft import KnownColumn, KnownTable, draft_contract
from forge.contracts.policy.facts import TableFacts
from forge.flows.contracts.compile.project import CompileResult
from forge.model.names import TableName


@dataclass(frozen=True, slots=True)
class OutputDraft:
    """`text` is None for a table that does not exist yet: its columns are known after its first run."""

    table: str
    file: str
    text: str | None

    def to_dict(self) -> dict[str, object]:
        return {"table": self.table, "file": self.file, "text": self.text}


def find_drafts(compiled: CompileResult, project: str) -> tuple[OutputDraft, ...]:
    """By table, with owner, descriptions, tags and key of transform and settings."""
    return tuple(_draft(compiled, compiled.facts.tables[name], project) for name in sorted(compiled.unpromised))


def _draft(compiled: CompileResult, facts: TableFacts, project: str) -> OutputDraft:
    file = f"contracts/{facts.table}.odcs.yaml"
    if facts.schema is None:
        return OutputDraft(facts.table, file, None)
    table = TableName.parse(facts.table)
    transform = compiled.project.transforms.get(table)
    known = KnownTable(
        project=project,
        description=facts.description,
        owner=facts.owner,
        tags=facts.tags,
        key=transform.unique_key if transform else (),
        columns={each.name: KnownColumn(description=each.description) for each in facts.columns if each.description},
    )
    return OutputDraft(facts.table, file, draft_contract(table, facts.schema, known))
