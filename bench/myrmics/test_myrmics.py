# SPDX-License-Identifier: Apache-2.0
"""Tests of what the scripts do with measurements, without any."""

import tempfile
import unittest
from pathlib import Path

import synthetic
from results import Results, Run, Store, code_hash, collect, last_object


class ResultsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = Store(self.folder, self.folder / "kept")

    def write_program(self, name: str, text: str) -> None:
        program = self.folder / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
        code_hash.cache_clear()

    def test_a_result_is_kept_until_the_program_changes(self) -> None:
        self.write_program("count", f'echo x >>"{self.folder}/calls"; echo \'{{"value": 1}}\'')
        for _ in range(2):
            self.assertEqual(self.store.fetch(Run("count", ("7",))), {"value": 1})
        self.assertEqual((self.folder / "calls").read_text(), "x\n")
        self.store.fetch(Run("count", ("8",)))
        self.assertEqual((self.folder / "calls").read_text(), "x\nx\n")
        self.write_program("count", "echo '{\"value\": 2}'")
        self.assertEqual(self.store.fetch(Run("count", ("7",))), {"value": 2})

    def test_stats_come_from_the_other_stream(self) -> None:
        self.write_program(
            "say", "echo '{\"cycles\": 5}'; echo note >&2; echo '{\"agents\": []}' >&2"
        )
        self.assertEqual(self.store.fetch(Run("say", ())), {"cycles": 5, "stats": {"agents": []}})

    def test_failures_are_told_apart_and_not_kept(self) -> None:
        self.write_program("bad", "echo broken >&2; exit 3")
        good, bad, none = Run("good", ()), Run("bad", ()), Run("none", ())
        self.write_program("good", "echo '{}'")
        results = collect(self.store, [good, bad, none, good])
        self.assertEqual(results.found, {good: {}})
        self.assertIn("status 3: broken", results.failures[bad])
        self.assertIn("not built", results.failures[none])
        self.assertEqual(len(list((self.folder / "kept").iterdir())), 1)

    def test_the_last_line_with_an_object_counts(self) -> None:
        self.assertEqual(last_object('{"a": 1}\n{"a": 2}\nend\n'), {"a": 2})
        self.assertIsNone(last_object("nothing\n"))


class SyntheticTest(unittest.TestCase):
    def test_spawning_and_executing_share_the_time(self) -> None:
        cost = synthetic.task_cost({"tasks": 10, "main_cycles": 20_000, "cycles": 50_000})
        self.assertEqual((cost.spawn, cost.execute), (2.0, 3.0))

    def test_enough_workers_are_the_fewest_near_the_best(self) -> None:
        points = [(1, 1.0), (2, 2.0), (4, 3.9), (8, 4.0), (16, 3.5)]
        self.assertEqual(synthetic.enough_workers(points), 4)

    def test_trees_have_the_levels_and_workers_asked_for(self) -> None:
        self.assertEqual(synthetic.fan_outs(1, 432), (432,))
        self.assertEqual(synthetic.fan_outs(1, 1), (1,))
        self.assertEqual(synthetic.fan_outs(2, 432), (72, 6))
        self.assertEqual(synthetic.fan_outs(3, 432), (12, 6, 6))
        self.assertEqual(synthetic.fan_outs(4, 432), (2, 6, 6, 6))
        self.assertEqual(synthetic.fan_outs(5, 432), (2, 2, 3, 6, 6))
        self.assertIsNone(synthetic.fan_outs(2, 6))
        self.assertIsNone(synthetic.fan_outs(3, 60))
        self.assertIsNone(synthetic.fan_outs(5, 36))

    def test_a_speed_up_needs_the_run_with_one_worker(self) -> None:
        figure = synthetic.Granularity("fig7b", synthetic.STRONG, 16.2)
        results = Results()
        size = figure.sizes[0]
        for workers in figure.workers[1:]:
            run = figure.run_of(synthetic.PUBLISHED, size, workers)
            results.found[run] = {"cycles": 100 / workers}
        self.assertEqual(list(figure.rows(results)), [])
        results.found[figure.run_of(synthetic.PUBLISHED, size, 1)] = {"cycles": 100}
        rows = list(figure.rows(results))
        self.assertEqual([row["speed_up"] for row in rows], figure.workers)

    def test_slowdown_is_against_one_worker_with_regions_of_the_same_size(self) -> None:
        figure = synthetic.Figure12b()
        results = Results()
        for region_tasks in synthetic.REGION_TASKS:
            common = {"scheduler_busy_mean": 0, "scheduler_busy_max": 0}
            one = {"schedulers": 1, "cycles": 10 * region_tasks} | common
            many = {"schedulers": 85, "cycles": 30 * region_tasks} | common
            results.found[figure.run_of((1,), region_tasks)] = one
            results.found[figure.run_of((12, 6, 6), region_tasks)] = many
        rows = [row for row in figure.rows(results) if row["levels"] == 3]
        self.assertEqual([row["slowdown"] for row in rows], [3.0] * len(synthetic.REGION_TASKS))


if __name__ == "__main__":
    unittest.main()
