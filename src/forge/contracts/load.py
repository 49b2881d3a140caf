"""Loads ODCS files. All errors of a contract are collected, each with file, line and column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from forge.contracts.contract import (
    LOGICAL_TYPES,
    Contract,
    ContractProperty,
    ContractRelationship,
    FilePlace,
    QualityRule,
    SlaProperty,
    TableContract,
    Violation,
)
from forge.contracts.document.file import ContractError, Document, parse_document, read_document
from forge.contracts.document.regular_file import NO_REGULAR_FILE, read_regular
from forge.contracts.linter.head import SEMANTIC_VERSION
from forge.contracts.reader import ContractNode, ContractReader
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.model.yaml_reader import MAX_BYTES

SUFFIXES = (".odcs.yaml", ".odcs.yml")
IN_ROOT = ("datacontract.yaml", "datacontract.yml")


def load_contract(text: str | bytes, file: str) -> Contract:
    """One contract. Raises E501, E502, E503 with all errors."""
    reader = ContractReader(read_document(text, file))
    contract = _read_contract(reader.root(), reader)
    if reader.violations:
        raise ContractError(tuple(reader.violations))
    return contract


def contract_of(document: Document) -> Contract:
    """The contract of a document, also of an invalid one: malformed values read as absent."""
    return read_contract(document)[0]


def read_contract(document: Document) -> tuple[Contract, tuple[Violation, ...]]:
    """The same, with its errors (E501, E502, E503)."""
    reader = ContractReader(document)
    contract = _read_contract(reader.root(), reader)
    return contract, tuple(reader.violations)


def load_all(root: Path) -> tuple[Contract, ...]:
    """The contracts of a project, ordered by file. Raises with all errors."""
    contracts: list[Contract] = []
    violations: list[Violation] = []
    for path in contract_files(root):
        file = path.relative_to(root).as_posix()
        try:
            contracts.append(load_contract(read_bounded(path, file), file))
        except ContractError as error:
            violations.extend(error.violations)
    if violations:
        raise ContractError(tuple(violations))
    return tuple(contracts)


def by_table(contracts: Iterable[Contract]) -> dict[str, TableContract]:
    """Each table and its contract. Raises for a table with two contracts, or without a name in the lake."""
    found: dict[str, TableContract] = {}
    violations: list[Violation] = []
    for table in (table for contract in contracts for table in contract.tables):
        problem = _misplaced(table, found)
        if problem:
            violations.append(ContractReader.violation_at(table.place, "E502", f"{table.path}.name", *problem))
        else:
            found[table.table] = table
    if violations:
        raise ContractError(tuple(violations))
    return found


def contract_files(root: Path) -> list[Path]:
    """`contracts/**/*.odcs.yaml`, and `datacontract.yaml` in the root. Anything of that name that is no file is
    reported when read."""
    below = sorted(p for p in (root / "contracts").rglob("*") if p.name.endswith(SUFFIXES) and not p.is_dir())
    return [*below, *(p for p in (root / name for name in IN_ROOT) if p.exists() and not p.is_dir())]


def read_bounded(path: Path, file: str) -> bytes:
    """The file's bytes; of one that is too large only enough to detect it."""
    try:
        return read_regular(path, MAX_BYTES + 1)
    except OSError as error:
        raise ContractError((_unreadable(file, error),)) from error


def _unreadable(file: str, error: OSError) -> Violation:
    reason = error.strerror or str(error)
    fix = "Put a file in its place, or remove it." if reason == NO_REGULAR_FILE else "Check its permissions."
    return Violation(
        code="E502",
        severity="error",
        file=file,
        line=1,
        column=1,
        path="",
        message=f"the contract cannot be read: {reason.rstrip('.')}",
        fix=fix,
    )


def _misplaced(table: TableContract, found: Mapping[str, TableContract]) -> tuple[str, str] | None:
    """The error in a table's name, and the fix."""
    try:
        TableName.parse(table.table)
    except ForgeError:
        return (
            f"'{table.table}' does not say which table of the lake is meant",
            "Set physicalName: schema.table, or the custom property forge.schema, or call the file "
            "schema.table.odcs.yaml.",
        )
    other = found.get(table.table)
    if other is None:
        return None
    return f"{table.table} has two contracts: this one and {other.place}", "Keep one of them."


