"""A codebase as companies have them: tables of the sources, staging views, core tables with CTEs and merges, marts, and
jobs in PySpark, pandas and polars and notebooks beside them, that read each other's tables, often with a star."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from textwrap import dedent

WORDS = (
    *("id", "customer_id", "product_id", "status", "amount", "currency", "quantity", "price", "discount", "tax", "day"),
    *("country", "region", "channel", "email", "phone", "city", "zip", "segment", "score", "created_at", "updated_at"),
)
FILES = 1000


@dataclass(frozen=True, slots=True)
class Table:
    """One entity: its columns in the sources, the same in every layer."""

    name: str
    columns: tuple[str, ...]

    @property
    def numbers(self) -> tuple[str, ...]:
        found = tuple(one for one in self.columns if one.startswith(("amount", "quantity", "price", "discount", "tax")))
        return found or (self.columns[0],)

    @property
    def key(self) -> str:
        return next(one for one in self.columns[1:] if one not in self.numbers)


def write_codebase(folder: Path, files: int = FILES, seed: int = 7) -> int:
    """So many files, six of ten SQL, one of twenty a notebook; the bytes in them."""
    chance = Random(seed)
    entities = max(4, files // 10)
    tables = [_table(chance, number) for number in range(entities)]
    total = 0
    for path, text in _files(chance, tables, files):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        total += len(text)
    return total


def _table(chance: Random, number: int) -> Table:
    words = chance.sample(WORDS[1:], chance.randint(8, 14))
    return Table(f"entity_{number}", ("id", *words))


def _files(chance: Random, tables: list[Table], files: int) -> Iterator[tuple[str, str]]:
    sql, books = files * 6 // 10, files // 20
    yield "lib/common.py", COMMON
    kinds = {
        sql: (
            ("raw", ".sql", _raw),
            ("staging", ".sql", _staging),
            ("core", ".sql", _core),
            ("merge", ".sql", _merge),
            ("marts", ".sql", _mart),
            ("scripts", ".sql", _script),
        ),
        files - sql - books - 1: (
            ("jobs", ".py", _pyspark),
            ("jobs", ".py", _pyspark_sql),
            ("jobs", ".py", _pyspark),
            ("frames", ".py", _pandas),
            ("lazy", ".py", _polars),
        ),
        books: (("notebooks", ".ipynb", _notebook),),
    }
    for count, makers in kinds.items():
        for number in range(count):
            layer, ending, make = makers[number % len(makers)]
            table = tables[number // len(makers) % len(tables)]
            yield f"{layer}/{layer}_{number}{ending}", make(chance, table, tables, number)


Maker = Callable[[Random, Table, list[Table], int], str]


def _raw(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    types = {"id": "BIGINT", "amount": "DECIMAL(12,2)", "price": "DECIMAL(12,2)", "created_at": "TIMESTAMP"}
    lines = ",\n".join(f"  {one} {types.get(one, 'STRING')}" for one in table.columns)
    return f"-- as the source delivers it\nCREATE TABLE IF NOT EXISTS raw.{table.name} (\n{lines}\n) USING iceberg;\n"


def _staging(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    items = [f"  trim({one}) AS {one}" if chance.random() < 0.3 else f"  {one}" for one in table.columns]
    separator = ",\n"
    return (
        f"CREATE OR REPLACE VIEW staging.{table.name} AS\nWITH source AS (\n  SELECT * FROM raw.{table.name}\n),\n"
        f"renamed AS (\n  SELECT\n{separator.join(items)}\n  FROM source\n  WHERE id IS NOT NULL\n)\n"
        f"SELECT * FROM renamed;\n"
    )


def _core(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    other = chance.choice(tables)
    picked = [one for one in other.columns if one not in table.columns][:3]
    more = "".join(f",\n    o.{one} AS other_{one}" for one in picked)
    total = table.numbers[0]
    return dedent(f"""\
        CREATE OR REPLACE TABLE core.{table.name} AS
        WITH base AS (
          SELECT * FROM staging.{table.name}
        ),
        ranked AS (
          SELECT b.*, row_number() OVER (PARTITION BY b.id ORDER BY b.{table.columns[-1]} DESC) AS version
          FROM base b
        ),
        joined AS (
          SELECT r.*{more},
            CASE WHEN r.{table.columns[1]} IS NULL THEN 'none' ELSE upper(r.{table.columns[2]}) END AS label,
            sum(r.{total}) OVER (PARTITION BY r.{table.columns[1]}) AS running
          FROM ranked r
          LEFT JOIN staging.{other.name} o ON r.id = o.id
        )
        SELECT * EXCEPT (version) FROM joined WHERE version = 1;
        """)


def _merge(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    sets = ", ".join(f"t.{one} = s.{one}" for one in table.columns[1:])
    names = ", ".join(table.columns)
    values = ", ".join(f"s.{one}" for one in table.columns)
    return dedent(f"""\
        -- changes of the day
        MERGE INTO history.{table.name} t
        USING (SELECT {names} FROM staging.{table.name} WHERE {table.columns[-1]} > '2024-01-01') s
        ON t.id = s.id
        WHEN MATCHED AND s.{table.columns[1]} IS NOT NULL THEN UPDATE SET {sets}
        WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({values});

        INSERT INTO audit.loads SELECT '{table.name}' AS name, max({table.columns[-1]}) AS latest, count(*) AS n
        FROM staging.{table.name};
        """)


def _mart(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    key = table.columns[1]
    sums = ",\n  ".join(f"sum(c.{one}) AS total_{one}, avg(c.{one}) AS mean_{one}" for one in table.numbers)
    return dedent(f"""\
        CREATE OR REPLACE TABLE marts.{table.name}_{number} AS
        SELECT
          c.{key},
          date_trunc('month', c.{table.columns[-1]}) AS month,
          count(DISTINCT c.id) AS things,
          {sums}
        FROM core.{table.name} c
        WHERE c.{table.columns[2]} IS NOT NULL
        GROUP BY c.{key}, date_trunc('month', c.{table.columns[-1]})
        HAVING count(*) > 1;
        """)


def _script(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    parts = []
    before = f"core.{table.name}"
    for step in range(6):
        column = table.columns[step % len(table.columns)]
        parts.append(
            f"CREATE OR REPLACE TEMPORARY VIEW step_{step} AS\n"
            f"SELECT *, concat({column}, '-', id) AS key_{step} FROM {before} WHERE {column} IS NOT NULL;"
        )
        before = f"step_{step}"
    parts.append(f"CREATE OR REPLACE TABLE marts.chain_{number} AS SELECT * FROM {before};")
    return "\n\n".join(parts) + "\n"


COMMON = dedent('''\
    """What all jobs share."""
    from pyspark.sql import DataFrame, SparkSession, functions as F

    SCHEMAS = {"in": "staging", "out": "marts"}


    def read(spark: SparkSession, name: str) -> DataFrame:
        return spark.table(f"{SCHEMAS['in']}.{name}")


    def stamped(frame: DataFrame) -> DataFrame:
        return frame.withColumn("loaded_at", F.current_timestamp())


    def save(frame: DataFrame, name: str) -> None:
        stamped(frame).write.mode("overwrite").saveAsTable(f"{SCHEMAS['out']}.{name}")
    ''')


def _pyspark(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    other = chance.choice(tables)
    key, total = table.key, table.numbers[0]
    return dedent(f'''\
        """Job {number}."""
        from pyspark.sql import SparkSession, Window
        from pyspark.sql import functions as F

        from lib.common import read, save

        COLUMNS = {list(table.columns)!r}
        RENAMED = {{"{key}": "the_{key}", "{total}": "the_{total}"}}


        def clean(frame):
            for column in COLUMNS[2:6]:
                frame = frame.withColumn(column, F.trim(F.col(column)))
            return frame


        def main(spark: SparkSession) -> None:
            left = clean(read(spark, "{table.name}"))
            right = read(spark, "{other.name}").select("id", F.col("{other.columns[1]}").alias("looked_up"))
            window = Window.partitionBy("{key}").orderBy(F.desc("{table.columns[-1]}"))
            joined = (
                left.join(right, on="id", how="left")
                .withColumn("rank", F.row_number().over(window))
                .filter(F.col("rank") == 1)
                .drop("rank")
            )
            for old, new in RENAMED.items():
                joined = joined.withColumnRenamed(old, new)
            save(joined, "job_{number}")
            summary = joined.groupBy("the_{key}").agg(F.sum("the_{total}").alias("total"), F.count("*").alias("n"))
            save(summary, "job_{number}_summary")


        if __name__ == "__main__":
            main(SparkSession.builder.getOrCreate())
        ''')


def _pyspark_sql(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    return dedent(f'''\
        """Job {number}."""
        from pyspark.sql import SparkSession

        spark = SparkSession.builder.getOrCreate()
        SOURCE = "core"
        names = ", ".join({list(table.columns)!r})
        spark.sql(f"SELECT {{names}} FROM {{SOURCE}}.{table.name}").createOrReplaceTempView("picked")
        spark.sql("""
            CREATE OR REPLACE TEMP VIEW counted AS
            SELECT {table.columns[1]}, count(*) AS n, max({table.columns[-1]}) AS latest FROM picked GROUP BY 1
        """)
        result = spark.sql("SELECT p.*, c.n, c.latest FROM picked p JOIN counted c USING ({table.columns[1]})")
        result.write.insertInto("marts.from_sql_{number}")
        result.write.mode("overwrite").saveAsTable("marts.from_sql_{number}_all")
        ''')


def _pandas(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    key, total = table.key, table.numbers[0]
    return dedent(f'''\
        """Report {number}."""
        import pandas as pd
        from sqlalchemy import create_engine

        engine = create_engine("postgresql://warehouse/db")
        frame = pd.read_sql("SELECT {", ".join(table.columns)} FROM core.{table.name}", engine)
        rates = pd.read_csv("data/rates_{number}.csv", usecols=["currency", "rate"])
        frame["double"] = frame["{total}"] * 2
        frame = frame[frame["id"] > 10].rename(columns={{"{key}": "key"}})
        grouped = frame.groupby("key", as_index=False).agg(total=("{total}", "sum"), most=("double", "max"))
        merged = grouped.merge(rates, left_on="key", right_on="currency", how="left")
        merged["in_euro"] = merged["total"] * merged["rate"]
        merged.assign(share=lambda d: d["in_euro"] / d["total"]).to_sql("report_{number}", engine, schema="marts")
        merged.to_parquet("out/report_{number}.parquet")
        ''')


def _polars(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    key, total = table.key, table.numbers[0]
    return dedent(f'''\
        """Report {number}."""
        import polars as pl

        rows = pl.scan_parquet("lake/{table.name}.parquet").select({list(table.columns)!r})
        other = pl.scan_csv("lake/other_{number}.csv").select("id", pl.col("value").alias("looked_up"))
        made = (
            rows.filter(pl.col("id") > 3)
            .with_columns((pl.col("{total}") * 1.19).alias("gross"), pl.col("{key}").str.to_uppercase())
            .join(other, on="id", how="left")
            .group_by("{key}")
            .agg(pl.col("gross").sum(), pl.col("looked_up").first(), pl.len().alias("n"))
            .rename({{"gross": "gross_total"}})
        )
        made.collect().write_parquet("out/polars_{number}.parquet")
        ''')


def _notebook(chance: Random, table: Table, tables: list[Table], number: int) -> str:
    cells = [
        "import pyspark.sql.functions as F",
        f"df = spark.table('core.{table.name}').filter(F.col('id') > 1)\ndf.createOrReplaceTempView('picked')",
        f"%%sql\nCREATE OR REPLACE TABLE lab.book_{number} AS SELECT {table.columns[1]} AS key, count(*) AS n "
        "FROM picked GROUP BY 1",
        f"df.select('id', F.upper('{table.columns[2]}').alias('loud')).write.saveAsTable('lab.book_{number}_loud')",
    ]
    made = [{"cell_type": "code", "metadata": {}, "source": one.splitlines(keepends=True)} for one in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
