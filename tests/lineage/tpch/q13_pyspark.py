from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.table("tpch.orders").filter(~F.col("o_comment").rlike("special.*requests"))
customer = spark.table("tpch.customer")
c_orders = (
    customer.join(orders, customer.c_custkey == orders.o_custkey, "left_outer")
    .groupBy("c_custkey")
    .agg(F.count("o_orderkey").alias("c_count"))
)
result = c_orders.groupBy("c_count").agg(F.count(F.lit(1)).alias("custdist"))
result.orderBy(F.desc("custdist"), F.desc("c_count")).write.saveAsTable("out.q13")
