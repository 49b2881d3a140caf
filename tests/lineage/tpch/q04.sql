CREATE TABLE out.q04 AS
SELECT o_orderpriority, count(*) AS order_count
FROM tpch.orders AS o
WHERE o_orderdate >= DATE '1993-07-01'
  AND o_orderdate < DATE '1993-10-01'
  AND EXISTS (
    SELECT 1 FROM tpch.lineitem AS l WHERE l.l_orderkey = o.o_orderkey AND l.l_commitdate < l.l_receiptdate
  )
GROUP BY o_orderpriority
ORDER BY o_orderpriority
