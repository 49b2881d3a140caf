-- Queries over the retail world. A query begins with a line of `--`, words about it, and ends before the next one.
-- `[ordered]`: its ORDER BY leaves no two rows in doubt. `[fails]`: Spark refuses a value of its rows.

-- filter: text of a linguistic collation by range
SELECT id, name FROM {customers} WHERE name > 'Z'

-- filter: text of a linguistic collation between
SELECT id, name FROM {customers} WHERE name BETWEEN 'a' AND 'b'

-- filter: text that ignores case in its source
SELECT id, name FROM {suppliers} WHERE name = 'ada'

-- filter: text that ignores case in its source by IN
SELECT id, name FROM {categories} WHERE name IN ('tools', 'Toys')

-- filter: text that ignores case in its source is not
SELECT id, name FROM {suppliers} WHERE name <> 'ADA'

-- filter: text that ignores case in its source by range
SELECT id, name FROM {suppliers} WHERE name >= 'a' AND name < 'b'

-- filter: blanks at the end of a text of fixed length
SELECT id, country FROM {customers} WHERE country = 'X' OR country = ''

-- filter: blanks at the end of a text of fixed length, written out
SELECT id, country FROM {customers} WHERE country IN ('X ', '  ')

-- filter: LIKE with signs that are none
SELECT id, name FROM {customers} WHERE name LIKE '\%' OR name LIKE '%\_%'

-- filter: LIKE in a source that ignores case
SELECT id, name FROM {suppliers} WHERE name LIKE 'a%'

-- filter: ILIKE
SELECT id, name FROM {customers} WHERE name ILIKE 'z%'

-- filter: NOT IN with NULL
SELECT id FROM {orders} WHERE status NOT IN ('open', NULL)

-- filter: IN with NULL
SELECT id FROM {orders} WHERE status IN ('open', NULL)

-- filter: NULL-safe equality
SELECT id FROM {orders} WHERE paid <=> NULL AND status <=> 'paid'

-- filter: three-valued OR
SELECT id FROM {orders} WHERE paid OR amount > 500

-- filter: three-valued NOT
SELECT id FROM {orders} WHERE NOT (paid AND amount > 100)

-- filter: NaN is greater than all
SELECT id, weight FROM {orders} WHERE weight > 1e299

-- filter: NaN equals NaN
SELECT id, weight FROM {orders} WHERE weight = CAST('NaN' AS DOUBLE)

-- filter: minus zero
SELECT id FROM {orders} WHERE weight = 0

-- filter: float against double
SELECT id, score FROM {orders} WHERE score = 0.1

-- filter: float against a float
SELECT id, score FROM {orders} WHERE score = CAST(0.1 AS FLOAT)

-- filter: number against text
SELECT id FROM {orders} WHERE qty = '7'

-- filter: integers are divided as doubles
SELECT id, qty / 2 AS half FROM {orders} WHERE qty / 2 = 1.5

-- filter: remainder of negatives
SELECT id, qty % 2 AS odd FROM {orders} WHERE qty % 2 = -1

-- filter: decimal arithmetic
SELECT id, amount * 1.19 AS gross FROM {orders} WHERE amount * 1.19 BETWEEN 100 AND 110

-- filter: decimals beyond their column
SELECT id FROM {orders} WHERE amount < 1000000000000

-- filter: decimal with more digits than its column
SELECT id FROM {orders} WHERE amount >= 10.105

-- filter: a moment with a zone
SELECT id, placed_at FROM {orders} WHERE placed_at >= TIMESTAMP '2024-10-27 02:30:00'

-- filter: a moment with another zone
SELECT id FROM {orders} WHERE placed_at < TIMESTAMP '2024-03-31 02:30:00+02:00'

-- filter: a time without a zone
SELECT id, shipped_at FROM {orders} WHERE shipped_at >= TIMESTAMP_NTZ '2024-03-31 02:30:00'

-- filter: a time with against one without a zone
SELECT id FROM {orders} WHERE shipped_at < placed_at

-- filter: day of a moment
SELECT id, to_date(placed_at) AS d FROM {orders} WHERE to_date(placed_at) = DATE '2024-12-31'

-- filter: parts of a day
SELECT id FROM {orders} WHERE year(day) = 2024 AND month(placed_at) = 12

-- filter: a day before the calendar changed
SELECT id, day FROM {orders} WHERE day < DATE '1582-10-15'

-- filter: a day against a moment
SELECT id FROM {orders} WHERE day = placed_at

