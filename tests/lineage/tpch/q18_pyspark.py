from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
lineitem = spark.table("tpch.lineitem")
large = (
    lineitem.groupBy("l_orderkey")
    .agg(F.sum("l_quantity").alias("total"))
    .filter(F.col("total") > 300)
    .select(F.col("l_orderkey").alias("large_key"))
)
orders = spark.table("tpch.orders").join(large, F.col("o_orderkey") == F.col("large_key"), "leftsemi")
result = (
    spark.table("tpch.customer")
    .join(orders, F.col("c_custkey") == F.col("o_custkey"))
    .join(lineitem, F.col("o_orderkey") == F.col("l_orderkey"))
    .groupBy("c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice")
    .agg(F.sum("l_quantity").alias("quantity"))
    .orderBy(F.col("o_totalprice").desc(), F.col("o_orderdate"))
    .limit(100)
)
result.write.saveAsTable("out.q18")
