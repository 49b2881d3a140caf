from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()


def load(name: str) -> DataFrame:
    return spark.table("tpch." + name)


america = load("nation").alias("n1").join(load("region"), F.col("n_regionkey") == F.col("r_regionkey"))
america = america.filter(F.col("r_name") == "AMERICA").select(F.col("n_nationkey").alias("home"))
suppliers = (
    load("supplier")
    .join(load("nation"), F.expr("s_nationkey = n_nationkey"))
    .select("s_suppkey", F.col("n_name").alias("nation"))
)
all_nations = (
    load("part")
    .filter("p_type = 'ECONOMY ANODIZED STEEL'")
    .join(load("lineitem"), F.col("p_partkey") == F.col("l_partkey"))
    .join(suppliers, F.col("s_suppkey") == F.col("l_suppkey"))
    .join(load("orders"), F.col("l_orderkey") == F.col("o_orderkey"))
    .filter("o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'")
    .join(load("customer"), F.col("o_custkey") == F.col("c_custkey"))
    .join(america, F.col("c_nationkey") == F.col("home"))
    .select(
        F.year("o_orderdate").alias("o_year"),
        (F.col("l_extendedprice") * (1 - F.col("l_discount"))).alias("volume"),
        "nation",
    )
)
brazil = F.when(F.col("nation") == "BRAZIL", F.col("volume")).otherwise(0)
result = all_nations.groupBy("o_year").agg((F.sum(brazil) / F.sum("volume")).alias("mkt_share")).orderBy("o_year")
result.write.saveAsTable("out.q08")
