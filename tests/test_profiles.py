"""What is left to `make test-all` has something that stands for it in `make test`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
ACCEPTANCE = "tests/acceptance"
REPRESENTATIVES = {
    f"{ACCEPTANCE}/test_a_cluster_that_breaks_costs_what_it_was_running.py": (
        f"{ACCEPTANCE}/test_a_cluster_that_breaks_costs_what_it_was_running.py::test_a_fault_at_a_random_moment[kill_worker]"
    ),
    f"{ACCEPTANCE}/test_a_stranger_has_an_answer_within_half_an_hour.py": (
        "tests/test_documentation.py::test_the_code_of_a_page_runs_and_prints_what_the_page_says[docs/first-half-hour.md]"
    ),
    f"{ACCEPTANCE}/test_a_users_own_quality_measure.py": (
        f"{ACCEPTANCE}/test_a_users_own_quality_measure.py::test_a_measure_can_be_typed_in[an argument]"
    ),
    f"{ACCEPTANCE}/test_combiners_are_as_accurate_as_wekas.py": (
        f"{ACCEPTANCE}/test_combiners_answer_as_they_are_defined.py::test_stacking_is_what_its_definition_gives_by_hand"
    ),
    f"{ACCEPTANCE}/test_committees_are_as_accurate_as_their_references.py": (
        f"{ACCEPTANCE}/test_adaboost_is_that_of_weka_step_by_step.py::test_steps_are_those_of_the_reference"
    ),
    f"{ACCEPTANCE}/test_cross_validation_of_a_large_table_fits_in_memory.py": (
        f"{ACCEPTANCE}/test_cross_validation_of_a_large_table_fits_in_memory.py"
        "::test_folds_of_a_large_table_fit_in_memory[majority-10-on disk]"
    ),
    f"{ACCEPTANCE}/test_editing_a_shipped_machine_is_noticed.py": (
        f"{ACCEPTANCE}/test_editing_a_shipped_machine_is_noticed.py::test_an_edit_of_a_shipped_machine_is_noticed"
    ),
    f"{ACCEPTANCE}/test_every_learner_is_the_same_in_threads_and_processes.py": (
        f"{ACCEPTANCE}/test_every_learner_is_the_same_in_threads_and_processes.py"
        "::test_everything_is_the_same_whatever_runs_it[processes-2]"
    ),
    f"{ACCEPTANCE}/test_reference_data_can_be_made_again.py": (
        f"{ACCEPTANCE}/test_reference_data_can_be_made_again.py::test_the_generator_makes_every_data_set_and_the_folds"
    ),
    f"{ACCEPTANCE}/test_refined_trees_are_as_accurate_as_their_references.py": (
        f"{ACCEPTANCE}/test_trees_are_as_accurate_as_their_references.py"
        "::test_c45_has_the_wrong_answers_and_the_sizes_of_j48_in_every_fold"
    ),
    f"{ACCEPTANCE}/test_the_experiment_with_single_trees_is_the_books.py": (
        f"{ACCEPTANCE}/test_the_experiment_with_single_trees_is_the_books.py::test_it_goes_on_where_it_stopped"
    ),
    "tests/structure/test_deep_nesting.py": (
        "tests/structure/test_deep_nesting.py::test_five_hundred_nested_schemes_run_and_can_be_asked[memory]"
    ),
    "tests/test_benchmarks_run.py": "tests/test_benchmarks_run.py::test_the_benchmark_of_requests_runs_every_peer",
    "tests/test_documentation.py": "tests/test_documentation.py::test_the_links_of_a_page_lead_somewhere",
    "tests/trees/test_best_first.py": "tests/trees/test_best_first.py::test_no_split_gains_more_than_the_one_found",
    "tests/trees/test_kernels.py": (
        "tests/trees/test_kernels.py::test_an_edited_helper_compiles_the_kernels_that_call_it_again"
    ),
}
"""Of each file with tests marked `full`, a test of `make test` that would fail for most of the same reasons."""


def test_every_file_with_tests_for_test_all_alone_has_a_representative() -> None:
    files = set((ROOT / "tests").rglob("test_*.py")) - {Path(__file__)}
    left_out = [file.relative_to(ROOT).as_posix() for file in files if "pytest.mark.full" in file.read_text("utf-8")]
    assert set(left_out) == REPRESENTATIVES.keys()


def test_every_representative_is_part_of_make_test() -> None:
    wanted = sorted(set(REPRESENTATIVES.values()))
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", *wanted]
    environment = {name: value for name, value in os.environ.items() if name != "INTEMI_TESTS"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    collected = done.stdout.splitlines()
    assert [each for each in wanted if not any(line.startswith(each) for line in collected)] == []
