"""Addresses of databases, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from forge.federation.address import has_credentials, parse_address
from forge.federation.source import ConnectorKind

PG, MY = ConnectorKind.POSTGRESQL, ConnectorKind.MYSQL


@pytest.mark.parametrize(
    ("kind", "url", "parts"),
    [
        (PG, "jdbc:postgresql://DB.example.com/crm", ("db.example.com", 5432, "crm", {})),
        (PG, "jdbc:postgresql://db:6432/crm?sslmode=require", ("db", 6432, "crm", {"sslmode": "require"})),
        (PG, "jdbc:postgresql://[2001:DB8::1]:5433/crm", ("2001:db8::1", 5433, "crm", {})),
        (PG, "jdbc:postgresql://127.0.0.1", ("127.0.0.1", 5432, "", {})),
        (MY, "jdbc:mariadb://m_1/shop", ("m_1", 3306, "shop", {})),
    ],
)
def test_an_address_has_a_host_a_port_and_a_database(
    kind: ConnectorKind, url: str, parts: tuple[str, int, str, dict[str, str]]
) -> None:
    found = parse_address(kind, url)
    assert found is not None
    assert (found.host, found.port, found.database, dict(found.parameters)) == parts


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://h/d",
        "jdbc:mysql://h/d",
        "jdbc:postgresql:d",
        "jdbc:postgresql:///d",
        "jdbc:postgresql://%2Fvar%2Frun/d",
        "jdbc:postgresql://a,b/d",
        "jdbc:postgresql://a:1,b:2/d",
        "jdbc:postgresql://a@b/d",
        "jdbc:postgresql://a\\@b/d",
        "jdbc:postgresql://a#@b/d",
        "jdbc:postgresql://a/d#x",
        "jdbc:postgresql://a/d/e",
        "jdbc:postgresql://a/d\n",
        "jdbc:postgresql://a /d",
        "jdbc:postgresql://a:0/d",
        "jdbc:postgresql://a:99999/d",
        "jdbc:postgresql://-a/d",
        "jdbc:postgresql://ａ/d",
        "jdbc:postgresql://a/d?host=b&host=c",
        "jdbc:postgresql://(host=a)/d",
        "JDBC:postgresql://a/d",
        "jdbc:postgresql://a./d",
    ],
)
def test_what_programs_could_read_differently_is_no_address(url: str) -> None:
    assert parse_address(PG, url) is None


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgresql://sa:x@h/d",
        "jdbc:postgresql://sa@h/d",
        "jdbc:postgresql://h/d?user=sa",
        "jdbc:postgresql://h/d?ssl=true&PASSWORD=x",
        "jdbc:mysql://address=(host=h)(user=sa)/d",
        "jdbc:mysql://h/d?a=b;pwd=x",
    ],
)
def test_users_and_passwords_are_found_in_an_address(url: str) -> None:
    assert has_credentials(url)


def test_an_address_without_them_has_none() -> None:
    assert not has_credentials("jdbc:postgresql://passwords.example.com/users?sslmode=require")


@given(st.text(alphabet="ab.:/@[]%?#&=,;\\ -_19()", max_size=24))
@example("a:b@c/d")
@example("a/@b")
@example("a?@b")
@example("[a]@b")
def test_an_address_that_is_taken_means_the_same_host_to_who_connects(rest: str) -> None:
    """Hosts are allowed by name: two readings of one text would be a way around that."""
    found = parse_address(PG, f"jdbc:postgresql://{rest}")
    if found is None:
        return
    try:
        url = make_url(f"postgresql://{rest}")
    except (SQLAlchemyError, ValueError):
        return  # then nobody connects
    assert (url.host or "").lower() == found.host
    assert (url.port or 5432) == found.port
    assert url.username is None
