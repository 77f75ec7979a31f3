"""SQLite."""

from __future__ import annotations

from truespec.domains.sql.dialects.dialect import DecimalCast, Dialect, Mixing, Patterns, Ungrouped

SQLITE = Dialect(
    name="sqlite",
    # Types and values
    has_boolean_type=False,
    boolean_beside_number=Mixing.CONVERTED,
    numbers_typed_by_value=True,
    sum_of_integers_is_integer=True,
    nulls_are_untyped=True,
    untyped_nulls_become_text=False,
    char_is_padded=False,
    dates_are_texts=True,
    moments_have_precision=False,
    foreign_keys_compare_storage=False,
    expressions_lose_type=False,
    enum_is_number=False,
    # Texts
    collation_merges_texts=False,
    literals_take_type=False,
    cast_settles_literal=False,
    text_literals_convert=False,
    text_columns_convert=False,
    texts_compute_as_fractions=False,
    list_shares_comparison=False,
    like_may_fail=False,
    regular_expressions=Patterns.ALL,
    functions_of_shown_types_read=True,
    # Arithmetic
    errors_raise=False,
    division_truncates=True,
    div_is_numeric=False,
    round_keeps_integers=False,
    floor_of_fraction_is_integer=False,
    floor_of_integer_is_integer=True,
    decimal_cast=DecimalCast.BY_VALUE,
    bare_decimal_keeps_number=False,
    # Dates
    intervals_read=False,
    shifted_dates_stay_dates=False,
    shifted_texts_stay_texts=False,
    intervals_default_to_days=False,
    dates_count_days=False,
    datediff_counts_days=False,
    dates_compute_as_numbers=False,
    mixed_branches_are_texts=False,
    greatest_skips_nulls=False,
    extract_is_numeric=False,
    extract_of_null_is_double=False,
    parser_renames_timestamp=False,
    # Casts
    casts_not_read=frozenset(),
    null_casts_not_read=frozenset(),
    moment_precision_not_read=False,
    # Names and clauses
    has_isnull_function=False,
    derived_names_unique=False,
    outer_join_needs_condition=True,
    merged_columns_first=False,
    using_follows_left_table=False,
    right_join_reorders_merged=False,
    names_prefer_outputs=False,
    ambiguous_group_name_is_output=False,
    group_name_of_both_read=False,
    having_filters_rows=False,
    is_compares_values=True,
    parenthesised_query_is_value=True,
    ungrouped=Ungrouped.DETERMINED,
    bit_aggregates_read=True,
)
