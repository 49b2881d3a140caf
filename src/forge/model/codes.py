"""The meaning of every error code: what `forge explain` prints, and the exit status of the command.

E1xx project and settings, E2xx transforms and sources, E3xx engine, E4xx stores and publish, E5xx contracts,
E6xx versioning, E7xx quality, E8xx lineage, E9xx the server.
"""

from __future__ import annotations

from forge.model.code import CANNOT_CONNECT as CANNOT_CONNECT
from forge.model.code import COULD_NOT_RUN as COULD_NOT_RUN
from forge.model.code import FINDINGS as FINDINGS
from forge.model.code import INTERRUPTED as INTERRUPTED
from forge.model.code import NOT_ALLOWED as NOT_ALLOWED
from forge.model.code import USAGE as USAGE
from forge.model.code import Code as Code
from forge.model.code import told
from forge.model.contract_codes import CONTRACT_CODES
from forge.model.errors import Kind
from forge.model.quality_codes import QUALITY_CODES

CODES: dict[str, Code] = dict(
    (
        told(
            "E000",
            Kind.INVALID,
            "unexpected",
            "Something happened that Forge did not foresee; -vv shows the stack trace.",
            COULD_NOT_RUN,
        ),
        told(
            "E101",
            Kind.INVALID,
            "bad name",
            "Tables are named schema.table with letters, digits and underscores.",
            USAGE,
        ),
        told("E102", Kind.NOT_FOUND, "no project", "The command needs a project: a folder with a forge.yaml.", USAGE),
        told(
            "E103",
            Kind.INVALID,
            "malformed YAML",
            "A file of the project is not valid YAML, or not of the expected shape.",
            COULD_NOT_RUN,
        ),
        told(
            "E104",
            Kind.INVALID,
            "unknown key",
            "A settings or definition file has a key Forge does not know. Nothing is ignored silently.",
            COULD_NOT_RUN,
        ),
        told(
            "E105",
            Kind.INVALID,
            "bad value",
            "A setting, parameter or option has a value of the wrong type or form.",
            USAGE,
        ),
        told(
            "E106",
            Kind.REFUSED,
            "secret in a file",
            "Secrets are references (env:NAME or file:/path), so that none is stored.",
            COULD_NOT_RUN,
        ),
        told(
            "E107",
            Kind.NOT_FOUND,
            "secret not found",
            "The environment variable or file that a secret points at does not exist.",
            COULD_NOT_RUN,
        ),
        told(
            "E108",
            Kind.NOT_FOUND,
            "unknown name",
            "The table, column, transform, selector, run or code asked for does not exist.",
            USAGE,
        ),
        told("E109", Kind.REFUSED, "already there", "The file or folder that would be created exists.", USAGE),
        told("E201", Kind.INVALID, "SQL syntax error", "A transform's SQL could not be parsed.", COULD_NOT_RUN),
        told(
            "E202",
            Kind.NOT_FOUND,
            "unknown table",
            "A transform reads a table that is no source, no transform's output and not in the lake.",
            COULD_NOT_RUN,
        ),
        told(
            "E203",
            Kind.NOT_FOUND,
            "unknown column",
            "A transform names a column its inputs do not have.",
            COULD_NOT_RUN,
        ),
        told("E204", Kind.INVALID, "cycle", "Transforms depend on each other in a circle.", COULD_NOT_RUN),
        told(
            "E205",
            Kind.INVALID,
            "output defined twice",
            "Two transforms or sources write the same table.",
            COULD_NOT_RUN,
        ),
        told(
            "E206",
            Kind.INVALID,
            "bad transform definition",
            "An option of a transform or source is missing or of the wrong form.",
            COULD_NOT_RUN,
        ),
        told(
            "E207",
            Kind.INVALID,
            "transform raised",
            "The Python code of a transform raised an exception.",
            COULD_NOT_RUN,
        ),
        told("E208", Kind.NOT_FOUND, "missing file", "A source's file does not exist.", COULD_NOT_RUN),
        told(
            "E209", Kind.INVALID, "wrong columns", "A source's file does not have the declared columns.", COULD_NOT_RUN
        ),
        told(
            "E210",
            Kind.INVALID,
            "bad rows",
            "A source's file has rows that do not fit the declared types.",
            COULD_NOT_RUN,
        ),
        told(
            "E211",
            Kind.INVALID,
            "query failed",
            "Spark's analyser refused a query, for a reason other than syntax or a name.",
            COULD_NOT_RUN,
        ),
        told(
            "E212",
            Kind.INVALID,
            "duplicate key",
            "The result of an incremental transform has the same unique key twice.",
            COULD_NOT_RUN,
        ),
        told("E213", Kind.REFUSED, "not a query", "Only SELECT statements are accepted here.", USAGE),
        told(
            "E214",
            Kind.INVALID,
            "values would be lost",
            "An incremental transform would drop or retype a column of rows that it keeps.",
            COULD_NOT_RUN,
        ),
        told(
            "E215",
            Kind.REFUSED,
            "loaded file changed",
            "A file that an append source has loaded was changed afterwards; loading it again would double its rows.",
            COULD_NOT_RUN,
        ),
        told("E301", Kind.UNAVAILABLE, "no Java", "Spark needs Java 17 or newer.", COULD_NOT_RUN),
        told(
            "E302", Kind.UNAVAILABLE, "Spark did not start", "The Spark session could not be created.", CANNOT_CONNECT
        ),
        told(
            "E303",
            Kind.REFUSED,
            "Spark Connect",
            "Spark Connect hides the analysed plan, from which column lineage is read.",
            COULD_NOT_RUN,
        ),
        told("E304", Kind.UNAVAILABLE, "Spark job failed", "A Spark job ended with an error.", COULD_NOT_RUN),
        told(
            "E305",
            Kind.UNAVAILABLE,
            "disk full",
            "The warehouse has no space left. Nothing was published.",
            COULD_NOT_RUN,
        ),
        told("E306", Kind.UNAVAILABLE, "jars not found", "Spark's packages could not be resolved.", CANNOT_CONNECT),
        told(
            "E307",
            Kind.UNAVAILABLE,
            "Spark died",
            "Spark's Java process ended while it was needed. Nothing was published; the next run starts a new one.",
            CANNOT_CONNECT,
        ),
        told(
            "E308",
            Kind.UNAVAILABLE,
            "source cannot be reached",
            "The database that a source reads did not answer, or does not know the user.",
            CANNOT_CONNECT,
        ),
        told("E401", Kind.UNAVAILABLE, "database unreachable", "Forge's database could not be opened.", CANNOT_CONNECT),
        told(
            "E402",
            Kind.INVALID,
            "database too new or too old",
            "The database was written by another version of Forge.",
            COULD_NOT_RUN,
        ),
        told(
            "E403",
            Kind.CONFLICT,
            "publish conflict",
            "Someone else published the same table while the run worked. Nothing of this run was published.",
            FINDINGS,
        ),
        told(
            "E404", Kind.UNAVAILABLE, "database busy", "Another process held the database for too long.", CANNOT_CONNECT
        ),
        told(
            "E405",
            Kind.UNAVAILABLE,
            "catalog unreachable",
            "The external Iceberg catalog could not be reached.",
            CANNOT_CONNECT,
        ),
        told(
            "E406", Kind.INVALID, "metadata unreadable", "A table's metadata file is missing or damaged.", COULD_NOT_RUN
        ),
        told(
            "E407",
            Kind.REFUSED,
            "storage cannot be listed",
            "Files of this storage cannot be listed from here.",
            NOT_ALLOWED,
        ),
        told(
            "E408",
            Kind.UNAVAILABLE,
            "warehouse cannot be written",
            "A file of the warehouse could not be written.",
            COULD_NOT_RUN,
        ),
        told(
            "E410",
            Kind.NOT_FOUND,
            "rows gone",
            "The snapshot of that version is no longer in the lake: something other than Forge expired or replaced it.",
            COULD_NOT_RUN,
        ),
        *CONTRACT_CODES,
        told("E601", Kind.NOT_FOUND, "unknown revision", "No branch, tag, commit or time matches.", USAGE),
        told("E602", Kind.NOT_FOUND, "unknown branch", "There is no such branch.", USAGE),
        told("E603", Kind.CONFLICT, "branch exists", "A branch of that name exists already.", FINDINGS),
        told(
            "E604",
            Kind.INVALID,
            "bad name",
            "Names of branches and tags follow git's rules (git check-ref-format).",
            USAGE,
        ),
        told("E605", Kind.REFUSED, "default branch", "The default branch cannot be deleted.", NOT_ALLOWED),
        told("E606", Kind.NOT_FOUND, "no commits yet", "The branch has no commit.", USAGE),
        told("E607", Kind.REFUSED, "unmerged changes", "The branch holds changes no other branch has.", NOT_ALLOWED),
        told(
            "E608",
            Kind.REFUSED,
            "branch protected",
            "The branch is protected: its changes come by merges that someone else approved.",
            NOT_ALLOWED,
        ),
        told(
            "E609",
            Kind.CONFLICT,
            "fast-forward not possible",
            "The target has commits that the source does not have, or a contract holds its tables back.",
            FINDINGS,
        ),
        told(
            "E610",
            Kind.CONFLICT,
            "no common ancestor",
            "The two histories never met, so there is nothing to merge from.",
            FINDINGS,
        ),
        told(
            "E611",
            Kind.INVALID,
            "duplicate keys",
            "Rows share a key, so it cannot be said which of them changed.",
            FINDINGS,
        ),
        told(
            "E612",
            Kind.INVALID,
            "NULL in a key",
            "A key column is NULL, so the row cannot be told from others.",
            FINDINGS,
        ),
        told(
            "E613",
            Kind.INVALID,
            "key column missing",
            "A column of the key is not there, or has another type on one side.",
            USAGE,
        ),
        told("E614", Kind.NOT_FOUND, "unknown tag", "There is no such tag.", USAGE),
        told("E615", Kind.CONFLICT, "tag exists", "A tag of that name exists already.", FINDINGS),
        told("E616", Kind.NOT_FOUND, "unknown merge", "There is no such merge, or no such conflict in it.", USAGE),
        told("E617", Kind.CONFLICT, "open conflicts", "The merge has conflicts nobody has resolved.", FINDINGS),
        told("E618", Kind.CONFLICT, "merge closed", "The merge was merged, aborted or rejected already.", FINDINGS),
        told("E619", Kind.INVALID, "bad resolution", "The resolution does not fit the conflict.", USAGE),
        told(
            "E620",
            Kind.REFUSED,
            "approval needed",
            "Someone else has to approve it, or only some may merge here.",
            NOT_ALLOWED,
        ),
        told("E621", Kind.INVALID, "file refused", "A file does not fit the table; nothing of it was taken.", USAGE),
        told(
            "E622", Kind.INVALID, "file too large", "A file is larger, or has more rows, than may be uploaded.", USAGE
        ),
        told("E623", Kind.INVALID, "integrity broken", "Something in the history is not what was committed.", FINDINGS),
        told(
            "E624", Kind.NOT_FOUND, "object missing", "A tree, file or commit that the history needs is gone.", FINDINGS
        ),
        told("E625", Kind.INVALID, "bad expression", "The expression is not SQL over base, ours and theirs.", USAGE),
        told("E626", Kind.REFUSED, "external catalog", "This needs the catalog in Forge's own database.", NOT_ALLOWED),
        told("E627", Kind.INVALID, "nothing to do", "There is no change to commit, revert or pick.", FINDINGS),
        told("E628", Kind.INVALID, "bad signature", "A signature does not fit what was signed.", FINDINGS),
        told("E629", Kind.INVALID, "unreadable file", "The file cannot be read as a table.", USAGE),
        told("E630", Kind.CONFLICT, "value does not fit", "A value does not fit the type its column gets.", FINDINGS),
        told("E631", Kind.REFUSED, "personal data", "A filter would tell what a hidden column holds.", NOT_ALLOWED),
        *QUALITY_CODES,
        told(
            "E801", Kind.NOT_FOUND, "not in the lineage graph", "No recorded edge touches that table or column.", USAGE
        ),
        told(
            "E802",
            Kind.NOT_FOUND,
            "edge to an unknown node",
            "An edge can only join nodes that are in the graph.",
            USAGE,
        ),
        told("E803", Kind.INVALID, "confidence out of range", "A confidence is a number from 0 to 1.", USAGE),
        told("E804", Kind.INVALID, "edge ends before it begins", "valid_to must be after valid_from.", USAGE),
        told("E805", Kind.INVALID, "not an edge", "The edge lacks something, or two of its parts do not fit.", USAGE),
        told(
            "E806",
            Kind.CONFLICT,
            "older than what is recorded",
            "A producer must be recorded in the order of time.",
            USAGE,
        ),
        told("E807", Kind.INVALID, "name is ambiguous", "More than one entity of the lineage graph ends so.", USAGE),
        told("E808", Kind.CONFLICT, "snapshot exists", "A snapshot of the lineage has that name.", USAGE),
        told("E809", Kind.NOT_FOUND, "no such lineage snapshot", "No snapshot of the lineage has that name.", USAGE),
        told("E810", Kind.INVALID, "not a change", "That is not a change whose impact can be told.", USAGE),
        told("E811", Kind.UNAVAILABLE, "graph server cannot be reached", "Neo4j did not answer.", CANNOT_CONNECT),
        told("E812", Kind.CONFLICT, "id is taken", "Something of another type has that id in the graph.", USAGE),
        told("E813", Kind.INVALID, "not a lineage file", "The file is not an export of lineage.", USAGE),
        told("E814", Kind.INVALID, "no such record", "The record cannot be traced.", USAGE),
        told(
            "E815",
            Kind.CONFLICT,
            "edge is produced",
            "The edge was not declared by hand: its producer still makes it.",
            USAGE,
        ),
        told("E816", Kind.NOT_FOUND, "nothing to read", "There is no such file or folder of code.", USAGE),
        told("E817", Kind.INVALID, "not a schema file", "The file does not say table → {column: type}.", USAGE),
        told("E818", Kind.INVALID, "not an OpenLineage event", "A part of the event is missing or wrong.", USAGE),
        told(
            "E819", Kind.UNAVAILABLE, "Dagster cannot be read", "Dagster or its instance is not there.", COULD_NOT_RUN
        ),
        told("E820", Kind.INVALID, "not a file of edges", "The YAML file of declared lineage is malformed.", USAGE),
        told("E821", Kind.INVALID, "script failed", "The script that was watched ended with an error.", COULD_NOT_RUN),
        told("E822", Kind.INVALID, "unknown dialect", "No dialect of SQL has that name.", USAGE),
        told(
            "E823",
            Kind.INVALID,
            "lineage disagrees",
            "What was read out of the code is not what Spark makes of it.",
            FINDINGS,
        ),
        told(
            "E824", Kind.INVALID, "gaps in the lineage", "Some code was not understood, and --strict is on.", FINDINGS
        ),
        told("E901", Kind.UNAVAILABLE, "interrupted", "The command was cancelled. Nothing was published.", INTERRUPTED),
        told("E902", Kind.UNAVAILABLE, "port taken", "Another program listens on that port already.", COULD_NOT_RUN),
        told(
            "E903",
            Kind.REFUSED,
            "not signed in",
            "The server answers only to a valid token, or to a browser that signed in with one.",
            NOT_ALLOWED,
        ),
        told(
            "E904",
            Kind.REFUSED,
            "not allowed",
            "The token may only read, or a browser sent the request from another site.",
            NOT_ALLOWED,
        ),
        told(
            "E905",
            Kind.REFUSED,
            "unsafe address",
            "On an address that other machines reach, tokens need TLS or a proxy that adds it.",
            NOT_ALLOWED,
        ),
        told(
            "E906",
            Kind.UNAVAILABLE,
            "queue full",
            "As many runs wait as the server takes, or it is being stopped. Nothing was queued.",
            COULD_NOT_RUN,
        ),
        told(
            "E907",
            Kind.CONFLICT,
            "runs elsewhere",
            "The run belongs to another process, which alone can cancel it.",
            COULD_NOT_RUN,
        ),
        told("E909", Kind.CONFLICT, "has ended", "The run has ended, so there is nothing to cancel.", FINDINGS),
        told(
            "E910",
            Kind.INVALID,
            "unknown host",
            "A request named a host that this server does not answer for, as a page of another site would.",
            USAGE,
        ),
    )
)