-- filter: days apart
SELECT id, datediff(to_date(shipped_at), day) AS apart FROM {orders} WHERE datediff(to_date(shipped_at), day) > 2

-- filter: COALESCE and CASE
SELECT id FROM {orders} WHERE coalesce(note, 'none') = CASE WHEN paid THEN 'ada' ELSE 'none' END

-- filter: lower and upper beyond ASCII
SELECT id, lower(name) AS l, upper(name) AS u FROM {customers} WHERE lower(name) = 'istanbul' OR upper(name) = 'STRASSE'

-- filter: length and substring of letters beyond ASCII
SELECT id, length(name) AS n, substring(name, 2, 2) AS s FROM {customers} WHERE length(name) <= 3

-- filter: substring from the end
SELECT id, substring(name, -2) AS s, left(name, 1) AS l FROM {customers} WHERE name IS NOT NULL

-- filter: trim, blanks only
SELECT id, '<' || trim(name) || '>' AS t FROM {suppliers} WHERE trim(name) <> name

-- filter: concatenation with NULL
SELECT id, email || country AS c FROM {customers} WHERE email || country IS NULL

-- filter: two columns
SELECT id FROM {orders} WHERE qty < customer_id AND product_id <> customer_id

-- filter: never
SELECT id FROM {orders} WHERE 1 = 0

-- filter: NULL
SELECT id FROM {orders} WHERE CAST(NULL AS BOOLEAN)

-- filter: nothing is empty text
SELECT id FROM {suppliers} WHERE terms = ''

-- filter: parameters
SELECT id, name FROM {customers} WHERE name = :quoted OR id IN (:one, :two)

-- filter: a parameter that looks like SQL
SELECT id, name FROM {suppliers} WHERE name <> :attack AND id < :two + 40

-- filter: a decimal parameter and a day
SELECT id FROM {orders} WHERE amount = :money OR day = :day

-- filter: a moment as a parameter
SELECT id FROM {orders} WHERE placed_at >= :moment AND shipped_at IS NOT NULL

-- filter: a NULL parameter
SELECT id FROM {orders} WHERE note = :nothing OR paid <=> :nothing

-- filter: CSV by number and text
SELECT code, population FROM {countries} WHERE population > 9007199254740992 OR region IS NULL

-- filter: Parquet by decimal and day
SELECT * FROM {rates} WHERE rate >= 5.5 AND day BETWEEN DATE '2024-02-28' AND DATE '2024-06-30'

-- filter: Parquet by NaN
SELECT day, fee FROM {rates} WHERE fee > 1 OR fee = 0

-- filter: lake by text and number
SELECT product_id, warehouse, qty FROM {stock} WHERE warehouse >= 'n' AND qty > 0

-- filter: lake by times
SELECT * FROM {stock} WHERE counted_at > TIMESTAMP '1970-01-01 00:00:00' AND checked_at <= TIMESTAMP_NTZ '2024-12-31 23:30:00'

-- projection: what is computed of a row
SELECT id, amount + 1 AS more, -amount AS less, abs(amount) AS size, amount * qty AS total FROM {orders} WHERE id < 200

-- projection: rounding
SELECT id, round(amount, 1) AS r, floor(amount) AS f, ceil(amount) AS c, round(weight, 0) AS w FROM {orders} WHERE weight < 100

-- projection: casts
SELECT id, CAST(amount AS INT) AS i, CAST(amount AS STRING) AS s, CAST(qty AS DOUBLE) AS d, CAST(paid AS INT) AS b FROM {orders}
WHERE amount < 1000

-- projection: text of moments
SELECT id, CAST(placed_at AS STRING) AS p, CAST(shipped_at AS STRING) AS s, date_format(placed_at, 'yyyy-MM') AS m FROM {orders}

-- projection: begin of a month
SELECT id, date_trunc('MONTH', placed_at) AS m, trunc(day, 'MM') AS d FROM {orders} WHERE day > DATE '2024-01-01'

-- projection: steps of days
SELECT id, day + INTERVAL 1 MONTH AS later, date_add(day, 30) AS d FROM {orders} WHERE day > DATE '2024-01-01'

-- projection: integer division and remainder
SELECT id, qty DIV 2 AS q, pmod(qty, 3) AS m FROM {orders}

-- projection: one column twice
SELECT id, id AS again, name FROM {customers}

-- projection: constants
SELECT 1 AS one, 'x' AS x, NULL AS nothing, id FROM {categories}

-- projection: names in another case
SELECT ID, Name FROM {customers} c WHERE C.Id < 9

