"""The demo shop on real Spark, at a hundredth of its size: its data, its transforms, and what its last day breaks."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from forge.contracts.checks.rules import checks_of
from forge.contracts.load import by_table, load_all
from forge.lineage.extract.spark.plan import extract_plan
from forge.model.names import TableName
from forge.quality.check import Context
from forge.quality.plan import judge_all, plan_measures
from forge.quality.spec import load_check
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.transforms.decorator import declaration_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

SHOP = Path(__file__).parents[2] / "examples" / "shop"
SCALE = 0.01
FIRST_DAY, LAST_DAY = date(2026, 11, 5), date(2026, 11, 14)
HISTORY_START = datetime(2025, 11, 5)

# What stands on what, by hand: each table after those it reads.
TABLES = (
    *("staging.orders", "staging.order_items", "staging.customers"),
    *("core.orders", "core.customers", "core.order_items", "core.product_prices"),
    *("marts.daily_revenue", "marts.customer_value", "marts.country_performance"),
    *("marts.product_sales", "marts.newsletter_audience"),
)
KEYS = {
    "staging.orders": ["order_id"],
    "staging.order_items": ["order_id", "line"],
    "staging.customers": ["customer_id"],
    "core.orders": ["order_id"],
    "core.customers": ["customer_id"],
    "core.order_items": ["order_id", "line"],
    "core.product_prices": ["product_id", "seen_on"],
    "marts.daily_revenue": ["day"],
    "marts.customer_value": ["customer_id"],
    "marts.country_performance": ["country"],
    "marts.product_sales": ["product_id"],
    "marts.newsletter_audience": ["customer_id"],
}
FROM_AMOUNT = {
    ("marts.daily_revenue", "revenue"),
    ("marts.customer_value", "lifetime_value"),
    ("marts.country_performance", "revenue"),
    ("marts.country_performance", "average_order"),
}


def load_module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"shop_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def path_of(table: str) -> Path:
    stem = SHOP / "transforms" / table.replace(".", "/")
    return next(path for path in (stem.with_suffix(".sql"), stem.with_suffix(".py")) if path.exists())


def header_of(path: Path) -> dict[str, Any]:
    """The options of a transform, read without Forge."""
    if path.suffix == ".py":
        declaration = declaration_of(getattr(load_module(path), path.stem))
        assert declaration is not None
        return dict(declaration.options)
    text = path.read_text(encoding="utf-8")
    header: dict[str, Any] = yaml.safe_load(text[len("/* forge") : text.index("*/")])
    return header


def read_sources(spark: SparkSession, root: Path) -> dict[str, DataFrame]:
    """The sources as plain Spark reads them, by what sources/shop.yaml says."""
    frames = {}
    for source in yaml.safe_load((SHOP / "sources" / "shop.yaml").read_text(encoding="utf-8"))["sources"]:
        reader = spark.read.format(source["format"]).options(**source.get("options", {})).option("mode", "FAILFAST")
        if "columns" in source:
            reader = reader.schema(", ".join(f"{name} {kind}" for name, kind in source["columns"].items()))
        frames[source["output"]] = reader.load(f"{root}/{source['path']}")
    return frames


def run_transform(spark: SparkSession, table: str, frames: Mapping[str, DataFrame], end: date) -> DataFrame:
    path = path_of(table)
    if path.suffix == ".py":
        function = getattr(load_module(path), path.stem)
        declaration = declaration_of(function)
        assert declaration is not None
        made: DataFrame = function(**{name: frames[source] for name, source in declaration.inputs.items()})
        return made
    for name, frame in frames.items():
        frame.createOrReplaceTempView("shop_" + name.replace(".", "_"))
    text = re.sub(r"\b(FROM|JOIN) (\w+)\.(\w+)", r"\1 shop_\2_\3", path.read_text(encoding="utf-8"))
    values = {"start": HISTORY_START, "end": datetime.combine(end, datetime.min.time()), "day": end - timedelta(days=1)}
    return spark.sql(text, args={name: value for name, value in values.items() if f":{name}" in text})


def build(
    spark: SparkSession, sources: Mapping[str, DataFrame], end: date, change: tuple[str, Any] | None = None
) -> dict[str, DataFrame]:
    """All tables as of the morning of `end`. `change` names a table and a function that alters its rows."""
    frames: dict[str, DataFrame] = {}
    for table in (*sources, *TABLES):
        frame = sources[table] if table in sources else run_transform(spark, table, frames, end)
        frames[table] = change[1](frame) if change and change[0] == table else frame
    return frames


@dataclass(frozen=True)
class Shop:
    spark: SparkSession
    generator: Any
    root: Path
    sources: Mapping[str, DataFrame]
    eve: Mapping[str, DataFrame]  # the tables after nine good days
    last: Mapping[str, DataFrame]  # and after the last


@pytest.fixture(scope="module")
def shop(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    generator = load_module(SHOP / "generate.py")
    root = tmp_path_factory.mktemp("shop")
    generator.generate(spark, root, seed=42, days=generator.DAYS, scale=SCALE)
    sources = {name: frame.cache() for name, frame in read_sources(spark, root).items()}
    eve = build(spark, sources, LAST_DAY)
    last = build(spark, sources, LAST_DAY + timedelta(days=1))
    kept = [frames[table].cache() for frames in (eve, last) for table in TABLES]
    yield Shop(spark, generator, root, sources, eve, last)
    for frame in (*kept, *sources.values()):
        frame.unpersist()


def files_below(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def rows_of(frame: DataFrame, table: str) -> dict[tuple[object, ...], dict[str, object]]:
    rows = [row.asDict() for row in frame.collect()]
    found = {tuple(row[key] for key in KEYS[table]): row for row in rows}
    assert len(found) == len(rows), f"{table} has the same key twice"
    return found


def verdicts_of(shop: Shop, frames: Mapping[str, DataFrame], now: datetime) -> list[Verdict]:
    """Every check of the project, wherever it is written, on these tables."""
    from forge.engines.spark.frames import schema_of
    from forge.engines.spark.measure.measurer import SparkMeasurer

    files = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted((SHOP / "checks").glob("*.yaml"))]
    sources = yaml.safe_load((SHOP / "sources" / "shop.yaml").read_text(encoding="utf-8"))["sources"]
    contracts = by_table(load_all(SHOP))
    found: list[Verdict] = []
    for table, frame in frames.items():
        specs = [spec for file in files for spec in file.get(table, [])]
        specs += [spec for source in sources if source["output"] == table for spec in source["checks"]]
        specs += header_of(path_of(table)).get("checks", []) if table in TABLES else []
        specs += [spec for spec, _ in checks_of(contracts[table]).checks] if table in contracts else []
        name, schema = TableName.parse(table), schema_of(frame)
        checks = [load_check(spec, table=name, where="test") for spec in specs]
        measurer = SparkMeasurer(shop.spark, frame, lambda other: frames[str(other)])
        readings = measurer.measure(plan_measures(checks, schema))
        found += judge_all(checks, readings, Context(name, schema, now))
    return found


def test_the_same_seed_gives_the_same_files(shop: Shop, tmp_path: Path) -> None:
    partitions = shop.spark.conf.get("spark.sql.shuffle.partitions") or ""
    shop.spark.conf.set("spark.sql.shuffle.partitions", "7")
    try:
        shop.generator.generate(shop.spark, tmp_path, seed=42, days=shop.generator.DAYS, scale=SCALE)
    finally:
        shop.spark.conf.set("spark.sql.shuffle.partitions", partitions)
    first, second = files_below(shop.root), files_below(tmp_path)
    assert first.keys() == second.keys()
    texts = [name for name in first if not name.endswith(".parquet")]
    assert {name: first[name] for name in texts} == {name: second[name] for name in texts}
    again = read_sources(shop.spark, tmp_path)["raw.order_items"]
    assert again.exceptAll(shop.sources["raw.order_items"]).isEmpty()
    assert again.count() == shop.sources["raw.order_items"].count()


def test_a_day_generated_alone_is_the_day_among_the_others(shop: Shop, tmp_path: Path) -> None:
    shop.generator.generate_days(shop.spark, tmp_path, seed=42, days=[LAST_DAY], scale=SCALE)
    alone = files_below(tmp_path)
    assert set(alone) == {"data/orders/2026-11-14.csv", "data/order_items/2026-11-14.parquet"}
    assert alone["data/orders/2026-11-14.csv"] == (shop.root / "data/orders/2026-11-14.csv").read_bytes()


def test_another_seed_gives_another_shop(shop: Shop, tmp_path: Path) -> None:
    shop.generator.generate_days(shop.spark, tmp_path, seed=43, days=[FIRST_DAY], scale=SCALE)
    name = "data/orders/2026-11-05.csv"
    assert (tmp_path / name).read_bytes() != (shop.root / name).read_bytes()


def test_most_rows_are_history_and_each_day_adds_a_small_file(shop: Shop) -> None:
    history = sum(shop.sources[f"raw.{name}"].count() for name in ("customers", "orders", "order_items"))
    orders = {p.name: len(p.read_text().splitlines()) - 1 for p in (shop.root / "data/orders").glob("*.csv")}
    days = [f"{FIRST_DAY + timedelta(days=n)}.csv" for n in range(10)]
    assert sorted(orders) == sorted([*days, *(f"history-{n}.csv" for n in range(1, 5))])
    assert all(100 <= orders[day] <= 150 for day in days)
    assert sum(orders[f"history-{n}.csv"] for n in range(1, 5)) > 2 * sum(orders[day] for day in days)
    assert 0.9 * 2_000_000 * SCALE < history < 1.5 * 2_000_000 * SCALE  # small days keep at least 150 orders


def test_the_incident_touches_one_country_on_the_last_day_and_only_the_amount(shop: Shop, tmp_path: Path) -> None:
    shop.generator.generate_days(shop.spark, tmp_path, seed=42, days=shop.generator.DAYS, scale=SCALE, incident=None)
    changed = set()
    for path in sorted((tmp_path / "data/orders").glob("*.csv")):
        good = [line.split(",") for line in path.read_text().splitlines()[1:]]
        bad = [line.split(",") for line in (shop.root / "data/orders" / path.name).read_text().splitlines()[1:]]
        for before, after in zip(good, bad, strict=True):
            assert before[:-1] == after[:-1]
            if before != after:
                changed.add((path.name, before[3].upper()))
                assert Decimal(after[-1]) == 100 * Decimal(before[-1])
        swedish = [row for row in good if row[3].upper() == "SE"]
        assert swedish, f"{path.name} has no order from Sweden"
        if path.name == "2026-11-14.csv":
            assert sum(before != after for before, after in zip(good, bad, strict=True)) == len(swedish)
    assert changed == {("2026-11-14.csv", "SE")}


def test_the_amount_of_an_order_is_the_sum_of_its_lines_and_the_parcel(shop: Shop) -> None:
    sums: dict[int, Decimal] = {}
    for row in shop.eve["core.order_items"].collect():
        sums[row["order_id"]] = sums.get(row["order_id"], Decimal(0)) + row["net_amount"]
    orders = {row["order_id"]: row["amount"] for row in shop.eve["core.orders"].collect()}
    assert orders.keys() == sums.keys()
    parcel = Decimal("4.90")
    off = {id: abs(orders[id] - sum - (parcel if sum < 50 else 0)) for id, sum in sums.items()}
    assert max(off.values()) <= Decimal("0.01")  # other currencies round once more


@pytest.mark.parametrize("table", TABLES)
def test_a_transform_runs_and_describes_each_of_its_columns(shop: Shop, table: str) -> None:
    options = header_of(path_of(table))
    frame = shop.last[table]
    assert frame.columns == list(options["columns"])
    assert options["description"]
    assert rows_of(frame, table)


def test_each_contract_has_the_columns_and_types_of_its_table(shop: Shop) -> None:
    seen = set()
    for path in sorted((SHOP / "contracts").glob("*.odcs.yaml")):
        for table in yaml.safe_load(path.read_text(encoding="utf-8"))["schema"]:
            frame = shop.last[table["physicalName"]]
            promised = [(p["name"], p["physicalType"]) for p in table["properties"]]
            assert promised == [(f.name, f.dataType.simpleString()) for f in frame.schema.fields]
            seen.add(table["physicalName"])
    assert seen >= {"core.orders", "core.customers", "marts.daily_revenue"}
    assert len(seen) == 5


def test_normal_amounts_lie_clearly_inside_the_range_and_the_last_day_does_not(shop: Shop) -> None:
    checks = yaml.safe_load((SHOP / "checks/core.yaml").read_text(encoding="utf-8"))["core.orders"]
    (check,) = [c for c in checks if c["type"] == "range" and c["column"] == "amount"]
    assert check["severity"] == "critical"
    outside = set()
    for row in shop.last["core.orders"].collect():
        is_bad = not check["min"] <= row["amount"] <= check["max"]
        outside |= {(row["ordered_at"].date(), row["country"])} if is_bad else set()
        if row["ordered_at"].date() < LAST_DAY:
            assert 0 < row["amount"] < check["max"] / 2
    assert outside == {(LAST_DAY, "SE")}


def test_on_the_good_days_every_check_passes(shop: Shop) -> None:
    verdicts = verdicts_of(shop, shop.eve, datetime(2026, 11, 14, 6, tzinfo=UTC))
    assert [v for v in verdicts if v.outcome is not Outcome.PASSED] == []
    assert {v.table for v in verdicts} > {"core.orders", "core.customers", "core.order_items", "marts.daily_revenue"}


def test_on_the_last_day_the_range_check_alone_fails_and_the_contract_of_the_orders_holds(shop: Shop) -> None:
    verdicts = verdicts_of(shop, shop.last, datetime(2026, 11, 15, 6, tzinfo=UTC))
    failed = [v for v in verdicts if v.outcome is not Outcome.PASSED]
    assert [(v.table, v.check_type, v.columns, v.severity) for v in failed] == [
        ("core.orders", "range", ("amount",), Severity.CRITICAL)
    ]
    assert failed[0].blocks


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("core.orders", FROM_AMOUNT),
        ("raw.orders", FROM_AMOUNT | {("staging.orders", "amount"), ("core.orders", "amount")}),
    ],
)
def test_exactly_four_columns_of_the_marts_derive_from_the_amount(
    shop: Shop, table: str, expected: set[tuple[str, str]]
) -> None:
    """Found without any lineage: what changes when the amount, and nothing but the amount, changes?"""
    from pyspark.sql import functions as F

    def alter(frame: DataFrame) -> DataFrame:
        return frame.withColumn("amount", (F.col("amount") * 3 + 7).cast("decimal(12,2)"))

    altered = build(shop.spark, shop.sources, LAST_DAY, (table, alter))
    changed = set()
    for name in TABLES:
        before, after = rows_of(shop.eve[name], name), rows_of(altered[name], name)
        assert before.keys() == after.keys()
        changed |= {
            (name, column) for key in before for column in before[key] if before[key][column] != after[key][column]
        }
    assert changed - {(table, "amount")} == expected - {(table, "amount")}


@pytest.fixture
def empty_lake(shop: Shop) -> Iterator[dict[str, DataFrame]]:
    """The tables of the shop in the catalog, without rows: all that lineage needs."""
    frames = {}
    for schema in ("raw", "staging", "core", "marts"):
        shop.spark.sql(f"CREATE NAMESPACE forge.shop_{schema}")
    for table, frame in shop.last.items():
        columns = ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in frame.schema.fields)
        shop.spark.sql(f"CREATE TABLE forge.shop_{table} ({columns}) USING iceberg")
        frames[table] = shop.spark.table(f"forge.shop_{table}")
    yield frames
    for table in frames:
        shop.spark.sql(f"DROP TABLE forge.shop_{table}")
    for schema in ("raw", "staging", "core", "marts"):
        shop.spark.sql(f"DROP NAMESPACE forge.shop_{schema}")


def test_lineage_finds_the_same_four_columns(shop: Shop, empty_lake: Mapping[str, DataFrame]) -> None:
    names = {f"forge.shop_{table}": table for table in empty_lake}
    edges = set()
    for table in TABLES:
        frame: Any = run_transform(shop.spark, table, empty_lake, LAST_DAY)
        found = extract_plan(frame._jdf.queryExecution().analyzed().toJSON(), table, names)
        assert found.gaps == ()
        edges |= {(str(edge.source), str(edge.target)) for edge in found.edges}

    reached: set[str] = set()
    pending = ["core.orders.amount"]
    while pending:
        source = pending.pop()
        targets = {target for start, target in edges if start == source} - reached
        reached |= targets
        pending += targets
    assert reached == {f"{table}.{column}" for table, column in FROM_AMOUNT}
    upstream = {source for source, target in edges if target == "core.orders.amount"}
    assert upstream == {"staging.orders.amount", "raw.countries.rate_to_eur"}


def test_three_people_own_what_derives_from_the_amount() -> None:
    owners = {table: header_of(path_of(table))["owner"] for table, _ in FROM_AMOUNT}
    assert len(set(owners.values())) == len(owners) == 3
    assert all(owner.endswith("@shop.example") for owner in owners.values())
