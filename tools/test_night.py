# SPDX-License-Identifier: Apache-2.0
"""Tests of nights. Run: cd tools && python3 -m unittest test_night"""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from night import __main__ as night
from night.jobs import Job, all_jobs
from night.state import Result, State, page

SLICE = Job("slice", ("true",), programs=100, seconds=10)
ONCE = Job("once", ("true",), seconds=30)


class Night(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "state.json"
        for name, value in (("ROOT", self.folder), ("OUT", self.folder)):
            patch = mock.patch.object(night, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def test_who_had_least_time_is_next_and_what_runs_once_is_done(self) -> None:
        state = State(self.path, "a")
        state.add(Result("slice", 100, 12.0))
        self.assertEqual(state.next_job([SLICE, ONCE], 1000), ONCE)
        state.add(Result("once", 0, 5.0))
        self.assertEqual(state.next_job([SLICE, ONCE], 1000), SLICE)

    def test_nothing_begins_that_has_no_time_to_end(self) -> None:
        state = State(self.path, "a")
        self.assertIsNone(state.next_job([ONCE], 29))
        state.add(Result("slice", 100, 200.0))
        self.assertIsNone(state.next_job([SLICE], 199))

    def test_the_next_night_goes_on_with_other_seeds(self) -> None:
        first = State(self.path, "a")
        seed = first.first_seed
        self.assertEqual(first.take_seeds(SLICE), seed)
        first.add(Result("slice", 100, 12.0))
        first.save()
        second = State(self.path, "a")
        self.assertEqual(second.take_seeds(SLICE), seed + 100)
        self.assertEqual(second.sums["slice"].programs, 100)
        second.save()
        other_commit = State(self.path, "b")
        self.assertEqual(other_commit.sums, {})
        self.assertEqual(other_commit.take_seeds(SLICE), seed + 200)

    def test_failures_and_hangs_are_told_with_their_command(self) -> None:
        failing = Job(
            "failing", ("sh", "-c", "echo {seed}; exit $STATUS"), 5, variables={"STATUS": "3"}
        )
        result = night.run(failing, 7, 60)
        self.assertIn("status 3: STATUS=3 sh -c echo 7", result.failure)
        self.assertEqual((self.folder / "failing.7.log").read_text(), "7\n")
        self.assertIn("hangs", night.run(Job("hanging", ("sleep", "100")), 1, 0.2).failure)

    def test_a_race_fails_a_job_that_ends_well(self) -> None:
        racing = Job("racing", ("echo", "WARNING: ThreadSanitizer: data race"))
        self.assertIn("ThreadSanitizer: echo", night.run(racing, 1, 60).failure)

    def test_a_night_runs_until_its_time_is_over(self) -> None:
        state = State(self.path, "a")
        night.spend(state, [Job("quick", ("true",), 2, 0), ONCE], 0.5)
        self.assertGreater(state.sums["quick"].programs, 2)
        self.assertNotIn("once", state.sums)
        self.assertEqual(State(self.path, "a").sums, state.sums)

    def test_the_page_names_what_failed(self) -> None:
        state = State(self.path, "a")
        state.add(Result("slice", 100, 120.0))
        state.add(Result("slice", 100, 60.0, "status 1: the command"))
        text = page(state)
        self.assertIn("| slice | 1 | 100 | 3.0 | 1 |", text)
        self.assertIn(f"from {state.first_seed},", text)
        self.assertIn("- FAILED status 1: the command", text)

    def test_each_job_has_a_name_of_its_own(self) -> None:
        names = [job.name for job in all_jobs(Path("bin"))]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
