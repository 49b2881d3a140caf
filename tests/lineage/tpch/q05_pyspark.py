from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
tables = {
    name: spark.table(f"tpch.{name}") for name in ("customer", "orders", "lineitem", "supplier", "nation", "region")
}
asia = tables["nation"].join(tables["region"].filter("r_name = 'ASIA'"), F.col("n_regionkey") == F.col("r_regionkey"))
orders = tables["orders"].filter("o_orderdate >= '1994-01-01' AND o_orderdate < '1995-01-01'")
result = (
    tables["lineitem"]
    .join(orders, F.col("l_orderkey") == F.col("o_orderkey"))
    .join(tables["customer"], F.col("o_custkey") == F.col("c_custkey"))
    .join(
        tables["supplier"],
        (F.col("l_suppkey") == F.col("s_suppkey")) & (F.col("c_nationkey") == F.col("s_nationkey")),
    )
    .join(asia, F.col("s_nationkey") == F.col("n_nationkey"))
    .groupBy("n_name")
    .agg(F.sum(F.col("l_extendedprice") * (1 - F.col("l_discount"))).alias("revenue"))
    .orderBy(F.col("revenue").desc())
)
result.write.saveAsTable("out.q05")