-- order: NULLs first, then by bytes
[ordered]
SELECT id, name FROM {customers} ORDER BY name, id

-- order: descending, NULLs last
[ordered]
SELECT id, name FROM {customers} ORDER BY name DESC, id DESC

-- order: NULLs where they are asked for
[ordered]
SELECT id, name FROM {suppliers} ORDER BY rating DESC NULLS FIRST, terms NULLS LAST, id

-- top: of a linguistic collation
[ordered]
SELECT id, name FROM {customers} ORDER BY name, id LIMIT 12

-- top: of a collation that ignores case
[ordered]
SELECT id, name FROM {suppliers} ORDER BY name DESC, id LIMIT 9

-- top: with offset
[ordered]
SELECT id, amount FROM {orders} ORDER BY amount DESC, id LIMIT 10 OFFSET 5

-- top: NaN is the greatest
[ordered]
SELECT id, weight FROM {orders} ORDER BY weight DESC, id LIMIT 70

-- top: of a float
[ordered]
SELECT id, score FROM {orders} ORDER BY score NULLS LAST, id LIMIT 40

-- top: by what is computed
[ordered]
SELECT id, amount * qty AS total FROM {orders} ORDER BY total DESC NULLS LAST, id LIMIT 20

-- top: by a column that is not shown
[ordered]
SELECT name FROM {products} ORDER BY price DESC, id LIMIT 15

-- top: of the lake
[ordered]
SELECT id, name FROM {products} WHERE price > 10 ORDER BY name, id LIMIT 20

-- top: after a filter that stays
[ordered]
SELECT id, name FROM {customers} WHERE name > 'a' ORDER BY id LIMIT 7

-- limit: of a limit
SELECT count(*) AS n FROM (SELECT * FROM (SELECT id FROM {orders} LIMIT 50) LIMIT 20)

-- limit: the smaller one is inside
SELECT count(*) AS n FROM (SELECT * FROM (SELECT id FROM {orders} LIMIT 5) LIMIT 20)

-- limit: outside a filter
SELECT count(*) AS n FROM (SELECT id FROM {orders} WHERE amount > 0 LIMIT 13)

-- limit: inside a filter
SELECT id FROM (SELECT id, amount FROM {orders} ORDER BY id LIMIT 100) WHERE amount > 100

-- limit: none at all
SELECT id FROM {orders} LIMIT 0

-- limit: inside a join
SELECT o.id, c.name FROM (SELECT * FROM {orders} ORDER BY amount DESC, id LIMIT 30) o LEFT JOIN {customers} c ON c.id = o.customer_id

-- limit: inside an aggregate
SELECT sum(amount) AS s FROM (SELECT amount FROM {orders} ORDER BY id LIMIT 77)

-- limit: in an IN
SELECT id FROM {orders} WHERE customer_id IN (SELECT id FROM {customers} ORDER BY credit DESC, id LIMIT 10)

-- limit: of both parts of a union
SELECT count(*) AS n FROM ((SELECT id FROM {customers} LIMIT 3) UNION ALL (SELECT id FROM {orders} LIMIT 4))

-- distinct: text
SELECT DISTINCT status FROM {orders}

-- distinct: text that ignores case in its source
SELECT DISTINCT name FROM {categories}

-- distinct: NULL and two columns
SELECT DISTINCT paid, qty FROM {orders}

-- distinct: zeros and NaN
SELECT count(*) AS n FROM (SELECT DISTINCT weight FROM {orders})

-- distinct: text of fixed length
SELECT DISTINCT country FROM {customers}

-- distinct: over sources
SELECT DISTINCT c.country, s.country AS other FROM {customers} c JOIN {suppliers} s ON c.country = s.country

-- aggregate: all of a table
SELECT count(*) AS n, count(amount) AS a, sum(amount) AS s, min(amount) AS lo, max(amount) AS hi, avg(amount) AS m FROM {orders}

-- aggregate: nothing to aggregate
SELECT count(*) AS n, sum(amount) AS s, min(name) AS lo FROM {orders} o JOIN {customers} c ON c.id = o.id WHERE o.id < 0

-- aggregate: by text
SELECT status, count(*) AS n, sum(amount) AS s FROM {orders} GROUP BY status

-- aggregate: by text that ignores case in its source
SELECT name, count(*) AS n FROM {suppliers} GROUP BY name

-- aggregate: by text of fixed length
SELECT country, count(*) AS n FROM {customers} GROUP BY country

-- aggregate: least and greatest text of a linguistic collation
SELECT min(name) AS lo, max(name) AS hi FROM {customers}

