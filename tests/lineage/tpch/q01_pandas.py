import datetime

import pandas as pd
from warehouse import con

lineitem = pd.read_sql_table("lineitem", con, schema="tpch")
lines = lineitem[lineitem["l_shipdate"] <= datetime.date(1998, 9, 2)].copy()
lines["disc_price"] = lines["l_extendedprice"] * (1 - lines["l_discount"])
lines["charge"] = lines["disc_price"] * (1 + lines["l_tax"])
result = (
    lines.groupby(["l_returnflag", "l_linestatus"], as_index=False)
    .agg(
        sum_qty=("l_quantity", "sum"),
        sum_base_price=("l_extendedprice", "sum"),
        sum_disc_price=("disc_price", "sum"),
        sum_charge=("charge", "sum"),
        avg_qty=("l_quantity", "mean"),
        avg_price=("l_extendedprice", "mean"),
        avg_disc=("l_discount", "mean"),
    )
    .sort_values(["l_returnflag", "l_linestatus"])
)
sizes = lines.groupby(["l_returnflag", "l_linestatus"]).size().reset_index(name="count_order")
result = result.merge(sizes, on=["l_returnflag", "l_linestatus"])
result.to_sql("q01", con, schema="out", index=False)
