select
    grower_id,
    full_name as grower,
    md5(mail) as mail_hash
from {{ source('farm', 'growers') }}
