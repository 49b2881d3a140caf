from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
price = F.col("l_extendedprice") * (F.lit(1) - F.col("l_discount"))
promo = F.when(F.col("p_type").startswith("PROMO"), price).otherwise(F.lit(0))
lineitem = spark.table("tpch.lineitem").filter("l_shipdate >= '1995-09-01' AND l_shipdate < '1995-10-01'")
joined = lineitem.join(spark.table("tpch.part"), lineitem["l_partkey"] == F.col("p_partkey"))
joined.select((100.0 * F.sum(promo) / F.sum(price)).alias("promo_revenue")).write.saveAsTable("out.q14")
