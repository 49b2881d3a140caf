"""What sources that were created over HTTP may reach: the hosts, folders and secrets that the operator names, and by
default none. A request must not make the server send its secrets somewhere, or read its files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from forge.federation.address import ADDRESSES, parse_address, parse_api_address
from forge.federation.object_path import is_object_path, parse_object_path
from forge.federation.rest_options import SIGN_IN
from forge.federation.source import ConnectorKind, Source, SourceOrigin
from forge.model.errors import ForgeError, SourceNotAllowedError

_PARAMETERS = frozenset({"sslmode"})  # of a url: none that names a file, a class or another host
_FILE_OPTIONS = frozenset(
    {"header", "sep", "delimiter", "quote", "escape", "encoding", "nullvalue", "multiline", "dateformat",
     "timestampformat", "comment", "mode"}
)  # fmt: skip
_OBJECT_OPTIONS = frozenset({"region"})
_PATH_OPTIONS: Mapping[ConnectorKind, frozenset[str]] = {
    ConnectorKind.FILES: _FILE_OPTIONS,
    ConnectorKind.SQLITE: frozenset(),
    ConnectorKind.DELTA: frozenset({"versionasof", "timestampasof"}),
}


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """`hosts`: `db.example.com` (at the port that its kind of database has) or `db.example.com:6432`; of APIs
    `https://api.example.com`, so that a host named for its database answers no other program. `secrets`: names of
    environment variables, or patterns of them. `folders`: of the project."""

    hosts: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def find_breaches(source: Source, limits: SourceLimits) -> Iterator[ForgeError]:
    """All that it may not reach, as far as its words show; where links lead is looked up when it is opened."""
    if source.connector is ConnectorKind.JDBC:
        yield _no_jdbc()
        return
    for key, reference in (("user", source.user), ("password", source.password)):
        if reference:
            yield from _find_bad_secret(key, reference, limits)
    if source.connector in _PATH_OPTIONS and is_object_path(source.path):
        yield from _find_bad_bucket(source, limits)
        yield from _find_bad_options(source, _PATH_OPTIONS[source.connector] | _OBJECT_OPTIONS)
    elif source.connector in _PATH_OPTIONS:
        yield from _find_bad_path(source, limits)
        yield from _find_bad_options(source, _PATH_OPTIONS[source.connector])
    elif source.connector is ConnectorKind.REST:
        yield from _find_bad_api(source, limits)
        yield from _find_bad_options(source, SIGN_IN)
    else:
        yield from _find_no_credentials(source)
        yield from _find_bad_host(source, limits)
        yield from _find_bad_options(source, _PARAMETERS)


def _find_no_credentials(source: Source) -> Iterator[ForgeError]:
    for key, reference in (("user", source.user), ("password", source.password)):
        if not reference:
            why = "Without one the driver takes what it finds on the server: its user, its environment, its files."
            yield _breach(f"{key}: a database needs one here", key, why)


def _find_bad_secret(key: str, reference: str, limits: SourceLimits) -> Iterator[ForgeError]:
    kind, _, name = reference.partition(":")
    if kind != "env":
        yield _breach(f"{key}: only env: is possible here", key, "A file of the server could be sent to any host.")
    elif not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or not any(fnmatchcase(name, one) for one in limits.secrets):
        allowed = ", ".join(limits.secrets) or "none"
        yield _breach(
            f"{key}: this environment variable may not be used here",
            key,
            f"federation.secrets in forge.yaml allows {allowed}.",
        )


def _find_bad_host(source: Source, limits: SourceLimits) -> Iterator[ForgeError]:
    address = parse_address(source.connector, source.url)
    port = ADDRESSES[source.connector].port
    allowed = {_host_and_port(one, port) for one in limits.hosts}
    if address is None or (address.host, address.port) not in allowed:
        yield _breach(
            "url: this host may not be reached",
            "url",
            "federation.hosts in forge.yaml does not name it with this port.",
        )
    elif not address.parameters.keys() <= _PARAMETERS:
        names = ", ".join(sorted(address.parameters.keys() - _PARAMETERS))
        yield _breach(f"url: {names} cannot be set here", "url", f"Only {', '.join(_PARAMETERS)} can.")


def _find_bad_api(source: Source, limits: SourceLimits) -> Iterator[ForgeError]:
    """Where its pages and redirects lead is looked at again as they come: never to another host."""
    address = parse_api_address(source.url)
    allowed = {one.origin for one in map(parse_api_address, limits.hosts) if one is not None and not one.path}
    if address is None or address.origin not in allowed:
        yield _breach(
            "url: this API may not be reached",
            "url",
            "federation.hosts in forge.yaml does not name it with its scheme: https://api.example.com.",
        )


def _find_bad_bucket(source: Source, limits: SourceLimits) -> Iterator[ForgeError]:
    """Of AWS alone: programs of another endpoint could send the server on to any host."""
    path = parse_object_path(source.path)
    if path is None or f"s3a://{path.bucket}" not in limits.hosts or source.connector is ConnectorKind.SQLITE:
        why = f"federation.hosts in forge.yaml does not name s3a://{path.bucket if path else 'bucket'}."
        yield _breach("path: this bucket may not be reached", "path", why)


def _find_bad_path(source: Source, limits: SourceLimits) -> Iterator[ForgeError]:
    path = PurePosixPath(source.path)
    parts = path.parts
    odd = re.search(r"[\x00-\x1f\\:%#]", source.path) or (
        source.connector is not ConnectorKind.FILES and re.search(r"[?*\[\]]", source.path)
    )
    hidden = any(part.startswith((".", "~")) for part in parts)
    inside = any(is_below(parts, PurePosixPath(folder).parts) for folder in limits.folders)
    if odd or hidden or path.is_absolute() or not inside:
        allowed = ", ".join(limits.folders) or "none"
        yield _breach(
            "path: it may not be read from here",
            "path",
            f"federation.folders in forge.yaml allows {allowed}, and what is hidden never.",
        )


def is_below(parts: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    """Whether a path is that folder or in it; the empty folder is the project itself."""
    return ".." not in parts and parts[: len(folder)] == folder and len(parts) > 0


def _find_bad_options(source: Source, allowed: frozenset[str]) -> Iterator[ForgeError]:
    for name, value in source.options.items():
        if name.lower() not in allowed or value.startswith(("env:", "file:")):
            why = f"These can: {', '.join(sorted(allowed)) or 'none'}."
            yield _breach(f"options: {name} cannot be set here", f"options.{name}", why)


def _host_and_port(text: str, port: int) -> tuple[str, int]:
    found = re.fullmatch(r"\[?([^\[\]]*?)\]?(?::([0-9]{1,5}))?", text.strip())
    if found is None or (text.count(":") > 1 and "[" not in text):
        return text.strip().lower(), port
    return found[1].lower().rstrip("."), int(found[2] or port)


def refuse_out_of_files(source: Source) -> None:
    """Of a source that is of no file: it would have to have been written past all that makes one."""
    if source.origin is not SourceOrigin.FILE:
        raise _no_jdbc()


def _no_jdbc() -> ForgeError:
    """`INIT=RUNSCRIPT`, `socketFactory`, `autoDeserialize`: which words of an address are harmless, only its driver
    knows."""
    why = "A JDBC address and its driver can name files, hosts and code of the server."
    fix = "Declare it in sources/*.yaml."
    return SourceNotAllowedError("a jdbc source stands in a file", where="connector", why=why, fix=fix)


def _breach(what: str, where: str, why: str) -> ForgeError:
    return SourceNotAllowedError(
        what,
        where=where,
        why=why,
        fix="Declare it in sources/*.yaml or with `forge source add`, or let the operator allow it in forge.yaml.",
    )
