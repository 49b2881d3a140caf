"""A database by its JDBC driver: its address and the options of the reader. Options that are none of the reader's are
properties of the driver, which knows its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from forge.federation.address import has_credentials
from forge.model.errors import ForgeError
from forge.model.file_options import SECRET_WORDS, Where, secret_in_file

EXAMPLE = "jdbc:sqlserver://db.example.com:1433;databaseName=crm"
_ADDRESS = re.compile(r"jdbc:[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x1f]+")
_PROPERTY = re.compile(r"[?&;,(]\s*([\w.-]+)\s*=")
_CLASS = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*")
_WITHOUT_USER = re.compile(r"^(jdbc:oracle:\w+:)@")  # the address of Oracle has the sign where there is no user, too
_COUNTS: Mapping[str, int] = {"fetchsize": 1_000_000, "querytimeout": 604_800}
# Words of Spark's reader that say what is read, as whom, or in how many transactions: Forge says that.
_OF_SPARK = frozenset(
    {"url", "user", "password", "dbtable", "query", "preparequery", "sessioninitstatement", "customschema", "hint",
     "partitioncolumn", "lowerbound", "upperbound", "numpartitions", "prefertimestampntz", "connectionprovider",
     "keytab", "principal", "refreshkrb5config", "isolationlevel", "batchsize", "truncate", "cascadetruncate",
     "createtableoptions", "createtablecolumntypes", "tablecomment", "predicates", "paths", "path"}
)  # fmt: skip


def without_sign(url: str) -> str:
    """The address for who looks for a user in it."""
    return _WITHOUT_USER.sub(r"\1", url.strip())


def find_bad_jdbc(url: str, options: Mapping[str, str], where: Where, code: str) -> Iterator[ForgeError]:
    if not _ADDRESS.fullmatch(url.strip()):
        at = where(("url",) if url else ())
        yield ForgeError(code, "a jdbc source needs a url of JDBC", where=at, fix=f"Write it like {EXAMPLE}")
    elif url.strip().lower().startswith("jdbc:sqlite:"):
        why = "Its driver fails on decimals beside Spark's reader, and reads a text among numbers as 0."
        fix = "Write `connector: sqlite` and `path:`."
        yield ForgeError(code, "SQLite is not read by its JDBC driver", where=where(("url",)), why=why, fix=fix)
    elif not has_credentials(without_sign(url)) and any(map(SECRET_WORDS.search, _PROPERTY.findall(url))):
        yield secret_in_file("url", where(("url",)))
    for name, value in options.items():
        place, word = where(("options", name)), name.lower()
        if word in _OF_SPARK or word.startswith(("pushdown", "spark.")):
            why = "What is read, as whom and how often is said by Forge."
            yield ForgeError(code, f"a jdbc source has no option {name}", where=place, why=why, fix="Remove it.")
        elif word == "driver" and not _CLASS.fullmatch(value):
            fix = "Write it like com.microsoft.sqlserver.jdbc.SQLServerDriver"
            yield ForgeError(code, "the driver is no class of Java", where=place, fix=fix)
        elif word in _COUNTS and not (re.fullmatch(r"[0-9]{1,9}", value) and 0 < int(value) <= _COUNTS[word]):
            fix = f"Write a whole number up to {_COUNTS[word]:,}."
            yield ForgeError(code, f"{name} is no such number", where=place, fix=fix)
