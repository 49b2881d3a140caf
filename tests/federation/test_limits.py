"""What an intruder with a token that may write tries with a source, and what he gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forge.federation.limits import SourceLimits, find_breaches, refuse_out_of_files
from forge.federation.source import ConnectorKind, Source, SourceOrigin
from forge.model.errors import ForgeError

LIMITS = SourceLimits(
    ("db.example.com", "pool.example.com:6432", "[::1]:5433"), ("FORGE_SOURCE_*", "CRM_PASSWORD"), ("data/shared",)
)
CRM = Source(
    "crm",
    ConnectorKind.POSTGRESQL,
    url="jdbc:postgresql://db.example.com/crm",
    user="env:FORGE_SOURCE_USER",
    password="env:CRM_PASSWORD",
)
MINE = Source("mine", ConnectorKind.FILES, path="data/shared/*.csv", format="csv", columns={"a": "string"})
TILL = Source("till", ConnectorKind.SQLITE, path="data/shared/till.db")
EVENTS = Source("events", ConnectorKind.DELTA, path="data/shared/events", options={"versionAsOf": "1"})


def places(source: Source, limits: SourceLimits = LIMITS) -> list[str | None]:
    found = list(find_breaches(source, limits))
    assert {error.code for error in found} <= {"E886"}
    return [error.where for error in found]


def test_what_the_operator_allows_is_reached() -> None:
    assert places(CRM) == places(MINE) == places(TILL) == places(EVENTS) == []
    assert places(replace(CRM, url="jdbc:postgresql://POOL.example.com:6432/crm?sslmode=verify-full")) == []
    assert places(replace(CRM, url="jdbc:postgresql://[::1]:5433/crm", options={"sslmode": "require"})) == []
    assert places(replace(MINE, path="data/shared", options={"header": "true"})) == []
    assert places(replace(CRM, connector=ConnectorKind.MYSQL, url="jdbc:mysql://db.example.com:3306/crm")) == []


def test_by_default_nothing_is_reached_but_secrets_are_named_for_it() -> None:
    default = SourceLimits(secrets=("FORGE_SOURCE_*",))
    assert places(replace(CRM, password=CRM.user), default) == ["url"]
    assert places(MINE, default) == places(TILL, default) == ["path"]


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgresql://evil.example/crm",
        "jdbc:postgresql://db.example.com:5433/crm",
        "jdbc:postgresql://db.example.com.evil.example/crm",
        "jdbc:postgresql://evil.example,db.example.com/crm",
        "jdbc:postgresql://db.example.com@evil.example/crm",
        "jdbc:postgresql://evil.example#@db.example.com/crm",
        "jdbc:postgresql:///crm",
        "jdbc:postgresql:crm",
        "jdbc:postgresql://%2Fvar%2Frun/crm",
        "jdbc:postgresql://127.0.0.1/crm",
        "jdbc:postgresql://localhost/crm",
        "jdbc:postgresql://169.254.169.254/crm",
        "jdbc:postgresql://[::ffff:127.0.0.1]/crm",
        "jdbc:postgresql://db.example.com/crm?host=evil.example",
        "jdbc:postgresql://db.example.com/crm?hostaddr=10.0.0.1",
        "jdbc:postgresql://db.example.com/crm?sslrootcert=/etc/passwd",
        "jdbc:postgresql://db.example.com/crm?passfile=/etc/passwd",
        "jdbc:postgresql://db.example.com/crm?socketFactory=org.example.Evil&socketFactoryArg=x",
        "jdbc:postgresql://db.example.com/crm?SSLMODE=disable",
        "jdbc:mysql://db.example.com:5432/crm",
    ],
)
def test_another_host_or_a_parameter_that_leads_to_one_is_refused(url: str) -> None:
    assert places(replace(CRM, url=url)) == ["url"]


@pytest.mark.parametrize(
    "reference",
    [
        "file:/etc/shadow",
        "file:~/.pgpass",
        "env:AWS_SECRET_ACCESS_KEY",
        "env:FORGE_DATABASE_URL",
        "env:XFORGE_SOURCE_A",
        "env:CRM_PASSWORD2",
        "env:FORGE_SOURCE_A/../B",
        "env:",
        "env:FORGE_SOURCE_A\n",
    ],
)
def test_a_secret_that_is_not_for_sources_is_refused_and_not_looked_for(reference: str) -> None:
    assert places(replace(CRM, password=reference)) == ["password"]
    assert places(replace(CRM, user=reference)) == ["user"]


@pytest.mark.parametrize("kind", ["postgresql", "mysql"])
def test_a_database_is_asked_as_nobody_but_whom_the_source_names(kind: str) -> None:
    """Else the driver signs in by what it finds on the server."""
    database = replace(CRM, connector=ConnectorKind(kind), url=f"jdbc:{kind}://db.example.com:5432/crm")
    limits = replace(LIMITS, hosts=("db.example.com:5432",))
    assert places(database, limits) == []
    assert places(replace(database, user=None), limits) == ["user"]
    assert places(replace(database, password=""), limits) == ["password"]
    assert places(replace(database, user=None, password=None), limits) == ["user", "password"]


@pytest.mark.parametrize("option", ["service", "passfile", "sslcert", "sslkey", "host", "options", "read_default_file"])
def test_no_option_of_a_driver_leads_to_what_the_server_has(option: str) -> None:
    assert places(replace(CRM, options={option: "x"})) == [f"options.{option}"]
    assert places(replace(CRM, url=f"{CRM.url}?{option}=x")) == ["url"]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "data/other/x.csv",
        "data/shared2/x.csv",
        "data/shared/../../forge.yaml",
        "data/../.forge/forge.db",
        "../secret.csv",
        ".forge/forge.db",
        "data/shared/.hidden/x.csv",
        "~/x.csv",
        "file:///etc/passwd",
        "s3a://bucket/x.csv",
        "http://169.254.169.254/x.csv",
        "data/shared/x\x00.csv",
        "data\\shared\\x.csv",
        "data/shared/%2e%2e/x.csv",
        "",
        "*",
        "data/*/x.csv",
    ],
)
def test_a_path_out_of_the_folders_is_refused(path: str) -> None:
    assert places(replace(MINE, path=path)) == ["path"]
    assert places(replace(TILL, path=path)) == ["path"]
    assert places(replace(EVENTS, path=path)) == ["path"]


@pytest.mark.parametrize("path", ["data/shared/x.db?mode=rwc", "data/shared/*.db", "data/shared/[x].db"])
def test_a_database_file_is_one_file_and_no_uri(path: str) -> None:
    assert places(replace(TILL, path=path)) == ["path"]
    assert places(replace(EVENTS, path=path)) == ["path"]


def test_the_whole_project_as_a_folder_still_keeps_what_is_hidden() -> None:
    everything = SourceLimits(folders=(".",))
    assert places(replace(MINE, path="anything/x.csv"), everything) == []
    assert places(replace(MINE, path=".forge/warehouse/x.csv"), everything) == ["path"]
    assert places(replace(MINE, path="a/../../x.csv"), everything) == ["path"]


def test_options_are_those_that_name_no_file_no_host_and_no_secret() -> None:
    assert places(replace(CRM, options={"hostaddr": "10.0.0.1"})) == ["options.hostaddr"]
    assert places(replace(CRM, options={"sslrootcert": "/x", "sslmode": "env:FORGE_SOURCE_A"})) == [
        "options.sslrootcert",
        "options.sslmode",
    ]
    assert places(replace(TILL, options={"timeout": "1"})) == ["options.timeout"]
    assert places(replace(EVENTS, options={"endpoint": "http://evil.example"})) == ["options.endpoint"]
    assert places(replace(MINE, options={"path": "/etc", "sep": ";"})) == ["options.path"]


API = Source("api", ConnectorKind.REST, url="https://api.example.com/v1", password="env:FORGE_SOURCE_TOKEN")
APIS = SourceLimits(("https://api.example.com", "http://10.0.0.7:8080", "db.example.com"), ("FORGE_SOURCE_*",))


def test_an_api_is_reached_by_its_scheme_host_and_port() -> None:
    for url in ("https://api.example.com", "https://API.example.com:443/v2", "http://10.0.0.7:8080/x"):
        assert places(replace(API, url=url, options={"header": "X-Key"}), APIS) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.com/v1",
        "https://api.example.com:8443/v1",
        "https://api.example.com.evil.example/v1",
        "https://evil.example/api.example.com",
        "https://api.example.com@evil.example/",
        "https://evil.example#api.example.com",
        "https://evil.example\\@api.example.com/",
        "https://10.0.0.7:8080/",
        "http://10.0.0.7/",
        "http://127.0.0.1:8080/",
        "http://[::1]/",
        "http://169.254.169.254/latest",
        "https://db.example.com/",
        "file:///etc/passwd",
        "",
    ],
)
def test_another_api_is_refused_and_so_is_a_host_that_is_named_for_its_database(url: str) -> None:
    assert places(replace(API, url=url), APIS) == ["url"]
    assert places(API, SourceLimits(secrets=("FORGE_SOURCE_*",))) == ["url"]


def test_an_api_is_no_database_and_a_path_in_the_settings_allows_nothing() -> None:
    database = replace(CRM, url="jdbc:postgresql://api.example.com/crm", password=None, user=None)
    assert places(database, APIS) == ["user", "password", "url"]
    assert places(API, SourceLimits(("https://api.example.com/v1",), APIS.secrets)) == ["url"]


def test_limits_and_secrets_of_an_api_are_those_of_the_operator() -> None:
    options = {"timeout": "9999", "max_bytes": "1", "header": "env:FORGE_SOURCE_A"}
    assert places(replace(API, options=options), APIS) == ["options.timeout", "options.max_bytes", "options.header"]
    assert places(replace(API, password="file:/etc/shadow", user="env:HOME"), APIS) == ["user", "password"]


def test_of_objects_only_named_buckets_of_aws_are_reached() -> None:
    objects = replace(MINE, path="s3a://sales/2026/*.csv", options={"header": "true", "region": "eu-central-1"})
    named = SourceLimits(("s3a://sales", "https://s3.example.com"), ("FORGE_SOURCE_*",), ("data/shared",))
    assert places(objects, named) == []
    assert places(replace(objects, user="env:FORGE_SOURCE_KEY", password="env:AWS_SECRET"), named) == ["password"]
    assert places(objects) == ["path"]
    for other in ("s3a://sales2/x.csv", "s3a://sale/x.csv", "s3a://sales@evil/x.csv", "s3a://sales/../other/x.csv"):
        assert places(replace(objects, path=other), named) == ["path"], other
    # Whoever answers at an endpoint could send the server on to any host.
    for endpoint in ("https://s3.example.com", "http://169.254.169.254"):
        assert places(replace(objects, options={"endpoint": endpoint}), named) == ["options.endpoint"]
    delta = replace(EVENTS, path="s3a://sales/events")
    assert (places(delta, named), places(delta)) == ([], ["path"])
    assert places(replace(TILL, path="s3a://sales/till.db"), named) == ["path"]


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:postgresql://db.example.com/crm",
        "jdbc:postgresql://db.example.com/crm?socketFactory=evil.Factory&socketFactoryArg=x",
        "jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'https://evil.example/x.sql'",
        "jdbc:mysql://db.example.com/crm?autoDeserialize=true",
        "jdbc:sqlite:data/shared/till.db",
        "jdbc:sqlite:/etc/passwd",
    ],
)
def test_no_database_is_reached_by_its_driver(url: str) -> None:
    source = Source("door", ConnectorKind.JDBC, url=url)
    wide = SourceLimits(("db.example.com", "*"), ("*",), ("", "data"))
    assert places(source, wide) == ["connector"]
    for origin in (SourceOrigin.HTTP, SourceOrigin.COMMAND):
        with pytest.raises(ForgeError, match="E886"):
            refuse_out_of_files(replace(source, origin=origin))
    refuse_out_of_files(source)
