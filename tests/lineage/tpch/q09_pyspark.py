from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
part = spark.table("tpch.part").filter(F.col("p_name").contains("green"))
lineitem = spark.table("tpch.lineitem")
partsupp = spark.table("tpch.partsupp")
supplier = spark.table("tpch.supplier")

lines = lineitem.join(part, lineitem.l_partkey == part.p_partkey)
lines = lines.join(supplier, lines.l_suppkey == supplier.s_suppkey)
lines = lines.join(partsupp, (lines.l_suppkey == partsupp.ps_suppkey) & (lines.l_partkey == partsupp.ps_partkey))
lines = lines.join(spark.table("tpch.orders"), F.col("l_orderkey") == F.col("o_orderkey"))
lines = lines.join(spark.table("tpch.nation"), F.col("s_nationkey") == F.col("n_nationkey"))
profit = lines.select(
    F.col("n_name").alias("nation"),
    F.year("o_orderdate").alias("o_year"),
    F.expr("l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity").alias("amount"),
)
profit = profit.groupBy("nation", "o_year").agg(F.sum("amount").alias("sum_profit"))
profit.orderBy(F.asc("nation"), F.desc("o_year")).write.saveAsTable("out.q09")
