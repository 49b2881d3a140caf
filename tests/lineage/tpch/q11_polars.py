import polars as pl
from warehouse import con

nation = pl.read_database("SELECT * FROM tpch.nation", con)
supplier = pl.read_database("SELECT * FROM tpch.supplier", con)
partsupp = pl.read_database("SELECT * FROM tpch.partsupp", con)

german = (
    partsupp.join(supplier, left_on="ps_suppkey", right_on="s_suppkey")
    .join(nation.filter(pl.col("n_name") == "GERMANY"), left_on="s_nationkey", right_on="n_nationkey")
    .with_columns(value=pl.col("ps_supplycost") * pl.col("ps_availqty"))
)
least = german.select(least=pl.col("value").sum() * 0.0001)
result = (
    german.group_by("ps_partkey")
    .agg(pl.col("value").sum())
    .join(least, how="cross")
    .filter(pl.col("value") > pl.col("least"))
    .select("ps_partkey", "value")
    .sort("value", descending=True)
)
result.write_database("out.q11", con)
