CREATE TABLE out.q07 AS
WITH shipping AS (
  SELECT
    n1.n_name AS supp_nation,
    n2.n_name AS cust_nation,
    year(l_shipdate) AS l_year,
    l_extendedprice * (1 - l_discount) AS volume
  FROM tpch.supplier
  JOIN tpch.lineitem ON s_suppkey = l_suppkey
  JOIN tpch.orders ON o_orderkey = l_orderkey
  JOIN tpch.customer ON c_custkey = o_custkey
  JOIN tpch.nation AS n1 ON s_nationkey = n1.n_nationkey
  JOIN tpch.nation AS n2 ON c_nationkey = n2.n_nationkey
  WHERE l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
    AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY') OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'))
)
SELECT supp_nation, cust_nation, l_year, sum(volume) AS revenue
FROM shipping
GROUP BY supp_nation, cust_nation, l_year
ORDER BY supp_nation, cust_nation, l_year
