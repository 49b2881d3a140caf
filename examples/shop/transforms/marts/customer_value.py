"""What each customer is worth to us."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forge import transform


@transform(
    output="marts.customer_value",
    inputs={"orders": "core.orders", "customers": "core.customers"},
    kind="full",
    owner="maria@shop.example",
    tags=["gold", "marketing"],
    description="One row per customer who ever bought something. Holds no personal data.",
    columns={
        "customer_id": "Number of the customer",
        "country": "Where the customer lives",
        "segment": "new (one order), returning (two to nine) or loyal (ten and more)",
        "orders": "Orders that were not cancelled",
        "first_order_on": "Day of the first of them",
        "last_order_on": "Day of the latest of them",
        "lifetime_value": "What they are worth together, in euros",
    },
    checks=[
        {"type": "unique", "columns": ["customer_id"]},
        {"type": "foreign_key", "columns": ["customer_id"], "references": "core.customers.customer_id"},
        {"type": "accepted_values", "column": "segment", "values": ["new", "returning", "loyal"]},
    ],
)
def customer_value(orders: DataFrame, customers: DataFrame) -> DataFrame:
    bought = (
        orders.where(F.col("status") != "cancelled")
        .groupBy("customer_id")
        .agg(
            F.count("*").alias("orders"),
            F.min(F.to_date("ordered_at")).alias("first_order_on"),
            F.max(F.to_date("ordered_at")).alias("last_order_on"),
            F.sum("amount").cast("decimal(14,2)").alias("lifetime_value"),
        )
    )
    # By the number of orders, not by their worth: a single large order does not make a loyal customer.
    segment = F.when(F.col("orders") == 1, "new").when(F.col("orders") < 10, "returning").otherwise("loyal")
    return bought.join(customers, "customer_id").select(
        "customer_id",
        "country",
        segment.alias("segment"),
        "orders",
        "first_order_on",
        "last_order_on",
        "lifetime_value",
    )
