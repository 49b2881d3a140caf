/* forge
kind: incremental_by_time_range
time_column: ordered_at
description: One row per order, in euros. The table everyone builds on.
tags: [gold]
columns:
  order_id: Number of the order
  customer_id: Who ordered
  ordered_at: When, in UTC
  country: Where it is shipped to
  channel: web, app or marketplace
  status: open, paid, shipped, returned or cancelled
  amount: What the customer pays, in euros
*/
SELECT
  o.order_id,
  o.customer_id,
  o.ordered_at,
  o.country,
  o.channel,
  o.status,
  CAST(o.amount * c.rate_to_eur AS decimal(12, 2)) AS amount
FROM staging.orders AS o
LEFT JOIN raw.countries AS c ON c.country = o.country
WHERE o.ordered_at >= :start AND o.ordered_at < :end
