import datetime

import polars as pl
from warehouse import con

DAY = datetime.date(1995, 3, 15)
customer = pl.read_database("SELECT * FROM tpch.customer", con)
orders = pl.read_database("SELECT * FROM tpch.orders", con)
lineitem = pl.read_database("SELECT * FROM tpch.lineitem", con)

result = (
    lineitem.filter(pl.col("l_shipdate") > DAY)
    .join(orders.filter(pl.col("o_orderdate") < DAY), left_on="l_orderkey", right_on="o_orderkey")
    .join(customer.filter(pl.col("c_mktsegment") == "BUILDING"), left_on="o_custkey", right_on="c_custkey")
    .group_by("l_orderkey", "o_orderdate", "o_shippriority")
    .agg((pl.col("l_extendedprice") * (1 - pl.col("l_discount"))).sum().alias("revenue"))
    .select("l_orderkey", "revenue", "o_orderdate", "o_shippriority")
    .sort("revenue", "o_orderdate", descending=[True, False])
    .head(10)
)
result.write_database("out.q03", con)
