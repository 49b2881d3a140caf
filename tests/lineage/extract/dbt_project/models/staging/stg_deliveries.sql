-- one row for each crate
with source as (

    select * from {{ source('farm', 'deliveries') }}

),

renamed as (

    select
        delivery_id,
        grower_id,
        lower(crop_code) as crop,
        {{ grams_to_kilos('grams') }} as kilos,
        arrived_at
    from source
    where arrived_at >= '{{ var("first_day") }}'

)

select * from renamed
