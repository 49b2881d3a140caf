import datetime

import polars as pl
from warehouse import con

lineitem = pl.read_database("SELECT * FROM tpch.lineitem", con).lazy()
disc_price = pl.col("l_extendedprice") * (1 - pl.col("l_discount"))
result = (
    lineitem.filter(pl.col("l_shipdate") <= datetime.date(1998, 9, 2))
    .group_by("l_returnflag", "l_linestatus")
    .agg(
        pl.sum("l_quantity").alias("sum_qty"),
        pl.sum("l_extendedprice").alias("sum_base_price"),
        disc_price.sum().alias("sum_disc_price"),
        (disc_price * (1 + pl.col("l_tax"))).sum().alias("sum_charge"),
        pl.mean("l_quantity").alias("avg_qty"),
        pl.mean("l_extendedprice").alias("avg_price"),
        pl.mean("l_discount").alias("avg_disc"),
        pl.len().alias("count_order"),
    )
    .sort("l_returnflag", "l_linestatus")
)
result.collect().write_database("out.q01", con)