-- aggregate: least and greatest text that ignores case
SELECT min(name) AS lo, max(name) AS hi FROM {suppliers}

-- aggregate: least and greatest double
SELECT min(weight) AS lo, max(weight) AS hi FROM {orders}

-- aggregate: greatest by group with NaN
SELECT qty, max(weight) AS hi, min(score) AS lo FROM {orders} GROUP BY qty

-- aggregate: sums of integers
SELECT sum(qty) AS s, avg(qty) AS m, sum(customer_id) AS c FROM {orders}

-- aggregate: sum of large integers
SELECT sum(qty) AS s, min(qty) AS lo FROM {stock} GROUP BY warehouse

-- aggregate: sums of decimals at their limits
SELECT customer_id, sum(amount) AS s, avg(amount) AS m FROM {orders} GROUP BY customer_id

-- aggregate: distinct
SELECT count(DISTINCT status) AS s, count(DISTINCT customer_id, qty) AS c, sum(DISTINCT qty) AS q FROM {orders}

-- aggregate: with filters
SELECT count(*) FILTER (WHERE paid) AS p, sum(amount) FILTER (WHERE status = 'open') AS s FROM {orders}

-- aggregate: booleans
SELECT status, bool_or(paid) AS some, bool_and(paid) AS every FROM {orders} GROUP BY status

-- aggregate: spread
SELECT qty, stddev_samp(amount) AS s, var_pop(amount) AS v FROM {orders} WHERE abs(amount) < 1000 GROUP BY qty

-- aggregate: by what is computed
SELECT year(placed_at) AS y, month(placed_at) AS m, count(*) AS n FROM {orders} GROUP BY year(placed_at), month(placed_at)

-- aggregate: by a day of a moment
SELECT CAST(placed_at AS DATE) AS d, count(*) AS n FROM {orders} GROUP BY 1 HAVING count(*) > 2

-- aggregate: HAVING on another one
SELECT customer_id, count(*) AS n FROM {orders} GROUP BY customer_id HAVING sum(amount) > 3000

-- aggregate: HAVING with NULL
SELECT qty FROM {orders} GROUP BY qty HAVING max(note) > 'a'

-- aggregate: HAVING without GROUP BY
SELECT count(*) AS n FROM {orders} HAVING count(*) > 100000

-- aggregate: of an aggregate
SELECT n, count(*) AS times FROM (SELECT customer_id, count(*) AS n FROM {orders} GROUP BY customer_id) GROUP BY n

-- aggregate: grouping sets
SELECT status, paid, count(*) AS n FROM {orders} GROUP BY GROUPING SETS ((status), (paid), ())

-- aggregate: rollup
SELECT status, paid, count(*) AS n, grouping_id() AS g FROM {orders} GROUP BY ROLLUP (status, paid)

-- aggregate: cube
SELECT warehouse, sum(CAST(qty AS BIGINT)) AS s FROM {stock} GROUP BY CUBE (warehouse)

-- aggregate: top groups
[ordered]
SELECT status, sum(amount) AS s FROM {orders} GROUP BY status ORDER BY s DESC, status LIMIT 3

-- aggregate: gathered texts in an order
SELECT customer_id, array_join(array_sort(collect_list(status)), ',') AS all FROM {orders} WHERE customer_id < 30 GROUP BY customer_id

-- aggregate: expression over aggregates
SELECT status, sum(amount) / count(*) AS per, max(amount) - min(amount) AS span FROM {orders} GROUP BY status

-- aggregate: ALL
SELECT region, count(*) AS n FROM {countries} GROUP BY ALL

-- join: inside PostgreSQL
SELECT o.id, c.name FROM {orders} o JOIN {customers} c ON o.customer_id = c.id WHERE c.active AND o.amount > 500

-- join: inside PostgreSQL by a text of fixed length
SELECT a.id, b.id AS other FROM {customers} a JOIN {customers} b ON a.country = b.country AND a.id < b.id WHERE a.id < 20

-- join: inside PostgreSQL by a collated text
SELECT o.id, c.id AS customer FROM {orders} o JOIN {customers} c ON o.note = c.name WHERE o.id < 300

-- join: inside SQLite by a text that ignores case
SELECT s.id, c.id AS category FROM {suppliers} s JOIN {categories} c ON s.name = c.name

-- join: with itself
SELECT a.id, a.name, b.name AS parent FROM {customers} a JOIN {customers} b ON a.parent_id = b.id

