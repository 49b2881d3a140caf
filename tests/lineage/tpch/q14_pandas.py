import datetime

import numpy as np
import pandas as pd
from warehouse import con

lineitem = pd.read_sql_table("lineitem", con, schema="tpch")
part = pd.read_sql_table("part", con, schema="tpch")
month = (lineitem["l_shipdate"] >= datetime.date(1995, 9, 1)) & (lineitem["l_shipdate"] < datetime.date(1995, 10, 1))
joined = lineitem[month].merge(part, left_on="l_partkey", right_on="p_partkey")
price = joined["l_extendedprice"] * (1 - joined["l_discount"])
promo = np.where(joined["p_type"].str.startswith("PROMO"), price, 0)
share = 100.0 * promo.sum() / price.sum()
pd.DataFrame({"promo_revenue": [share]}).to_sql("q14", con, schema="out", index=False)
