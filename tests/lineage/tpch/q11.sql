CREATE TABLE out.q11 AS
SELECT ps_partkey, sum(ps_supplycost * ps_availqty) AS value
FROM tpch.partsupp
JOIN tpch.supplier ON ps_suppkey = s_suppkey
JOIN tpch.nation ON s_nationkey = n_nationkey
WHERE n_name = 'GERMANY'
GROUP BY ps_partkey
HAVING sum(ps_supplycost * ps_availqty) > (
  SELECT sum(ps_supplycost * ps_availqty) * 0.0001
  FROM tpch.partsupp
  JOIN tpch.supplier ON ps_suppkey = s_suppkey
  JOIN tpch.nation ON s_nationkey = n_nationkey
  WHERE n_name = 'GERMANY'
)
ORDER BY value DESC
