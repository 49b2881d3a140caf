import pandas as pd
from warehouse import con

customer = pd.read_sql_table("customer", con, schema="tpch")
orders = pd.read_sql_table("orders", con, schema="tpch")
lineitem = pd.read_sql_table("lineitem", con, schema="tpch")
totals = lineitem.groupby("l_orderkey")["l_quantity"].sum().reset_index()
large = totals[totals["l_quantity"] > 300]["l_orderkey"]
joined = customer.merge(orders[orders["o_orderkey"].isin(large)], left_on="c_custkey", right_on="o_custkey").merge(
    lineitem, left_on="o_orderkey", right_on="l_orderkey"
)
keys = ["c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice"]
result = joined.groupby(keys, as_index=False).agg(quantity=("l_quantity", "sum"))
result = result.sort_values(["o_totalprice", "o_orderdate"], ascending=[False, True]).head(100)
result.to_sql("q18", con, schema="out", index=False)
