from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
customer = spark.table("tpch.customer").filter("c_mktsegment = 'BUILDING'")
orders = spark.table("tpch.orders").filter(F.col("o_orderdate") < "1995-03-15")
lineitem = spark.table("tpch.lineitem").filter(F.col("l_shipdate") > "1995-03-15")

result = (
    customer.join(orders, customer.c_custkey == orders.o_custkey)
    .join(lineitem, orders.o_orderkey == lineitem.l_orderkey)
    .groupBy("l_orderkey", "o_orderdate", "o_shippriority")
    .agg(F.sum(F.col("l_extendedprice") * (1 - F.col("l_discount"))).alias("revenue"))
    .select("l_orderkey", "revenue", "o_orderdate", "o_shippriority")
    .orderBy(F.desc("revenue"), "o_orderdate")
    .limit(10)
)
result.write.saveAsTable("out.q03")
