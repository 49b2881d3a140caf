"""A source that asks for each user under a name of his own: nobody reads, keeps or sees what is another's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from asked_plan import explain
from migrated import lay_database
from rest_api import Answer, Asked, RestApi, rest_api

from forge.federation.relation import SourceRelation
from forge.federation.source import SourceOrigin
from forge.flows.federation.query import QueryAnswer, QueryRequest, ask
from forge.flows.federation.source_files import read_project_loads
from forge.flows.federation.sources import create_source, describe_source, find_source_drift, probe_source
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.settings import load_settings
from forge.stores.connectors.rest import RestConnector
from forge.transforms.transform import ConnectorSource
from forge.wiring import Wiring

SOURCES = """
sources:
  - name: shop
    connector: rest
    url: {url}
    cache_ttl_seconds: 600
    credentials:
      ada@example.com: {{password: env:ADA_TOKEN}}
      support: {{user: env:SUPPORT_USER, password: env:SUPPORT_TOKEN}}
      owners: {{password: env:OWNER_TOKEN}}
    tables: {{mine: {{path: /mine, columns: {{who: string}}}}}}
"""
SETTINGS = """
project: x
user: {name: Ada, email: ada@example.com}
roles: {support: [bob@example.com, eve@example.com, ada@example.com], owners: [eve@example.com]}
"""
SECRETS = {
    "ADA_TOKEN": "ada-secret",
    "SUPPORT_USER": "support-user",
    "SUPPORT_TOKEN": "support-secret",
    "OWNER_TOKEN": "owner-secret",
    "HOUSE_TOKEN": "house-secret",
}
QUERY = "SELECT who FROM shop.mine"


def mine(asked: Asked) -> Answer:
    return Answer([{"who": asked.headers.get("authorization", "nobody")}])


@pytest.fixture
def api() -> Iterator[RestApi]:
    with rest_api() as opened:
        opened.endpoints["/mine"] = mine
        yield opened


@pytest.fixture
def wiring(api: RestApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wiring]:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "forge.yaml").write_text(SETTINGS)
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "shop.yaml").write_text(SOURCES.format(url=api.url))
    lay_database(tmp_path / ".forge" / "forge.db")
    with closing(Wiring(load_settings(tmp_path, {"PATH": "", "HOME": "/nowhere"}))) as made:
        yield made


def answer(wiring: Wiring, user: str, sql: str = QUERY) -> QueryAnswer:
    ports = wiring.federation.query_ports(user=user)
    return ask(ports, QueryRequest(sql), QueryCaller(user, "test", wiring.clock))


def who(wiring: Wiring, user: str) -> object:
    return answer(wiring, user).rows[0][0]


def test_each_user_is_asked_for_under_a_name_of_his_own(wiring: Wiring) -> None:
    assert who(wiring, "ada@example.com") == "Bearer ada-secret"  # his own, before those of his roles
    assert who(wiring, "bob@example.com") == "Basic c3VwcG9ydC11c2VyOnN1cHBvcnQtc2VjcmV0"
    assert who(wiring, "eve@example.com") == who(wiring, "bob@example.com")  # of his roles the first


@pytest.mark.parametrize(
    "user", ["mallory@example.com", "support", "owners", "ADA@example.com", "ada@example.com ", ""]
)
def test_who_has_none_is_told_so_and_nothing_is_asked(wiring: Wiring, api: RestApi, user: str) -> None:
    who(wiring, "ada@example.com")
    api.asked.clear()
    ports = wiring.federation.query_ports(user=user or "nobody")
    sources = wiring.federation.source_ports(user or "nobody")
    for attempt in (
        lambda: ask(ports, QueryRequest(QUERY), QueryCaller(user, "test", wiring.clock)),
        lambda: explain(ports, QueryRequest(QUERY)),
        lambda: ports.connector(ports.sources()["shop"]),
        lambda: probe_source("shop", sources),
        lambda: describe_source("shop", sources),
        lambda: find_source_drift("shop", sources),
    ):
        with pytest.raises(ForgeError) as caught:
            attempt()
        assert caught.value.code == "E888"
        assert not any(secret in str(caught.value) for secret in SECRETS.values())
    assert api.asked == []


def test_what_is_kept_for_one_is_not_given_to_another(wiring: Wiring, api: RestApi) -> None:
    assert answer(wiring, "ada@example.com").cache == "miss"
    assert answer(wiring, "ada@example.com").cache == "hit"
    found = answer(wiring, "bob@example.com")
    assert (found.cache, found.rows[0][0]) == ("miss", "Basic c3VwcG9ydC11c2VyOnN1cHBvcnQtc2VjcmV0")
    assert answer(wiring, "eve@example.com").cache == "hit"  # the same name there, and the same rows
    assert who(wiring, "ada@example.com") == "Bearer ada-secret"
    assert len(api.asked) == 2


def test_kept_results_do_not_outlive_the_credentials(wiring: Wiring, api: RestApi) -> None:
    who(wiring, "ada@example.com")
    file = wiring.root / "sources" / "shop.yaml"
    file.write_text(
        file.read_text().replace("ada@example.com: {password: env:ADA_TOKEN}", "x@y: {password: env:ADA_TOKEN}")
    )
    assert who(wiring, "ada@example.com") == who(wiring, "bob@example.com")
    file.write_text(file.read_text().replace("      support:", "      nobody:"))
    with pytest.raises(ForgeError) as caught:
        answer(wiring, "ada@example.com")
    assert caught.value.code == "E888"


def test_readers_come_first(wiring: Wiring) -> None:
    file = wiring.root / "sources" / "shop.yaml"
    file.write_text(file.read_text().replace("cache_ttl", "readers: [ada@example.com]\n    cache_ttl"))
    assert who(wiring, "ada@example.com") == "Bearer ada-secret"
    for user in ("bob@example.com", "mallory@example.com"):
        with pytest.raises(ForgeError) as caught:
            answer(wiring, user)
        assert caught.value.code == "E885"


@pytest.mark.parametrize("origin", [SourceOrigin.HTTP, SourceOrigin.COMMAND])
def test_nobody_chooses_credentials_outside_of_a_file(wiring: Wiring, api: RestApi, origin: SourceOrigin) -> None:
    fields = {
        "name": "mine",
        "connector": "rest",
        "url": api.url,
        "credentials": {"mallory@example.com": {"password": "env:ADA_TOKEN"}},
        "tables": {"mine": {"path": "/mine", "columns": {"who": "string"}}},
    }
    with pytest.raises(ForgeError) as caught:
        create_source(fields, wiring.federation.source_ports("mallory@example.com", origin))
    assert (caught.value.code, caught.value.where) == ("E880", "credentials")


def test_a_load_takes_those_of_the_source_and_never_those_of_a_user(wiring: Wiring) -> None:
    text = """sources:
  - {name: crm, connector: postgresql, url: "jdbc:postgresql://h/crm", credentials: {a@b: {user: env:U}}}
  - {output: raw.c, source: crm, table: c}
