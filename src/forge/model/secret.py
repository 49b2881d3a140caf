"""Secrets are references, `env:NAME` or `file:/path`, read when they are needed and never shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from forge.model.errors import ForgeError, MissingSecretError

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
FORM = "Write env:NAME (an environment variable) or file:/absolute/path (the content of a file)."


class Secret(str):
    """The text of a secret. Its repr is ***, so that no log, traceback or record holds it by accident."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def is_reference(text: str) -> bool:
    return text.startswith(("env:", "file:"))


def resolve_secret(reference: str, environ: Mapping[str, str], where: str | None = None) -> Secret:
    """The secret that `reference` points at. The messages name the reference, never the text of a secret."""
    kind, _, target = reference.partition(":")
    if kind == "env" and _VARIABLE.fullmatch(target):
        return _from_environment(target, environ, where)
    if kind == "file" and target.startswith(("/", "~")):
        return _from_file(target, where)
    raise ForgeError(
        "E106",
        "a secret must be a reference, not the secret itself",
        where=where,
        why="Files of a project are shared and kept in git; a secret in one is known to all.",
        fix=FORM,
    )


def _from_environment(name: str, environ: Mapping[str, str], where: str | None) -> Secret:
    if name not in environ:
        raise MissingSecretError(
            f"the environment variable {name} is not set", where=where, fix=f"Set it: export {name}=…"
        )
    return Secret(environ[name])


def _from_file(target: str, where: str | None) -> Secret:
    # file:///run/secret and file:/run/secret are the same place.
    path = Path("/" + target.lstrip("/") if target.startswith("/") else target).expanduser()
    try:
        # Editors and `echo` end a file with a newline that is no part of the secret.
        return Secret(path.read_text(encoding="utf-8").rstrip("\r\n"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise MissingSecretError(
            f"the secret file {path} cannot be read",
            where=where,
            why=reason,
            fix="Create the file, or correct the path.",
        ) from error
