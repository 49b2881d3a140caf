/* forge
description: One row per order with the sums of its lines.
*/
WITH lines AS (
  SELECT
    order_key,
    COUNT(*) AS line_count,
    SUM(net) AS net,
    SUM(charged) AS charged,
    MAX(received_on) AS completed_on,
    SUM(CASE WHEN received_on > promised_on THEN 1 ELSE 0 END) AS late_lines
  FROM clean.lineitem
  GROUP BY order_key
)
SELECT
  o.o_orderkey AS order_key,
  o.o_custkey AS customer_key,
  o.o_orderdate AS ordered_on,
  o.o_orderpriority AS priority,
  o.o_shippriority AS ship_priority,
  l.line_count,
  l.net,
  l.charged,
  l.completed_on,
  l.late_lines
FROM raw.orders o
JOIN lines l ON l.order_key = o.o_orderkey
