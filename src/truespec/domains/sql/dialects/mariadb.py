"""MariaDB 10.11 with its default collation and sql_mode, under the public name `mysql`."""

from __future__ import annotations

from truespec.domains.sql.dialects.dialect import DecimalCast, Dialect, Mixing, Patterns, Ungrouped

MARIADB = Dialect(
    name="mysql",
    # Types and values
    has_boolean_type=False,
    boolean_beside_number=Mixing.CONVERTED,
    numbers_typed_by_value=False,
    sum_of_integers_is_integer=True,
    nulls_are_untyped=False,
    untyped_nulls_become_text=False,
    char_is_padded=False,
    dates_are_texts=False,
    moments_have_precision=True,
    foreign_keys_compare_storage=True,
    expressions_lose_type=True,
    enum_is_number=True,
    # Texts
    collation_merges_texts=True,
    literals_take_type=False,
    cast_settles_literal=False,
    text_literals_convert=True,
    text_columns_convert=True,
    texts_compute_as_fractions=True,
    list_shares_comparison=True,
    like_may_fail=False,
    regular_expressions=Patterns.ALL,
    functions_of_shown_types_read=False,
    # Arithmetic
    errors_raise=False,
    division_truncates=False,
    div_is_numeric=False,
    round_keeps_integers=True,
    floor_of_fraction_is_integer=True,
    floor_of_integer_is_integer=True,
    decimal_cast=DecimalCast.CLAMPED,
    bare_decimal_keeps_number=False,
    # Dates
    intervals_read=True,
    shifted_dates_stay_dates=True,
    shifted_texts_stay_texts=True,
    intervals_default_to_days=True,
    dates_count_days=False,
    datediff_counts_days=True,
    dates_compute_as_numbers=True,
    mixed_branches_are_texts=True,
    greatest_skips_nulls=False,
    extract_is_numeric=False,
    extract_of_null_is_double=False,
    parser_renames_timestamp=False,
    # Casts
    casts_not_read=frozenset({"NCHAR", "NVARCHAR"}),
    null_casts_not_read=frozenset({"NCHAR", "NVARCHAR", "BOOLEAN"}),
    moment_precision_not_read=True,
    # Names and clauses
    has_isnull_function=True,
    derived_names_unique=True,
    outer_join_needs_condition=True,
    merged_columns_first=True,
    using_follows_left_table=True,
    right_join_reorders_merged=True,
    names_prefer_outputs=True,
    ambiguous_group_name_is_output=True,
    group_name_of_both_read=True,
    having_filters_rows=True,
    is_compares_values=False,
    parenthesised_query_is_value=False,
    ungrouped=Ungrouped.ANY_ROW,
    bit_aggregates_read=False,
)
