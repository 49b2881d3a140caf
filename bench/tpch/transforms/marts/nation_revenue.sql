/* forge
description: Revenue between customers and suppliers of the same nation by year, in the manner of TPC-H query 5.
*/
SELECT
  r.r_name AS region,
  n.n_name AS nation,
  YEAR(o.o_orderdate) AS year,
  SUM(l.net) AS revenue,
  COUNT(DISTINCT o.o_custkey) AS customers
FROM clean.lineitem l
JOIN raw.orders o ON o.o_orderkey = l.order_key
JOIN raw.customer c ON c.c_custkey = o.o_custkey
JOIN raw.supplier s ON s.s_suppkey = l.supplier_key AND s.s_nationkey = c.c_nationkey
JOIN raw.nation n ON n.n_nationkey = s.s_nationkey
JOIN raw.region r ON r.r_regionkey = n.n_regionkey
GROUP BY r.r_name, n.n_name, YEAR(o.o_orderdate)
