CREATE TABLE out.q10 AS
SELECT
  c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS revenue,
  c_acctbal, n_name, c_address, c_phone, c_comment
FROM tpch.customer
JOIN tpch.orders ON c_custkey = o_custkey
JOIN tpch.lineitem ON l_orderkey = o_orderkey
JOIN tpch.nation ON c_nationkey = n_nationkey
WHERE o_orderdate >= DATE '1993-10-01' AND o_orderdate < DATE '1994-01-01' AND l_returnflag = 'R'
GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
ORDER BY revenue DESC
LIMIT 20
