from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
lineitem = spark.table("tpch.lineitem").filter(F.col("l_shipdate").between("1995-01-01", "1996-12-31"))
n1 = spark.table("tpch.nation").select(F.col("n_nationkey").alias("supp_key"), F.col("n_name").alias("supp_nation"))
n2 = spark.table("tpch.nation").select(F.col("n_nationkey").alias("cust_key"), F.col("n_name").alias("cust_nation"))

shipping = (
    lineitem.join(spark.table("tpch.supplier"), F.col("l_suppkey") == F.col("s_suppkey"))
    .join(spark.table("tpch.orders"), F.col("l_orderkey") == F.col("o_orderkey"))
    .join(spark.table("tpch.customer"), F.col("o_custkey") == F.col("c_custkey"))
    .join(n1, F.col("s_nationkey") == F.col("supp_key"))
    .join(n2, F.col("c_nationkey") == F.col("cust_key"))
    .filter(
        ((F.col("supp_nation") == "FRANCE") & (F.col("cust_nation") == "GERMANY"))
        | ((F.col("supp_nation") == "GERMANY") & (F.col("cust_nation") == "FRANCE"))
    )
    .withColumn("l_year", F.year("l_shipdate"))
    .withColumn("volume", F.col("l_extendedprice") * (1 - F.col("l_discount")))
)
keys = ["supp_nation", "cust_nation", "l_year"]
shipping.groupBy(*keys).agg(F.sum("volume").alias("revenue")).orderBy(*keys).write.saveAsTable("out.q07")
