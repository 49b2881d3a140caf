"""The meaning of every error code: what `forge explain` prints, and the exit status of the command.

E1xx project and settings, E2xx transforms and sources, E3xx engine, E4xx stores and publish, E5xx contracts,
E6xx versioning, E7xx quality, E8xx lineage, E9xx the server.
"""

from __future__ import annotations

from dataclasses import dataclass

from forge.model.errors import Kind

FINDINGS, USAGE, COULD_NOT_RUN, NOT_ALLOWED, CANNOT_CONNECT, INTERRUPTED = 1, 2, 3, 4, 5, 130


@dataclass(frozen=True, slots=True)
class Code:
    code: str
    kind: Kind
    title: str
    meaning: str
    exit: int


def _code(code: str, kind: Kind, title: str, meaning: str, exit: int) -> tuple[str, Code]:
    return code, Code(code, kind, title, meaning, exit)


CODES: dict[str, Code] = dict(
    (
        _code(
            "E000",
            Kind.INVALID,
            "unexpected",
            "Something happened that Forge did not foresee; -vv shows the stack trace.",
            COULD_NOT_RUN,
        ),
        _code(
            "E101",
            Kind.INVALID,
            "bad name",
            "Tables are named schema.table with letters, digits and underscores.",
            USAGE,
        ),
        _code("E102", Kind.NOT_FOUND, "no project", "The command needs a project: a folder with a forge.yaml.", USAGE),
        _code(
            "E103",
            Kind.INVALID,
            "malformed YAML",
            "A file of the project is not valid YAML, or not of the expected shape.",
            COULD_NOT_RUN,
        ),
        _code(
            "E104",
            Kind.INVALID,
            "unknown key",
            "A settings or definition file has a key Forge does not know. Nothing is ignored silently.",
            COULD_NOT_RUN,
        ),
        _code(
            "E105",
            Kind.INVALID,
            "bad value",
            "A setting, parameter or option has a value of the wrong type or form.",
            USAGE,
        ),
        _code(
            "E106",
            Kind.REFUSED,
            "secret in a file",
            "Secrets are references (env:NAME or file:/path), so that none is stored.",
            COULD_NOT_RUN,
        ),
        _code(
            "E107",
            Kind.NOT_FOUND,
            "secret not found",
            "The environment variable or file that a secret points at does not exist.",
            COULD_NOT_RUN,
        ),
        _code(
            "E108",
            Kind.NOT_FOUND,
            "unknown name",
            "The table, column, transform, selector, run or code asked for does not exist.",
            USAGE,
        ),
        _code("E109", Kind.REFUSED, "already there", "The file or folder that would be created exists.", USAGE),
        _code("E201", Kind.INVALID, "SQL syntax error", "A transform's SQL could not be parsed.", COULD_NOT_RUN),
        _code(
            "E202",
            Kind.NOT_FOUND,
            "unknown table",
            "A transform reads a table that is no source, no transform's output and not in the lake.",
            COULD_NOT_RUN,
        ),
        _code(
            "E203",
            Kind.NOT_FOUND,
            "unknown column",
            "A transform names a column its inputs do not have.",
            COULD_NOT_RUN,
        ),
        _code("E204", Kind.INVALID, "cycle", "Transforms depend on each other in a circle.", COULD_NOT_RUN),
        _code(
            "E205",
            Kind.INVALID,
            "output defined twice",
            "Two transforms or sources write the same table.",
            COULD_NOT_RUN,
        ),
        _code(
            "E206",
            Kind.INVALID,
            "bad transform definition",
            "An option of a transform or source is missing or of the wrong form.",
            COULD_NOT_RUN,
        ),
        _code(
            "E207",
            Kind.INVALID,
            "transform raised",
            "The Python code of a transform raised an exception.",
            COULD_NOT_RUN,
        ),
        _code("E208", Kind.NOT_FOUND, "missing file", "A source's file does not exist.", COULD_NOT_RUN),
        _code(
            "E209", Kind.INVALID, "wrong columns", "A source's file does not have the declared columns.", COULD_NOT_RUN
        ),
        _code(
            "E210",
            Kind.INVALID,
            "bad rows",
            "A source's file has rows that do not fit the declared types.",
            COULD_NOT_RUN,
        ),
        _code(
            "E211",
            Kind.INVALID,
            "query failed",
            "Spark's analyser refused a query, for a reason other than syntax or a name.",
            COULD_NOT_RUN,
        ),
        _code(
            "E212",
            Kind.INVALID,
            "duplicate key",
            "The result of an incremental transform has the same unique key twice.",
            COULD_NOT_RUN,
        ),
        _code("E213", Kind.REFUSED, "not a query", "Only SELECT statements are accepted here.", USAGE),
        _code(
            "E214",
            Kind.INVALID,
            "values would be lost",
            "An incremental transform would drop or retype a column of rows that it keeps.",
            COULD_NOT_RUN,
        ),
        _code(
            "E215",
            Kind.REFUSED,
            "loaded file changed",
            "A file that an append source has loaded was changed afterwards; loading it again would double its rows.",
            COULD_NOT_RUN,
        ),
        _code("E301", Kind.UNAVAILABLE, "no Java", "Spark needs Java 17 or newer.", COULD_NOT_RUN),
        _code(
            "E302", Kind.UNAVAILABLE, "Spark did not start", "The Spark session could not be created.", CANNOT_CONNECT
        ),
        _code(
            "E303",
            Kind.REFUSED,
            "Spark Connect",
            "Spark Connect hides the analysed plan, from which column lineage is read.",
            COULD_NOT_RUN,
        ),
        _code("E304", Kind.UNAVAILABLE, "Spark job failed", "A Spark job ended with an error.", COULD_NOT_RUN),
        _code(
            "E305",
            Kind.UNAVAILABLE,
            "disk full",
            "The warehouse has no space left. Nothing was published.",
            COULD_NOT_RUN,
        ),
        _code("E306", Kind.UNAVAILABLE, "jars not found", "Spark's packages could not be resolved.", CANNOT_CONNECT),
        _code(
            "E307",
            Kind.UNAVAILABLE,
            "Spark died",
            "Spark's Java process ended while it was needed. Nothing was published; the next run starts a new one.",
            CANNOT_CONNECT,
        ),
        _code(
            "E401", Kind.UNAVAILABLE, "database unreachable", "Forge's database could not be opened.", CANNOT_CONNECT
        ),
        _code(
            "E402",
            Kind.INVALID,
            "database too new or too old",
            "The database was written by another version of Forge.",
            COULD_NOT_RUN,
        ),
        _code(
            "E403",
            Kind.CONFLICT,
            "publish conflict",
            "Someone else published the same table while the run worked. Nothing of this run was published.",
            FINDINGS,
        ),
        _code(
            "E404", Kind.UNAVAILABLE, "database busy", "Another process held the database for too long.", CANNOT_CONNECT
        ),
        _code(
            "E405",
            Kind.UNAVAILABLE,
            "catalog unreachable",
            "The external Iceberg catalog could not be reached.",
            CANNOT_CONNECT,
        ),
        _code(
            "E406", Kind.INVALID, "metadata unreadable", "A table's metadata file is missing or damaged.", COULD_NOT_RUN
        ),
        _code(
            "E407",
            Kind.REFUSED,
            "storage cannot be listed",
            "Files of this storage cannot be listed from here.",
            NOT_ALLOWED,
        ),
        _code(
            "E408",
            Kind.UNAVAILABLE,
            "warehouse cannot be written",
            "A file of the warehouse could not be written.",
            COULD_NOT_RUN,
        ),
        _code(
            "E410",
            Kind.NOT_FOUND,
            "rows gone",
            "The snapshot of that version is no longer in the lake: something other than Forge expired or replaced it.",
            COULD_NOT_RUN,
        ),
        _code(
            "E501",
            Kind.INVALID,
            "required field missing",
            "A contract lacks a field the standard requires.",
            COULD_NOT_RUN,
        ),
        _code("E502", Kind.INVALID, "bad format", "A contract's field is not of the required form.", COULD_NOT_RUN),
        _code(
            "E503",
            Kind.INVALID,
            "unknown type",
            "A contract names a type outside the standard's type system.",
            COULD_NOT_RUN,
        ),
        _code("E530", Kind.INVALID, "type mismatch", "A column's type differs from the contract's.", FINDINGS),
        _code("E531", Kind.INVALID, "column missing", "A column of the contract is missing in the table.", FINDINGS),
        _code(
            "E532",
            Kind.INVALID,
            "undocumented column",
            "A column is not in the contract. Reported, never blocking.",
            FINDINGS,
        ),
        _code("E601", Kind.NOT_FOUND, "unknown revision", "No branch, tag, commit or time matches.", USAGE),
        _code("E602", Kind.NOT_FOUND, "unknown branch", "There is no such branch.", USAGE),
        _code("E603", Kind.CONFLICT, "branch exists", "A branch of that name exists already.", FINDINGS),
        _code(
            "E604",
            Kind.INVALID,
            "bad name",
            "Names of branches and tags follow git's rules (git check-ref-format).",
            USAGE,
        ),
        _code("E605", Kind.REFUSED, "default branch", "The default branch cannot be deleted.", NOT_ALLOWED),
        _code("E606", Kind.NOT_FOUND, "no commits yet", "The branch has no commit.", USAGE),
        _code("E607", Kind.REFUSED, "unmerged changes", "The branch holds changes no other branch has.", NOT_ALLOWED),
        _code(
            "E608",
            Kind.REFUSED,
            "branch protected",
            "The branch is protected: its changes come by merges that someone else approved.",
            NOT_ALLOWED,
        ),
        _code(
            "E609",
            Kind.CONFLICT,
            "fast-forward not possible",
            "The target has commits that the source does not have.",
            FINDINGS,
        ),
        _code(
            "E610",
            Kind.CONFLICT,
            "no common ancestor",
            "The two histories never met, so there is nothing to merge from.",
            FINDINGS,
        ),
        _code(
            "E611",
            Kind.INVALID,
            "duplicate keys",
            "Rows share a key, so it cannot be said which of them changed.",
            FINDINGS,
        ),
        _code(
            "E612",
            Kind.INVALID,
            "NULL in a key",
            "A key column is NULL, so the row cannot be told from others.",
            FINDINGS,
        ),
        _code(
            "E613",
            Kind.INVALID,
            "key column missing",
            "A column of the key is not there, or has another type on one side.",
            USAGE,
        ),
        _code("E614", Kind.NOT_FOUND, "unknown tag", "There is no such tag.", USAGE),
        _code("E615", Kind.CONFLICT, "tag exists", "A tag of that name exists already.", FINDINGS),
        _code("E616", Kind.NOT_FOUND, "unknown merge", "There is no such merge, or no such conflict in it.", USAGE),
        _code("E617", Kind.CONFLICT, "open conflicts", "The merge has conflicts nobody has resolved.", FINDINGS),
        _code("E618", Kind.CONFLICT, "merge closed", "The merge was merged, aborted or rejected already.", FINDINGS),
        _code("E619", Kind.INVALID, "bad resolution", "The resolution does not fit the conflict.", USAGE),
        _code(
            "E620",
            Kind.REFUSED,
            "approval needed",
            "Someone else has to approve it, or only some may merge here.",
            NOT_ALLOWED,
        ),
        _code("E621", Kind.INVALID, "file refused", "A file does not fit the table; nothing of it was taken.", USAGE),
        _code(
            "E622", Kind.INVALID, "file too large", "A file is larger, or has more rows, than may be uploaded.", USAGE
        ),
        _code(
            "E623", Kind.INVALID, "integrity broken", "Something in the history is not what was committed.", FINDINGS
        ),
        _code(
            "E624", Kind.NOT_FOUND, "object missing", "A tree, file or commit that the history needs is gone.", FINDINGS
        ),
        _code("E625", Kind.INVALID, "bad expression", "The expression is not SQL over base, ours and theirs.", USAGE),
        _code("E626", Kind.REFUSED, "external catalog", "This needs the catalog in Forge's own database.", NOT_ALLOWED),
        _code("E627", Kind.INVALID, "nothing to do", "There is no change to commit, revert or pick.", FINDINGS),
        _code("E628", Kind.INVALID, "bad signature", "A signature does not fit what was signed.", FINDINGS),
        _code("E629", Kind.INVALID, "unreadable file", "The file cannot be read as a table.", USAGE),
        _code("E630", Kind.CONFLICT, "value does not fit", "A value does not fit the type its column gets.", FINDINGS),
        _code("E631", Kind.REFUSED, "personal data", "A filter would tell what a hidden column holds.", NOT_ALLOWED),
        _code(
            "E701",
            Kind.INVALID,
            "bad check",
            "A check's definition is missing something or names an unknown type.",
            COULD_NOT_RUN,
        ),
        _code(
            "E702",
            Kind.INVALID,
            "gate failed",
            "A check of severity error or critical failed on the staged data, so it was not published.",
            FINDINGS,
        ),
        _code(
            "E703",
            Kind.INVALID,
            "check not measured",
            "A check could not be measured, which blocks like a failure.",
            FINDINGS,
        ),
        _code(
            "E801", Kind.NOT_FOUND, "not in the lineage graph", "No recorded edge touches that table or column.", USAGE
        ),
        _code(
            "E802",
            Kind.NOT_FOUND,
            "edge to an unknown node",
            "An edge can only join nodes that are in the graph.",
            USAGE,
        ),
        _code("E803", Kind.INVALID, "confidence out of range", "A confidence is a number from 0 to 1.", USAGE),
        _code("E804", Kind.INVALID, "edge ends before it begins", "valid_to must be after valid_from.", USAGE),
        _code("E805", Kind.INVALID, "not an edge", "The edge lacks something, or two of its parts do not fit.", USAGE),
        _code(
            "E806",
            Kind.CONFLICT,
            "older than what is recorded",
            "A producer must be recorded in the order of time.",
            USAGE,
        ),
        _code("E807", Kind.INVALID, "name is ambiguous", "More than one entity of the lineage graph ends so.", USAGE),
        _code("E808", Kind.CONFLICT, "snapshot exists", "A snapshot of the lineage has that name.", USAGE),
        _code("E809", Kind.NOT_FOUND, "no such lineage snapshot", "No snapshot of the lineage has that name.", USAGE),
        _code("E810", Kind.INVALID, "not a change", "That is not a change whose impact can be told.", USAGE),
        _code("E811", Kind.UNAVAILABLE, "graph server cannot be reached", "Neo4j did not answer.", CANNOT_CONNECT),
        _code("E812", Kind.CONFLICT, "id is taken", "Something of another type has that id in the graph.", USAGE),
        _code("E813", Kind.INVALID, "not a lineage file", "The file is not an export of lineage.", USAGE),
        _code("E814", Kind.INVALID, "no such record", "The record cannot be traced.", USAGE),
        _code(
            "E815",
            Kind.CONFLICT,
            "edge is produced",
            "The edge was not declared by hand: its producer still makes it.",
            USAGE,
        ),
        _code("E816", Kind.NOT_FOUND, "nothing to read", "There is no such file or folder of code.", USAGE),
        _code("E817", Kind.INVALID, "not a schema file", "The file does not say table → {column: type}.", USAGE),
        _code("E818", Kind.INVALID, "not an OpenLineage event", "A part of the event is missing or wrong.", USAGE),
        _code(
            "E819", Kind.UNAVAILABLE, "Dagster cannot be read", "Dagster or its instance is not there.", COULD_NOT_RUN
        ),
        _code("E820", Kind.INVALID, "not a file of edges", "The YAML file of declared lineage is malformed.", USAGE),
        _code("E821", Kind.INVALID, "script failed", "The script that was watched ended with an error.", COULD_NOT_RUN),
        _code("E822", Kind.INVALID, "unknown dialect", "No dialect of SQL has that name.", USAGE),
        _code(
            "E823",
            Kind.INVALID,
            "lineage disagrees",
            "What was read out of the code is not what Spark makes of it.",
            FINDINGS,
        ),
        _code(
            "E824", Kind.INVALID, "gaps in the lineage", "Some code was not understood, and --strict is on.", FINDINGS
        ),
        _code(
            "E901", Kind.UNAVAILABLE, "interrupted", "The command was cancelled. Nothing was published.", INTERRUPTED
        ),
        _code("E902", Kind.UNAVAILABLE, "port taken", "Another program listens on that port already.", COULD_NOT_RUN),
        _code(
            "E903",
            Kind.REFUSED,
            "not signed in",
            "The server answers only to a valid token, or to a browser that signed in with one.",
            NOT_ALLOWED,
        ),
        _code(
            "E904",
            Kind.REFUSED,
            "not allowed",
            "The token may only read, or a browser sent the request from another site.",
            NOT_ALLOWED,
        ),
        _code(
            "E905",
            Kind.REFUSED,
            "unsafe address",
            "On an address that other machines reach, tokens need TLS or a proxy that adds it.",
            NOT_ALLOWED,
        ),
        _code(
            "E906",
            Kind.UNAVAILABLE,
            "queue full",
            "As many runs wait as the server takes, or it is being stopped. Nothing was queued.",
            COULD_NOT_RUN,
        ),
        _code(
            "E907",
            Kind.CONFLICT,
            "runs elsewhere",
            "The run belongs to another process, which alone can cancel it.",
            COULD_NOT_RUN,
        ),
        _code("E909", Kind.CONFLICT, "has ended", "The run has ended, so there is nothing to cancel.", FINDINGS),
        _code(
            "E910",
            Kind.INVALID,
            "unknown host",
            "A request named a host that this server does not answer for, as a page of another site would.",
            USAGE,
        ),
    )
)