-- join: by three, one inside the source
SELECT o.id, c.name, p.name AS product FROM {orders} o JOIN {customers} c ON c.id = o.customer_id JOIN {products} p ON p.id = o.product_id
WHERE p.price > 900

-- join: over all sources
SELECT o.id, c.name, p.name AS product, s.name AS supplier, g.name AS category, n.region
FROM {orders} o
JOIN {customers} c ON c.id = o.customer_id
JOIN {products} p ON p.id = o.product_id
JOIN {suppliers} s ON s.id = p.supplier_id
JOIN {categories} g ON g.id = p.category_id
JOIN {countries} n ON n.code = c.country
WHERE o.amount > 100

-- join: one category of all, as the fact has no filter
SELECT sum(o.amount) AS s, count(*) AS n FROM {orders} o JOIN {products} p ON p.id = o.product_id
JOIN {categories} g ON g.id = p.category_id WHERE g.name = 'Tools'

-- join: left, the filter on the right is in ON
SELECT c.id, o.id AS bought FROM {customers} c LEFT JOIN {orders} o ON o.customer_id = c.id AND o.amount > 800

-- join: left, the filter on the right is in WHERE
SELECT c.id, o.id AS bought FROM {customers} c LEFT JOIN {orders} o ON o.customer_id = c.id WHERE o.amount > 800

-- join: left, the filter on the left is in ON
SELECT c.id, o.id AS bought FROM {customers} c LEFT JOIN {orders} o ON o.customer_id = c.id AND c.active WHERE c.id < 40

-- join: left, without a partner
SELECT c.id FROM {customers} c LEFT JOIN {orders} o ON o.customer_id = c.id WHERE o.id IS NULL

-- join: left over sources, without a partner
SELECT o.id, o.product_id FROM {orders} o LEFT JOIN {products} p ON p.id = o.product_id WHERE p.id IS NULL

-- join: left over sources, with COALESCE
SELECT o.id, coalesce(p.name, 'gone') AS product FROM {orders} o LEFT JOIN {products} p ON p.id = o.product_id WHERE o.id < 400

-- join: left with a filter that keeps NULL
SELECT p.id, s.rating FROM {products} p LEFT JOIN {suppliers} s ON s.id = p.supplier_id WHERE s.rating IS NULL OR s.rating > 3

-- join: right over sources
SELECT s.name, p.id FROM {products} p RIGHT JOIN {suppliers} s ON s.id = p.supplier_id

-- join: right inside PostgreSQL
SELECT c.id, o.id AS bought FROM {orders} o RIGHT JOIN {customers} c ON o.customer_id = c.id WHERE c.id BETWEEN 10 AND 60

-- join: full inside PostgreSQL
SELECT a.id, b.id AS other FROM {customers} a FULL JOIN {customers} b ON a.id = b.parent_id

-- join: full over sources
SELECT p.id, s.id AS supplier FROM {products} p FULL JOIN {suppliers} s ON p.supplier_id = s.id

-- join: full over sources, filtered after
SELECT p.id, s.id AS supplier FROM {products} p FULL JOIN {suppliers} s ON p.supplier_id = s.id WHERE s.rating > 2 OR p.price < 50

-- join: full with USING
SELECT id, p.name, s.name AS supplier FROM {products} p FULL JOIN {suppliers} s USING (id)

-- join: semi over sources
SELECT id, name FROM {customers} c LEFT SEMI JOIN {suppliers} s ON s.country = c.country

-- join: anti over sources
SELECT id, name FROM {products} p LEFT ANTI JOIN {stock} k ON k.product_id = p.id

-- join: anti inside PostgreSQL
SELECT id FROM {customers} c LEFT ANTI JOIN {orders} o ON o.customer_id = c.id

-- join: semi inside PostgreSQL
SELECT id FROM {customers} c LEFT SEMI JOIN {orders} o ON o.customer_id = c.id AND o.amount > 700

-- join: cross
SELECT c.code, g.id FROM {countries} c CROSS JOIN {categories} g

-- join: by a range over sources
SELECT o.id, r.rate FROM {orders} o JOIN {rates} r ON r.day > o.day AND r.day <= date_add(o.day, 2) WHERE o.id < 200

-- join: NULL keys find nothing
SELECT count(*) AS n FROM {customers} c JOIN {suppliers} s ON c.segment = s.terms

-- join: NULL-safe keys
SELECT count(*) AS n FROM {customers} c JOIN {suppliers} s ON c.segment <=> s.terms

