import datetime

import pandas as pd
from warehouse import con

KEYS = ["c_custkey", "c_name", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"]

orders = pd.read_sql_table("orders", con, schema="tpch")
orders = orders.loc[
    (orders["o_orderdate"] >= datetime.date(1993, 10, 1)) & (orders["o_orderdate"] < datetime.date(1994, 1, 1))
]
lineitem = pd.read_sql_table("lineitem", con, schema="tpch").query("l_returnflag == 'R'")
lineitem = lineitem.eval("revenue = l_extendedprice * (1 - l_discount)")
joined = pd.read_sql_table("customer", con, schema="tpch").merge(orders, left_on="c_custkey", right_on="o_custkey")
joined = joined.merge(lineitem, left_on="o_orderkey", right_on="l_orderkey")
joined = joined.merge(pd.read_sql_table("nation", con, schema="tpch"), left_on="c_nationkey", right_on="n_nationkey")
result = joined.groupby(KEYS).agg({"revenue": "sum"}).reset_index().nlargest(20, "revenue")
result[["c_custkey", "c_name", "revenue", *KEYS[2:]]].to_sql("q10", con, schema="out", index=False)
