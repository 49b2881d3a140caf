from pyspark.sql import SparkSession
from pyspark.sql.functions import col
from pyspark.sql.functions import sum as sum_

spark = SparkSession.builder.getOrCreate()
lineitem = spark.table("tpch.lineitem")
chosen = (
    lineitem.where(col("l_shipdate") >= "1994-01-01")
    .where(col("l_shipdate") < "1995-01-01")
    .where(col("l_discount").between(0.05, 0.07))
    .where(lineitem.l_quantity < 24)
)
chosen.agg(sum_(col("l_extendedprice") * col("l_discount")).alias("revenue")).write.saveAsTable("out.q06")
