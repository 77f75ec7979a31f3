"""PostgreSQL."""

from __future__ import annotations

from truespec.domains.sql.dialects.dialect import DecimalCast, Dialect, Mixing, Patterns, Ungrouped

POSTGRES = Dialect(
    name="postgres",
    # Types and values
    has_boolean_type=True,
    boolean_beside_number=Mixing.REFUSED,
    numbers_typed_by_value=False,
    sum_of_integers_is_integer=False,
    nulls_are_untyped=False,
    untyped_nulls_become_text=True,
    char_is_padded=True,
    dates_are_texts=False,
    moments_have_precision=False,
    foreign_keys_compare_storage=False,
    expressions_lose_type=False,
    enum_is_number=False,
    # Texts
    collation_merges_texts=False,
    literals_take_type=True,
    cast_settles_literal=True,
    text_literals_convert=True,
    text_columns_convert=False,
    texts_compute_as_fractions=False,
    list_shares_comparison=False,
    like_may_fail=True,
    regular_expressions=Patterns.PLAIN,
    functions_of_shown_types_read=True,
    # Arithmetic
    errors_raise=True,
    division_truncates=True,
    div_is_numeric=True,
    round_keeps_integers=False,
    floor_of_fraction_is_integer=False,
    floor_of_integer_is_integer=False,
    decimal_cast=DecimalCast.ROUNDED,
    bare_decimal_keeps_number=True,
    # Dates
    intervals_read=True,
    shifted_dates_stay_dates=False,
    shifted_texts_stay_texts=False,
    intervals_default_to_days=False,
    dates_count_days=True,
    datediff_counts_days=False,
    dates_compute_as_numbers=False,
    mixed_branches_are_texts=False,
    greatest_skips_nulls=True,
    extract_is_numeric=True,
    extract_of_null_is_double=False,
    parser_renames_timestamp=False,
    # Casts
    casts_not_read=frozenset({"CHAR", "NCHAR", "BPCHAR", "NAME"}),
    null_casts_not_read=frozenset({"BPCHAR", "NAME"}),
    moment_precision_not_read=False,
    # Names and clauses
    has_isnull_function=False,
    derived_names_unique=False,
    outer_join_needs_condition=True,
    merged_columns_first=True,
    using_follows_left_table=False,
    right_join_reorders_merged=False,
    names_prefer_outputs=False,
    ambiguous_group_name_is_output=False,
    group_name_of_both_read=True,
    having_filters_rows=False,
    is_compares_values=False,
    parenthesised_query_is_value=False,
    ungrouped=Ungrouped.DETERMINED,
    bit_aggregates_read=True,
)
