{%- set kinds = var('kinds') -%}
select
    d.grower_id,
    g.grower,
    {% for kind in kinds %}
    sum(case when c.kind = '{{ kind }}' then d.kilos else 0 end) as {{ kind }}_kilos{{ "," if not loop.last }}
    {% endfor %}
from {{ ref('stg_deliveries') }} d
join {{ ref('harvest', 'stg_growers') }} g on g.grower_id = d.grower_id
left join {{ ref('stg_crops') }} c on c.crop = d.crop
group by d.grower_id, g.grower
