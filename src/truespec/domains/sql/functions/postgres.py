"""PostgreSQL's functions: `pg_proc` by volatility without internal ones, and the functions of its grammar."""

from __future__ import annotations

from truespec.domains.sql.functions.catalogue import Functions, Need, signatures, words

POSTGRES = Functions(
    heads=frozenset({"SELECT", "TABLE", "VALUES", "WITH"}),
    pure=words(
        """
        abbrev abs acldefault acos acosd acosh age any_value area array array_agg array_dims
        array_fill array_length array_lower array_ndims array_position array_positions array_remove
        array_replace array_reverse array_sort array_to_json array_to_string array_to_tsvector
        array_upper ascii asin asind asinh atan atan2 atan2d atand atanh avg bit bit_and bit_count
        bit_length bit_or bit_xor bool bool_and bool_or box bpchar broadcast btrim cardinality
        casefold cash_words cast cbrt ceil ceiling center char char_length character_length chr cidr
        circle coalesce collation concat concat_ws convert convert_from convert_to corr cos cosd
        cosh cot cotd count covar_pop covar_samp crc32 crc32c cume_dist date date_add date_bin
        date_part date_subtract date_trunc datemultirange daterange decode degrees dense_rank
        diagonal diameter div encode enum_first enum_last enum_range erf erfc every exists exp
        extract factorial family first_value float4 float8 floor format gamma gcd generate_series
        generate_subscripts get_bit get_byte greatest grouping height host hostmask initcap int2
        int4 int4multirange int4range int8 int8multirange int8range interval is_normalized isclosed
        isempty isfinite ishorizontal isopen isparallel isperp isvertical json_agg json_array
        json_array_elements json_array_elements_text json_array_length json_arrayagg
        json_build_array json_build_object json_each json_each_text json_exists json_object
        json_object_agg json_object_keys json_objectagg json_populate_record json_populate_recordset
        json_query json_scalar json_strip_nulls json_table json_to_record json_to_recordset
        json_to_tsvector json_typeof json_value jsonb_agg jsonb_array_elements
        jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
        jsonb_each_text jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg jsonb_object_keys
        jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query
        jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first
        jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record jsonb_populate_recordset
        jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset
        jsonb_to_tsvector jsonb_typeof justify_days justify_hours justify_interval lag last_value
        lcm lead least left length lgamma like like_escape line ln log log10 lower lower_inc
        lower_inf lpad lseg ltrim macaddr macaddr8 macaddr8_set7bit make_date make_interval
        make_time make_timestamp make_timestamptz makeaclitem masklen max md5 min min_scale mod mode
        money multirange name nameconcatoid netmask network normalize notlike npoints nth_value
        ntile nullif num_nonnulls num_nulls numeric nummultirange numnode numrange octet_length oid
        overlaps overlay parse_ident path pclose percent_rank percentile_cont percentile_disc
        pg_collation_for pg_column_size pg_lsn pg_size_bytes pg_size_pretty pg_typeof
        phraseto_tsquery pi plainto_tsquery point polygon popen position pow power quote_ident
        quote_literal quote_nullable radians radius range_agg range_intersect_agg range_merge rank
        regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace
        regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count
        regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right
        round row row_number row_to_json rows rpad rtrim scale set_bit set_byte set_masklen
        setweight sha224 sha256 sha384 sha512 sign similar_to_escape sin sind sinh slope split_part
        sqrt starts_with stddev stddev_pop stddev_samp string_agg string_to_array string_to_table strip strpos
        substr substring sum tan tand tanh text time timestamp timestamptz timetz timezone to_ascii
        to_char to_date to_hex to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector
        translate treat trim trim_array trim_scale trunc ts_debug ts_delete ts_filter ts_headline
        ts_lexize ts_parse ts_rank ts_rank_cd ts_token_type tsmultirange tsquery_phrase tsrange
        tstzmultirange tstzrange tsvector_to_array unistr unnest upper upper_inc upper_inf
        uuid_extract_timestamp uuid_extract_version var_pop var_samp varbit varchar variance
        websearch_to_tsquery width width_bucket xid xml xml_is_well_formed
        xml_is_well_formed_content xml_is_well_formed_document xmlagg xmlcomment xmlconcat
        xmlelement xmlexists xmlforest xmlparse xmlpi xmlroot xmlserialize xmltable xmlvalidate
        xpath xpath_exists
        """
    ),
    impure=words(
        """
        clock_timestamp current_catalog current_database current_date current_query current_role
        current_schema current_schemas current_time current_timestamp current_user gen_random_uuid
        get_current_ts_config getdatabaseencoding getpgusername inet_client_addr inet_client_port
        inet_server_addr inet_server_port localtime localtimestamp mxid_age now pg_backend_pid
        pg_client_encoding pg_conf_load_time pg_current_snapshot pg_current_xact_id
        pg_current_xact_id_if_assigned pg_my_temp_schema pg_postmaster_start_time pg_trigger_depth
        random random_normal row_security_active session_user statement_timestamp system_user
        timeofday transaction_timestamp txid_current txid_current_if_assigned txid_current_snapshot
        user version
        """
    ),
    bare=words(
        """
        current_catalog current_date current_role current_schema current_time current_timestamp
        current_user localtime localtimestamp session_user system_user user
        """
    ),
    clocks={"age": 2},
    effects=words(
        """
        aclexplode amvalidate binary_upgrade_create_empty_extension binary_upgrade_set_missing_value
        binary_upgrade_set_next_array_pg_type_oid binary_upgrade_set_next_heap_pg_class_oid
        binary_upgrade_set_next_heap_relfilenode binary_upgrade_set_next_index_pg_class_oid
        binary_upgrade_set_next_index_relfilenode
        binary_upgrade_set_next_multirange_array_pg_type_oid
        binary_upgrade_set_next_multirange_pg_type_oid binary_upgrade_set_next_pg_authid_oid
        binary_upgrade_set_next_pg_enum_oid binary_upgrade_set_next_pg_tablespace_oid
        binary_upgrade_set_next_pg_type_oid binary_upgrade_set_next_toast_pg_class_oid
        binary_upgrade_set_next_toast_relfilenode binary_upgrade_set_record_init_privs
        brin_desummarize_range brin_summarize_new_values brin_summarize_range col_description
        current_setting currtid2 currval cursor_to_xml cursor_to_xmlschema database_to_xml
        database_to_xml_and_xmlschema database_to_xmlschema dblink dblink_connect dblink_exec
        fmgr_c_validator fmgr_internal_validator fmgr_sql_validator format_type
        gin_clean_pending_list has_any_column_privilege has_column_privilege has_database_privilege
        has_foreign_data_wrapper_privilege has_function_privilege has_language_privilege
        has_parameter_privilege has_schema_privilege has_sequence_privilege has_server_privilege
        has_table_privilege has_tablespace_privilege has_type_privilege lastval lo_close lo_creat
        lo_create lo_export lo_from_bytea lo_get lo_import lo_lseek lo_lseek64 lo_open lo_put
        lo_tell lo_tell64 lo_truncate lo_truncate64 lo_unlink loread lowrite nextval obj_description
        pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_all
        pg_advisory_unlock_shared pg_advisory_xact_lock pg_advisory_xact_lock_shared
        pg_available_extension_versions pg_available_extensions pg_backup_start pg_backup_stop
        pg_blocking_pids pg_cancel_backend pg_char_to_encoding pg_collation_actual_version
        pg_collation_is_visible pg_column_compression pg_column_is_updatable pg_config
        pg_control_checkpoint pg_control_init pg_control_recovery pg_control_system
        pg_conversion_is_visible pg_copy_logical_replication_slot pg_copy_physical_replication_slot
        pg_create_logical_replication_slot pg_create_physical_replication_slot
        pg_create_restore_point pg_current_logfile pg_current_wal_flush_lsn
        pg_current_wal_insert_lsn pg_current_wal_lsn pg_cursor pg_database_collation_actual_version
        pg_database_size pg_describe_object pg_drop_replication_slot pg_encoding_to_char
        pg_event_trigger_ddl_commands pg_event_trigger_dropped_objects
        pg_event_trigger_table_rewrite_oid pg_event_trigger_table_rewrite_reason pg_export_snapshot
        pg_extension_config_dump pg_extension_update_paths pg_filenode_relation
        pg_function_is_visible pg_get_backend_memory_contexts pg_get_catalog_foreign_keys
        pg_get_constraintdef pg_get_expr pg_get_function_arg_default pg_get_function_arguments
        pg_get_function_identity_arguments pg_get_function_result pg_get_function_sqlbody
        pg_get_functiondef pg_get_indexdef pg_get_keywords pg_get_multixact_members
        pg_get_object_address pg_get_partition_constraintdef pg_get_partkeydef
        pg_get_publication_tables pg_get_replica_identity_index pg_get_replication_slots
        pg_get_ruledef pg_get_serial_sequence pg_get_shmem_allocations pg_get_statisticsobjdef
        pg_get_statisticsobjdef_columns pg_get_statisticsobjdef_expressions pg_get_triggerdef
        pg_get_userbyid pg_get_viewdef pg_get_wal_replay_pause_state pg_get_wal_resource_managers
        pg_has_role pg_hba_file_rules pg_ident_file_mappings pg_identify_object
        pg_identify_object_as_address pg_import_system_collations pg_index_column_has_property
        pg_index_has_property pg_indexam_has_property pg_indexam_progress_phasename pg_indexes_size
        pg_is_in_recovery pg_is_other_temp_schema pg_is_wal_replay_paused
        pg_isolation_test_session_is_blocked pg_jit_available pg_last_committed_xact
        pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp
        pg_listening_channels pg_lock_status pg_log_backend_memory_contexts pg_logdir_ls
        pg_logical_emit_message pg_logical_slot_get_binary_changes pg_logical_slot_get_changes
        pg_logical_slot_peek_binary_changes pg_logical_slot_peek_changes pg_ls_archive_statusdir
        pg_ls_dir pg_ls_logdir pg_ls_logicalmapdir pg_ls_logicalsnapdir pg_ls_replslotdir
        pg_ls_tmpdir pg_ls_waldir pg_mcv_list_items pg_nextoid pg_notification_queue_usage pg_notify
        pg_opclass_is_visible pg_operator_is_visible pg_opfamily_is_visible pg_options_to_table
        pg_partition_ancestors pg_partition_root pg_partition_tree pg_prepared_statement
        pg_prepared_xact pg_promote pg_read_binary_file pg_read_file pg_read_file_old
        pg_relation_filenode pg_relation_filepath pg_relation_is_publishable
        pg_relation_is_updatable pg_relation_size pg_reload_conf pg_replication_origin_advance
        pg_replication_origin_create pg_replication_origin_drop pg_replication_origin_oid
        pg_replication_origin_progress pg_replication_origin_session_is_setup
        pg_replication_origin_session_progress pg_replication_origin_session_reset
        pg_replication_origin_session_setup pg_replication_origin_xact_reset
        pg_replication_origin_xact_setup pg_replication_slot_advance pg_rotate_logfile
        pg_rotate_logfile_old pg_safe_snapshot_blocking_pids pg_sequence_last_value
        pg_sequence_parameters pg_settings_get_flags pg_show_all_file_settings pg_show_all_settings
        pg_show_replication_origin_status pg_sleep pg_sleep_for pg_sleep_until
        pg_stat_clear_snapshot pg_stat_file pg_stat_force_next_flush pg_stat_get_activity
        pg_stat_get_analyze_count pg_stat_get_archiver pg_stat_get_autoanalyze_count
        pg_stat_get_autovacuum_count pg_stat_get_backend_activity pg_stat_get_backend_activity_start
        pg_stat_get_backend_client_addr pg_stat_get_backend_client_port pg_stat_get_backend_dbid
        pg_stat_get_backend_idset pg_stat_get_backend_pid pg_stat_get_backend_start
        pg_stat_get_backend_userid pg_stat_get_backend_wait_event
        pg_stat_get_backend_wait_event_type pg_stat_get_backend_xact_start
        pg_stat_get_bgwriter_buf_written_checkpoints pg_stat_get_bgwriter_buf_written_clean
        pg_stat_get_bgwriter_maxwritten_clean pg_stat_get_bgwriter_requested_checkpoints
        pg_stat_get_bgwriter_stat_reset_time pg_stat_get_bgwriter_timed_checkpoints
        pg_stat_get_blocks_fetched pg_stat_get_blocks_hit pg_stat_get_buf_alloc
        pg_stat_get_buf_fsync_backend pg_stat_get_buf_written_backend
        pg_stat_get_checkpoint_sync_time pg_stat_get_checkpoint_write_time
        pg_stat_get_db_active_time pg_stat_get_db_blk_read_time pg_stat_get_db_blk_write_time
        pg_stat_get_db_blocks_fetched pg_stat_get_db_blocks_hit pg_stat_get_db_checksum_failures
        pg_stat_get_db_checksum_last_failure pg_stat_get_db_conflict_all
        pg_stat_get_db_conflict_bufferpin pg_stat_get_db_conflict_lock
        pg_stat_get_db_conflict_snapshot pg_stat_get_db_conflict_startup_deadlock
        pg_stat_get_db_conflict_tablespace pg_stat_get_db_deadlocks
        pg_stat_get_db_idle_in_transaction_time pg_stat_get_db_numbackends
        pg_stat_get_db_session_time pg_stat_get_db_sessions pg_stat_get_db_sessions_abandoned
        pg_stat_get_db_sessions_fatal pg_stat_get_db_sessions_killed pg_stat_get_db_stat_reset_time
        pg_stat_get_db_temp_bytes pg_stat_get_db_temp_files pg_stat_get_db_tuples_deleted
        pg_stat_get_db_tuples_fetched pg_stat_get_db_tuples_inserted pg_stat_get_db_tuples_returned
        pg_stat_get_db_tuples_updated pg_stat_get_db_xact_commit pg_stat_get_db_xact_rollback
        pg_stat_get_dead_tuples pg_stat_get_function_calls pg_stat_get_function_self_time
        pg_stat_get_function_total_time pg_stat_get_ins_since_vacuum pg_stat_get_last_analyze_time
        pg_stat_get_last_autoanalyze_time pg_stat_get_last_autovacuum_time
        pg_stat_get_last_vacuum_time pg_stat_get_live_tuples pg_stat_get_mod_since_analyze
        pg_stat_get_numscans pg_stat_get_progress_info pg_stat_get_recovery_prefetch
        pg_stat_get_replication_slot pg_stat_get_slru pg_stat_get_snapshot_timestamp
        pg_stat_get_subscription pg_stat_get_subscription_stats pg_stat_get_tuples_deleted
        pg_stat_get_tuples_fetched pg_stat_get_tuples_hot_updated pg_stat_get_tuples_inserted
        pg_stat_get_tuples_returned pg_stat_get_tuples_updated pg_stat_get_vacuum_count
        pg_stat_get_wal pg_stat_get_wal_receiver pg_stat_get_wal_senders
        pg_stat_get_xact_blocks_fetched pg_stat_get_xact_blocks_hit pg_stat_get_xact_function_calls
        pg_stat_get_xact_function_self_time pg_stat_get_xact_function_total_time
        pg_stat_get_xact_numscans pg_stat_get_xact_tuples_deleted pg_stat_get_xact_tuples_fetched
        pg_stat_get_xact_tuples_hot_updated pg_stat_get_xact_tuples_inserted
        pg_stat_get_xact_tuples_returned pg_stat_get_xact_tuples_updated pg_stat_have_stats
        pg_stat_reset pg_stat_reset_replication_slot pg_stat_reset_shared
        pg_stat_reset_single_function_counters pg_stat_reset_single_table_counters
        pg_stat_reset_slru pg_stat_reset_subscription_stats pg_statistics_obj_is_visible
        pg_stop_making_pinned_objects pg_switch_wal pg_table_is_visible pg_table_size
        pg_tablespace_databases pg_tablespace_location pg_tablespace_size pg_terminate_backend
        pg_timezone_abbrevs pg_timezone_names pg_total_relation_size pg_try_advisory_lock
        pg_try_advisory_lock_shared pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared
        pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible
        pg_ts_template_is_visible pg_type_is_visible pg_wal_replay_pause pg_wal_replay_resume
        pg_walfile_name pg_walfile_name_offset pg_xact_commit_timestamp
        pg_xact_commit_timestamp_origin pg_xact_status plpgsql_validator postgresql_fdw_validator
        query_to_xml query_to_xml_and_xmlschema query_to_xmlschema querytree regclass
        satisfies_hash_partition schema_to_xml schema_to_xml_and_xmlschema schema_to_xmlschema
        set_config setseed setval shobj_description table_to_xml table_to_xml_and_xmlschema
        table_to_xmlschema to_regclass to_regcollation to_regnamespace to_regoper to_regoperator
        to_regproc to_regprocedure to_regrole to_regtype ts_rewrite ts_stat txid_status
        """
    ),
    growing=words(
        """
        array_fill format generate_series lpad repeat rpad
        """
    ),
    types=words(
        """
        bit bpchar char character dec decimal float interval nchar numeric time timestamp
        timestamptz timetz varbit varchar varying zone
        """
    ),
    read={
        **signatures("bool", "StartsWith"),
        **signatures("bool", "RegexpILike", expression=Need.REGULAR),
        **signatures("bool", "SimilarTo", expression=Need.SIMILAR),
        **signatures("text", "Translate MD5 Initcap QUOTE_LITERAL"),
        **signatures("text", "SplitPart", part_index=Need.NOT_ZERO),
        **signatures("text", "Pad", expression=Need.NUMBER),
        **signatures("text", "Repeat", times=Need.NUMBER),
        **signatures(
            "text", "RegexpReplace", expression=Need.REGULAR, replacement=Need.WORDS, modifiers=Need.FLAGS
        ),
        **signatures("int", "Ascii BitLength OCTET_LENGTH"),
        **signatures("INTERVAL", "AGE", takes="dates"),
        **signatures("array", "Array", strict=False, takes="values"),
        **signatures("text[]", "StringToArray", strict=False),
        **signatures("json", "TO_JSON JSON_BUILD_ARRAY", strict=False, takes="values"),
        **signatures("jsonb", "TO_JSONB JSONB_BUILD_ARRAY", strict=False, takes="values"),
        **signatures("json", "JSON_BUILD_OBJECT", strict=False, takes="values", expressions=Need.KEYS),
        **signatures("jsonb", "JSONB_BUILD_OBJECT", strict=False, takes="values", expressions=Need.KEYS),
    },
)
