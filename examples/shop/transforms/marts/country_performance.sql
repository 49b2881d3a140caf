/* forge
kind: full
description: How each country sells.
owner: sven@shop.example
tags: [gold, sales]
columns:
  country: The country, as two capital letters
  name: Its name
  orders: Orders that were not cancelled
  customers: How many people placed them
  revenue: What they are worth, in euros
  average_order: What one order is worth on average, in euros
*/
SELECT
  c.country,
  c.name,
  count(*)                              AS orders,
  count(DISTINCT o.customer_id)         AS customers,
  CAST(sum(o.amount) AS decimal(14, 2)) AS revenue,
  CAST(avg(o.amount) AS decimal(12, 2)) AS average_order
FROM core.orders AS o
JOIN raw.countries AS c ON c.country = o.country
WHERE o.status <> 'cancelled'
GROUP BY c.country, c.name
