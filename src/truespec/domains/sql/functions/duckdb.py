"""DuckDB's functions: `duckdb_functions()` by stability, and the functions of its grammar."""

from __future__ import annotations

from truespec.domains.sql.functions.catalogue import Functions, Need, signatures, words

DUCKDB = Functions(
    heads=frozenset({"FROM", "PIVOT", "SELECT", "TABLE", "UNPIVOT", "VALUES", "WITH"}),
    pure=words(
        """
        abs acos acosh add age aggregate alias any_value apply approx_count_distinct approx_quantile
        approx_top_k arbitrary arg_max arg_max_null arg_max_nulls_last arg_min arg_min_null
        arg_min_nulls_last argmax argmin array array_agg array_aggr array_aggregate array_append
        array_apply array_cat array_concat array_contains array_cosine_distance
        array_cosine_similarity array_cross_product array_distance array_distinct array_dot_product
        array_extract array_filter array_grade_up array_has array_has_all array_has_any
        array_indexof array_inner_product array_intersect array_length array_negative_dot_product
        array_negative_inner_product array_pop_back array_pop_front array_position array_prepend
        array_push_back array_push_front array_reduce array_resize array_reverse array_reverse_sort
        array_select array_slice array_sort array_to_json array_to_string
        array_to_string_comma_default array_transform array_unique array_value array_where array_zip
        ascii asin asinh atan atan2 atanh avg bar base64 bin binom bit_and bit_count bit_length
        bit_or bit_position bit_xor bitstring bitstring_agg bool_and bool_or cardinality cast
        cast_to_type cbrt ceil ceiling century char_length character_length chr coalesce
        collation_for columns combine_aggr concat concat_ws constant_or_null contains corr cos cosh
        cot count count_if count_star countif covar_pop covar_samp cume_dist damerau_levenshtein
        date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day
        dayname dayofmonth dayofweek dayofyear days_in_month decade decimal_average decimal_division
        decode degrees dense_rank divide editdist3 element_at encode ends_with entropy enum_code
        enum_first enum_last enum_range enum_range_boundary epoch epoch_ms epoch_ns epoch_us
        equi_width_bins era even exclude exp extract factorial favg fdiv fill filter first
        first_value flatten floor fmod format format_bytes format_pg_type format_type
        formatreadabledecimalsize formatreadablesize from_base64 from_binary from_hex from_json
        from_json_strict fsum gamma gcd generate_series generate_subscripts geomean geometric_mean
        get_bit get_type grade_up greatest greatest_common_divisor group_concat grouping grouping_id
        hamming hash hex histogram histogram_exact hour if ifnull ilike_escape instr
        is_histogram_other_bin isfinite isinf isnan isodow isoyear jaccard jaro_similarity
        jaro_winkler_similarity json json_array json_array_length json_contains
        json_copy_strftime_if_date json_copy_strftime_if_timestamp json_deep_merge json_each
        json_exists json_extract json_extract_path json_extract_path_text json_extract_string
        json_group_array json_group_object json_group_structure json_insert json_keys
        json_merge_patch json_merge_patch_diff json_normalize json_object json_pretty json_quote
        json_remove json_replace json_set json_strip_nulls json_structure json_transform
        json_transform_strict json_tree json_type json_valid json_value julian kahan_sum kurtosis
        kurtosis_pop lag last last_day last_value lcase lcm lead least least_common_multiple left
        left_grapheme len length length_grapheme levenshtein lgamma like_escape list list_aggr
        list_aggregate list_any_value list_append list_apply list_approx_count_distinct list_avg
        list_bit_and list_bit_or list_bit_xor list_bool_and list_bool_or list_cat list_concat
        list_contains list_cosine_distance list_cosine_similarity list_count list_distance
        list_distinct list_dot_product list_element list_entropy list_extract list_filter list_first
        list_grade_up list_has list_has_all list_has_any list_histogram list_indexof
        list_inner_product list_intersect list_kurtosis list_kurtosis_pop list_last list_mad
        list_max list_median list_min list_mode list_negative_dot_product
        list_negative_inner_product list_pack list_position list_prepend list_product list_reduce
        list_resize list_reverse list_reverse_sort list_select list_sem list_skewness list_slice
        list_sort list_stddev_pop list_stddev_samp list_string_agg list_sum list_transform
        list_unique list_value list_var_pop list_var_samp list_where list_zip listagg ln log log10
        log2 lower lpad ltrim lttb mad make_date make_time make_timestamp make_timestamp_ms
        make_timestamp_ns make_timestamptz make_type map map_concat map_contains map_contains_entry
        map_contains_value map_entries map_extract map_extract_value map_from_entries map_keys
        map_to_pg_oid map_values max max_by md5 md5_number md5_number_lower md5_number_upper mean
        median microsecond millennium millisecond min min_by minute mismatches mod mode month
        monthname multiply nanosecond nextafter nfc_normalize normalized_interval not_ilike_escape
        not_like_escape nth_value ntile nullif octet_length ord overlay parse_dirname parse_dirpath
        parse_filename parse_formatted_bytes parse_path path_join percent_rank percentile_cont
        percentile_disc pg_typeof pi position pow power prefix printf product quantile quantile_cont
        quantile_disc quarter radians range rank rank_dense reduce regexp_escape regexp_extract
        regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array
        regexp_split_to_table regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
        regr_sxx regr_sxy regr_syy rename repeat repeat_row replace reverse right right_grapheme
        round round_even roundbankers row row_number row_to_json rows rpad rtrim second sem set_bit
        sha1 sha256 sign signbit sin sinh skewness split split_part sqrt st_asbinary st_asgeojson
        st_astext st_aswkb st_aswkt st_crs st_geomfromgeojson st_geomfromwkb st_intersects_extent
        st_setcrs starts_with stddev stddev_pop stddev_samp str_split str_split_regex strftime
        string_agg string_split string_split_regex string_to_array strip_accents strlen strpos
        strptime struct struct_concat struct_contains struct_extract struct_extract_at struct_has
        struct_indexof struct_insert struct_keys struct_pack struct_position struct_update
        struct_values substr substring substring_grapheme subtract suffix sum sum_no_overflow
        sumkahan switch tan tanh time_bucket timezone timezone_hour timezone_minute to_base
        to_base64 to_binary to_centuries to_days to_decades to_hex to_hours to_json to_microseconds
        to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp
        to_weeks to_years translate trim trunc try try_cast try_strptime typeof ucase unbin unhex
        unicode union_extract union_tag union_value unnest unpivot_list upper url_decode url_encode
        uuid_extract_timestamp uuid_extract_version var_pop var_samp variance variant_array_length
        variant_contains variant_exists variant_extract variant_extract_string variant_group_array
        variant_group_object variant_keys variant_to_parquet_variant variant_type variant_typeof
        vertex_extract wavg week weekday weekofyear weighted_avg xor year yearweek
        """
    ),
    impure=words(
        """
        ago current_catalog current_connection_id current_database current_date current_localtime
        current_localtimestamp current_query current_query_id current_role current_schema
        current_schemas current_time current_timestamp current_transaction_id current_user error
        gen_random_uuid get_current_time get_current_timestamp in_search_path inet_client_addr
        inet_client_port inet_server_addr inet_server_port localtime localtimestamp now
        pg_backend_pid pg_conf_load_time pg_my_temp_schema pg_postmaster_start_time random
        reservoir_quantile session_user today transaction_timestamp txid_current user uuid uuidv4
        uuidv7 vector_type version
        """
    ),
    bare=words(
        """
        current_catalog current_date current_role current_schema current_time current_timestamp
        current_user localtime localtimestamp session_user user
        """
    ),
    clocks={"age": 2},
    effects=words(
        """
        add_parquet_key arrow_scan arrow_scan_dumb checkpoint collations copy_database
        create_external_resource current_setting currval database_list database_size
        deregister_external_resource destroy_external_resource disable_checkpoint_on_shutdown
        disable_logging disable_object_cache disable_optimizer disable_print_progress_bar
        disable_profile disable_profiling disable_progress_bar disable_verification
        disable_verify_parallelism duckdb_approx_database_count duckdb_available_metrics
        duckdb_columns duckdb_connection_count duckdb_constraints duckdb_coordinate_systems
        duckdb_databases duckdb_dependencies duckdb_dialects duckdb_eviction_queues
        duckdb_extension_repositories duckdb_extensions duckdb_external_file_cache
        duckdb_external_resource_types duckdb_external_resources duckdb_functions
        duckdb_grammar_extensions duckdb_indexes duckdb_keywords duckdb_log_contexts duckdb_logs
        duckdb_memory duckdb_optimizers duckdb_prepared_statements duckdb_schemas
        duckdb_secret_type_parameters duckdb_secret_types duckdb_secrets duckdb_sequences
        duckdb_settings duckdb_table_sample duckdb_tables duckdb_temporary_files duckdb_triggers
        duckdb_types duckdb_variables duckdb_views enable_checkpoint_on_shutdown enable_logging
        enable_object_cache enable_optimizer enable_print_progress_bar enable_profile
        enable_profiling enable_progress_bar enable_verification extension_versions force_checkpoint
        functions getenv getvariable glob icu_calendar_names import_database json_deserialize_sql
        json_execute_serialized_sql json_serialize_plan json_serialize_sql metadata_info nextval
        pandas_scan parquet_bloom_probe parquet_file_metadata parquet_full_metadata
        parquet_kv_metadata parquet_metadata parquet_scan parquet_schema pg_sleep pg_timezone_names
        platform pragma_collations pragma_database_size pragma_metadata_info pragma_platform
        pragma_show pragma_storage_info pragma_table_info pragma_user_agent pragma_version
        python_arrow_scan python_map_function query query_table read_blob read_csv read_csv_auto
        read_duckdb read_json read_json_auto read_json_objects read_json_objects_auto read_ndjson
        read_ndjson_auto read_ndjson_objects read_parquet read_single_csv_file read_single_json_file
        read_single_parquet_file read_text register_external_resource
        register_external_resource_type seq_scan setseed setval show show_databases show_tables
        show_tables_expanded sleep_ms sniff_csv stats storage_info table_info test_all_types
        test_vector_types truncate_duckdb_logs user_agent verify_parallelism which_secret write_log
        """
    ),
    growing=words(
        """
        array_resize bar format generate_series list_resize lpad printf range repeat repeat_row rpad
        """
    ),
    types=words(
        """
        bigint bit blob boolean bpchar char character date dec decimal double enum float hugeint int
        integer interval map numeric real smallint string struct text time timestamp timestamptz
        tinyint union varchar
        """
    ),
    read={
        **signatures("bool", "StartsWith EndsWith Contains PREFIX SUFFIX"),
        **signatures("bool", "RegexpFullMatch SimilarTo", expression=Need.REGULAR),
        **signatures("text", "Translate MD5"),
        **signatures("text", "SplitPart", part_index=Need.NOT_ZERO),
        **signatures("text", "Pad", expression=Need.NUMBER, fill_pattern=Need.FILLED),
        **signatures("text", "Repeat", times=Need.NUMBER),
        **signatures(
            "text", "RegexpReplace", expression=Need.REGULAR, replacement=Need.WORDS, modifiers=Need.FLAGS
        ),
        **signatures("text", "RegexpExtract", expression=Need.REGULAR, group=Need.NUMBER),
        **signatures("int", "Ascii Unicode Levenshtein"),
        **signatures("int", "Week DayOfYear", takes="dates"),
        **signatures("text", "Dayname Monthname", takes="dates"),
        **signatures("INTERVAL", "AGE", takes="dates"),
        **signatures("VARCHAR[]", "Split", strict=False),
        **signatures("a list", "Array", strict=False, takes="values"),
        **signatures("JSON", "TO_JSON JSON_ARRAY", strict=False, takes="values"),
        **signatures("JSON", "JSON_OBJECT", strict=False, takes="values", expressions=Need.KEYS),
    },
)