-- join: keys of several widths
SELECT count(*) AS n, sum(p.price) AS s FROM {products} p JOIN {categories} g ON p.category_id = g.id JOIN {orders} o ON o.product_id = g.id

-- join: text of fixed length with text
SELECT c.id, n.name FROM {customers} c JOIN {countries} n ON n.code = c.country

-- join: text that ignores case in one of two
SELECT c.id, s.id AS supplier FROM {customers} c JOIN {suppliers} s ON s.name = c.name

-- join: by doubles
SELECT count(*) AS n FROM {orders} o JOIN {rates} r ON r.fee = o.weight WHERE o.id < 300

-- join: decimal with an integer
SELECT o.id, o.amount, p.id AS product FROM {orders} o JOIN {products} p ON o.amount = p.id

-- join: by two keys
SELECT o.id, r.rate FROM {orders} o JOIN {customers} c ON c.id = o.customer_id JOIN {rates} r ON r.country = c.country AND r.day = o.day

-- join: natural
SELECT id, rating FROM (SELECT id, country FROM {customers}) NATURAL JOIN (SELECT id, country, rating FROM {suppliers})

-- join: on something false
SELECT c.id, o.id AS o FROM {customers} c LEFT JOIN {orders} o ON false WHERE c.id < 5

-- join: aggregated over sources
SELECT p.category_id, count(*) AS n, sum(o.amount) AS s, avg(o.amount) AS m FROM {orders} o JOIN {products} p ON p.id = o.product_id
GROUP BY p.category_id

-- join: aggregated over sources by a text that ignores case
SELECT g.name, sum(o.amount) AS s FROM {orders} o JOIN {products} p ON p.id = o.product_id JOIN {categories} g ON g.id = p.category_id
GROUP BY g.name HAVING count(*) > 20

-- join: aggregate before the join
SELECT c.name, t.s FROM {customers} c JOIN (SELECT customer_id, sum(amount) AS s FROM {orders} GROUP BY customer_id) t ON t.customer_id = c.id

-- join: aggregate on the side that may be missing
SELECT p.id, coalesce(t.n, 0) AS n FROM {products} p LEFT JOIN (SELECT product_id, count(*) AS n FROM {orders} GROUP BY product_id) t
ON t.product_id = p.id

-- join: top over sources
[ordered]
SELECT o.id, p.name, o.amount FROM {orders} o JOIN {products} p ON p.id = o.product_id ORDER BY o.amount DESC NULLS LAST, o.id LIMIT 15

-- join: aggregated inside one source
SELECT c.country, count(*) AS n, sum(o.amount) AS s FROM {orders} o JOIN {customers} c ON c.id = o.customer_id GROUP BY c.country

-- join: distinct count over sources
SELECT n.region, count(DISTINCT o.customer_id) AS buyers FROM {orders} o JOIN {customers} c ON c.id = o.customer_id
JOIN {countries} n ON n.code = c.country GROUP BY n.region

-- set: union all over sources
SELECT id, name FROM {customers} UNION ALL SELECT id, name FROM {suppliers}

-- set: union over sources with NULL
SELECT country FROM {customers} UNION SELECT country FROM {suppliers} UNION SELECT code FROM {countries}

-- set: union inside PostgreSQL widens
SELECT id, credit AS x FROM {customers} UNION ALL SELECT id, amount * 10 FROM {orders}

-- set: except
SELECT id FROM {customers} EXCEPT SELECT customer_id FROM {orders}

-- set: except all
SELECT country FROM {customers} EXCEPT ALL SELECT country FROM {suppliers}

-- set: intersect
SELECT name FROM {customers} INTERSECT SELECT name FROM {suppliers}

-- set: intersect inside a source that ignores case
SELECT name FROM {suppliers} INTERSECT SELECT name FROM {categories}

-- set: intersect all
SELECT product_id FROM {orders} INTERSECT ALL SELECT product_id FROM {stock}

-- set: filtered from outside
SELECT * FROM (SELECT id, name FROM {customers} UNION ALL SELECT id, name FROM {products}) WHERE name = 'ada' AND id > 10

-- set: aggregated from outside
SELECT name, count(*) AS n FROM (SELECT name FROM {customers} UNION ALL SELECT name FROM {suppliers}) GROUP BY name

-- set: top of a union
[ordered]
SELECT id, name, 'c' AS kind FROM {customers} UNION ALL SELECT id, name, 's' FROM {suppliers} ORDER BY name, id, kind LIMIT 25

-- subquery: scalar
SELECT id FROM {orders} WHERE amount > (SELECT avg(amount) + 500 FROM {orders})

