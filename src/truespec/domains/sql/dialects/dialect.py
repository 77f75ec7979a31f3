"""The questions that every dialect answers, for the reading of queries into bags.

A field says what an engine does, or where it says so what this project reads of it. No field has a default: a
new dialect answers each of them. Code asks for a field and never for a dialect's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from sqlglot import exp


class Mixing(Enum):
    """What becomes of a Boolean beside a number."""

    CONVERTED = "converted"
    """The Boolean is 1 or 0."""
    REFUSED = "refused"
    """The engine reports a type error."""
    NOT_READ = "not read"
    """The engine converts by rules that are not modelled."""


class Ungrouped(Enum):
    """What an output column is that is no group key and no aggregate."""

    ANY_ROW = "any row"
    """Its value in some row of the group, as the engine chooses."""
    DETERMINED = "determined"
    """Read only where all rows of the group share its value."""
    NOT_READ = "not read"
    """Refused."""


class Patterns(Enum):
    """Which regular expressions are read."""

    ALL = "all"
    """No text makes the operator fail."""
    PLAIN = "plain"
    """Literals that surely are regular expressions: any other text may be an error."""


class DecimalCast(Enum):
    """What CAST to DECIMAL makes of a number."""

    CLAMPED = "clamped"
    """The nearest number that fits."""
    BY_VALUE = "by value"
    """The number as it is, whatever the digits."""
    ROUNDED = "rounded"
    """The number rounded to the scale; one that does not fit is an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One dialect, as its real engine implements it."""

    name: str
    """Its public name, which is the parser's name for it too."""

    # Types and values

    has_boolean_type: bool
    """Whether Boolean is a type of its own; else it is the number 1 or 0, and any number is a condition."""
    boolean_beside_number: Mixing
    """What becomes of a Boolean that is compared, computed or united with a number."""
    numbers_typed_by_value: bool
    """Whether each number is an integer or a fraction on its own, whatever its column's type."""
    sum_of_integers_is_integer: bool
    """Whether SUM of integers has an integer type."""
    nulls_are_untyped: bool
    """Whether a NULL has no type, even as an output column."""
    untyped_nulls_become_text: bool
    """Whether a column of NULLs without a type is a column of texts for the enclosing query."""
    char_is_padded: bool
    """Whether a value of CHAR(n) is its text without the blanks at its end."""
    dates_are_texts: bool
    """Whether columns of dates and times hold texts, or numbers where a text is written like one."""
    moments_have_precision: bool
    """Whether the type of a moment says how many digits of a second it keeps, and its text shows them."""
    foreign_keys_compare_storage: bool
    """Whether a foreign key compares what is stored, which types of different sizes store differently."""
    expressions_lose_type: bool
    """Whether an expression over an ENUM, or over a type that is shown only, is a text for ORDER BY."""
    enum_is_number: bool
    """Whether a function that wants a number reads the position of an ENUM's member."""

    counting_types: Mapping[str, str]
    """Types that stand for a number that is never NULL and has a default, and the type of that number."""
    identity_columns: bool
    """Whether GENERATED ... AS IDENTITY is read: a number that is never NULL, which INSERT may overrule."""

    types_are_affinities: bool
    """Whether a column holds values of any type, unless its table is STRICT, and may have no type."""
    types_compared_otherwise: frozenset[str]
    """Types, by the parser's names, whose `=` is neither identity nor that of their family."""
    zoned_moment_is_moment: bool
    """Whether the type that the parser calls TIMESTAMPTZ has no zone of its own."""
    timestamp_range_is_narrow: bool
    """Whether TIMESTAMP ends in 2038."""
    enum_members_trimmed: bool
    """Whether blanks at the end of an ENUM's members are dropped."""
    dates_may_be_infinite: bool
    """Whether a column of dates may hold `infinity`."""
    dates_may_be_zero: bool
    """Whether a column of dates may hold days that no calendar has, such as `0000-00-00`."""
    infinite_kinds: frozenset[str]
    """Kinds of columns, by their values, that may hold infinities or NaN."""

    # Texts

    usual_collations: frozenset[str]
    """Collations, in lower case, by which texts compare as without one, in a database of the locale C."""
    collations_of_columns: frozenset[str]
    """Character sets and collations, in lower case, in which a column compares texts as without one."""
    other_collations_are_shown: bool
    """Whether columns of any other collation are read, as values that are shown only."""
    collation_decides_case: bool
    """Whether LOWER, ILIKE and the like depend on the collation of a text."""
    collation_merges_texts: bool
    """Whether the default collation calls texts equal that differ by case or by blanks at the end."""
    literals_take_type: bool
    """Whether a text literal takes the type of what stands beside it."""
    cast_settles_literal: bool
    """Whether a literal under a CAST, or put out by a query, no longer takes another type."""
    text_literals_convert: bool
    """Whether a text literal beside a number or a date is read as one."""
    text_columns_convert: bool
    """Whether any text beside a number is read as one."""
    texts_compute_as_fractions: bool
    """Whether arithmetic makes a fraction of a text or a NULL."""
    list_shares_comparison: bool
    """Whether IN and BETWEEN choose one way of comparing for all their operands."""
    like_is_exact: bool
    """Whether LIKE compares characters one by one, as `=` compares texts."""
    like_folds_letters: bool
    """Whether LIKE takes the letters A to Z for those in lower case, and compares all else exactly."""
    ilike_lowers: bool
    """Whether ILIKE is LIKE of both sides in lower case, as LOWER writes them."""
    texts_end_at_nul: bool
    """Whether functions of texts read no further than the character of code 0."""
    like_may_fail: bool
    """Whether a pattern of LIKE that ends in a backslash is an error."""
    regular_expressions: Patterns
    """Which regular expressions are read."""
    functions_of_shown_types_read: bool
    """Whether functions of values of types that are shown only are read, as unknown functions."""

    texts_beyond_plane_read: bool
    """Whether texts with characters beyond U+FFFF are read."""
    regular_expression_binds_as_concatenation: bool
    """Whether `~` binds like `||`."""
    like_has_operator: bool
    """Whether `~~` stands for LIKE, and LIKE may be called as a function."""
    arrows_bind_as_concatenation: bool
    """Whether `->` and `->>` bind like `||`."""
    documents: tuple[str, ...]
    """Types of JSON documents any part of which can be read.

    PostgreSQL's JSON keeps escapes that no text has, such as `\\u0000`, and fails where it reads beside them.
    """
    tilde_depends_on_version: bool
    """Whether `~` means something else from version to version."""
    formats_have_letters: bool
    """Whether formats are written YYYY, which the parser turns into `%Y`; DATE_PART is then a DOUBLE."""
    years_beyond_four_digits: bool
    """Whether there are dates before the year 1 or after 9999, whose texts sort in another order."""

    # Arithmetic

    errors_raise: bool
    """Whether a division by zero, and the like, is a run-time error; else the result is NULL."""
    quotients_may_be_infinite: bool
    """Whether `/` by zero is an infinity or no number, which is not read, and stops no query."""
    has_sql_mode: bool
    """Whether sessions have a `sql_mode`, which the settings of a context may name."""
    division_truncates: bool
    """Whether `/` of two integers is an integer."""
    div_is_numeric: bool
    """Whether the result of integer division has the type NUMERIC."""
    round_keeps_integers: bool
    """Whether ROUND of an integer is an integer."""
    floor_of_fraction_is_integer: bool
    """Whether FLOOR and CEILING of a fraction have an integer type."""
    floor_of_integer_is_integer: bool
    """Whether FLOOR and CEILING of an integer have an integer type."""
    decimal_cast: DecimalCast
    """What CAST to DECIMAL makes of a number."""
    bare_decimal_keeps_number: bool
    """Whether CAST to DECIMAL without digits keeps every digit."""

    divides_in_binary: bool
    """Whether divisions and averages are computed in binary."""
    computes_in_binary: bool
    """Whether all fractions are binary, and large integers become binary too."""
    rounds_by_type: bool
    """Whether ROUND treats the halves of DOUBLE and DECIMAL differently."""
    doubles_from_texts: bool
    """Whether texts in arithmetic, numbers with an exponent and functions such as SQRT are DOUBLE."""
    doubles_from_integers: bool
    """Whether CEIL, FLOOR and ROUND of an integer are DOUBLE."""
    division_digits_set_by_session: bool
    """Whether the session says how many digits a division adds."""
    bits_have_no_sign: bool
    """Whether the bits of two integers make a number without a sign."""
    mod_function_is_fraction: bool
    """Whether MOD(a, b) is a fraction where `%` of integers is an integer."""
    to_exact_digits: Callable[[exp.Expr], exp.Expr]
    """A number as one of the type that rounds to a number of digits."""
    cut_to_digits: Callable[[exp.Expr, exp.Expr], exp.Expr]
    """A number without the digits behind so many of them."""
    decimals_keep_their_digits: bool
    """Whether decimals that are equal may have more or fewer zeros at their end."""
    told_apart: Callable[[exp.Expr], exp.Expr]
    """A text of a value by which it can be told from others that are equal."""
    failing: Callable[[exp.Expr], exp.Expr]
    """An expression whose evaluation fails, made of a value so that no planner evaluates it early."""

    # Dates

    intervals_read: bool
    """Whether dates moved by intervals are read."""
    shifted_dates_stay_dates: bool
    """Whether a date moved by days is a date; else it is a moment."""
    shifted_texts_stay_texts: bool
    """Whether a text that is a date, moved by an interval, is a text again."""
    intervals_default_to_days: bool
    """Whether DATE_ADD without a unit, and ADDDATE of a number, count days."""
    dates_count_days: bool
    """Whether a date plus a number is a date, and the difference of two dates is a number of days."""
    median_of_fractions_is_mean: bool
    """Whether the median of two fractions is their mean; else it keeps to their digits."""
    has_ranges: bool
    """Whether DATERANGE and TSRANGE make ranges, and `&&` and OVERLAPS say whether two overlap."""
    moments_differ_by_spans: bool
    """Whether a moment minus a moment is an interval of days and a time of day (`ir/spans.py`)."""
    datediff_counts_days: bool
    """Whether DATEDIFF(a, b) is the number of days from b to a."""
    datediff_counts_boundaries: bool
    """Whether DATEDIFF(unit, a, b) counts the units that begin after a, up to b."""
    truncated_date_is_zoned: bool
    """Whether DATE_TRUNC of a DATE is a moment with a zone, and that of a TIMESTAMP one without."""
    dates_compute_as_numbers: bool
    """Whether a date beside a number is YYYYMMDD in arithmetic; in comparisons the number is a moment."""
    mixed_branches_are_texts: bool
    """Whether a CASE whose branches are dates, integers and texts, two of them at least, is a text."""
    greatest_skips_nulls: bool
    """Whether GREATEST and LEAST leave NULLs out; else one NULL makes the result NULL."""
    extract_is_numeric: bool
    """Whether EXTRACT has the type NUMERIC."""
    extract_of_null_is_double: bool
    """Whether EXTRACT of a NULL is a DOUBLE, whatever the part."""
    parser_renames_timestamp: bool
    """Whether the parser calls the type TIMESTAMP `TIMESTAMPNTZ`."""

    number_of_sunday: int
    """What DAYOFWEEK is of a Sunday; the days that follow have the next numbers."""
    date_format_letters: frozenset[str]
    """Letters of date formats, as the parser writes them, that each stand for one letter of the text."""
    plain_format_letters: frozenset[str]
    """Letters that stand for themselves in a date format, and that the parser writes for others."""
    interval_units: frozenset[str]
    """Units behind the quotes of an interval; any other word there is an alias. Empty where none follows."""

    # Casts

    casts_cut: bool
    """Whether CAST of a fraction to an integer cuts it; else it rounds."""
    casts_not_read: frozenset[str]
    """Types, by the parser's names, to which a text is not cast here."""
    null_casts_not_read: frozenset[str]
    """Types, by the parser's names, to which a NULL is not cast here."""
    moment_precision_not_read: bool
    """Whether CAST of a NULL to a moment with a precision is not read."""

    # Names and clauses

    has_isnull_function: bool
    """Whether ISNULL(x) tests for NULL."""
    derived_names_unique: bool
    """Whether the column names of a derived table have to differ."""
    outer_join_needs_condition: bool
    """Whether LEFT, RIGHT and FULL JOIN have to have a condition."""
    merged_columns_first: bool
    """Whether columns merged by USING or NATURAL come first; else they keep their place on the left."""
    merged_columns_have_common_type: bool
    """Whether a column merged by USING or NATURAL has the type in which both sides meet; else that of one."""
    using_follows_left_table: bool
    """Whether columns named in USING come in the order of the left table; else in that of the list."""
    right_join_reorders_merged: bool
    """Whether RIGHT JOIN with USING or NATURAL orders columns as the right table does, which is not read."""
    names_prefer_outputs: bool
    """Whether keys of GROUP BY, HAVING, ORDER BY and windows look a bare name up among the outputs first."""
    ambiguous_group_name_is_output: bool
    """Whether GROUP BY takes a name of several columns for the one output of that name."""
    group_name_of_both_read: bool
    """Whether GROUP BY a name that is a column and another output is read, as the column."""
    names_in_expressions_are_columns: bool
    """Whether a name in HAVING, or in an expression of ORDER BY, is the column where an output has it too."""
    groups_by_all_outputs: bool
    """Whether GROUP BY ALL groups by the outputs that hold no aggregate."""
    having_filters_rows: bool
    """Whether HAVING in a query without groups is a second WHERE over the output names."""
    is_compares_values: bool
    """Whether IS compares any two values, NULLs being equal."""
    recursion_cuts_texts: bool
    """Whether the texts of a recursive WITH have the length of its first part's at most."""
    parenthesised_query_is_value: bool
    """Whether IN ((SELECT ...)) takes the query for one value."""
    ungrouped: Ungrouped
    """What a column is that is neither a group key nor aggregated."""
    lists_have_length: bool
    """Whether LENGTH of a list is the number of its elements."""
    lists_are_written_in_braces: bool
    """Whether the text of a list is `{1, 2}`; else it is `[1, 2]`."""
    case_is_of_ascii: bool
    """Whether LOWER and UPPER change ASCII letters alone, each into one letter."""
    value_is_first_row: bool
    """Whether a subquery of several rows has the value of the first; else it fails."""
    joined_list_is_null: bool
    """Whether ARRAY_TO_STRING of NULLs alone is NULL, as STRING_AGG is; else it is an empty text."""
    bit_aggregates_read: bool
    """Whether BIT_AND and the like are read, as unknown functions."""
    longest_name: int
    """Bytes after which a name is cut, or no name is read."""
    quoted_names_keep_case: bool
    """Whether the case of a quoted name counts."""
    names_not_columns: frozenset[str]
    """Words that are no columns where they are not quoted, besides functions without parentheses."""
    truths_may_be_columns: bool
    """Whether TRUE and FALSE are columns where there are columns of these names."""
    system_columns: frozenset[str]
    """Columns that tables have without declaring them."""
    quoted_names_may_be_texts: bool
    """Whether a name in double quotes that nothing is called is a text."""
    texts_may_name_texts: bool
    """Whether a text behind a text is its name."""
    null_tests_are_names: bool
    """Whether ISNULL and NOTNULL without parentheses are names."""
    columns_of_values_are_named: bool
    """Whether the columns of VALUES are called column1, column2, ..."""
    comma_binds_as_join: bool
    """Whether a comma in FROM binds as tightly as JOIN."""
    on_sees_outputs: bool
    """Whether the condition of a join sees the query's outputs."""
    tables_are_values: bool
    """Whether the name of a table stands for its row."""
    qualifiers_may_be_columns: bool
    """Whether the name before a dot may be a column."""
    has_full_join: bool
    """Whether FULL JOIN is a join."""
    common_tables_may_be_passed_by: bool
    """Whether a WITH may read the table instead of another WITH of that name."""
    tuples_compare_as_wholes: bool
    """Whether NULL equals NULL inside tuples that are compared."""
    windows_prefer_outputs: bool
    """Whether a window's ORDER BY takes an output before the column of that name."""
    ungrouped_is_refused: bool
    """Whether a column that is no group key is refused unless a primary key determines it."""

    # Texts of schemas and rows

    quotes_names_by: str
    """The sign around a quoted name."""
    unquoted_names_fold: bool
    """Whether a name without quotes is another one than the same name in quotes."""
    backslash_escapes: bool
    """Whether a backslash in a text literal is written twice."""
    nullable_is_written: bool
    """Whether a column that may be NULL says so, lest the engine make it NOT NULL."""
    references_need_index: bool
    """Whether columns that a foreign key refers to need an index."""
    references_find_own_rows: bool
    """Whether what a row refers to in its own table may be a row of the same INSERT."""
