from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
KEYS = ["c_custkey", "c_name", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment"]

c, o = spark.table("tpch.customer"), spark.table("tpch.orders")
li, n = spark.table("tpch.lineitem"), spark.table("tpch.nation")
joined = (
    c.join(o, c.c_custkey == o.o_custkey)
    .join(li, li.l_orderkey == o.o_orderkey)
    .join(n, c.c_nationkey == n.n_nationkey)
    .where((o.o_orderdate >= "1993-10-01") & (o.o_orderdate < "1994-01-01") & (li.l_returnflag == "R"))
    .withColumn("revenue", li.l_extendedprice * (1 - li.l_discount))
)
result = joined.groupBy(KEYS).agg(F.sum("revenue").alias("revenue")).orderBy("revenue", ascending=False).limit(20)
result.select("c_custkey", "c_name", "revenue", *KEYS[2:]).write.saveAsTable("out.q10")
