"""The files of the web shop, made up by Spark from a seed.

A value depends only on the seed and the id of its row, through a hash, so the same seed gives the same rows on any
number of cores. Everything is written below `<root>/data`, where `sources/shop.yaml` looks for it:

    data/customers.json               all customers, one JSON object on each line
    data/products.csv                 all products
    data/countries.csv                the countries we ship to, with currency and exchange rate
    data/orders/history-*.csv         a year of orders, up to 4 November 2026
    data/orders/2026-11-05.csv        and one file a day from then on
    data/order_items/history-*.parquet, 2026-11-05.parquet, …      what was in the orders

On 14 November the Swedish checkout sends öre instead of kronor: `amount` is a hundred times what it should be.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

SEED = 42
DAYS = [date(2026, 11, 5) + timedelta(days=n) for n in range(10)]
HISTORY = [DAYS[0] - timedelta(days=n) for n in range(365, 0, -1)]

INCIDENT_DAY = DAYS[-1]
INCIDENT_COUNTRY = "SE"

CUSTOMERS, PRODUCTS, ORDERS_A_DAY = 60_000, 2_000, 1_200
MOST_LINES = 7  # of one order

# country, name, currency, euros for one unit of it, share of the customers in percent
COUNTRIES = [
    ("DE", "Germany", "EUR", "1.000000", 29),
    ("FR", "France", "EUR", "1.000000", 18),
    ("PL", "Poland", "PLN", "0.234000", 13),
    ("NL", "Netherlands", "EUR", "1.000000", 12),
    ("SE", "Sweden", "SEK", "0.088000", 11),
    ("AT", "Austria", "EUR", "1.000000", 8),
    ("DK", "Denmark", "DKK", "0.134000", 5),
    ("CH", "Switzerland", "CHF", "1.050000", 4),
]
DIALLING_CODES = {"DE": "49", "FR": "33", "PL": "48", "NL": "31", "SE": "46", "AT": "43", "DK": "45", "CH": "41"}

FIRST_NAMES = "Ada Alma Anna Ben Bruno Clara Elias Emil Emma Finn Greta Hugo Ida Jonas Lena Leo Lina Luca Maja Mila"
LAST_NAMES = (
    "Andersson Bauer Berg Dubois Fischer Jansen Kowalski Lindqvist Meyer Moreau Nielsen Novak Petit Visser Weber"
)
KINDS_OF_PRODUCT = {
    "kitchen": "Kettle Pan Teapot Grater Bowl",
    "garden": "Trowel Lantern Planter Hose Bench",
    "office": "Notebook Lamp Stapler Chair Organizer",
    "sports": "Bottle Mat Rope Backpack Racket",
    "toys": "Puzzle Kite Blocks Train Yo-yo",
}
ADJECTIVES = "Blue Classic Compact Foldable Green Light Oak Quiet Red Sturdy"


def generate(
    spark: SparkSession,
    root: Path,
    *,
    seed: int = SEED,
    days: Sequence[date] = tuple(DAYS),
    scale: float = 1.0,
    incident: date | None = INCIDENT_DAY,
) -> None:
    """The whole shop: everything up to the first of DAYS, and the files of `days`. Full scale is two million rows."""
    generate_history(spark, root, seed=seed, scale=scale)
    generate_days(spark, root, seed=seed, days=days, scale=scale, incident=incident)


def generate_history(spark: SparkSession, root: Path, *, seed: int = SEED, scale: float = 1.0) -> None:
    """Customers, products, countries, and a year of orders: what the first run loads."""
    data = root.resolve() / "data"
    data.mkdir(parents=True, exist_ok=True)
    (data / "countries.csv").write_text(_countries(), encoding="utf-8")
    _write(_products(spark, seed, scale), data, "products", "csv")
    _write(_customers(spark, seed, scale), data, "customers", "json")
    orders = _orders(spark, HISTORY, max(1, round(ORDERS_A_DAY * scale)), seed, scale, files=4)
    names = [f"history-{n}" for n in range(1, 5)]
    _write(_order_file(orders, None), data / "orders", names, "csv")
    _write(_item_file(orders, seed, scale), data / "order_items", names, "parquet")


def generate_days(
    spark: SparkSession,
    root: Path,
    *,
    seed: int = SEED,
    days: Sequence[date],
    scale: float = 1.0,
    incident: date | None = INCIDENT_DAY,
) -> None:
    """One file of orders and one of order items for each of `days`, as the shop delivers them in the morning.

    On the day `incident` the amounts of INCIDENT_COUNTRY are in hundredths; None leaves every day as it should be."""
    if not days:
        return
    data = root.resolve() / "data"
    orders = _orders(spark, days, max(150, round(ORDERS_A_DAY * scale)), seed, scale, files=len(days))
    names = [day.isoformat() for day in days]
    _write(_order_file(orders, incident), data / "orders", names, "csv")
    _write(_item_file(orders, seed, scale), data / "order_items", names, "parquet")


# --- small tables ---------------------------------------------------------------------------------------------------


def _countries() -> str:
    rows = [",".join(country[:4]) for country in COUNTRIES]
    return "\n".join(["country,name,currency,rate_to_eur", *rows, ""])


def _products(spark: SparkSession, seed: int, scale: float) -> DataFrame:
    number = F.col("id")
    kinds = list(KINDS_OF_PRODUCT)
    kind = _hash(seed, "kind", len(kinds), number)
    nouns = [_choice(words.split(), _hash(seed, "noun", 5, number)) for words in KINDS_OF_PRODUCT.values()]
    name = F.concat_ws(
        " ",
        _choice(ADJECTIVES.split(), _hash(seed, "adjective", 10, number)),
        F.element_at(F.array(*nouns), (kind + 1).cast("int")),
        number.cast("string"),
    )
    return spark.range(1, _products_at(scale) + 1, 1, 1).select(
        number.alias("product_id"),
        name.alias("name"),
        _choice(kinds, kind).alias("category"),
        _euros(_price(seed, number)).alias("list_price"),
    )


def _customers(spark: SparkSession, seed: int, scale: float) -> DataFrame:
    number = F.col("id")
    first = _choice(FIRST_NAMES.split(), _hash(seed, "first", len(FIRST_NAMES.split()), number))
    last = _choice(LAST_NAMES.split(), _hash(seed, "last", len(LAST_NAMES.split()), number))
    country = _country_of(seed, number)
    digits = _hash(seed, "phone", 10_000_000, number).cast("string")
    code = _lookup(DIALLING_CODES, country)
    phone = F.concat(F.lit("+"), code, F.lit(" 7"), F.substring(F.lpad(digits, 7, "0"), 1, 1), F.lit(" "))
    phone = F.concat(phone, F.substring(F.lpad(digits, 7, "0"), 2, 6))
    email = F.concat_ws("", first, F.lit("."), last, number.cast("string"), F.lit("@mail.example"))
    signed_up = F.date_sub(F.lit(HISTORY[0]), (_hash(seed, "signed up", 900, number) + 1).cast("int"))
    return spark.range(1, _customers_at(scale) + 1, 1, 1).select(
        number.alias("customer_id"),
        F.concat_ws(" ", first, last).alias("full_name"),
        # People type their address as they like, and some give no phone number.
        F.when(_hash(seed, "shouting", 20, number) == 0, F.upper(email)).otherwise(email).alias("email"),
        F.when(_hash(seed, "has phone", 10, number) < 8, phone).alias("phone"),
        country.alias("country"),
        signed_up.alias("signed_up_on"),
        (_hash(seed, "newsletter", 100, number) < 35).alias("newsletter"),
    )


# --- orders and what is in them -------------------------------------------------------------------------------------


def _orders(
    spark: SparkSession, days: Sequence[date], per_day: int, seed: int, scale: float, *, files: int
) -> DataFrame:
    """One row per order, `per_day` at most on each day (weekends sell more), in order of time."""
    position = (F.col("id") / per_day).cast("int")  # ids are far below 2**53, so the division is exact enough to cut
    day = _choice([d.isoformat() for d in days], position).cast("date")
    number = F.col("id") - position * per_day
    order_id = F.date_format(day, "yyyyMMdd").cast("bigint") * 100_000 + number + 1
    rows = spark.range(0, len(days) * per_day, 1, files).select(day.alias("day"), order_id.alias("order_id"))

    order = F.col("order_id")
    kept = F.when(F.dayofweek("day").isin(1, 7), 96).otherwise(82)
    luck = _hash(seed, "customer", 1_000_000, order) / 1_000_000  # squared below: some customers come back often
    customer = (luck * luck * _customers_at(scale)).cast("bigint") + 1
    return (
        rows.where(_hash(seed, "kept", 100, order) < kept)
        .withColumn("customer_id", customer)
        .withColumn("country", _country_of(seed, F.col("customer_id")))
        .withColumn("lines", (_hash(seed, "lines", MOST_LINES, order) + 1).cast("int"))
        .withColumn("goods", _goods(seed, scale))
        .withColumn("cents", F.col("goods") + F.when(F.col("goods") < 5_000, 490).otherwise(0))  # small parcels cost
        .withColumn("channel", _choice(["web", "web", "app", "marketplace"], _hash(seed, "channel", 4, order)))
        .withColumn("minute", _hash(seed, "minute", 24 * 60, order))
        .withColumn("fate", _hash(seed, "fate", 100, order))
    )


def _goods(seed: int, scale: float) -> Column:
    """What the lines of an order cost together, in euro cents."""
    numbers = F.sequence(F.lit(1), F.col("lines"))
    nothing = F.lit(0).cast("bigint")
    return F.aggregate(numbers, nothing, lambda sum, line: sum + _net(*_line(seed, scale, F.col("order_id"), line)[1:]))


def _order_file(orders: DataFrame, incident: date | None) -> DataFrame:
    rates = {country: rate for country, _, _, rate, _ in COUNTRIES}
    rate = _lookup(rates, F.col("country")).cast("decimal(12,6)")
    amount = F.round(F.col("cents").cast("decimal(12,0)") / 100 / rate, 2)
    if incident is not None:
        hit = (F.col("day") == F.lit(incident)) & (F.col("country") == INCIDENT_COUNTRY)
        amount = amount * F.when(hit, 100).otherwise(1)
    recent = F.col("day") >= F.lit(HISTORY[-2])
    status = (
        F.when(F.col("fate") < 4, "cancelled")
        .when(recent & (F.col("fate") < 40), "open")
        .when(recent, "paid")
        .when(F.col("fate") < 7, "returned")
        .otherwise("shipped")
    )
    hour, minute = F.floor(F.col("minute") / 60), F.col("minute") % 60
    moment = F.format_string("%s %02d:%02d:00", F.col("day").cast("string"), hour, minute)
    return orders.select(
        "order_id",
        "customer_id",
        moment.alias("ordered_at"),
        # The app writes countries in small letters; staging.orders puts that right.
        F.when(F.col("channel") == "app", F.lower("country")).otherwise(F.col("country")).alias("country"),
        "channel",
        status.alias("status"),
        amount.cast("decimal(12,2)").alias("amount"),
    )


def _item_file(orders: DataFrame, seed: int, scale: float) -> DataFrame:
    lines = orders.select("order_id", "day", F.explode(F.sequence(F.lit(1), F.col("lines"))).alias("line"))
    product, quantity, price, discount = _line(seed, scale, F.col("order_id"), F.col("line"))
    return lines.select(
        "order_id",
        "line",
        product.alias("product_id"),
        quantity.cast("int").alias("quantity"),
        _euros(price).alias("unit_price"),
        discount.cast("int").alias("discount_percent"),
        F.col("day").alias("sold_on"),
    )


def _line(seed: int, scale: float, order: Column, line: Column) -> tuple[Column, Column, Column, Column]:
    """Product, quantity, price in cents and discount in percent of one line of an order."""
    luck = _hash(seed, "line", 1_000_000_000, order, line)
    product = luck % _products_at(scale) + 1
    quantity = F.when(luck < 700_000_000, 1).when(luck < 900_000_000, 2).otherwise(3)
    discount = F.when(luck % 1_000_000 < 800_000, 0).otherwise(20)
    return product, quantity, _price(seed, product), discount


def _net(quantity: Column, price: Column, discount: Column) -> Column:
    return F.floor((quantity * price * (100 - discount) + 50) / 100)


def _price(seed: int, product: Column) -> Column:
    """In cents, 1.99 to 119.99: cheap things are more common than dear ones."""
    luck = _hash(seed, "price", 1_000, product)
    return 199 + 100 * F.floor(luck * luck * 119 / 1_000_000)


def _country_of(seed: int, customer: Column) -> Column:
    hundred = [country for country, *_, share in COUNTRIES for _ in range(share)]
    return _choice(hundred, _hash(seed, "country", len(hundred), customer))


# --- small tools ----------------------------------------------------------------------------------------------------


def _hash(seed: int, what: str, below: int, *columns: Column) -> Column:
    """A number in [0, below) that depends on nothing but the seed, `what` and the columns."""
    return F.pmod(F.xxhash64(F.lit(seed).cast("bigint"), F.lit(what), *columns), F.lit(below).cast("bigint"))


def _choice(words: Sequence[str], position: Column) -> Column:
    return F.element_at(F.split(F.lit(",".join(words)), ","), (position + 1).cast("int"))


def _lookup(values: dict[str, str], key: Column) -> Column:
    return F.element_at(F.create_map(*(F.lit(part) for pair in values.items() for part in pair)), key)


def _euros(cents: Column) -> Column:
    return (cents.cast("decimal(12,0)") / 100).cast("decimal(10,2)")


def _customers_at(scale: float) -> int:
    return max(200, round(CUSTOMERS * scale))


def _products_at(scale: float) -> int:
    return max(50, round(PRODUCTS * scale))


def _write(frame: DataFrame, folder: Path, names: str | list[str], kind: str) -> None:
    """Spark writes a folder of parts; we want plain files with names a person can read, one per partition."""
    names = [names] if isinstance(names, str) else names
    working = folder / f"_writing_{names[0]}"
    writer = frame.write.mode("overwrite").option("header", "true").option("ignoreNullFields", "false")
    writer.format(kind).save(working.as_uri())
    parts = sorted(working.glob("part-*"))
    for part, name in zip(parts, names, strict=True):
        part.replace(folder / f"{name}.{kind}")
    shutil.rmtree(working)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the files of the demo shop below ./data, or below ROOT/data.")
    parser.add_argument("--root", type=Path, default=Path(__file__).parent)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--scale", type=float, default=1.0, help="1.0 is two million rows")
    parser.add_argument("--day", type=date.fromisoformat, action="append", help="only the files of this day")
    parser.add_argument("--no-incident", action="store_true", help="leave the last day as it should be")
    args = parser.parse_args()
    spark = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
    if not args.day:
        generate_history(spark, args.root, seed=args.seed, scale=args.scale)
    incident = None if args.no_incident else INCIDENT_DAY
    generate_days(spark, args.root, seed=args.seed, days=args.day or [], scale=args.scale, incident=incident)
    spark.stop()


if __name__ == "__main__":
    main()
