"""SQLite's functions: `pragma_function_list` of version 3.40, and those of later manuals."""

from __future__ import annotations

from truespec.domains.sql.functions.catalogue import Functions, signatures, words

SQLITE = Functions(
    heads=frozenset({"SELECT", "VALUES", "WITH"}),
    pure=words(
        """
        abs acos acosh asin asinh atan atan2 atanh avg cast ceil ceiling char coalesce concat
        concat_ws cos cosh count cume_dist date datetime degrees dense_rank exp first_value floor
        format generate_series glob group_concat hex if ifnull iif instr json json_array
        json_array_length json_each json_error_position json_extract json_group_array
        json_group_object json_insert json_object json_patch json_pretty json_quote json_remove
        json_replace json_set json_tree json_type json_valid jsonb jsonb_array jsonb_extract
        jsonb_object jsonb_set julianday lag last_value lead length like likelihood likely ln log
        log10 log2 lower ltrim max median min mod nth_value ntile nullif octet_length percent_rank
        percentile percentile_cont percentile_disc pi pow power printf quote radians raise rank
        replace round row_number rtrim sign sin sinh soundex sqrt strftime string_agg substr
        substring sum tan tanh time timediff total trim trunc typeof unhex unicode unixepoch
        unlikely upper zeroblob
        """
    ),
    impure=words(
        """
        changes current_date current_time current_timestamp last_insert_rowid random randomblob
        sqlite_compileoption_get sqlite_compileoption_used sqlite_source_id sqlite_version
        total_changes
        """
    ),
    bare=words(
        """
        current_date current_time current_timestamp
        """
    ),
    clocks={
        "date": 1,
        "time": 1,
        "datetime": 1,
        "julianday": 1,
        "unixepoch": 1,
        "strftime": 2,
        "timediff": 2,
    },
    effects=words(
        """
        bm25 dbstat edit fts3_tokenizer fts5 fts5_source_id highlight load_extension matchinfo
        offsets optimize pragma_function_list pragma_table_info readfile rtreecheck rtreedepth
        rtreenode snippet sqlite_log sqlite_stmt subtype writefile
        """
    ),
    growing=words(
        """
        format generate_series printf zeroblob
        """
    ),
    types=words(
        """
        bigint blob boolean character clob date datetime decimal double float int integer mediumint
        nchar numeric nvarchar real smallint text tinyint varchar
        """
    ),
    read={
        **signatures("bool", "Glob"),
        **signatures("text", "PRINTF Format QUOTE", strict=False),
    },
)
