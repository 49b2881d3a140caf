/* forge
kind: append
description: What each product cost on the days we looked. The catalogue knows only today's prices; this table remembers.
tags: [gold]
columns:
  product_id: The product
  seen_on: The day we looked
  list_price: Its list price that day, in euros
*/
SELECT
  p.product_id,
  :day AS seen_on,
  p.list_price
FROM raw.products AS p
