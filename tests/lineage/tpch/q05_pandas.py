import datetime

import pandas as pd
from warehouse import con


def load(name):
    return pd.read_sql_table(name, con, schema="tpch")


orders = load("orders")
orders = orders[
    (orders["o_orderdate"] >= datetime.date(1994, 1, 1)) & (orders["o_orderdate"] < datetime.date(1995, 1, 1))
]
region = load("region").query("r_name == 'ASIA'")
joined = (
    load("lineitem")
    .merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    .merge(load("customer"), left_on="o_custkey", right_on="c_custkey")
    .merge(load("supplier"), left_on=["l_suppkey", "c_nationkey"], right_on=["s_suppkey", "s_nationkey"])
    .merge(load("nation"), left_on="s_nationkey", right_on="n_nationkey")
    .merge(region, left_on="n_regionkey", right_on="r_regionkey")
)
joined = joined.assign(revenue=lambda d: d["l_extendedprice"] * (1 - d["l_discount"]))
result = joined.groupby("n_name")[["revenue"]].sum().reset_index().sort_values("revenue", ascending=False)
result.to_sql("q05", con, schema="out", index=False)
