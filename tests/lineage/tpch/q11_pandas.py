import pandas as pd
from warehouse import con

nation = pd.read_sql_table("nation", con, schema="tpch")
supplier = pd.read_sql_table("supplier", con, schema="tpch")
partsupp = pd.read_sql_table("partsupp", con, schema="tpch")

german = partsupp.merge(supplier, left_on="ps_suppkey", right_on="s_suppkey").merge(
    nation[nation["n_name"] == "GERMANY"], left_on="s_nationkey", right_on="n_nationkey"
)
german["value"] = german["ps_supplycost"] * german["ps_availqty"]
values = german.groupby("ps_partkey", as_index=False)["value"].sum()
values = values[values["value"] > german["value"].sum() * 0.0001]
values.sort_values("value", ascending=False).to_sql("q11", con, schema="out", index=False)
