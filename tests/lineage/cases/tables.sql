CREATE OR REPLACE TABLE lin.orders (
  id BIGINT, customer_id BIGINT, status STRING, amount DECIMAL(12,2), qty INT,
  tags ARRAY<STRING>, attrs MAP<STRING, STRING>, address STRUCT<city: STRING, zip: STRING>,
  items ARRAY<STRUCT<sku: STRING, price: DOUBLE>>, created TIMESTAMP) USING iceberg;
CREATE OR REPLACE TABLE lin.customers (
  id BIGINT, name STRING, email STRING, country STRING, parent_id BIGINT) USING iceberg;
CREATE OR REPLACE TABLE lin.countries (code STRING, name STRING, region STRING) USING iceberg;
CREATE OR REPLACE TABLE lin.places (
  id BIGINT, home STRUCT<city: STRING, geo: STRUCT<lat: DOUBLE, lon: DOUBLE>>) USING iceberg;
