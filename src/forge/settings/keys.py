"""Every key of forge.yaml, with its default and what it means; the reference page is made from this file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from forge.federation.policy_keys import MOST_RULES, MaskKeys, RowFilterKeys
from forge.settings.governance_keys import GovernanceKeys
from forge.settings.section import (
    SettingsSection,
    fraction_of_text,
    list_of_text,
    number_of_text,
    part,
    size_of_text,
    switch_of_text,
    word_of_switch,
)

SPARK_DEFAULTS = {"master": "local[*]", "spark.driver.memory": "2g", "spark.sql.shuffle.partitions": "4"}


class DomainKeys(SettingsSection):
    required: list[str] = Field(
        default_factory=list,
        description="Fields that the documentation of its assets must have: owner, description, classification…",
    )
    approval: bool = Field(default=False, description="An edit waits until someone else approves it.")
    approvers: list[str] = Field(
        default_factory=list, description="Who may approve. Default: anyone but who proposed the edit."
    )


class CatalogSourceKeys(SettingsSection):
    url: str = Field(description="Address of a database: jdbc:postgresql://host:5432/name, without a password.")
    user: str | None = Field(default=None, description="Who connects, as env:NAME or file:/path.")
    password: str | None = Field(default=None, description="Password, as env:NAME or file:/path.")
    schemas: list[str] = Field(default_factory=list, description="Only these schemas. Default: all.")


class CatalogSearchKeys(SettingsSection):
    engine: Literal["tantivy", "opensearch"] = Field(
        default="tantivy",
        description="Who keeps the index of the catalog's search: tantivy, in the project's folder, or an OpenSearch "
        "or Elasticsearch server. Either can be thrown away: `forge catalog reindex` rebuilds it.",
    )
    url: str | None = Field(
        default=None, pattern=r"^https?://\S+$", description="Address of the server, like https://search.example:9200."
    )
    index: str = Field(
        default="forge-catalog",
        pattern=r"^[a-z0-9][a-z0-9_.-]{0,60}$",
        description="How the indices of this project begin on the server.",
    )
    user: str | None = Field(default=None, description="Who signs in at the server.")
    password: str | None = Field(default=None, description="Password of user, as env:NAME or file:/path.")
    api_key: str | None = Field(default=None, description="Key instead of a password, as env:NAME or file:/path.")
    ca_file: str | None = Field(
        default=None, description="File with certificates (PEM) to trust. Starts at the project."
    )
    timeout_seconds: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=10.0, gt=0, le=120, description="How long the server may take for an answer."
    )


class CatalogKeys(SettingsSection):
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
    follow: Annotated[bool, BeforeValidator(switch_of_text)] = Field(
        default=True,
        description="After each publication, scan what changed for personal data, profile it, and bring the catalog "
        "and its search up to date.",
    )
    usage: Annotated[Literal["named", "anonymous", "off"], BeforeValidator(word_of_switch)] = Field(
        default="named",
        description="Who viewed, queried or read what, for popularity and recommendations: by name; as a pseudonym of "
        "one day that nobody can trace; or not at all.",
    )
    sources: dict[str, CatalogSourceKeys] = Field(
        default_factory=dict,
        description="Databases that `forge catalog scan` crawls, by a name of yours; beside them, declared sources "
        "and what sources/*.yaml read.",
    )
    dbt: list[str] = Field(
        default_factory=list,
        description="Manifests of dbt projects to crawl. Default: target/manifest.json, where there is one.",
    )
    search: CatalogSearchKeys = part("The search index of the catalog.")
    scan_minutes: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=60,
        ge=0,
        le=100_000,
        description="How often a server crawls all sources by itself, beside what it does after publications; 0: "
        "never, and then only what was published is crawled, and what that was loaded from.",
    )
    domains: dict[str, DomainKeys] = Field(
        default_factory=dict,
        description="What a domain asks of the documentation of its assets: finance: {required: [owner], "
        "approval: true}.",
    )


class UserKeys(SettingsSection):
    name: str | None = Field(
        default=None, description="Name in commits. Default: git's user.name, else the login name."
    )
    email: str | None = Field(default=None, description="E-mail in commits. Default: git's user.email.")


class SparkKeys(SettingsSection):
    """Beside `master`, any `spark.*` key is passed through as it is."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True, defer_build=True)

    master: str = Field(
        default="local[*]",
        description="Where Spark runs: local[*], spark://host:7077, yarn, k8s://…. Beside it, any spark.* key is "
        "passed on as it is; Forge sets spark.driver.memory to 2g and spark.sql.shuffle.partitions to 4.",
    )


