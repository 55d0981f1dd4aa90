# SPDX-License-Identifier: Apache-2.0
"""Tests of what the scripts do with measurements, without any."""

import tempfile
import unittest
from pathlib import Path

import beyond
import cases
import page
import synthetic
from agents import use_of
from goals import AHEAD, DOUBLING, OVERHEAD, outcomes
from judges import BETTER, JUDGES, MATCHED, NOT
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


class CasesTest(unittest.TestCase):
    def test_leaf_schedulers_have_full_rounds_of_tiles(self) -> None:
        for workers, leaves in cases.LEAVES.items():
            shape = cases.shape_for(workers, cases.MPI)
            self.assertEqual(shape.tiles % leaves, 0)
            self.assertEqual(shape.parts % leaves, 0)
            self.assertEqual(shape.tiles // leaves, 2 * (workers // leaves))

    def test_strong_scaling_keeps_the_size_of_the_problem(self) -> None:
        for name, kernel in cases.KERNELS.items():
            sizes = [kernel.options(n, cases.STRONG, cases.MPI)["size"] for n in kernel.workers]
            self.assertLess(max(sizes) / min(sizes), 1.02, name)

    def test_tasks_shrink_in_strong_scaling_and_problems_grow_in_weak(self) -> None:
        for name, kernel in cases.KERNELS.items():
            options = [kernel.options(n, cases.STRONG, cases.MPI) for n in kernel.workers]
            tasks = [one.get("pixels") or one["task"] for one in options]
            self.assertEqual(tasks, sorted(tasks, reverse=True), name)
            sizes = [kernel.options(n, cases.WEAK, cases.MPI)["size"] for n in kernel.workers]
            self.assertEqual(sizes, sorted(sizes), name)

    def test_trees_have_the_schedulers_of_the_paper(self) -> None:
        machines = [
            cases.Case("jacobi", cases.STRONG, variant, 512).machine
            for variant in (cases.FLAT, cases.TREE)
        ]
        self.assertEqual(machines, ["sim:formic-520:1+512", "sim:formic-520:8+512"])
        tree = [case for case in cases.cases_of("jacobi", "weak", 64) if case.variant == "tree"]
        self.assertEqual([case.workers for case in tree], [32, 64])


class BeyondTest(unittest.TestCase):
    def test_efficiency_is_compared_with_mpi_on_the_same_chip(self) -> None:
        figure = beyond.Beyond()
        results = Results()
        for (_, chip, levels), run in figure.runs_by_case.items():
            cycles = 20_000 if levels == beyond.MPI_LEVELS else 25_000
            results.found[run] = {"serial_cycles": 10_000 * chip.workers, "cycles": cycles}
        rows = list(figure.rows(results))
        self.assertEqual({row["of_mpi"] for row in rows if row["levels"] != 0}, {0.8})
        texts = list(page.beyond_rows({figure.name: rows}))
        self.assertEqual({text[-1] for text in texts}, {"80.0 %, met"})
        self.assertEqual(len(texts), 12)

    def test_trees_use_all_workers_of_their_chip(self) -> None:
        for chip in beyond.CHIPS:
            for tree in chip.trees:
                leaves = beyond.prod(tree)
                self.assertEqual(leaves * beyond.WORKERS_A_LEAF, chip.workers)


def agent(kind: str, task: int, runtime: int, idle: int, sent: int) -> dict[str, object]:
    return {
        "kind": kind,
        "task_cycles": task,
        "runtime_cycles": runtime,
        "memory_cycles": 0,
        "wait_cycles": idle // 2,
        "idle_cycles": idle - idle // 2,
        "messages": 1,
        "message_bytes": sent,
        "dma_bytes": 2 * sent,
    }


class UseTest(unittest.TestCase):
    def test_means_are_over_the_cores_of_a_kind(self) -> None:
        agents = [
            agent("worker", 60, 20, 20, 100),
            agent("worker", 20, 20, 60, 300),
            agent("scheduler", 0, 30, 70, 1000),
            agent("scheduler", 0, 10, 90, 3000),
        ]
        use = use_of({"agents": agents})
        self.assertAlmostEqual(use.worker_task, 0.4)
        self.assertAlmostEqual(use.worker_idle, 0.4)
        self.assertAlmostEqual(use.scheduler_busy, 0.2)
        self.assertAlmostEqual(use.scheduler_busy_max, 0.3)
        self.assertEqual((use.worker_message_bytes, use.scheduler_message_bytes), (200, 2000))
        self.assertEqual(use.worker_dma_bytes, 400)


def scaling_rows(cycles: dict[tuple[str, int], float]) -> list[dict[str, object]]:
    """Of Jacobi with 512 million cycles of work, by variant and workers."""
    return [
        {"kernel": "jacobi", "variant": variant, "workers": n, "cycles": c, "speed_up": 512e6 / c}
        for (variant, n), c in cycles.items()
    ]


class JudgesTest(unittest.TestCase):
    def test_every_statement_has_a_judge_and_the_other_way_round(self) -> None:
        keys = [statement["key"] for statement in page.load_words()["statement"]]
        self.assertEqual(sorted(keys), sorted(JUDGES))

    def test_nothing_measured_is_no_finding(self) -> None:
        for key, judge in JUDGES.items():
            self.assertIsNone(judge({}), key)
        self.assertEqual(list(outcomes({})), [])

    def test_goals_are_read_from_the_numbers(self) -> None:
        rows = scaling_rows(
            {
                ("mpi", 512): 1.0e6,
                ("flat", 256): 4.0e6,
                ("flat", 512): 1.1e6,
                ("tree", 256): 1.1e6,
                ("tree", 512): 1.2e6,
            }
        )
        found = {one.goal: one for one in outcomes({"fig8-strong": rows})}
        self.assertEqual(found[OVERHEAD["strong"]].ours, "+20.0 %")
        self.assertFalse(found[OVERHEAD["strong"]].is_met)
        self.assertEqual(found[DOUBLING].ours, "0.92 times")
        self.assertFalse(found[DOUBLING].is_met)
        self.assertEqual(found[AHEAD].ours, "in 1 of 2")
        better = scaling_rows({("mpi", 512): 1.0e6, ("flat", 512): 2e6, ("tree", 512): 1.05e6})
        self.assertTrue(all(one.is_met for one in outcomes({"fig8-strong": better})))

    def test_overhead_is_matched_between_10_and_30_percent(self) -> None:
        verdicts = []
        for tree in (1.05e6, 1.2e6, 1.5e6):
            rows = scaling_rows({("mpi", 512): 1e6, ("tree", 512): tree})
            finding = JUDGES["overhead"]({"fig8-strong": rows})
            verdicts.append(finding.verdict if finding else None)
        self.assertEqual(verdicts, [BETTER, MATCHED, NOT])

    def test_what_is_not_measured_is_said_so(self) -> None:
        words = page.load_words()
        text = "\n".join(page.lines({}, words))
        self.assertEqual(text.count(page.NOT_MEASURED), len(words["statement"]))


if __name__ == "__main__":
    unittest.main()
