"""Customers as people typed themselves in, made uniform."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forge import transform


@transform(
    output="staging.customers",
    inputs={"customers": "raw.customers"},
    kind="full",
    tags=["silver", "pii"],
    description="Customers with tidy names, addresses and phone numbers.",
    columns={
        "customer_id": "Number of the customer",
        "full_name": "First and last name. Personal data",
        "email": "Where we write to, in small letters. Personal data",
        "phone": "With the country's code and without spaces; empty if we were not told. Personal data",
        "country": "Where the customer lives, as two capital letters",
        "signed_up_on": "Day of the registration",
        "newsletter": "Whether the customer asked for the newsletter",
    },
    checks=[{"type": "not_null", "column": "customer_id"}],
)
def customers(customers: DataFrame) -> DataFrame:
    return customers.select(
        "customer_id",
        F.trim("full_name").alias("full_name"),
        F.lower(F.trim("email")).alias("email"),
        F.regexp_replace("phone", "[^0-9+]", "").alias("phone"),
        F.upper("country").alias("country"),
        "signed_up_on",
        "newsletter",
    )
