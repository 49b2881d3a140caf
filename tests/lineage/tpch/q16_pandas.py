import pandas as pd
from warehouse import con

SIZES = [49, 14, 23, 45, 19, 3, 36, 9]

part = pd.read_sql_table("part", con, schema="tpch")
part = part[
    (part["p_brand"] != "Brand#45") & ~part["p_type"].str.startswith("MEDIUM POLISHED") & part["p_size"].isin(SIZES)
]
supplier = pd.read_sql_table("supplier", con, schema="tpch")
bad = supplier[supplier["s_comment"].str.contains("Customer.*Complaints")]["s_suppkey"]
partsupp = pd.read_sql_table("partsupp", con, schema="tpch")
partsupp = partsupp[~partsupp["ps_suppkey"].isin(bad)]
joined = partsupp.merge(part, left_on="ps_partkey", right_on="p_partkey")
result = joined.groupby(["p_brand", "p_type", "p_size"])["ps_suppkey"].nunique().reset_index(name="supplier_cnt")
result = result.sort_values(["supplier_cnt", "p_brand", "p_type", "p_size"], ascending=[False, True, True, True])
result.to_sql("q16", con, schema="out", index=False)
