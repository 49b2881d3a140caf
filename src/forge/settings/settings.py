"""The effective settings."""

from __future__ import annotations

import getpass
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from forge.model.errors import MissingSecretError
from forge.model.names import TableName
from forge.model.secret import is_reference, resolve_secret
from forge.settings.governance import SettingsLevel
from forge.settings.governance_keys import GovernanceKeys
from forge.settings.keys import (
    SPARK_DEFAULTS,
    AlertKeys,
    CatalogKeys,
    FederationKeys,
    Keys,
    LineageKeys,
    ParamKeys,
    PiiKeys,
    QualityKeys,
    RunKeys,
    ServerKeys,
    VersioningKeys,
)
from forge.settings.params import spark_text

if TYPE_CHECKING:
    from forge.catalog.pii import PiiType

# Names of keys that hold secrets; there is no list of them, as Spark passes keys of any library through.
SECRET_KEY = re.compile(r"(password|passwd|secret|secret\.?key|[._]token|oauthtoken|account\.key.*)$", re.IGNORECASE)

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class User:
    name: str
    email: str | None = None

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>" if self.email else self.name


@dataclass(frozen=True)
class Settings:
    """The effective settings. Secrets are resolved when a method needs them, never before."""

    root: Path
    keys: Keys
    environ: Mapping[str, str] = field(repr=False, compare=False)
    levels: tuple[SettingsLevel, ...] = ()  # of governance, the outermost file first, the project last

    @property
    def project(self) -> str:
        return self.keys.project or self.root.name

    @property
    def parallel(self) -> int:
        return self.keys.parallel

    @property
    def run(self) -> RunKeys:
        return self.keys.run

    @property
    def params(self) -> Mapping[str, ParamKeys]:
        return self.keys.params

    @property
    def lineage(self) -> LineageKeys:
        return self.keys.lineage

    @property
    def versioning(self) -> VersioningKeys:
        return self.keys.versioning

    @property
    def quality(self) -> QualityKeys:
        return self.keys.quality

    @property
    def pii(self) -> PiiKeys:
        return self.keys.pii

    @property
    def pii_types(self) -> tuple[PiiType, ...]:
        """Of the project, beside those that Forge knows."""
        if not self.pii.types:
            return ()
        from forge.settings.pii_types import pii_types_of  # its words take their time to load

        return pii_types_of(self.pii)

    @property
    def owners(self) -> Mapping[str, str]:
        return self.keys.owners

    @property
    def server(self) -> ServerKeys:
        return self.keys.server

    @property
    def federation(self) -> FederationKeys:
        return self.keys.federation

    @property
    def alerts(self) -> AlertKeys:
        return self.keys.alerts

    @property
    def governance(self) -> GovernanceKeys:
        return self.keys.governance

    @property
    def catalog(self) -> CatalogKeys:
        return self.keys.catalog

    @property
    def spark(self) -> dict[str, str]:
        """`master` and the spark.* settings as texts, defaults included, secrets resolved."""
        given = {"master": self.keys.spark.master, **(self.keys.spark.model_extra or {})}
        texts = {key: spark_text(value) for key, value in given.items()}
        return {**SPARK_DEFAULTS, **{key: self._secret(key, text) for key, text in texts.items()}}

    def catalog_properties(self) -> dict[str, str]:
        """The properties of an external catalog, secrets resolved."""
        return {key: self._secret(key, text) for key, text in self.catalog.properties.items()}

    def database_url(self) -> str:
        """The SQLAlchemy URL, secrets resolved."""
        url = self.keys.database
        if is_reference(url):
            url = resolve_secret(url, self.environ, "database")
        if url == "sqlite":
            return f"sqlite:///{self.root / '.forge' / 'forge.db'}"
        prefix, path = "sqlite:///", url.removeprefix("sqlite:///")
        is_relative = url.startswith(prefix) and path not in ("", ":memory:") and not path.startswith(("/", "file:"))
        return f"{prefix}{self.root / path}" if is_relative else str(url)

    def warehouse_path(self) -> str:
        """An absolute path, or the URI of an object store as written."""
        if _REMOTE.match(self.keys.warehouse):
            return self.keys.warehouse
        return str(self.root / Path(self.keys.warehouse).expanduser())

    def trusted_keys(self) -> tuple[str, ...]:
        """The text of each public key; a relative path starts at the project."""
        return tuple(map(self._key_text, self.versioning.trusted_keys))

    def _key_text(self, given: str) -> str:
        if "-----BEGIN" in given:
            return given
        path = self.root / Path(given).expanduser()
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise MissingSecretError(
                f"the key file {path} cannot be read",
                where="versioning.trusted_keys",
                why=reason,
                fix="Create the file, or correct the path.",
            ) from error

    def owner_of(self, table: TableName | str) -> str | None:
        return next((owner for pattern, owner in self.owners.items() if fnmatchcase(str(table), pattern)), None)

    @cached_property
    def user(self) -> User:
        keys = self.keys.user
        git = {} if keys.name and keys.email else self._git_user()
        return User(keys.name or git.get("user.name") or self._login(), keys.email or git.get("user.email"))

    def _secret(self, key: str, text: str) -> str:
        # `file:/path` is also an ordinary value of Spark (an event log's folder), so it is read for secrets only.
        if text.startswith("env:") or (is_reference(text) and SECRET_KEY.search(key)):
            return resolve_secret(text, self.environ, key)
        return text

    def _git_user(self) -> dict[str, str]:
        git = shutil.which("git", path=self.environ.get("PATH"))
        if git is None:
            return {}
        words = [git, "config", "--null", "--get-regexp", r"^user\.(name|email)$"]
        found = subprocess.run(  # noqa: S603 — a fixed command; nothing of it comes from outside
            words, cwd=self.root, env=dict(self.environ), capture_output=True, text=True, check=False
        )
        lines = (entry.partition("\n") for entry in found.stdout.split("\0"))
        return {key: value.strip() for key, _, value in lines if value.strip()}

    def _login(self) -> str:
        name = next((self.environ[key] for key in ("LOGNAME", "USER", "USERNAME") if self.environ.get(key)), None)
        if name:
            return name
        try:
            return getpass.getuser()
        except (OSError, KeyError):  # a container's user may have no name
            return "unknown"
