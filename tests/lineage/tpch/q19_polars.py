import polars as pl
from warehouse import con

CHOICES = [("Brand#12", "SM", 1, 5), ("Brand#23", "MED", 10, 10), ("Brand#34", "LG", 20, 15)]


def choice(brand, container, least, size):
    return (
        (pl.col("p_brand") == brand)
        & pl.col("p_container").str.starts_with(container)
        & pl.col("l_quantity").is_between(least, least + 10)
        & pl.col("p_size").is_between(1, size)
    )


result = (
    pl.read_database("SELECT * FROM tpch.lineitem", con)
    .lazy()
    .filter(pl.col("l_shipmode").is_in(["AIR", "AIR REG"]), pl.col("l_shipinstruct") == "DELIVER IN PERSON")
    .join(pl.read_database("SELECT * FROM tpch.part", con).lazy(), left_on="l_partkey", right_on="p_partkey")
    .filter(pl.any_horizontal([choice(*one) for one in CHOICES]))
    .select(revenue=(pl.col("l_extendedprice") * (1 - pl.col("l_discount"))).sum())
    .collect()
)
result.write_database("out.q19", con)
