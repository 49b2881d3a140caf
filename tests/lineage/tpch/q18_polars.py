import polars as pl
from warehouse import con

customer = pl.read_database("SELECT * FROM tpch.customer", con)
orders = pl.read_database("SELECT * FROM tpch.orders", con)
lineitem = pl.read_database("SELECT * FROM tpch.lineitem", con)
large = lineitem.group_by("l_orderkey").agg(pl.col("l_quantity").sum()).filter(pl.col("l_quantity") > 300)
result = (
    customer.join(orders, left_on="c_custkey", right_on="o_custkey")
    .join(large, left_on="o_orderkey", right_on="l_orderkey", how="semi")
    .join(lineitem, left_on="o_orderkey", right_on="l_orderkey")
    .group_by("c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice")
    .agg(pl.col("l_quantity").sum().alias("quantity"))
    .sort("o_totalprice", "o_orderdate", descending=[True, False])
    .head(100)
)
result.write_database("out.q18", con)
