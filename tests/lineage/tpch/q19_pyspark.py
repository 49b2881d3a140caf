from functools import reduce

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()
CHOICES = [("Brand#12", "SM", 1, 5), ("Brand#23", "MED", 10, 10), ("Brand#34", "LG", 20, 15)]


def choice(brand, container, least, size):
    return (
        (F.col("p_brand") == brand)
        & F.col("p_container").startswith(container)
        & F.col("l_quantity").between(least, least + 10)
        & F.col("p_size").between(1, size)
    )


conditions = [choice(*one) for one in CHOICES]
lines = spark.table("tpch.lineitem").filter(
    F.col("l_shipmode").isin("AIR", "AIR REG") & (F.col("l_shipinstruct") == "DELIVER IN PERSON")
)
joined = lines.join(spark.table("tpch.part"), F.col("l_partkey") == F.col("p_partkey"))
chosen = joined.filter(reduce(lambda a, b: a | b, conditions))
chosen.agg(F.sum(F.col("l_extendedprice") * (1 - F.col("l_discount"))).alias("revenue")).write.saveAsTable("out.q19")
