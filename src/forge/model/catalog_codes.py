"""The error codes of the catalog: E85x, and of personal data: E87x."""

from __future__ import annotations

from forge.model.error_code import (
    CANNOT_CONNECT,
    FINDINGS,
    NOT_ALLOWED,
    USAGE,
    ErrorCode,
    conflict,
    invalid,
    not_found,
    refused,
    unavailable,
)

CATALOG_CODES: tuple[tuple[str, ErrorCode], ...] = (
    not_found("E850", "unknown asset", "The catalog has no asset of that name, and none ever had it.", USAGE),
    invalid(
        "E851",
        "bad documentation",
        "A field of an asset's documentation is unknown, too large or of the wrong form. Nothing was changed.",
        USAGE,
    ),
    refused(
        "E852",
        "crawled field",
        "The field is what a crawler saw of the asset; only its source changes it.",
        USAGE,
    ),
    conflict(
        "E853",
        "documentation changed meanwhile",
        "Someone else changed the asset since it was read. Nothing was changed.",
        FINDINGS,
    ),
    refused("E854", "field of a file", "The field is written in catalog/*.yaml; only the file changes it.", USAGE),
    refused(
        "E855",
        "may not approve",
        "Documentation of this domain is approved by someone else than who proposed it: catalog.domains in forge.yaml.",
        NOT_ALLOWED,
    ),
    not_found("E856", "unknown proposal", "No proposed edit has that id, or the asset has no such edit.", USAGE),
    conflict("E857", "decided already", "The proposed edit was approved or rejected already.", FINDINGS),
    not_found("E858", "unknown source", "No crawler of the project has that name.", USAGE),
    unavailable(
        "E859",
        "search server unavailable",
        "The server of the search index does not answer, or refused.",
        CANNOT_CONNECT,
    ),
    not_found("E870", "unknown finding", "No finding of personal data has that id.", USAGE),
    conflict(
        "E871",
        "finding changed meanwhile",
        "Someone else decided on the finding, or a scan changed it, since it was read. Nothing was changed.",
        FINDINGS,
    ),
    unavailable("E872", "values cannot be read", "The values of a table could not be read for a scan. None is shown."),
)
