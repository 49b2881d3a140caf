"""The corpus of federated queries through the whole flow: a project with a real PostgreSQL, SQLite, files and tables of
its lake answers as one Spark that holds all the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow.parquet as parquet
import pytest
from federated_oracle import Oracle, disagreements
from federated_queries import Answer, Question, questions
from retail_world import CSV_COLUMNS, LAKE, fill_postgres, fill_sqlite, tables, write_files

from forge.connection import Connection
from forge.federation.lake_rules import LakeRules
from forge.federation.planner import splits
from forge.federation.policy import RowFilter
from forge.federation.source import Source
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.federation.ports import UndecidedError
from forge.flows.federation.query import ExecutorChoice, FederationPorts, QueryAnswer, QueryRequest, ask
from forge.flows.federation.running import RunningQuery
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.model.time import utc_now
from forge.stores.connectors import postgresql
from forge.stores.connectors.parts import PartedRead
from forge.wiring import Wiring

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.services("postgres")]

# The schema of a table can be left out; files are named by their source alone.
NAMES = {
    "customers": "crm.customers",
    "orders": "crm.public.orders",
    "suppliers": "shop.suppliers",
    "categories": "shop.categories",
    "countries": "countries",
    "rates": "rates",
    "products": "retail.products",
    "stock": "retail.stock",
}
# The same in other words: case makes no difference, and a schema can be said.
OTHER_NAMES = {
    "customers": "CRM.Public.CUSTOMERS",
    "orders": "Crm.`Orders`",
    "suppliers": "SHOP.Suppliers",
    "categories": "`shop`.CATEGORIES",
    "countries": "Countries",
    "rates": "`RATES`",
    "products": "Retail.PRODUCTS",
    "stock": "`retail`.`Stock`",
}
# What those who ask for a second time see as NULL.
HIDDEN = {
    "customers": ("country", "name"),
    "orders": ("amount", "status", "paid"),
    "suppliers": ("name", "rating"),
    "categories": ("parent_id",),
    "countries": ("region",),
    "rates": ("fee",),
    "products": ("weight", "category_id"),
    "stock": ("qty",),
}
# The rows that those who ask for a third time have: by what the sources compute, in part, and not at all.
ROWS = {
    "customers": "country IN ('DE', 'FR', 'US') AND id <> 7",
    "orders": "amount >= 100.00 OR day >= DATE '2024-06-01'",
    "suppliers": "NOT country LIKE 'd%'",
    "categories": "parent_id IS NULL OR id BETWEEN 3 AND 20",
    "countries": "region = 'Europe' OR population > 100000000",
    "rates": "rate > 1.5 AND country IN ('DE', 'US')",
    "products": "discontinued = false AND NOT name LIKE 'A%'",
    "stock": "qty > 0 AND counted_at >= TIMESTAMP '2020-01-01 00:00:00'",
}
SOURCES = """
sources:
  - {{name: crm, connector: postgresql, url: "jdbc:{url}", user: "file:{root}/user"}}
  - {{name: shop, connector: sqlite, path: data/shop.db}}
  - {{name: countries, connector: files, path: data/countries.csv, options: {{header: "true"}}, columns: {{{columns}}}}}
  - {{name: rates, connector: files, path: data/rates.parquet}}
