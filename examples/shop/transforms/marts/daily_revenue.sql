/* forge
kind: incremental_by_time_range
time_column: day
description: What we earned each day.
owner: fiona@shop.example
tags: [gold, finance]
columns:
  day: The day, in UTC
  orders: Orders that were not cancelled
  customers: How many people placed them
  revenue: What they are worth, in euros
*/
SELECT
  CAST(o.ordered_at AS date)           AS day,
  count(*)                             AS orders,
  count(DISTINCT o.customer_id)        AS customers,
  CAST(sum(o.amount) AS decimal(14, 2)) AS revenue
FROM core.orders AS o
WHERE o.status <> 'cancelled' AND o.ordered_at >= :start AND o.ordered_at < :end
GROUP BY CAST(o.ordered_at AS date)
