"""Terminal output of contracts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.formatting import moment, plural

Item = Mapping[str, object]


def contracts_answer(items: Sequence[Item]) -> CommandAnswer:
    columns = (
        AnswerColumn("contract", lambda i: str(i["id"]), style="bold"),
        AnswerColumn("version", lambda i: str(i["version"])),
        AnswerColumn("state", lambda i: str(i["state"])),
        AnswerColumn("owner", lambda i: str(i["owner"] or "")),
        AnswerColumn("tables", lambda i: _joined(i["tables"])),
        AnswerColumn("findings", findings_text),
        AnswerColumn("registered (UTC)", lambda i: moment(i["registered_at"]) or "no"),
        AnswerColumn("file", file_text),
    )
    return CommandAnswer(name="contracts", items=items, columns=columns)


def contract_answer(item: Item, versions: Sequence[Item], history: Sequence[Item], text: str) -> CommandAnswer:
    """On a terminal its facts, versions and text; in JSON all of it."""
    facts = [
        ("id", item["id"]),
        ("name", item["name"]),
        ("version", item["version"]),
        ("state", item["state"]),
        ("owner", item["owner"]),
        ("domain", item["domain"]),
        ("tables", _joined(item["tables"])),
        ("file", file_text(item)),
        ("findings", findings_text(item)),
        ("last test", item["last_test"]),
        ("schema hash", item["schema_hash"]),
        ("description", item["description"]),
    ]
    lines = [f"{name}: {value}" for name, value in facts if value not in (None, "")]
    lines += [
        f"version {one['version']}: registered {moment(one['registered_at'])} UTC by {one['registered_by']}"
        for one in versions
    ]
    lines += [_step(one) for one in history]
    whole = {**item, "versions": list(versions), "history": list(history), "text": text}
    return CommandAnswer(name="contracts", items=[whole], head=[*lines, "", *text.rstrip().splitlines()])


def findings_text(item: Item) -> str:
    if item["errors"] is None:
        return "not checked"
    errors, warnings = int(str(item["errors"])), int(str(item["warnings"]))
    parts = [plural(errors, "error")] if errors else []
    parts += [plural(warnings, "warning")] if warnings else []
    return ", ".join(parts) or "none"


def file_text(item: Item) -> str:
    if not item["file"]:
        return ""
    if item["file_differs"] and item["registered_at"] is not None:
        return f"{item['file']} (has {item['file_version']}, not registered)"
    return str(item["file"])


def _step(step: Item) -> str:
    by = f"{moment(step['at'])} UTC by {step['by']}"
    reason = f": {step['reason']}" if step["reason"] else ""
    notified = step["told"]
    notice = f"; notice to {plural(len(notified), 'consumer')}" if isinstance(notified, list) and notified else ""
    return f"{step['state']} since {by}{reason}{notice}"


def _joined(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else ""
