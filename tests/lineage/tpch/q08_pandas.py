import datetime

import numpy as np
import pandas as pd
from warehouse import con


def load(name):
    return pd.read_sql_table(name, con, schema="tpch")


nation = load("nation")
region = load("region")
america = nation.merge(region[region["r_name"] == "AMERICA"], left_on="n_regionkey", right_on="r_regionkey")
america = america[["n_nationkey"]].rename(columns={"n_nationkey": "home"})
suppliers = load("supplier").merge(nation, left_on="s_nationkey", right_on="n_nationkey")[["s_suppkey", "n_name"]]
suppliers = suppliers.rename(columns={"n_name": "nation"})
part = load("part")
orders = load("orders")
orders = orders[orders["o_orderdate"].between(datetime.date(1995, 1, 1), datetime.date(1996, 12, 31))]
joined = (
    part[part["p_type"] == "ECONOMY ANODIZED STEEL"]
    .merge(load("lineitem"), left_on="p_partkey", right_on="l_partkey")
    .merge(suppliers, left_on="l_suppkey", right_on="s_suppkey")
    .merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    .merge(load("customer"), left_on="o_custkey", right_on="c_custkey")
    .merge(america, left_on="c_nationkey", right_on="home")
)
joined["o_year"] = pd.to_datetime(joined["o_orderdate"]).dt.year
joined["volume"] = joined["l_extendedprice"] * (1 - joined["l_discount"])
joined["brazil"] = np.where(joined["nation"] == "BRAZIL", joined["volume"], 0)
sums = joined.groupby("o_year")[["brazil", "volume"]].sum().reset_index()
sums["mkt_share"] = sums["brazil"] / sums["volume"]
sums[["o_year", "mkt_share"]].sort_values("o_year").to_sql("q08", con, schema="out", index=False)
