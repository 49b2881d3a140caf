"""The error codes of the glossary: E86x."""

from __future__ import annotations

from forge.model.error_code import FINDINGS, NOT_ALLOWED, USAGE, ErrorCode, conflict, invalid, not_found, refused

GLOSSARY_CODES: tuple[tuple[str, ErrorCode], ...] = (
    invalid("E860", "bad term", "A field of a glossary term is missing or of the wrong form.", USAGE),
    not_found("E861", "no such term", "No term of the glossary has that id.", USAGE),
    conflict("E862", "term has changed", "Someone changed the term since it was read. Nothing was written.", FINDINGS),
    refused("E863", "term is in use", "Columns or assets are linked to the term.", FINDINGS),
    conflict("E864", "term exists", "The glossary of that domain has a term of that name or id.", FINDINGS),
    invalid("E865", "not a glossary file", "The file cannot be read as terms. Nothing of it was taken.", USAGE),
    refused(
        "E866", "term of a file", "The term is written in a file of the project, which alone changes it.", NOT_ALLOWED
    ),
)