class RunKeys(SettingsSection):
    publish: Literal["passing", "all"] = Field(
        default="passing",
        description="passing: what passed its checks is published; what failed, and what stands on it, is not. "
        "all: everything or nothing.",
    )


class ParamKeys(SettingsSection):
    type: Literal["string", "boolean", "int", "long", "float", "double", "decimal", "date", "timestamp"] = Field(
        description="Type of the parameter, as Spark binds it."
    )
    default: object = Field(default=None, description="Value when none is given. Without it, a run must give one.")
    description: str = Field(default="", description="What the parameter means.")


class VersioningKeys(SettingsSection):
    default_branch: str = Field(default="main", description="Branch of runs and queries when none is named.")
    protected_branches: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list,
        description="Branches that change by merges alone, by name or pattern: main, release/*. Beside these, "
        "`forge branch protect` protects one.",
    )
    require_review_for_protected: Annotated[bool, BeforeValidator(switch_of_text)] = Field(
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
    trusted_keys: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list,
        description="Public keys (PEM) whose signatures `forge verify` accepts: files, or their text. Default: the one "
        "of signing_key.",
    )


class Neo4jKeys(SettingsSection):
    url: str | None = Field(default=None, description="Address of the server, like bolt://localhost:7687.")
    user: str = Field(default="neo4j", description="Who connects.")
    password: str | None = Field(default=None, description="Password, as env:NAME or file:/path.")
    database: str = Field(default="neo4j", description="Database of the server.")


class OpenLineageKeys(SettingsSection):
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


class LineageKeys(SettingsSection):
    store: Literal["sql", "neo4j"] = Field(
        default="sql",
        description="Who answers: sql (the embedded index on Forge's own records) or neo4j, which is fed from them.",
    )
    min_confidence: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=0.5, ge=0, le=1, description="Edges that are less sure are not followed unless asked for."
    )
    database: str = Field(default="lake", description="What the database of the lake's own tables is called.")
    neo4j: Neo4jKeys = part("The Neo4j server.")
    openlineage: OpenLineageKeys = part("OpenLineage events, in and out.")
    weights: dict[str, object] = Field(
        default_factory=dict,
        description="Weights of impact analysis that differ from the defaults: base: {drop: 4.0}.",
    )


class ChannelKeys(SettingsSection):
    """Where alerts go. Which keys a channel takes depends on its type."""

    type: Literal["slack", "email", "pagerduty", "webhook"] = Field(description="What it is.")
    url: str | None = Field(
        default=None,
        description="slack: the address of an incoming webhook, as env:NAME or file:/path. webhook: the address that "
        "gets JSON. pagerduty: another address than that of its Events API v2.",
    )
    routing_key: str | None = Field(
        default=None, description="pagerduty: the integration key, as env:NAME or file:/path."
    )
    secret: str | None = Field(
        default=None, description="webhook: the key that signs what is sent (HMAC-SHA256), as env:NAME or file:/path."
    )
    host: str | None = Field(default=None, description="email: the SMTP server.")
    port: Annotated[int, BeforeValidator(number_of_text)] | None = Field(
        default=None, ge=1, le=65535, description="email: its port. Default: 587, with security tls 465, with none 25."
    )
    security: Literal["starttls", "tls", "none"] | None = Field(
        default=None, description="email: how the connection is kept secret. Default: starttls."
    )
    user: str | None = Field(default=None, description="email: who signs in; without one, nobody does.")
    password: str | None = Field(default=None, description="email: the password of user, as env:NAME or file:/path.")
    sender: str | None = Field(default=None, description="email: the address it comes from.")
    to: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list, description="email: the addresses it goes to."
    )
    ca_file: str | None = Field(
        default=None, description="File with certificates (PEM) to trust beside the system's. Starts at the project."
    )
    timeout_seconds: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=10.0, gt=0, le=120, description="How long a try may take in all."
    )
    ignore_quiet_hours: Annotated[bool, BeforeValidator(switch_of_text)] = Field(
        default=False, description="Messages are sent in quiet hours, too."
    )


