"""Every key of forge.yaml, with its default and what it means; the reference page is made from this file."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

SPARK_DEFAULTS = {"master": "local[*]", "spark.driver.memory": "2g", "spark.sql.shuffle.partitions": "4"}


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _number_of_text(value: object) -> object:
    """Environment variables are texts; nothing else is read leniently."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,6}", value) else value


def _fraction_of_text(value: object) -> object:
    """As above; whole numbers are fractions, too."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{0,6}\.?[0-9]{1,9}", value):
        return float(value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _switch_of_text(value: object) -> object:
    """Environment variables are texts; nothing else is read leniently."""
    return {"true": True, "false": False}.get(value.strip().lower(), value) if isinstance(value, str) else value


def _list_of_text(value: object) -> object:
    """Environment variables separate by commas."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


class CatalogKeys(_Section):
    type: Literal["embedded", "rest", "hive", "glue", "sql"] = Field(
        default="embedded",
        description="embedded keeps the Iceberg catalog in Forge's database, so that a publish of many tables is one "
        "transaction; rest, hive, glue and sql use someone else's, and a publish goes table by table.",
    )
    uri: str | None = Field(default=None, description="Address of the external catalog, without a password.")
    properties: dict[str, str] = Field(
        default_factory=dict,
        description="Further properties of the external catalog. Secrets as env:NAME or file:/path.",
    )


class UserKeys(_Section):
    name: str | None = Field(
        default=None, description="Name in commits. Default: git's user.name, else the login name."
    )
    email: str | None = Field(default=None, description="E-mail in commits. Default: git's user.email.")


