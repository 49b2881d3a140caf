"""What each product sells. Built on the lines of the orders and their own prices, not on the orders' amounts."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forge import transform


@transform(
    output="marts.product_sales",
    inputs={"items": "core.order_items", "products": "raw.products"},
    kind="full",
    owner="paula@shop.example",
    tags=["gold", "purchasing"],
    description="One row per product that was ever sold.",
    columns={
        "product_id": "The product",
        "name": "Its name",
        "category": "Its category",
        "units": "How many were sold",
        "net_sales": "What they brought after discounts, in euros",
        "last_sold_on": "Day of the latest sale",
    },
    checks=[{"type": "unique", "columns": ["product_id"]}, {"type": "range", "column": "units", "min": 1}],
)
def product_sales(items: DataFrame, products: DataFrame) -> DataFrame:
    sold = items.groupBy("product_id").agg(
        F.sum("quantity").alias("units"),
        F.sum("net_amount").cast("decimal(14,2)").alias("net_sales"),
        F.max("sold_on").alias("last_sold_on"),
    )
    return sold.join(products, "product_id").select(
        "product_id", "name", "category", "units", "net_sales", "last_sold_on"
    )
