"""The error codes of federation: E875 to E879 for saved queries and tables of the lake with rules, E88x for declared
sources, E89x for queries."""

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

FEDERATION_CODES: tuple[tuple[str, ErrorCode], ...] = (
    not_found("E875", "unknown saved query", "Nobody has saved a query by that id, or not for you to see.", USAGE),
    conflict("E876", "saved query name taken", "You have saved another query by that name.", FINDINGS),
    conflict(
        "E877",
        "saved query changed meanwhile",
        "The saved query was changed since it was read. Nothing was changed.",
        FINDINGS,
    ),
    refused("E878", "saved query of someone else", "A saved query is changed by who saved it.", NOT_ALLOWED),
    refused(
        "E879",
        "rows not shown here",
        "The table has a row filter, or names its readers, and this is not a query: nobody could tell whose rows "
        "are whose.",
        NOT_ALLOWED,
    ),
    invalid("E880", "bad source", "A key of a declared source is missing or of the wrong form.", USAGE),
    not_found("E881", "unknown source", "No file, command or request has declared a source of that name.", USAGE),
    conflict(
        "E882",
        "source name taken",
        "The name belongs to another source, to a schema of the lake, or to the lake itself: queries could not tell "
        "them apart.",
        FINDINGS,
    ),
    conflict(
        "E883",
        "source changed meanwhile",
        "Someone else changed the source since it was read. Nothing was changed.",
        FINDINGS,
    ),
    refused(
        "E884",
        "source declared elsewhere",
        "A source is changed where it was declared: in its file, or by a command.",
        NOT_ALLOWED,
    ),
    refused("E885", "source not for this reader", "The source names who may read it.", NOT_ALLOWED),
    refused(
        "E886",
        "not for sources over HTTP",
        "A source that was created over HTTP reaches only the hosts, folders and secrets that federation in "
        "forge.yaml names; without them, none.",
        NOT_ALLOWED,
    ),
    not_found("E887", "unknown table of a source", "The source has no table of that name.", USAGE),
    refused(
        "E888",
        "no credentials for this user",
        "The source asks for each user under a name of his own, and its file has none for this one.",
        NOT_ALLOWED,
    ),
    invalid(
        "E889",
        "no virtual table",
        "The SELECT holds what a virtual table cannot keep as data: its sources, joins, columns and filters.",
        FINDINGS,
    ),
    refused("E890", "needs Spark", "The query holds what is only computed by Spark, and Spark was ruled out.", USAGE),
    refused(
        "E891",
        "masked view beside a source",
        "A view with hidden columns is not read in one query with a source.",
        NOT_ALLOWED,
    ),
    refused(
        "E892",
        "mask or row filter cannot be used",
        "A mask or row filter does not fit its table, or names a role that forge.yaml does not declare, or the query "
        "can only be computed around it. Nothing is read then.",
        NOT_ALLOWED,
    ),
    invalid(
        "E893",
        "virtual table does not fit its sources",
        "A source has not the columns that the virtual table reads.",
        FINDINGS,
    ),
    invalid("E894", "bad virtual table", "A key of a virtual table is missing or of the wrong form.", USAGE),
    not_found(
        "E895", "unknown virtual table", "No file, command or request has declared a virtual table of that name.", USAGE
    ),
    conflict(
        "E896",
        "virtual table name taken",
        "The name belongs to another virtual table, or the lake has a schema that is called virtual.",
        FINDINGS,
    ),
    conflict(
        "E897",
        "virtual table changed meanwhile",
        "Someone else changed the virtual table since it was read. Nothing was changed.",
        FINDINGS,
    ),
    refused(
        "E898",
        "virtual table declared elsewhere",
        "A virtual table is changed where it was declared: in its file, or by a command.",
        NOT_ALLOWED,
    ),
    unavailable(
        "E899",
        "cache of results unavailable",
        "The store of kept results does not answer. Queries are answered without it.",
        CANNOT_CONNECT,
    ),
)
