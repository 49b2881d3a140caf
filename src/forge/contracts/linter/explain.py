"""Explains why a document does not match the standard's JSON schema: one finding for each cause.

The validator only answers yes or no, within microseconds. This walk reads the same schema files, selects of `oneOf`,
`anyOf` and `if` the branch that the author meant, and names what to change."""

from __future__ import annotations

import re
from collections.abc import Mapping

from forge.contracts.document.file import Path
from forge.contracts.linter.branches import NONE_HOLDS, OPERATORS, SAME_FORM, facets_of, types_of
from forge.contracts.linter.finding import LintFindings, is_blank, shown
from forge.contracts.linter.fixes import entry_fix, missing_fix, name_of, type_fix, type_hint, type_message
from forge.contracts.linter.keys import is_conditional, unknown_key
from forge.contracts.linter.standard_schema import Schema, has_type, raw_errors, schema_of
from forge.contracts.linter.words import label_of, one_of, type_words
from forge.model.canonical_json import canonical_json


def explain(findings: LintFindings, version: str, skip: frozenset[str]) -> None:
    """`skip`: top-level keys already judged elsewhere."""
    walk = _Walk(findings, version)
    walk.value([schema_of(version)], findings.document.data, (), skip)
    if not walk.has_found and not walk.has_skipped:
        for path, message in raw_errors(version, findings.document.data):
            findings.add("E502", path, message, f"See the schema of ODCS {version}.")


