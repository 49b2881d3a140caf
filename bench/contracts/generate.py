"""Projects of contracts and the transforms that they are about, the same for the same numbers."""

from __future__ import annotations

from pathlib import Path

SOURCE = "raw.events"  # what the models read; the lake has it
TYPES = (
    ("string", "string", "{minLength: 1, maxLength: 80}"),
    ("integer", "bigint", "{minimum: 0}"),
    ("number", "decimal(12,2)", "{minimum: 0, maximum: 1000000}"),
    ("timestamp", "timestamp", ""),
    ("boolean", "boolean", ""),
    ("date", "date", "{minimum: '2020-01-01'}"),
)


def contract_text(number: int, columns: int, models: int = 1) -> str:
    """A contract as people write them: head, team, service levels, tables with described columns and rules."""
    head = [
        "apiVersion: v3.1.0",
        "kind: DataContract",
        f"id: bench-model-{number}",
        f"name: model_{number}",
        "version: 1.2.0",
        "status: active",
        "domain: sales",
        "description: {purpose: Figures for reports., usage: Reports and models., limitations: None that are known.}",
        "team:",
        "  name: data engineering",
        "  members:",
        "    - {username: ada@shop.example, role: owner}",
        "    - {username: bob@shop.example, role: data steward}",
        "slaProperties:",
        "  - {property: latency, value: 4, unit: h, driver: operational}",
        "  - {property: retention, value: 3, unit: y}",
        "  - {property: availability, value: 99.9, unit: '%'}",
        "schema:",
    ]
    return "\n".join([*head, *(line for each in range(models) for line in _table(number + each, columns))]) + "\n"


def _table(number: int, columns: int) -> list[str]:
    return [
        f"  - name: model_{number}",
        f"    physicalName: core.model_{number}",
        "    physicalType: table",
        "    logicalType: object",
        "    description: One row for each thing that happened.",
        "    quality:",
        "      - {metric: rowCount, mustBeGreaterThan: 0, dimension: completeness}",
        "    properties:",
        *(line for column in range(columns) for line in _column(column)),
    ]


def _column(number: int) -> list[str]:
    logical, physical, options = TYPES[number % len(TYPES)]
    lines = [
        f"      - name: column_{number}",
        f"        logicalType: {logical}",
        f"        physicalType: {physical}",
        f"        description: What is known as number {number}, as it was when the row was written",
    ]
    if number == 0:
        lines += ["        primaryKey: true", "        primaryKeyPosition: 1"]
    if number % 2 == 0:
        lines += ["        required: true"]
    if options and number % 3 == 0:
        lines += [f"        logicalTypeOptions: {options}"]
    if number % 10 == 0:
        lines += ["        classification: internal", "        tags: [gold]"]
    if number % 5 == 0:
        lines += ["        quality:", "          - {type: library, metric: nullValues, mustBe: 0}"]
    return lines


def transform_text(number: int, columns: int) -> str:
    described = "\n".join(f"  column_{each}: What is known as number {each}" for each in range(columns))
    selected = ",\n".join(f"  source.column_{each} AS column_{each}" for each in range(columns))
    head = f"/* forge\nkind: full\ndescription: Model {number}.\ncolumns:\n{described}\n*/"
    before = SOURCE if number == 0 else f"core.model_{number - 1}"
    return f"{head}\nSELECT\n{selected}\nFROM {before} AS source\n"


def functions_text(models: int) -> str:
    """All models as functions of one file: tables that are made, with next to nothing to read."""
    parts = ["from forge import transform\n"]
    for number in range(models):
        marked = (
            f'@transform(output="core.model_{number}", inputs={{"events": "{SOURCE}"}}, description="Model {number}.")'
        )
        parts.append(f"\n\n{marked}\ndef model_{number}(events):\n    return events\n")
    return "".join(parts)


def write_project(root: Path, models: int, columns: int, *, transforms: str = "none") -> list[Path]:
    """The contracts' files. `transforms`: none, functions, or sql (a file each, with each column by name)."""
    (root / "contracts").mkdir(parents=True)
    files = []
    for number in range(models):
        file = root / "contracts" / f"core.model_{number}.odcs.yaml"
        file.write_text(contract_text(number, columns), encoding="utf-8")
        files.append(file)
    folder = root / "transforms" / "core"
    folder.mkdir(parents=True)
    if transforms == "functions":
        (folder / "models.py").write_text(functions_text(models), encoding="utf-8")
    elif transforms == "sql":
        for number in range(models):
            (folder / f"model_{number}.sql").write_text(transform_text(number, columns), encoding="utf-8")
    return files