SeverityWord = Literal["info", "warning", "error", "critical"]


class RunAlertKeys(SettingsSection):
    channels: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list, description="Channels that hear of checks that fail in a run."
    )
    severity_threshold: SeverityWord = Field(default="error", description="Failures below it are not told.")
    notify_on_recovery: Annotated[bool, BeforeValidator(switch_of_text)] = Field(
        default=True, description="Tell the same channels when it passes again."
    )


def _clock_of_minutes(value: object) -> object:
    """YAML reads 22:00 without quotes as a number, of minutes."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1440:
        return f"{value // 60:02d}:{value % 60:02d}"
    return value


class QuietKeys(SettingsSection):
    """A time in which nobody wants to hear; alerts are sent when it ends."""

    start: Annotated[str, BeforeValidator(_clock_of_minutes)] = Field(
        pattern=r"^([01]?\d|2[0-3]):[0-5]\d$", description="When it begins: 22:00."
    )
    end: Annotated[str, BeforeValidator(_clock_of_minutes)] = Field(
        pattern=r"^(([01]?\d|2[0-3]):[0-5]\d|24:00)$",
        description="When it ends: 07:00; before start, it is the next day's.",
    )
    timezone: str = Field(default="UTC", description="In which these times are meant: Europe/Zurich.")
    days: Annotated[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]], BeforeValidator(list_of_text)] = (
        Field(default_factory=list, description="The days on which it begins. Default: all.")
    )
    break_through: SeverityWord | None = Field(
        default=None, description="Failures of this severity and above are told all the same."
    )


class AlertKeys(SettingsSection):
    channels: dict[str, ChannelKeys] = Field(default_factory=dict, description="Where alerts go, by name.")
    runs: RunAlertKeys = part("Alerts of governed runs.")
    quiet_hours: list[QuietKeys] = Field(default_factory=list, description="When nobody wants to hear.")
    group_seconds: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=30.0, ge=0, le=3600, description="How long a message waits for others of the same cause, to be one."
    )
    give_up_hours: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=24.0, gt=0, le=24 * 30, description="How long a delivery is tried. It is kept and shown after that."
    )
    remind_hours: Annotated[float, BeforeValidator(fraction_of_text)] | None = Field(
        default=None, gt=0, le=24 * 30, description="Say it again after so long, while it lasts. Default: never."
    )
    reopen_hours: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=24.0, ge=0, le=24 * 366, description="A check that fails again within it reopens its incident."
    )


class RemediationKeys(SettingsSection):
    approvers: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list,
        description="Who may approve a remediation, by name or e-mail. Default: everyone with the right to write.",
    )
    own: Annotated[bool, BeforeValidator(switch_of_text)] = Field(
        default=True, description="Whoever proposed a remediation may approve it."
    )


class QualityKeys(SettingsSection):
    remediation: RemediationKeys = part("Who decides on what is done about failed checks.")
    scheduler: Annotated[bool, BeforeValidator(switch_of_text)] = Field(
        default=True,
        description="`forge serve` keeps the schedules of monitors. Any number of servers may; no run is made twice.",
    )
    scheduler_seconds: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=5.0, gt=0, le=3600, description="How often it looks what is due, and which files changed."
    )


class PiiTypeKeys(SettingsSection):
    names: list[str] = Field(
        default_factory=list,
        max_length=100,
        description="Names of columns that hold it, in words: [employee no, personnel number].",
    )
    pattern: str | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        description="A regular expression of whole values, without looking around or back: E[0-9]{6}.",
    )
    level: Literal["internal", "confidential", "restricted"] = Field(
        default="confidential", description="The classification that it asks for."
    )


class PiiKeys(SettingsSection):
    """Scans for personal data."""

    threshold: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=0.8,
        ge=0,
        le=1,
        description="From this score on a finding by a name alone hides its column until somebody rejects it; one that "
        "rests on values does at any score.",
    )
    rows: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=10_000, ge=1, le=1_000_000, description="How many rows of a table a scan looks at, spread over it."
    )
    types: dict[str, PiiTypeKeys] = Field(
        default_factory=dict,
        description="Types of personal data of your own, by name: employee_number: {names: [employee no], "
        "pattern: 'E[0-9]{6}', level: restricted}.",
    )


class ReadKeys(SettingsSection):
    """Questions of requests that need Spark or read many rows: SQL, rows of views, diffs, blame, previews of merges."""

    seconds: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=120.0, gt=0, le=86_400, description="How long one may take; then it is stopped."
    )
    rows: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=1000, ge=1, le=100_000, description="How many rows an answer has at most."
    )
    at_once: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=4, ge=1, le=64, description="How many are worked on at once, of all tokens together."
    )
    per_token: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=2, ge=1, le=64, description="How many of one token are worked on at once."
    )
    waiting: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=8, ge=0, le=1000, description="How many more of one token may wait; one more is refused (429)."
    )


class ServerKeys(SettingsSection):
    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on. One that other machines reach needs TLS or trusted_proxies.",
    )
    port: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=8765, ge=0, le=65535, description="Port that `forge serve` listens on; 0 takes a free one."
    )
    allowed_hosts: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list,
        description="Names under which browsers reach the server, beside loopback and `host`: forge.example.com.",
    )
    trusted_proxies: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list,
        description="Addresses or networks of proxies that add TLS; X-Forwarded-* is believed from these only.",
    )
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://\S+$",
        description="Address under which people reach the server, for links in alerts: https://forge.example.com.",
    )
    max_body_bytes: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=1_048_576,
        ge=1024,
        le=1_073_741_824,
        description="How large the body of a request may be. Uploads (100 MB), OpenLineage events, results of tests, "
        "edges and resolutions of merges (16 MB) and contracts (10 MB; as JSON 2 MB) have limits of their own.",
    )
    header_seconds: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=10.0, gt=0, le=600, description="How long a caller may take to send the head of a request."
    )
    body_seconds: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=60.0,
        gt=0,
        le=3600,
        description="How long a caller may take to send the body of a request; every 64 kB add a second.",
    )
    tls_cert: str | None = Field(default=None, description="File with the certificate (PEM). Needs tls_key.")
    tls_key: str | None = Field(default=None, description="File with the private key of tls_cert (PEM).")
    reads: ReadKeys = part("How much is read for requests.")


class ResultCacheKeys(SettingsSection):
    """Results of queries that are kept, so that the same question is answered without reading again."""

    store: Annotated[Literal["disk", "redis", "off"], BeforeValidator(word_of_switch)] = Field(
        default="disk",
        description="Where: disk (in .forge, shared by all processes of this machine), a Redis server that several "
        "machines share, or off.",
    )
    url: str | None = Field(
        default=None,
        pattern=r"^(env:|file:|rediss?://|unix://)\S+$",
        description="Address of the Redis server: redis://host:6379/0, or env:NAME or file:/path where it has a "
        "password. Whoever may write there decides what queries answer.",
    )
    max_bytes: Annotated[int, BeforeValidator(size_of_text)] = Field(
        default=268_435_456,
        ge=65_536,
        le=1_099_511_627_776,
        description="How large all kept results may be together; what was not used for the longest time goes first.",
    )
    max_entry_bytes: Annotated[int, BeforeValidator(size_of_text)] = Field(
        default=16_777_216, ge=1024, le=1_073_741_824, description="A larger result is not kept."
    )
    ttl_seconds: Annotated[float, BeforeValidator(fraction_of_text)] = Field(
        default=86_400.0, gt=0, le=31_536_000, description="How long a result is kept at most."
    )


class LakeRuleKeys(SettingsSection):
    """Who may read tables of the lake, and what of them: the words are those of sources."""

    masks: list[MaskKeys] = Field(
        default_factory=list,
        max_length=MOST_RULES,
        description="What is read instead of values, by whom: {column: core.people.email, as: hash, except: [hr]}.",
    )
    rows: list[RowFilterKeys] = Field(
        default_factory=list,
        max_length=MOST_RULES,
        description="Which rows are read, by whom: {table: core.orders, filter: \"region = 'EU'\", except: [owners]}.",
    )
    readers: dict[str, Annotated[list[str], BeforeValidator(list_of_text)]] = Field(
        default_factory=dict,
        description="Who may read a table at all: core.salaries: [ada@example.com]. Users are named as tokens and "
        "commits name them, letter by letter. Default: everyone who may read the lake.",
    )


class FederationKeys(SettingsSection):
    """What sources that are created over HTTP may reach, and results that are kept. Sources of files and commands reach
    what they say."""

    hosts: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list,
        description="Database servers that they may connect to: db.example.com, at the port of its kind, or "
        "db.example.com:6432; APIs, by scheme: https://api.example.com; and buckets of AWS: s3a://bucket. "
        "Default: none.",
    )
    folders: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list,
        description="Folders of the project whose files they may read: data/shared. Whoever may create a source reads "
        "all of them as they are, without masks. Default: none.",
    )
    secrets: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=lambda: ["FORGE_SOURCE_*"],
        description="Environment variables that they may use as user and password, by name or pattern. Each may be "
        "sent to each of hosts.",
    )
    cache: ResultCacheKeys = part("Results of queries that are kept.")
    lake: LakeRuleKeys = part("Masks, row filters and readers of tables of the lake.")
    record_lineage: Annotated[bool, BeforeValidator(switch_of_text)] = Field(
        default=True,
        description="Whether the lineage graph tells which columns are asked by queries: of each text once a day, and "
        "of saved queries that are shared; neither texts nor values.",
    )
    mask_key: str | None = Field(
        default=None,
        description="The key of hashes that stand for masked values, as env:NAME or file:/path. Servers that share it "
        "give the same hashes. Default: .forge/mask.key, made when it is first needed.",
    )


class Keys(SettingsSection):
    """Every key of forge.yaml."""

    extends: Annotated[list[str], BeforeValidator(list_of_text)] = Field(
        default_factory=list,
        description="Platform files whose settings hold here, too, the outermost first; each may extend others. Paths "
        "start at the file that names them. What they set is a default, but governance can only be tightened.",
    )
    project: str | None = Field(default=None, description="Name of the project. Default: the name of its folder.")
    database: str = Field(
        default="sqlite",
        description="Where Forge keeps its records: sqlite (a file in .forge), an env: or file: reference, or an "
        "SQLAlchemy URL without a password.",
    )
    warehouse: str = Field(
        default=".forge/warehouse", description="Where the tables' files are. A relative path starts at the project."
    )
    catalog: CatalogKeys = part("The Iceberg catalog.")
    user: UserKeys = part("Who commits.")
    spark: SparkKeys = part(
        "Spark's settings: master, and any spark.* key.",
    )
    parallel: Annotated[int, BeforeValidator(number_of_text)] = Field(
        default=2, ge=1, le=64, description="How many independent transforms run at once."
    )
    run: RunKeys = part("How a run behaves.")
    params: dict[str, ParamKeys] = Field(
        default_factory=dict, description="Typed parameters of the transforms and their defaults."
    )
    versioning: VersioningKeys = part("Branches and commits.")
    lineage: LineageKeys = part("The lineage graph.")
    quality: QualityKeys = part("Monitors and what is done about failures.")
    pii: PiiKeys = part("Personal data in columns: how it is looked for, and from when on it is hidden.")
    alerts: AlertKeys = part("Who is told of failing checks, and how.")
    roles: dict[str, Annotated[list[str], BeforeValidator(list_of_text)]] = Field(
        default_factory=dict,
        description="Named groups of users, for masks and row filters: analysts: [ada@example.com]. Users are named as "
        "tokens and commits name them, letter by letter.",
    )
    federation: FederationKeys = part("Sources that queries read beside the lake.")
    server: ServerKeys = part("`forge serve`: HTTP and the web app.")
    governance: GovernanceKeys = part("Contracts and policies: what `forge compile` checks.")
    owners: dict[str, str] = Field(
        default_factory=dict,
        description="Who answers for which tables: a pattern like marts.* and an owner; the first match wins.",
    )