def _read_contract(root: ContractNode, reader: ContractReader) -> Contract:
    version = root.text("apiVersion", required=True)
    if version is not None and version not in LOGICAL_TYPES:
        known = ", ".join(LOGICAL_TYPES)
        root.refuse("apiVersion", "E502", f"'{version}' is not a version Forge knows", f"Use one of {known}.")
    kind = root.text("kind", required=True)
    if kind is not None and kind != "DataContract":
        root.refuse("kind", "E502", f"'{kind}' is not a kind of contract", "Write kind: DataContract.")
    own = root.text("version", required=True)
    if own is not None and not SEMANTIC_VERSION.fullmatch(own):
        root.refuse("version", "E502", f"'{own}' is not a semantic version", "Write three numbers, like 1.0.0.")
    name = root.text("name")
    if name is not None and not 1 <= len(name) <= 255:
        root.refuse("name", "E502", "a name has 1 to 255 characters", "Give it a short name.")
    return Contract(
        id=root.text("id", required=True) or "",
        version=own or "",
        api_version=version or "",
        name=name,
        status=root.text("status", required=version != "v3.2.0"),
        domain=root.text("domain"),
        owner=_owner(root),
        file=reader.file,
        tables=tuple(_read_tables(root, version or "", reader)),
        tags=root.texts("tags"),
        sla=_read_sla(root),
        custom=_custom_properties(root),
        document=reader.document,
    )


def _owner(root: ContractNode) -> str | None:
    """The team member with the role owner, else the team's name. The team is a list before v3.1, an object since."""
    team = root.value("team")
    members = root.nodes("team") if isinstance(team, list) else []
    name = None
    if team is not None and not isinstance(team, list | Mapping):
        root.refuse("team", "E502", "team must be a mapping", "Write team: {name: …, members: […]}.")
    if isinstance(team, Mapping):
        node = root.child("team")
        members, name = node.nodes("members"), node.text("name")
    owners = [m.text("username") for m in members if (m.text("role") or "").lower() == "owner"]
    return next((o for o in owners if o), name)


def _read_tables(root: ContractNode, version: str, reader: ContractReader) -> Iterator[TableContract]:
    objects = root.nodes("schema")
    schema = _custom_property(root, "forge.schema")
    for node in objects:
        name = node.text("name", required=True)
        if name is None:
            continue
        properties = tuple(_read_property(p, version) for p in node.nodes("properties"))
        _refuse_duplicates(node, properties)
        yield TableContract(
            table=_table_name(node, name, schema, PurePosixPath(reader.file), alone=len(objects) == 1),
            name=name,
            id=node.text("id"),
            custom=_custom_properties(node),
            description=node.text("description") or "",
            properties=tuple(p for p in properties if p.name),
            quality=_read_quality(node),
            relationships=_read_relationships(node),
            file=reader.file,
            line=node.line,
            column_number=node.column,
            path=node.path,
        )


def _table_name(node: ContractNode, name: str, schema: str | None, file: PurePosixPath, *, alone: bool) -> str:
    """physicalName or name when qualified; else completed by forge.schema; else the name of the file."""
    physical = node.text("physicalName")
    qualified = next((n for n in (physical, name) if n and "." in n), None)
    if qualified:
        return qualified.strip().lower()
    schema = _custom_property(node, "forge.schema") or schema
    bare = (physical or name).lower()
    if schema:
        return f"{schema.lower()}.{bare}"
    stem = next((file.name.removesuffix(s) for s in SUFFIXES if file.name.endswith(s)), file.stem).lower()
    is_this = stem.count(".") == 1 and (alone or stem.split(".")[1] == bare)
    return stem if is_this else bare


def _read_sla(root: ContractNode) -> tuple[SlaProperty, ...]:
    return tuple(
        SlaProperty(
            property=node.text("property", required=True) or "",
            value=node.value("value"),
            unit=node.text("unit"),
            element=node.text("element"),
            driver=node.text("driver"),
            id=node.text("id"),
            place=node.place(),
            path=node.path,
        )
        for node in root.nodes("slaProperties")
    )


def _custom_properties(node: ContractNode) -> dict[str, object]:
    return {str(entry.value("property")): entry.value("value") for entry in node.nodes("customProperties")}


def _custom_property(node: ContractNode, name: str) -> str | None:
    for entry in node.nodes("customProperties"):
        if entry.value("property") == name:
            return entry.text("value")
    return None


