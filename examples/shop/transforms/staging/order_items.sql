/* forge
kind: view
description: Lines of the orders, with the price after the discount.
tags: [silver]
columns:
  order_id: The order this line belongs to
  line: Position on the receipt, from 1
  product_id: What was bought
  quantity: How many
  unit_price: List price of one, in euros
  net_amount: What the line costs after the discount, in euros
  sold_on: Day of the sale
*/
SELECT
  i.order_id,
  i.line,
  i.product_id,
  i.quantity,
  i.unit_price,
  CAST(i.quantity * i.unit_price * (100 - i.discount_percent) / 100 AS decimal(12, 2)) AS net_amount,
  i.sold_on
FROM raw.order_items AS i
