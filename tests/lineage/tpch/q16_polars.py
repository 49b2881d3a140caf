import polars as pl
from warehouse import con

SIZES = [49, 14, 23, 45, 19, 3, 36, 9]

part = pl.read_database("SELECT * FROM tpch.part", con).filter(
    pl.col("p_brand") != "Brand#45",
    ~pl.col("p_type").str.starts_with("MEDIUM POLISHED"),
    pl.col("p_size").is_in(SIZES),
)
supplier = pl.read_database("SELECT * FROM tpch.supplier", con)
bad = supplier.filter(pl.col("s_comment").str.contains("Customer.*Complaints"))
result = (
    pl.read_database("SELECT * FROM tpch.partsupp", con)
    .join(part, left_on="ps_partkey", right_on="p_partkey")
    .join(bad, left_on="ps_suppkey", right_on="s_suppkey", how="anti")
    .group_by("p_brand", "p_type", "p_size")
    .agg(pl.col("ps_suppkey").n_unique().alias("supplier_cnt"))
    .sort("supplier_cnt", "p_brand", "p_type", "p_size", descending=[True, False, False, False])
)
result.write_database("out.q16", con)
