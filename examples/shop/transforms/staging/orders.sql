/* forge
kind: view
description: Orders with tidy codes. The app writes countries in small letters; here they are all capitals.
tags: [silver]
columns:
  order_id: Number of the order
  customer_id: Who ordered
  ordered_at: When, in UTC
  country: Where it is shipped to, as two capital letters
  channel: web, app or marketplace
  status: How far the order has come
  amount: What the customer pays, in the currency of the country
*/
SELECT
  o.order_id,
  o.customer_id,
  o.ordered_at,
  upper(trim(o.country)) AS country,
  lower(trim(o.channel)) AS channel,
  lower(trim(o.status))  AS status,
  o.amount
FROM raw.orders AS o
