"""The transformation that each sqlglot node applies to its operands."""

from __future__ import annotations

from sqlglot import exp

from forge.lineage.edge import Transformation
from forge.model.word_list import words

_SAME: tuple[type[exp.Expr], ...] = (
    exp.Alias,
    exp.Paren,
    exp.Distinct,
    exp.Order,
    exp.Ordered,
    exp.IgnoreNulls,
    exp.RespectNulls,
    exp.HavingMax,
    exp.Limit,
    exp.Where,
    exp.Kwarg,
    exp.Prior,
    exp.Lambda,
    exp.WindowSpec,
)

_CONDITIONAL: tuple[type[exp.Expr], ...] = (
    exp.Case,
    exp.If,
    exp.Coalesce,
    exp.Nullif,
    exp.Nvl2,
    exp.Nanvl,
    exp.DecodeCase,
)
_CONDITIONAL_NAMES = {"iff", "iif", "ifnull", "isnull", "nvl", "zeroifnull", "nullifzero", "choose", "decode", "switch"}

_GENERATORS: tuple[type[exp.Expr], ...] = (
    exp.Explode,
    exp.Inline,
    exp.Stack,
    exp.Unnest,
    exp.ExplodingGenerateSeries,
    exp.SplitToTable,
    exp.StrtokSplitToTable,
)
GENERATOR_NAMES = frozenset(
    words(
        "explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple parse_url_tuple "
        "variant_explode variant_explode_outer flatten unnest json_each jsonb_each json_each_text jsonb_each_text "
        "json_array_elements jsonb_array_elements json_array_elements_text jsonb_array_elements_text json_object_keys "
        "jsonb_object_keys jsonb_path_query regexp_split_to_table regexp_matches string_to_table string_split "
        "generate_series generate_subscripts"
    )
)

AGGREGATE_NAMES = frozenset(
    words(
        "any approx_count_distinct approx_percentile approx_top_k approximate_count_distinct array_agg bit_and bit_or "
        "bit_xor bitmap_construct_agg bitmap_or_agg bool_and bool_or checksum_agg collect_list collect_set count_big "
        "count_if count_min_sketch every first first_value geometric_mean group_concat grouping_agg histogram "
        "histogram_numeric hll_sketch_agg hll_union_agg json_agg json_arrayagg json_object_agg json_objectagg "
        "jsonb_agg jsonb_object_agg kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float last last_value "
        "list listagg map_agg map_union max_by mean median merge min_by mode multimap_agg numeric_histogram "
        "object_agg percentile percentile_approx product quantile quantile_cont regr_avgx schema_of_json_agg "
        "schema_of_variant_agg some std stdev stdevp string_agg sumif sum_distinct theta_sketch_agg try_avg try_sum "
        "var var_pop var_samp varp wm_concat xmlagg"
    )
)

_MASKING: tuple[type[exp.Expr], ...] = (
    exp.SHA,
    exp.SHA1Digest,
    exp.SHA2,
    exp.SHA2Digest,
    exp.MD5,
    exp.MD5Digest,
    exp.MD5NumberLower64,
    exp.MD5NumberUpper64,
    exp.FarmFingerprint,
    exp.CityHash64,
    exp.StandardHash,
    exp.Encrypt,
    exp.EncryptRaw,
)
_MASKING_NAMES = frozenset(
    words(
        "aes_encrypt anon binary_checksum checksum crc32 crypt digest encode_hmac encrypt encryptbykey "
        "encryptbypassphrase farm_fingerprint fnv_hash fnv1a_hash func_sha1 hash hashbytes hive_hash hmac hmac_md5 "
        "hmac_sha1 hmac_sha256 hmac_sha512 mask mask_first_n mask_hash mask_last_n mask_show_first_n mask_show_last_n "
        "md5 md5_binary md5_hex murmur3 murmur_hash ora_hash password pgp_pub_encrypt pgp_sym_encrypt sha sha1 "
        "sha1_binary sha1_hex sha2 sha224 sha256 sha2_binary sha2_hex sha384 sha512 standard_hash try_aes_encrypt "
        "xxhash64"
    )
)

_kinds: dict[type[exp.Expr], tuple[Transformation, bool]] = {}


def kind_of(node: exp.Expr) -> tuple[Transformation, bool]:
    """The step a node is, and whether it masks."""
    cls = type(node)
    found = _kinds.get(cls)
    if found is not None:
        return found
    if cls in (exp.Anonymous, exp.AnonymousAggFunc):
        return kind_of_name(node.name.lower(), Transformation.TRANSFORMATION)
    found = _kind_of_class(cls), issubclass(cls, _MASKING)
    _kinds[cls] = found
    return found


def kind_of_name(name: str, otherwise: Transformation) -> tuple[Transformation, bool]:
    if name in AGGREGATE_NAMES:
        return Transformation.AGGREGATION, False
    if name in _CONDITIONAL_NAMES:
        return Transformation.CONDITIONAL, False
    if name in GENERATOR_NAMES:
        return Transformation.GENERATOR, False
    return otherwise, name in _MASKING_NAMES


def _kind_of_class(cls: type[exp.Expr]) -> Transformation:
    if issubclass(cls, _SAME):
        return Transformation.IDENTITY
    if issubclass(cls, exp.AggFunc):
        return Transformation.AGGREGATION
    if issubclass(cls, _CONDITIONAL):
        return Transformation.CONDITIONAL
    return Transformation.GENERATOR if issubclass(cls, _GENERATORS) else Transformation.TRANSFORMATION


LATERAL_ALIASES = {"spark", "spark2", "databricks", "snowflake", "redshift", "duckdb", "teradata", "clickhouse"}
"""Dialects in which a column of a SELECT may use an earlier one by its alias."""

ALIASES_IN_WHERE = {"snowflake", "duckdb", "teradata", "clickhouse"}

UNITS = {
    *("microsecond", "microseconds", "millisecond", "milliseconds", "second", "seconds", "minute", "minutes"),
    *("hour", "hours", "day", "days", "week", "weeks", "isoweek", "month", "months", "quarter", "quarters"),
    *("year", "years", "isoyear", "decade", "century", "epoch", "dow", "doy", "dayofweek", "dayofyear", "weekday"),
    *("yy", "yyyy", "qq", "mm", "dd", "wk", "ww", "hh", "mi", "ss", "ms", "mcs", "ns", "dw", "dy", "date", "time"),
}
"""Written bare in calls such as `timestampdiff(minute, a, b)`, where they are no columns."""

PSEUDO_COLUMNS = {
    *("_metadata", "_file", "_pos", "_spec_id", "_partition", "_change_type", "_commit_version", "_commit_timestamp"),
    *("_partitiontime", "_partitiondate", "_table_suffix", "_file_name", "rownum", "rowid", "ctid", "xmin", "sysdate"),
    *("systimestamp", "current_user", "session_user", "current_role", "localtimestamp", "nextval", "currval"),
    *("metadata$filename", "metadata$file_row_number", "metadata$action", "metadata$isupdate", "metadata$row_id"),
    *("connect_by_isleaf", "connect_by_iscycle", "input__file__name", "block__offset__inside__file", "sqlcode"),
    *("grouping__id", "spark_grouping_id", "current_catalog", "current_schema", "current_database"),
    *("current_date", "current_timestamp"),
}
"""Names that engines give to what no table has; taken only where no table is known to have such a column."""
WORDS_WITHOUT_BRACKETS = {"user", "current_time"}
"""Functions called without brackets that are common names of columns: taken only where no table may have one."""