"""
    file = wiring.root / "sources" / "crm.yaml"
    file.write_text(text)
    (fault,) = (one.error for one in read_project_loads(wiring.root)[0].faults)
    assert (fault.code, fault.where) == ("E206", "sources/crm.yaml:3")
    file.write_text(text.replace("credentials", "user: env:HOUSE, credentials"))
    (transform,) = read_project_loads(wiring.root)[0].transforms.values()
    assert isinstance(transform.body, ConnectorSource)
    assert transform.body.declared["user"] == "env:HOUSE"
    assert "credentials" not in transform.body.declared


def test_a_load_by_connector_takes_those_of_the_source_too(wiring: Wiring) -> None:
    (wiring.root / "sources" / "load.yaml").write_text("sources: [{output: raw.mine, source: shop, table: mine}]")
    (fault,) = (one.error for one in read_project_loads(wiring.root)[0].faults)
    assert (fault.code, fault.where) == ("E206", "sources/load.yaml:1")
    file = wiring.root / "sources" / "shop.yaml"
    file.write_text(file.read_text().replace("cache_ttl", "password: env:HOUSE_TOKEN\n    cache_ttl"))
    (transform,) = read_project_loads(wiring.root)[0].transforms.values()
    rows = wiring.runs.loads.open(transform, "", "")
    with rows.until:
        assert rows.read().read_all().to_pylist() == [{"who": "Bearer house-secret"}]
    with pytest.raises(ForgeError) as caught:  # that of loads is nobody's in a query
        answer(wiring, "mallory@example.com")
    assert caught.value.code == "E888"


@pytest.mark.parametrize(
    ("source", "code", "word"),
    [
        (
            "{name: x, connector: sqlite, path: a.db, credentials: {a@b: {user: env:U, password: env:P}}}",
            "E880",
            "credentials",
        ),
        ("{name: x, connector: postgresql, url: 'jdbc:postgresql://h/n', credentials: {a@b: {}}}", "E880", "a@b"),
        (
            "{name: x, connector: postgresql, url: 'jdbc:postgresql://h/n', credentials: {a@b: {user: bob}}}",
            "E106",
            "user",
        ),
        (
            "{name: x, connector: postgresql, url: 'jdbc:postgresql://h/n', credentials: {' ': {user: env:U}}}",
            "E880",
            "nobody",
        ),
        (
            "{name: x, connector: postgresql, url: 'jdbc:postgresql://h/n', credentials: {a@b: {token: env:U}}}",
            "E104",
            "token",
        ),
        (
            "{name: x, connector: rest, url: 'https://h', options: {header: X-Key}, "
            "tables: {t: {path: /t, columns: {a: int}}}, credentials: {a@b: {user: env:U, password: env:P}}}",
            "E880",
            "header",
        ),
    ],
)
def test_credentials_of_the_wrong_form_are_told(wiring: Wiring, source: str, code: str, word: str) -> None:
    (wiring.root / "sources" / "x.yaml").write_text(f"sources:\n  - {source}\n")
    (error,) = wiring.federation.source_ports().files().errors
    assert (error.code, word in error.what, str(error.where).startswith("sources/x.yaml:2")) == (code, True, True)


def test_what_was_seen_under_one_name_is_no_drift_under_another(
    wiring: Wiring, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = RestConnector.describe

    def describe(self: RestConnector, path: tuple[str, ...]) -> SourceRelation | None:
        """As a database does that shows a role some of the columns."""
        found = described(self, path)
        if found is None or self._source.user is None:
            return found
        return replace(found, columns=(replace(found.columns[0], name="team"),))

    monkeypatch.setattr(RestConnector, "describe", describe)
    ada, bob = (wiring.federation.source_ports(f"{name}@example.com") for name in ("ada", "bob"))
    for sources in (ada, bob):
        assert find_source_drift("shop", sources).seen_at is None
    for sources in (ada, bob, ada):
        assert probe_source("shop", sources).changes == ()
        assert find_source_drift("shop", sources).changes == ()
