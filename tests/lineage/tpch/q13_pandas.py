import pandas as pd
from warehouse import con

orders = pd.read_sql_table("orders", con, schema="tpch")
customer = pd.read_sql_table("customer", con, schema="tpch")
usual = orders[~orders["o_comment"].str.contains("special.*requests", regex=True)]
joined = customer.merge(usual, how="left", left_on="c_custkey", right_on="o_custkey")
c_orders = joined.groupby("c_custkey").agg(c_count=("o_orderkey", "count")).reset_index()
result = c_orders.groupby("c_count").size().reset_index(name="custdist")
result = result.sort_values(["custdist", "c_count"], ascending=False)
result.to_sql("q13", con, schema="out", index=False)
