"""`forge token create|list|revoke`, in the words of the other commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from forge.flows.upkeep.access import Access, digest_of
from forge.settings import load_settings
from forge.stores.sql.upkeep.tokens import SqlTokens
from forge.wiring import Wiring

Forge = Callable[..., Any]


@pytest.mark.slow
def test_a_token_is_printed_once_alone_on_stdout(forge: Forge, project: Path) -> None:
    made = forge("token", "create", "ci", "--scope", "read", "--expires", "12h", at=project)
    assert made.status == 0
    assert re.fullmatch(r"forge_[A-Za-z0-9_-]{43}\n", made.out)
    assert "not shown again" in made.err
    listed = forge("token", "list", "--json", at=project)
    (item,) = listed.json["tokens"]
    assert (item["name"], item["scope"], item["state"]) == ("ci", "read", "active")
    assert made.out.strip() not in listed.out
    assert digest_of(made.out.strip()) not in listed.out


@pytest.mark.parametrize(("expires", "seconds"), [("30m", 1800), ("12h", 43_200), ("2d", 172_800), ("1.5d", 129_600)])
def test_a_token_lives_as_long_as_it_was_told(forge: Forge, project: Path, expires: str, seconds: int) -> None:
    (item,) = forge("token", "create", "ci", "--expires", expires, "--json", at=project).json["tokens"]
    created, ends = (datetime.fromisoformat(item[key]) for key in ("created_at", "expires_at"))
    assert (ends - created).total_seconds() == seconds


@pytest.mark.slow
def test_as_json_the_secret_is_a_field(forge: Forge, project: Path) -> None:
    made = forge("token", "create", "ci", "--expires", "never", "--json", at=project).json
    (item,) = made["tokens"]
    assert item["token"].startswith("forge_")
    assert item["expires_at"] is None
    assert item["scope"] == "write"


@pytest.mark.slow
def test_a_token_is_revoked_by_name_or_id(forge: Forge, project: Path) -> None:
    forge("token", "create", "first", at=project)
    second = forge("token", "create", "second", "--json", at=project).json["tokens"][0]
    assert forge("token", "revoke", "first", at=project).status == 0
    assert forge("token", "revoke", second["id"], at=project).status == 0
    states = {item["name"]: item["state"] for item in forge("token", "list", "--json", at=project).json["tokens"]}
    assert states == {"first": "revoked", "second": "revoked"}


def test_sessions_are_listed_and_ended(forge: Forge, project: Path) -> None:
    forge("token", "create", "phone", at=project)
    wiring = Wiring(load_settings(project, {"PATH": ""}))
    access = Access(SqlTokens(wiring.database), wiring.clock)
    session, secret = access.open_session("ada@example.com", origin=access.find("phone").id)
    wiring.close()
    listed = forge("token", "sessions", "--json", at=project)
    (item,) = listed.json["sessions"]
    assert (item["id"], item["token_name"], item["scope"]) == (session.id, "phone", "write")
    assert secret not in listed.out
    assert forge("token", "end", session.id, at=project).status == 0
    assert forge("token", "sessions", "--json", at=project).json["sessions"] == []
    refused = forge("token", "end", "nobody", at=project)
    assert (refused.status, "FORGE-E108" in refused.err) == (2, True)


def test_an_unknown_token_is_a_usage_error_with_the_near_name(forge: Forge, project: Path) -> None:
    forge("token", "create", "nightly", at=project)
    refused = forge("token", "revoke", "nightli", at=project)
    assert refused.status == 2
    assert "FORGE-E108" in refused.err
    assert "nightly" in refused.err


@pytest.mark.parametrize("expires", ["soon", "0d", "-1d", "90", "99999d", ""])
def test_a_time_that_is_none_is_refused(forge: Forge, project: Path, expires: str) -> None:
    refused = forge("token", "create", "ci", f"--expires={expires}", at=project)
    assert refused.status == 2
    assert "FORGE-E105" in refused.err
    assert refused.out == ""


def test_without_tokens_the_list_says_how_to_make_one(forge: Forge, project: Path) -> None:
    listed = forge("token", "list", at=project)
    assert (listed.status, listed.out) == (0, "")
    assert "forge token create" in listed.err
