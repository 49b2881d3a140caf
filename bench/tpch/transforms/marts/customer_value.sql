/* forge
description: What each customer ordered, and how often it came late.
*/
SELECT
  c.c_custkey AS customer_key,
  c.c_mktsegment AS segment,
  COUNT(*) AS orders,
  SUM(t.net) AS net,
  SUM(t.late_lines) AS late_lines,
  MAX(t.ordered_on) AS last_ordered_on
FROM core.order_totals t
JOIN raw.customer c ON c.c_custkey = t.customer_key
GROUP BY c.c_custkey, c.c_mktsegment
