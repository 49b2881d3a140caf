import polars as pl
from warehouse import con

orders = pl.read_database("SELECT * FROM tpch.orders", con)
customer = pl.read_database("SELECT * FROM tpch.customer", con)
usual = orders.filter(~pl.col("o_comment").str.contains("special.*requests"))
result = (
    customer.join(usual, left_on="c_custkey", right_on="o_custkey", how="left")
    .group_by("c_custkey")
    .agg(pl.col("o_orderkey").count().alias("c_count"))
    .group_by("c_count")
    .len(name="custdist")
    .sort("custdist", "c_count", descending=True)
)
result.write_database("out.q13", con)
