import datetime

import polars as pl
from warehouse import con

result = (
    pl.read_database("SELECT * FROM tpch.lineitem", con)
    .lazy()
    .filter(
        pl.col("l_shipdate") >= datetime.date(1994, 1, 1),
        pl.col("l_shipdate") < datetime.date(1995, 1, 1),
        pl.col("l_discount").is_between(0.05, 0.07),
        pl.col("l_quantity") < 24,
    )
    .select((pl.col("l_extendedprice") * pl.col("l_discount")).sum().alias("revenue"))
    .collect()
)
result.write_database("out.q06", con)
