"""As whom a source is asked: of one that names credentials, each user has his own, and nobody those of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from forge.model.errors import ForgeError
from forge.model.file_options import StrictModel, Where, secret_in_file
from forge.model.secret import is_reference

if TYPE_CHECKING:
    from forge.federation.policy import PolicySubject
    from forge.federation.source import Source

_Reference = Annotated[str, Field(max_length=1000)]


@dataclass(frozen=True, slots=True)
class Credential:
    """`who`: a user or a role. `user` and `password` are references."""

    who: str
    user: str | None = None
    password: str | None = None

    def to_dict(self) -> dict[str, str]:
        return {key: value for key, value in (("user", self.user), ("password", self.password)) if value}


class CredentialKeys(StrictModel):
    user: _Reference | None = None
    password: _Reference | None = None


def credentials_of(keys: Mapping[str, CredentialKeys]) -> tuple[Credential, ...]:
    return tuple(Credential(who, one.user or None, one.password or None) for who, one in keys.items())


def find_bad_credentials(
    keys: Mapping[str, CredentialKeys], where: Where, code: str, *, is_api: bool
) -> Iterator[ForgeError]:
    for who, one in keys.items():
        if not who.strip() or who != who.strip():
            fix = "Write a user, as tokens and commits name them, or a role of forge.yaml."
            yield ForgeError(code, "credentials of nobody", where=where(("credentials", who)), fix=fix)
        for key, value in (("user", one.user), ("password", one.password)):
            if value and not is_reference(value):
                yield secret_in_file(key, where(("credentials", who, key)))
        if not one.password and (is_api or not one.user):
            what = "password: env:NAME" if is_api else "user: env:NAME, password: env:NAME"
            place = where(("credentials", who))
            yield ForgeError(code, f"the credentials of {who} are empty", where=place, fix=f"Write {{{what}}}.")


def asked_as(source: Source, subject: PolicySubject) -> Source:
    """The source with the credentials of who asks, and no others. As it is where he has none: `refuse_without` says so
    once it is known that he may read it, and nothing is connected."""
    found = _credential_of(source.credentials, subject)
    return source if found is None else replace(source, user=found.user, password=found.password, credentials=())


def asked_for(source: Source, subject: PolicySubject) -> str:
    """The user or role whose credentials are taken; empty where all are asked for under one name."""
    found = _credential_of(source.credentials, subject)
    return found.who if found is not None else ""


def refuse_without(source: Source) -> None:
    """E888 for a source that is not yet asked as anybody."""
    if source.credentials:
        raise ForgeError(
            "E888",
            f"You have no credentials for the source {source.name}",
            why="Each of its users is asked for under a name of his own, and its file has none for you.",
            fix="Ask whoever declared it to add you to its `credentials`.",
        )


def seen_as(source: Source, subject: PolicySubject) -> str:
    """Under which name its columns are remembered: under other credentials a source may have other tables."""
    who = asked_for(source, subject)
    return f"{source.name} as {who}" if who else source.name


def _credential_of(credentials: Iterable[Credential], subject: PolicySubject) -> Credential | None:
    """His own before those of his roles; of these the first."""
    named = [one for one in credentials if subject.is_named(one.who)]
    return next((one for one in named if one.who not in subject.roles), next(iter(named), None))
