import datetime

import pandas as pd
from warehouse import con

orders = pd.read_sql_table("orders", con, schema="tpch")
lineitem = pd.read_sql_table("lineitem", con, schema="tpch")
late = lineitem.loc[lineitem["l_commitdate"] < lineitem["l_receiptdate"], "l_orderkey"]
first, last = datetime.date(1993, 7, 1), datetime.date(1993, 10, 1)
chosen = orders[(orders["o_orderdate"] >= first) & (orders["o_orderdate"] < last) & orders["o_orderkey"].isin(late)]
result = chosen.groupby("o_orderpriority").size().reset_index(name="order_count").sort_values("o_orderpriority")
result.to_sql("q04", con, schema="out", index=False)
