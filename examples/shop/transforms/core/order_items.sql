/* forge
kind: incremental_by_time_range
time_column: sold_on
partitioned_by: [months(sold_on)]
description: One row per line of an order, with the category of the product.
tags: [gold]
columns:
  order_id: The order this line belongs to
  line: Position on the receipt, from 1
  product_id: What was bought
  category: Category of the product
  quantity: How many
  unit_price: List price of one, in euros
  net_amount: What the line costs after the discount, in euros
  sold_on: Day of the sale
*/
SELECT
  i.order_id,
  i.line,
  i.product_id,
  p.category,
  i.quantity,
  i.unit_price,
  i.net_amount,
  i.sold_on
FROM staging.order_items AS i
LEFT JOIN raw.products AS p ON p.product_id = i.product_id
WHERE i.sold_on >= :start AND i.sold_on < :end
