"""The modules whose answer is the promise of a release, and the tests that must notice a fault in them.

The tests are the quickest that are there for a module, not its slow random ones: a mutant costs a second or
two. What only chooses the best of several releases that keep the promise is not here.
"""

from __future__ import annotations

from collections.abc import Iterator

VERIFY = "tests/verify/test_"
METHODS = "tests/methods/"
FORGED = f"{VERIFY}tampering.py::test_tampering_is_caught_or_harmless"
GROUND = (f"{VERIFY}ground.py", f"{VERIFY}statements.py")
TABLES = (f"{VERIFY}generalized_table.py", f"{VERIFY}clauses.py", f"{FORGED}[generalized_table]")
RULES = (f"{VERIFY}rules_edges.py", f"{VERIFY}rules_faults.py", f"{FORGED}[rules]")
COARSER = tuple(
    f"{METHODS}bucketize/test_coarser.py::test_{name}"
    for name in (
        "both_promises_are_kept[injector-qit]",
        "tampering_is_caught",
        "a_row_map_of_other_rows_is_caught",
        "without_the_record_rules_are_not_checked",
    )
)
COHORTS = tuple(
    f"{METHODS}test_cohort_series.py::test_{name}"
    for name in (
        "the_counterexample_of_the_method_is_refused",
        "values_of_a_cohort_count_and_not_those_of_its_classes",
        "whoever_leaves_alone_is_not_faced_with_others",
        "a_wrong_record_is_caught",
        "a_chain_of_tables_keeps_its_recoding_and_is_verified[2-subtree]",
        "a_chain_of_sets_keeps_its_mapping_and_is_verified",
        "the_last_record_hands_on_what_the_whole_chain_says",
        "missing_values_are_handed_on_as_they_are_published",
        "older_files_are_read_as_strictly_where_the_first_release_is_not_given",
    )
)
SET_SOLVERS = (
    f"{METHODS}generalize_sets/test_limits.py",
    *(
        f"{METHODS}generalize_sets/test_solvers.py::test_{name}"
        for name in (
            "greedy_cuts_are_always_valid",
            "the_papers_own_algorithms_give_the_same_guarantee_at_no_lower_cost_on_the_whole",
            "refinement_never_worsens_and_leaves_nothing_to_split",
            "best_is_never_dearer_than_one_start_and_repeats_itself[third]",
            "a_short_time_still_gives_a_valid_cut_and_a_bound_below_it",
        )
    ),
)
OPTIMAL = "optimal_is_the_best_of_all_cuts_and_no_greedy_cut_is_below_it[500]"
TABLE_SOLVERS = tuple(
    f"{METHODS}generalize_tables/test_{name}.py" for name in ("promises", "emptying", "solvers")
)

EXACTLY = tuple(
    f"{METHODS}test_silence_exactly.py::test_{name}"
    for name in (
        "a_correction_does_not_switch_it_off",
        "it_does_not_depend_on_the_numbers_of_buckets_who_is_looked_at",
        "whoever_is_in_a_class_that_another_takes_in_is_looked_at",
        "of_two_columns_a_class_is_looked_at_in_which_nobody_is_the_only_one",
    )
)
BUCKETS_SILENT = tuple(
    f"{METHODS}bucketize/attacks/test_silence.py::test_{name}"
    for name in (
        "a_draw_that_leaves_somebody_fewer_is_thrown_away",
        "every_pair_keeps_as_many_candidates_as_it_can",
        "rules_that_go_round_one_person_are_refused",
        "everybody_keeps_l_values_in_worlds_with_the_listed_rules[third]",
    )
)
TABLES_SILENT = tuple(
    f"{METHODS}generalize_tables/test_silence.py::test_{name}"
    for name in (
        "levels_that_name_somebody_are_refused",
        "every_pair_keeps_as_many_candidates_as_it_can[0]",
        "classes_are_not_joined_over_kept_columns[1]",
        "everybody_keeps_l_values_in_worlds_of_which_the_table_could_be_made",
    )
)
TABLE_SERIES_SILENT = tuple(
    f"{METHODS}generalize_tables/test_series_silence.py::test_{name}"
    for name in (
        "pairs_of_a_release_are_those_of_the_definition",
        "histories_are_exchanged_so_that_everybody_keeps_l_values",
        "whoever_leaves_is_not_named_by_the_rules_of_the_release_before",
        "what_is_told_is_handed_on",
        "series_that_left_somebody_fewer_values",
    )
)


def _without(*tests: str) -> Iterator[str]:
    for test in tests:
        yield from ("--deselect", test)


