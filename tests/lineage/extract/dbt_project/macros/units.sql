{% macro grams_to_kilos(column, digits=2) -%}
    round({{ column }} / 1000.0, {{ digits }})
{%- endmacro %}

{% test heavier_than(model, column_name, kilos) %}
select * from {{ model }} where {{ column_name }} <= {{ kilos }}
{% endtest %}
