import datetime

import pandas as pd
from warehouse import con

DAY = datetime.date(1995, 3, 15)
customer = pd.read_sql_table("customer", con, schema="tpch")
orders = pd.read_sql_table("orders", con, schema="tpch")
lineitem = pd.read_sql_table("lineitem", con, schema="tpch")

joined = (
    customer[customer.c_mktsegment == "BUILDING"]
    .merge(orders[orders.o_orderdate < DAY], left_on="c_custkey", right_on="o_custkey")
    .merge(lineitem[lineitem.l_shipdate > DAY], left_on="o_orderkey", right_on="l_orderkey")
)
joined["revenue"] = joined.l_extendedprice * (1 - joined.l_discount)
result = joined.groupby(["l_orderkey", "o_orderdate", "o_shippriority"], as_index=False)["revenue"].sum()
result = result.sort_values(["revenue", "o_orderdate"], ascending=[False, True]).head(10)
result[["l_orderkey", "revenue", "o_orderdate", "o_shippriority"]].to_sql("q03", con, schema="out", index=False)
