# SPDX-License-Identifier: Apache-2.0
"""Checks that pass are not run again, those that fail are, and a fault of one stops no other."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import jobs


class Run(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, jobs, "STAMPS", jobs.STAMPS)
        jobs.STAMPS = Path(folder.name) / "stamps"
        self.runs: list[str] = []

    def job(self, name: str, key: str = "key", problem: str = "") -> jobs.Job:
        def run() -> str:
            self.runs.append(name)
            return problem

        return jobs.Job(name, f"{name}-{key}", run)

    def run_all(self, *all_jobs: jobs.Job) -> tuple[list[str], str]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            failed = jobs.run_all(all_jobs, processes=2)
        return failed, printed.getvalue()

    def test_what_passed_is_not_run_again(self) -> None:
        self.assertEqual(self.run_all(self.job("a"), self.job("b"))[0], [])
        failed, text = self.run_all(self.job("a"), self.job("b"), self.job("c"))
        self.assertEqual(failed, [])
        self.assertEqual(sorted(self.runs), ["a", "b", "c"])
        self.assertIn("[3/3]", text)

    def test_another_key_runs_again(self) -> None:
        self.run_all(self.job("a", "old"))
        self.run_all(self.job("a", "new"))
        self.assertEqual(self.runs, ["a", "a"])

    def test_what_failed_is_run_again_and_named(self) -> None:
        for _ in range(2):
            failed, text = self.run_all(self.job("a", problem="a digest differs"), self.job("b"))
            self.assertEqual(failed, ["a"])
            self.assertIn("a digest differs", text)
        self.assertEqual(self.runs.count("a"), 2)
        self.assertEqual(self.runs.count("b"), 1)

    def test_an_exception_is_a_failure_of_its_job_alone(self) -> None:
        def run() -> str:
            raise RuntimeError("no such file")

        failed, text = self.run_all(jobs.Job("a", "a", run), self.job("b"))
        self.assertEqual(failed, ["a"])
        self.assertIn("no such file", text)
        self.assertEqual(self.runs, ["b"])

    def test_a_hash_follows_from_names_and_contents(self) -> None:
        path = jobs.STAMPS.parent / "file"
        path.write_text("one")
        first = jobs.hash_of(path, "word")
        self.assertEqual(first, jobs.hash_of(path, "word"))
        self.assertNotEqual(first, jobs.hash_of("word", path))
        path.write_text("two")
        self.assertNotEqual(first, jobs.hash_of(path, "word"))


if __name__ == "__main__":
    unittest.main()