class _Walk:
    def __init__(self, findings: LintFindings, version: str) -> None:
        self.findings = findings
        self.version = version
        self.root = schema_of(version)
        self.has_found = False
        self.has_skipped = False

    def value(self, schemas: list[Schema], value: object, path: Path, skip: frozenset[str] = frozenset()) -> None:
        if self.findings.is_full:
            return
        facets = [facet for schema in schemas for facet in facets_of(self.root, schema, value)]
        if any(self._wrong_type(facet, value, path) for facet in facets):
            return
        for facet in facets:
            if self._wrong_value(facet, value, path):
                return
        if isinstance(value, Mapping):
            self._mapping(facets, value, path, skip)
        elif isinstance(value, list):
            self._list(facets, value, path)

    def _list(self, facets: list[Schema], value: list[object], path: Path) -> None:
        """Entries of the wrong type share one finding, at the first of them."""
        items = [facet["items"] for facet in facets if isinstance(facet.get("items"), Mapping)]
        wanted = [t for each in items for t in types_of(self.root, each)]
        is_reported = False
        for index, item in enumerate(value):
            if wanted and not has_type(item, wanted):
                if not is_reported:
                    message = f"each entry of {name_of(path)} must be {type_words(wanted)}, not {shown(item)}"
                    self._add((*path, index), message, entry_fix(wanted, item, path))
                is_reported = True
            else:
                self.value(items, item, (*path, index))

    def _add(self, path: Path, message: str, fix: str, code: str = "E502", *, at_key: bool = False) -> bool:
        self.has_found = True
        self.findings.add(code, path, message, fix, at_key=at_key)
        return True

    # --- one value ---

    def _wrong_type(self, facet: Schema, value: object, path: Path) -> bool:
        types = facet.get("type")
        if types is None or has_type(value, types):
            return False
        wanted = types if isinstance(types, list) else [types]
        key = str(path[-1]) if path and isinstance(path[-1], str) else None
        written = self.findings.document.written(path) if isinstance(value, bool | int | float) else None
        return self._add(path, type_message(wanted, value, path, written), type_fix(wanted, value, key, written))

    def _wrong_value(self, facet: Schema, value: object, path: Path) -> bool:
        if "enum" in facet and value not in facet["enum"]:
            return self._wrong_word(facet["enum"], value, path)
        if isinstance(value, str) and "pattern" in facet and not re.search(facet["pattern"], value):
            fix = "Use letters, digits, - and _ only." if path[-1] == "id" else f"Match {facet['pattern']}."
            return self._add(path, f"{shown(value)} is not of the form that {path[-1]} has in the standard", fix)
        if NONE_HOLDS in facet:
            return self._no_reference(value, path)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._wrong_number(facet, value, path)
        return self._wrong_size(facet, value, path) if isinstance(value, list) else False

    def _wrong_word(self, known: list[str], value: object, path: Path) -> bool:
        word, key = str(value), path[-1]
        if key == "logicalType":
            return self._add(
                path, f"{shown(value)} is no logical type of ODCS {self.version}", type_hint(word, known), "E503"
            )
        message = f"{shown(value)} is no {key} that ODCS {self.version} knows"
        return self._add(path, message, one_of(word, [str(each) for each in known]))

    def _no_reference(self, value: object, path: Path) -> bool:
        message = f"{shown(value)} is no reference to a column"
        return self._add(path, message, "Write table.column, or /schema/ID/properties/ID.")

    def _wrong_number(self, facet: Schema, value: float, path: Path) -> bool:
        if "minimum" in facet and value < facet["minimum"]:
            return self._add(path, f"{value} is below {facet['minimum']}", f"Use {facet['minimum']} or more.")
        if "exclusiveMinimum" in facet and value <= facet["exclusiveMinimum"]:
            return self._add(path, f"{value} is not above {facet['exclusiveMinimum']}", "Use a greater number.")
        return False

    def _wrong_size(self, facet: Schema, value: list[object], path: Path) -> bool:
        least, most = facet.get("minItems", 0), facet.get("maxItems", len(value))
        if not least <= len(value) <= most:
            wanted = f"{least} entries" if least == most else "at least one entry"
            fix = f"Write {path[-1]}: [1, 2]." if least == most else "Add one, or remove the key."
            return self._add(path, f"{path[-1]} has {len(value)} entries; it needs {wanted}", fix)
        return self._standing_twice(value, path) if facet.get("uniqueItems") else False

    def _standing_twice(self, value: list[object], path: Path) -> bool:
        seen: dict[str, int] = {}
        for index, each in enumerate(value):
            first = seen.setdefault(canonical_json(each), index)
            if first != index:
                place = (*path, index, "value") if isinstance(each, Mapping) else (*path, index)
                line = self.findings.document.place_of((*path, first)).line
                return self._add(place, f"an entry of {path[-1]} stands twice, first in line {line}", "Remove one.")
        return False

    # --- mappings ---

    def _mapping(self, facets: list[Schema], value: Mapping[str, object], path: Path, skip: frozenset[str]) -> None:
        known: dict[str, list[Schema]] = {}
        for facet in facets:
            for key, schema in facet.get("properties", {}).items():
                known.setdefault(key, []).append(schema)
        missing = self._missing(facets, known, value, path, skip)
        self._combinations(facets, value, path)
        if "logicalTypeOptions" in known and value.get("logicalTypeOptions") and "logicalType" not in value:
            message = "logicalTypeOptions are the options of a type, and logicalType is missing"
            self._add((*path, "logicalType"), message, "Add logicalType: …", "E501")
        is_closed = any(
            facet.get("additionalProperties") is False or facet.get("unevaluatedProperties") is False
            for facet in facets
        )
        is_closed = is_closed and not self._is_of_unknown_kind(facets, value)
        is_reported = False
        for key, item in value.items():
            if self.findings.is_full:
                return
            if key in skip:
                self.has_skipped = True
            elif key in known:
                if key not in missing:
                    self.value(known[key], item, (*path, key))
            elif is_closed and not (is_reported and self._is_conditional(path, key)):
                is_reported = is_reported or self._is_conditional(path, key)
                message, fix = unknown_key(self.version, self.findings.document, path, key, value, list(known))
                self._add((*path, key), message, fix, at_key=True)

    def _is_conditional(self, path: Path, key: str) -> bool:
        """Several keys of a quality rule that need one `type` have one cause."""
        return "quality" in path[-2:] and is_conditional(self.version, path, key)

    def _is_of_unknown_kind(self, facets: list[Schema], value: Mapping[str, object]) -> bool:
        """Whether `type` is unknown to the standard, so that its allowed keys are unknown."""
        words = [facet["properties"]["type"].get("enum") for facet in facets if "type" in facet.get("properties", {})]
        return "type" in value and any(known and value["type"] not in known for known in words)

    def _missing(
        self,
        facets: list[Schema],
        known: Mapping[str, list[Schema]],
        value: Mapping[str, object],
        path: Path,
        skip: frozenset[str],
    ) -> set[str]:
        missing: set[str] = set()
        if "$ref" in value:  # its target would determine the rest
            return missing
        for key in dict.fromkeys(key for facet in facets for key in facet.get("required", ())):
            if key in skip or key in missing:
                self.has_skipped = True
                continue
            if key in value and not (is_blank(value[key]) and self._needs_text(known.get(key, []), value[key])):
                continue
            missing.add(key)
            problem = "is empty" if key in value else "is missing"
            message = f"{key} {problem} in {label_of(path, value)}; ODCS {self.version} requires it"
            self._add((*path, key), message, missing_fix(key, value), "E501")
        return missing

    def _needs_text(self, schemas: list[Schema], value: object) -> bool:
        """Whether an empty value counts as missing: a string is required, or null is not allowed."""
        facets = [facet for schema in schemas for facet in facets_of(self.root, schema, "")]
        return any(facet.get("type") == "string" for facet in facets) or (
            value is None and not all(has_type(None, facet.get("type", "null")) for facet in facets)
        )

    def _combinations(self, facets: list[Schema], value: Mapping[str, object], path: Path) -> None:
        for facet in facets:
            for key in facet.get("not", {}).get("required", ()):
                if key in value:
                    message = f"{label_of(path, value)} of one property has no '{key}': it is the property itself"
                    self._add((*path, key), message, f"Remove {key}.", at_key=True)
            if OPERATORS in facet:
                self._operators(facet[OPERATORS], value, path)
            if SAME_FORM in facet and isinstance(value.get("from"), list) != isinstance(value.get("to"), list):
                message = "from and to are both one column, or both lists of as many"
                self._add((*path, "to"), message, "Write both as lists, or both as one text.")

    def _operators(self, names: list[str], value: Mapping[str, object], path: Path) -> None:
        given = [key for key in value if key in names]
        if not given:
            message = f"{label_of(path, value)} says no limit; it needs one of {', '.join(names)}"
            self._add((*path, "mustBe"), message, "Add mustBe: 0, or another limit.", "E501")
        for extra in given[1:]:
            message = f"{label_of(path, value)} has {given[0]} and {extra}; only one limit is allowed"
            fix = "Write mustBeBetween: [low, high], or two rules."
            self._add((*path, extra), message, fix, at_key=True)
