import polars as pl
from warehouse import con

part, supplier, lineitem, partsupp, orders, nation = [
    pl.read_database(f"SELECT * FROM tpch.{name}", con)
    for name in ["part", "supplier", "lineitem", "partsupp", "orders", "nation"]
]
profit = (
    lineitem.join(part.filter(pl.col("p_name").str.contains("green")), left_on="l_partkey", right_on="p_partkey")
    .join(supplier, left_on="l_suppkey", right_on="s_suppkey")
    .join(partsupp, left_on=["l_suppkey", "l_partkey"], right_on=["ps_suppkey", "ps_partkey"])
    .join(orders, left_on="l_orderkey", right_on="o_orderkey")
    .join(nation, left_on="s_nationkey", right_on="n_nationkey")
    .select(
        pl.col("n_name").alias("nation"),
        pl.col("o_orderdate").dt.year().alias("o_year"),
        amount=pl.col("l_extendedprice") * (1 - pl.col("l_discount")) - pl.col("ps_supplycost") * pl.col("l_quantity"),
    )
)
result = profit.group_by("nation", "o_year").agg(pl.col("amount").sum().alias("sum_profit"))
result.sort(by=["nation", "o_year"], descending=[False, True]).write_database("out.q09", con)
