{{
    config(
        materialized='incremental',
        unique_key='day',
        alias='daily'
    )
}}

select
    cast(arrived_at as date) as day,
    sum(kilos) as kilos,
    count(*) as crates
from {{ ref('stg_deliveries') }}
{% if is_incremental() %}
where arrived_at > (select max(day) from {{ this }})
{% endif %}
group by 1
