{% snapshot growers_history %}
{{
    config(
        target_schema='history',
        unique_key='grower_id',
        strategy='timestamp',
        updated_at='changed_at'
    )
}}
select grower_id, full_name, changed_at from {{ source('farm', 'growers') }}
{% endsnapshot %}
