import datetime

import polars as pl
from warehouse import con

urgent = pl.col("o_orderpriority").is_in(["1-URGENT", "2-HIGH"])
lines = pl.read_database("SELECT * FROM tpch.lineitem", con).filter(
    pl.col("l_shipmode").is_in(["MAIL", "SHIP"]),
    pl.col("l_commitdate") < pl.col("l_receiptdate"),
    pl.col("l_shipdate") < pl.col("l_commitdate"),
    pl.col("l_receiptdate") >= datetime.date(1994, 1, 1),
    pl.col("l_receiptdate") < datetime.date(1995, 1, 1),
)
orders = pl.read_database("SELECT * FROM tpch.orders", con)
result = (
    lines.join(orders, left_on="l_orderkey", right_on="o_orderkey")
    .group_by("l_shipmode")
    .agg(
        high_line_count=pl.when(urgent).then(1).otherwise(0).sum(),
        low_line_count=pl.when(~urgent).then(1).otherwise(0).sum(),
    )
    .sort("l_shipmode")
)
result.write_database("out.q12", con)
