import datetime

import polars as pl
from warehouse import con


def load(name: str) -> pl.LazyFrame:
    return pl.read_database(f"SELECT * FROM tpch.{name}", con).lazy()


in_year = (pl.col("o_orderdate") >= datetime.date(1994, 1, 1)) & (pl.col("o_orderdate") < datetime.date(1995, 1, 1))
result = (
    load("lineitem")
    .join(load("orders").filter(in_year), left_on="l_orderkey", right_on="o_orderkey")
    .join(load("customer"), left_on="o_custkey", right_on="c_custkey")
    .join(load("supplier"), left_on=["l_suppkey", "c_nationkey"], right_on=["s_suppkey", "s_nationkey"])
    .join(load("nation"), left_on="c_nationkey", right_on="n_nationkey")
    .join(load("region").filter(r_name="ASIA"), left_on="n_regionkey", right_on="r_regionkey")
    .with_columns(revenue=pl.col("l_extendedprice") * (1 - pl.col("l_discount")))
    .group_by("n_name")
    .agg(pl.col("revenue").sum())
    .sort("revenue", descending=True)
)
result.collect().write_database("out.q05", con)
