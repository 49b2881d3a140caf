"""A database that does not answer is told by its name, never by its address."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

from forge.engines.spark.errors import database_of, source_error
from forge.model.codes import CODES

URL = "jdbc:postgresql://db.example:5432/shop?user=ada&password=secret"
REFUSED = """org.postgresql.util.PSQLException: Connection to db.example:5432 refused. Check that the hostname is right.
\tat org.postgresql.core.v3.ConnectionFactoryImpl.openConnectionImpl(ConnectionFactoryImpl.java:352)
Caused by: java.net.ConnectException: Connection refused
\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)"""


@pytest.mark.parametrize(
    "said",
    [REFUSED, 'FATAL: password authentication failed for user "ada"', "java.net.UnknownHostException: db.example"],
)
def test_a_database_that_cannot_be_reached_is_no_failed_job(said: str) -> None:
    error = source_error(PySparkException(said), URL, "sources/shop.yaml:9")
    assert (error.code, CODES[error.code].exit, error.where) == ("E308", 5, "sources/shop.yaml:9")
    assert error.what == "The database shop cannot be reached"
    assert "url, user and password" in (error.fix or "")
    assert "secret" not in str(error)


def test_what_the_database_refuses_for_other_reasons_stays_what_it_was() -> None:
    assert source_error(PySparkException('relation "orders" does not exist'), URL, "x:1").code == "E304"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (URL, "shop"),
        ("jdbc:sqlite:/data/shop.db", "shop.db"),
        ("jdbc:sqlite:shop.db", "shop.db"),
        ("jdbc:sqlserver://db.example:1433;databaseName=shop;user=ada;password=secret", "shop"),
        ("jdbc:oracle:thin:ada/secret@db.example:1521:shop", "shop"),
        ("jdbc:oracle:thin:ada/secret@//db.example:1521/shop", "shop"),
    ],
)
def test_an_address_is_shortened_to_the_name_of_the_database(url: str, name: str) -> None:
    assert database_of(url) == name
