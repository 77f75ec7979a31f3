"""The strategies of the prover: tactics of the library, each with its time and with what it is for."""

from __future__ import annotations

from dataclasses import dataclass

LISTS = ("type list", "type string", "index", "membership", "functions", "parts", "order", "ranges")
"""Features of pairs (`ordering.py`) that speak of lists."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A tactic of the library."""

    name: str
    """Its name."""
    seconds: float
    """The processor seconds it may use in the second round."""
    glance: float = 0.2
    """Those in the first: most proofs are found in less."""
    expected: float = 0.1
    """The share of pairs that it is expected to prove, as long as that was not counted."""
    use: tuple[str, ...] = ()
    """Features: where a pair has none of them, the strategy comes last; empty: of use everywhere."""
    made_for: tuple[str, ...] = ()
    """Features: where a pair has all of them, the strategy comes first; elsewhere it gives up at once."""
    as_stated: bool = False
    """Whether it needs all variables free or the names of definitions: it leaves premises where they are."""


STRATEGIES: tuple[Strategy, ...] = (
    Strategy("by_computation", 0.3),
    Strategy("by_normal_form", 0.3),
    Strategy("by_descent", 0.7),
    Strategy("by_recursion", 0.5, use=("functions", "parts", "recursion")),
    Strategy("by_ground", 0.8),
    Strategy("by_values", 0.4),
    Strategy("by_structure", 0.8, glance=0.4),
    Strategy("by_forms", 3.0),
    Strategy("by_functions", 0.5, use=("functions", "parts", "recursion")),
    Strategy("by_matches", 0.5),
    Strategy("by_descent_cases", 0.6, use=("type bool", "type option", "type pair")),
    Strategy("by_index", 0.7, use=LISTS),
    Strategy("by_closed_form", 0.4),
    Strategy("by_ground_indices", 1.0, use=LISTS),
    Strategy("by_nonlinear", 0.3),
    Strategy("by_induction", 0.6),
    Strategy("by_two_steps", 0.3, use=("recursion",)),
    Strategy("by_evidence", 0.4, use=("inductive",)),
    Strategy("by_witness", 0.5),
    Strategy("by_substitution", 0.3),
    Strategy("by_search_cases", 0.6, use=("type bool", "type option", "type pair")),
    Strategy("by_elements", 0.3, use=LISTS),
    Strategy("by_indices", 0.6, use=LISTS),
    Strategy("by_shifted_index", 0.5, use=LISTS),
    Strategy("by_given_value", 0.4),
    Strategy("by_two_lists", 0.3, use=LISTS),
    Strategy("by_cases", 0.4),
    Strategy("by_extension", 0.4, use=LISTS),
    Strategy("by_plain_ground", 0.5),
    Strategy("by_quotients", 0.5, use=("divisibility", "product", "quotient")),
    Strategy("by_list_cases", 0.4, use=LISTS),
    Strategy("by_search", 0.5),
    Strategy("by_nonlinear_search", 0.6),
    Strategy("by_enumeration", 0.6),
    Strategy("by_output", 1.0),
    Strategy("by_ends", 0.6, use=LISTS),
    Strategy("by_first_elements", 0.6, use=LISTS),
    Strategy("by_rows", 0.6, use=LISTS),
    Strategy("by_tables", 0.4, use=("cases", "inductive")),
    Strategy("by_steps", 0.8, use=("recursion",), as_stated=True),
    Strategy("by_derivation", 0.5, use=("inductive",)),
    Strategy("by_divisors", 0.6, use=("divisibility", "product", "quotient")),
    Strategy("by_roots", 0.5, use=("divisibility", "product", "quotient")),
    Strategy("by_calls", 0.4, use=("type function",)),
    Strategy("by_places", 0.4, use=LISTS),
    Strategy("by_heads", 0.3, expected=0.25, use=LISTS, as_stated=True),
    Strategy("by_normal_heads", 0.4, expected=0.2, use=LISTS, as_stated=True),
    Strategy("by_letters", 0.3, use=("type ascii",), made_for=("type ascii",)),
    Strategy("by_texts", 0.4, glance=0.4, use=("type string",), made_for=("type string",)),
    Strategy("by_cuts", 0.4, use=LISTS, made_for=("exists", "parts")),
    Strategy("by_mirror", 0.2, use=LISTS),
    Strategy("by_factors", 0.2, use=("divisibility", "product", "quotient")),
    Strategy(
        "by_scans",
        0.9,
        glance=0.55,
        use=("functions", "parts", "recursion"),
        made_for=("recursion",),
        as_stated=True,
    ),
    Strategy("by_sorting", 0.5, use=LISTS, made_for=("order", "type list")),
    Strategy("by_orders", 0.3, use=LISTS, made_for=("order",)),
    Strategy("by_parts", 0.6, glance=0.5, use=LISTS),
    Strategy("by_ranges", 0.4, use=("product", "ranges"), made_for=("ranges",)),
    Strategy("by_two_scans", 0.3, use=("recursion",), as_stated=True),
    Strategy("by_remainders", 0.3, use=("divisibility",), made_for=("cases", "divisibility")),
    Strategy("by_bounds", 0.4, expected=0.2, use=("integers",)),
    Strategy("by_codes", 0.5, glance=0.5, use=("type ascii",)),
    Strategy("by_logic", 0.4, expected=0.25),
    Strategy("by_multiplicity", 0.5, expected=0.3, use=("order",)),
    Strategy("by_matching", 0.8, expected=0.2, use=("exists",)),
    Strategy("by_appends", 0.4, expected=0.4, use=("parts",)),
    Strategy("by_ordering", 0.5, glance=0.4, expected=0.4, use=("order",)),
    Strategy("by_flattening", 0.4),
    Strategy("by_pairs", 0.4, expected=0.3, use=("functions", "parts", "recursion")),
    Strategy("by_conditions", 0.6, expected=0.3, use=("cases",)),
    Strategy(
        "by_folds",
        0.5,
        glance=0.6,
        expected=0.8,
        use=("cases", "functions", "parts", "recursion"),
        made_for=("functions",),
    ),
    Strategy("by_readings", 1.0, glance=0.4, expected=0.6, use=("cases", "functions", "parts", "recursion")),
    Strategy("by_returns", 0.5, expected=0.2, use=("cases",)),
    Strategy(
        "by_found",
        0.8,
        glance=0.5,
        expected=0.3,
        use=("functions", "recursion"),
        made_for=("index", "membership", "recursion"),
    ),
    Strategy("by_positions", 0.6, glance=0.4, expected=0.3, use=("index", "parts")),
    Strategy("by_pointwise", 0.8, glance=0.3, expected=0.2, use=("index", "parts")),
    Strategy(
        "by_letter_places",
        2.0,
        glance=1.5,
        expected=0.4,
        use=("type string",),
        made_for=("index", "type string"),
    ),
    Strategy(
        "by_premises",
        0.6,
        glance=0.3,
        expected=0.2,
        use=("functions", "parts", "recursion"),
        made_for=("parts", "recursion"),
    ),
    Strategy(
        "by_tabulation", 0.6, glance=0.3, expected=0.2, use=("recursion",), made_for=("index", "recursion")
    ),
    Strategy("by_two_values", 0.3, expected=0.1, use=("recursion",), made_for=("recursion", "type nat")),
    Strategy(
        "by_states", 0.4, glance=0.3, expected=0.1, use=("functions",), made_for=("functions", "recursion")
    ),
    Strategy(
        "by_members", 0.7, glance=0.4, expected=0.2, use=("recursion",), made_for=("membership", "recursion")
    ),
    Strategy(
        "by_extremes", 0.6, glance=0.3, expected=0.2, use=("functions",), made_for=("extremes", "functions")
    ),
    Strategy(
        "by_number_orders",
        1.0,
        glance=0.8,
        expected=0.2,
        use=("cases", "extremes"),
        made_for=("extremes", "integers"),
    ),
    Strategy("by_zero_or_next", 0.6, glance=0.3, expected=0.2, use=("type nat",)),
    Strategy("by_pushed", 0.3, expected=0.1, use=("recursion",)),
    Strategy("by_neighbours", 0.5, glance=0.3, expected=0.5, use=("index", "order")),
    Strategy("by_parity", 0.4, expected=0.05, use=("recursion",)),
    Strategy(
        "by_common_divisors",
        1.6,
        glance=1.5,
        expected=0.4,
        use=("common divisors",),
        made_for=("common divisors",),
    ),
    Strategy("by_euclid", 0.5, glance=0.3, expected=0.3, use=("division", "product"), made_for=("division",)),
    Strategy("by_loops", 0.5, glance=0.35, expected=0.3, use=("recursion", "functions")),
    Strategy("by_options", 1.5, glance=1.0, expected=0.5, use=("index",), made_for=("index",)),
    Strategy(
        "by_given", 0.8, glance=0.4, expected=0.4, use=("premises",), made_for=("premises", "type list")
    ),
    Strategy(
        "by_told",
        1.2,
        glance=0.8,
        expected=0.4,
        use=("recursion",),
        made_for=("recursion", "index"),
        as_stated=True,
    ),
    Strategy("by_each_number", 1.0, glance=0.7, expected=0.4, use=("table",), made_for=("table",)),
    Strategy(
        "by_sorted_witness", 0.8, glance=0.5, expected=0.2, use=("order",), made_for=("order", "exists")
    ),
    Strategy("by_counts_of_tests", 0.4, expected=0.3, use=("order",), made_for=("order", "type list")),
    Strategy("by_each_letter", 0.8, glance=0.6, expected=0.2, use=("type ascii",)),
    Strategy(
        "by_running",
        1.0,
        glance=0.7,
        expected=0.4,
        use=("recursion",),
        made_for=("index", "recursion", "type list"),
    ),
    Strategy(
        "by_search_results",
        1.5,
        glance=0.6,
        expected=0.4,
        use=("extremes", "functions", "order"),
        made_for=("extremes", "membership"),
    ),
    Strategy("by_distinct_witness", 0.4, expected=0.2, use=("order",), made_for=("exists", "order")),
    Strategy(
        "by_literals",
        1.5,
        glance=1.2,
        expected=0.4,
        use=("literals",),
        made_for=("cases", "literals", "type string"),
    ),
    Strategy("by_digits", 0.3, expected=0.2, use=("product",), made_for=("product", "recursion")),
    Strategy("by_signs", 0.5, glance=0.4, expected=0.2, use=("division",), made_for=("division", "extremes")),
    Strategy(
        "by_determined_function",
        0.2,
        expected=0.1,
        use=("recursion",),
        made_for=("exists", "recursion", "type nat"),
    ),
    Strategy("by_shifts", 0.5, glance=0.4, expected=0.2, use=("type ascii", "type string")),
    Strategy("by_cut_places", 0.7, glance=0.6, expected=0.2, use=("parts",), made_for=("index", "parts")),
    Strategy(
        "by_alternation", 0.4, glance=0.3, expected=0.2, use=("recursion",), made_for=("index", "recursion")
    ),
    Strategy("by_wrapped", 1.0, glance=0.8, expected=0.2, use=("index",), made_for=("index", "division")),
    Strategy("by_powers", 0.4, glance=0.3, expected=0.1, use=("product",), made_for=("product",)),
    Strategy("by_runs", 1.0, glance=0.8, expected=0.3, use=("parts",), made_for=("exists", "parts")),
    Strategy(
        "by_part_members", 0.6, glance=0.4, expected=0.2, use=("parts",), made_for=("membership", "parts")
    ),
    Strategy("by_first_of_all", 0.5, glance=0.4, expected=0.2, use=("cases",), made_for=("cases", "forall")),
    Strategy("by_deep_heads", 0.8, glance=0.5, expected=0.2, use=("recursion",), as_stated=True),
    Strategy(
        "by_depths",
        1.2,
        glance=1.0,
        expected=0.3,
        use=("recursion",),
        made_for=("parts", "recursion"),
        as_stated=True,
    ),
    Strategy("by_tests", 0.3, expected=0.2, use=("functions",), made_for=("functions",)),
    Strategy("by_partial_results", 0.3, expected=0.1, use=("recursion",), made_for=("cases", "recursion")),
    Strategy("by_same_start", 0.4, glance=0.3, expected=0.2, use=("recursion",), made_for=("recursion",)),
    Strategy(
        "by_countdown", 0.4, glance=0.3, expected=0.3, use=("ranges",), made_for=("ranges", "recursion")
    ),
    Strategy("by_logarithms", 0.2, expected=0.1, use=("product",), made_for=("product",)),
    Strategy("by_naturals_gcd", 0.3, expected=0.1, use=("common divisors",), made_for=("common divisors",)),
    Strategy("by_halves", 0.2, expected=0.1, use=("cases", "division"), made_for=("cases",)),
    Strategy("by_next_member", 0.2, expected=0.2, use=("recursion",), made_for=("recursion", "type list")),
    Strategy("by_row", 0.4, glance=0.3, expected=0.1, use=("parts",), made_for=("exists", "parts")),
    Strategy(
        "by_members_at_hand",
        0.6,
        glance=0.4,
        expected=0.1,
        use=("membership",),
        made_for=("exists", "membership"),
    ),
    Strategy(
        "by_stepwise",
        2.5,
        glance=0.9,
        expected=4.0,
        use=("described",),
        made_for=("described",),
        as_stated=True,
    ),
    Strategy(
        "by_lookahead",
        0.2,
        expected=0.3,
        use=("recursion",),
        made_for=("cases", "recursion", "type list"),
        as_stated=True,
    ),
    Strategy(
        "by_weights", 0.2, expected=0.2, use=("type pair", "functions"), made_for=("functions", "recursion")
    ),
    Strategy("by_windows", 0.4, glance=0.3, expected=0.3, use=("ranges",), made_for=("ranges", "recursion")),
    Strategy("by_conjuncts", 0.8, glance=0.5, expected=0.3, use=("functions", "parts", "recursion")),
    Strategy(
        "by_splits", 0.4, glance=0.4, expected=0.3, use=("index", "parts"), made_for=("exists", "parts")
    ),
    Strategy(
        "by_counterparts",
        1.5,
        glance=0.6,
        expected=15.0,
        use=("counterparts",),
        made_for=("counterparts",),
    ),
    Strategy("by_same_parts", 0.6, glance=0.3, expected=1.0, use=("exists", "forall", "membership")),
    Strategy("by_arrangements", 1.0, glance=0.7, expected=4.0, use=("order",), made_for=("order",)),
    Strategy(
        "by_occurrences",
        1.0,
        glance=0.6,
        expected=2.0,
        use=("order",),
        made_for=("order", "recursion"),
    ),
    Strategy("by_place_facts", 2.0, glance=0.6, expected=1.0, use=("index",), made_for=("forall", "index")),
    Strategy(
        "by_strict_order",
        0.8,
        glance=0.6,
        expected=0.8,
        use=("order",),
        made_for=("order", "recursion", "type list"),
    ),
    Strategy("by_listing", 2.0, glance=1.0, expected=4.0, use=("order",), made_for=("exists", "order")),
    Strategy(
        "by_described_parts",
        1.0,
        glance=0.5,
        expected=1.0,
        use=("exists",),
        made_for=("exists", "recursion"),
    ),
    Strategy(
        "by_told_lengths",
        0.5,
        glance=0.3,
        expected=0.5,
        use=("parts", "type string"),
        made_for=("exists", "type string"),
    ),
    Strategy(
        "by_cases_first",
        0.8,
        glance=0.6,
        expected=0.5,
        use=("cases",),
        made_for=("cases", "exists"),
    ),
    Strategy(
        "by_wrapped_options",
        1.0,
        glance=0.8,
        expected=1.0,
        use=("index",),
        made_for=("division", "index"),
    ),
    Strategy("by_relation", 0.8, glance=0.6, expected=8.0, use=("inductive",), made_for=("inductive",)),
    Strategy(
        "by_primes",
        1.6,
        glance=1.0,
        expected=10.0,
        use=("divisibility", "forall", "product"),
        made_for=("divisibility", "forall"),
        as_stated=True,
    ),
    Strategy("by_described_gcd", 0.8, glance=0.7, expected=4.0, use=("common divisors", "exists", "forall")),
    Strategy(
        "by_related_neighbours",
        0.6,
        glance=0.4,
        expected=4.0,
        use=("recursion",),
        made_for=("cases", "recursion", "type list"),
    ),
    Strategy("by_branches", 1.2, glance=0.8, expected=0.6, use=("cases", "type bool", "type option")),
    Strategy(
        "by_pieces",
        1.2,
        glance=0.8,
        expected=6.0,
        use=("exists", "index", "parts", "recursion"),
        made_for=("type bool", "type list"),
    ),
    Strategy("by_placed_members", 0.4, glance=0.3, expected=4.0, use=("order",), made_for=("order",)),
    Strategy(
        "by_placed_result",
        1.2,
        glance=1.1,
        expected=6.0,
        use=("type option",),
        made_for=("index", "recursion", "type option"),
    ),
    Strategy(
        "by_met_description",
        2.0,
        glance=0.9,
        expected=4.0,
        use=("membership",),
        made_for=("forall", "membership", "recursion"),
    ),
    Strategy("by_agreed_functions", 0.5, glance=0.4, expected=3.0, use=("functions", "membership")),
    Strategy(
        "by_cut_numbers", 0.6, glance=0.5, expected=2.0, use=("parts",), made_for=("exists", "index", "parts")
    ),
    Strategy("by_case_table", 0.6, glance=0.5, expected=1.5, use=("cases", "literals", "type ascii")),
    Strategy("by_counts_alone", 0.5, glance=0.4, expected=3.0, use=("order",), made_for=("order",)),
    Strategy(
        "by_evidence_twins",
        0.8,
        glance=0.5,
        expected=4.0,
        use=("inductive",),
        made_for=("counterparts", "inductive"),
    ),
    Strategy("by_letter_classes", 0.9, glance=0.7, expected=2.0, use=("type string",)),
    Strategy("by_integer_listing", 0.4, expected=4.0, use=("order",), made_for=("exists", "order")),
    Strategy("by_integer_cuts", 0.5, glance=0.4, expected=2.0, use=("parts",), made_for=("exists", "parts")),
    Strategy("by_parted", 0.4, glance=0.3, expected=3.0, use=("order",), made_for=("exists", "order")),
    Strategy(
        "by_seen_members",
        0.4,
        glance=0.3,
        expected=3.0,
        use=("functions",),
        made_for=("functions", "recursion", "type list"),
    ),
    Strategy(
        "by_prime_result",
        1.0,
        glance=0.8,
        expected=8.0,
        use=("divisibility",),
        made_for=("divisibility", "type bool"),
    ),
    Strategy("by_built", 0.4, glance=0.3, expected=6.0, use=("recursion",), made_for=("recursion",)),
    Strategy("by_moved", 0.8, glance=0.6, expected=4.0, use=("recursion",), made_for=("recursion",)),
    Strategy("by_tableau", 1.5, glance=0.8, expected=12.0, use=("inductive",), made_for=("inductive",)),
    Strategy(
        "by_fuel", 1.2, glance=0.9, expected=12.0, use=("division",), made_for=("division", "recursion")
    ),
)
"""All of them; `ordering.py` says in which order they are tried."""