-- subquery: scalar of another source
SELECT id, price FROM {products} WHERE supplier_id = (SELECT max(id) FROM {suppliers} WHERE rating = 5)

-- subquery: scalar in the list
SELECT id, (SELECT count(*) FROM {orders}) AS orders, (SELECT max(price) FROM {products}) AS dearest FROM {categories}

-- subquery: EXISTS with a correlation inside PostgreSQL
SELECT id FROM {customers} c WHERE EXISTS (SELECT 1 FROM {orders} o WHERE o.customer_id = c.id AND o.amount > 600)

-- subquery: NOT EXISTS over sources
SELECT id FROM {products} p WHERE NOT EXISTS (SELECT 1 FROM {orders} o WHERE o.product_id = p.id)

-- subquery: IN over sources
SELECT id FROM {orders} WHERE product_id IN (SELECT id FROM {products} WHERE price > 800)

-- subquery: NOT IN over NULL
SELECT id FROM {products} WHERE id NOT IN (SELECT product_id FROM {orders})

-- subquery: NOT IN without NULL
SELECT id FROM {products} WHERE id NOT IN (SELECT product_id FROM {stock})

-- subquery: correlated aggregate
SELECT c.id, (SELECT sum(o.amount) FROM {orders} o WHERE o.customer_id = c.id) AS s FROM {customers} c

-- subquery: correlated aggregate over sources
SELECT p.id, (SELECT count(*) FROM {orders} o WHERE o.product_id = p.id) AS n FROM {products} p WHERE p.price > 500

-- subquery: correlated in WHERE
SELECT o.id FROM {orders} o WHERE o.amount = (SELECT max(i.amount) FROM {orders} i WHERE i.customer_id = o.customer_id)

-- subquery: of two columns
SELECT id FROM {orders} WHERE (customer_id, product_id) IN (SELECT c.id, p.id FROM {customers} c JOIN {products} p ON p.id = c.id)

-- subquery: EXISTS in OR
SELECT id FROM {customers} c WHERE active OR EXISTS (SELECT 1 FROM {suppliers} s WHERE s.country = c.country AND s.rating > 4)

-- subquery: nested
SELECT id FROM {customers} WHERE id IN (SELECT customer_id FROM {orders} WHERE product_id IN (SELECT id FROM {products} WHERE
category_id IN (SELECT id FROM {categories} WHERE name LIKE 'T%')))

-- subquery: with an aggregate of another source
SELECT id, amount FROM {orders} WHERE amount > (SELECT max(price) FROM {products}) * 0.85

-- cte: read twice
WITH big AS (SELECT * FROM {orders} WHERE amount > 700) SELECT a.id, b.id AS other FROM big a JOIN big b ON a.customer_id = b.customer_id
AND a.id < b.id

-- cte: of a cte
WITH a AS (SELECT id, country FROM {customers} WHERE active), b AS (SELECT country, count(*) AS n FROM a GROUP BY country)
SELECT b.n, c.name FROM b JOIN {countries} c ON c.code = b.country

-- cte: that has the name of a table
WITH orders AS (SELECT 1 AS id) SELECT o.id, c.name FROM orders o JOIN {customers} c ON c.id = o.id

-- cte: that nobody reads
WITH nobody AS (SELECT * FROM {stock}) SELECT count(*) AS n FROM {rates}

-- cte: in a subquery
SELECT * FROM (WITH t AS (SELECT id, price FROM {products}) SELECT id FROM t WHERE price < 20)

-- cte: over all sources
WITH spent AS (SELECT customer_id, sum(amount) AS s FROM {orders} GROUP BY customer_id),
named AS (SELECT c.id, c.name, n.region FROM {customers} c LEFT JOIN {countries} n ON n.code = c.country)
SELECT region, count(*) AS n, sum(s) AS s FROM named LEFT JOIN spent ON customer_id = id GROUP BY region

-- window: rank in a group
SELECT id, customer_id, row_number() OVER (PARTITION BY customer_id ORDER BY amount DESC, id) AS place FROM {orders} WHERE id < 500

