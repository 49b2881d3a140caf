import datetime

import pandas as pd
from warehouse import con


def load(name):
    return pd.read_sql_table(name, con, schema="tpch")


lines = load("lineitem")
lines = lines[lines["l_shipdate"].between(datetime.date(1995, 1, 1), datetime.date(1996, 12, 31))]
nation = load("nation")[["n_nationkey", "n_name"]]
n1 = nation.rename(columns={"n_nationkey": "supp_key", "n_name": "supp_nation"})
n2 = nation.rename(columns={"n_nationkey": "cust_key", "n_name": "cust_nation"})
shipping = (
    lines.merge(load("supplier"), left_on="l_suppkey", right_on="s_suppkey")
    .merge(load("orders"), left_on="l_orderkey", right_on="o_orderkey")
    .merge(load("customer"), left_on="o_custkey", right_on="c_custkey")
    .merge(n1, left_on="s_nationkey", right_on="supp_key")
    .merge(n2, left_on="c_nationkey", right_on="cust_key")
)
shipping = shipping[
    ((shipping["supp_nation"] == "FRANCE") & (shipping["cust_nation"] == "GERMANY"))
    | ((shipping["supp_nation"] == "GERMANY") & (shipping["cust_nation"] == "FRANCE"))
].copy()
shipping["l_year"] = pd.to_datetime(shipping["l_shipdate"]).dt.year
shipping["volume"] = shipping["l_extendedprice"] * (1 - shipping["l_discount"])
keys = ["supp_nation", "cust_nation", "l_year"]
result = shipping.groupby(keys).agg(revenue=("volume", "sum")).reset_index().sort_values(keys)
result.to_sql("q07", con, schema="out", index=False)
