from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
late = spark.table("tpch.lineitem").where(F.col("l_commitdate") < F.col("l_receiptdate"))
orders = spark.table("tpch.orders").where("o_orderdate >= '1993-07-01' AND o_orderdate < '1993-10-01'")
result = (
    orders.join(late, orders["o_orderkey"] == late["l_orderkey"], "left_semi")
    .groupBy("o_orderpriority")
    .count()
    .withColumnRenamed("count", "order_count")
    .orderBy("o_orderpriority")
)
result.write.saveAsTable("out.q04")
