import datetime

import pandas as pd
from warehouse import con

lines = pd.read_sql_table("lineitem", con, schema="tpch")
first, last = datetime.date(1994, 1, 1), datetime.date(1995, 1, 1)
lines = lines[
    (lines["l_shipdate"] >= first)
    & (lines["l_shipdate"] < last)
    & lines["l_discount"].between(0.05, 0.07)
    & (lines["l_quantity"] < 24)
]
result = pd.DataFrame({"revenue": [(lines["l_extendedprice"] * lines["l_discount"]).sum()]})
result.to_sql("q06", con, schema="out", index=False)
