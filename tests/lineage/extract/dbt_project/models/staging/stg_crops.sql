select code as crop, title, kind from {{ ref('crops') }}
