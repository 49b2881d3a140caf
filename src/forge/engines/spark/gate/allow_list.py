"""The allow-list of untrusted SQL, by name. Anything else is refused, so that a newer Spark adds nothing unnoticed:
a test compares the lists to Spark's own registry."""

from __future__ import annotations

MOST_ROWS_OF_RANGE = 100_000_000


def _names(text: str, package: str = "") -> frozenset[str]:
    return frozenset(package + name for name in text.split())


# fmt: off
FUNCTIONS = _names("""
    ! % & * + - / < << <= <=> = == > >= >> >>> ^ abs acos acosh add_months aes_decrypt aes_encrypt aggregate and
    any any_value approx_count_distinct approx_percentile approx_top_k approx_top_k_accumulate
    approx_top_k_combine approx_top_k_estimate array array_agg array_append array_compact array_contains
    array_distinct array_except array_insert array_intersect array_join array_max array_min array_position
    array_prepend array_remove array_repeat array_size array_sort array_union arrays_overlap arrays_zip ascii asin
    asinh assert_true atan atan2 atanh avg base64 between bigint bin binary bit_and bit_count bit_get bit_length
    bit_or bit_xor bitmap_and_agg bitmap_bit_position bitmap_bucket_number bitmap_construct_agg bitmap_count
    bitmap_or_agg bool_and bool_or boolean bround btrim cardinality cast cbrt ceil ceiling char char_length
    character_length chr coalesce collate collation collect_list collect_set concat concat_ws contains conv
    convert_timezone corr cos cosh cot count count_if count_min_sketch covar_pop covar_samp crc32 csc cume_dist
    curdate current_date current_time current_timestamp current_timezone date date_add date_diff date_format
    date_from_unix_date date_part date_sub date_trunc dateadd datediff datepart day dayname dayofmonth dayofweek
    dayofyear decimal decode degrees dense_rank div double e element_at elt encode endswith equal_null every
    exists exp explode explode_outer expm1 extract factorial filter find_in_set first first_value flatten float
    floor forall format_number format_string from_csv from_json from_unixtime from_utc_timestamp get
    get_json_object getbit greatest grouping grouping_id hash hex histogram_numeric hll_sketch_agg
    hll_sketch_estimate hll_union hll_union_agg hour hypot if ifnull ilike in initcap inline inline_outer instr
    int is_valid_utf8 is_variant_null isnan isnotnull isnull json_array_length json_object_keys json_tuple
    kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double
    kll_sketch_agg_float kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float
    kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double kll_sketch_get_quantile_float
    kll_sketch_get_rank_bigint kll_sketch_get_rank_double kll_sketch_get_rank_float kll_sketch_merge_bigint
    kll_sketch_merge_double kll_sketch_merge_float kll_sketch_to_string_bigint kll_sketch_to_string_double
    kll_sketch_to_string_float kurtosis lag last last_day last_value lcase lead least left len length levenshtein
    like listagg ln localtimestamp locate log log10 log1p log2 lower lpad ltrim luhn_check make_date
    make_dt_interval make_interval make_time make_timestamp make_timestamp_ltz make_timestamp_ntz make_valid_utf8
    make_ym_interval map map_concat map_contains_key map_entries map_filter map_from_arrays map_from_entries
    map_keys map_values map_zip_with mask max max_by md5 mean median min min_by minute mod mode
    monotonically_increasing_id month monthname months_between named_struct nanvl negative next_day not now
    nth_value ntile nullif nullifzero nvl nvl2 octet_length or overlay parse_json parse_url percent_rank
    percentile percentile_approx percentile_cont percentile_disc pi pmod posexplode posexplode_outer position
    positive pow power printf quarter quote radians raise_error rand randn random randstr rank reduce regexp
    regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like regexp_replace regexp_substr regr_avgx
    regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right
    rint rlike round row_number rpad rtrim schema_of_csv schema_of_json schema_of_variant schema_of_variant_agg
    sec second sentences sequence session_window sha sha1 sha2 shiftleft shiftright shiftrightunsigned shuffle
    sign signum sin sinh size skewness slice smallint some sort_array soundex space spark_partition_id split
    split_part sqrt st_asbinary st_geogfromwkb st_geomfromwkb st_setsrid st_srid stack startswith std stddev
    stddev_pop stddev_samp str_to_map string string_agg struct substr substring substring_index sum tan tanh
    theta_difference theta_intersection theta_intersection_agg theta_sketch_agg theta_sketch_estimate theta_union
    theta_union_agg time time_diff time_trunc timestamp timestamp_micros timestamp_millis timestamp_seconds
    tinyint to_binary to_char to_csv to_date to_json to_number to_time to_timestamp to_timestamp_ltz
    to_timestamp_ntz to_unix_timestamp to_utc_timestamp to_varchar to_variant_object transform transform_keys
    transform_values translate trim trunc try_add try_aes_decrypt try_avg try_divide try_element_at
    try_make_interval try_make_timestamp try_make_timestamp_ltz try_make_timestamp_ntz try_mod try_multiply
    try_parse_json try_parse_url try_subtract try_sum try_to_binary try_to_date try_to_number try_to_time
    try_to_timestamp try_url_decode try_validate_utf8 try_variant_get typeof ucase unbase64 unhex uniform
    unix_date unix_micros unix_millis unix_seconds unix_timestamp upper url_decode url_encode uuid validate_utf8
    var_pop var_samp variance variant_get weekday weekofyear when width_bucket window window_time xxhash64 year
    zeroifnull zip_with | ~
""")

