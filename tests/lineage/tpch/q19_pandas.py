import pandas as pd
from warehouse import con

CHOICES = [("Brand#12", "SM", 1, 5), ("Brand#23", "MED", 10, 10), ("Brand#34", "LG", 20, 15)]

lines = pd.read_sql_table("lineitem", con, schema="tpch")
lines = lines[lines["l_shipmode"].isin(["AIR", "AIR REG"]) & (lines["l_shipinstruct"] == "DELIVER IN PERSON")]
joined = lines.merge(pd.read_sql_table("part", con, schema="tpch"), left_on="l_partkey", right_on="p_partkey")
parts = []
for brand, container, least, size in CHOICES:
    parts.append(
        joined[
            (joined["p_brand"] == brand)
            & joined["p_container"].str.startswith(container)
            & joined["l_quantity"].between(least, least + 10)
            & joined["p_size"].between(1, size)
        ]
    )
chosen = pd.concat(parts)
chosen["revenue"] = chosen["l_extendedprice"] * (1 - chosen["l_discount"])
chosen[["revenue"]].sum().to_frame().T.to_sql("q19", con, schema="out", index=False)
