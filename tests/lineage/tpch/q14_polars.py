import datetime

import polars as pl
from warehouse import con

price = pl.col("l_extendedprice") * (1 - pl.col("l_discount"))
promo = pl.when(pl.col("p_type").str.starts_with("PROMO")).then(price).otherwise(0)
lineitem = pl.read_database("SELECT * FROM tpch.lineitem", con).lazy()
part = pl.read_database("SELECT * FROM tpch.part", con).lazy()
result = (
    lineitem.filter(
        pl.col("l_shipdate").is_between(datetime.date(1995, 9, 1), datetime.date(1995, 10, 1), closed="left")
    )
    .join(part, left_on="l_partkey", right_on="p_partkey")
    .select((100.0 * promo.sum() / price.sum()).alias("promo_revenue"))
)
result.collect().write_database("out.q14", con)
