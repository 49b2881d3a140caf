{{ config(schema='reports', materialized='view') }}
with heavy as (
    select grower_id, max(kilos) as most from {{ ref('heavy_deliveries') }} group by grower_id
)
select g.*, heavy.most
from {{ ref('stg_growers') }} as g
join heavy on heavy.grower_id = g.grower_id
