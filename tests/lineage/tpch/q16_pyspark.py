from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
SIZES = [49, 14, 23, 45, 19, 3, 36, 9]

part = spark.table("tpch.part").filter(
    (F.col("p_brand") != "Brand#45") & ~F.col("p_type").startswith("MEDIUM POLISHED") & F.col("p_size").isin(SIZES)
)
bad = spark.table("tpch.supplier").filter(F.col("s_comment").like("%Customer%Complaints%"))
result = (
    spark.table("tpch.partsupp")
    .join(part, F.col("ps_partkey") == F.col("p_partkey"))
    .join(bad, F.col("ps_suppkey") == F.col("s_suppkey"), "left_anti")
    .groupBy("p_brand", "p_type", "p_size")
    .agg(F.count_distinct("ps_suppkey").alias("supplier_cnt"))
    .orderBy(F.desc("supplier_cnt"), "p_brand", "p_type", "p_size")
)
result.write.saveAsTable("out.q16")
