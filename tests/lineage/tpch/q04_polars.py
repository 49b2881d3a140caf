import datetime

import polars as pl
from warehouse import con

late = pl.read_database("SELECT * FROM tpch.lineitem", con).filter(pl.col("l_commitdate") < pl.col("l_receiptdate"))
orders = pl.read_database("SELECT * FROM tpch.orders", con)
result = (
    orders.filter(
        pl.col("o_orderdate").is_between(datetime.date(1993, 7, 1), datetime.date(1993, 10, 1), closed="left")
    )
    .join(late, left_on="o_orderkey", right_on="l_orderkey", how="semi")
    .group_by("o_orderpriority")
    .agg(pl.len().alias("order_count"))
    .sort("o_orderpriority")
)
result.write_database("out.q04", con)
