/* forge
description: Sums and averages by return flag and line status, in the manner of TPC-H query 1.
*/
SELECT
  return_flag,
  line_status,
  SUM(quantity) AS quantity,
  SUM(gross) AS gross,
  SUM(net) AS net,
  SUM(charged) AS charged,
  AVG(quantity) AS average_quantity,
  AVG(gross) AS average_gross,
  AVG(discount) AS average_discount,
  COUNT(*) AS line_count
FROM clean.lineitem
WHERE shipped_on <= DATE '1998-09-02'
GROUP BY return_flag, line_status
