"""As whom a database is asked: a source that was created over HTTP signs in as it says, and never as the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from forge.federation.source import ConnectorKind, Source, SourceOrigin
from forge.model.errors import ForgeError
from forge.stores.connectors import open_connector

USER, PASSWORD = "maker", "of-the-source-4f1c"
SECRETS = {"env:USER": USER, "env:PASSWORD": PASSWORD, "env:EMPTY": "", "env:SERVER": "server"}
MYSQL = Source("shop", ConnectorKind.MYSQL, url="mysql://127.0.0.1:1/shop", user="env:USER", password="env:PASSWORD")


@pytest.fixture
def source(new_postgres: Callable[[], str]) -> Iterator[Source]:
    """Of a database that asks everyone who connects to it for a password; `server` has one that is not the source's."""
    url = new_postgres().replace("+psycopg", "")
    name = url.rsplit("/", 1)[1]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")
        connection.execute("CREATE ROLE server LOGIN PASSWORD 'of-the-server-77aa'")
        file, before = connection.execute(
            "SELECT setting, pg_read_file(setting) FROM pg_settings WHERE name = 'hba_file'"
        ).fetchone() or ("", "")

        def write(text: str) -> None:
            with psycopg.ClientCursor(connection) as cursor:  # the server binds no values of COPY
                cursor.execute(f"COPY (SELECT unnest(string_to_array(%s, E'\\n'))) TO '{file}'", (text,))
                cursor.execute("SELECT pg_reload_conf(), pg_sleep(0.5)")

        write(f"host {name} maker,server all scram-sha-256\n{before}")
        yield Source(
            "crm",
            ConnectorKind.POSTGRESQL,
            url=url.replace("postgres@", ""),
            user="env:USER",
            password="env:PASSWORD",
            origin=SourceOrigin.HTTP,
        )
        write(str(before))
        connection.execute(f"DROP ROLE {USER}, server")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Of a server that has a password of its own, twice."""
    passwords = tmp_path / "pgpass"
    passwords.write_text("*:*:*:*:of-the-server-77aa\n")
    passwords.chmod(0o600)
    for name, value in {"PGUSER": "server", "PGPASSWORD": "of-the-server-77aa", "PGPASSFILE": str(passwords)}.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def answered(source: Source, root: Path) -> str:
    return open_connector(source, root, SECRETS.__getitem__).test()


def refused(source: Source, root: Path) -> str:
    with pytest.raises(ForgeError) as caught:
        answered(source, root)
    assert "of-the-server" not in str(caught.value.to_dict())
    return caught.value.code


@pytest.mark.services("postgres")
def test_a_source_of_http_signs_in_as_it_says(source: Source, environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert answered(source, tmp_path).startswith("PostgreSQL")
    assert answered(replace(source, origin=SourceOrigin.FILE, user=None, password=None), tmp_path)  # as ever
    for user, password in (
        (None, None),
        ("env:USER", None),
        (None, "env:PASSWORD"),
        ("env:EMPTY", "env:EMPTY"),
        ("env:SERVER", "env:EMPTY"),
    ):
        assert refused(replace(source, user=user, password=password), tmp_path) == "E886"
    assert refused(replace(source, user="env:SERVER"), tmp_path) == "E308"  # with the password of the source


@pytest.mark.services("postgres")
def test_the_environment_leads_a_source_of_http_nowhere(
    source: Source, environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment.setenv("PGHOSTADDR", "127.0.0.2")
    environment.setenv("PGDATABASE", "postgres")
    environment.setenv("PGPORT", "1")
    assert answered(source, tmp_path).startswith("PostgreSQL")
    environment.setenv("PGSERVICE", "crm")
    assert refused(source, tmp_path) == "E886"


@pytest.mark.services("postgres")
def test_a_server_that_trusts_this_machine_lets_no_source_of_http_in(source: Source, tmp_path: Path) -> None:
    trusting = replace(source, url=f"{source.url.rsplit('/', 1)[0]}/postgres")
    assert answered(replace(trusting, origin=SourceOrigin.FILE), tmp_path)
    assert refused(trusting, tmp_path) == "E308"


def test_mysql_is_not_asked_as_the_user_of_the_process(tmp_path: Path) -> None:
    over_http = replace(MYSQL, origin=SourceOrigin.HTTP)
    for user, password in ((None, "env:PASSWORD"), ("env:EMPTY", "env:PASSWORD"), ("env:USER", None)):
        assert refused(replace(over_http, user=user, password=password), tmp_path) == "E886"
    assert refused(over_http, tmp_path) == "E308"  # nobody is there