"""
VIEWS = {
    "products": "SELECT p.* FROM retail.products p",
    "stock": "WITH s AS (SELECT * FROM retail.stock) SELECT Product_Id, warehouse, qty, counted_at, checked_at FROM s",
}
LOADS = "\n".join(
    f"  - {{output: retail.{name}, connector: files, format: parquet, path: data/{name}.parquet}}" for name in LAKE
)


@pytest.fixture(scope="module")
def oracle(spark: SparkSession) -> Oracle:
    return Oracle(spark)


@pytest.fixture(scope="module")
def masked_oracle(spark: SparkSession) -> Oracle:
    return Oracle(spark, HIDDEN)


@pytest.fixture(scope="module")
def filtered_oracle(spark: SparkSession) -> Oracle:
    return Oracle(spark, rows=ROWS)


@pytest.fixture(scope="module")
def ports(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, new_postgres: Callable[[], str]
) -> Iterator[FederationPorts]:
    root, url = tmp_path_factory.mktemp("retail"), new_postgres()
    fill_postgres(url)
    write_files(root / "data")
    fill_sqlite(root / "data" / "shop.db")
    for name in LAKE:
        parquet.write_table(tables()[name], root / "data" / f"{name}.parquet")
    columns = ", ".join(f"{name}: {kind}" for name, kind in CSV_COLUMNS.items())
    address = url.replace("+psycopg", "").replace("postgres@", "")
    for name, text in {
        "user": "postgres",
        "forge.yaml": "user: {name: Ada, email: ada@example.com}\n",
        "sources/retail.yaml": SOURCES.format(url=address, root=root, columns=columns) + LOADS,
        **{f"transforms/seen/{name}.sql": f"/* forge\nkind: view\n*/\n{text}" for name, text in VIEWS.items()},
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    wiring = Wiring.of(root)
    session = spark.newSession()
    for key, value in wiring.session.settings.catalog.items():
        session.conf.set(f"spark.sql.catalog.forge.{key}", value)
    wiring.session._session = session
    assert Connection(wiring, wiring.default_branch).run().status == "succeeded"
    yield wiring.federation.query_ports()
    wiring.database.dispose()


class Asked:
    """Asks the flow, and counts how it answered."""

    def __init__(
        self,
        ports: FederationPorts,
        executor: ExecutorChoice = "auto",
        *,
        pushdown: bool = True,
        names: Mapping[str, str] = NAMES,
        limit: int | None = None,
        cache: bool = False,
    ) -> None:
        self._limit, self._cache = limit, cache
        self._ports, self._executor, self._pushdown, self._names = ports, executor, pushdown, names
        self.counts: Counter[str] = Counter()

    def __call__(self, question: Question) -> Answer | None:
        request = QueryRequest(
            question.sql(self._names),
            parameters=question.parameters,
            limit=self._limit,
            executor=self._executor,
            pushdown=self._pushdown,
            cache=self._cache,
        )
        try:
            answer = ask(self._ports, request, QueryCaller("Ada", "test", utc_now))
        except ForgeError as error:
            if self._executor == "in-process" and (isinstance(error, UndecidedError) or error.code == "E890"):
                self.counts["handed over"] += 1
                return Asked(self._ports, pushdown=self._pushdown)(question)
            if error.code != "E304":
                raise
            self.counts["failed"] += 1
            return None
        self.counts[answer.executor] += 1
        self.counts["whole"] += bool(answer.plan and answer.plan.whole)
        self.counts["as it is written"] += answer.plan is None
        self.counts[answer.cache.partition(" (")[0]] += 1
        self.counts["rows read"] += sum(answer.rows_read.values())
        return answer_in_utc(answer)


def answer_in_utc(answer: QueryAnswer) -> Answer:
    """The flow gives times with a zone in that of this machine."""
    zoned = [column.type == "timestamp" for column in answer.schema.columns]
    rows = [
        tuple(_in_utc(value) if has_zone else value for value, has_zone in zip(row, zoned, strict=True))
        for row in answer.rows
    ]
    return Answer(answer.schema.names, tuple(column.type for column in answer.schema.columns), rows)


def _in_utc(value: object) -> object:
    return value.astimezone(UTC) if isinstance(value, datetime) else value


@pytest.mark.parametrize(
    ("executor", "pushdown", "some"),
    [
        ("auto", True, slice(None)),
        ("auto", False, slice(None)),
        ("in-process", True, slice(0, None, 6)),
        ("in-process", False, slice(3, None, 6)),
        ("spark", True, slice(None)),
        ("spark", False, slice(1, None, 12)),
    ],
)
def test_the_flow_answers_as_spark_over_everything(
    oracle: Oracle, ports: FederationPorts, executor: ExecutorChoice, some: slice, *, pushdown: bool
) -> None:
    """Every question is asked of this process and of Spark, pushed down and not: of Spark without pushdown, the whole
    corpus is in test_federated_queries.py."""
    asked = Asked(ports, executor, pushdown=pushdown)

    wrong = disagreements(questions()[some], oracle, asked)

    print(f"{executor}, pushdown {pushdown}: {dict(asked.counts)}")
    assert not wrong, f"{len(wrong)} of {len(questions()[some])}:\n" + "\n".join(wrong)
    assert bool(asked.counts["whole"]) == pushdown
    if executor != "spark":
        assert asked.counts["in-process"] > 0.8 * len(questions()[some])


def test_kept_results_are_the_results(oracle: Oracle, ports: FederationPorts) -> None:
    some = questions()[1::3]
    first, second = Asked(ports, cache=True), Asked(ports, cache=True)

    wrong = [*disagreements(some, oracle, first), *disagreements(some, oracle, second)]

    print(f"kept results: {dict(first.counts)}, then {dict(second.counts)}")
    assert not wrong, f"{len(wrong)} of {2 * len(some)}:\n" + "\n".join(wrong)
    assert first.counts["hit"] < 5  # some are asked twice, in other words
    # Another database of the same server may write meanwhile; questions of the lake alone are quick.
    assert second.counts["hit"] > 0.6 * len(some)
    assert second.counts["rows read"] < 0.5 * first.counts["rows read"]


@pytest.mark.parametrize("pushdown", [True, False])
def test_reads_that_are_split_give_the_same_rows(
    oracle: Oracle, ports: FederationPorts, monkeypatch: pytest.MonkeyPatch, *, pushdown: bool
) -> None:
    """Every table of PostgreSQL in parts of one block."""
    monkeypatch.setattr(splits, "SPLIT_ROWS", 1)
    monkeypatch.setattr(postgresql, "PART_BLOCKS", 1)
    begun: list[PartedRead] = []
    original = PartedRead.batches

    def counted(self: PartedRead) -> Iterator[pa.RecordBatch | None]:
        begun.append(self)
        return original(self)

    monkeypatch.setattr(PartedRead, "batches", counted)
    some = [one for one in questions() if {"orders", "customers"} & set(one.tables)][3::8]

    wrong = disagreements(some, oracle, Asked(ports, pushdown=pushdown))

    assert not wrong, f"{len(wrong)} of {len(some)}:\n" + "\n".join(wrong)
    assert len(begun) > len(some) / 3


def test_names_mean_the_same_in_any_case(oracle: Oracle, ports: FederationPorts) -> None:
    some = questions()[::6]

    wrong = disagreements(some, oracle, Asked(ports, names=OTHER_NAMES))

    assert not wrong, f"{len(wrong)} of {len(some)}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("pushdown", [True, False])
def test_no_more_rows_than_are_wanted_come_and_they_are_the_first(
    oracle: Oracle, ports: FederationPorts, *, pushdown: bool
) -> None:
    ordered = [one for one in questions() if one.ordered]

    def first(question: Question) -> Answer | None:
        expected = oracle(question)
        return expected and replace(expected, rows=expected.rows[:3])

    wrong = disagreements(ordered, first, Asked(ports, pushdown=pushdown, limit=3))

    assert not wrong, f"{len(wrong)} of {len(ordered)}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("table", [NAMES["stock"], NAMES["orders"]], ids=["as it is written", "over fragments"])
def test_a_query_on_spark_ends_when_its_time_is_over(ports: FederationPorts, table: str) -> None:
    many = "range(30000) a, range(30000) b, range(30000) c"
    sql = f"SELECT count(*) FROM {table} t, {many} WHERE a.id + b.id + c.id < 0"
    request = QueryRequest(sql, executor="spark", timeout=6)
    once = replace(ports, running=RunningQuery())
    with pytest.raises(ForgeError) as caught:
        ask(once, request, QueryCaller("Ada", "test", utc_now))
    assert caught.value.code == "E916", str(caught.value)
    found = ask(ports, QueryRequest("SELECT 1 AS one", executor="spark"), QueryCaller("Ada", "test", utc_now))
    assert found.rows == ((1,),)


def test_views_of_the_lake_answer_as_their_tables(oracle: Oracle, ports: FederationPorts) -> None:
    of_lake = [one for one in questions() if set(one.tables) & set(LAKE)]
    asked = Asked(ports, names={**NAMES, "products": "seen.products", "stock": "seen.stock"})

    wrong = disagreements(of_lake, oracle, asked)

    print(f"views: {dict(asked.counts)}")
    assert not wrong, f"{len(wrong)} of {len(of_lake)}:\n" + "\n".join(wrong)


@pytest.mark.parametrize(("executor", "some"), [("in-process", slice(0, None, 3)), ("spark", slice(1, None, 12))])
def test_tables_and_views_at_a_branch_answer_as_they_are(
    oracle: Oracle, ports: FederationPorts, executor: ExecutorChoice, some: slice
) -> None:
    of_lake = [one for one in questions() if set(one.tables) & set(LAKE)][some]
    asked = Asked(ports, executor, names={**NAMES, "products": "seen.products@main", "stock": "retail.stock@HEAD"})

    wrong = disagreements(of_lake, oracle, asked)

    print(f"at a branch: {dict(asked.counts)}")
    assert not wrong, f"{len(wrong)} of {len(of_lake)}:\n" + "\n".join(wrong)
    assert not asked.counts["as it is written"]


def test_one_table_at_two_commits_is_joined_on_spark(ports: FederationPorts) -> None:
    """Every product of before the last commit of the table is one of now, and the other way round."""
    sql = (
        "SELECT count(*), count(a.id), count(b.id) FROM retail.products a "
        "FULL JOIN retail.products@main b ON a.id = b.id"
    )
    rows = [
        ask(ports, QueryRequest(sql, executor=one), QueryCaller("Ada", "test", utc_now)).rows
        for one in ("spark", "in-process")
    ]
    assert rows[0] == rows[1]
    assert len(set(rows[0][0])) == 1


@pytest.mark.parametrize("pushdown", [True, False])
def test_hidden_columns_read_as_null_whoever_computes(
    masked_oracle: Oracle, ports: FederationPorts, *, pushdown: bool
) -> None:
    said = {
        source: frozenset(
            f"{name}.{column}" for name in HIDDEN if NAMES[name].startswith(source) for column in HIDDEN[name]
        )
        for source in ports.sources()
    }
    of_lake = {(f"retail.{name}", column) for name in LAKE for column in HIDDEN[name]}

    def sources() -> dict[str, Source]:
        return {name: replace(one, hidden=said[name]) for name, one in ports.sources().items()}

    asked = Asked(replace(ports, sources=sources, hidden=PersonalColumns(frozenset(of_lake))), pushdown=pushdown)

    some = questions()[2::3]

    wrong = disagreements(some, masked_oracle, asked)

    print(f"hidden, pushdown {pushdown}: {dict(asked.counts)}")
    assert not wrong, f"{len(wrong)} of {len(some)}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("pushdown", [True, False])
@pytest.mark.parametrize(
    ("executor", "some", "names"),
    [
        ("auto", slice(None), NAMES),
        ("spark", slice(1, None, 4), NAMES),
        ("auto", slice(2, None, 4), {**OTHER_NAMES, "products": "seen.products", "stock": "seen.stock"}),
    ],
)
def test_rows_of_others_are_not_there_whoever_computes(
    filtered_oracle: Oracle,
    ports: FederationPorts,
    executor: ExecutorChoice,
    some: slice,
    names: Mapping[str, str],
    *,
    pushdown: bool,
) -> None:
    def sources() -> dict[str, Source]:
        return {
            source: replace(
                one,
                rows=tuple(RowFilter(name, ROWS[name]) for name in ROWS if NAMES[name].split(".")[0] == source),
            )
            for source, one in ports.sources().items()
        }

    of_lake = tuple(RowFilter(f"retail.{name}", ROWS[name]) for name in LAKE)
    ruled = replace(ports, sources=sources, rules=LakeRules(rows=of_lake))
    asked = Asked(ruled, executor, pushdown=pushdown, names=names)

    wrong = disagreements(questions()[some], filtered_oracle, asked)

    print(f"filtered, {executor}, pushdown {pushdown}: {dict(asked.counts)}")
    assert not wrong, f"{len(wrong)} of {len(questions()[some])}:\n" + "\n".join(wrong)
    assert asked.counts["as it is written"] <= sum(not one.tables for one in questions()[some])