-- window: running sum
SELECT id, sum(amount) OVER (PARTITION BY status ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s FROM {orders}
WHERE id < 500

-- window: share of a group
SELECT id, amount, max(amount) OVER (PARTITION BY product_id) AS most FROM {orders} WHERE product_id < 30

-- window: before and after
SELECT id, lag(name) OVER (ORDER BY id) AS before, lead(name, 2, 'none') OVER (ORDER BY id) AS after FROM {customers}

-- window: filtered from outside
SELECT id FROM (SELECT id, rank() OVER (PARTITION BY country ORDER BY credit DESC NULLS LAST, id) AS r FROM {customers}) WHERE r <= 2

-- window: filtered by its partition
SELECT * FROM (SELECT id, status, count(*) OVER (PARTITION BY status) AS n FROM {orders}) WHERE status = 'open' AND id > 2000

-- window: over an aggregate
SELECT status, sum(amount) AS s, rank() OVER (ORDER BY sum(amount) DESC) AS place FROM {orders} GROUP BY status

-- window: over sources
SELECT o.id, dense_rank() OVER (PARTITION BY p.category_id ORDER BY o.amount, o.id) AS r FROM {orders} o
JOIN {products} p ON p.id = o.product_id WHERE o.id < 400

-- window: QUALIFY's place is taken by a subquery
SELECT t.name, t.price FROM (SELECT name, price, ntile(4) OVER (ORDER BY price, id) AS q FROM {products}) t WHERE t.q = 4

-- shape: nested subqueries with aliases of columns
SELECT t.a, t.b FROM (SELECT id AS a, upper(name) AS b FROM (SELECT id, name FROM {customers} WHERE id < 50) x) t WHERE t.b LIKE 'A%'

-- shape: values beside a table
SELECT v.code, c.name FROM (VALUES ('DE', 1), ('JP', 2)) AS v(code, n) JOIN {countries} c ON c.code = v.code

-- shape: no table
SELECT 1 + 1 AS two, :quoted AS name

-- shape: pivoted by hand
SELECT customer_id, sum(CASE WHEN status = 'open' THEN amount END) AS open, sum(CASE WHEN paid THEN 1 ELSE 0 END) AS paid
FROM {orders} GROUP BY customer_id

-- shape: exploded
SELECT id, part FROM {customers} LATERAL VIEW explode(split(email, '@')) t AS part WHERE id < 60

-- shape: a lateral subquery
SELECT c.id, t.id AS best FROM {customers} c, LATERAL (SELECT o.id FROM {orders} o WHERE o.customer_id = c.id ORDER BY o.amount DESC, o.id LIMIT 1) t

-- shape: struct and back
SELECT s.id, s.n FROM (SELECT named_struct('id', id, 'n', name) AS s FROM {categories})

-- shape: all columns
SELECT * FROM {customers}

-- shape: all columns of two
SELECT o.*, c.name AS customer FROM {orders} o JOIN {customers} c ON c.id = o.customer_id WHERE o.id < 100

-- shape: all columns of the files
SELECT * FROM {countries}

-- shape: all columns of SQLite
SELECT * FROM {suppliers}

-- fails: division by zero
[fails]
SELECT id, 1 / qty AS x FROM {orders}

-- fails: integers overflow
[fails]
SELECT sum(x) AS s FROM (SELECT CAST(qty AS BIGINT) * 9000000000000000 AS x FROM {stock} WHERE qty > 0)

-- fails: a product of integers overflows
[fails]
SELECT qty * 2 AS x FROM {stock}

-- fails: a small integer overflows
[fails]
SELECT id, CAST(qty + qty AS SMALLINT) AS x FROM {orders}

-- fails: a text is no number
[fails]
SELECT CAST(name AS INT) AS x FROM {customers}

-- fails: a text against a number
[fails]
SELECT id FROM {products} WHERE name = 1

-- fails: remainder by zero
[fails]
SELECT id % qty AS x FROM {orders}

-- fails: two rows where one is asked for
[fails]
SELECT (SELECT name FROM {categories} WHERE id < 3) AS x

-- filter: a doubled quote
SELECT id, name FROM {customers} WHERE name = 'O''Neil' OR name LIKE 'say ""%'

-- projection: text of numbers
SELECT id, to_char(amount, 'S99999999D99') AS t, unix_date(day) AS d FROM {orders} WHERE amount < 1000

-- aggregate: texts in a list
SELECT customer_id, listagg(status) WITHIN GROUP (ORDER BY status) AS s, string_agg(status, '+') WITHIN GROUP (ORDER BY status DESC) AS r
FROM {orders} WHERE customer_id < 30 GROUP BY customer_id

-- aggregate: percentiles
SELECT status, percentile_cont(0.25) WITHIN GROUP (ORDER BY amount) AS p, percentile_disc(0.5) WITHIN GROUP (ORDER BY qty) AS q, median(qty) AS m
FROM {orders} GROUP BY status