INFERENCE = (
    f"{METHODS}disclose/test_inference.py",
    *_without(
        *(
            f"{METHODS}disclose/test_inference.py::test_{name}"
            for name in (
                "the_posterior_is_that_of_a_primal_solve[seeds1]",
                "more_equations_never_raise_the_overall_divergence[others]",
                "the_bounds_are_those_of_one_linear_program[100000-others]",
                "the_bounds_are_those_of_one_linear_program[0-others]",
                "more_knowledge_never_raises_the_entropy[others]",
                "the_bounds_contain_the_posterior_and_the_truth[seeds1]",
            )
        )
    ),
)
BUCKET_SERIES = (
    f"{METHODS}bucketize/test_series.py",
    "--deselect",
    f"{METHODS}bucketize/test_series.py"
    "::test_everybody_has_every_value_of_their_signature_in_equally_many_worlds",
)
SLOW_SOLVERS = tuple(  # kernels are not compiled
    f"{METHODS}generalize_tables/test_{name}"
    for name in (
        "solvers.py::test_local_classes_keep_the_promise",
        "solvers.py::test_blocks_with_too_few_rows_still_keep_k",
        "emptying.py::test_classes_keep_k_and_lose_no_more_than_clusters[0]",
    )
)

VERIFIER: dict[str, tuple[str, ...]] = {
    "twins": (f"{VERIFY}twins.py",),
    "release": (*GROUND, f"{VERIFY}rules_faults.py"),
    "verifying": (*GROUND, f"{VERIFY}series.py"),
    "manifest": (*GROUND, f"{VERIFY}fields.py", f"{VERIFY}missing_words.py"),
    "terms": (f"{VERIFY}terms.py", *GROUND, f"{VERIFY}clauses.py", f"{VERIFY}missing_words.py"),
    "posterior": (f"{VERIFY}posterior.py", *RULES),
    "distances": (f"{VERIFY}distances.py", *TABLES),
    "row_originals": (f"{VERIFY}row_originals.py", *TABLES),
    "series": (f"{VERIFY}series.py",),
    "assignments": (f"{VERIFY}assignments.py",),
    "hidden": (
        f"{VERIFY}hidden_edges.py",
        f"{VERIFY}hidden_faults.py",
        f"{FORGED}[hidden]",
        "--deselect",
        f"{VERIFY}hidden_faults.py::test_clean_releases_are_not_accused",
    ),
    "generalized_table": TABLES,
    "bucketized": (
        f"{VERIFY}bucketized_faults.py",
        f"{VERIFY}clauses.py",
        f"{FORGED}[bucketized]",
        f"{FORGED}[permuted]",
        f"{VERIFY}series.py",
    ),
    "generalized": (
        f"{VERIFY}generalized.py",
        f"{FORGED}[generalized]",
        "--deselect",
        f"{VERIFY}generalized.py::test_random_releases_pass",
    ),
    "rules": RULES,
    "channels": (f"{VERIFY}rules_channels.py", *RULES),
    "reading": (
        f"{VERIFY}reading.py",
        f"{VERIFY}hidden_edges.py",
        f"{VERIFY}clauses.py",
        f"{FORGED}[hidden]",
    ),
    "cohorts": (f"{VERIFY}series.py", *COHORTS[3:]),
    "nodes": (*TABLES, *COARSER),
    "coarser_buckets": COARSER,
    "__main__": (f"{VERIFY}ground.py", f"{VERIFY}command.py::test_a_refused_release_is_shown_check_by_check"),
}

