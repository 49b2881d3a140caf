"""All error codes: the text of `forge explain`, and the exit status of the command.

E1xx project and settings, E2xx transforms and sources, E3xx engine, E4xx stores and publish, E5xx contracts, E6xx
versioning, E7xx quality, E8xx lineage, E9xx the server."""

from __future__ import annotations

from forge.model.contract_codes import CONTRACT_CODES
from forge.model.error_code import CANNOT_CONNECT as CANNOT_CONNECT
from forge.model.error_code import COULD_NOT_RUN as COULD_NOT_RUN
from forge.model.error_code import FINDINGS as FINDINGS
from forge.model.error_code import INTERRUPTED as INTERRUPTED
from forge.model.error_code import NOT_ALLOWED as NOT_ALLOWED
from forge.model.error_code import USAGE as USAGE
from forge.model.error_code import ErrorCode as ErrorCode
from forge.model.error_code import code_entry
from forge.model.errors import ErrorKind
from forge.model.quality_codes import QUALITY_CODES

CODES: dict[str, ErrorCode] = dict(
    (
        code_entry(
            "E000",
            ErrorKind.INVALID,
            "unexpected",
            "Something happened that Forge did not foresee; -vv shows the stack trace.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E101",
            ErrorKind.INVALID,
            "bad name",
            "Tables are named schema.table with letters, digits and underscores.",
            USAGE,
        ),
        code_entry(
            "E102", ErrorKind.NOT_FOUND, "no project", "The command needs a project: a folder with a forge.yaml.", USAGE
        ),
        code_entry(
            "E103",
            ErrorKind.INVALID,
            "malformed YAML",
            "A file of the project is not valid YAML, or not of the expected shape.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E104",
            ErrorKind.INVALID,
            "unknown key",
            "A settings or definition file has a key Forge does not know. Nothing is ignored silently.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E105",
            ErrorKind.INVALID,
            "bad value",
            "A setting, parameter or option has a value of the wrong type or form.",
            USAGE,
        ),
        code_entry(
            "E106",
            ErrorKind.REFUSED,
            "secret in a file",
            "Secrets are references (env:NAME or file:/path), so that none is stored.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E107",
            ErrorKind.NOT_FOUND,
            "secret not found",
            "The environment variable or file that a secret points at does not exist.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E108",
            ErrorKind.NOT_FOUND,
            "unknown name",
            "The table, column, transform, selector, run or code asked for does not exist.",
            USAGE,
        ),
        code_entry(
            "E109", ErrorKind.REFUSED, "already there", "The file or folder that would be created exists.", USAGE
        ),
        code_entry(
            "E201", ErrorKind.INVALID, "SQL syntax error", "A transform's SQL could not be parsed.", COULD_NOT_RUN
        ),
        code_entry(
            "E202",
            ErrorKind.NOT_FOUND,
            "unknown table",
            "A transform reads a table that is no source, no transform's output and not in the lake.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E203",
            ErrorKind.NOT_FOUND,
            "unknown column",
            "A transform names a column its inputs do not have.",
            COULD_NOT_RUN,
        ),
        code_entry("E204", ErrorKind.INVALID, "cycle", "Transforms depend on each other in a circle.", COULD_NOT_RUN),
        code_entry(
            "E205",
            ErrorKind.INVALID,
            "output defined twice",
            "Two transforms or sources write the same table.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E206",
            ErrorKind.INVALID,
            "bad transform definition",
            "An option of a transform or source is missing or of the wrong form.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E207",
            ErrorKind.INVALID,
            "transform raised",
            "The Python code of a transform raised an exception.",
            COULD_NOT_RUN,
        ),
        code_entry("E208", ErrorKind.NOT_FOUND, "missing file", "A source's file does not exist.", COULD_NOT_RUN),
        code_entry(
            "E209",
            ErrorKind.INVALID,
            "wrong columns",
            "A source's file does not have the declared columns.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E210",
            ErrorKind.INVALID,
            "bad rows",
            "A source's file has rows that do not fit the declared types.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E211",
            ErrorKind.INVALID,
            "query failed",
            "Spark's analyser refused a query, for a reason other than syntax or a name.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E212",
            ErrorKind.INVALID,
            "duplicate key",
            "The result of an incremental transform has the same unique key twice.",
            COULD_NOT_RUN,
        ),
        code_entry("E213", ErrorKind.REFUSED, "not a query", "Only SELECT statements are accepted here.", USAGE),
        code_entry(
            "E214",
            ErrorKind.INVALID,
            "values would be lost",
            "An incremental transform would drop or retype a column of rows that it keeps.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E215",
            ErrorKind.REFUSED,
            "loaded file changed",
            "A file that an append source has loaded was changed afterwards; loading it again would double its rows.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E216",
            ErrorKind.REFUSED,
            "SQL not allowed",
            "SQL from outside the project holds something that is not on the list of what it may use. Nothing has run.",
            NOT_ALLOWED,
        ),
        code_entry(
            "E217",
            ErrorKind.INVALID,
            "unknown column",
            "The SQL of a transform names a column that none of its inputs has. It is told before anything is started.",
            FINDINGS,
        ),
        code_entry("E301", ErrorKind.UNAVAILABLE, "no Java", "Spark needs Java 17 or newer.", COULD_NOT_RUN),
        code_entry(
            "E302",
            ErrorKind.UNAVAILABLE,
            "Spark did not start",
            "The Spark session could not be created.",
            CANNOT_CONNECT,
        ),
        code_entry(
            "E303",
            ErrorKind.REFUSED,
            "Spark Connect",
            "Spark Connect hides the analysed plan, from which column lineage is read.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E304", ErrorKind.UNAVAILABLE, "Spark job failed", "A Spark job ended with an error.", COULD_NOT_RUN
        ),
        code_entry(
            "E305",
            ErrorKind.UNAVAILABLE,
            "disk full",
            "The warehouse or the database has no space left. Nothing was published.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E306", ErrorKind.UNAVAILABLE, "jars not found", "Spark's packages could not be resolved.", CANNOT_CONNECT
        ),
        code_entry(
            "E307",
            ErrorKind.UNAVAILABLE,
            "Spark died",
            "Spark's Java process ended while it was needed. Nothing was published; the next run starts a new one.",
            CANNOT_CONNECT,
        ),
        code_entry(
            "E308",
            ErrorKind.UNAVAILABLE,
            "source cannot be reached",
            "The database that a source reads did not answer, or does not know the user.",
            CANNOT_CONNECT,
        ),
        code_entry(
            "E401",
            ErrorKind.UNAVAILABLE,
            "database unreachable",
            "Forge's database could not be opened.",
            CANNOT_CONNECT,
        ),
        code_entry(
            "E402",
            ErrorKind.INVALID,
            "database too new or too old",
            "The database was written by another version of Forge.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E403",
            ErrorKind.CONFLICT,
            "publish conflict",
            "Someone else published the same table while the run worked. Nothing of this run was published.",
            FINDINGS,
        ),
        code_entry(
            "E404",
            ErrorKind.UNAVAILABLE,
            "database busy",
            "Another process held the database for too long.",
            CANNOT_CONNECT,
        ),
        code_entry(
            "E405",
            ErrorKind.UNAVAILABLE,
            "catalog unreachable",
            "The external Iceberg catalog could not be reached.",
            CANNOT_CONNECT,
        ),
        code_entry(
            "E406",
            ErrorKind.INVALID,
            "metadata unreadable",
            "A table's metadata file is missing or damaged.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E407",
            ErrorKind.REFUSED,
            "storage cannot be listed",
            "Files of this storage cannot be listed from here.",
            NOT_ALLOWED,
        ),
        code_entry(
            "E408",
            ErrorKind.UNAVAILABLE,
            "warehouse cannot be written",
            "A file of the warehouse could not be written.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E409",
            ErrorKind.UNAVAILABLE,
            "database damaged",
            "Pages of Forge's database are damaged, or its file is no database.",
            CANNOT_CONNECT,
        ),
        code_entry(
            "E410",
            ErrorKind.NOT_FOUND,
            "rows gone",
            "The snapshot of that version is no longer in the lake: something other than Forge expired or replaced it.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E411",
            ErrorKind.UNAVAILABLE,
            "no right to the database",
            "The database's file or folder may not be read or written by this user.",
            CANNOT_CONNECT,
        ),
        code_entry(
            "E412",
            ErrorKind.NOT_FOUND,
            "database gone",
            "The warehouse holds tables, and the database that knows them is gone.",
            CANNOT_CONNECT,
        ),
        *CONTRACT_CODES,
        code_entry("E601", ErrorKind.NOT_FOUND, "unknown revision", "No branch, tag, commit or time matches.", USAGE),
        code_entry("E602", ErrorKind.NOT_FOUND, "unknown branch", "There is no such branch.", USAGE),
        code_entry("E603", ErrorKind.CONFLICT, "branch exists", "A branch of that name exists already.", FINDINGS),
        code_entry(
            "E604",
            ErrorKind.INVALID,
            "bad name",
            "Names of branches and tags follow git's rules (git check-ref-format).",
            USAGE,
        ),
        code_entry("E605", ErrorKind.REFUSED, "default branch", "The default branch cannot be deleted.", NOT_ALLOWED),
        code_entry("E606", ErrorKind.NOT_FOUND, "no commits yet", "The branch has no commit.", USAGE),
        code_entry(
            "E607", ErrorKind.REFUSED, "unmerged changes", "The branch holds changes no other branch has.", NOT_ALLOWED
        ),
        code_entry(
            "E608",
            ErrorKind.REFUSED,
            "branch protected",
            "The branch is protected: its changes come by merges that someone else approved.",
            NOT_ALLOWED,
        ),
        code_entry(
            "E609",
            ErrorKind.CONFLICT,
            "fast-forward not possible",
            "The target has commits that the source does not have, or a contract holds its tables back.",
            FINDINGS,
        ),
        code_entry(
            "E610",
            ErrorKind.CONFLICT,
            "no common ancestor",
            "The two histories never met, so there is nothing to merge from.",
            FINDINGS,
        ),
        code_entry(
            "E611",
            ErrorKind.INVALID,
            "duplicate keys",
            "Rows share a key, so it cannot be said which of them changed.",
            FINDINGS,
        ),
        code_entry(
            "E612",
            ErrorKind.INVALID,
            "NULL in a key",
            "A key column is NULL, so the row cannot be told from others.",
            FINDINGS,
        ),
        code_entry(
            "E613",
            ErrorKind.INVALID,
            "key column missing",
            "A column of the key is not there, or has another type on one side.",
            USAGE,
        ),
        code_entry("E614", ErrorKind.NOT_FOUND, "unknown tag", "There is no such tag.", USAGE),
        code_entry("E615", ErrorKind.CONFLICT, "tag exists", "A tag of that name exists already.", FINDINGS),
        code_entry(
            "E616", ErrorKind.NOT_FOUND, "unknown merge", "There is no such merge, or no such conflict in it.", USAGE
        ),
        code_entry(
            "E617", ErrorKind.CONFLICT, "open conflicts", "The merge has conflicts nobody has resolved.", FINDINGS
        ),
        code_entry(
            "E618", ErrorKind.CONFLICT, "merge closed", "The merge was merged, aborted or rejected already.", FINDINGS
        ),
        code_entry("E619", ErrorKind.INVALID, "bad resolution", "The resolution does not fit the conflict.", USAGE),
        code_entry(
            "E620",
            ErrorKind.REFUSED,
            "approval needed",
            "Someone else has to approve it, or only some may merge here.",
            NOT_ALLOWED,
        ),
        code_entry(
            "E621", ErrorKind.INVALID, "file refused", "A file does not fit the table; nothing of it was taken.", USAGE
        ),
        code_entry(
            "E622",
            ErrorKind.INVALID,
            "file too large",
            "A file is larger, or has more rows, than may be uploaded.",
            USAGE,
        ),
        code_entry(
            "E623",
            ErrorKind.INVALID,
            "integrity broken",
            "Something in the history is not what was committed.",
            FINDINGS,
        ),
        code_entry(
            "E624",
            ErrorKind.NOT_FOUND,
            "object missing",
            "A tree, file or commit that the history needs is gone.",
            FINDINGS,
        ),
        code_entry(
            "E625", ErrorKind.INVALID, "bad expression", "The expression is not SQL over base, ours and theirs.", USAGE
        ),
        code_entry(
            "E626",
            ErrorKind.REFUSED,
            "external catalog",
            "This needs the catalog in Forge's own database.",
            NOT_ALLOWED,
        ),
        code_entry(
            "E627", ErrorKind.INVALID, "nothing to do", "There is no change to commit, revert or pick.", FINDINGS
        ),
        code_entry("E628", ErrorKind.INVALID, "bad signature", "A signature does not fit what was signed.", FINDINGS),
        code_entry("E629", ErrorKind.INVALID, "unreadable file", "The file cannot be read as a table.", USAGE),
        code_entry(
            "E630", ErrorKind.CONFLICT, "value does not fit", "A value does not fit the type its column gets.", FINDINGS
        ),
        code_entry(
            "E631", ErrorKind.REFUSED, "personal data", "A filter would tell what a hidden column holds.", NOT_ALLOWED
        ),
        code_entry(
            "E632", ErrorKind.CONFLICT, "source moved", "The source is not at the commit that was looked at.", FINDINGS
        ),
        *QUALITY_CODES,
        code_entry(
            "E801",
            ErrorKind.NOT_FOUND,
            "not in the lineage graph",
            "No recorded edge touches that table or column.",
            USAGE,
        ),
        code_entry(
            "E802",
            ErrorKind.NOT_FOUND,
            "edge to an unknown node",
            "An edge can only join nodes that are in the graph.",
            USAGE,
        ),
        code_entry(
            "E803", ErrorKind.INVALID, "confidence out of range", "A confidence is a number from 0 to 1.", USAGE
        ),
        code_entry(
            "E804", ErrorKind.INVALID, "edge ends before it begins", "valid_to must be after valid_from.", USAGE
        ),
        code_entry(
            "E805", ErrorKind.INVALID, "not an edge", "The edge lacks something, or two of its parts do not fit.", USAGE
        ),
        code_entry(
            "E806",
            ErrorKind.CONFLICT,
            "older than what is recorded",
            "A producer must be recorded in the order of time.",
            USAGE,
        ),
        code_entry(
            "E807", ErrorKind.INVALID, "name is ambiguous", "More than one entity of the lineage graph ends so.", USAGE
        ),
        code_entry("E808", ErrorKind.CONFLICT, "snapshot exists", "A snapshot of the lineage has that name.", USAGE),
        code_entry(
            "E809", ErrorKind.NOT_FOUND, "no such lineage snapshot", "No snapshot of the lineage has that name.", USAGE
        ),
        code_entry("E810", ErrorKind.INVALID, "not a change", "That is not a change whose impact can be told.", USAGE),
        code_entry(
            "E811", ErrorKind.UNAVAILABLE, "graph server cannot be reached", "Neo4j did not answer.", CANNOT_CONNECT
        ),
        code_entry(
            "E812", ErrorKind.CONFLICT, "id is taken", "Something of another type has that id in the graph.", USAGE
        ),
        code_entry("E813", ErrorKind.INVALID, "not a lineage file", "The file is not an export of lineage.", USAGE),
        code_entry("E814", ErrorKind.INVALID, "no such record", "The record cannot be traced.", USAGE),
        code_entry(
            "E815",
            ErrorKind.CONFLICT,
            "edge is produced",
            "The edge was not declared by hand: its producer still makes it.",
            USAGE,
        ),
        code_entry("E816", ErrorKind.NOT_FOUND, "nothing to read", "There is no such file or folder of code.", USAGE),
        code_entry(
            "E817", ErrorKind.INVALID, "not a schema file", "The file does not say table → {column: type}.", USAGE
        ),
        code_entry(
            "E818", ErrorKind.INVALID, "not an OpenLineage event", "A part of the event is missing or wrong.", USAGE
        ),
        code_entry(
            "E819",
            ErrorKind.UNAVAILABLE,
            "Dagster cannot be read",
            "Dagster or its instance is not there.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E820", ErrorKind.INVALID, "not a file of edges", "The YAML file of declared lineage is malformed.", USAGE
        ),
        code_entry(
            "E821",
            ErrorKind.INVALID,
            "script failed",
            "The script that was watched ended with an error.",
            COULD_NOT_RUN,
        ),
        code_entry("E822", ErrorKind.INVALID, "unknown dialect", "No dialect of SQL has that name.", USAGE),
        code_entry(
            "E823",
            ErrorKind.INVALID,
            "lineage disagrees",
            "What was read out of the code is not what Spark makes of it.",
            FINDINGS,
        ),
        code_entry(
            "E824",
            ErrorKind.INVALID,
            "gaps in the lineage",
            "Some code was not understood, and --strict is on.",
            FINDINGS,
        ),
        code_entry(
            "E901",
            ErrorKind.UNAVAILABLE,
            "interrupted",
            "The command was cancelled. Nothing was published.",
            INTERRUPTED,
        ),
        code_entry(
            "E902", ErrorKind.UNAVAILABLE, "port taken", "Another program listens on that port already.", COULD_NOT_RUN
        ),
        code_entry(
            "E903",
            ErrorKind.REFUSED,
            "not signed in",
            "The server answers only to a valid token, or to a browser that signed in with one.",
            NOT_ALLOWED,
        ),
        code_entry(
            "E904",
            ErrorKind.REFUSED,
            "not allowed",
            "The token may only read, or a browser sent the request from another site.",
            NOT_ALLOWED,
        ),
        code_entry(
            "E905",
            ErrorKind.REFUSED,
            "unsafe address",
            "On an address that other machines reach, tokens need TLS or a proxy that adds it.",
            NOT_ALLOWED,
        ),
        code_entry(
            "E906",
            ErrorKind.UNAVAILABLE,
            "queue full",
            "As many runs wait as the server takes, or it is being stopped. Nothing was queued.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E907",
            ErrorKind.CONFLICT,
            "runs elsewhere",
            "The run belongs to another process, which alone can cancel it.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E909", ErrorKind.CONFLICT, "has ended", "The run has ended, so there is nothing to cancel.", FINDINGS
        ),
        code_entry(
            "E910",
            ErrorKind.INVALID,
            "unknown host",
            "A request named a host that this server does not answer for, as a page of another site would.",
            USAGE,
        ),
        code_entry(
            "E911", ErrorKind.INVALID, "body too large", "The body of a request is larger than the server takes.", USAGE
        ),
        code_entry(
            "E912",
            ErrorKind.UNAVAILABLE,
            "too slow",
            "The body of a request took longer to come than the server waits.",
            CANNOT_CONNECT,
        ),
        code_entry(
            "E913",
            ErrorKind.UNAVAILABLE,
            "too much at once",
            "A token follows as many runs, or asks as many long questions, as the server does at once for one.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E914",
            ErrorKind.REFUSED,
            "open to other users",
            "A file that is for its owner alone can be read by other users of the machine.",
            NOT_ALLOWED,
        ),
        code_entry(
            "E915",
            ErrorKind.UNAVAILABLE,
            "too many queries",
            "As many queries of this token are at work or wait as it may have. Nothing was begun.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E916",
            ErrorKind.UNAVAILABLE,
            "query stopped",
            "A query took longer than the server lets one take, or gave way to work that publishes data.",
            COULD_NOT_RUN,
        ),
        code_entry(
            "E917", ErrorKind.INVALID, "answer too large", "A value, or all of an answer, is too large.", COULD_NOT_RUN
        ),
    )
)
