import datetime

import polars as pl
from warehouse import con


def load(name: str) -> pl.LazyFrame:
    return pl.read_database(f"SELECT * FROM tpch.{name}", con).lazy()


n1 = load("nation").select(pl.col("n_nationkey"), supp_nation="n_name")
n2 = load("nation").select(pl.col("n_nationkey"), cust_nation="n_name")
supp, cust = pl.col("supp_nation"), pl.col("cust_nation")
keys = ["supp_nation", "cust_nation", "l_year"]
result = (
    load("lineitem")
    .filter(pl.col("l_shipdate").is_between(datetime.date(1995, 1, 1), datetime.date(1996, 12, 31)))
    .join(load("supplier"), left_on="l_suppkey", right_on="s_suppkey")
    .join(load("orders"), left_on="l_orderkey", right_on="o_orderkey")
    .join(load("customer"), left_on="o_custkey", right_on="c_custkey")
    .join(n1, left_on="s_nationkey", right_on="n_nationkey")
    .join(n2, left_on="c_nationkey", right_on="n_nationkey")
    .filter(((supp == "FRANCE") & (cust == "GERMANY")) | ((supp == "GERMANY") & (cust == "FRANCE")))
    .with_columns(
        l_year=pl.col("l_shipdate").dt.year(),
        volume=pl.col("l_extendedprice") * (1 - pl.col("l_discount")),
    )
    .group_by(keys)
    .agg(revenue=pl.sum("volume"))
    .sort(keys)
)
result.collect().write_database("out.q07", con)
