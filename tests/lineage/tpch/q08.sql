CREATE TABLE out.q08 AS
SELECT
  o_year,
  sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS mkt_share
FROM (
  SELECT
    year(o_orderdate) AS o_year,
    l_extendedprice * (1 - l_discount) AS volume,
    n2.n_name AS nation
  FROM tpch.part
  JOIN tpch.lineitem ON p_partkey = l_partkey
  JOIN tpch.supplier ON s_suppkey = l_suppkey
  JOIN tpch.orders ON l_orderkey = o_orderkey
  JOIN tpch.customer ON o_custkey = c_custkey
  JOIN tpch.nation AS n1 ON c_nationkey = n1.n_nationkey
  JOIN tpch.region ON n1.n_regionkey = r_regionkey
  JOIN tpch.nation AS n2 ON s_nationkey = n2.n_nationkey
  WHERE r_name = 'AMERICA'
    AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
    AND p_type = 'ECONOMY ANODIZED STEEL'
) AS all_nations
GROUP BY o_year
ORDER BY o_year
