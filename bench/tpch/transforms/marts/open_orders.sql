/* forge
description: Revenue of orders not yet shipped on a day, for one market segment, in the manner of TPC-H query 3.
*/
SELECT
  o.o_orderkey AS order_key,
  o.o_orderdate AS ordered_on,
  o.o_shippriority AS ship_priority,
  SUM(l.net) AS revenue
FROM raw.customer c
JOIN raw.orders o ON o.o_custkey = c.c_custkey
JOIN clean.lineitem l ON l.order_key = o.o_orderkey
WHERE c.c_mktsegment = 'BUILDING' AND o.o_orderdate < DATE '1995-03-15' AND l.shipped_on > DATE '1995-03-15'
GROUP BY o.o_orderkey, o.o_orderdate, o.o_shippriority