TOOLKIT: dict[str, tuple[str, ...]] = {
    "ranges": ("tests/test_parameters.py",),
    "methods.bucketize.solve.feasibility": (
        f"{METHODS}bucketize/test_feasibility.py",
        f"{METHODS}bucketize/test_matching.py",
    ),
    "knowledge.reachability": (
        f"{METHODS}bucketize/test_feasibility.py",
        f"{METHODS}bucketize/test_matching.py",
    ),
    "mining.silence": (
        "tests/mining/test_exchanges.py",
        f"{METHODS}bucketize/attacks/test_silence.py::test_pairs_are_those_of_the_definition",
        f"{METHODS}bucketize/attacks/test_silence.py::test_what_would_be_listed_is_what_is_listed",
        *EXACTLY,
    ),
    "mining.exchanges": ("tests/mining/test_exchanges.py", *EXACTLY[1:]),
    "mining.worlds": ("tests/mining/test_exchanges.py",),
    "methods.generalize_sets.solve.solve": (SET_SOLVERS[0], f"{METHODS}generalize_sets/test_generalize.py"),
    "methods.generalize_sets.solve.cut": SET_SOLVERS,
    "methods.generalize_sets.solve.apriori": SET_SOLVERS,
    "methods.generalize_sets.solve.optimal": (
        *SET_SOLVERS,
        f"{METHODS}generalize_sets/test_solvers.py::test_{OPTIMAL}",
    ),
    "methods.generalize_sets.solve.suppress": (
        f"{METHODS}generalize_sets/test_suppression.py",
        "--deselect",
        f"{METHODS}generalize_sets/test_suppression.py"
        "::test_what_is_published_is_valid_within_the_allowance_and_never_dearer[1000]",
    ),
    "recoding.promises": TABLE_SOLVERS,
    "recoding.solve": TABLE_SOLVERS,
    "recoding.clustering": SLOW_SOLVERS,
    "recoding.dividing": TABLE_SOLVERS,
    "recoding.joining": SLOW_SOLVERS,
    "recoding.lattice": TABLE_SOLVERS,
    "recoding.subtree": TABLE_SOLVERS,
    "methods.hide.solve.matrix": (
        f"{METHODS}hide/test_matrix.py",
        f"{METHODS}hide/test_probabilities.py",
        f"{METHODS}hide/test_marking.py",
        *_without(
            f"{METHODS}hide/test_probabilities.py::test_certified_keeps_its_confidence[confidence0]",
            f"{METHODS}hide/test_probabilities.py::test_certified_keeps_its_confidence[confidence2]",
        ),
    ),
    "methods.hide.solve.patterns": (f"{METHODS}hide/test_patterns.py",),
    "methods.disclose.solve.inference": INFERENCE,
    "methods.disclose.solve.bounds": (
        *INFERENCE,
        f"{METHODS}disclose/test_safe.py::test_counting_stops_where_tables_are_too_many",
    ),
    "methods.disclose.solve.safe": (f"{METHODS}disclose/test_safe.py",),
    "methods.disclose.solve.channels": (f"{METHODS}disclose/test_channels.py",),
    "methods.generalize_tables.silence": (
        f"{METHODS}test_silence_exactly.py::test_no_more_divisions_are_undone_than_somebody_needs",
        f"{METHODS}generalize_tables/test_silence.py::test_the_owner_is_told_how_many_rows_are_in_joined_classes",
        *EXACTLY,
        *TABLES_SILENT,
    ),
    "methods.generalize_tables.series_silence": TABLE_SERIES_SILENT,
    "methods.generalize_tables.cohorts": (f"{METHODS}test_cohorts.py", COHORTS[4]),
    "methods.generalize_tables.series": (
        *COHORTS[:2],
        f"{METHODS}test_cohort_series.py::test_the_largest_k_of_a_series_is_named",
        f"{METHODS}test_cohort_series.py::test_numbers_find_their_interval_in_a_hierarchy_that_was_made",
        COHORTS[4],
    ),
    "methods.generalize_sets.series": (f"{METHODS}test_cohorts.py", COHORTS[2], COHORTS[5]),
    "methods.bucketize.solve.silence": (EXACTLY[1], *BUCKETS_SILENT[:3]),
    "methods.bucketize.series_silence": tuple(
        f"{METHODS}bucketize/test_series_silence.py::test_{name}"
        for name in (
            "a_rule_that_falls_tells_of_those_whom_it_was_about",
            "what_follows_from_a_rule_needs_no_holder",
            "series_that_left_somebody_fewer_values",
        )
    ),
    "methods.bucketize.solve.signatures": (
        *BUCKET_SERIES,
        f"{METHODS}bucketize/test_series_neutral.py::test_newcomers_who_are_used_whenever_they_fit_would_tell",
        f"{METHODS}bucketize/test_series_neutral.py::test_two_releases_of_three_people_and_a_newcomer",
    ),
    "methods.bucketize.series": BUCKET_SERIES,
    "release.series": (
        f"{METHODS}test_cohorts.py",
        COHORTS[6],
        f"{METHODS}test_cohort_series.py::test_a_person_is_forgotten_and_the_chain_still_holds",
        f"{METHODS}bucketize/test_series.py",
    ),
}


def _named() -> Iterator[tuple[str, tuple[str, ...]]]:
    for package, modules in (("tacit_verify", VERIFIER), ("tacit", TOOLKIT)):
        yield from ((f"{package}.{name}", tests) for name, tests in modules.items())


DECIDING = dict(_named())
