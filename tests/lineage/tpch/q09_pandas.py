import pandas as pd
from warehouse import con

part, supplier, lineitem, partsupp, orders, nation = [
    pd.read_sql_table(name, con, schema="tpch")
    for name in ["part", "supplier", "lineitem", "partsupp", "orders", "nation"]
]
lines = (
    lineitem.merge(part[part["p_name"].str.contains("green")], left_on="l_partkey", right_on="p_partkey")
    .merge(supplier, left_on="l_suppkey", right_on="s_suppkey")
    .merge(partsupp, left_on=["l_suppkey", "l_partkey"], right_on=["ps_suppkey", "ps_partkey"])
    .merge(orders, left_on="l_orderkey", right_on="o_orderkey")
    .merge(nation, left_on="s_nationkey", right_on="n_nationkey")
)
lines["nation"] = lines["n_name"]
lines["o_year"] = lines["o_orderdate"].apply(lambda day: day.year)
lines["amount"] = lines["l_extendedprice"] * (1 - lines["l_discount"]) - lines["ps_supplycost"] * lines["l_quantity"]
result = lines.groupby(["nation", "o_year"], as_index=False).agg(sum_profit=("amount", "sum"))
result = result.sort_values(by=["nation", "o_year"], ascending=[True, False])
result.to_sql("q09", con, schema="out", index=False)
