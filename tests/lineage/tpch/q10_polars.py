import datetime

import polars as pl
from warehouse import con

KEYS = ["c_custkey", "c_name", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"]

customer = pl.read_database("SELECT * FROM tpch.customer", con)
orders = pl.read_database("SELECT * FROM tpch.orders", con)
lineitem = pl.read_database("SELECT * FROM tpch.lineitem", con)
nation = pl.read_database("SELECT * FROM tpch.nation", con)
day = pl.col("o_orderdate")
result = (
    customer.join(orders, left_on="c_custkey", right_on="o_custkey")
    .join(lineitem, left_on="o_orderkey", right_on="l_orderkey")
    .join(nation, left_on="c_nationkey", right_on="n_nationkey")
    .filter((day >= datetime.date(1993, 10, 1)) & (day < datetime.date(1994, 1, 1)))
    .filter(pl.col("l_returnflag") == "R")
    .group_by(KEYS)
    .agg(revenue=(pl.col("l_extendedprice") * (1 - pl.col("l_discount"))).sum())
    .top_k(20, by="revenue")
)
result.select("c_custkey", "c_name", "revenue", *KEYS[2:]).write_database("out.q10", con)