class SparkKeys(_Section):
    """Beside `master`, any `spark.*` key is passed through as it is."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    master: str = Field(
        default="local[*]",
        description="Where Spark runs: local[*], spark://host:7077, yarn, k8s://…. Beside it, any spark.* key is "
        "passed on as it is; Forge sets spark.driver.memory to 2g and spark.sql.shuffle.partitions to 4.",
    )


class RunKeys(_Section):
    publish: Literal["passing", "all"] = Field(
        default="passing",
        description="passing: what passed its checks is published; what failed, and what stands on it, is not. "
        "all: everything or nothing.",
    )


class ParamKeys(_Section):
    type: Literal["string", "boolean", "int", "long", "float", "double", "decimal", "date", "timestamp"] = Field(
        description="Type of the parameter, as Spark binds it."
    )
    default: object = Field(default=None, description="Value when none is given. Without it, a run must give one.")
    description: str = Field(default="", description="What the parameter means.")


class VersioningKeys(_Section):
    default_branch: str = Field(default="main", description="Branch of runs and queries when none is named.")
    protected_branches: Annotated[list[str], BeforeValidator(_list_of_text)] = Field(
        default_factory=list,
        description="Branches that change by merges alone, by name or pattern: main, release/*. Beside these, "
        "`forge branch protect` protects one.",
    )
    require_review_for_protected: Annotated[bool, BeforeValidator(_switch_of_text)] = Field(
        default=True,
        description="A merge into a protected branch waits for the approval of someone other than its author, unless "
        "the branch itself says otherwise.",
    )
    keys: dict[str, list[str]] = Field(
        default_factory=dict,
        description="Key columns of tables, for merges and diffs by row: core.orders: [order_id]. Without one, the "
        "identifier fields of the Iceberg table are its key.",
    )
    rules: dict[str, dict[str, str]] = Field(
        default_factory=dict,
        description="Standing answers to conflicts, by table and column: ours, theirs, base, or an SQL expression over "
        "them like greatest(ours, theirs).",
    )
    signing_key: str | None = Field(
        default=None,
        description="Private key (Ed25519, PEM) that signs commits and tags, as env:NAME or file:/path.",
    )
    trusted_keys: Annotated[list[str], BeforeValidator(_list_of_text)] = Field(
        default_factory=list,
        description="Public keys (PEM) whose signatures `forge verify` accepts: files, or their text. Default: the one "
        "of signing_key.",
    )


class Neo4jKeys(_Section):
    url: str | None = Field(default=None, description="Address of the server, like bolt://localhost:7687.")
    user: str = Field(default="neo4j", description="Who connects.")
    password: str | None = Field(default=None, description="Password, as env:NAME or file:/path.")
    database: str = Field(default="neo4j", description="Database of the server.")


class OpenLineageKeys(_Section):
    namespace: str = Field(
        default="forge",
        min_length=1,
        description="Namespace of Forge's jobs and of the lake's tables in OpenLineage events, those it sends and "
        "those it takes.",
    )
    namespaces: dict[str, str] = Field(
        default_factory=dict,
        description="Short names of namespaces in events that are taken: postgres://db.example:5432: postgres. The "
        "name of the lake's database (lineage.database) says that a namespace is the lake.",
    )
    file: str | None = Field(
        default=None, description="File to which the events of every run are added, one a line. Starts at the project."
    )
    url: str | None = Field(
        default=None,
        pattern=r"^https?://\S+$",
        description="Address to which the events of every run are sent: http://marquez:5000/api/v1/lineage. What "
        "cannot be sent is sent after the next run.",
    )
    api_key: str | None = Field(default=None, description="Bearer key for url, as env:NAME or file:/path.")


class LineageKeys(_Section):
    store: Literal["sql", "neo4j"] = Field(
        default="sql",
        description="Who answers: sql (the embedded index on Forge's own records) or neo4j, which is fed from them.",
    )
    min_confidence: Annotated[float, BeforeValidator(_fraction_of_text)] = Field(
        default=0.5, ge=0, le=1, description="Edges that are less sure are not followed unless asked for."
    )
    database: str = Field(default="lake", description="What the database of the lake's own tables is called.")
    neo4j: Neo4jKeys = Field(default_factory=Neo4jKeys, description="The Neo4j server.")
    openlineage: OpenLineageKeys = Field(default_factory=OpenLineageKeys, description="OpenLineage events, in and out.")
    weights: dict[str, object] = Field(
        default_factory=dict,
        description="Weights of impact analysis that differ from the defaults: base: {drop: 4.0}.",
    )


class ServerKeys(_Section):
    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on. One that other machines reach needs TLS or trusted_proxies.",
    )
    port: Annotated[int, BeforeValidator(_number_of_text)] = Field(
        default=8765, ge=0, le=65535, description="Port that `forge serve` listens on; 0 takes a free one."
    )
    allowed_hosts: Annotated[list[str], BeforeValidator(_list_of_text)] = Field(
        default_factory=list,
        description="Names under which browsers reach the server, beside loopback and `host`: forge.example.com.",
    )
    trusted_proxies: Annotated[list[str], BeforeValidator(_list_of_text)] = Field(
        default_factory=list,
        description="Addresses or networks of proxies that add TLS; X-Forwarded-* is believed from these only.",
    )
    tls_cert: str | None = Field(default=None, description="File with the certificate (PEM). Needs tls_key.")
    tls_key: str | None = Field(default=None, description="File with the private key of tls_cert (PEM).")


class Keys(_Section):
    """Every key of forge.yaml."""

    project: str | None = Field(default=None, description="Name of the project. Default: the name of its folder.")
    database: str = Field(
        default="sqlite",
        description="Where Forge keeps its records: sqlite (a file in .forge), an env: or file: reference, or an "
        "SQLAlchemy URL without a password.",
    )
    warehouse: str = Field(
        default=".forge/warehouse", description="Where the tables' files are. A relative path starts at the project."
    )
    catalog: CatalogKeys = Field(default_factory=CatalogKeys, description="The Iceberg catalog.")
    user: UserKeys = Field(default_factory=UserKeys, description="Who commits.")
    spark: SparkKeys = Field(
        default_factory=SparkKeys,
        description="Spark's settings: master, and any spark.* key.",
    )
    parallel: Annotated[int, BeforeValidator(_number_of_text)] = Field(
        default=2, ge=1, le=64, description="How many independent transforms run at once."
    )
    run: RunKeys = Field(default_factory=RunKeys, description="How a run behaves.")
    params: dict[str, ParamKeys] = Field(
        default_factory=dict, description="Typed parameters of the transforms and their defaults."
    )
    versioning: VersioningKeys = Field(default_factory=VersioningKeys, description="Branches and commits.")
    lineage: LineageKeys = Field(default_factory=LineageKeys, description="The lineage graph.")
    server: ServerKeys = Field(default_factory=ServerKeys, description="`forge serve`: HTTP and the web app.")
    owners: dict[str, str] = Field(
        default_factory=dict,
        description="Who answers for which tables: a pattern like marts.* and an owner; the first match wins.",
    )
