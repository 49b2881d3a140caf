"""One table at one commit: schema, owner, version, rows, last run, checks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.formatting import count, moment, short, size
from forge.cli.runs.run_record import verdict_line
from forge.flows.versioning.read import commit_at, table_at
from forge.model.names import BranchName, RunId, TableName

if TYPE_CHECKING:
    from forge.flows.ports import SnapshotState
    from forge.flows.runs.records import AssetRecord
    from forge.flows.versioning.record_ports import Commits, Refs
    from forge.quality.verdict import Verdict
    from forge.versioning.commit import Commit, TableVersion
    from forge.wiring import Wiring

_TABLE = re.compile(r"([A-Za-z_]\w*\.[A-Za-z_]\w*)(?:@(.+))?")


def find_table_words(metadata: Refs, text: str) -> tuple[TableName, str] | None:
    """The table and revision a text means; None where it is a revision. A branch may be called a.b, too."""
    match = _TABLE.fullmatch(text)
    if not match or metadata.branch(BranchName(text)) is not None:
        return None
    return TableName.parse(match.group(1)), match.group(2) or "HEAD"


def answer_of_table(wiring: Wiring, table: TableName, at: str) -> CommandAnswer:
    metadata = wiring.metadata
    commit = commit_at(metadata, at, wiring.default_branch, table)
    version = table_at(metadata.tree(commit.id), table)
    asset = next((a for a in metadata.assets() if a.table == table), None)
    found = wiring.lake.snapshot(version.catalog, version.snapshot_id) if version.snapshot_id is not None else None
    run_id = RunId(version.run_id) if version.run_id else None
    run = metadata.run(run_id) if run_id else None
    verdicts = [v for _, v in metadata.verdicts(run_id=run_id, table=table)] if run_id else []
    columns = _columns(found, asset)
    facts: dict[str, object] = {
        "table": _facts(table, _last_change(metadata, commit, table), version, asset, found),
        "run": {"run_id": run.id, "status": str(run.status), "started_at": run.started_at} if run else None,
        "verdicts": [verdict.to_dict() for verdict in verdicts],
    }
    shown = (
        AnswerColumn("column", lambda i: str(i["name"]), style="bold"),
        AnswerColumn("type", lambda i: str(i["type"])),
        AnswerColumn("null", lambda i: "" if i["nullable"] else "required"),
        AnswerColumn("pii", lambda i: str(i["pii"]) if i["pii"] else ""),
        AnswerColumn("description", lambda i: str(i["description"] or "")),
    )
    head = [*_head(facts["table"]), *([f"run      {run.id}, {moment(run.started_at)} UTC"] if run else []), ""]
    return CommandAnswer(name="columns", items=columns, columns=shown, facts=facts, head=head, foot=_foot(verdicts))


def _last_change(metadata: Commits, commit: Commit, table: TableName) -> Commit:
    """The commit that made this version of the table, not the newest of the project."""
    return next(iter(metadata.log(commit.id, limit=1, table=table)), commit)


def _facts(
    table: TableName, commit: Commit, version: TableVersion, asset: AssetRecord | None, found: SnapshotState | None
) -> dict[str, object]:
    return {
        "name": str(table),
        "kind": version.kind,
        "description": asset.description if asset else "",
        "owner": asset.owner if asset else None,
        "tags": list(asset.tags) if asset else [],
        "key": list(version.key or (found.identifier if found else ())),
        "version": version.number,
        "commit": commit.id,
        "digest": version.digest,
        "snapshot_id": version.snapshot_id,
        "rows": found.statistics.record_count if found else None,
        "bytes": found.statistics.total_size if found else None,
    }


def _columns(found: SnapshotState | None, asset: AssetRecord | None) -> list[dict[str, object]]:
    """Names and types from the snapshot, of a view from the catalog; descriptions from the catalog."""
    known = {str(column.get("name")): column for column in asset.columns} if asset else {}
    if found is None:
        return [
            _column(name, str(c.get("type")), True, c.get("description"), c.get("pii")) for name, c in known.items()
        ]
    return [
        _column(c.name, c.type, c.nullable, words.get("description") or c.doc, words.get("pii"))
        for c in found.schema.columns
        for words in (known.get(c.name, {}),)
    ]


def _column(name: str, type_: str, nullable: bool, description: object, pii: object) -> dict[str, object]:
    return {"name": name, "type": type_, "nullable": nullable, "description": description, "pii": pii}


def _head(facts: object) -> list[str]:
    assert isinstance(facts, dict)
    lines = [f"{facts['name']}  v{facts['version']}  {facts['kind']}"]
    lines += [f"         {facts['description']}"] if facts["description"] else []
    lines.append(f"owner    {facts['owner'] or 'nobody yet'}")
    lines += [f"tags     {', '.join(facts['tags'])}"] if facts["tags"] else []
    lines += [f"key      {', '.join(facts['key'])}"] if facts["key"] else []
    if facts["rows"] is not None:
        lines.append(f"rows     {count(facts['rows'])}, {size(facts['bytes'])}")
    return [*lines, f"commit   {short(facts['commit'])}"]


def _foot(verdicts: list[Verdict]) -> list[str]:
    return ["", *(verdict_line(verdict) for verdict in verdicts)] if verdicts else []
