/* forge
kind: view
description: Who gets the newsletter. Holds personal data, so it is a view and no second copy.
owner: maria@shop.example
tags: [gold, marketing, pii]
columns:
  customer_id: Number of the customer
  full_name: First and last name. Personal data
  email: Where we write to. Personal data
  country: Where the customer lives; decides the language
*/
SELECT
  c.customer_id,
  c.full_name,
  c.email,
  c.country
FROM core.customers AS c
WHERE c.newsletter
