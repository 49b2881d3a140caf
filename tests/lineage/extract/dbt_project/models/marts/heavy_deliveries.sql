{{ config(materialized='ephemeral') }}

select * from {{ ref('stg_deliveries') }} where kilos > 100