# Built-in functions that are left out on purpose, and what each would do.
REFUSED_FUNCTIONS = {
    **dict.fromkeys(_names("java_method reflect try_reflect"), "it runs Java inside the server"),
    **dict.fromkeys(
        _names("input_file_name input_file_block_start input_file_block_length"), "it tells files of the server"
    ),
    **dict.fromkeys(
        _names("from_avro to_avro schema_of_avro from_protobuf to_protobuf from_xml to_xml schema_of_xml"),
        "its options can name files for the server to read",
    ),
    **dict.fromkeys(
        _names("""
            xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short
            xpath_string
        """),
        "a document can name files and addresses for the server to read",
    ),
    **dict.fromkeys(
        _names("current_user user session_user current_catalog current_database current_schema version"),
        "it tells about the server, not about the data",
    ),
}

# Table-valued functions.
TABLE_FUNCTIONS = _names("""
    explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple range variant_explode
    variant_explode_outer
""")

_ANALYSIS = "org.apache.spark.sql.catalyst.analysis."
_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
_PLANS = "org.apache.spark.sql.catalyst.plans."


# What the parser makes of expressions.
PARSED_EXPRESSIONS = _names("""
    MultiAlias NamedParameter UnresolvedAlias UnresolvedAttribute UnresolvedExtractValue UnresolvedFunction
    UnresolvedOrdinal UnresolvedPipeAggregateOrdinal UnresolvedRegex UnresolvedStar UnresolvedStarExceptOrReplace
    UnresolvedStarWithColumns UnresolvedStarWithColumnsRenames
""", _ANALYSIS) | _names("""
    Add Alias And AttributeReference BitwiseAnd BitwiseNot BitwiseOr BitwiseXor CaseWhen Cast Coalesce Collate
    Concat CreateNamedStruct CreateStruct Cube CurrentDate CurrentRow$ CurrentTime CurrentTimestamp Divide
    EqualNullSafe EqualTo GreaterThan GreaterThanOrEqual GroupingSets If ILike In IntegralDivide IsNotNull IsNull
    LambdaFunction LessThan LessThanOrEqual Like LikeAll LikeAny Literal LocalTimestamp Lower Multiply
    NamePlaceholder$ NamedArgumentExpression Not NotLikeAll NotLikeAny Or Overlay PipeExpression PipeOperator
    RLike Remainder Rollup SemiStructuredExtract ShiftLeft ShiftRight ShiftRightUnsigned SortOrder
    SpecifiedWindowFrame StringLocate StringTrim StringTrimBoth StringTrimLeft StringTrimRight Substring Subtract
    TimestampAdd TimestampDiff UnaryMinus UnaryPositive UnboundedFollowing$ UnboundedPreceding$
    UnresolvedCollation UnresolvedNamedLambdaVariable UnresolvedWindowExpression UnspecifiedFrame$
    WindowExpression WindowSpecDefinition aggregate.AggregateExpression aggregate.AnyValue aggregate.First
    aggregate.Last
""", _EXPRESSIONS)

# Queries within an expression.
SUBQUERIES = _names("Exists InSubquery LateralSubquery ListQuery ScalarSubquery", _EXPRESSIONS)

# What the parser makes of a query around its expressions.
PARSED_PLANS = _names("""
    UnresolvedGenerator UnresolvedHaving UnresolvedInlineTable UnresolvedRelation UnresolvedSubqueryColumnAliases
    UnresolvedTVFAliases UnresolvedTableValuedFunction
""", _ANALYSIS) | _names("""
    logical.Aggregate logical.Distinct logical.Except logical.Filter logical.Generate logical.GlobalLimit
    logical.Intersect logical.Join logical.LateralJoin logical.LimitAll logical.LocalLimit logical.LocalRelation
    logical.Offset logical.OneRowRelation logical.Pivot logical.Project logical.RepartitionByExpression
    logical.Sample logical.Sort logical.SubqueryAlias logical.Union logical.Unpivot logical.UnresolvedWith
    logical.WithWindowDefinition
""", _PLANS)

