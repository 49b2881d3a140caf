/* forge
description: Line items with readable names and the two prices every report needs.
*/
SELECT
  l_orderkey AS order_key,
  l_linenumber AS line_number,
  l_partkey AS part_key,
  l_suppkey AS supplier_key,
  l_quantity AS quantity,
  l_discount AS discount,
  l_extendedprice AS gross,
  CAST(l_extendedprice * (1 - l_discount) AS DECIMAL(18, 4)) AS net,
  CAST(l_extendedprice * (1 - l_discount) * (1 + l_tax) AS DECIMAL(18, 6)) AS charged,
  l_returnflag AS return_flag,
  l_linestatus AS line_status,
  l_shipdate AS shipped_on,
  l_commitdate AS promised_on,
  l_receiptdate AS received_on,
  UPPER(TRIM(l_shipmode)) AS ship_mode
FROM raw.lineitem
WHERE l_quantity > 0
