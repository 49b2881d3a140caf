"""The strict profile: ownership, descriptions and classification beyond what the standard requires."""

from __future__ import annotations

from collections.abc import Mapping

from forge.contracts.document.file import Path
from forge.contracts.linter.columns import columns_of
from forge.contracts.linter.finding import LintFindings, is_blank
from forge.contracts.linter.words import letters_of
from forge.model.personal_names import PERSONAL_NAMES

# Whole names that almost always contain personal data, in addition to those that `init` knows.
_PERSONAL_NAMES = frozenset(
    letters_of(name)
    for name in (
        *(name for names in PERSONAL_NAMES.values() for name in names),
        *("email_address", "customer_email", "user_email", "contact_email", "customer_mail", "user_mail"),
        *("phone_number", "mobile_number", "mobile_phone", "social_security_number", "passport_number"),
        *("credit_card_number", "account_number_iban"),
    )
)
_PERSONAL_WORDS = ("pii", "phi", "personal", "personaldata", "sensitive")


def check_strict(findings: LintFindings) -> None:
    data = findings.document.data
    if is_blank(data.get("name")):
        findings.add("E501", ("name",), "name is missing; the strict profile wants one", "Add name: …")
    if not has_owner(data.get("team")):
        message = "nobody owns the contract; the strict profile wants an owner"
        findings.add("E501", ("team",), message, "Add a team member with role: owner, or the team's name.")
    schema = data.get("schema")
    if schema is None or schema == []:
        message = "the schema is empty; the strict profile wants at least one table"
        findings.add("E501", ("schema",), message, "Add schema: [{name: …, properties: […]}].")
    for index, table in enumerate(schema if isinstance(schema, list) else ()):
        if isinstance(table, dict):
            _check_table(findings, table, ("schema", index))


def has_owner(team: object) -> bool:
    """A member with the role owner, or the team's name."""
    members = team
    if isinstance(team, dict):
        if not is_blank(team.get("name")):
            return True
        members = team.get("members")
    return any(
        isinstance(member, dict)
        and str(member.get("role") or "").strip().lower() == "owner"
        and not is_blank(member.get("username"))
        for member in (members if isinstance(members, list) else ())
    )


def _check_table(findings: LintFindings, table: Mapping[str, object], path: Path) -> None:
    properties = table.get("properties")
    if not properties and table.get("logicalType") != "blob":
        message = "the table has no properties; the strict profile wants its columns"
        findings.add("E501", (*path, "properties"), message, "Add properties: [{name: …}].")
    for each, place in columns_of(table, path):
        if isinstance(place[-1], int):  # the items of an array and the sides of a map have no name to describe
            _check_column(findings, each, place)


def _check_column(findings: LintFindings, each: Mapping[str, object], path: Path) -> None:
    name = each.get("name") or "the column"
    if is_blank(each.get("description")):
        message = f"{name} has no description; the strict profile wants one of every column"
        findings.add("E501", (*path, "description"), message, "Add description: …")
    if is_blank(each.get("classification")) and is_personal(each):
        message = f"{name} holds personal data and has no classification"
        findings.add("E501", (*path, "classification"), message, "Add classification: pii, or the level that it has.")


def is_personal(each: Mapping[str, object]) -> bool:
    """By its tags or custom properties, or by its name."""
    tags = each.get("tags")
    if isinstance(tags, list) and any(_says_personal(tag) for tag in tags):
        return True
    customs = each.get("customProperties")
    for custom in customs if isinstance(customs, list) else ():
        if isinstance(custom, dict) and letters_of(str(custom.get("property"))) in _PERSONAL_WORDS:
            return custom.get("value") not in (False, None, "", "none", "no", "false")
    options = each.get("logicalTypeOptions")
    if isinstance(options, dict) and options.get("format") == "email":
        return True
    if each.get("properties"):  # an object holds what they hold
        return False
    return any(
        letters_of(str(text)) in _PERSONAL_NAMES for text in (each.get("name"), each.get("physicalName")) if text
    )


def _says_personal(tag: object) -> bool:
    head, _, tail = str(tag).lower().partition(":")
    return letters_of(head) in _PERSONAL_WORDS and tail.strip() not in ("none", "no", "false")