def _refuse_duplicates(node: ContractNode, properties: tuple[ContractProperty, ...]) -> None:
    first: dict[str, ContractProperty] = {}
    for index, each in enumerate(properties):
        known = first.setdefault(each.column.lower(), each) if each.name else each
        if known is not each:
            message = f"the column '{each.column}' stands twice, first in line {known.line}"
            node.child("properties", index).refuse("name", "E502", message, "Remove one; case makes no difference.")


def _read_nested(node: ContractNode, version: str, *path: str) -> ContractProperty | None:
    if path[0] not in node.mapping:
        return None
    child = node.child(*path)
    return _read_property(child, version, is_named=False) if child.mapping else None


def _read_property(node: ContractNode, version: str, *, is_named: bool = True) -> ContractProperty:
    options = node.value("logicalTypeOptions")
    if options is not None and not isinstance(options, Mapping):
        node.refuse("logicalTypeOptions", "E502", "the options must be a mapping", "Write them like {minimum: 0}.")
        options = None
    place = node.place()
    return ContractProperty(
        name=node.text("name", required=is_named) or "",
        id=node.text("id"),
        properties=tuple(_read_property(p, version) for p in node.nodes("properties")),
        items=_read_nested(node, version, "items"),
        map_key=_read_nested(node, version, "map", "key"),
        map_value=_read_nested(node, version, "map", "value"),
        custom=_custom_properties(node),
        logical_type=_logical_type(node, version),
        physical_type=node.text("physicalType"),
        physical_name=node.text("physicalName"),
        required=node.flag("required"),
        unique=node.flag("unique"),
        primary_key=node.flag("primaryKey"),
        primary_key_position=node.whole_number("primaryKeyPosition"),
        description=node.text("description") or "",
        classification=node.text("classification"),
        tags=node.texts("tags"),
        options=dict(options or {}),
        allowed_values=_allowed_values(node),
        quality=_read_quality(node),
        relationships=_read_relationships(node),
        is_column=node.value("semanticType") != "measure",
        file=node.file,
        line=place.line,
        column_number=place.column,
        path=node.path,
    )


def _logical_type(node: ContractNode, version: str) -> str | None:
    name = node.text("logicalType")
    known = LOGICAL_TYPES.get(version)
    if name is None or known is None or name in known:
        return name
    since = next((v for v, types in LOGICAL_TYPES.items() if name in types), None)
    hint = f"Set apiVersion: {since}, which has it." if since else did_you_mean(name, known)
    fix = hint or f"Use one of {', '.join(known)}."
    node.refuse("logicalType", "E503", f"'{name}' is no logical type of ODCS {version}", fix)
    return None


def _allowed_values(node: ContractNode) -> tuple[object, ...]:
    values = []
    for entry in node.nodes("enum"):
        if "value" not in entry.mapping:
            entry.refuse("value", "E501", "an entry of enum needs a value", "Add value: …")
        elif entry.value("value") is not None:  # null is no value that a check could refuse
            values.append(entry.value("value"))
    return tuple(values)


def _read_quality(node: ContractNode) -> tuple[QualityRule, ...]:
    rules = []
    for entry in node.nodes("quality"):
        rule = dict(entry.mapping)
        if rule.get("type") == "custom" and str(rule.get("engine")).lower() == "forge":
            rule["implementation"] = _implementation(entry)
        rules.append(QualityRule(rule, FilePlace(entry.file, entry.line, entry.column)))
    return tuple(rules)


def _implementation(entry: ContractNode) -> Mapping[str, object]:
    """A check for Forge, as a mapping or YAML text; the standard allows both."""
    check = entry.value("implementation")
    if isinstance(check, str):
        document, problems = parse_document(check, entry.file)  # its own lines would mislead; below the place is named
        check = document.data if document is not None and not problems else None
    if isinstance(check, Mapping) and isinstance(check.get("type"), str):
        return check
    entry.refuse(
        "implementation",
        "E502",
        "the implementation for the engine forge is not a check",
        "Write one check, like {type: range, min: 0}.",
    )
    return {}


def _read_relationships(node: ContractNode) -> tuple[ContractRelationship, ...]:
    return tuple(ContractRelationship(entry.mapping, entry.place()) for entry in node.nodes("relationships"))
