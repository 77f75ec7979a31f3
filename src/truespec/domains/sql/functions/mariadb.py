"""MariaDB's functions: `information_schema.SQL_FUNCTIONS` of version 10.11, and its grammar's."""

from __future__ import annotations

from truespec.domains.sql.functions.catalogue import Functions, signatures, words

MARIADB = Functions(
    heads=frozenset({"SELECT", "VALUES", "WITH"}),
    pure=words(
        """
        abs acos add_months adddate addtime aes_decrypt aes_encrypt ascii asin atan atan2 avg bin
        bit_and bit_count bit_length bit_or bit_xor cast ceil ceiling char char_length
        character_length charset chr coalesce coercibility collation column_check column_exists
        column_json column_list compress concat concat_ws conv convert convert_tz cos cot count
        crc32 crc32c cume_dist date date_add date_format date_sub datediff day dayname dayofmonth
        dayofweek dayofyear decode degrees dense_rank elt encode exists exp export_set extract
        extractvalue field find_in_set first_value floor format from_base64 from_days from_unixtime
        get_format greatest group_concat grouping hex hour if ifnull inet6_aton inet6_ntoa inet_aton
        inet_ntoa insert instr interval is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 isnull
        json_array json_array_append json_array_insert json_arrayagg json_compact json_contains
        json_contains_path json_depth json_detailed json_equals json_exists json_extract json_insert
        json_keys json_length json_loose json_merge json_merge_patch json_merge_preserve
        json_normalize json_object json_objectagg json_overlaps json_pretty json_query json_quote
        json_remove json_replace json_search json_set json_table json_type json_unquote json_valid
        json_value lag last_day last_value lcase lead least left length lengthb ln locate log log10
        log2 lower lpad ltrim make_set makedate maketime max md5 median microsecond mid min minute
        mod month monthname name_const natural_sort_key nth_value ntile nullif nvl nvl2 oct
        octet_length old_password ord password percent_rank percentile_cont percentile_disc
        period_add period_diff pi point position pow power quarter quote radians rank regexp_instr
        regexp_replace regexp_substr repeat replace reverse right round row row_number rpad rtrim
        sec_to_time second sformat sha sha1 sha2 sign sin soundex space sqrt st_x st_y std stddev
        stddev_pop stddev_samp str_to_date strcmp subdate substr substring substring_index subtime
        sum tan time time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64
        to_char to_days to_seconds trim truncate ucase uncompress uncompressed_length unhex
        updatexml upper value values var_pop var_samp variance week weekday weekofyear weight_string
        year yearweek
        """
    ),
    impure=words(
        """
        connection_id curdate current_date current_role current_time current_timestamp current_user
        curtime database des_decrypt des_encrypt encrypt found_rows localtime localtimestamp now
        rand random_bytes row_count schema schemas session_user sys_guid sysdate system_user
        unix_timestamp user utc_date utc_time utc_timestamp uuid uuid_short version
        """
    ),
    bare=words(
        """
        current_date current_role current_time current_timestamp current_user localtime
        localtimestamp utc_date utc_time utc_timestamp
        """
    ),
    clocks={},
    effects=words(
        """
        benchmark binlog_gtid_pos decode_histogram get_lock is_free_lock is_used_lock last_insert_id
        lastval load_file master_gtid_wait master_pos_wait nextval release_all_locks release_lock
        setval sleep sys_eval sys_exec wsrep_last_seen_gtid wsrep_last_written_gtid
        wsrep_sync_wait_upto_gtid
        """
    ),
    growing=words(
        """
        format lpad repeat rpad space
        """
    ),
    types=words(
        """
        bigint binary bit blob char character datetime dec decimal double fixed float int integer
        mediumint nchar numeric real signed smallint text time timestamp tinyint unsigned varbinary
        varchar year
        """
    ),
    read={
        **signatures("text", "Stuff Elt RegexpReplace RegexpSubstr NumberToStr SHA SHA2", strict=False),
        **signatures("text", "Space Soundex CONV BIN OCT QUOTE TO_BASE64", strict=False),
        **signatures("int", "FIELD FIND_IN_SET STRCMP CRC32 ORD PERIOD_DIFF REGEXP_INSTR", strict=False),
        **signatures("int", "YEARWEEK UNIX_TIMESTAMP", strict=False, takes="dates"),
        **signatures("JSON", "JSON_ARRAY JSON_UNQUOTE JSON_QUOTE", strict=False),
        **signatures("int", "JSON_LENGTH JSON_VALID", strict=False),
    },
)
