import datetime

import polars as pl
from warehouse import con


def load(name: str) -> pl.LazyFrame:
    return pl.read_database(f"SELECT * FROM tpch.{name}", con).lazy()


america = load("nation").join(
    load("region").filter(pl.col("r_name") == "AMERICA"), left_on="n_regionkey", right_on="r_regionkey"
)
suppliers = (
    load("supplier")
    .join(load("nation"), left_on="s_nationkey", right_on="n_nationkey")
    .select("s_suppkey", pl.col("n_name").alias("nation"))
)
result = (
    load("part")
    .filter(pl.col("p_type") == "ECONOMY ANODIZED STEEL")
    .join(load("lineitem"), left_on="p_partkey", right_on="l_partkey")
    .join(suppliers, left_on="l_suppkey", right_on="s_suppkey")
    .join(load("orders"), left_on="l_orderkey", right_on="o_orderkey")
    .filter(pl.col("o_orderdate").is_between(datetime.date(1995, 1, 1), datetime.date(1996, 12, 31)))
    .join(load("customer"), left_on="o_custkey", right_on="c_custkey")
    .join(america, left_on="c_nationkey", right_on="n_nationkey", how="semi")
    .select(
        pl.col("o_orderdate").dt.year().alias("o_year"),
        (pl.col("l_extendedprice") * (1 - pl.col("l_discount"))).alias("volume"),
        "nation",
    )
    .group_by("o_year")
    .agg(
        mkt_share=pl.when(pl.col("nation") == "BRAZIL").then(pl.col("volume")).otherwise(0).sum()
        / pl.col("volume").sum()
    )
    .sort("o_year")
)
result.collect().write_database("out.q08", con)
