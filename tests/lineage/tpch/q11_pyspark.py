from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
german = (
    spark.table("tpch.partsupp")
    .join(spark.table("tpch.supplier"), F.col("ps_suppkey") == F.col("s_suppkey"))
    .join(spark.table("tpch.nation"), F.col("s_nationkey") == F.col("n_nationkey"))
    .filter(F.col("n_name") == "GERMANY")
    .withColumn("value", F.col("ps_supplycost") * F.col("ps_availqty"))
)
least = german.agg((F.sum("value") * 0.0001).alias("least"))
values = german.groupBy("ps_partkey").agg(F.sum("value").alias("value"))
result = values.crossJoin(least).filter(F.col("value") > F.col("least")).drop("least").orderBy(F.desc("value"))
result.write.saveAsTable("out.q11")
