"""Addresses of databases and APIs: `jdbc:postgresql://host:5432/name?sslmode=require`, `https://host/v1`, without a
user and a password."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from forge.federation.source import ConnectorKind

_HOST = r"(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]+\])"
_URL = re.compile(rf"jdbc:(?P<scheme>[a-z]+)://(?P<host>{_HOST})(?::(?P<port>[0-9]{{1,5}}))?(?:/(?P<rest>.*))?")
_API_URL = re.compile(rf"(?P<scheme>https?)://(?P<host>{_HOST})(?::(?P<port>[0-9]{{1,5}}))?(?P<path>/.*)?")
_API_PATH = re.compile(r"(?:/[A-Za-z0-9._~!$'()*+,;=:@-]*)*")
_API_PORTS = {"https": 443, "http": 80}
_CREDENTIALS = re.compile(
    r"(?:^|[?&;,(])\s*(?:user|username|password|passwd|pwd|sslpassword|sslkey|passfile)\s*=|^[^?#]*@", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class AddressForm:
    """How addresses of a kind of database are written."""

    schemes: tuple[str, ...]
    port: int
    example: str


ADDRESSES: Mapping[ConnectorKind, AddressForm] = {
    ConnectorKind.POSTGRESQL: AddressForm(("postgresql",), 5432, "jdbc:postgresql://host:5432/name"),
    ConnectorKind.MYSQL: AddressForm(("mysql", "mariadb"), 3306, "jdbc:mysql://host:3306/name"),
}


API_EXAMPLE = "https://api.example.com/v1"


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """`host` in small letters, without the brackets of IPv6."""

    host: str
    port: int
    database: str
    parameters: Mapping[str, str]


def parse_address(kind: ConnectorKind, url: str) -> DatabaseAddress | None:
    """None: it is not of that form. One host, as its characters stand: nothing that programs read differently."""
    form, found = ADDRESSES.get(kind), _URL.fullmatch(url)
    if form is None or found is None or found["scheme"] not in form.schemes:
        return None
    database, _, query = (found["rest"] or "").partition("?")
    port = int(found["port"] or form.port)
    parameters = parse_qsl(query, keep_blank_values=True)
    if not re.fullmatch(r"[^/?#;&@%\s\\]*", database) or not 0 < port < 65_536 or "#" in query:
        return None
    if len(dict(parameters)) < len(parameters):
        return None
    return DatabaseAddress(found["host"].lower().strip("[]"), port, database, dict(parameters))


@dataclass(frozen=True, slots=True)
class ApiAddress:
    """`host` in small letters, without the brackets of IPv6. `path` ends without a slash."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> tuple[str, str, int]:
        """What must stay the same from page to page."""
        return self.scheme, self.host, self.port

    @property
    def base(self) -> str:
        """Without the path."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def parse_api_address(url: str) -> ApiAddress | None:
    """None: it is not of that form. Parameters and fragments are no part of it."""
    found = _API_URL.fullmatch(url)
    if found is None or not is_api_path(found["path"] or ""):
        return None
    port = int(found["port"] or _API_PORTS[found["scheme"]])
    if not 0 < port < 65_536:
        return None
    return ApiAddress(found["scheme"], found["host"].lower().strip("[]"), port, (found["path"] or "").rstrip("/"))


def is_api_path(path: str) -> bool:
    """A path that all programs read alike: no escapes, no steps upwards."""
    return _API_PATH.fullmatch(path) is not None and not {".", ".."} & set(path.split("/"))


def has_credentials(url: str) -> bool:
    """Whether a user or a password is in it."""
    return _CREDENTIALS.search(url) is not None
