"""All error codes: the text of `forge explain`, and the exit status of the command.

E1xx project and settings, E2xx transforms and sources, E3xx engine, E4xx stores and publish, E5xx contracts, E6xx
versioning, E7xx quality, E8xx lineage and, from E850 on, the catalog, E88x and E89x federation, E9xx the server."""

from __future__ import annotations

from forge.model.catalog_codes import CATALOG_CODES
from forge.model.contract_codes import CONTRACT_CODES
from forge.model.error_code import CANNOT_CONNECT as CANNOT_CONNECT
from forge.model.error_code import COULD_NOT_RUN as COULD_NOT_RUN
from forge.model.error_code import FINDINGS as FINDINGS
from forge.model.error_code import INTERRUPTED as INTERRUPTED
from forge.model.error_code import NOT_ALLOWED as NOT_ALLOWED
from forge.model.error_code import USAGE as USAGE
from forge.model.error_code import ErrorCode as ErrorCode
from forge.model.error_code import conflict, invalid, not_found, refused, unavailable
from forge.model.federation_codes import FEDERATION_CODES
from forge.model.glossary_codes import GLOSSARY_CODES
from forge.model.quality_codes import QUALITY_CODES

ENTRIES: tuple[tuple[str, ErrorCode], ...] = (
    invalid("E000", "unexpected", "Something happened that Forge did not foresee; -vv shows the stack trace."),
    invalid("E101", "bad name", "Tables are named schema.table with letters, digits and underscores.", USAGE),
    not_found("E102", "no project", "The command needs a project: a folder with a forge.yaml.", USAGE),
    invalid("E103", "malformed YAML", "A file of the project is not valid YAML, or not of the expected shape."),
    invalid(
        "E104",
        "unknown key",
        "A settings or definition file has a key Forge does not know. Nothing is ignored silently.",
    ),
    invalid("E105", "bad value", "A setting, parameter or option has a value of the wrong type or form.", USAGE),
    refused("E106", "secret in a file", "Secrets are references (env:NAME or file:/path), so that none is stored."),
    not_found("E107", "secret not found", "The environment variable or file that a secret points at does not exist."),
    not_found(
        "E108", "unknown name", "The table, column, transform, selector, run or code asked for does not exist.", USAGE
    ),
    refused("E109", "already there", "The file or folder that would be created exists.", USAGE),
    invalid("E201", "SQL syntax error", "A transform's SQL could not be parsed."),
    not_found(
        "E202",
        "unknown table",
        "A transform reads a table that is no source, no transform's output and not in the lake.",
    ),
    not_found("E203", "unknown column", "A transform names a column its inputs do not have."),
    invalid("E204", "cycle", "Transforms depend on each other in a circle."),
    invalid("E205", "output defined twice", "Two transforms or sources write the same table."),
    invalid("E206", "bad transform definition", "An option of a transform or source is missing or of the wrong form."),
    invalid("E207", "transform raised", "The Python code of a transform raised an exception."),
    not_found("E208", "missing file", "A source's file does not exist."),
    invalid("E209", "wrong columns", "A source's file does not have the declared columns."),
    invalid("E210", "bad rows", "A source's file has rows that do not fit the declared types."),
    invalid("E211", "query failed", "Spark's analyser refused a query, for a reason other than syntax or a name."),
    invalid("E212", "duplicate key", "The result of an incremental transform has the same unique key twice."),
    refused("E213", "not a query", "Only SELECT statements are accepted here.", USAGE),
    invalid(
        "E214", "values would be lost", "An incremental transform would drop or retype a column of rows that it keeps."
    ),
    refused(
        "E215",
        "loaded file changed",
        "A file that an append source has loaded was changed afterwards; loading it again would double its rows.",
    ),
    refused(
        "E216",
        "SQL not allowed",
        "SQL from outside the project holds something that is not on the list of what it may use. Nothing has run.",
        NOT_ALLOWED,
    ),
    invalid(
        "E217",
        "unknown column",
        "The SQL of a transform names a column that none of its inputs has. It is told before anything is started.",
        FINDINGS,
    ),
    unavailable("E301", "no Java", "Spark needs Java 17 or newer."),
    unavailable("E302", "Spark did not start", "The Spark session could not be created.", CANNOT_CONNECT),
    refused("E303", "Spark Connect", "Spark Connect hides the analysed plan, from which column lineage is read."),
    unavailable("E304", "Spark job failed", "A Spark job ended with an error."),
    unavailable("E305", "disk full", "The warehouse or the database has no space left. Nothing was published."),
    unavailable("E306", "jars not found", "Spark's packages could not be resolved.", CANNOT_CONNECT),
    unavailable(
        "E307",
        "Spark died",
        "Spark's Java process ended while it was needed. Nothing was published; the next run starts a new one.",
        CANNOT_CONNECT,
    ),
    unavailable(
        "E308",
        "source cannot be reached",
        "The database that a source reads did not answer, or does not know the user.",
        CANNOT_CONNECT,
    ),
    unavailable(
        "E309",
        "source refused the query",
        "A source answered a query with an error: a table that is gone, a right that is missing, a time limit.",
    ),
    invalid(
        "E310",
        "value of a source does not fit",
        "A value of a source is none of its column's type, such as a date at infinity. It is never read as NULL.",
    ),
    unavailable("E401", "database unreachable", "Forge's database could not be opened.", CANNOT_CONNECT),
    invalid("E402", "database too new or too old", "The database was written by another version of Forge."),
    conflict(
        "E403",
        "publish conflict",
        "Someone else published the same table while the run worked. Nothing of this run was published.",
        FINDINGS,
    ),
    unavailable("E404", "database busy", "Another process held the database for too long.", CANNOT_CONNECT),
    unavailable("E405", "catalog unreachable", "The external Iceberg catalog could not be reached.", CANNOT_CONNECT),
    invalid("E406", "metadata unreadable", "A table's metadata file is missing or damaged."),
    refused("E407", "storage cannot be listed", "Files of this storage cannot be listed from here.", NOT_ALLOWED),
    unavailable("E408", "warehouse cannot be written", "A file of the warehouse could not be written."),
    unavailable(
        "E409", "database damaged", "Pages of Forge's database are damaged, or its file is no database.", CANNOT_CONNECT
    ),
    not_found(
        "E410",
        "rows gone",
        "The snapshot of that version is no longer in the lake: something other than Forge expired or replaced it.",
    ),
    unavailable(
        "E411",
        "no right to the database",
        "The database's file or folder may not be read or written by this user.",
        CANNOT_CONNECT,
    ),
    not_found(
        "E412", "database gone", "The warehouse holds tables, and the database that knows them is gone.", CANNOT_CONNECT
    ),
    *CONTRACT_CODES,
    not_found("E601", "unknown revision", "No branch, tag, commit or time matches.", USAGE),
    not_found("E602", "unknown branch", "There is no such branch.", USAGE),
    conflict("E603", "branch exists", "A branch of that name exists already.", FINDINGS),
    invalid("E604", "bad name", "Names of branches and tags follow git's rules (git check-ref-format).", USAGE),
    refused("E605", "default branch", "The default branch cannot be deleted.", NOT_ALLOWED),
    not_found("E606", "no commits yet", "The branch has no commit.", USAGE),
    refused("E607", "unmerged changes", "The branch holds changes no other branch has.", NOT_ALLOWED),
    refused(
        "E608",
        "branch protected",
        "The branch is protected: its changes come by merges that someone else approved.",
        NOT_ALLOWED,
    ),
    conflict(
        "E609",
        "fast-forward not possible",
        "The target has commits that the source does not have, or a contract holds its tables back.",
        FINDINGS,
    ),
    conflict("E610", "no common ancestor", "The two histories never met, so there is nothing to merge from.", FINDINGS),
    invalid("E611", "duplicate keys", "Rows share a key, so it cannot be said which of them changed.", FINDINGS),
    invalid("E612", "NULL in a key", "A key column is NULL, so the row cannot be told from others.", FINDINGS),
    invalid("E613", "key column missing", "A column of the key is not there, or has another type on one side.", USAGE),
    not_found("E614", "unknown tag", "There is no such tag.", USAGE),
    conflict("E615", "tag exists", "A tag of that name exists already.", FINDINGS),
    not_found("E616", "unknown merge", "There is no such merge, or no such conflict in it.", USAGE),
    conflict("E617", "open conflicts", "The merge has conflicts nobody has resolved.", FINDINGS),
    conflict("E618", "merge closed", "The merge was merged, aborted or rejected already.", FINDINGS),
    invalid("E619", "bad resolution", "The resolution does not fit the conflict.", USAGE),
    refused("E620", "approval needed", "Someone else has to approve it, or only some may merge here.", NOT_ALLOWED),
    invalid("E621", "file refused", "A file does not fit the table; nothing of it was taken.", USAGE),
    invalid("E622", "file too large", "A file is larger, or has more rows, than may be uploaded.", USAGE),
    invalid("E623", "integrity broken", "Something in the history is not what was committed.", FINDINGS),
    not_found("E624", "object missing", "A tree, file or commit that the history needs is gone.", FINDINGS),
    invalid("E625", "bad expression", "The expression is not SQL over base, ours and theirs.", USAGE),
    refused("E626", "external catalog", "This needs the catalog in Forge's own database.", NOT_ALLOWED),
    invalid("E627", "nothing to do", "There is no change to commit, revert or pick.", FINDINGS),
    invalid("E628", "bad signature", "A signature does not fit what was signed.", FINDINGS),
    invalid("E629", "unreadable file", "The file cannot be read as a table.", USAGE),
    conflict("E630", "value does not fit", "A value does not fit the type its column gets.", FINDINGS),
    refused("E631", "personal data", "A filter would tell what a hidden column holds.", NOT_ALLOWED),
    conflict("E632", "source moved", "The source is not at the commit that was looked at.", FINDINGS),
    *QUALITY_CODES,
    not_found("E801", "not in the lineage graph", "No recorded edge touches that table or column.", USAGE),
    not_found("E802", "edge to an unknown node", "An edge can only join nodes that are in the graph.", USAGE),
    invalid("E803", "confidence out of range", "A confidence is a number from 0 to 1.", USAGE),
    invalid("E804", "edge ends before it begins", "valid_to must be after valid_from.", USAGE),
    invalid("E805", "not an edge", "The edge lacks something, or two of its parts do not fit.", USAGE),
    conflict("E806", "older than what is recorded", "A producer must be recorded in the order of time.", USAGE),
    invalid("E807", "name is ambiguous", "More than one entity of the lineage graph ends so.", USAGE),
    conflict("E808", "snapshot exists", "A snapshot of the lineage has that name.", USAGE),
    not_found("E809", "no such lineage snapshot", "No snapshot of the lineage has that name.", USAGE),
    invalid("E810", "not a change", "That is not a change whose impact can be told.", USAGE),
    unavailable("E811", "graph server cannot be reached", "Neo4j did not answer.", CANNOT_CONNECT),
    conflict("E812", "id is taken", "Something of another type has that id in the graph.", USAGE),
    invalid("E813", "not a lineage file", "The file is not an export of lineage.", USAGE),
    invalid("E814", "no such record", "The record cannot be traced.", USAGE),
    conflict("E815", "edge is produced", "The edge was not declared by hand: its producer still makes it.", USAGE),
    not_found("E816", "nothing to read", "There is no such file or folder of code.", USAGE),
    invalid("E817", "not a schema file", "The file does not say table → {column: type}.", USAGE),
    invalid("E818", "not an OpenLineage event", "A part of the event is missing or wrong.", USAGE),
    unavailable("E819", "Dagster cannot be read", "Dagster or its instance is not there."),
    invalid("E820", "not a file of edges", "The YAML file of declared lineage is malformed.", USAGE),
    invalid("E821", "script failed", "The script that was watched ended with an error."),
    invalid("E822", "unknown dialect", "No dialect of SQL has that name.", USAGE),
    invalid("E823", "lineage disagrees", "What was read out of the code is not what Spark makes of it.", FINDINGS),
    invalid("E824", "gaps in the lineage", "Some code was not understood, and --strict is on.", FINDINGS),
    *CATALOG_CODES,
    *GLOSSARY_CODES,
    *FEDERATION_CODES,
    unavailable("E901", "interrupted", "The command was cancelled. Nothing was published.", INTERRUPTED),
    unavailable("E902", "port taken", "Another program listens on that port already."),
    refused(
        "E903",
        "not signed in",
        "The server answers only to a valid token, or to a browser that signed in with one.",
        NOT_ALLOWED,
    ),
    refused(
        "E904", "not allowed", "The token may only read, or a browser sent the request from another site.", NOT_ALLOWED
    ),
    refused(
        "E905",
        "unsafe address",
        "On an address that other machines reach, tokens need TLS or a proxy that adds it.",
        NOT_ALLOWED,
    ),
    unavailable(
        "E906", "queue full", "As many runs wait as the server takes, or it is being stopped. Nothing was queued."
    ),
    conflict("E907", "runs elsewhere", "The run belongs to another process, which alone can cancel it."),
    conflict("E909", "has ended", "The run has ended, so there is nothing to cancel.", FINDINGS),
    invalid(
        "E910",
        "unknown host",
        "A request named a host that this server does not answer for, as a page of another site would.",
        USAGE,
    ),
    invalid("E911", "body too large", "The body of a request is larger than the server takes.", USAGE),
    unavailable("E912", "too slow", "The body of a request took longer to come than the server waits.", CANNOT_CONNECT),
    unavailable(
        "E913",
        "too much at once",
        "A token follows as many runs, or asks as many long questions, as the server does at once for one.",
    ),
    refused(
        "E914",
        "open to other users",
        "A file that is for its owner alone can be read by other users of the machine.",
        NOT_ALLOWED,
    ),
    unavailable(
        "E915",
        "too many queries",
        "As many queries of this token are at work or wait as it may have. Nothing was begun.",
    ),
    unavailable(
        "E916",
        "query stopped",
        "A query took longer than its timeout or the server lets it take, or gave way to work that publishes data.",
    ),
    invalid("E917", "answer too large", "A value, or all of an answer, is too large."),
)
CODES: dict[str, ErrorCode] = dict(ENTRIES)