# What is no node: kinds of joins, orders, names, modes.
PARTS = _names("AliasIdentifier FunctionIdentifier", "org.apache.spark.sql.catalyst.") | _names("""
    Ascending$ Descending$ NullsFirst$ NullsLast$ ExprId NumericEvalContext RangeFrame$ RowFrame$
    WindowSpecReference CommonExpressionId aggregate.Complete$
""", _EXPRESSIONS) | _names("""
    Cross$ FullOuter$ Inner$ LeftAnti$ LeftOuter$ LeftSemi$ NaturalJoin RightOuter$ UsingJoin logical.JoinHint
""", _PLANS)
TYPES = "org.apache.spark.sql.types."

# What the analyser makes of the same: plans, and expressions beyond the classes of the functions above.
ANALYSED_PLANS = _names("""
    logical.Aggregate logical.CTERelationDef logical.CTERelationRef logical.Distinct logical.Except logical.Expand
    logical.Filter logical.Generate logical.GlobalLimit logical.Intersect logical.Join logical.LateralJoin
    logical.LocalLimit logical.LocalRelation logical.Offset logical.OneRowRelation logical.Project logical.Range
    logical.RepartitionByExpression logical.Sample logical.Sort logical.SubqueryAlias logical.Union
    logical.UnionLoop logical.UnionLoopRef logical.View logical.Window logical.WithCTE
""", _PLANS)
ANALYSED_EXPRESSIONS = SUBQUERIES | _names("""
    Alias AttributeReference BinaryPad BinaryPredicate CaseWhen Cast Ceil CheckOverflow Collate
    CommonExpressionDef CommonExpressionRef Contains CreateNamedStruct CurrentRow$ DateAddInterval
    DateAddYMInterval DateTimeUtils DatetimeSub DivideDTInterval DivideInterval DivideYMInterval EndsWith Explode
    ExtractANSIIntervalDays ExtractANSIIntervalHours ExtractANSIIntervalMinutes ExtractANSIIntervalMonths
    ExtractANSIIntervalSeconds ExtractANSIIntervalYears ExtractIntervalDays ExtractIntervalHours
    ExtractIntervalMinutes ExtractIntervalMonths ExtractIntervalSeconds ExtractIntervalYears Floor GetArrayItem
    GetArrayStructFields GetMapValue GetStructField GroupingID Hour HoursOfTime Inline IsNotNull IsNull
    KnownNotNull KnownNullable LambdaFunction LikeAll LikeAny Literal MakeDecimal MakeTimestamp
    MakeTimestampFromDateTime MakeTimestampNTZ Mask Minute MinutesOfTime MultiplyDTInterval MultiplyInterval
    MultiplyYMInterval NamedLambdaVariable NotLikeAll NotLikeAny OuterReference PipeOperator PosExplode
    PreciseTimestampConversion PromotePrecision RaiseError ResolvedCollation RoundCeil RoundFloor Second
    SecondWithFraction SecondsOfTime SecondsOfTimeWithFraction SortOrder SpecifiedWindowFrame StartsWith
    StringDecode StringLPad StringRPad StringTrim StringTrimLeft StringTrimRight SubtractDates SubtractTimestamps
    SubtractTimes TimestampAdd TimestampAddInterval TimestampAddYMInterval TimestampDiff TimeAddInterval
    ToCharacter TryEval TryMakeTimestamp TryMakeTimestampFromDateTime TryMakeTimestampNTZ TryToBinary
    TypedNullLiteral UnaryMinus UnaryPositive UnboundedFollowing$ UnboundedPreceding$ UnscaledValue UpCast
    WindowExpression WindowSpecDefinition With aggregate.AggregateExpression aggregate.CountMinSketchAgg
    aggregate.Mode aggregate.PercentileCont aggregate.PercentileDisc aggregate.PivotFirst aggregate.AnyValue
    aggregate.First aggregate.Last variant.ParseJson variant.VariantGet variant.VariantExplode
""", _EXPRESSIONS)
# fmt: on

# Why the more notable of the others are refused.
WHY = {
    "UnresolvedFunction with a hidden type": "a type is written out in Spark's words, such as 'a INT, b STRING'",
    "ScriptTransformation": "TRANSFORM … USING runs a program of the server",
    "PlanWithUnresolvedIdentifier": "IDENTIFIER(…) hides which table is read",
    "ExpressionWithUnresolvedIdentifier": "IDENTIFIER(…) hides what is read",
    "RelationTimeTravel": "a table is read at the version that was asked for, and at no other",
    "CompoundBody": "a script is no query",
    "UnresolvedExecuteImmediate": "EXECUTE IMMEDIATE runs a text that nobody has judged",
    "PosParameter": "parameters are bound by name",
    "FunctionTableSubqueryArgumentExpression": "a table cannot be the argument of a function here",
}
