import datetime

import numpy as np
import pandas as pd
from warehouse import con

lines = pd.read_sql_table("lineitem", con, schema="tpch")
lines = lines[
    lines.l_shipmode.isin(["MAIL", "SHIP"])
    & (lines.l_commitdate < lines.l_receiptdate)
    & (lines.l_shipdate < lines.l_commitdate)
    & (lines.l_receiptdate >= datetime.date(1994, 1, 1))
    & (lines.l_receiptdate < datetime.date(1995, 1, 1))
]
joined = lines.merge(pd.read_sql_table("orders", con, schema="tpch"), left_on="l_orderkey", right_on="o_orderkey")
urgent = joined["o_orderpriority"].isin(["1-URGENT", "2-HIGH"])
joined["high_line_count"] = np.where(urgent, 1, 0)
joined["low_line_count"] = np.where(urgent, 0, 1)
result = joined.groupby("l_shipmode")[["high_line_count", "low_line_count"]].sum().sort_index()
result.reset_index().to_sql("q12", con, schema="out", index=False)
