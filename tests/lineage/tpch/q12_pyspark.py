from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
urgent = F.col("o_orderpriority").isin("1-URGENT", "2-HIGH")
lines = spark.table("tpch.lineitem").filter(
    F.col("l_shipmode").isin("MAIL", "SHIP")
    & (F.col("l_commitdate") < F.col("l_receiptdate"))
    & (F.col("l_shipdate") < F.col("l_commitdate"))
    & (F.col("l_receiptdate") >= "1994-01-01")
    & (F.col("l_receiptdate") < "1995-01-01")
)
result = (
    lines.join(spark.table("tpch.orders"), F.col("l_orderkey") == F.col("o_orderkey"))
    .groupBy("l_shipmode")
    .agg(
        F.sum(F.when(urgent, 1).otherwise(0)).alias("high_line_count"),
        F.sum(F.when(~urgent, 1).otherwise(0)).alias("low_line_count"),
    )
    .sort("l_shipmode")
)
result.write.saveAsTable("out.q12")
