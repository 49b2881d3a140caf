/* forge
kind: incremental_by_unique_key
unique_key: [customer_id]
description: Everyone who ever had an account. Who leaves the customer system stays here, as old orders point at them.
tags: [gold, pii]
columns:
  customer_id: Number of the customer
  full_name: First and last name. Personal data
  email: Where we write to. Personal data
  phone: With the country's code. Personal data
  country: Where the customer lives
  signed_up_on: Day of the registration
  newsletter: Whether the customer asked for the newsletter
*/
SELECT
  c.customer_id,
  c.full_name,
  c.email,
  c.phone,
  c.country,
  c.signed_up_on,
  c.newsletter
FROM staging.customers AS c
